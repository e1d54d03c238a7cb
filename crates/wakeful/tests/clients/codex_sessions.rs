//! What `wakeful list` shows while the real Codex works, asks and ends.

use serde_json::{Value, json};
use wakeful_testkit::codex::Codex;
use wakeful_testkit::model::{Gate, Turn, openai};

use crate::machine::Machine;

#[test]
fn a_request_for_permission_is_an_ask_until_it_is_answered() {
    let Some(machine) = Machine::new() else { return };
    let after = Gate::default();
    let escalated = json!({
        "cmd": "echo hello > notes && cat notes", "sandbox_permissions": "require_escalated",
        "justification": "May I write the notes?",
    });
    let model = openai::model([
        Turn::call("exec_command", escalated),
        Turn::text("The notes are written.").held_by(&after),
    ])
    .unwrap();
    let codex = Codex::new(&machine.clients.codex, &machine.sandbox, &model).unwrap();
    machine.set_up("codex");

    let mut server = codex.app_server().unwrap();
    server.start_turn(&machine.sandbox.project(), "write the notes");
    let request = server
        .until("a request for approval", |frame| frame["method"] == "item/commandExecution/requestApproval");
    // It is asked at the same time as the hook is run.
    machine.until_status("needs_you(permission)");
    assert!(!machine.sandbox.file("notes").exists());
    server.answer(&request, &json!({"decision": "accept"}));
    model.until_asked("hello");
    let listed = machine.session();
    assert_eq!((&listed["status"], &listed["reason"]), (&json!("working"), &Value::Null), "{listed:#}");
    after.open();
    server.until("the end of the turn", |frame| frame["method"] == "turn/completed");
    assert_eq!(machine.status(), "needs_you(done)");
    model.assert_all_said();
}

#[test]
fn a_question_at_the_end_of_a_turn_is_a_question() {
    let Some(machine) = Machine::new() else { return };
    let model = openai::model([Turn::text("Which database should I use, Postgres or SQLite?")]).unwrap();
    let codex = Codex::new(&machine.clients.codex, &machine.sandbox, &model).unwrap();
    machine.set_up("codex");

    let mut server = codex.app_server().unwrap();
    server.start_turn(&machine.sandbox.project(), "set it up");
    server.until("the end of the turn", |frame| frame["method"] == "turn/completed");
    assert_eq!(machine.status(), "needs_you(question)");
    model.assert_all_said();
}

#[test]
fn a_request_to_the_model_that_fails_is_a_failure_though_no_stop_comes() {
    let Some(machine) = Machine::new() else { return };
    let model = openai::model([Turn::failure(400)]).unwrap();
    let codex = Codex::new(&machine.clients.codex, &machine.sandbox, &model).unwrap();
    machine.set_up("codex");

    codex.exec("build it", false).unwrap();

    assert_eq!(machine.spooled("\"hook_event_name\":\"Stop\""), Vec::<Value>::new());
    assert_eq!(machine.status(), "needs_you(failed)");
    model.assert_all_said();
}

#[test]
fn the_rollout_replayed_gives_the_same_decisions() {
    let Some(machine) = Machine::new() else { return };
    let model = openai::model([
        Turn::call("exec_command", json!({"cmd": "echo one"})),
        Turn::text("Should I go on with the second step?"),
        Turn::text("Both steps are done."),
    ])
    .unwrap();
    let codex = Codex::new(&machine.clients.codex, &machine.sandbox, &model).unwrap();
    machine.set_up("codex");

    let mut server = codex.app_server().unwrap();
    let thread = server.start_turn(&machine.sandbox.project(), "do the first step");
    server.until("the end of the turn", |frame| frame["method"] == "turn/completed");
    server.continue_thread(&thread, "yes");
    server.until("the end of the turn", |frame| frame["method"] == "turn/completed");
    let live = machine.decisions();
    server.finish();
    model.assert_all_said();

    let gates: Vec<_> = live.iter().filter_map(|line| line.split(' ').nth(3)).collect();
    assert_eq!(gates, ["question", "done"], "{live:#?}");
    let rollouts = codex.rollouts();
    let [rollout] = &rollouts[..] else { panic!("{rollouts:?}") };
    assert_eq!(machine.replayed(rollout), live);
}
