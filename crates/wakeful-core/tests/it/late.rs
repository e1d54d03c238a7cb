//! Late, doubled and reordered events (S1, S3b, S6, S11, C3, C8).

use wakeful_core::causes::Reason;
use wakeful_core::effect::Effect;
use wakeful_core::event::*;
use wakeful_core::ids::{TurnId, WakeId};
use wakeful_core::session::Status;

use crate::world::*;

const OTHER: ToolClass = ToolClass::Other;

/// A life of a session, as hooks tell it; each hook is registered twice.
fn life(double: bool) -> World {
    let mut w = World::new();
    let wake = w.native_in(20, "look");
    let then = |w: &mut World| {
        if double {
            w.again();
        } else {
            w.tick(30);
        }
    };
    then(w.prompt("p1"));
    then(w.tool("c1", OTHER));
    then(w.ask(AskKind::Permission, "c1"));
    then(w.tool_done("c1", OTHER));
    then(w.tool("c2", ToolClass::Subagent));
    then(w.tool_done("c2", ToolClass::Subagent));
    then(w.start(&command("t")));
    then(w.schedule(wake));
    then(w.stop(end().somewhere().live(&[&command("t")])));
    then(w.wake("p2", &[("t", TaskOutcome::Completed)]));
    then(w.stop(end().closes()));
    w
}

#[test]
fn s1_every_hook_registered_twice_acts_once() {
    let (mut once, mut twice) = (life(false), life(true));
    for w in [&mut once, &mut twice] {
        w.secs(10);
    }
    let shown = |w: &World| {
        let view = w.view();
        (view.status, view.waits, view.also, view.notifications, w.session.turns.count, w.rang())
    };
    assert_eq!(shown(&once), shown(&twice));
    assert_eq!(once.session.turns.count, 2);
}

#[test]
fn s1_a_doubled_event_one_step_late_acts_once() {
    // Each hook comes once more after the hook that follows it.
    let plain = life(false);
    let mut w = World::unseen();
    let mut before: Option<Event> = None;
    for (now, event) in plain.log.clone() {
        w.now = now;
        w.raw(event.clone());
        if let Some(before) = before.replace(event) {
            w.raw(before);
        }
    }
    w.secs(10);
    assert_eq!(w.session.turns.count, 2);
    assert_eq!(w.session.status(), plain.session.status());
    assert_eq!(w.view().waits, plain.view().waits);
}

#[test]
fn s1_a_doubled_prompt_without_turn_ids_opens_one_turn() {
    let mut w = World::new();
    w.prompt("p1");
    w.turn = None;
    let again = w.log.last().cloned().unwrap().1;
    let mut first = Event { turn: None, ..again };
    first.started = Some(w.now.boot);
    let mut w = World::new();
    w.raw(first.clone()).tick(30).raw(first);
    assert_eq!(w.session.turns.count, 1);
}

#[test]
fn s11_a_doubled_turn_end_arms_nothing_and_rings_once() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).stop(end().live(&[&command("t")])).waiting();
    let timers = w.session.timers.clone();
    w.again().waiting();
    assert_eq!(w.session.timers, timers, "T2");
    assert!(!w.effects.iter().any(|effect| matches!(effect, Effect::Decide(_))));
    let mut w = World::new();
    w.prompt("p1").stop(end()).again().secs(10).again().rings(&[Reason::Done]);
}

#[test]
fn s11_a_doubled_end_of_a_turn_whose_prompt_was_never_seen() {
    let mut w = World::new();
    w.prompt("p1");
    w.turn = Some(TurnId::new("p2"));
    w.stop(end()).needs(Reason::Done).again().secs(10);
    assert_eq!((w.rang(), w.session.turns.count), (vec![Reason::Done], 2));
    // Nor was the turn's id: a wake of the stream opened it.
    let mut w = World::new();
    w.attach("w1");
    w.turn = Some(TurnId::new("p1"));
    w.stop(end()).again().secs(10);
    assert_eq!((w.rang(), w.session.turns.count), (vec![Reason::Done], 1));
}

#[test]
fn s3b_a_stop_that_arrives_after_the_next_prompt_edits_the_ledger_only() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).tick(10);
    let stop = w.make(EventKind::TurnEnded(Box::new(end().closes().live(&[&command("t"), &command("u")]).0)));
    w.prompt("p2").raw(stop).working().lists("t u");
    assert_eq!(w.session.decision, None);
    w.stop(end().live(&[&command("t")])).waiting().lists("t u!");
}

