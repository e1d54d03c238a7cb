//! Codex: the guard, and hooks that fail.

use std::fs;

use serde_json::{Value, json};
use wakeful_testkit::codex::Codex;
use wakeful_testkit::latch::Latch;
use wakeful_testkit::model::{Model, Turn, openai};
use wakeful_testkit::running::Finished;

use crate::claude_failing_hooks::hang;
use crate::claude_guard::{ORDINARY, UNTIL_LOOP};
use crate::machine::{Machine, shorten_timeouts};

/// As in the tests of Claude Code.
const TIMEOUT: u32 = 1;

fn shell(command: &str) -> Turn {
    Turn::call("exec_command", json!({"cmd": command}))
}

fn model(command: &str) -> Model {
    openai::model([shell(command), Turn::text("It is built.")]).unwrap()
}

/// What Codex says of errors, without what it says of a model that it does not know.
fn complaints(finished: &Finished) -> Vec<&str> {
    let items = finished.frames.iter().map(|frame| &frame["item"]).filter(|item| item["type"] == "error");
    let said = items.filter_map(|item| item["message"].as_str());
    said.filter(|said| !said.starts_with("Model metadata")).collect()
}

fn last_message(finished: &Finished) -> Option<&str> {
    let messages =
        finished.frames.iter().map(|frame| &frame["item"]).filter(|item| item["type"] == "agent_message");
    messages.filter_map(|item| item["text"].as_str()).next_back()
}

#[test]
fn a_waiter_is_refused_with_the_reason_and_other_commands_run() {
    let Some(machine) = Machine::new() else { return };
    let model = openai::model([shell(UNTIL_LOOP), shell(ORDINARY), Turn::text("It is built.")]).unwrap();
    let codex = Codex::new(&machine.clients.codex, &machine.sandbox, &model).unwrap();
    machine.set_up("codex");
    fs::write(machine.sandbox.file("log"), "done\n").unwrap();

    let finished = codex.exec("build it", false).unwrap();

    model.assert_all_said();
    assert!(!machine.sandbox.file("waited").exists(), "a waiter ran");
    assert!(machine.sandbox.file("ordinary").exists(), "the command did not run");
    let asked = model.asked();
    assert!(asked[1].new.contains("poll-loop") && asked[1].new.contains("until"), "{}", asked[1].new);
    assert!(asked[1].new.contains("write_stdin"), "no tool of this client is named: {}", asked[1].new);
    assert!(asked[2].new.contains("fresh"), "{}", asked[2].new);
    assert_eq!((last_message(&finished), complaints(&finished)), (Some("It is built."), Vec::new()));
    let verdicts: Vec<_> =
        machine.spooled("\"PreToolUse\"").iter().map(|line| line["guard"]["rule"].clone()).collect();
    assert_eq!(verdicts, [json!("poll-loop"), Value::Null]);
    for event in ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"] {
        let name = format!("\"hook_event_name\":\"{event}\"");
        assert_eq!(machine.spooled(&name).len(), 1, "{event}");
    }
}

#[test]
fn hooks_that_nobody_trusts_do_not_run_until_they_are_trusted() {
    let Some(machine) = Machine::new() else { return };
    let model = openai::model([shell(UNTIL_LOOP), Turn::text("One."), shell(UNTIL_LOOP), Turn::text("Two.")])
        .unwrap();
    let codex = Codex::new(&machine.clients.codex, &machine.sandbox, &model).unwrap();
    // Not on the path, so set-up cannot have it trust the hooks, and says so.
    fs::remove_file(machine.sandbox.programs().join("codex")).unwrap();
    let report = machine.set_up("codex");
    assert!(report["notes"].to_string().contains("/hooks"), "{report:#}");
    fs::write(machine.sandbox.file("log"), "done\n").unwrap();

    codex.exec("build it", false).unwrap();
    let ran = machine.sandbox.file("waited");
    assert!(ran.exists(), "an untrusted hook ran");
    assert_eq!(machine.spooled("").len(), 0);

    fs::remove_file(&ran).unwrap();
    let finished = codex.exec("build it", true).unwrap();
    assert!(!ran.exists(), "the hook did not run");
    // It says so itself when it is told to run hooks that nobody trusts, and nothing else.
    let complaints = complaints(&finished);
    assert!(complaints.iter().all(|said| said.contains("bypass-hook-trust")), "{complaints:?}");
    model.assert_all_said();
}

#[test]
fn with_the_program_gone_the_command_runs() {
    let Some(machine) = Machine::new() else { return };
    let model = model(UNTIL_LOOP);
    let codex = Codex::new(&machine.clients.codex, &machine.sandbox, &model).unwrap();
    machine.set_up("codex");
    fs::write(machine.sandbox.file("log"), "done\n").unwrap();
    fs::remove_file(machine.program()).unwrap();

    let finished = codex.exec("build it", false).unwrap();

    model.assert_all_said();
    assert!(machine.sandbox.file("waited").exists(), "the command did not run");
    assert_eq!(last_message(&finished), Some("It is built."));
}

#[test]
fn with_a_program_that_hangs_the_command_runs() {
    let Some(machine) = Machine::new() else { return };
    let model = model(ORDINARY);
    let codex = Codex::new(&machine.clients.codex, &machine.sandbox, &model).unwrap();
    machine.set_up("codex");
    shorten_timeouts(&codex.hooks(), TIMEOUT);
    codex.trust_hooks().unwrap();
    let _latch = hang(&machine);

    let finished = codex.exec("build it", false).unwrap();

    model.assert_all_said();
    assert!(machine.sandbox.file("ordinary").exists(), "the command did not run");
    assert_eq!(last_message(&finished), Some("It is built."));
}

#[test]
fn beside_a_hook_that_hangs_ours_still_refuses() {
    let Some(machine) = Machine::new() else { return };
    let model = openai::model([shell(UNTIL_LOOP), shell(ORDINARY), Turn::text("It is built.")]).unwrap();
    let codex = Codex::new(&machine.clients.codex, &machine.sandbox, &model).unwrap();
    machine.set_up("codex");
    let latch = Latch::new(&machine.sandbox.home().join("latch")).unwrap();
    for event in ["PreToolUse", "Stop"] {
        codex.add_hook(event, &format!("cat '{}'", latch.path().display()), TIMEOUT).unwrap();
    }
    codex.trust_hooks().unwrap();
    fs::write(machine.sandbox.file("log"), "done\n").unwrap();

    let finished = codex.exec("build it", false).unwrap();

    model.assert_all_said();
    assert!(!machine.sandbox.file("waited").exists(), "a waiter ran");
    assert!(machine.sandbox.file("ordinary").exists(), "the command did not run");
    assert_eq!(last_message(&finished), Some("It is built."));
}
