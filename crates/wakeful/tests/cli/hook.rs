//! `wakeful hook`: what it prints, what it leaves in the spool, and that nothing makes it fail (C1, F5).

use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Output, Stdio};

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use crate::sandbox::{Sandbox, cursor_call, ended, finish, shell_call, stdout};

const LOOP: &str = "until test -f out/ready; do sleep 4; done";
const PASS: &str = "cargo test --workspace";

fn assert_silent(output: &Output) {
    assert_eq!((output.status.code(), stdout(output).as_str()), (Some(0), ""), "{output:?}");
    assert_eq!(output.stderr, b"", "{output:?}");
}

fn decision(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0));
    let said: Value = serde_json::from_str(&stdout(output)).unwrap();
    said["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_refusal_is_exactly_what_the_client_accepts() {
    let home = Sandbox::new();
    insta::assert_snapshot!("claude_code", stdout(&home.hook("claude-code", shell_call(LOOP).as_bytes())));
    insta::assert_snapshot!("codex", stdout(&home.hook("codex", shell_call(LOOP).as_bytes())));
    let call = cursor_call("beforeShellExecution", LOOP, "/home/eve/shop");
    insta::assert_snapshot!("cursor", stdout(&home.hook("cursor", call.as_bytes())));
    let call = cursor_call("preToolUse", LOOP, "/home/eve/shop");
    insta::assert_snapshot!("cursor", stdout(&home.hook("cursor", call.as_bytes())));
}

#[test]
fn a_pass_says_nothing_that_decides() {
    let home = Sandbox::new();
    assert_silent(&home.hook("claude-code", shell_call(PASS).as_bytes()));
    assert_silent(&home.hook("codex", shell_call(PASS).as_bytes()));
    let call = cursor_call("beforeShellExecution", PASS, "/home/eve/shop");
    assert_eq!(stdout(&home.hook("cursor", call.as_bytes())), "{}\n");
}

#[test]
fn the_envelope_has_the_payload_and_what_is_known_beside_it() {
    let home = Sandbox::new();
    let mut command = home.wakeful(&["hook", "claude-code", "PreToolUse"]);
    command.env("CLAUDE_PID", "4711").env("TMUX_PANE", "%5");
    finish(command, shell_call(LOOP).as_bytes());
    let lines = home.lines();
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    let payload: Value = serde_json::from_str(&shell_call(LOOP)).unwrap();
    assert_eq!(line["payload"]["raw"], payload);
    assert_eq!(
        (&line["v"], &line["client"], &line["event"]),
        (&1.into(), &"claude-code".into(), &"PreToolUse".into())
    );
    assert_eq!((&line["pid"], &line["tmux"]), (&4711.into(), &"%5".into()));
    assert_eq!((&line["guard"]["verdict"], &line["guard"]["rule"]), (&"deny".into(), &"poll-loop".into()));
    assert_eq!(line["id"].as_str().unwrap().len(), 26);
    assert!(line["at"]["wall"].as_i64() > Some(0) && line["at"]["boot"].as_u64() > Some(0));
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.spool()), 0o700);
    let file = std::fs::read_dir(home.spool()).unwrap().next().unwrap().unwrap().path();
    assert_eq!(mode(&file), 0o600);
}

#[test]
fn no_input_makes_it_fail() {
    let deep = "[".repeat(200_000);
    let cut = shell_call(LOOP);
    let inputs: [&[u8]; 10] = [
        b"",
        b" \n\t",
        b"not json",
        b"\x00\xff\xfe\x01",
        b"[]",
        b"null",
        b"{\"session_id\":7,\"hook_event_name\":[],\"tool_name\":{},\"tool_input\":\"\"}",
        b"{} {}",
        deep.as_bytes(),
        &cut.as_bytes()[..cut.len() - 9],
    ];
    let home = Sandbox::new();
    for input in inputs {
        for client in ["claude-code", "codex"] {
            assert_silent(&home.hook(client, input));
        }
        let output = home.hook("cursor", input);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), "{}\n"), "{input:?}");
    }
    // Every one of them can be told of, and none can be taken for something else.
    assert_eq!(home.lines().len(), 3 * inputs.len());
}

#[test]
fn no_arguments_make_it_fail() {
    let home = Sandbox::new();
    for args in [
        &["hook"][..],
        &["hook", "emacs"],
        &["hook", ""],
        &["hook", "--client", "codex"],
        &["hook", "claude-code", "PreToolUse", "and", "--more"],
        &["hook", "claude-code", "--flag"],
    ] {
        assert_silent(&finish(home.wakeful(args), shell_call(PASS).as_bytes()));
    }
}

