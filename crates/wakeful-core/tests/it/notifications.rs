//! Spec 10, "Notifications", sentence by sentence.

use wakeful_core::causes::Reason;
use wakeful_core::event::*;
use wakeful_core::session::{Session, Status};
use wakeful_core::time::Millis;

use crate::world::*;

fn turn() -> World {
    let mut w = World::new();
    w.prompt("p1");
    w
}

const OTHER: ToolClass = ToolClass::Other;

#[test]
fn edge_triggered_once_per_reason_and_cause() {
    let mut w = turn();
    w.stop(end()).rings(&[Reason::Done]).event(EventKind::Noticed { name: "idle_prompt".into() }).minutes(60);
    assert_eq!(w.rang(), [Reason::Done]);
    w.prompt("p2").tool("x", OTHER).stop(end()).rings(&[Reason::Done, Reason::Done]);
}

#[test]
fn a_second_dialog_in_one_turn_rings_again_also_while_another_is_shown() {
    let mut w = turn();
    w.ask(AskKind::Permission, "a").rings(&[Reason::Permission]);
    w.ask(AskKind::Permission, "b").rings(&[Reason::Permission; 2]);
    w.tool_done("b", OTHER).rings(&[Reason::Permission; 2]);
    w.tool_done("a", OTHER).ask(AskKind::Permission, "a").rings(&[Reason::Permission; 3]);
}

#[test]
fn silent_on_hydration_for_what_was_notified_and_a_cut_settle_window_rings_after_it() {
    let stored = |session: &Session| serde_json::to_string(session).unwrap();
    let mut w = turn();
    w.stop(end()).rings(&[Reason::Done]);
    w.session = serde_json::from_str(&stored(&w.session)).unwrap();
    w.minutes(10);
    assert_eq!(w.rang(), [Reason::Done]);
    let mut w = turn();
    w.stop(end()).secs(1);
    w.session = serde_json::from_str(&stored(&w.session)).unwrap();
    w.tick(Millis::minutes(5).0).fire();
    assert_eq!(w.rang(), [Reason::Done], "an edge whose settle window was cut by a restart");
}

#[test]
fn the_settle_window_cancels_it_when_the_agent_resumes() {
    let mut w = turn();
    w.stop(end()).secs(2).prompt("p2").secs(10);
    assert!(w.rang().is_empty());
    let mut w = turn();
    w.ask(AskKind::Permission, "a").secs(2).tool_done("a", OTHER).secs(10);
    assert!(w.rang().is_empty());
}

#[test]
fn another_event_in_the_settle_window_neither_cuts_nor_restarts_it() {
    let mut w = turn();
    w.ask(AskKind::Permission, "a").secs(2).ask(AskKind::Question, "b").secs(1).tick(0);
    assert_eq!(w.rang(), [Reason::Permission]);
    w.event(EventKind::Noticed { name: "anything".into() }).secs(2);
    assert_eq!(w.rang(), [Reason::Permission, Reason::Question]);
}

#[test]
fn a_changed_settle_setting_leaves_no_window_open_for_ever() {
    let mut w = turn();
    w.stop(end());
    w.settings.settle = Millis::secs(30);
    w.secs(29);
    assert!(w.rang().is_empty());
    w.secs(2);
    assert_eq!(w.rang(), [Reason::Done]);
}

#[test]
fn a_woken_turn_that_did_nothing_after_a_done_that_rang_does_not_ring_again() {
    let mut w = turn();
    w.start(&server("d")).stop(end().closes().live(&[&server("d")])).rings(&[Reason::Done]);
    w.wake("p2", &[("d", TaskOutcome::Completed)]).stop(end().closes()).needs(Reason::Done);
    w.rings(&[Reason::Done]);
    // With a tool call it does, with an ask it does, and before any done rang it does.
    w.wake("p3", &[]).tool("x", OTHER).tool_done("x", OTHER).stop(end()).rings(&[Reason::Done; 2]);
    w.wake("p4", &[]).ask(AskKind::Permission, "y").secs(1).stop(end().closes()).rings(&[Reason::Done; 3]);
    let mut w = turn();
    w.start(&subagent("s")).stop(end().live(&[&subagent("s")]));
    w.wake("p2", &[("s", TaskOutcome::Completed)]).stop(end().closes()).rings(&[Reason::Done]);
    // A question rings, however it came.
    w.wake("p3", &[]).stop(end().asks("well?")).rings(&[Reason::Done, Reason::Question]);
}

#[test]
fn stop_waiting_and_stop_are_silent() {
    let mut w = turn();
    w.start(&command("t")).stop(end().live(&[&command("t")])).act(UserAction::StopWaiting { task: None });
    w.needs(Reason::Done).rings(&[]);
    let mut w = turn();
    w.start(&command("t"))
        .stop(end().live(&[&command("t")]))
        .act(UserAction::Stop)
        .is(Status::Idle)
        .rings(&[]);
}

#[test]
fn what_stands_beneath_rings_when_it_comes_to_be_shown() {
    let mut w = turn();
    w.by("s", asks(AskKind::Permission, Some("x"))).stop(end().asks("well?")).rings(&[Reason::Permission]);
    w.by("s", tool_finished("x", OTHER))
        .needs(Reason::Question)
        .rings(&[Reason::Permission, Reason::Question]);
}

#[test]
fn every_reason_rings_once_under_its_own_name() {
    for reason in Reason::ALL {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason.name());
    }
}
