//! Rollouts of Codex: where they are found, and what is reported of them.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use wakeful_core::ids::Client;
use wakeful_core::settings::MatchMode;
use wakeful_core::time::Now;
use wakeful_prose::Rules;
use wakeful_replay::files::{Places, find, find_in};
use wakeful_replay::play::{Options, Tools, replay};
use wakeful_replay::readers;
use wakeful_replay::report::Report;

const FIRST: &str = "01a2dfed-4a80-7c00-8f00-000000000001";
const SECOND: &str = "01a2e000-0000-7c00-8f00-000000000002";
const HELPER: &str = "01a2e000-1000-7c00-8f00-000000000003";

/// Writes a rollout into `home`, a line a second.
fn rollout(home: &Path, session: &str, lines: &[(&str, Value)]) {
    let folder = home.join("sessions/2027/01/04");
    fs::create_dir_all(&folder).unwrap();
    let text: String = lines
        .iter()
        .enumerate()
        .map(|(second, (kind, payload))| {
            let timestamp = format!("2027-01-04T09:00:{second:02}.000Z");
            format!("{}\n", json!({"timestamp": timestamp, "type": kind, "payload": payload}))
        })
        .collect();
    fs::write(folder.join(format!("rollout-2027-01-04T09-00-00-{session}.jsonl")), text).unwrap();
}

fn meta(session: &str, source: &Value) -> (&'static str, Value) {
    ("session_meta", json!({"id": session, "cwd": "/home/ada/shop", "source": source}))
}

fn turn(id: &str, prompt: &str, command: Option<&str>, last: &str) -> Vec<(&'static str, Value)> {
    let event = |fields: Value| ("event_msg", fields);
    let user = json!({"type": "UserMessage", "content": [{"type": "text", "text": prompt}]});
    let mut lines = vec![
        event(json!({"type": "task_started", "turn_id": id})),
        event(json!({"type": "item_completed", "turn_id": id, "item": user})),
    ];
    if let Some(command) = command {
        let arguments = json!({"cmd": command}).to_string();
        let call =
            json!({"type": "function_call", "name": "exec_command", "call_id": "c", "arguments": arguments});
        let output = "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n";
        let output = json!({"type": "function_call_output", "call_id": "c", "output": output});
        lines.extend([("response_item", call), ("response_item", output)]);
    }
    let said =
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": last}]});
    lines.push(("response_item", said));
    lines.push(event(json!({"type": "task_complete", "turn_id": id, "last_agent_message": last})));
    lines
}

/// Two sessions and a helper's file.
fn write(home: &Path) {
    let mut first = vec![meta(FIRST, &json!("cli"))];
    let waits = "The build is running; I will report back when it finishes.";
    first.extend(turn("t1", "Start the build", Some("while ! test -f done; do sleep 5; done"), waits));
    first.extend(turn("t2", "And?", None, "It is built."));
    rollout(home, FIRST, &first);
    let mut second = vec![meta(SECOND, &json!("vscode"))];
    second.extend(turn("t3", "Print the labels", None, "Should I print them on plain paper?"));
    rollout(home, SECOND, &second);
    let mut helper = vec![meta(HELPER, &json!({"subagent": {"thread_spawn": {"depth": 1}}}))];
    helper.extend(turn("t4", "Count", None, "Which ones?"));
    rollout(home, HELPER, &helper);
}

fn report(found: &wakeful_replay::files::Found, options: &Options) -> Report {
    let read = |text: &str, now: Now| {
        readers::read(Rules::built_in(), text, MatchMode::Precise, &TimeZone::UTC, now)
    };
    let tools = Tools { read: &read, never_ends: &readers::never_ends, refuses: &readers::refuses };
    replay(found, options, tools, &|_| {}, None).unwrap()
}

#[test]
fn rollouts_are_found_in_the_home_folder_or_where_the_variable_says() {
    let home = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    write(&home.path().join(".codex"));
    rollout(other.path(), FIRST, &[meta(FIRST, &json!("cli"))]);
    let in_home = find(&Places { home: Some(home.path()), env: &|_| None }, &[]);
    assert_eq!(in_home.sources.len(), 3);
    assert!(in_home.sources.iter().all(|source| source.client == Client::Codex));
    let env = |name: &str| (name == "CODEX_HOME").then(|| OsString::from(other.path()));
    let elsewhere = find(&Places { home: Some(home.path()), env: &env }, &[Client::Codex]);
    assert_eq!(elsewhere.sources.len(), 1);
    let none = find(&Places { home: Some(home.path()), env: &|_| None }, &[Client::ClaudeCode]);
    assert!(none.sources.is_empty());
}

#[test]
fn the_report_of_two_rollouts() {
    let home = tempfile::tempdir().unwrap();
    write(home.path());
    let found = find_in(&[home.path().to_owned()], &[]);
    let all = report(&found, &Options::default());
    assert_eq!((all.files, all.sessions, all.turn_ends), (2, 2, 3));
    let reasons: Vec<_> = all.needs_you.iter().map(|(reason, count)| (reason.as_str(), *count)).collect();
    assert_eq!(reasons, [("done", 1), ("question", 1), ("unbacked_wait", 1)]);
    assert!(all.waiting.is_empty(), "nothing wakes a session of Codex");
    assert_eq!((all.unbacked_waits, all.guard_refusals), (1, 1));
    assert_eq!(all.skipped.iter().collect::<Vec<_>>(), [(&"subagent".to_owned(), &1)]);
    assert!(all.unknown.is_empty(), "{:?}", all.unknown);
    assert!(all.cases[0].message.contains("The build is running"));
    assert_eq!(all.cases[0].line, 6, "where the agent said it");
    let one = report(&found, &Options { session: Some(SECOND[..12].to_owned()), ..Options::default() });
    assert_eq!((one.files, one.turn_ends), (1, 1));
    assert_eq!(one.skipped.get("other_session"), Some(&2));
}
