//! What playing a transcript makes of it: timers in its own time, forks, processes that went, commands.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;

use serde_json::{Value, json};
use wakeful_core::ids::RuleId;
use wakeful_core::ledger::Backing;
use wakeful_core::reading::{Question, Reading, WaitWords};
use wakeful_core::time::{Now, Wall};
use wakeful_replay::files::find_in;
use wakeful_replay::play::{Options, Tools, replay};
use wakeful_replay::report::{Decided, Report};
use wakeful_replay::truth::Label;

const START: i64 = 1_768_208_400_000; // 2026-01-12T09:00:00Z

/// A reader that knows a few fixed words.
fn read(text: &str, _: Now) -> Reading {
    let id = RuleId::new;
    let words = text.contains("waiting").then(|| WaitWords {
        rule: id("waiting"),
        words: "waiting".to_owned(),
        names_external: text.contains("pipeline"),
        names_mechanism: None,
    });
    let asks = text.contains("tell me which");
    Reading {
        asks_user: asks.then(|| Question { snippet: text.to_owned(), rule: id("tell-me") }),
        wait: words.clone(),
        waits_somewhere: words,
        closes: text.contains("done").then(|| id("done")),
        ..Reading::default()
    }
}

/// Writes a transcript line by line.
struct Session {
    id: &'static str,
    lines: Vec<Value>,
    calls: usize,
}

impl Session {
    fn new(id: &'static str) -> Self {
        Self { id, lines: Vec::new(), calls: 0 }
    }

    fn line(mut self, minutes: i64, kind: &str, more: &Value) -> Self {
        let at = jiff::Timestamp::from_millisecond(START + minutes * 60_000).unwrap();
        let mut line = json!({"type": kind, "isSidechain": false, "sessionId": self.id, "uuid": format!("u{}", self.lines.len()),
            "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.lines.push(line);
        self
    }

    fn prompt(self, minutes: i64, origin: &str, text: &str) -> Self {
        let id = format!("p{minutes}");
        let more =
            json!({"promptId": id, "turnOrigin": origin, "message": {"role": "user", "content": text}});
        self.line(minutes, "user", &more)
    }

    fn user(self, minutes: i64, text: &str) -> Self {
        self.prompt(minutes, "human", text)
    }

    /// A task ended, and its wake starts.
    fn wake(self, minutes: i64, task: &str) -> Self {
        let text = format!(
            "<task-notification>\n<task-id>{task}</task-id>\n<status>completed</status>\n<summary>over</summary>\n</task-notification>"
        );
        self.prompt(minutes, "task_notification", &text)
    }

    fn says(self, minutes: i64, text: &str) -> Self {
        let message = json!({"id": format!("m{minutes}"), "role": "assistant", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text}]});
        self.line(minutes, "assistant", &json!({"message": message}))
    }

    fn runs(mut self, minutes: i64, command: &str, result: &Value) -> Self {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let input = json!({"command": command, "description": command});
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": input});
        let message = json!({"id": format!("c{id}"), "role": "assistant", "stop_reason": "tool_use", "content": [call]});
        let ended = json!({"type": "tool_result", "tool_use_id": id, "content": "…"});
        self.line(minutes, "assistant", &json!({"message": message})).line(
            minutes,
            "user",
            &json!({"toolUseResult": result, "message": {"role": "user", "content": [ended]}}),
        )
    }

