//! `wakeful list`, `show`, `wait` and `status-line` over a spool.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, ended, finish, stdout};

/// 2027-01-15T08:00:00Z.
const START: i64 = 1_800_000_000_000;

/// A spool with what these clients wrote, so many seconds after the start.
fn recorded(events: &[(i64, Value)]) -> Sandbox {
    let home = Sandbox::new();
    let mut text = String::new();
    for (n, (secs, payload)) in events.iter().enumerate() {
        let at = json!({"wall": START + secs * 1000, "boot": 1_000_000 + secs * 1000, "boot_id": 9});
        let id = format!("{n:026}");
        let line = json!({"v": 1, "id": id, "client": "claude-code", "at": at, "payload": {"raw": payload}});
        text.push_str(&format!("{line}\n"));
    }
    home.write(".local/state/wakeful/spool/2027-01-15.jsonl", &text);
    home
}

fn start(id: &str, folder: &str) -> Value {
    json!({"session_id": id, "hook_event_name": "SessionStart", "source": "startup", "cwd": format!("/home/eve/{folder}")})
}

fn prompt(id: &str, turn: &str, text: &str) -> Value {
    json!({"session_id": id, "hook_event_name": "UserPromptSubmit", "prompt_id": turn, "prompt": text})
}

fn stop(id: &str, turn: &str, said: &str, tasks: &[Value]) -> Value {
    json!({"session_id": id, "hook_event_name": "Stop", "prompt_id": turn, "stop_hook_active": false,
        "last_assistant_message": said, "background_tasks": tasks, "session_crons": []})
}

/// Five sessions: one asks, one is done, one waits, one works, one is over.
fn morning() -> Sandbox {
    let task = json!({"id": "b1", "type": "subagent", "status": "running", "description": "review the cart"});
    recorded(&[
        (0, start("4f2a-asks", "shop")),
        (1, prompt("4f2a-asks", "p1", "add a cart to the shop")),
        (2, start("9c1b-waits", "shop")),
        (3, prompt("9c1b-waits", "p2", "review what is there")),
        (4, start("9c7d-works", "blog")),
        (5, prompt("9c7d-works", "p3", "write about carts")),
        (6, start("d00d-done", "blog")),
        (7, prompt("d00d-done", "p4", "fix the typo on the front page")),
        (8, start("e4d0-over", "attic")),
        (
            9,
            json!({"session_id": "e4d0-over", "hook_event_name": "SessionEnd", "reason": "prompt_input_exit"}),
        ),
        (60, stop("4f2a-asks", "p1", "There are two tables. Which one shall I use for the cart?", &[])),
        (90, stop("9c1b-waits", "p2", "The review runs. I'll go on when it reports back.", &[task])),
        (120, stop("d00d-done", "p4", "Fixed the typo and pushed it.", &[])),
    ])
}

const AT: &str = "--now=2027-01-15T08:10:00Z";

