//! Ends that are no end of a turn: errors and crashes.

use serde_json::{Value, json};
use wakeful_testkit::claude::Claude;
use wakeful_testkit::latch::Latch;
use wakeful_testkit::model::{Turn, anthropic};

use crate::claude_sessions::background;
use crate::machine::Machine;

/// Too many requests.
const LIMIT: u16 = 429;

#[test]
fn a_turn_that_dies_at_a_limit_says_so() {
    let Some(machine) = Machine::new() else { return };
    let model = anthropic::model([Turn::failure(LIMIT)]).unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(false).unwrap();
    session.say("build it");
    let result = session.until_result();
    assert_eq!(result["is_error"], true, "{result}");
    // `StopFailure` runs after the result is written, and no frame tells of its end.
    machine.until_status("needs_you(limit)");
    model.assert_all_said();
}

#[test]
fn a_client_that_crashes_while_it_waits_leaves_an_orphan() {
    let Some(machine) = Machine::new() else { return };
    let latch = Latch::new(&machine.sandbox.home().join("build")).unwrap();
    let model = anthropic::model([
        background(&latch),
        Turn::text("The build is running; I'll continue when it finishes."),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(false).unwrap();
    session.say("start the build");
    session.until_result();
    assert_eq!(machine.status(), "waiting");
    session.crash();
    let listed = machine.session();
    assert_eq!(
        (&listed["status"], &listed["reason"]),
        (&json!("needs_you"), &json!("orphaned")),
        "{listed:#}"
    );
    assert_eq!(machine.spooled("\"hook_event_name\":\"SessionEnd\""), Vec::<Value>::new());
}

#[test]
fn a_session_that_is_resumed_is_the_same_session() {
    let Some(machine) = Machine::new() else { return };
    let model =
        anthropic::model([Turn::text("The first part is done."), Turn::text("The rest is done.")]).unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    claude.one_shot("do the first part").unwrap();
    let first = machine.session();
    assert_eq!(first["status"], "ended");
    let mut session = claude.resume(first["id"].as_str().unwrap()).unwrap();
    session.say("do the rest");
    session.until_result();
    let second = machine.session();
    assert_eq!((&second["status"], &second["reason"]), (&json!("needs_you"), &json!("done")), "{second:#}");
    assert_eq!(second["id"], first["id"]);
    assert_eq!(second["label"], "do the first part");
    model.assert_all_said();
}
