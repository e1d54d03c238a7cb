//! Spec 10: asks (S5, S7, S7b, S7c).

use wakeful_core::causes::Reason;
use wakeful_core::event::{AskKind, EventKind, TaskOutcome, ToolClass, UserAction};
use wakeful_core::ids::AskId;
use wakeful_core::session::Status;

use crate::world::*;

fn turn() -> World {
    let mut w = World::new();
    w.prompt("p1");
    w
}

const OTHER: ToolClass = ToolClass::Other;

#[test]
fn s5_a_notification_of_the_dialog_adds_nothing() {
    let mut w = turn();
    w.tool("c1", OTHER).ask(AskKind::Permission, "c1").secs(6);
    w.event(asks(AskKind::Permission, None)).needs(Reason::Permission);
    assert_eq!((w.session.asks.iter().count(), w.rang()), (1, vec![Reason::Permission]));
    w.tool_done("c1", OTHER).working();
}

#[test]
fn s5_a_notification_of_an_answered_dialog_reopens_nothing() {
    let mut w = turn();
    w.tool("c1", OTHER).ask(AskKind::Permission, "c1").secs(2).tool_done("c1", OTHER).working();
    w.secs(4).event(asks(AskKind::Permission, None)).working();
}

#[test]
fn s5_a_notification_after_the_turn_opens_no_turn() {
    let mut w = turn();
    w.tool("c1", OTHER).ask(AskKind::Permission, "c1").secs(2).stop(end()).needs(Reason::Done);
    w.secs(4).event(asks(AskKind::Permission, None)).needs(Reason::Done);
    assert!(w.session.turns.open.is_none());
}

#[test]
fn s5_a_notification_alone_opens_an_ask_that_rings_once() {
    let mut w = turn();
    w.tool("c1", OTHER).event(asks(AskKind::Elicitation, None)).needs(Reason::Elicitation);
    w.secs(30).event(asks(AskKind::Elicitation, None)).rings(&[Reason::Elicitation]);
    w.tool_done("c1", OTHER).working();
}

#[test]
fn s5_a_workers_dialog_between_turns_opens_an_ask_and_no_turn() {
    let mut w = turn();
    w.start(&subagent("s")).stop(end().live(&[&subagent("s")])).waiting().minutes(5);
    w.turn = None;
    w.event(asks(AskKind::Permission, None)).needs(Reason::Permission);
    assert!(w.session.turns.open.is_none(), "it is not the main agent that works");
    w.event(EventKind::AskAnswered { id: None }).waiting();
}

#[test]
fn s5_told_by_a_notification_first_it_is_the_same_ask() {
    let mut w = turn();
    w.tool("c1", OTHER).event(asks(AskKind::Permission, None)).ask(AskKind::Permission, "c1");
    assert_eq!(w.session.asks.iter().count(), 1);
    w.rings(&[Reason::Permission]);
}

#[test]
fn s7_a_subagents_end_and_noise_do_not_flip_the_parent() {
    let mut w = turn();
    w.start(&subagent("s")).stop(end().live(&[&subagent("s")])).waiting();
    w.by("s", tool_started("x", OTHER)).by("s", tool_finished("x", OTHER)).waiting();
    w.by("s", EventKind::TurnEnded(Box::new(end().closes().0))).waiting();
    assert_eq!(w.session.turns.count, 1);
}

#[test]
fn s7_its_unanswered_ask_does_over_turn_ends_and_prompts_of_wakes() {
    let mut w = turn();
    w.start(&subagent("s")).by("s", asks(AskKind::Permission, Some("x"))).needs(Reason::Permission);
    w.stop(end().live(&[&subagent("s")])).needs(Reason::Permission);
    w.wake("p2", &[]).needs(Reason::Permission).secs(4);
    w.stop(end().live(&[&subagent("s")])).needs(Reason::Permission);
    w.by("s", tool_finished("x", OTHER)).waiting().rings(&[Reason::Permission]);
}

#[test]
fn s7_a_subagent_that_ended_asks_nothing_more() {
    let mut w = turn();
    w.start(&subagent("s")).stop(end().live(&[&subagent("s")]));
    w.by("s", asks(AskKind::Permission, Some("x"))).needs(Reason::Permission);
    w.by("s", EventKind::TurnEnded(Box::new(end().0))).waiting();
    w.by("s", asks(AskKind::Permission, Some("y"))).needs(Reason::Permission);
    w.wake("p2", &[("s", TaskOutcome::Failed)]).working();
}

