//! The daemon, asked from the command line: a session is heard, acted upon, and on record.

use std::process::{Child, Command, Stdio};

use super::sandbox::{Sandbox, finish, wait_until};

/// A daemon that ends with its test.
struct Daemon(Child);

impl Daemon {
    fn of(home: &Sandbox) -> Self {
        let child = home.wakeful(&["serve"]).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let mut daemon = Self(child);
        let socket = home.home().join(".local/state/wakeful/daemon/api.sock");
        wait_until("the daemon listens", || {
            assert!(daemon.0.try_wait().unwrap().is_none(), "the daemon has ended");
            socket.exists()
        });
        daemon
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ran(mut command: Command) -> (Option<i32>, String, String) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn told(home: &Sandbox, payloads: &[&str]) {
    for payload in payloads {
        assert!(finish(home.wakeful(&["hook", "claude-code"]), payload.as_bytes()).status.success());
    }
}

const ASKS: [&str; 3] = [
    r#"{"session_id":"aaaa-1","hook_event_name":"SessionStart","source":"startup","cwd":"/home/eve/shop"}"#,
    r#"{"session_id":"aaaa-1","hook_event_name":"UserPromptSubmit","prompt_id":"p1","prompt":"name the shop"}"#,
    r#"{"session_id":"aaaa-1","hook_event_name":"Stop","prompt_id":"p1","background_tasks":[],"session_crons":[],
       "last_assistant_message":"Which name do you like best?"}"#,
];

#[test]
fn a_session_is_heard_and_acted_upon() {
    let home = Sandbox::new();
    home.settings("[notify]\nenabled = false\n");
    let daemon = Daemon::of(&home);
    told(&home, &ASKS);
    assert!(home.lines().is_empty(), "every hook was answered by the daemon");
    let listed = ran(home.wakeful(&["list"]));
    assert!(listed.1.contains("Needs you (1)") && listed.1.contains("Which name"), "{listed:?}");

    // There is no way to send a reply to this client, and that is said.
    let (code, _, said) = ran(home.wakeful(&["reply", "aaaa", "the first"]));
    assert_eq!(code, Some(4), "{said}");
    assert_eq!(ran(home.wakeful(&["snooze", "aaaa", "30m"])).0, Some(0));
    assert!(ran(home.wakeful(&["list"])).1.contains("put away by you"));
    assert_eq!(ran(home.wakeful(&["done", "aaaa"])).0, Some(0));
    let (code, _, said) = ran(home.wakeful(&["keep", "aaaa"]));
    assert!(code == Some(4) && said.contains("waits for nothing"), "{code:?} {said}");

    let (_, log, _) = ran(home.wakeful(&["log", "aaaa"]));
    assert!(log.contains("decided by question") && log.contains("user_acted"), "{log}");
    let (_, decisions, _) = ran(home.wakeful(&["log", "--decisions", "--json"]));
    assert_eq!(decisions.lines().count(), 1, "{decisions}");

    let (_, doctor, _) = ran(home.wakeful(&["doctor", "--json"]));
    let found: serde_json::Value = serde_json::from_str(&doctor).unwrap();
    let of = |check: &str| {
        let findings = found["checks"].as_array().unwrap();
        findings.iter().find(|finding| finding["check"] == check).unwrap().clone()
    };
    assert!(of("daemon")["seen"].as_str().unwrap().starts_with("runs as process"), "{doctor}");

    // What it has written down is there without it, and after it has come back.
    drop(daemon);
    assert!(ran(home.wakeful(&["show", "aaaa"])).1.contains("name the shop"));
    told(
        &home,
        &[
            r#"{"session_id":"aaaa-1","hook_event_name":"UserPromptSubmit","prompt_id":"p2","prompt":"go on"}"#,
        ],
    );
    assert_eq!(home.lines().len(), 1, "without a daemon the spool has it");
    let _again = Daemon::of(&home);
    let listed = ran(home.wakeful(&["list"]));
    assert!(listed.1.contains("Working (1)"), "{listed:?}");
}

#[test]
fn stopped_means_stopped() {
    let home = Sandbox::new();
    let mut daemon = Daemon::of(&home);
    assert_eq!(ran(home.wakeful(&["serve", "--status"])).0, Some(0));
    assert_eq!(ran(home.wakeful(&["serve"])).0, Some(2), "one a user");
    assert_eq!(ran(home.wakeful(&["serve", "--stop"])).0, Some(0));
    assert!(daemon.0.wait().unwrap().success());
    let mut hook = home.wakeful(&["hook", "claude-code"]);
    hook.env_remove("WAKEFUL_NO_DAEMON");
    assert!(finish(hook, ASKS[0].as_bytes()).status.success());
    let status = ran(home.wakeful(&["serve", "--status"]));
    assert!(status.0 == Some(1) && status.1.contains("stopped by you"), "{status:?}");
}

#[test]
fn a_hook_starts_it_and_the_next_ones_find_it() {
    let home = Sandbox::new();
    home.settings("[notify]\nenabled = false\n");
    let mut hook = home.wakeful(&["hook", "claude-code"]);
    hook.env_remove("WAKEFUL_NO_DAEMON");
    assert!(finish(hook, ASKS[0].as_bytes()).status.success());
    wait_until("the daemon runs", || ran(home.wakeful(&["serve", "--status"])).0 == Some(0));
    let socket = home.home().join(".local/state/wakeful/daemon/hook.sock");
    wait_until("it listens", || socket.exists());
    told(&home, &ASKS[1..]);
    assert_eq!(home.lines().len(), 1, "only the first had nobody to talk to");
    assert!(ran(home.wakeful(&["list"])).1.contains("Which name"));
    assert_eq!(ran(home.wakeful(&["serve", "--stop"])).0, Some(0));
    wait_until("it has ended", || ran(home.wakeful(&["serve", "--status"])).0 == Some(1));
}
