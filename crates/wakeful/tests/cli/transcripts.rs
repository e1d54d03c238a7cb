//! The sessions of `tests/transcripts`: what is decided at each of their turn ends.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

use crate::environment::{World, transcripts};

/// File, and gate and verdict of each turn end in order, worked out from spec 10 and 40 by hand.
pub const DECISIONS: &[(&str, &[&str])] = &[
    // The failed turn surfaces; the limit is a reason of its own.
    ("api-error-then-again", &["failure needs_you failed", "done needs_you done", "failure needs_you limit"]),
    ("background-build-comes-back", &["live-work waiting", "done needs_you done", "done needs_you done"]),
    // An interruption opens no item.
    ("interrupted-by-the-user", &["failure idle", "done needs_you done"]),
    // The death at the limit wakes the agent, which then asks.
    ("killed-at-its-limit", &["live-work waiting", "question needs_you question"]),
    // A line of the monitor is not its end.
    ("monitor-events-and-end", &["live-work waiting", "live-work waiting", "done needs_you done"]),
    // Nothing alive: words alone; CI named: external, held for a while.
    (
        "promise-with-nothing-behind-it",
        &["prose-wait needs_you unbacked_wait", "prose-wait waiting", "done needs_you done"],
    ),
    // A question inside a wait is still a question.
    (
        "question-beside-a-command",
        &["question needs_you question", "live-work waiting", "done needs_you done"],
    ),
    // The task went with its process: nothing waits after the resume.
    ("resume-after-a-kill", &["live-work waiting", "done needs_you done"]),
    ("scheduled-wakeup", &["scheduled-wake waiting", "done needs_you done"]),
    // A dev server holds nothing.
    ("server-left-running", &["done needs_you done", "done needs_you done"]),
    ("subagent-reports", &["live-work waiting", "done needs_you done"]),
    // The report was folded into the turn: nothing is owed at its end.
    ("task-ends-mid-turn", &["done needs_you done"]),
];

/// The decisions of each transcript, in order. Read once: all tests here look at the same run.
fn decided(name: &str) -> &'static [Value] {
    static ALL: LazyLock<BTreeMap<String, Vec<Value>>> = LazyLock::new(replayed);
    ALL.get(name).unwrap()
}

fn replayed() -> BTreeMap<String, Vec<Value>> {
    let world = World::new();
    for (name, text) in transcripts() {
        world.file(&format!("sessions/{name}.jsonl"), &text);
    }
    let ran = world.run(["replay", "--tz", "UTC", "--out", "decisions.jsonl", "sessions"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in std::fs::read_to_string(world.root().join("decisions.jsonl")).unwrap().lines() {
        let decision: Value = serde_json::from_str(line).unwrap();
        let name = Path::new(decision["file"].as_str().unwrap()).file_stem().unwrap().to_str().unwrap();
        all.entry(name.to_owned()).or_default().push(decision);
    }
    all
}

#[test]
fn each_turn_end_is_decided_as_the_spec_says() {
    for (name, expected) in DECISIONS {
        let words = |decision: &Value| {
            let of = |key: &str| decision[key].as_str().map(str::to_owned);
            [of("gate"), of("verdict"), of("reason")].into_iter().flatten().collect::<Vec<_>>().join(" ")
        };
        let got: Vec<String> = decided(name).iter().map(words).collect();
        assert_eq!(got, *expected, "{name}");
    }
}

#[test]
fn a_decision_stands_on_the_line_of_its_message() {
    for (name, text) in transcripts() {
        let lines: Vec<&str> = text.lines().collect();
        let mut starts = vec![0];
        for line in &lines {
            starts.push(starts[starts.len() - 1] + line.len() + 1);
        }
        for decision in decided(&name) {
            let at = usize::try_from(decision["line"].as_u64().unwrap()).unwrap() - 1;
            assert_eq!(decision["offset"], starts[at], "{name}:{}", at + 1);
            let said: Value = serde_json::from_str(lines[at]).unwrap();
            assert!(matches!(said["type"].as_str(), Some("assistant" | "user")), "{name}:{}", at + 1);
        }
    }
}

#[test]
fn what_followed_labels_the_decisions() {
    let rows = [
        ("background-build-comes-back", 0, "right"),
        ("scheduled-wakeup", 0, "right"),
        ("promise-with-nothing-behind-it", 0, "right"),
        ("promise-with-nothing-behind-it", 1, "wrong"),
        ("resume-after-a-kill", 0, "unknown"),
        ("task-ends-mid-turn", 0, "unknown"),
    ];
    for (name, at, label) in rows {
        assert_eq!(decided(name)[at]["label"], label, "{name} {at}");
    }
}

#[test]
fn what_is_easy_to_miss_is_marked() {
    let marked = |key: &str| -> Vec<String> {
        let all = DECISIONS.iter().flat_map(|(name, _)| {
            let decisions = decided(name).iter().enumerate();
            decisions.filter(|(_, decision)| decision[key] == true).map(move |(at, _)| format!("{name} {at}"))
        });
        all.collect()
    };
    assert_eq!(marked("hidden_question"), ["question-beside-a-command 0"]);
    assert_eq!(marked("unbacked_wait"), ["promise-with-nothing-behind-it 0"]);
    assert_eq!(marked("lost_wake"), ["promise-with-nothing-behind-it 1", "resume-after-a-kill 0"]);
}