#[test]
fn s7_an_interruption_takes_a_foreground_subagents_dialog_along() {
    let mut w = turn();
    w.tool("c1", ToolClass::Subagent)
        .by("fg", asks(AskKind::Permission, Some("x")))
        .needs(Reason::Permission);
    w.stop(end().interrupted()).is(Status::Idle);
    // One in the background lives on.
    let mut w = turn();
    w.start(&subagent("s")).by("s", asks(AskKind::Permission, Some("x"))).stop(end().interrupted());
    w.needs(Reason::Permission);
}

#[test]
fn s7b_another_tools_end_never_clears_it() {
    let mut w = turn();
    w.tool("c1", OTHER).tool("c2", OTHER).ask(AskKind::Permission, "c1").tool_done("c2", OTHER);
    w.needs(Reason::Permission).by("s", tool_finished("c1", OTHER)).needs(Reason::Permission);
    w.tool_done("c1", OTHER).working();
}

#[test]
fn s7b_another_tools_end_never_clears_one_without_a_name() {
    let mut w = turn();
    w.event(asks(AskKind::Permission, None)).tool_done("c2", OTHER).needs(Reason::Permission);
    let mut w = turn();
    w.tool("c1", OTHER).event(asks(AskKind::Permission, None));
    w.by("s", tool_finished("c9", OTHER)).needs(Reason::Permission);
}

#[test]
fn s7b_the_start_of_the_approved_work_clears_it_early_and_the_call_that_it_asks_about_does_not() {
    let mut w = turn();
    w.tool("c1", OTHER).ask(AskKind::Permission, "c1").needs(Reason::Permission);
    w.tool("c1", OTHER).working();
    // PreToolUse that arrives after its PermissionRequest.
    let mut w = turn();
    let late = w.make(tool_started("c1", OTHER));
    w.ask(AskKind::Permission, "c1").raw(late).needs(Reason::Permission);
}

#[test]
fn s7b_a_request_that_arrives_after_its_answer_opens_nothing() {
    let mut w = turn();
    w.tool("c1", OTHER).tick(10);
    let request = w.make(asks(AskKind::Permission, Some("c1")));
    w.tool_done("c1", OTHER).raw(request).working();
    // The same call asked again later is another ask.
    w.tool("c1", OTHER).ask(AskKind::Permission, "c1").needs(Reason::Permission);
}

#[test]
fn s7c_a_failure_with_a_subagents_id_is_ignored() {
    let mut w = turn();
    w.by("s", EventKind::TurnEnded(Box::new(end().failed().0))).working();
}

#[test]
fn s7c_a_later_tool_event_of_the_same_prompt_reopens_the_turn() {
    let mut w = turn();
    w.stop(end().no_lists().failed()).needs(Reason::Failed).tool("c1", OTHER).working();
    assert_eq!(w.session.turns.count, 1);
    w.tool_done("c1", OTHER).stop(end().closes()).needs(Reason::Done);
}

#[test]
fn asks_are_answered_each_for_itself_and_an_unknown_answer_does_nothing() {
    let mut w = turn();
    w.ask(AskKind::Permission, "c1").ask(AskKind::Question, "c2").needs(Reason::Question);
    w.event(EventKind::AskAnswered { id: Some(AskId::new("nobody's")) }).needs(Reason::Question);
    w.event(EventKind::AskAnswered { id: Some(AskId::new("ask of c2")) }).needs(Reason::Permission);
    w.event(EventKind::AskAnswered { id: Some(AskId::new("ask of c1")) }).working();
}

#[test]
fn the_users_hands_off_while_a_dialog_is_open() {
    for action in
        [UserAction::Done, UserAction::KeepWaiting, UserAction::CheckIn, UserAction::Snooze { minutes: 5 }]
    {
        let mut w = turn();
        w.start(&subagent("s"))
            .by("s", asks(AskKind::Permission, Some("x")))
            .stop(end().live(&[&subagent("s")]));
        w.act(action).needs(Reason::Permission);
        assert_eq!(w.conflicts.len(), 1);
        assert!(w.sent.is_empty());
    }
}
