//! Waits for what is no command: a monitor, and a wake that the agent has scheduled.

use serde_json::json;
use wakeful_testkit::claude::Claude;
use wakeful_testkit::latch::Latch;
use wakeful_testkit::model::{Turn, anthropic};

use crate::claude_sessions::{wait, waits};
use crate::machine::Machine;

#[test]
fn a_bounded_monitor_passes_the_guard_and_is_waited_for() {
    let Some(machine) = Machine::new() else { return };
    let latch = Latch::new(&machine.sandbox.home().join("log")).unwrap();
    let command = format!("cat '{}'", latch.path().display());
    let model = anthropic::model([
        Turn::call(
            "Monitor",
            json!({"description": "Lines of the log", "command": command, "timeout_ms": 600_000}),
        ),
        Turn::text("I'm watching the log and will report when something comes."),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(false).unwrap();
    session.say("watch the log");
    session.until_result();
    let listed = machine.session();
    assert_eq!(listed["status"], "waiting", "{listed:#}");
    assert_eq!(waits(&listed), [wait("monitor", "Lines of the log")]);
    model.assert_all_said();
}

#[test]
fn a_scheduled_wake_is_waited_for() {
    let Some(machine) = Machine::new() else { return };
    let wake = json!({"delaySeconds": 600, "reason": "the pipeline takes ten minutes", "prompt": "look at the pipeline"});
    let model = anthropic::model([
        Turn::call("ScheduleWakeup", wake),
        Turn::text("I'll look at the pipeline again in ten minutes."),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(false).unwrap();
    session.say("look after the pipeline");
    session.until_result();
    let listed = machine.session();
    assert_eq!(
        (&listed["status"], &listed["decision"]["gate"]),
        (&json!("waiting"), &json!("scheduled-wake"))
    );
    assert_eq!(waits(&listed), [wait("wake", "the pipeline takes ten minutes")]);
    assert!(listed["waits"][0]["due"].is_string() && listed["banner"].is_string(), "{listed:#}");
    model.assert_all_said();
}
