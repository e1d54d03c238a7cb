//! Codex's hook events, one by one.
#![allow(clippy::needless_pass_by_value, reason = "payloads in short form")]

mod support;

use serde_json::{Value, json};
use support::NOW;
use wakeful_clients::{Malformed, Unknown, Unknowns, translate_hook};
use wakeful_core::event::{
    AskKind, Event, EventKind, Opener, SessionEnd, SessionStart, Source, ToolClass, TurnEnd, TurnHow,
};
use wakeful_core::ids::{AskId, Client, Digest};
use wakeful_core::reading::Reading;
use wakeful_core::time::Boot;

fn payload(event: &str, fields: Value) -> Value {
    let mut payload = json!({
        "session_id": "s-1",
        "turn_id": "t-1",
        "transcript_path": null,
        "cwd": "/home/ada/shop",
        "hook_event_name": event,
        "model": "some-model",
        "permission_mode": "default",
    });
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    support::as_map(&mut payload).extend(fields);
    payload
}

fn translate_bytes(bytes: &[u8]) -> (Result<Vec<Event>, Malformed>, Unknowns) {
    let mut seen = Unknowns::default();
    let events =
        translate_hook(Client::Codex, None, bytes, Some(Boot(4_999_000)), &support::ctx(NOW), &mut seen);
    (events, seen)
}

fn kinds(payload: &Value) -> Vec<EventKind> {
    let (events, seen) = translate_bytes(payload.to_string().as_bytes());
    assert_eq!(seen.iter().collect::<Vec<_>>(), [], "{payload}");
    events.expect("a good payload").into_iter().map(|event| event.kind).collect()
}

fn kind(payload: &Value) -> EventKind {
    let mut kinds = kinds(payload);
    assert_eq!(kinds.len(), 1, "{kinds:?}");
    kinds.remove(0)
}

fn turn_end(payload: &Value) -> TurnEnd {
    match kind(payload) {
        EventKind::TurnEnded(end) => *end,
        other => panic!("{other:?}"),
    }
}

fn call(event: &str, tool: &str, input: Value) -> Value {
    let mut fields = json!({"tool_name": tool, "tool_input": input});
    match event {
        "PermissionRequest" => {}
        "PostToolUse" => support::as_map(&mut fields)
            .extend([("tool_use_id".into(), json!("c-1")), ("tool_response".into(), json!("ok"))]),
        _ => support::as_map(&mut fields).extend([("tool_use_id".into(), json!("c-1"))]),
    }
    payload(event, fields)
}

fn asks_of(kinds: &[EventKind]) -> Vec<(&AskId, &str, bool)> {
    kinds
        .iter()
        .filter_map(|kind| match kind {
            EventKind::AskOpened { id: Some(id), snippet, outlives_turn, .. } => {
                Some((id, snippet.as_str(), *outlives_turn))
            }
            _ => None,
        })
        .collect()
}

