//! Rollouts of Codex, newest and older forms, line by line.
#![allow(clippy::needless_pass_by_value, reason = "payloads in short form")]

mod support;

use serde_json::{Value, json};
use wakeful_clients::codex::transcript::RolloutTranslator;
use wakeful_clients::{Mode, Told};
use wakeful_core::event::{EventKind, Opener, TurnHow};
use wakeful_core::ids::SessionId;
use wakeful_core::time::Wall;

/// A session made at 2027-01-04T09:00:00Z, and turns after and before it.
const SESSION: &str = "01a2dfed-4a80-7c00-8f00-000000000001";
const OWN_TURN: &str = "01a2dfed-5250-7c00-8f00-000000000002";
const OLD_TURN: &str = "01a2df00-0000-7c00-8f00-000000000003";

/// A rollout under construction: lines come a second apart unless told otherwise.
struct Rollout {
    translator: RolloutTranslator,
    millis: i64,
    told: Vec<Told>,
}

impl Rollout {
    fn new(mode: Mode) -> Self {
        Self { translator: RolloutTranslator::new(mode, None), millis: 1_799_053_200_000, told: Vec::new() }
    }

    fn session() -> Self {
        Self::with_meta(json!({"id": SESSION, "cwd": "/home/ada/shop", "source": "cli"}))
    }

    fn with_meta(meta: Value) -> Self {
        Self::new(Mode::Replay).line("session_meta", meta)
    }

    fn line(self, kind: &str, payload: Value) -> Self {
        self.after(1000, kind, payload)
    }

    fn after(mut self, millis: i64, kind: &str, payload: Value) -> Self {
        self.millis += millis;
        let time = jiff::Timestamp::from_millisecond(self.millis).expect("a time");
        let line = json!({"timestamp": format!("{time:.3}"), "type": kind, "payload": payload});
        self.raw(&line.to_string())
    }

    fn raw(mut self, line: &str) -> Self {
        self.told.extend(self.translator.line(line.as_bytes(), &support::ctx(support::NOW)));
        self
    }

    fn event(self, kind: &str, fields: Value) -> Self {
        let mut payload = json!({"type": kind});
        let Value::Object(fields) = fields else { panic!("fields are an object") };
        support::as_map(&mut payload).extend(fields);
        self.line("event_msg", payload)
    }

    fn start(self, turn: &str, trigger: Value) -> Self {
        self.event("task_started", json!({"turn_id": turn, "turn_attribution": {"turn_trigger": trigger}}))
    }

    fn user(self, turn: &str, text: &str) -> Self {
        let item = json!({"type": "UserMessage", "id": "u", "content": [{"type": "text", "text": text}]});
        self.event("item_completed", json!({"turn_id": turn, "item": item}))
    }

    fn complete(self, turn: &str, text: &str) -> Self {
        self.event("task_complete", json!({"turn_id": turn, "last_agent_message": text}))
    }

    fn item(self, item: Value) -> Self {
        self.line("response_item", item)
    }

    fn finish(mut self) -> Self {
        self.told.extend(self.translator.finish(&support::ctx(support::NOW)));
        self
    }

    /// What was told, a line each; what was copied has a mark.
    fn told(&self) -> Vec<String> {
        let line = |told: &Told| {
            let what = match &told.event.kind {
                EventKind::SessionStarted { start, .. } => format!("session {start:?}"),
                EventKind::PromptSubmitted { opener, label, .. } => format!("{opener:?}: {label}"),
                EventKind::ToolStarted { tool, .. } => format!("calls {tool}"),
                EventKind::ToolFinished { tool, ok, .. } => format!("called {tool} {ok}"),
                EventKind::AskOpened { snippet, .. } => format!("asks {snippet}"),
                EventKind::TurnEnded(end) => match &end.how {
                    TurnHow::Finished => format!("ends: {}", end.reading.rules),
                    how => format!("{how:?}"),
                },
                other => format!("{other:?}"),
            };
            if told.history { format!("copied {what}") } else { what }
        };
        self.told.iter().map(line).collect()
    }
}

fn message(role: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": [{"type": "text", "text": text}]})
}