#[test]
fn closed_streams_do_not_make_it_fail() {
    let home = Sandbox::new();
    let mut command = home.wakeful(&["hook", "claude-code"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    assert_silent(&ended(command.spawn().unwrap()));

    // The client has gone before the refusal is printed.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let (input, mut pen) = std::io::pipe().unwrap();
    let mut command = home.wakeful(&["hook", "claude-code"]);
    command.stdin(input).stdout(writer).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    std::io::Write::write_all(&mut pen, shell_call(LOOP).as_bytes()).unwrap();
    drop(pen);
    assert_eq!(ended(child).status.code(), Some(0));
    assert_eq!(home.lines().last().unwrap()["guard"]["verdict"], "deny");

    let mut command = home.wakeful(&["hook", "claude-code"]);
    command.stdin(Stdio::null()).stdout(File::options().write(true).open("/dev/full").unwrap());
    assert_eq!(ended(command.spawn().unwrap()).status.code(), Some(0));
}

#[test]
fn a_pipe_that_stays_open_does_not_hold_it() {
    let home = Sandbox::new();
    let (input, mut pen) = std::io::pipe().unwrap();
    let mut command = home.wakeful(&["hook", "claude-code"]);
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    std::io::Write::write_all(&mut pen, shell_call(LOOP).as_bytes()).unwrap();
    let output = ended(child);
    assert_eq!(decision(&output), "deny"); // what has come is what there is
    drop(pen);
}

#[test]
fn a_home_that_cannot_be_written_does_not_make_it_fail() {
    let home = Sandbox::new();
    home.write("file", "no folder");
    let in_file = home.home().join("file");
    for state in [in_file.to_str().unwrap(), "/proc/wakeful", "/dev/null", "/nonexistent\u{7f}/x"] {
        let mut command = home.wakeful(&["hook", "claude-code"]);
        command.env("WAKEFUL_STATE_DIR", state);
        assert_eq!(decision(&finish(command, shell_call(LOOP).as_bytes())), "deny", "{state}");
        assert!(home.lines().is_empty());
    }
    let mut command = home.wakeful(&["hook", "claude-code"]);
    command.env_remove("HOME");
    assert_eq!(decision(&finish(command, shell_call(LOOP).as_bytes())), "deny");
}

#[test]
fn a_locked_spool_does_not_hold_it() {
    let home = Sandbox::new();
    home.hook("codex", shell_call(PASS).as_bytes());
    let file = std::fs::read_dir(home.spool()).unwrap().next().unwrap().unwrap().path();
    let held = File::open(file).unwrap();
    flock(&held, FlockOperation::LockExclusive).unwrap();
    assert_silent(&home.hook("codex", shell_call(PASS).as_bytes()));
    assert_eq!(std::fs::read_dir(home.spool()).unwrap().count(), 2);
    assert_eq!(home.lines().len(), 2);
}

#[test]
#[cfg(debug_assertions)] // the fault can be asked for in such builds only
fn a_mistake_of_ours_does_not_make_it_fail() {
    let home = Sandbox::new();
    let mut command = home.wakeful(&["hook", "claude-code"]);
    command.env("WAKEFUL_TEST_FAULT", "1");
    assert_silent(&finish(command, shell_call(LOOP).as_bytes()));
    assert!(home.lines().is_empty());
}

#[test]
fn a_hundred_megabytes_are_read_and_not_held() {
    let home = Sandbox::new();
    let response = "x".repeat(100 * 1024 * 1024);
    let payload = format!(
        r#"{{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"make"}},
        "tool_response":{{"stdout":"{response}","backgroundTaskId":"b1"}},"tool_use_id":"t9"}}"#
    );
    // The address space is limited to less than the payload, so holding it would end the program.
    let mut command = home.wakeful(&[]);
    let program = command.get_program().to_owned();
    command = std::process::Command::new("/bin/sh");
    command
        .env_clear()
        .env("HOME", home.home())
        .env("WAKEFUL_NO_DAEMON", "1")
        .args(["-c", "ulimit -v 98304; exec \"$0\" hook claude-code"]);
    command.arg(program);
    assert_silent(&finish(command, payload.as_bytes()));
    let lines = home.lines();
    let [line] = lines.as_slice() else { panic!("{} lines", lines.len()) };
    assert_eq!(line["payload"]["raw"]["tool_response"]["backgroundTaskId"], "b1");
    assert_eq!(line["payload"]["raw"]["tool_use_id"], "t9");
    assert!(line.to_string().len() < 8 * 1024);
}

