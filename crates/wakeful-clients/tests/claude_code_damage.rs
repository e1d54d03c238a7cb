//! No damage to a payload panics, and none makes a wait of what was a question (spec 00, the first principle).

mod support;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;
use support::damage::{Damage, asks, could_wait, damages, hook_files, paths, payloads, render, shape};
use support::translate_bytes;
use wakeful_clients::claude_code::transcript::{Mode, TranscriptTranslator};
use wakeful_core::event::{Event, EventKind};

/// A list that came out shorter than it is without being refused as a whole.
fn shortened(before: &[Event], after: &[Event]) -> bool {
    let lengths = |events: &[Event]| {
        events.iter().find_map(|event| match &event.kind {
            EventKind::TurnEnded(end) => {
                Some((end.roster.tasks.as_ref()?.len(), end.roster.wakes.as_ref()?.len()))
            }
            _ => None,
        })
    };
    match (lengths(before), lengths(after)) {
        (Some(before), Some(after)) => after.0 < before.0 || after.1 < before.1,
        _ => false,
    }
}

/// Damages `payload` in every way; returns how many there were.
fn damage_all(payload: &Value) -> usize {
    let before = translate_bytes(payload.to_string().as_bytes()).0.expect("a good payload");
    let mut all = Vec::new();
    paths(payload, "", &mut all);
    let mut count = 0;
    for path in &all {
        for damage in damages() {
            let text = render(payload, "", path, &damage);
            count += 1;
            let Ok(after) = translate_bytes(text.as_bytes()).0 else { continue };
            if asks(&before) {
                // Another text in the place of the message is no damage that anyone could see.
                let other_text =
                    path == "/last_assistant_message" && matches!(damage, Damage::Retype("\"x\""));
                assert!(other_text || !could_wait(&after), "{path} {damage:?}\n{text}");
            }
            // An element of the list taken out, or the list replaced by an empty one, is a shorter list.
            let whole = ["/background_tasks", "/session_crons"];
            let replaced = whole.contains(&path.as_str()) && matches!(damage, Damage::Retype("[]"));
            let element = path.matches('/').count() == 2 && matches!(damage, Damage::Delete);
            assert!(replaced || element || !shortened(&before, &after), "{path} {damage:?}\n{text}");
        }
    }
    count
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude-code")
}

#[test]
fn damage_to_hook_payloads() {
    let mut files = Vec::new();
    hook_files(&fixtures(), &mut files);
    let mut asking = 0;
    let mut count = 0;
    let mut shapes = HashSet::new();
    for payload in files.iter().filter(|file| file.ends_with("hooks.jsonl")).flat_map(|file| payloads(file)) {
        let event = payload["hook_event_name"].to_string();
        if !shapes.insert(event + &shape(&payload)) {
            continue;
        }
        asking += usize::from(asks(&translate_bytes(payload.to_string().as_bytes()).0.unwrap()));
        count += damage_all(&payload);
    }
    assert!(asking >= 5 && count > 10_000, "{asking} asking payloads, {count} damages");
}

#[test]
#[ignore = "needs WAKEFUL_CAPTURES"]
fn damage_to_captured_payloads() {
    let root = PathBuf::from(env::var_os("WAKEFUL_CAPTURES").expect("WAKEFUL_CAPTURES names a folder"));
    let mut files = Vec::new();
    hook_files(&root, &mut files);
    files.retain(|file| !file.to_string_lossy().contains("transcripts"));
    let count: usize = files
        .iter()
        .flat_map(|file| payloads(file))
        .filter(|row| row.get("session_id").is_some())
        .map(|payload| damage_all(&payload))
        .sum();
    assert!(count > 0);
}

#[test]
fn a_payload_cut_anywhere_is_refused() {
    let payload = support::payload(
        "Stop",
        serde_json::json!({"last_assistant_message": "Which one? 😀", "background_tasks": []}),
    );
    let text = payload.to_string();
    for end in 0..text.len() {
        assert!(translate_bytes(&text.as_bytes()[..end]).0.is_err(), "{end}");
    }
}

#[test]
fn damage_to_transcript_lines() {
    let mut files = Vec::new();
    hook_files(&fixtures(), &mut files);
    let ctx = support::ctx(support::NOW);
    let mut told = 0;
    let mut shapes = HashSet::new();
    for file in files.iter().filter(|file| file.ends_with("transcript.jsonl")) {
        let text = fs::read_to_string(file).unwrap();
        for mode in [Mode::Live, Mode::Replay] {
            let mut translator = TranscriptTranslator::new(mode, None);
            for line in text.lines() {
                let value: Value = serde_json::from_str(line).unwrap();
                if shapes.insert(format!("{mode:?}{}", shape(&value))) {
                    // The line, after each kind of damage to each of its fields.
                    let mut all = Vec::new();
                    paths(&value, "", &mut all);
                    all.retain(|path| path.matches('/').count() <= 3);
                    for damage in damages().into_iter().take(9) {
                        for path in &all {
                            told += translator.line(render(&value, "", path, &damage).as_bytes(), &ctx).len();
                        }
                    }
                    told += translator.line(&line.as_bytes()[..line.len() / 2], &ctx).len();
                }
                told += translator.line(line.as_bytes(), &ctx).len();
            }
            told += translator.finish(&ctx).len();
        }
    }
    assert!(told > 0);
}
