//! Damage to payloads, field by field.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use wakeful_core::event::{Event, EventKind, TurnHow};

/// One damage to one field.
#[derive(Debug, Clone)]
pub enum Damage {
    Delete,
    Retype(&'static str),
    Twice,
    TwiceOtherFirst(&'static str),
    TwiceOtherLast(&'static str),
}

pub const OTHERS: [&str; 7] = ["null", "true", "1e400", "\"x\"", "[]", "{}", "[[7]]"];

/// The names of all fields in `value`, and its short texts: payloads of one shape need damage only once.
pub fn shape(value: &Value) -> String {
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
pub fn paths(value: &Value, at: &str, out: &mut Vec<String>) {
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
pub fn render(value: &Value, at: &str, target: &str, damage: &Damage) -> String {
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

pub fn damages() -> Vec<Damage> {
    let mut all = vec![Damage::Delete, Damage::Twice];
    for other in OTHERS {
        all.push(Damage::Retype(other));
    }
    for other in ["null", "\"x\"", "[]"] {
        all.extend([Damage::TwiceOtherFirst(other), Damage::TwiceOtherLast(other)]);
    }
    all
}

pub fn asks(events: &[Event]) -> bool {
    events.iter().any(|event| match &event.kind {
        EventKind::AskOpened { .. } => true,
        EventKind::TurnEnded(end) => end.reading.asks_user.is_some(),
        _ => false,
    })
}

/// Whether a turn ends here in a way that could be a wait.
pub fn could_wait(events: &[Event]) -> bool {
    events.iter().any(|event| match &event.kind {
        EventKind::TurnEnded(end) => end.how == TurnHow::Finished && end.reading.asks_user.is_none(),
        _ => false,
    })
}

pub fn hook_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            hook_files(&entry, out);
        } else if entry.extension().is_some_and(|ext| ext == "jsonl") {
            out.push(entry);
        }
    }
    out.sort();
}

pub fn payloads(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("a file");
    let rows = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str::<Value>(line).expect("a row"));
    rows.filter_map(|mut row| row.get_mut("payload").map(Value::take)).filter(Value::is_object).collect()
}
