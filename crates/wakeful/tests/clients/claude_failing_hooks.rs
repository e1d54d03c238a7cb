//! Principle 2: whatever becomes of a hook, the client goes on and the command runs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use wakeful_testkit::claude::Claude;
use wakeful_testkit::latch::Latch;
use wakeful_testkit::model::{Model, Turn, anthropic};

use crate::claude_guard::{ORDINARY, UNTIL_LOOP, bash};
use crate::machine::{Machine, shorten_timeouts};

/// Long enough for a hook that answers, on a busy machine; every hook that hangs costs as much.
const TIMEOUT: u32 = 1;

fn model(command: &str) -> Model {
    anthropic::model([bash(command), Turn::text("It is built.")]).unwrap()
}

#[test]
fn with_the_program_gone_the_command_runs() {
    let Some(machine) = Machine::new() else { return };
    // Also a waiter: this shows that in the tests of the guard nothing but the guard keeps it from running.
    let model = model(UNTIL_LOOP);
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");
    fs::write(machine.sandbox.file("log"), "done\n").unwrap();
    fs::remove_file(machine.program()).unwrap();

    let finished = claude.one_shot("build it").unwrap();

    model.assert_all_said();
    assert!(finished.status.success(), "{:?}", finished.status);
    assert!(machine.sandbox.file("waited").exists(), "the command did not run");
}

#[test]
fn with_a_program_that_hangs_the_command_runs() {
    let Some(machine) = Machine::new() else { return };
    let model = model(ORDINARY);
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");
    shorten_timeouts(&claude.settings(), TIMEOUT);
    let _latch = hang(&machine);

    let finished = claude.one_shot("build it").unwrap();

    model.assert_all_said();
    assert!(finished.status.success(), "{:?}", finished.status);
    assert!(machine.sandbox.file("ordinary").exists(), "the command did not run");
}

#[test]
fn beside_a_hook_that_hangs_ours_still_refuses() {
    let Some(machine) = Machine::new() else { return };
    let model = anthropic::model([bash(UNTIL_LOOP), bash(ORDINARY), Turn::text("It is built.")]).unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");
    let latch = Latch::new(&machine.sandbox.home().join("latch")).unwrap();
    for event in ["PreToolUse", "Stop"] {
        claude.add_hook(event, &format!("cat '{}'", latch.path().display()), TIMEOUT).unwrap();
    }
    fs::write(machine.sandbox.file("log"), "done\n").unwrap();

    let finished = claude.one_shot("build it").unwrap();

    model.assert_all_said();
    assert!(finished.status.success(), "{:?}", finished.status);
    assert!(!machine.sandbox.file("waited").exists(), "a waiter ran");
    assert!(machine.sandbox.file("ordinary").exists(), "the command did not run");
    assert_eq!(machine.spooled("\"hook_event_name\":\"Stop\"").len(), 1);
}

/// Puts a program in the place of ours that never ends while the latch is held.
pub fn hang(machine: &Machine) -> Latch {
    let latch = Latch::new(&machine.sandbox.home().join("latch")).unwrap();
    fs::remove_file(machine.program()).unwrap();
    fs::write(machine.program(), format!("#!/bin/sh\nexec cat '{}'\n", latch.path().display())).unwrap();
    fs::set_permissions(machine.program(), fs::Permissions::from_mode(0o755)).unwrap();
    latch
}