fn said(home: &Sandbox, args: &[&str]) -> String {
    let output = finish(home.wakeful(args), b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    stdout(&output)
}

#[test]
fn the_list_section_by_section() {
    let home = morning();
    insta::assert_snapshot!("list", said(&home, &["list", AT]));
    assert_eq!(said(&home, &["status-line", AT]), "2 need you, 1 waiting, 1 working\n");
}

#[test]
fn timers_fire_and_what_is_long_over_is_left_out() {
    let home = morning();
    let later = said(&home, &["list", "--now=2027-01-15T09:30:00Z"]);
    insta::assert_snapshot!("list_later", later);
    assert!(said(&home, &["list", "--all", "--now=2027-01-15T09:30:00Z"]).contains("e4d0"));
    assert_eq!(said(&home, &["status-line", "--now=2027-01-15T09:30:00Z"]), "4 need you\n");
}

/// Status of the session that waits, under these settings and this variable.
fn of_the_waiting_one(text: &str, variable: Option<(&str, &str)>, now: &str) -> (Value, String) {
    let home = morning();
    home.settings(text);
    let mut command = home.wakeful(&["list", "--json", now]);
    command.envs(variable);
    let output = finish(command, b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let listed: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let sessions = listed["sessions"].as_array().unwrap();
    let waiting = sessions.iter().find(|session| session["id"] == "9c1b-waits").unwrap();
    (waiting["status"].clone(), String::from_utf8(output.stderr).unwrap())
}

/// The wait began at 08:01:30; the cap is 30 minutes by default.
#[test]
fn the_list_goes_by_the_settings_in_force() {
    let short = "waits.auto_wait_minutes = 5\n";
    let longer = ("WAKEFUL_WAITS_AUTO_WAIT_MINUTES", "20");
    for (text, variable, now, status) in [
        ("", None, AT, "waiting"),
        (short, None, AT, "needs_you"),
        (short, Some(longer), AT, "waiting"),
        (short, Some(longer), "--now=2027-01-15T08:22:00Z", "needs_you"),
        // T1: no number arms a timer that fires at once.
        ("waits.auto_wait_minutes = 0\n", None, "--now=2027-01-15T08:31:00Z", "waiting"),
    ] {
        let (got, err) = of_the_waiting_one(text, variable, now);
        assert_eq!((got, err.as_str()), (status.into(), ""), "{text} {variable:?} {now}");
    }
}

#[test]
fn settings_at_fault_are_said_in_one_line_and_the_defaults_are_in_force() {
    let (status, err) = of_the_waiting_one("[waits]\nauto_wait_minute = 5\n", None, AT);
    assert_eq!((status, err.lines().count()), ("waiting".into(), 1), "{err}");
    let says =
        "line 2, column 1: unknown key `waits.auto_wait_minute`; did you mean `waits.auto_wait_minutes`?";
    assert!(err.contains(says) && err.ends_with("the defaults are in force\n"), "{err}");
}

#[test]
fn the_list_as_json() {
    let home = morning();
    let mut listed: Value = serde_json::from_str(&said(&home, &["list", "--json", AT])).unwrap();
    // Which rule it was is not what this is about, and rules change.
    for session in listed["sessions"].as_array_mut().unwrap() {
        if let Some(decision) = session["decision"].as_object_mut() {
            decision.insert("rule".to_owned(), "(some)".into());
            decision.insert("words".to_owned(), "(some)".into());
        }
    }
    insta::assert_snapshot!("list_json", serde_json::to_string_pretty(&listed).unwrap());
}

#[test]
fn one_session_with_its_timeline() {
    let home = morning();
    let text = said(&home, &["show", "9c1b", AT]);
    let without_rule: Vec<&str> = text.lines().map(|line| line.split(", rule ").next().unwrap()).collect();
    insta::assert_snapshot!("show", without_rule.join("\n"));
    let shown: Value =
        serde_json::from_str(&said(&home, &["show", "claude-code/4f2a", "--json", AT])).unwrap();
    assert_eq!((&shown["version"], &shown["session"]["id"]), (&1.into(), &"4f2a-asks".into()));
    let timeline = shown["timeline"].as_array().unwrap();
    assert_eq!(timeline.iter().filter(|moment| moment["decision"]["gate"] == "question").count(), 1);
    assert_eq!(timeline.iter().filter(|moment| moment["notified"] == "question").count(), 1);
}

#[test]
fn names_of_sessions() {
    let home = morning();
    let failed = |given: &str| {
        let output = finish(home.wakeful(&["show", given, AT]), b"");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = failed("9c");
    assert_eq!(code, Some(2));
    insta::assert_snapshot!(said, @r"
    wakeful: `9c` could be any of 2
      claude-code/9c1b-waits  shop  review what is there
      claude-code/9c7d-works  blog  write about carts
    ");
    for given in ["", "zz", "codex/9c1b"] {
        assert_eq!(failed(given).0, Some(2), "{given}");
    }
}

#[test]
fn an_empty_home_is_an_empty_list() {
    let home = Sandbox::new();
    assert!(said(&home, &["list"]).starts_with("No sessions."));
    assert_eq!(said(&home, &["status-line"]), "\n");
    let listed: Value = serde_json::from_str(&said(&home, &["list", "--json"])).unwrap();
    assert_eq!(listed["sessions"], json!([]));
}

#[test]
fn what_cannot_be_read_is_said() {
    let home = morning();
    let path = home.spool().join("2027-01-15.jsonl");
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"v\":99,\"new\":true}\nrubbish\n{\"v\":1,\"id\":\"x\",\"cli");
    std::fs::write(&path, text).unwrap();
    assert!(said(&home, &["list", AT]).ends_with("3 events could not be read; --json says why\n"));
    let listed: Value = serde_json::from_str(&said(&home, &["list", "--json", AT])).unwrap();
    assert_eq!((&listed["unread"]["damaged"], &listed["unread"]["other_version"]), (&2.into(), &1.into()));
}

/// A session that really runs now, as far as its hooks tell.
fn live(home: &Sandbox, payload: &Value) {
    let output = with_pid(home, payload, std::process::id());
    assert_eq!(output.status.code(), Some(0));
}

fn with_pid(home: &Sandbox, payload: &Value, pid: u32) -> Output {
    let mut command = home.wakeful(&["hook", "claude-code"]);
    command.env("CLAUDE_PID", pid.to_string());
    finish(command, payload.to_string().as_bytes())
}

#[test]
fn waiting_ends_when_the_state_is_reached() {
    let home = Sandbox::new();
    live(&home, &start("77aa", "shop"));
    live(&home, &prompt("77aa", "p1", "add a cart"));
    let code = |args: &[&str]| finish(home.wakeful(args), b"").status.code();
    assert_eq!(code(&["wait", "77aa", "--until", "working"]), Some(0));
    assert_eq!(code(&["wait", "77", "--until", "ended,idle,working"]), Some(11));
    assert_eq!(code(&["wait", "77aa", "--timeout", "0s"]), Some(1));
    assert_eq!(code(&["wait", "88"]), Some(2));
    assert_eq!(code(&["wait", "77aa", "--until", "finished"]), Some(2));

    let mut command = home.wakeful(&["wait", "77aa", "--timeout", "50s"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let waiting = command.spawn().unwrap();
    live(&home, &stop("77aa", "p1", "The cart is there.", &[]));
    let output = ended(waiting);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), "77aa  shop  needs_you (done)\n"));
}

#[test]
fn a_client_that_is_gone_in_the_middle_of_a_turn() {
    let home = Sandbox::new();
    let mut gone =
        Command::new(env!("CARGO_BIN_EXE_wakeful")).arg("--version").stdout(Stdio::null()).spawn().unwrap();
    gone.wait().unwrap();
    with_pid(&home, &start("77aa", "shop"), gone.id());
    with_pid(&home, &prompt("77aa", "p1", "add a cart"), gone.id());
    let listed: Value = serde_json::from_str(&said(&home, &["list", "--json"])).unwrap();
    let session = &listed["sessions"][0];
    assert_eq!((&session["status"], &session["reason"]), (&"needs_you".into(), &"orphaned".into()));
    // The user goes on with it in a new process.
    live(
        &home,
        &json!({"session_id": "77aa", "hook_event_name": "SessionStart", "source": "resume", "cwd": "/home/eve/shop"}),
    );
    live(&home, &prompt("77aa", "p2", "go on"));
    assert_eq!(said(&home, &["status-line"]), "1 working\n");
}
