//! No damage to a payload panics, and none makes a wait of what was a question (spec 00, the first principle).

mod support;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;
use support::translate_bytes;
use wakeful_clients::claude_code::transcript::{Mode, TranscriptTranslator};
use wakeful_core::event::{Event, EventKind, TurnHow};

/// One damage to one field.
#[derive(Debug, Clone)]
enum Damage {
    Delete,
    Retype(&'static str),
    Twice,
    TwiceOtherFirst(&'static str),
    TwiceOtherLast(&'static str),
}

const OTHERS: [&str; 7] = ["null", "true", "1e400", "\"x\"", "[]", "{}", "[[7]]"];

/// The names of all fields in `value`, and its short texts: payloads of one shape need damage only once.
fn shape(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, child)| format!("{name}:{};", shape(child))).collect()
        }
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::String(text) if text.contains(['?', '<']) => "?".to_owned(),
        _ => String::new(),
    }
}

/// Every path to a field or an element of `value`.
fn paths(value: &Value, at: &str, out: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, child)| (name.clone(), child)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(n, child)| (n.to_string(), child)).collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        let path = format!("{at}/{name}");
        paths(child, &path, out);
        out.push(path);
    }
}

/// `value` as text, with the damage at `target`.
fn render(value: &Value, at: &str, target: &str, damage: &Damage) -> String {
    let join = |parts: Vec<String>| parts.join(",");
    let child = |name: &str, child: &Value, key: &str| -> Vec<String> {
        let path = format!("{at}/{name}");
        if path != target {
            return vec![format!("{key}{}", render(child, &path, target, damage))];
        }
        let (own, with) = (format!("{key}{child}"), |other: &str| format!("{key}{other}"));
        match damage {
            Damage::Delete => vec![],
            Damage::Retype(other) => vec![with(other)],
            Damage::Twice => vec![own.clone(), own],
            Damage::TwiceOtherFirst(other) => vec![with(other), own],
            Damage::TwiceOtherLast(other) => vec![own, with(other)],
        }
    };
    match value {
        Value::Object(fields) => {
            let parts = fields
                .iter()
                .flat_map(|(name, value)| child(name, value, &format!("{}:", Value::from(name.as_str()))));
            format!("{{{}}}", join(parts.collect()))
        }
        Value::Array(items) => {
            let parts = items.iter().enumerate().flat_map(|(n, value)| child(&n.to_string(), value, ""));
            format!("[{}]", join(parts.collect()))
        }
        other => other.to_string(),
    }
}

fn damages() -> Vec<Damage> {
    let mut all = vec![Damage::Delete, Damage::Twice];
    for other in OTHERS {
        all.push(Damage::Retype(other));
    }
    for other in ["null", "\"x\"", "[]"] {
        all.extend([Damage::TwiceOtherFirst(other), Damage::TwiceOtherLast(other)]);
    }
    all
}

fn asks(events: &[Event]) -> bool {
    events.iter().any(|event| match &event.kind {
        EventKind::AskOpened { .. } => true,
        EventKind::TurnEnded(end) => end.reading.asks_user.is_some(),
        _ => false,
    })
}

/// Whether a turn ends here in a way that could be a wait.
fn could_wait(events: &[Event]) -> bool {
    events.iter().any(|event| match &event.kind {
        EventKind::TurnEnded(end) => end.how == TurnHow::Finished && end.reading.asks_user.is_none(),
        _ => false,
    })
}

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

fn hook_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            hook_files(&entry, out);
        } else if entry.extension().is_some_and(|ext| ext == "jsonl") {
            out.push(entry);
        }
    }
    out.sort();
}

fn payloads(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("a file");
    let rows = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str::<Value>(line).expect("a row"));
    rows.filter_map(|mut row| row.get_mut("payload").map(Value::take)).filter(Value::is_object).collect()
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