#[test]
fn s6_a_stop_that_arrives_after_the_wake_does_not_revive_its_task() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).awaits(&["t"]).tick(10);
    let stop = w.make(EventKind::TurnEnded(Box::new(end().live(&[&command("t")]).0)));
    w.wake("p2", &[("t", TaskOutcome::Completed)]).raw(stop).lists("").working();
    w.stop(end().closes()).lists("").needs(Reason::Done);
}

#[test]
fn s6_a_late_start_does_not_revive_a_task_that_has_ended() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t"));
    let start = w.log.last().cloned().unwrap().1;
    w.wake("p1", &[("t", TaskOutcome::Completed)]).lists("").raw(start.clone()).lists("");
    w.stop(end().closes()).raw(start).lists("").needs(Reason::Done);
    // Another call is a new start (A7).
    w.prompt("p2").start_by(&command("t"), "another").lists("t");
}

#[test]
fn s6_a_repeated_report_does_not_revive() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).stop(end().live(&[&command("t")]));
    w.report("t", TaskOutcome::Stopped).lists("").report("t", TaskOutcome::Completed).lists("");
    w.needs(Reason::Done);
}

#[test]
fn a_start_told_by_a_second_source_without_its_call_keeps_the_flag() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).awaits(&["t"]);
    w.event(EventKind::TaskStarted { task: command("t"), tool_use: None }).lists("t*");
}

#[test]
fn s3b_a_late_prompt_of_an_ended_turn_still_consumes_what_it_reports() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).awaits(&["t"]).stop(end().live(&[&command("t")]));
    w.report("t", TaskOutcome::Completed).tick(10);
    let prompt = w.make(EventKind::PromptSubmitted {
        opener: Opener::Wake,
        digest: wakeful_core::ids::Digest(9),
        reports: vec![report("t", Some(TaskOutcome::Completed))],
        label: String::new(),
    });
    let prompt = Event { turn: Some(TurnId::new("p2")), ..prompt };
    w.turn = Some(TurnId::new("p2"));
    w.tool("c1", OTHER).stop(end().closes()).waiting().raw(prompt).lists("").needs(Reason::Done);
}

#[test]
fn a_late_prompt_of_the_open_turn_is_its_opener() {
    let mut w = World::new();
    w.prompt("p1").stop(end()).secs(10);
    w.turn = Some(TurnId::new("p2"));
    w.tick(10);
    let prompt = w.make(EventKind::PromptSubmitted {
        opener: Opener::Wake,
        digest: wakeful_core::ids::Digest(9),
        reports: vec![],
        label: String::new(),
    });
    w.tool("c1", OTHER).raw(prompt).working();
    assert_eq!(w.session.turns.count, 2);
    assert_eq!(w.session.turns.open.as_ref().unwrap().opener, Opener::Wake);
}

#[test]
fn a_tool_of_the_next_turn_before_its_prompt_opens_that_turn() {
    let mut w = World::new();
    w.prompt("p1").tick(10);
    let stop = w.make(EventKind::TurnEnded(Box::new(end().closes().0)));
    w.turn = Some(TurnId::new("p2"));
    w.tool("c1", OTHER).raw(stop).working();
    assert_eq!(w.session.turns.count, 2);
}

#[test]
fn a_blocked_stop_goes_on_under_the_same_turn() {
    let mut w = World::new();
    w.prompt("p1").stop(end()).needs(Reason::Done);
    w.tick(500).tool("c1", OTHER).working().tool_done("c1", OTHER);
    w.stop(end().closes()).needs(Reason::Done).rings(&[Reason::Done]);
    assert_eq!(w.session.turns.count, 1);
    // Without a tool call, and then word for word the same.
    let mut w = World::new();
    w.prompt("p1").stop(end()).tick(500).stop(end().asks("well?")).needs(Reason::Question);
    w.tick(500).again().needs(Reason::Question);
}

#[test]
fn a_doubled_stop_after_the_blocked_turn_went_on_does_not_end_it() {
    let mut w = World::new();
    w.prompt("p1").stop(end());
    let stop = w.log.last().cloned().unwrap().1;
    w.tick(500).tool("c1", OTHER).raw(stop).working();
    w.stop(end().closes()).needs(Reason::Done);
}

#[test]
fn late_tool_events_of_an_ended_turn_change_nothing_that_shows() {
    let mut w = World::new();
    w.prompt("p1").tick(10);
    let (pre, post) = (w.make(tool_started("c1", OTHER)), w.make(tool_finished("c1", OTHER)));
    w.stop(end().closes()).needs(Reason::Done).raw(pre.clone()).raw(post).needs(Reason::Done);
    w.prompt("p2").raw(pre).working();
    assert!(w.session.turns.open.as_ref().unwrap().running.is_empty());
}

