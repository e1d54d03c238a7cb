//! What changes something.

use serde_json::json;
use wakeful_core::event::UserAction;
use wakeful_core::ids::TaskId;
use wakeful_engine::daemon::Closed;
use wakeful_engine::engine::Outcome;
use wakeful_engine::store::Pos;

use super::http::Answer;
use super::world::{START, World, envelope, key};

const JSON: &str = "Content-Type: application/json";
const PATH: &str = "/v1/sessions/claude-code/s1/actions";

fn act(world: &World, body: &str) -> Answer {
    world.ask("POST", PATH, &[JSON, "Idempotency-Key: k1"], body)
}

#[test]
fn an_action_arrives_with_its_key_and_revision() {
    let world = World::with_story();
    let answer = act(&world, r#"{"action":"done","revision":7}"#);
    assert_eq!((answer.status, answer.json()), (200, json!({"outcome": "taken"})));
    let acts = world.daemon.acts.lock().unwrap();
    let act = &acts[0];
    assert_eq!((&act.session, &act.action), (&key("s1"), &UserAction::Done));
    assert_eq!((act.seen, act.key.as_deref()), (Some(Pos(7)), Some("k1")));
}

#[test]
fn every_action() {
    let world = World::with_story();
    let cases = [
        (json!({"action": "reply", "text": "yes"}), UserAction::Reply { text: "yes".to_owned() }),
        (json!({"action": "keep_waiting"}), UserAction::KeepWaiting),
        (json!({"action": "check_in"}), UserAction::CheckIn),
        (json!({"action": "snooze", "minutes": 90}), UserAction::Snooze { minutes: 90 }),
        (json!({"action": "stop_waiting"}), UserAction::StopWaiting { task: None }),
        (
            json!({"action": "stop_waiting", "task": "b1"}),
            UserAction::StopWaiting { task: Some(TaskId::new("b1")) },
        ),
        (json!({"action": "stop"}), UserAction::Stop),
    ];
    for (mut body, action) in cases {
        body["revision"] = json!(1);
        assert_eq!(act(&world, &body.to_string()).status, 200, "{body}");
        assert_eq!(world.daemon.acts.lock().unwrap().pop().unwrap().action, action);
    }
}

#[test]
fn a_session_that_has_moved_on_is_a_conflict() {
    let world = World::with_story();
    *world.daemon.answer.lock().unwrap() =
        Ok(Outcome::Conflict { why: "the agent resumed 4 s ago".to_owned() });
    let answer = act(&world, r#"{"action":"done","revision":1}"#);
    assert_eq!(answer.status, 409);
    let problem = answer.json();
    assert_eq!(
        (&problem["why"], &problem["what"]),
        (&json!("the agent resumed 4 s ago"), &json!("nothing was done"))
    );
    assert!(problem["hint"].is_string());
}

#[test]
fn no_session_and_no_daemon() {
    let world = World::with_story();
    for (answer, status) in [(Ok(Outcome::NoSession), 404), (Err(Closed), 503)] {
        *world.daemon.answer.lock().unwrap() = answer;
        assert_eq!(act(&world, r#"{"action":"done","revision":1}"#).status, status);
    }
}

#[test]
fn what_cannot_be_understood_reaches_nobody() {
    let world = World::with_story();
    let bodies = [
        "",
        "{}",
        "[]",
        "null",
        "{",
        r#"{"action":"done"}"#,
        r#"{"revision":1}"#,
        r#"{"action":"explode","revision":1}"#,
        r#"{"action":"done","revision":"1"}"#,
        r#"{"action":"done","revision":1,"minutes":5}"#,
        r#"{"action":"done","revision":1,"text":"x"}"#,
        r#"{"action":"keep_waiting","revision":1,"task":"b1"}"#,
        r#"{"action":"snooze","revision":1}"#,
        r#"{"action":"snooze","revision":1,"minutes":0}"#,
        r#"{"action":"snooze","revision":1,"minutes":4294967296}"#,
        r#"{"action":"snooze","revision":1,"minutes":40321}"#,
        r#"{"action":"reply","revision":1}"#,
        r#"{"action":"reply","revision":1,"text":"  "}"#,
        r#"{"action":"done","revision":1,"other":1}"#,
        r#"{"action":"done","revision":1,"revision":2}"#,
    ];
    for body in bodies {
        let answer = act(&world, body);
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.json()["why"].is_string());
    }
    let good = r#"{"action":"done","revision":1}"#;
    let long = format!("Idempotency-Key: {}", "k".repeat(129));
    for headers in [
        vec![JSON],
        vec![JSON, "Idempotency-Key:"],
        vec![JSON, "Idempotency-Key: a b"],
        vec![JSON, "Idempotency-Key: ä"],
        vec![JSON, "Idempotency-Key: a", "Idempotency-Key: b"],
        vec![JSON, &long],
    ] {
        assert_eq!(world.ask("POST", PATH, &headers, good).status, 400, "{headers:?}");
    }
    for kind in ["", "Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded"] {
        let headers: Vec<&str> =
            ["Idempotency-Key: k", kind].into_iter().filter(|header| !header.is_empty()).collect();
        assert_eq!(world.ask("POST", PATH, &headers, good).status, 415, "{kind}");
    }
    assert!(world.daemon.acts.lock().unwrap().is_empty());
}

#[test]
fn an_id_may_be_any_text() {
    let world = World::with_story();
    let path = "/v1/sessions/claude-code/a%2Fb%20%C3%A4/actions";
    world.ask("POST", path, &[JSON, "Idempotency-Key: k"], r#"{"action":"done","revision":1}"#);
    assert_eq!(world.daemon.acts.lock().unwrap()[0].session, key("a/b ä"));
}

#[test]
fn a_hook_is_answered_once_it_is_taken() {
    let world = World::new();
    let body =
        serde_json::to_string(&envelope(START, r#"{"session_id":"s1","hook_event_name":"Stop"}"#)).unwrap();
    for (answer, status, said) in [
        (Ok(Outcome::Taken), 200, "taken"),
        (Ok(Outcome::Again), 200, "again"),
        (Ok(Outcome::Unread), 200, "unread"),
        (Err(Closed), 503, ""),
    ] {
        *world.daemon.answer.lock().unwrap() = answer;
        let answer = world.ask("POST", "/v1/hook", &[JSON], &body);
        assert_eq!(answer.status, status);
        assert_eq!(answer.json()["outcome"].as_str().unwrap_or_default(), said);
    }
    let hooks = world.daemon.hooks.lock().unwrap();
    assert_eq!(
        (hooks.len(), hooks[0].payload.raw()),
        (4, Some(r#"{"session_id":"s1","hook_event_name":"Stop"}"#))
    );
}

#[test]
fn an_envelope_of_another_version_is_refused() {
    let world = World::new();
    let mut other = serde_json::to_value(envelope(START, "{}")).unwrap();
    other["v"] = json!(2);
    assert_eq!(world.ask("POST", "/v1/hook", &[JSON], &other.to_string()).status, 400);
    other["v"] = json!(1);
    other["id"] = json!("x".repeat(65));
    assert_eq!(world.ask("POST", "/v1/hook", &[JSON], &other.to_string()).status, 400);
    assert_eq!(world.ask("POST", "/v1/hook", &[JSON], "{}").status, 400);
    assert!(world.daemon.hooks.lock().unwrap().is_empty());
}
