//! S3b on live runs: the transcript that a run left, replayed, gives the decisions that its hooks gave.

use serde_json::json;
use wakeful_testkit::claude::Claude;
use wakeful_testkit::latch::Latch;
use wakeful_testkit::model::{Turn, anthropic};

use crate::claude_sessions::background;
use crate::machine::Machine;

#[test]
fn the_transcript_replayed_gives_the_same_decisions() {
    let Some(machine) = Machine::new() else { return };
    let mut build = Latch::new(&machine.sandbox.home().join("build")).unwrap();
    let deploy = Latch::new(&machine.sandbox.home().join("deploy")).unwrap();
    let task = json!({
        "description": "Look around", "prompt": "look around", "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    let model = anthropic::model([
        Turn::text("The build has finished: everything passes.").when("<task-notification>"),
        background(&build),
        Turn::text("The build is running; I'll continue when it finishes."),
        Turn::call("Agent", task),
        Turn::text("Nothing to see.").by_subagent(),
        background(&deploy),
        Turn::text("The deploy is running. Should I tell the others, or wait for it?"),
        Turn::text("Then I will wait for the deploy."),
    ])
    .unwrap();
    let claude = Claude::new(&machine.clients.claude, &machine.sandbox, &model).unwrap();
    machine.set_up("claude-code");

    let mut session = claude.session(false).unwrap();
    session.say("start the build");
    session.until_result();
    build.open();
    session.until_result();
    session.say("look around and deploy");
    session.until_result();
    session.say("just wait");
    session.until_result();
    model.assert_all_said();
    let live = machine.decisions();
    drop(session);

    let gates: Vec<_> = live.iter().filter_map(|line| line.split(' ').nth(3)).collect();
    assert_eq!(gates, ["live-work", "done", "question", "live-work"], "{live:#?}");
    let transcripts = claude.transcripts();
    let [transcript] = &transcripts[..] else { panic!("{transcripts:?}") };
    assert_eq!(machine.replayed(transcript), live);
}
