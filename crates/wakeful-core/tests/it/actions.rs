//! Spec 30: what the user does, in every state, twice, and too late.

use wakeful_core::abilities::{Delivery, SelfWake};
use wakeful_core::causes::Reason;
use wakeful_core::effect::{Effect, Message};
use wakeful_core::event::*;
use wakeful_core::ids::TaskId;
use wakeful_core::session::Status;
use wakeful_core::time::Millis;

use crate::world::*;

fn replies() -> World {
    World::new().client(SelfWake::Yes, Delivery::Replies)
}

/// Waits for a command.
fn waiting() -> World {
    let mut w = replies();
    w.prompt("p1").start(&command("t")).stop(end().live(&[&command("t")])).waiting();
    w
}

fn done() -> World {
    let mut w = replies();
    w.prompt("p1").stop(end()).secs(4).needs(Reason::Done);
    w
}

fn stop_waiting(task: Option<&str>) -> UserAction {
    UserAction::StopWaiting { task: task.map(TaskId::new) }
}

fn reply() -> UserAction {
    UserAction::Reply { text: "go on".into() }
}

#[test]
fn keep_waiting_buys_an_hour_and_then_surfaces_again() {
    let mut w = waiting();
    w.minutes(31).needs(Reason::WaitTimeout).act(UserAction::KeepWaiting).waiting();
    assert_eq!((w.armed(TimerKind::Keep), w.armed(TimerKind::Cap)), (Some(Millis::minutes(60)), None));
    w.act(UserAction::KeepWaiting).waiting().minutes(59).waiting().minutes(2).needs(Reason::WaitTimeout);
    assert_eq!(w.rang(), [Reason::WaitTimeout, Reason::WaitTimeout]);
    assert!(w.conflicts.is_empty());
}

#[test]
fn keep_waiting_of_an_overdue_wake_rings_again_after_its_hour() {
    let mut w = replies();
    w.prompt("p1").start(&command("t")).awaits(&["t"]).stop(end().live(&[&command("t")]));
    w.report("t", TaskOutcome::Completed).minutes(6).needs(Reason::WakeOverdue);
    w.act(UserAction::KeepWaiting).waiting().minutes(59).waiting().minutes(2);
    w.needs(Reason::WakeOverdue);
    assert_eq!(w.rang(), [Reason::WakeOverdue, Reason::WakeOverdue]);
}

#[test]
fn keep_waiting_holds_what_nothing_backs() {
    let mut w = replies();
    w.prompt("p1").stop(end().waits()).needs(Reason::UnbackedWait).act(UserAction::KeepWaiting).waiting();
    w.minutes(61).needs(Reason::UnbackedWait);
}

#[test]
fn keep_waiting_for_nothing_is_a_conflict() {
    done().act(UserAction::KeepWaiting).needs(Reason::Done);
    let mut w = done();
    w.act(UserAction::KeepWaiting);
    assert_eq!(w.conflicts, ["the session waits for nothing"]);
}

#[test]
fn done_takes_one_cause_away_and_shows_what_is_beneath() {
    let mut w = done();
    w.act(UserAction::Done).is(Status::Idle).act(UserAction::Done).is(Status::Idle);
    assert!(w.conflicts.is_empty());
    let mut w = waiting();
    w.minutes(30).needs(Reason::WaitTimeout).act(UserAction::Done).waiting();
    let mut w = replies();
    w.prompt("p1").start(&command("t")).stop(end().asks("well?").live(&[&command("t")]));
    w.act(UserAction::Done).waiting().minutes(30).needs(Reason::WaitTimeout);
    let mut w = replies();
    w.prompt("p1").stop(end().failed()).act(UserAction::Done).is(Status::Idle);
    let mut w = replies();
    w.prompt("p1").exit(ExitCause::Unknown).needs(Reason::Orphaned).act(UserAction::Done).is(Status::Ended);
}

#[test]
fn done_on_a_stalled_turn_leaves_it_watched() {
    let mut w = replies();
    w.prompt("p1").minutes(20).needs(Reason::Stalled).act(UserAction::Done).working();
    w.minutes(20).needs(Reason::Stalled);
}

#[test]
fn every_action_on_a_session_that_resumed_reports_a_conflict() {
    for action in
        [UserAction::KeepWaiting, UserAction::CheckIn, UserAction::Done, stop_waiting(None), reply()]
    {
        let mut w = waiting();
        w.wake("p2", &[]).secs(4);
        let before = w.session.clone();
        w.act(action.clone()).working();
        assert_eq!(w.conflicts, ["the agent resumed 4 s ago"], "{action:?}");
        assert_eq!(w.session, before, "in place of acting");
        assert!(w.sent.is_empty());
    }
}