#[test]
fn a_doubled_start_after_its_end_leaves_no_pending_subagent() {
    let mut w = World::new();
    w.prompt("p1").tool("c1", ToolClass::Subagent);
    let start = w.log.last().cloned().unwrap().1;
    w.tool_done("c1", ToolClass::Subagent).raw(start).stop(end().closes()).needs(Reason::Done);
}

#[test]
fn an_event_without_a_turn_id_from_before_the_open_turn_is_late() {
    let mut w = World::new();
    w.prompt("p1").tick(10);
    let stop = Event { turn: None, ..w.make(EventKind::TurnEnded(Box::new(end().0))) };
    w.tick(10).prompt("p2").raw(stop).working();
}

#[test]
fn a_doubled_schedule_after_its_confirmation_keeps_it() {
    let mut w = World::new();
    w.prompt("p1");
    let wake = w.native_in(20, "look");
    w.schedule(wake.clone());
    let schedule = w.log.last().cloned().unwrap().1;
    w.stop(end().crons(&[row("r", &wake)])).waiting().raw(schedule).waiting();
    assert_eq!(w.view().waits.len(), 1);
}

#[test]
fn a_schedule_that_arrives_after_the_list_that_has_it_is_the_same_wake() {
    let mut w = World::new();
    w.prompt("p1");
    let wake = w.native_in(20, "look");
    w.tick(10);
    let schedule = w.make(EventKind::WakeScheduled(wake.clone()));
    w.stop(end().crons(&[row("r", &wake)])).waiting().raw(schedule).waiting();
    assert_eq!(w.session.ledger.wakes.len(), 1);
    w.prompt("p2").stop(end().crons(&[row("r", &wake)])).waiting();
    assert_eq!(w.session.ledger.wakes.len(), 1);
}

#[test]
fn a_late_cancellation_explains_a_wake_that_is_gone() {
    let mut w = World::new();
    w.prompt("p1");
    let wake = w.native_in(20, "look");
    w.schedule(wake.clone()).stop(end().crons(&[row("r", &wake)])).prompt("p2").tick(10);
    let cancel = w.make(EventKind::WakeCancelled { id: Some(WakeId::new("r")) });
    w.stop(end()).needs(Reason::WakeOverdue).raw(cancel).needs(Reason::Done);
}

#[test]
fn a_doubled_end_of_a_session_acts_once() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).stop(end().live(&[&command("t")]));
    w.event(EventKind::SessionEnded { end: SessionEnd::Clear }).is(Status::Ended);
    let handed = |w: &World| w.effects.iter().any(|effect| matches!(effect, Effect::HandOver(_)));
    assert!(handed(&w));
    w.again().is(Status::Ended);
    assert!(!handed(&w), "an empty inheritance would be taken for the real one");
}

#[test]
fn a_late_hook_does_not_revive_an_ended_session() {
    let mut w = World::new();
    w.tick(10);
    w.turn = Some(TurnId::new("p1"));
    let stop = w.make(EventKind::TurnEnded(Box::new(end().0)));
    w.event(EventKind::SessionEnded { end: SessionEnd::User }).is(Status::Ended);
    w.raw(stop).is(Status::Ended);
}

#[test]
fn a_hook_start_from_the_future_does_not_make_later_events_late() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t"));
    let mut odd =
        w.make(EventKind::TaskRoster(Roster { tasks: Some(vec![command("t")]), ..Roster::default() }));
    odd.started = Some(wakeful_core::time::Boot(u64::MAX));
    w.raw(odd).stop(end().closes()).needs(Reason::Done).lists("t!");
}

#[test]
fn after_a_reboot_hook_starts_of_the_new_boot_are_not_late() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).stop(end().live(&[&command("t")])).exit(ExitCause::Unknown);
    w.now.boot_id = wakeful_core::time::BootId(2);
    w.now.boot = wakeful_core::time::Boot(20_000);
    w.turn = None;
    w.event(EventKind::SessionStarted { start: SessionStart::Resume, place: Place::default() });
    w.prompt("p2").start(&command("u")).stop(end().live(&[&command("u")])).waiting();
    w.roster(&[]).lists("u!").waiting();
    w.turn = None;
    w.event(asks(AskKind::Permission, Some("c1"))).needs(Reason::Permission);
}

#[test]
fn an_end_that_says_nothing_is_a_failure_in_an_open_turn_only() {
    // C5: Codex's failed request ends in the end of its session, without an end of its turn.
    let failed = || EventKind::SessionEnded { end: SessionEnd::Failed };
    let mut w = World::new();
    w.prompt("p1").event(failed()).needs(Reason::Failed);
    w.again().needs(Reason::Failed);
    let mut w = World::new();
    w.prompt("p1").stop(end().no_lists());
    w.event(failed()).is(Status::Ended);
}
