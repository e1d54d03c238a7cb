//! What the tests of this crate share: a fixed time, readers that are easy to see through, payloads in short form.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod damage;

use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};
use wakeful_clients::{Malformed, Readers, Translation, Unknowns, translate_hook};
use wakeful_core::event::{Event, EventKind};
use wakeful_core::ids::{Client, RuleId};
use wakeful_core::reading::{Question, Reading, WaitWords};
use wakeful_core::time::{Boot, BootId, Now, Wall};

/// 2027-01-04T09:00:00Z, a Monday.
pub const NOW: Now = Now { wall: Wall(1_799_053_200_000), boot: Boot(5_000_000), boot_id: BootId(1) };

/// Asks if there is a question mark, waits if it says so; enough to see which text was read.
pub fn read(text: &str, _: Now) -> Reading {
    let question = || Question { snippet: text.to_owned(), rule: RuleId::new("test-question") };
    let wait = || WaitWords {
        rule: RuleId::new("test-wait"),
        words: text.to_owned(),
        names_external: false,
        names_mechanism: None,
    };
    Reading {
        rules: text.to_owned(), // so that a test sees which text was read
        asks_user: text.contains('?').then(question),
        wait: text.contains("waiting").then(wait),
        waits_somewhere: text.contains("waiting").then(wait),
        ..Reading::default()
    }
}

/// `serve` never ends.
pub fn never_ends(command: &str) -> Option<RuleId> {
    command.starts_with("serve").then(|| RuleId::new("test-server"))
}

/// The context of a test at `now`, in UTC.
pub fn ctx(now: Now) -> Translation<'static> {
    static UTC: TimeZone = TimeZone::UTC;
    Translation { now, zone: &UTC, readers: Readers { read: &read, never_ends: &never_ends } }
}

/// A hook payload of the session `s-1` in the shape of the captures.
pub fn payload(event: &str, fields: Value) -> Value {
    let mut payload = json!({
        "session_id": "s-1",
        "transcript_path": "/home/ada/.claude/projects/-home-ada-shop/s-1.jsonl",
        "cwd": "/home/ada/shop",
        "prompt_id": "p-1",
        "permission_mode": "default",
        "hook_event_name": event,
    });
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    as_map(&mut payload).extend(fields);
    payload
}

pub fn as_map(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().expect("an object")
}

/// The events of a payload, with what was unknown in it.
pub fn translate(payload: &Value) -> (Result<Vec<Event>, Malformed>, Unknowns) {
    translate_bytes(payload.to_string().as_bytes())
}

pub fn translate_bytes(bytes: &[u8]) -> (Result<Vec<Event>, Malformed>, Unknowns) {
    let mut seen = Unknowns::default();
    let events = translate_hook(Client::ClaudeCode, None, bytes, Some(Boot(4_999_000)), &ctx(NOW), &mut seen);
    (events, seen)
}

/// What happened by a payload.
pub fn kinds(payload: &Value) -> Vec<EventKind> {
    translate(payload).0.expect("a good payload").into_iter().map(|event| event.kind).collect()
}

/// What happened by a payload that means one thing.
pub fn kind(payload: &Value) -> EventKind {
    let mut kinds = kinds(payload);
    assert_eq!(kinds.len(), 1, "{kinds:?}");
    kinds.remove(0)
}
