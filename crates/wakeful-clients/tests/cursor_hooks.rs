//! Cursor's hook events, one by one.
#![allow(clippy::needless_pass_by_value, reason = "payloads in short form")]

mod support;

use serde_json::{Value, json};
use support::NOW;
use wakeful_clients::{ClientState, Hook, Malformed, Unknowns, translate_hook_in};
use wakeful_core::event::{Event, EventKind, Opener, SessionEnd, TurnEnd, TurnHow};
use wakeful_core::ids::Client;
use wakeful_core::time::Boot;

#[derive(Default)]
struct Cursor {
    state: ClientState,
    seen: Unknowns,
}

impl Cursor {
    fn bytes(&mut self, payload: &[u8]) -> Result<Vec<Event>, Malformed> {
        let hook = Hook { client: Client::Cursor, event_arg: None, payload, started: Some(Boot(4_999_000)) };
        translate_hook_in(&mut self.state, hook, &support::ctx(NOW), &mut self.seen)
    }

    fn event(&mut self, payload: &Value) -> Event {
        let mut events = self.bytes(payload.to_string().as_bytes()).expect("a good payload");
        assert_eq!(events.len(), 1);
        assert_eq!(self.seen.iter().collect::<Vec<_>>(), [], "{payload}");
        events.remove(0)
    }

    fn kind(&mut self, event: &str, fields: Value) -> EventKind {
        self.event(&payload(event, "g-1", fields)).kind
    }

    fn says(&mut self, turn: &str, text: &str) {
        self.event(&payload("afterAgentResponse", turn, json!({"text": text})));
    }

    fn stop(&mut self, turn: &str, fields: Value) -> TurnEnd {
        match self.event(&payload("stop", turn, fields)).kind {
            EventKind::TurnEnded(end) => *end,
            other => panic!("{other:?}"),
        }
    }
}

fn payload(event: &str, turn: &str, fields: Value) -> Value {
    let mut payload = json!({
        "conversation_id": "s-1",
        "generation_id": turn,
        "model": "some-model",
        "session_id": "s-1",
        "hook_event_name": event,
        "cursor_version": "1.0.0",
        "workspace_roots": ["/home/ada/shop"],
        "user_email": null,
        "transcript_path": null,
    });
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    support::as_map(&mut payload).extend(fields);
    payload
}

#[test]
fn the_conversation_is_the_session() {
    let mut cursor = Cursor::default();
    let mut payload = payload("afterFileEdit", "g-1", json!({}));
    support::as_map(&mut payload).remove("session_id");
    let event = translate_quiet(&mut cursor, &payload);
    assert_eq!((event.session.client, event.session.id.as_str()), (Client::Cursor, "s-1"));
    assert_eq!(event.turn.unwrap().as_str(), "g-1");
    support::as_map(&mut payload).remove("conversation_id");
    assert_eq!(cursor.bytes(payload.to_string().as_bytes()), Err(Malformed::NoSession));
    assert_eq!(cursor.bytes(b"[]"), Err(Malformed::NotAnObject));
}

fn translate_quiet(cursor: &mut Cursor, payload: &Value) -> Event {
    cursor.bytes(payload.to_string().as_bytes()).expect("a good payload").remove(0)
}

#[test]
fn the_end_has_the_last_text_of_its_turn() {
    let mut cursor = Cursor::default();
    let completed = json!({"status": "completed", "loop_count": 0});
    cursor.says("g-1", "I begin.");
    cursor.says("g-1", "Which one?");
    let end = cursor.stop("g-1", completed.clone());
    assert_eq!((end.how.clone(), end.reading.rules.as_str()), (TurnHow::Finished, "Which one?"));
    assert!(end.reading.asks_user.is_some());
    assert_eq!(end.roster.tasks, None, "no list proves nothing");
    assert_eq!(cursor.stop("g-1", completed.clone()), end, "twice is once (S11)");
    let again = cursor.stop("g-1", json!({"status": "completed", "loop_count": 1}));
    assert!(again.after_stop_hook && again.digest != end.digest);
    // Another turn has another text; of none that is known, nobody knows whether it asked.
    let unknown = cursor.stop("g-2", completed.clone());
    assert_ne!(unknown.reading.rules, "Which one?");
    assert!(unknown.reading.asks_user.is_some());
    // A text that cannot be read is not the one before it.
    cursor.says("g-2", "I am waiting.");
    let damaged = payload("afterAgentResponse", "g-2", json!({"text": 7}));
    cursor.bytes(damaged.to_string().as_bytes()).unwrap();
    cursor.seen = Unknowns::default();
    assert!(cursor.stop("g-2", completed).reading.asks_user.is_some());
}

