//! Judged turn ends, each in the words of its writer and not of the corpus: each must be read as it was judged.
//!
//! | file | what it is |
//! |---|---|
//! | `fresh_a.jsonl` | written by someone who had not seen the rules; then the rules were mended with it |
//! | `fresh_b.jsonl` | the same; read once, to measure, after `fresh_a`. Later changes have been checked against it, and misreadings in it were mended |
//! | `fresh.jsonl` | an older set, also written without the rules in view; the rules have been mended with it since |
//! | `fresh_c.jsonl` | the newest, everyday subjects, many questions that look like waits. Read once to measure, then its kinds were mended |
//! | `seen.jsonl`, `held_out.jsonl` | the first two sets; `benches/read.rs` reads them too |
//!
//! So none of them is unseen any more: they guard against going back, and say nothing of how well new messages are
//! read. A line with `known` is one that is still misread and says why: it must stay misread, so that whoever mends it
//! takes the mark off.
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
    check("fresh_c", include_str!("../cases/fresh_c.jsonl"));
    check("fresh", include_str!("../cases/fresh.jsonl"));
    check("seen", include_str!("../cases/seen.jsonl"));
    check("held_out", include_str!("../cases/held_out.jsonl"));
}