#[test]
fn settings_say_what_the_guard_does() {
    let said = |settings: &str, command: &str| {
        let home = Sandbox::new();
        home.settings(settings);
        home.hook("claude-code", shell_call(command).as_bytes())
    };
    for off in [
        "[guard]\npolicy = \"off\"\n",
        "[guard]\nrules = { poll-loop = \"off\" }\n",
        "[guard]\nallow = [\"until test -f out/*\"]\n",
        "[guard\n", // unreadable settings let the guard pass
        "[guard]\npolicy = 7\n",
        "[guard]\nunheard_of = true\n",
    ] {
        assert_silent(&said(off, LOOP));
    }
    for on in [
        "",
        "[waits]\nunheard_of = 3\n",
        "[guard]\npolicy = \"strict\"\n",
        "[guard]\nallow = [\"until ./x*\"]\n",
    ] {
        assert_eq!(decision(&said(on, LOOP)), "deny", "{on}");
    }
    assert_eq!(decision(&said("[guard]\npolicy = \"strict\"\n", "sleep 300")), "deny");
    let warned = stdout(&said("[guard]\npolicy = \"warn\"\n", LOOP));
    let warned: Value = serde_json::from_str(&warned).unwrap();
    let said = warned["hookSpecificOutput"].as_object().unwrap();
    assert_eq!(said.keys().collect::<Vec<_>>(), ["additionalContext", "hookEventName"]);
}

#[test]
fn settings_that_are_no_file_do_not_hold_it() {
    let home = Sandbox::new();
    let settings = home.home().join(".config/wakeful/settings.toml");
    std::fs::create_dir_all(&settings).unwrap();
    assert_silent(&home.hook("claude-code", shell_call(LOOP).as_bytes()));
}

#[test]
fn switches_of_the_environment() {
    let home = Sandbox::new();
    let with = |name: &str, value: &str| {
        let mut command = home.wakeful(&["hook", "claude-code"]);
        command.env(name, value);
        finish(command, shell_call(LOOP).as_bytes())
    };
    assert_silent(&with("WAKEFUL_DISABLE_GUARD", "1"));
    assert_eq!(home.lines().len(), 1); // the event itself still counts
    assert_eq!(decision(&with("WAKEFUL_DISABLE_GUARD", "0")), "deny");
    assert_eq!(home.lines().len(), 2);
    assert_eq!(decision(&with("WAKEFUL_SUPERVISED", "1")), "deny");
    assert_eq!(home.lines().len(), 2); // the stream owns a supervised session's events
}

#[test]
fn a_payload_of_cursor_in_claude_codes_hook() {
    let home = Sandbox::new();
    let root = home.home().join("shop");
    let call = cursor_call("preToolUse", LOOP, root.to_str().unwrap());
    // Cursor has no hooks of its own: the hook acts as Cursor's.
    let said: Value = serde_json::from_str(&stdout(&home.hook("claude-code", call.as_bytes()))).unwrap();
    assert_eq!(said["permission"], "deny");
    assert_eq!(home.lines()[0]["client"], "cursor");
    // It has: nothing is printed and nothing recorded, here and in the project.
    let own =
        r#"{"version":1,"hooks":{"preToolUse":[{"command":"/usr/bin/wakeful hook cursor preToolUse"}]}}"#;
    home.write("shop/.cursor/hooks.json", own);
    assert_silent(&home.hook("claude-code", call.as_bytes()));
    std::fs::remove_file(root.join(".cursor/hooks.json")).unwrap();
    home.write(".cursor/hooks.json", own);
    assert_silent(&home.hook("claude-code", call.as_bytes()));
    assert_eq!(home.lines().len(), 1);
    // Another program's hooks there are not ours.
    home.write(".cursor/hooks.json", r#"{"version":1,"hooks":{"stop":[{"command":"notify"}]}}"#);
    assert!(stdout(&home.hook("claude-code", call.as_bytes())).contains("deny"));
}

#[test]
fn many_writers_at_once_lose_nothing() {
    const WRITERS: usize = 50;
    const EVENTS: usize = 20;
    let home = Sandbox::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let home = &home;
            scope.spawn(move || {
                for event in 0..EVENTS {
                    // Some lines are longer than what a pipe takes in one piece.
                    let filler = "f".repeat(if event % 5 == 0 { 9000 } else { 10 });
                    let payload = format!(r#"{{"session_id":"w{writer}","n":{event},"filler":"{filler}"}}"#);
                    assert_silent(&home.hook("codex", payload.as_bytes()));
                }
            });
        }
    });
    let lines = home.lines(); // every line is intact, or this panics
    let mut seen: Vec<(String, u64)> = lines
        .iter()
        .map(|line| {
            let payload = &line["payload"]["raw"];
            (payload["session_id"].as_str().unwrap().to_owned(), payload["n"].as_u64().unwrap())
        })
        .collect();
    seen.sort();
    seen.dedup();
    assert_eq!((lines.len(), seen.len()), (WRITERS * EVENTS, WRITERS * EVENTS));
    let mut ids: Vec<&str> = lines.iter().map(|line| line["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), WRITERS * EVENTS);
}