#[test]
fn ends_that_are_no_ends_by_themselves() {
    let mut cursor = Cursor::default();
    cursor.says("g-1", "Which one?");
    assert_eq!(cursor.stop("g-1", json!({"status": "aborted", "loop_count": 0})).how, TurnHow::Interrupted);
    let failed =
        cursor.stop("g-1", json!({"status": "error", "loop_count": 0, "error_message": "No model."}));
    assert_eq!(failed.how, TurnHow::Failed { message: "No model.".to_owned() });
    assert_eq!(failed.reading, Default::default());
}

#[test]
fn prompts_and_sessions() {
    let mut cursor = Cursor::default();
    match cursor.kind("sessionStart", json!({"is_background_agent": false})) {
        EventKind::SessionStarted { place, .. } => {
            assert_eq!(place.cwd.as_deref(), Some("/home/ada/shop"));
            assert_eq!(place.model.as_deref(), Some("some-model"));
        }
        other => panic!("{other:?}"),
    }
    for (text, expected) in [("Ship it.", Opener::User), ("[Check-in] Still waiting?", Opener::CheckIn)] {
        match cursor.kind("beforeSubmitPrompt", json!({"prompt": text, "attachments": []})) {
            EventKind::PromptSubmitted { opener, label, .. } => {
                assert_eq!((opener, label.as_str()), (expected, text));
            }
            other => panic!("{other:?}"),
        }
    }
    for (reason, end) in [
        ("completed", SessionEnd::User),
        ("aborted", SessionEnd::User),
        ("user_close", SessionEnd::User),
        ("window_close", SessionEnd::User),
        ("error", SessionEnd::Failed),
    ] {
        assert_eq!(
            cursor.kind("sessionEnd", json!({"reason": reason, "duration_ms": 1, "final_status": "x"})),
            EventKind::SessionEnded { end }
        );
    }
}

#[test]
fn calls_have_an_end_of_their_own() {
    let mut cursor = Cursor::default();
    let id = |kind: &EventKind| match kind {
        EventKind::ToolStarted { tool_use, .. } => (tool_use.0.clone(), None),
        EventKind::ToolFinished { tool_use, ok, .. } => (tool_use.0.clone(), Some(*ok)),
        other => panic!("{other:?}"),
    };
    let tool =
        json!({"tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_use_id": "c-1", "cwd": "/x"});
    assert_eq!(id(&cursor.kind("preToolUse", tool.clone())), ("c-1".to_owned(), None));
    assert_eq!(id(&cursor.kind("postToolUse", tool.clone())), ("c-1".to_owned(), Some(true)));
    assert_eq!(id(&cursor.kind("postToolUseFailure", tool)), ("c-1".to_owned(), Some(false)));
    let shell = |cursor: &mut Cursor, event: &str, command: &str| {
        id(&cursor.kind(event, json!({"command": command, "sandbox": false})))
    };
    let before = shell(&mut cursor, "beforeShellExecution", "ls");
    assert_eq!(shell(&mut cursor, "afterShellExecution", "ls"), (before.0.clone(), Some(true)));
    assert_ne!(shell(&mut cursor, "beforeShellExecution", "ls -l").0, before.0);
}

#[test]
fn a_subagent_is_never_the_main_agent() {
    let mut cursor = Cursor::default();
    for event in ["subagentStart", "subagentStop"] {
        let told = cursor.event(&payload(event, "g-1", json!({"subagent_id": "a-1"})));
        assert_eq!(told.agent.unwrap().as_str(), "a-1");
        assert_eq!(told.kind, EventKind::Noticed { name: event.to_owned() });
        assert!(translate_quiet(&mut cursor, &payload(event, "g-1", json!({}))).agent.is_some());
    }
}