#[test]
fn one_turn() {
    let rollout = Rollout::session()
        .start(OWN_TURN, json!("user"))
        .item(message("user", "<environment_context>\n<cwd>/x</cwd></environment_context>"))
        .line("turn_context", json!({"model": "some-model", "cwd": "/home/ada/shop"}))
        .item(message("user", "Sort it"))
        .user(OWN_TURN, "Sort it")
        .item(json!({"type": "function_call", "name": "exec_command", "call_id": "c", "arguments": "{\"cmd\":\"ls\"}"}))
        .item(json!({"type": "function_call_output", "call_id": "c", "output": "Process exited with code 0"}))
        .item(message("assistant", "Which order?"))
        .complete(OWN_TURN, "Which order?");
    let expected =
        ["session Startup", "User: Sort it", "calls Bash", "called Bash true", "ends: Which order?"];
    assert_eq!(rollout.told(), expected);
    assert_eq!(rollout.finish().told().len(), 5);
}

#[test]
fn the_place_is_known_when_the_session_is_told() {
    let rollout = Rollout::session()
        .start(OWN_TURN, json!(null))
        .line("turn_context", json!({"model": "some-model"}))
        .user(OWN_TURN, "Sort it");
    match &rollout.told[0].event.kind {
        EventKind::SessionStarted { place, .. } => {
            assert_eq!(place.cwd.as_deref(), Some("/home/ada/shop"));
            assert_eq!(place.model.as_deref(), Some("some-model"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(rollout.told[0].event.session.id, SessionId::new(SESSION));
    assert_eq!(rollout.told[1].event.turn.as_ref().unwrap().as_str(), OWN_TURN);
}

#[test]
fn who_opens_a_turn() {
    let rows = [
        (json!("user"), "Sort it", Some("User: Sort it")),
        (json!("queue"), "Sort it", Some("User: Sort it")),
        (json!("queue"), "[Check-in] Well?", Some("CheckIn: [Check-in] Well?")),
        (json!("automation"), "Look at the feed", Some("Wake: Look at the feed")),
        (json!("user"), "<heartbeat><instructions>Look</instructions></heartbeat>", Some("Wake: Look")),
        (json!("app_tool_send_message"), "Hello", Some("Agent: Hello")),
        (json!(7), "Sort it", Some("User: Sort it")),
        (json!("user"), "# AGENTS.md instructions for /x", None),
    ];
    for (trigger, text, expected) in rows {
        let rollout = Rollout::session().start(OWN_TURN, trigger.clone()).user(OWN_TURN, text);
        assert_eq!(rollout.told().get(1).map(String::as_str), expected, "{trigger} {text}");
    }
}

#[test]
fn a_turn_that_the_client_opens_without_words_is_a_wake() {
    let rollout = Rollout::session()
        .start(OWN_TURN, json!("goal"))
        .item(message("assistant", "I go on."))
        .complete(OWN_TURN, "I go on.");
    assert_eq!(rollout.told()[1..], ["Wake: goal", "ends: I go on."]);
}

#[test]
fn a_compaction_is_no_turn() {
    let rollout = Rollout::session()
        .start(OWN_TURN, json!(null))
        .event("context_compacted", json!({}))
        .event("task_complete", json!({"turn_id": OWN_TURN, "last_agent_message": null}));
    assert_eq!(rollout.told(), Vec::<String>::new());
}

#[test]
fn errors_and_limits() {
    let failed = |error: Value| {
        let rollout = Rollout::session()
            .start(OWN_TURN, json!("user"))
            .user(OWN_TURN, "Go")
            .event("task_complete", json!({"turn_id": OWN_TURN, "last_agent_message": null, "error": error}));
        match &rollout.told.last().unwrap().event.kind {
            EventKind::TurnEnded(end) => end.how.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        failed(json!({"message": "No stream.", "codex_error_info": {"internal_server_error": {}}})),
        TurnHow::Failed { message: "No stream.".to_owned() }
    );
    assert_eq!(
        failed(
            json!({"message": "Used up. Try again at 2:15 PM.", "codex_error_info": "usage_limit_exceeded"})
        ),
        TurnHow::Limit {
            message: "Used up. Try again at 2:15 PM.".to_owned(),
            resets: Some(Wall(1_799_053_200_000 + (5 * 60 + 15) * 60_000)),
        }
    );
    // Older versions say it in an event of its own, and some say nothing more.
    let before = Rollout::session()
        .start(OWN_TURN, json!("user"))
        .user(OWN_TURN, "Go")
        .event("error", json!({"message": "You are at your usage limit."}));
    let told = before.finish().told();
    assert!(told.last().unwrap().starts_with("Limit"), "{told:?}");
    // An error that the turn survived is none of its end.
    let survived = Rollout::session()
        .start(OWN_TURN, json!("user"))
        .user(OWN_TURN, "Go")
        .event("error", json!({"message": "odd"}))
        .complete(OWN_TURN, "Done.");
    assert_eq!(survived.told().last().unwrap(), "ends: Done.");
}

#[test]
fn interruptions() {
    let aborted = |reason: &str| {
        let rollout = Rollout::session()
            .start(OWN_TURN, json!("user"))
            .user(OWN_TURN, "Go")
            .event("turn_aborted", json!({"turn_id": OWN_TURN, "reason": reason}));
        rollout.finish().told().last().unwrap().clone()
    };
    for reason in ["interrupted", "replaced", "review_ended"] {
        assert_eq!(aborted(reason), "Interrupted");
    }
    assert!(aborted("budget_limited").starts_with("Limit"));
}

#[test]
fn a_turn_without_an_end_died_with_its_process() {
    let rollout = Rollout::session()
        .start(OWN_TURN, json!("user"))
        .user(OWN_TURN, "Go")
        .start("01a2dfed-8000-7c00-8f00-000000000009", json!("user"))
        .user("01a2dfed-8000-7c00-8f00-000000000009", "Go on");
    assert_eq!(rollout.told(), ["session Startup", "User: Go", "session Resume", "User: Go on"]);
}

#[test]
fn files_of_helpers_are_no_sessions() {
    for meta in [
        json!({"id": SESSION, "source": {"subagent": {"thread_spawn": {"depth": 1}}}}),
        json!({"id": SESSION, "source": "vscode", "thread_source": "thread_title"}),
    ] {
        let rollout = Rollout::with_meta(meta).start(OWN_TURN, json!("user")).user(OWN_TURN, "Go");
        assert!(rollout.told().is_empty());
        assert!(rollout.translator.is_subagent_file());
    }
}

#[test]
fn the_history_of_a_fork_is_copied() {
    let fork = json!({"id": SESSION, "forked_from_id": "older", "source": "cli"});
    let rollout = Rollout::with_meta(fork)
        .after(1, "session_meta", json!({"id": "older", "source": {"subagent": "review"}}))
        .after(1, "event_msg", json!({"type": "task_started", "turn_id": OLD_TURN}))
        .after(1, "event_msg", json!({"type": "user_message", "message": "Old words"}))
        .after(
            1,
            "event_msg",
            json!({"type": "task_complete", "turn_id": OLD_TURN, "last_agent_message": "Which?"}),
        )
        .after(1, "event_msg", json!({"type": "task_started", "turn_id": OWN_TURN}))
        .after(1, "event_msg", json!({"type": "user_message", "message": "New words"}));
    let expected = ["copied User: Old words", "copied ends: Which?", "session Fork", "User: New words"];
    assert_eq!(rollout.told(), expected);
    // Without ids that tell their time, time itself tells.
    let older = Rollout::with_meta(json!({"id": "new", "forked_from_id": "older"}))
        .after(1, "event_msg", json!({"type": "user_message", "message": "Old words"}))
        .after(1, "event_msg", json!({"type": "agent_message", "message": "Which?"}))
        .after(9000, "event_msg", json!({"type": "user_message", "message": "New words"}));
    assert_eq!(older.told(), ["copied User: Old words", "session Fork", "User: New words"]);
    assert!(older.told.last().is_some_and(|told| {
        matches!(told.event.kind, EventKind::PromptSubmitted { opener: Opener::User, .. })
    }));
}

#[test]
fn versions_without_lines_for_turns() {
    let rollout = Rollout::session()
        .event("user_message", json!({"message": "<user_instructions>x", "kind": "user_instructions"}))
        .item(message("user", "Sort it"))
        .event("user_message", json!({"message": "Sort it", "kind": "plain"}))
        .event("agent_message", json!({"message": "I look."}))
        .item(json!({"type": "function_call", "name": "shell", "call_id": "c", "arguments": "{\"command\":[\"bash\",\"-lc\",\"ls\"]}"}))
        .item(json!({"type": "function_call_output", "call_id": "c", "output": "{}"}))
        .event("agent_message", json!({"message": "Which order?"}))
        .item(message("assistant", "Which order?"))
        .event("user_message", json!({"message": "By name"}))
        .event("turn_aborted", json!({"reason": "interrupted"}))
        .event("user_message", json!({"message": "By price"}))
        .event("agent_message", json!({"message": "Sorted."}))
        .finish();
    let expected = [
        "session Startup",
        "User: Sort it",
        "calls Bash",
        "called Bash true",
        "ends: Which order?",
        "User: By name",
        "Interrupted",
        "User: By price",
        "ends: Sorted.",
    ];
    assert_eq!(rollout.told(), expected);
    let ends: Vec<_> =
        rollout.told.iter().filter(|told| matches!(told.event.kind, EventKind::TurnEnded(_))).collect();
    assert!(ends.windows(2).all(|pair| pair[0].at.wall < pair[1].at.wall), "each at its own time");
}

#[test]
fn the_first_versions_wrote_bare_items() {
    let rollout = Rollout::new(Mode::Replay)
        .raw(
            &json!({"id": SESSION, "timestamp": "2025-05-07T17:24:21.123Z", "instructions": "x"}).to_string(),
        )
        .raw(r#"{"record_type":"state"}"#)
        .raw(&message("user", "<environment_context>x").to_string())
        .raw(&message("user", "Sort it").to_string())
        .raw(r#"{"type":"function_call","name":"shell","call_id":"c","arguments":"{}"}"#)
        .raw(r#"{"type":"function_call_output","call_id":"c","output":"x"}"#)
        .raw(&message("assistant", "Which order?").to_string())
        .raw(&message("user", "By name").to_string())
        .raw(&message("assistant", "Sorted.").to_string())
        .finish();
    let expected = [
        "session Startup",
        "User: Sort it",
        "calls Bash",
        "called Bash true",
        "ends: Which order?",
        "User: By name",
        "ends: Sorted.",
    ];
    assert_eq!(rollout.told(), expected);
    assert!(rollout.told.windows(2).all(|pair| pair[0].at.wall <= pair[1].at.wall));
}

#[test]
fn a_prompt_in_two_forms_is_one() {
    let rollout = Rollout::session()
        .start(OWN_TURN, json!("user"))
        .user(OWN_TURN, "Go")
        .event("user_message", json!({"message": "Go"}))
        .event("agent_message", json!({"message": "On it."}))
        .user(OWN_TURN, "Go");
    assert_eq!(rollout.told()[1..], ["User: Go", "User: Go"], "and said again it is another one");
}

#[test]
fn live_only_failures_are_told() {
    let mut rollout = Rollout::new(Mode::Live)
        .line("session_meta", json!({"id": SESSION}))
        .start(OWN_TURN, json!("user"))
        .user(OWN_TURN, "Go")
        .complete(OWN_TURN, "Done.");
    assert!(rollout.told().is_empty());
    rollout = rollout
        .start("t2", json!("user"))
        .event("error", json!({"message": "No stream."}))
        .event("task_complete", json!({"turn_id": "t2", "last_agent_message": null}));
    assert_eq!(rollout.told().len(), 1, "{:?}", rollout.told());
    assert!(rollout.told()[0].starts_with("Failed"));
    assert_eq!(rollout.told[0].at, support::NOW, "at the time when it was seen");
    assert_eq!(rollout.told[0].event.turn.as_ref().unwrap().as_str(), "t2");
}

#[test]
fn damaged_lines_and_unknown_kinds_are_counted() {
    let rollout =
        Rollout::session().raw("{\"timestamp\":").raw("[]").line("mood", json!({})).event("sang", json!({}));
    assert_eq!(rollout.translator.damaged(), 2);
    let unknown: Vec<_> = rollout.translator.unknowns().iter().map(|(_, name, _)| name.to_owned()).collect();
    assert_eq!(unknown, ["mood", "sang"]);
}