fn tool_ask(kind: &EventKind) -> &AskId {
    match kind {
        EventKind::ToolStarted { ask, .. } | EventKind::ToolFinished { ask, .. } => ask,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_event_says_whose_and_when() {
    let bytes = payload("PreCompact", json!({"trigger": "auto", "agent_id": "a1"})).to_string();
    let event = translate_bytes(bytes.as_bytes()).0.unwrap().remove(0);
    assert_eq!(event.session.client, Client::Codex);
    assert_eq!(event.session.id.as_str(), "s-1");
    assert_eq!(event.source, Source::Hook);
    assert_eq!(event.turn.unwrap().as_str(), "t-1");
    assert_eq!(event.agent.unwrap().as_str(), "a1");
    assert_eq!(event.started, Some(Boot(4_999_000)));
    assert_eq!(event.kind, EventKind::Noticed { name: "PreCompact".to_owned() });
}

#[test]
fn without_a_session_there_is_nothing_to_hold_on_to() {
    assert_eq!(translate_bytes(b"[]").0, Err(Malformed::NotAnObject));
    assert_eq!(translate_bytes(br#"{"hook_event_name":"Stop"}"#).0, Err(Malformed::NoSession));
    assert_eq!(translate_bytes(br#"{"session_id":""}"#).0, Err(Malformed::NoSession));
}

#[test]
fn unknown_events_fields_and_values_are_counted() {
    let count = |payload: Value| {
        let (events, seen) = translate_bytes(payload.to_string().as_bytes());
        assert_eq!(events.unwrap().len(), 1);
        seen.iter().map(|(what, name, _)| (what, name.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(count(payload("Renamed", json!({}))), [(Unknown::Event, "Renamed".to_owned())]);
    let new = payload("Stop", json!({"last_assistant_message": "x", "stop_hook_active": 7, "mood": 1}));
    assert_eq!(
        count(new),
        [(Unknown::Field, "Stop.mood".to_owned()), (Unknown::Damaged, "Stop.stop_hook_active".to_owned())]
    );
    assert_eq!(
        count(payload("SessionStart", json!({"source": "moon"}))),
        [(Unknown::Variant, "SessionStart.source=moon".to_owned())]
    );
    assert_eq!(
        count(payload("SessionEnd", json!({"reason": "clear"}))),
        [(Unknown::Variant, "SessionEnd.reason=clear".to_owned())]
    );
}

#[test]
fn session_starts_and_ends() {
    let starts = [
        ("startup", SessionStart::Startup),
        ("resume", SessionStart::Resume),
        ("clear", SessionStart::Clear),
        ("compact", SessionStart::Compact),
        ("fork", SessionStart::Fork),
    ];
    for (source, expected) in starts {
        match kind(&payload("SessionStart", json!({"source": source}))) {
            EventKind::SessionStarted { start, place } => {
                assert_eq!(start, expected);
                assert_eq!(place.cwd.as_deref(), Some("/home/ada/shop"));
                assert_eq!(place.model.as_deref(), Some("some-model"));
            }
            other => panic!("{other:?}"),
        }
    }
    let end = EventKind::SessionEnded { end: SessionEnd::Failed };
    assert_eq!(kind(&payload("SessionEnd", json!({"reason": "other"}))), end);
}

#[test]
fn prompts() {
    let submitted = |text: &str, opener| EventKind::PromptSubmitted {
        opener,
        digest: Digest::of(text.as_bytes()),
        reports: vec![],
        label: text.to_owned(),
    };
    for (text, opener) in [("Ship it.", Opener::User), ("[Check-in] Still waiting?", Opener::CheckIn)] {
        assert_eq!(kind(&payload("UserPromptSubmit", json!({"prompt": text}))), submitted(text, opener));
    }
}

#[test]
fn a_permission_belongs_to_its_call_whatever_reason_the_agent_gives() {
    let run = json!({"command": "make install"});
    let asked = json!({"command": "make install", "description": "It writes to the system."});
    let opened = kinds(&call("PermissionRequest", "Bash", asked));
    let [EventKind::AskOpened { ask: AskKind::Permission, id: Some(id), snippet, outlives_turn: false }] =
        opened.as_slice()
    else {
        panic!("{opened:?}")
    };
    assert_eq!(snippet, "Bash: make install");
    for event in ["PreToolUse", "PostToolUse"] {
        assert_eq!(tool_ask(&kind(&call(event, "Bash", run.clone()))), id, "{event}");
        assert_ne!(tool_ask(&kind(&call(event, "Bash", json!({"command": "make"})))), id, "{event}");
    }
}

#[test]
fn a_question_of_plan_mode_is_open_until_its_call_ends() {
    let input = json!({"questions": [{"question": "Which till?"}, {"question": "When?"}]});
    let started = kinds(&call("PreToolUse", "request_user_input", input.clone()));
    assert!(matches!(started[0], EventKind::ToolStarted { class: ToolClass::Ask, .. }), "{started:?}");
    let asks = asks_of(&started);
    assert_eq!(asks[0].1, "Which till? (and 1 more)");
    assert!(!asks[0].2);
    assert_ne!(tool_ask(&started[0]), asks[0].0, "the same hook twice must not clear it");
    assert_eq!(tool_ask(&kind(&call("PostToolUse", "request_user_input", input))), asks[0].0);
}

#[test]
fn a_question_for_later_is_put_when_the_client_has_taken_it_and_outlives_the_turn() {
    let input = json!({"questions": [{"title": "Which region?", "options": ["eu", "us"]}]});
    assert_eq!(asks_of(&kinds(&call("PreToolUse", "request_user_input_async", input.clone()))), []);
    let finished = kinds(&call("PostToolUse", "request_user_input_async", input));
    let asks = asks_of(&finished);
    assert_eq!((asks.len(), asks[0].1, asks[0].2), (1, "Which region?", true));
    assert_ne!(tool_ask(&finished[0]), asks[0].0, "the end of the call is no answer");
}

#[test]
fn a_message_to_the_user_is_an_ask_if_it_asks() {
    let tell = |text: &str| {
        let kinds = kinds(&call("PostToolUse", "send_message_to_user_async", json!({"message": text})));
        asks_of(&kinds).iter().map(|ask| (ask.1.to_owned(), ask.2)).collect::<Vec<_>>()
    };
    assert_eq!(tell("May I have the key?"), [("May I have the key?".to_owned(), true)]);
    assert_eq!(tell("Half is through."), []);
}

#[test]
fn turn_ends() {
    let stop = |fields: Value| turn_end(&payload("Stop", fields));
    let end = stop(json!({"stop_hook_active": false, "last_assistant_message": "I am waiting."}));
    assert_eq!((end.how.clone(), end.after_stop_hook), (TurnHow::Finished, false));
    assert!(end.reading.wait.is_some());
    assert_eq!((&end.roster.tasks, &end.roster.wakes), (&None, &None), "no list proves nothing");
    let again = stop(json!({"stop_hook_active": true, "last_assistant_message": "I am waiting."}));
    assert!(again.after_stop_hook && again.digest != end.digest);
    let silent = stop(json!({"stop_hook_active": false, "last_assistant_message": null}));
    assert_eq!(silent.reading, Reading::default());
    let unreadable = stop(json!({"stop_hook_active": false}));
    assert!(unreadable.reading.asks_user.is_some(), "nobody knows what it said");
    let interrupted = turn_end(&payload("Interrupt", json!({})));
    assert_eq!(interrupted.how, TurnHow::Interrupted);
}

#[test]
fn the_end_of_a_subagent_is_never_the_main_agents() {
    for fields in [json!({"agent_id": "a1"}), json!({"agent_id": 7}), json!({})] {
        let mut payload = payload("SubagentStop", fields);
        support::as_map(&mut payload).insert("last_assistant_message".into(), json!("Which?"));
        let event = translate_bytes(payload.to_string().as_bytes()).0.unwrap().remove(0);
        assert!(matches!(event.kind, EventKind::TurnEnded(_)));
        assert!(event.agent.is_some(), "{payload}");
    }
    assert_eq!(
        kind(&payload("SubagentStart", json!({"agent_id": "a1", "agent_type": "default"}))),
        EventKind::Noticed { name: "SubagentStart".to_owned() }
    );
}

#[test]
fn no_call_starts_a_task() {
    for (tool, input) in [
        ("Bash", json!({"command": "serve forever"})),
        ("collaborationspawn_agent", json!({"message": "go"})),
        ("clocksleep", json!({"duration_ms": 7})),
    ] {
        let finished = kind(&call("PostToolUse", tool, input));
        assert!(
            matches!(finished, EventKind::ToolFinished { class: ToolClass::Other, ok: true, .. }),
            "{finished:?}"
        );
    }
}
