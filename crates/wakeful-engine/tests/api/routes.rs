//! What can be read.

use serde_json::{Value, json};
use wakeful_core::time::Millis;
use wakeful_engine::spool::GuardRecord;

use super::world::World;

fn ids(answer: &Value, list: &str) -> Vec<String> {
    let all = answer[list].as_array().unwrap().iter();
    all.map(|session| session["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn health() {
    let world = World::with_story();
    let health = world.get("/v1/health").json();
    assert_eq!(health["version"], "1.2.3");
    assert_eq!(health["pid"], std::process::id());
    assert_eq!(health["pos"], world.pos("s2").0);
    assert_eq!(health["problems"], json!(["the disk is full"]));
}

#[test]
fn sessions_in_the_order_of_the_list() {
    let world = World::with_story();
    let all = world.get("/v1/sessions").json();
    assert_eq!(ids(&all, "sessions"), ["s1", "s2"]);
    assert_eq!(all["pos"], world.pos("s2").0);
    let first = &all["sessions"][0];
    assert_eq!((&first["status"], &first["reason"]), (&json!("needs_you"), &json!("done")));
    assert_eq!((&first["label"], &first["project"]), (&json!("build the shop"), &json!("shop")));
    assert_eq!(first["revision"], world.revision("s1").0);
    assert_eq!(all["sessions"][1]["waits"][0]["label"], "review");
}

#[test]
fn sessions_that_ended_long_ago_are_listed_on_request() {
    let mut world = World::with_story();
    world.say(r#"{"session_id":"s1","hook_event_name":"SessionEnd","reason":"prompt_input_exit"}"#, None);
    assert_eq!(ids(&world.get("/v1/sessions").json(), "sessions"), ["s2", "s1"]);
    world.pass(Millis::minutes(61));
    assert_eq!(ids(&world.get("/v1/sessions").json(), "sessions"), ["s2"]);
    assert_eq!(ids(&world.get("/v1/sessions?all=true").json(), "sessions"), ["s2", "s1"]);
}

#[test]
fn one_session_with_its_timeline() {
    let world = World::with_story();
    let answer = world.get("/v1/sessions/claude-code/s2").json();
    assert_eq!(answer["session"]["id"], "s2");
    let timeline = answer["timeline"].as_array().unwrap();
    assert_eq!(timeline[0]["what"], "you: try the shop");
    let decided = timeline.iter().find(|moment| !moment["decision"].is_null()).unwrap();
    assert_eq!(decided["decision"]["gate"], "live-work");
    assert!(timeline.iter().all(|moment| !moment.to_string().contains("build the shop")));
}

#[test]
fn what_is_not_there_is_said_so() {
    let world = World::with_story();
    for path in ["/v1/sessions/claude-code/none", "/v1/sessions/nobody/s1", "/v1/decisions/99999", "/", "/v2"]
    {
        let answer = world.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.json()["status"], 404);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    }
}

#[test]
fn the_log_page_by_page() {
    let world = World::with_story();
    let lines = |path: &str| world.get(path).json()["lines"].as_array().unwrap().clone();
    let all = lines("/v1/log");
    assert!(all.len() >= 4);
    let first = lines("/v1/log?limit=2");
    assert_eq!(first.as_slice(), &all[..2]);
    let after = first[1]["pos"].as_i64().unwrap();
    assert_eq!(lines(&format!("/v1/log?after={after}")).as_slice(), &all[2..]);
    let of_one = lines("/v1/log?session=claude-code/s2");
    assert!(!of_one.is_empty() && of_one.len() < all.len());
    assert!(of_one.iter().all(|line| line["session"] == "claude-code/s2" && line["event"].is_object()));
}

#[test]
fn decisions() {
    let world = World::with_story();
    let all = world.get("/v1/decisions").json()["decisions"].as_array().unwrap().clone();
    assert_eq!(all.iter().map(|one| &one["gate"]).collect::<Vec<_>>(), ["done", "live-work"]);
    let id = all[1]["id"].as_i64().unwrap();
    assert_eq!(world.get(&format!("/v1/decisions/{id}")).json(), all[1]);
    let of_one = world.get("/v1/decisions?session=claude-code/s2").json();
    assert_eq!(of_one["decisions"], json!([all[1]]));
    assert_eq!(all[1]["evidence"]["tasks"][0]["id"], "b1");
}

#[test]
fn what_the_guard_said() {
    let mut world = World::with_story();
    let record = GuardRecord {
        verdict: "allowed".to_owned(),
        rule: None,
        words: Some("sleep 60".to_owned()),
        allowed_by: Some("sleep *".to_owned()),
    };
    let payload = r#"{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"sleep 60"},"tool_use_id":"t"}"#;
    world.say(payload, Some(record));
    let all = world.get("/v1/guard").json();
    let verdict = &all["verdicts"][0];
    assert_eq!((&verdict["verdict"], &verdict["words"]), (&json!("allowed"), &json!("sleep 60")));
    assert_eq!(verdict["session"], "claude-code/s1");
    assert_eq!(world.get("/v1/guard?session=claude-code/s2").json(), json!({"verdicts": []}));
}

#[test]
fn without_a_record_there_is_nothing_in_it() {
    let world = World::new();
    for name in ["wakeful.db", "wakeful.db-wal", "wakeful.db-shm"] {
        let _ = std::fs::remove_file(world.dir.path().join(name));
    }
    assert_eq!(world.get("/v1/log").json(), json!({"lines": []}));
    assert_eq!(world.get("/v1/sessions").json()["sessions"], json!([]));
}

#[test]
fn pages_that_make_no_sense_are_refused() {
    let world = World::with_story();
    for query in [
        "limit=0",
        "limit=1001",
        "limit=-1",
        "limit=x",
        "after=x",
        "session=s1",
        "sesion=a",
        "after=1&after=2",
    ] {
        assert_eq!(world.get(&format!("/v1/log?{query}")).status, 400, "{query}");
    }
    assert_eq!(world.get("/v1/log?after=-9223372036854775808&limit=1000").status, 200);
    assert_eq!(world.get("/v1/decisions/-9223372036854775808").status, 404);
}

#[test]
fn get_changes_nothing() {
    let world = World::with_story();
    let before = std::fs::read(world.dir.path().join("wakeful.db")).unwrap();
    for path in [
        "/v1/health",
        "/v1/sessions",
        "/v1/sessions/claude-code/s1",
        "/v1/log",
        "/v1/decisions",
        "/v1/guard",
        "/v1/openapi.json",
    ] {
        assert_eq!(world.get(path).status, 200, "{path}");
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            assert_eq!(world.ask(method, path, &[], "").status, 405, "{method} {path}");
        }
    }
    for path in ["/v1/hook", "/v1/sessions/claude-code/s1/actions"] {
        assert_eq!(world.ask("GET", path, &["Idempotency-Key: k"], "").status, 405, "{path}");
        assert_eq!(world.ask("HEAD", path, &[], "").status, 405, "{path}");
    }
    assert!(world.daemon.acts.lock().unwrap().is_empty());
    assert!(world.daemon.hooks.lock().unwrap().is_empty());
    assert_eq!(std::fs::read(world.dir.path().join("wakeful.db")).unwrap(), before);
}