    fn starts(self, minutes: i64, task: &str) -> Self {
        self.runs(minutes, "make all", &json!({"stdout": "", "backgroundTaskId": task}))
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn play(&self) -> (Report, Vec<Decided>) {
        self.play_with(&Options::default())
    }

    fn play_with(&self, options: &Options) -> (Report, Vec<Decided>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.jsonl"), self.text()).unwrap();
        play(dir.path(), options)
    }
}

fn play(folder: &Path, options: &Options) -> (Report, Vec<Decided>) {
    let mut out = Vec::new();
    let tools =
        Tools { read: &read, never_ends: &|_| None, refuses: &|command| command.starts_with("until") };
    let found = find_in(&[folder.to_path_buf()], &[]);
    let report = replay(&found, options, tools, &|_| {}, Some(&mut out)).unwrap();
    let lines = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    (report, lines.map(|line| serde_json::from_slice(line).unwrap()).collect())
}

#[test]
fn a_wait_that_its_wake_ends_is_a_ping_saved() {
    let session = Session::new("s").user(0, "Build it.").starts(0, "b1").says(1, "The build runs.");
    let (report, decided) = session.wake(20, "b1").says(21, "All done.").play();
    assert_eq!((report.waits(), report.pings_saved, report.lost_wakes), (1, 1, 0));
    assert_eq!((decided[0].gate.name(), decided[0].label), ("live-work", Label::Right));
    assert_eq!(decided[0].held[0].label, "make all");
    assert!(decided[0].reconstructed && report.reconstructed == 2);
    assert_eq!((report.hours_kept_out, report.hours_waiting_unseen), (0.3, 0.0));
    assert_eq!(report.truth.precision, Some(1.0));
}

#[test]
fn a_cap_runs_out_in_the_time_of_the_transcript() {
    // The cap is 30 minutes. A wake after it is late, but not lost.
    let session = || Session::new("s").user(0, "Build it.").starts(0, "b1").says(1, "The build runs.");
    let (report, decided) = session().wake(50, "b1").says(51, "All done.").play();
    let surfaced = decided[0].surfaced.unwrap();
    assert_eq!((surfaced.reason.name(), surfaced.after_ms), ("wait_timeout", 30 * 60_000));
    assert_eq!((report.pings_saved, report.lost_wakes), (0, 0));
    assert_eq!(decided[0].label, Label::Right);
    assert_eq!(report.surfaced_later.get("wait_timeout"), Some(&1));
    // Where nothing came and the user had to write, it is lost.
    let (report, decided) = session().user(90, "Well?").says(91, "All done.").play();
    assert_eq!((report.lost_wakes, report.hours_waiting_unseen), (1, 1.5));
    assert_eq!(decided[0].label, Label::Wrong);
    // A user who writes before the bound proves nothing.
    let (report, decided) = session().user(5, "By the way.").says(6, "I see.").play();
    assert_eq!((report.lost_wakes, decided[0].label), (0, Label::Unknown));
}

#[test]
fn nothing_is_concluded_from_the_end_of_a_transcript_unless_it_is_known_to_be_complete() {
    let session = Session::new("s").user(0, "Build it.").starts(0, "b1").says(1, "The build runs.");
    let (report, decided) = session.play();
    assert_eq!((report.open_at_end, report.lost_wakes, report.pings_saved), (1, 0, 1));
    assert_eq!((decided[0].next.what.as_str(), decided[0].next.after_ms), ("end", None));
    let as_of = Some(Wall(START + 600 * 60_000));
    let (report, decided) = session.play_with(&Options { as_of, ..Options::default() });
    assert_eq!((report.open_at_end, report.lost_wakes, report.pings_saved), (1, 1, 0));
    assert_eq!(decided[0].surfaced.unwrap().reason.name(), "wait_timeout");
}

#[test]
fn a_question_beside_running_work_is_hidden_and_one_without_is_not() {
    let asks = "It runs; tell me which branch.";
    let session = Session::new("s").user(0, "Build it.").says(1, asks);
    let (report, _) = session.starts(2, "b1").says(3, asks).user(123, "main").says(124, "done").play();
    assert_eq!(report.hidden_questions, 1);
    assert_eq!(report.needs_you.get("question"), Some(&2));
    assert_eq!(report.hours_waiting_unseen, 2.0);
}

#[test]
fn a_question_that_the_rules_miss_and_the_user_answers_is_a_wait_that_was_wrong() {
    let session = Session::new("s").user(0, "Build it.").starts(0, "b1");
    let (report, decided) =
        session.says(1, "Postgres or SQLite? The build runs.").user(9, "SQLite").says(10, "ok").play();
    assert_eq!((decided[0].label, report.disagreements.len()), (Label::Wrong, 1));
    assert_eq!(report.cases[0], decided[0]);
    assert_eq!(report.truth.precision, Some(0.0));
}

#[test]
fn a_promise_with_nothing_behind_it() {
    let session = Session::new("s").user(0, "Deploy.").says(1, "I am waiting.").user(61, "Well?");
    let (report, decided) =
        session.says(62, "The pipeline runs; waiting.").user(92, "Well?").says(93, "done").play();
    assert_eq!((report.unbacked_waits, decided[0].backing), (1, Some(Backing::Unbacked)));
    // What names something outside is held for the external window, and is lost if nothing comes.
    assert_eq!((decided[1].verdict.as_str(), decided[1].backing), ("waiting", Some(Backing::External)));
    assert_eq!(decided[1].surfaced.unwrap().after_ms, 10 * 60_000);
    assert_eq!((report.lost_wakes, report.hours_waiting_unseen), (1, 1.5));
}

#[test]
fn a_process_that_went_takes_its_waits_along() {
    let gone = "<task-notification>\n<task-id>b1</task-id>\n<status>stopped</status>\n<summary>Background shell command \
                didn't finish before the previous session ended</summary>\n</task-notification>";
    let session = Session::new("s").user(0, "Build it.").starts(0, "b1").says(1, "The build runs.");
    let session = session.line(9, "queue-operation", &json!({"operation": "enqueue", "content": gone}));
    let session = session.line(9, "queue-operation", &json!({"operation": "dequeue"}));
    let (report, decided) = session.user(10, "And?").says(11, "done").play();
    assert_eq!((report.lost_wakes, report.turn_ends), (1, 2));
    assert!(decided[0].lost_wake && decided[0].label == Label::Unknown);
}

#[test]
fn what_a_fork_copied_is_decided_once() {
    let dir = tempfile::tempdir().unwrap();
    let first = Session::new("first")
        .user(0, "Build it.")
        .runs(0, "until false; do :; done", &json!({}))
        .says(1, "done");
    let mut fork = Session::new("fork").line(
        30,
        "queue-operation",
        &json!({"operation": "enqueue", "content": "go on"}),
    );
    fork.lines.extend(first.lines.iter().cloned());
    let fork = fork.user(31, "go on").says(32, "done");
    std::fs::write(dir.path().join("a.jsonl"), first.text()).unwrap();
    std::fs::write(dir.path().join("b.jsonl"), fork.text()).unwrap();
    let (report, _) = play(dir.path(), &Options::default());
    assert_eq!((report.files, report.sessions, report.turn_ends, report.guard_refusals), (2, 2, 2, 1));
}

#[test]
fn commands_that_the_guard_refuses_are_counted() {
    let session =
        Session::new("s").user(0, "Check it.").runs(1, "until curl x; do sleep 5; done", &json!({}));
    let session = session.runs(2, "curl x", &json!({})).says(3, "\\\"Bash\\\" until done");
    let session =
        session.user(5, "until then: Bash").runs(6, "until false; do :; done", &json!({})).says(7, "done");
    assert_eq!(session.play().0.guard_refusals, 2);
    let since = Some(Wall(START + 4 * 60_000));
    assert_eq!(session.play_with(&Options { since, ..Options::default() }).0.guard_refusals, 1);
}

#[test]
fn an_interrupted_turn_is_neither() {
    let interrupted = json!({"message": {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}});
    let session =
        Session::new("s").user(0, "Build it.").runs(1, "make", &json!({})).line(2, "user", &interrupted);
    let (report, decided) = session.user(3, "Better not.").says(4, "done").play();
    assert_eq!((report.turn_ends, report.idle, report.surfaced(), report.waits()), (2, 1, 1, 0));
    assert_eq!((decided[0].verdict.as_str(), decided[0].label), ("idle", Label::Unknown));
    let truth = &report.truth;
    assert_eq!(truth.right + truth.wrong + truth.unknown, report.turn_ends);
}