#[test]
fn every_action_on_an_ended_session_acts_on_nothing() {
    for action in [
        UserAction::KeepWaiting,
        UserAction::CheckIn,
        UserAction::Done,
        UserAction::Snooze { minutes: 5 },
        UserAction::Stop,
        reply(),
    ] {
        let mut w = waiting();
        w.exit(ExitCause::User).is(Status::Ended).act(action).is(Status::Ended);
        assert!(w.sent.is_empty());
    }
}

#[test]
fn snooze_twice_counts_from_the_second_and_a_prompt_ends_it() {
    let mut w = done();
    w.act(UserAction::Snooze { minutes: 10 }).minutes(5).act(UserAction::Snooze { minutes: 10 });
    w.minutes(6).is(Status::Snoozed);
    w.prompt("p2").working().stop(end()).needs(Reason::Done);
    assert_eq!(w.armed(TimerKind::Snooze), None);
    let mut w = done();
    w.act(UserAction::Snooze { minutes: 0 });
    assert_eq!(w.armed(TimerKind::Snooze), Some(Millis::minutes(1)), "T1: never at once");
}

#[test]
fn snooze_of_a_failure_says_that_it_stays() {
    let mut w = replies();
    w.prompt("p1").stop(end().failed()).act(UserAction::Snooze { minutes: 30 }).needs(Reason::Failed);
    assert_eq!(w.conflicts, ["failed stays in the inbox"]);
}

#[test]
fn stop_waiting_for_one_and_for_all() {
    let mut w = replies();
    w.prompt("p1").start(&command("t")).start(&subagent("s"));
    w.stop(end().live(&[&command("t"), &subagent("s")])).waiting();
    w.act(stop_waiting(Some("t"))).waiting().lists("t s");
    w.act(stop_waiting(Some("s"))).needs(Reason::Done).rings(&[]);
    w.act(stop_waiting(Some("s"))).act(stop_waiting(None)).needs(Reason::Done).rings(&[]);
    assert!(w.conflicts.is_empty());
    w.act(stop_waiting(Some("nobody"))).needs(Reason::Done);
    assert_eq!(w.conflicts.len(), 1);
    waiting().act(stop_waiting(None)).needs(Reason::Done).rings(&[]);
    let mut w = replies();
    w.prompt("p1").stop(end().external()).waiting().act(stop_waiting(None)).needs(Reason::Done).rings(&[]);
}

#[test]
fn stop_is_idle_silently_in_every_state() {
    waiting().act(UserAction::Stop).is(Status::Idle).act(UserAction::Stop).is(Status::Idle).rings(&[]);
    done().act(UserAction::Stop).is(Status::Idle);
    let mut w = replies();
    w.prompt("p1").stop(end().asks("well?")).act(UserAction::Stop).is(Status::Idle).rings(&[]);
    let mut w = waiting();
    w.minutes(31).act(UserAction::Snooze { minutes: 5 }).act(UserAction::Stop).is(Status::Idle).minutes(10);
    w.is(Status::Idle);
    let mut w = waiting();
    w.event(EventKind::Stopped).is(Status::Idle).rings(&[]);
    let mut w = replies();
    w.prompt("p1")
        .event(EventKind::Stopped)
        .is(Status::Idle)
        .stop(end().interrupted())
        .is(Status::Idle)
        .rings(&[]);
}

#[test]
fn reply_is_sent_where_it_arrives_as_the_users() {
    let mut w = done();
    w.act(reply());
    assert_eq!(w.sent, [Message::Reply { text: "go on".into() }]);
    w.says("p2", "go on", Opener::User, &[]).working();
    for delivery in [Delivery::None, Delivery::CheckInsOnly] {
        let mut w = done().client(SelfWake::Yes, delivery);
        w.act(reply()).needs(Reason::Done);
        assert_eq!((w.sent.len(), w.conflicts.len()), (0, 1));
    }
}

#[test]
fn check_in_now_is_sent_once_until_it_is_acknowledged() {
    let mut w = waiting();
    w.act(UserAction::CheckIn).act(UserAction::CheckIn).waiting();
    assert_eq!((w.sent.len(), w.view().check_ins), (1, 1));
    w.says("c", "c", Opener::CheckIn, &[]).stop(end().live(&[&command("t")])).act(UserAction::CheckIn);
    assert_eq!(w.sent.len(), 2);
    let mut w = waiting().client(SelfWake::Yes, Delivery::None);
    w.act(UserAction::CheckIn);
    assert_eq!((w.sent.len(), w.conflicts.len()), (0, 1));
}

#[test]
fn nothing_is_sent_to_a_process_that_is_gone() {
    for action in [UserAction::CheckIn, reply()] {
        let mut w = waiting();
        w.exit(ExitCause::Unknown).needs(Reason::Orphaned).act(action);
        assert_eq!((w.sent.len(), w.conflicts.len()), (0, 1));
    }
}

#[test]
fn a_conflict_is_an_effect() {
    let mut w = done();
    w.act(UserAction::KeepWaiting);
    assert!(w.effects.iter().any(|effect| matches!(effect, Effect::Conflict { .. })));
}
