//! What `wakeful list` shows while the real Claude Code works, waits and asks.

use serde_json::{Value, json};
use wakeful_testkit::claude::Claude;
use wakeful_testkit::latch::Latch;
use wakeful_testkit::model::{Gate, Turn, anthropic};

use crate::machine::Machine;

/// A command in the background that runs until the test lets it go.
pub fn background(latch: &Latch) -> Turn {
    let command = format!("cat '{}'; echo built", latch.path().display());
    Turn::call("Bash", json!({"command": command, "description": "Run the build", "run_in_background": true}))
}

/// Kind, label and whether it holds.
pub fn waits(session: &Value) -> Vec<(String, String, bool)> {
    let waits = session["waits"].as_array().unwrap();
    let of = |wait: &'_ Value, name: &str| wait[name].as_str().map(str::to_owned).unwrap();
    waits.iter().map(|wait| (of(wait, "kind"), of(wait, "label"), wait["holds"].as_bool().unwrap())).collect()
}

/// One that holds.
pub fn wait(kind: &str, label: &str) -> (String, String, bool) {
    (kind.to_owned(), label.to_owned(), true)
}

#[test]
fn waiting_while_a_command_runs_working_when_it_wakes_done_at_the_end() {
    let Some(machine) = Machine::new() else { return };
    let mut latch = Latch::new(&machine.sandbox.home().join("build")).unwrap();
    let (first, woken) = (Gate::default(), Gate::default());
    let model = anthropic::model([
        Turn::text("The build has finished: everything passes.").when("<task-notification>").held_by(&woken),
        background(&latch).held_by(&first),
        Turn::text("The build is running; I'll continue when it finishes."),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(false).unwrap();
    session.say("start the build");
    model.until_asked("start the build");
    assert_eq!(machine.status(), "working");
    first.open();
    session.until_result();
    let listed = machine.session();
    assert_eq!(listed["status"], "waiting", "{listed:#}");
    assert_eq!(waits(&listed), [wait("command", "Run the build")]);
    assert_eq!(listed["decision"]["gate"], "live-work");

    latch.open();
    model.until_asked("<task-notification>");
    assert_eq!(machine.status(), "working");
    woken.open();
    session.until_result();
    let listed = machine.session();
    assert_eq!((&listed["status"], &listed["reason"]), (&json!("needs_you"), &json!("done")), "{listed:#}");
    assert_eq!(waits(&listed), []);

    assert!(session.finish().status.success());
    assert_eq!(machine.status(), "ended");
    model.assert_all_said();
}

#[test]
fn a_question_beside_a_running_command_is_a_question() {
    let Some(machine) = Machine::new() else { return };
    let latch = Latch::new(&machine.sandbox.home().join("build")).unwrap();
    let model = anthropic::model([
        background(&latch),
        Turn::text(
            "The build is running in the background. Which database should I use, Postgres or SQLite?",
        ),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(false).unwrap();
    session.say("start the build");
    session.until_result();
    let listed = machine.session();
    assert_eq!(
        (&listed["status"], &listed["reason"]),
        (&json!("needs_you"), &json!("question")),
        "{listed:#}"
    );
    assert!(listed["detail"].as_str().unwrap().contains("Which database"), "{listed:#}");
    assert_eq!(waits(&listed), [wait("command", "Run the build")]);
    model.assert_all_said();
}

#[test]
fn a_request_for_permission_is_an_ask_until_it_is_answered() {
    let Some(machine) = Machine::new() else { return };
    let after = Gate::default();
    let file = machine.sandbox.file("notes.md");
    let model = anthropic::model([
        Turn::call("Write", json!({"file_path": file, "content": "hello\n"})),
        Turn::text("The notes are written.").held_by(&after),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(true).unwrap();
    session.say("write the notes");
    let request = session.until_asked();
    // It is asked at the same time as the hook is run.
    machine.until_status("needs_you(permission)");
    assert!(!file.exists());
    session.allow(&request, &request["request"]["input"]);
    model.until_asked("notes.md");
    let listed = machine.session();
    assert_eq!((&listed["status"], &listed["reason"]), (&json!("working"), &Value::Null), "{listed:#}");
    assert!(file.exists());
    after.open();
    session.until_result();
    assert_eq!(machine.status(), "needs_you(done)");
    model.assert_all_said();
}

#[test]
fn the_clients_own_question_is_an_ask_until_it_is_answered() {
    let Some(machine) = Machine::new() else { return };
    let after = Gate::default();
    let question = "Which region should it run in?";
    let options =
        json!([{"label": "North", "description": "near"}, {"label": "South", "description": "far"}]);
    let asked = json!({"question": question, "header": "Region", "multiSelect": false, "options": options});
    let model = anthropic::model([
        Turn::call("AskUserQuestion", json!({"questions": [asked]})),
        Turn::text("It runs in the north.").held_by(&after),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(true).unwrap();
    session.say("deploy it");
    let request = session.until_asked();
    machine.until_status("needs_you(question)");
    let mut input = request["request"]["input"].clone();
    input["answers"] = json!({question: "North"});
    session.allow(&request, &input);
    model.until_asked("North");
    assert_eq!(machine.status(), "working");
    after.open();
    session.until_result();
    assert_eq!(machine.status(), "needs_you(done)");
    model.assert_all_said();
}

#[test]
fn a_subagents_events_never_end_the_main_turn() {
    let Some(machine) = Machine::new() else { return };
    let back = Gate::default();
    let task = json!({
        "description": "Look around", "prompt": "look around", "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    let model = anthropic::model([
        Turn::call("Agent", task),
        Turn::call("Bash", json!({"command": "ls -a", "description": "List files"})).by_subagent(),
        Turn::text("The folder is empty; what should I look for?").by_subagent(),
        Turn::text("The subagent has looked around: the folder is empty.").held_by(&back),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(false).unwrap();
    session.say("have a look around");
    model.until_asked("what should I look for?");
    assert_eq!(machine.spooled("SubagentStop").len(), 1, "the subagent has ended");
    let listed = machine.session();
    assert_eq!((&listed["status"], &listed["decision"]), (&json!("working"), &Value::Null), "{listed:#}");
    back.open();
    session.until_result();
    assert_eq!(machine.status(), "needs_you(done)");
    assert_eq!(machine.decisions().len(), 1);
    model.assert_all_said();
}

#[test]
fn a_subagent_in_the_background_is_waited_for() {
    let Some(machine) = Machine::new() else { return };
    let (looking, woken) = (Gate::default(), Gate::default());
    let task =
        json!({"description": "Look around", "prompt": "look around", "subagent_type": "general-purpose"});
    let model = anthropic::model([
        Turn::text("The subagent has reported; that was all.").when("<task-notification>").held_by(&woken),
        Turn::call("Agent", task),
        Turn::text("The subagent is looking around; I'll wait for its report."),
        Turn::call("Bash", json!({"command": "echo seen", "description": "Look"})).by_subagent(),
        Turn::text("There is nothing to report.").by_subagent().held_by(&looking),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(false).unwrap();
    session.say("have a look around");
    session.until_result();
    // The subagent has used a tool since: that is no work of the main agent's.
    model.until_asked("seen");
    let listed = machine.session();
    assert_eq!(listed["status"], "waiting", "{listed:#}");
    assert_eq!(waits(&listed), [wait("subagent", "Look around")]);
    looking.open();
    model.until_asked("<task-notification>");
    assert_eq!(machine.status(), "working");
    woken.open();
    session.until_result();
    assert_eq!(machine.status(), "needs_you(done)");
    model.assert_all_said();
}
