//! The guard in Claude Code: a waiter does not run and the model is told why; everything else runs.

use std::fs;

use serde_json::{Value, json};
use wakeful_testkit::claude::Claude;
use wakeful_testkit::model::{Turn, anthropic};
use wakeful_testkit::running::Finished;

use crate::machine::Machine;

/// Ends at once if it runs, since the log says `done`.
pub const UNTIL_LOOP: &str = "until grep -q done log; do sleep 5; done; touch waited";
/// Ends at once if it runs, since there is no such process.
const PGREP_LOOP: &str = "while pgrep -x no-such-build >/dev/null; do sleep 5; done; touch waited";
/// Runs.
pub const ORDINARY: &str = "echo fresh > ordinary && cat ordinary";

/// A call of the shell tool.
pub fn bash(command: &str) -> Turn {
    Turn::call("Bash", json!({"command": command, "description": "a step"}))
}

/// The frames of hooks that have ended.
fn hooks(finished: &Finished) -> Vec<&Value> {
    finished.frames.iter().filter(|frame| frame["subtype"] == "hook_response").collect()
}

#[test]
fn a_waiter_is_refused_with_the_reason_and_other_commands_run() {
    let Some(machine) = Machine::new() else { return };
    let model =
        anthropic::model([bash(UNTIL_LOOP), bash(PGREP_LOOP), bash(ORDINARY), Turn::text("It is built.")])
            .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");
    fs::write(machine.sandbox.file("log"), "done\n").unwrap();

    let finished = claude.one_shot("build it").unwrap();

    model.assert_all_said();
    assert!(!machine.sandbox.file("waited").exists(), "a waiter ran");
    assert_eq!(fs::read_to_string(machine.sandbox.file("ordinary")).unwrap(), "fresh\n");
    let asked = model.asked();
    for (told, words) in [(&asked[1].new, "until"), (&asked[2].new, "pgrep")] {
        assert!(told.contains("poll-loop") && told.contains(words), "{told}");
        assert!(told.contains("Read"), "no tool of this client is named: {told}");
    }
    assert!(asked[3].new.contains("fresh"), "{}", asked[3].new);
    assert_quiet(&finished);
    let verdicts: Vec<_> =
        machine.spooled("\"PreToolUse\"").iter().map(|line| line["guard"]["rule"].clone()).collect();
    assert_eq!(verdicts, [json!("poll-loop"), json!("poll-loop"), Value::Null]);
}

/// The client had nothing to complain about: every hook ended well, and only a refusal was said.
fn assert_quiet(finished: &Finished) {
    assert!(finished.status.success(), "{:?}", finished.status);
    assert_eq!(finished.errors, "");
    let hooks = hooks(finished);
    let events = |event: &str| hooks.iter().filter(|hook| hook["hook_event"] == event).count();
    for (event, count) in [("SessionStart", 1), ("UserPromptSubmit", 1), ("PreToolUse", 3), ("Stop", 1)] {
        assert_eq!(events(event), count, "{event}");
    }
    for hook in hooks {
        assert_eq!((&hook["exit_code"], &hook["stderr"]), (&json!(0), &json!("")), "{hook}");
        assert_eq!(hook["outcome"], "success", "{hook}");
        let said = hook["stdout"].as_str().unwrap();
        assert!(said.is_empty() || said.contains("\"deny\""), "{hook}");
    }
}

#[test]
fn a_subagent_is_refused_the_same() {
    let Some(machine) = Machine::new() else { return };
    let task = json!({
        "description": "Build", "prompt": "build it", "subagent_type": "general-purpose", "run_in_background": false,
    });
    let model = anthropic::model([
        Turn::call("Agent", task),
        bash(UNTIL_LOOP).by_subagent(),
        Turn::text("I may not wait like this.").by_subagent(),
        Turn::text("The subagent could not wait."),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");
    fs::write(machine.sandbox.file("log"), "done\n").unwrap();

    claude.one_shot("have it built").unwrap();

    model.assert_all_said();
    assert!(!machine.sandbox.file("waited").exists(), "a waiter ran");
    let told = model.until_asked("poll-loop");
    assert_eq!(told.role, wakeful_testkit::model::Role::Sub);
}
