//! Judged turn ends, written by someone who had not seen the rules: each is read as its judge read it.
//!
//! `fresh_a.jsonl` was used to mend the rules; `fresh_b.jsonl` was read once, after that, to measure them. A line with
//! `known` is one that is still misread and says why: it must stay misread, so that whoever mends it takes the mark off.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::Value;
use wakeful_core::reading::Reading;
use wakeful_prose::{Context, Rules, read};

/// Whether the reading allows that the turn end is held: the part of the ladder (spec 10) that such a line allows.
fn held(line: &Value, reading: &Reading) -> bool {
    let live: Vec<&str> = line["live"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let listed = line["lists"] == true;
    if reading.asks_user.is_some() {
        return false;
    }
    if line["scheduled_wake"] == true || live.iter().any(|kind| *kind != "command") {
        return true;
    }
    if !live.is_empty() && (reading.waits_somewhere.is_some() || reading.closes.is_none()) {
        return true;
    }
    let backed = |wait: &wakeful_core::reading::WaitWords| {
        line["client"] == "claude-code" && (!listed || wait.names_external && wait.names_mechanism.is_none())
    };
    reading.wait.as_ref().is_some_and(backed)
}

fn check(name: &str, cases: &str) {
    let mut wrong = Vec::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let reading = read(Rules::built_in(), case["text"].as_str().unwrap(), &Context::default());
        let right = match case["verdict"].as_str().unwrap() {
            "wait" => held(&case, &reading),
            "question" | "done" | "unbacked" => !held(&case, &reading),
            verdict => {
                assert_eq!(verdict, "mixed", "{line}");
                continue;
            }
        };
        if right == case["known"].is_string() {
            wrong.push(format!("{} (right: {right})", case["id"]));
        }
    }
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
}

#[test]
fn fresh_cases_are_read_as_they_were_judged() {
    check("fresh_a", include_str!("../cases/fresh_a.jsonl"));
    check("fresh_b", include_str!("../cases/fresh_b.jsonl"));
    check("fresh", include_str!("../cases/fresh.jsonl"));
}
