//! Spec 30: T1 to T11 and what happens at the cap.

use wakeful_core::abilities::{Delivery, SelfWake};
use wakeful_core::causes::Reason;
use wakeful_core::effect::Message;
use wakeful_core::event::*;
use wakeful_core::ids::Epoch;
use wakeful_core::session::Status;
use wakeful_core::settings::*;
use wakeful_core::time::{Boot, BootId, Millis, Wall};

use crate::world::*;

/// A turn ended while a command runs: the cap is armed.
fn capped() -> World {
    capped_with(|_| {})
}

fn capped_with(change: impl FnOnce(&mut Settings)) -> World {
    let mut w = World::new().with(change);
    w.prompt("p1").start(&command("t")).stop(end().live(&[&command("t")])).waiting();
    w
}

#[test]
fn t1_one_resolver() {
    let ranges = [AUTO_WAIT, KEEP_WAITING, UNBACKED_WAIT, EXTERNAL_WAIT, OVERDUE, STALL, INBOX_MULTIPLE];
    for range in ranges {
        for odd in [None, Some(f64::NAN), Some(f64::INFINITY), Some(-1.0), Some(f64::NEG_INFINITY)] {
            assert_eq!(range.resolve(odd), Minutes(range.default), "{odd:?}");
        }
        let zero = if range.min == 0 { 0 } else { range.default };
        assert_eq!(range.resolve(Some(0.0)), Minutes(zero));
        assert_eq!(range.resolve(Some(1e9)), Minutes(range.max));
        assert_eq!(range.resolve(Some(0.01)), Minutes(range.min.max(1)), "never at once by accident");
        assert_eq!(range.resolve(Some(f64::from(range.max))), Minutes(range.max));
    }
    assert_eq!([AUTO_WAIT.default, KEEP_WAITING.default, OVERDUE.default, STALL.default], [30, 60, 5, 20]);
    assert_eq!([UNBACKED_WAIT.default, EXTERNAL_WAIT.default, INBOX_MULTIPLE.default], [0, 10, 2]);
}

#[test]
fn t2_arming_replaces() {
    let mut w = capped();
    let first = w.session.timers.get(TimerKind::Cap).cloned().unwrap();
    w.prompt("p2").stop(end().live(&[&command("t")])).waiting();
    let second = w.session.timers.get(TimerKind::Cap).cloned().unwrap();
    assert!(second.generation > first.generation);
    w.tick(Millis::minutes(31).0).raw(fire_event(first.kind, first.epoch, first.generation)).waiting();
    w.fire();
    w.needs(Reason::WaitTimeout);
}

#[test]
fn t3_a_stale_or_early_timer_does_nothing() {
    let mut w = capped();
    let cap = w.session.timers.get(TimerKind::Cap).cloned().unwrap();
    let before = w.session.clone();
    w.raw(fire_event(cap.kind, cap.epoch, cap.generation)).raw(fire_event(
        cap.kind,
        cap.epoch,
        cap.generation + 1,
    ));
    w.raw(fire_event(TimerKind::Keep, cap.epoch, cap.generation));
    w.tick(Millis::minutes(31).0).raw(fire_event(cap.kind, Epoch(0), cap.generation));
    assert_eq!(w.session, before);
    w.raw(fire_event(cap.kind, cap.epoch, cap.generation)).needs(Reason::WaitTimeout);
    let after = w.session.clone();
    w.raw(fire_event(cap.kind, cap.epoch, cap.generation));
    assert_eq!(w.session, after, "fires once");
}

#[test]
fn t3_a_timer_of_an_older_epoch_has_no_effect() {
    let mut w = capped();
    let cap = w.session.timers.get(TimerKind::Cap).cloned().unwrap();
    w.turn = None;
    w.event(EventKind::SessionStarted { start: SessionStart::Resume, place: Place::default() });
    w.prompt("p2").start(&command("u")).stop(end().live(&[&command("u")])).waiting();
    w.tick(Millis::minutes(29).0).raw(fire_event(cap.kind, cap.epoch, cap.generation)).waiting();
}

#[test]
fn t4_an_overdue_timer_fires_once_at_start() {
    let mut w = capped();
    w.tick(Millis::minutes(500).0).fire();
    w.needs(Reason::WaitTimeout).rings(&[Reason::WaitTimeout]);
}

#[test]
fn t4_a_reboot_counts_by_the_wall_deadline() {
    let mut w = capped();
    w.now.boot_id = BootId(2);
    w.now.boot = Boot(1);
    w.now.wall = w.now.wall.plus(Millis::minutes(29));
    assert_eq!(w.fire(), 0);
    w.now.wall = w.now.wall.plus(Millis::minutes(1));
    w.fire();
    w.needs(Reason::WaitTimeout);
}

#[test]
fn t4_steps_of_the_clock_fire_nothing_early_late_or_twice() {
    for step in [-86_400_000_i64, 86_400_000] {
        let mut w = capped();
        w.now.wall = Wall(w.now.wall.0 + step);
        assert_eq!(w.fire(), 0);
        w.minutes(29).waiting().minutes(1).needs(Reason::WaitTimeout);
        w.now.wall = Wall(w.now.wall.0 - step);
        w.minutes(60);
        assert_eq!(w.rang(), [Reason::WaitTimeout]);
    }
}

#[test]
fn t4_overdue_of_an_owed_wake_knows_no_clock_steps() {
    for step in [-86_400_000_i64, 86_400_000] {
        let mut w = World::new();
        w.prompt("p1").start(&command("t")).awaits(&["t"]).stop(end().live(&[&command("t")]));
        w.report("t", TaskOutcome::Completed);
        w.now.wall = Wall(w.now.wall.0 + step);
        w.minutes(4).waiting().minutes(1).needs(Reason::WakeOverdue);
    }
}

#[test]
fn t4_a_wake_of_wakeful_knows_no_clock_steps() {
    for step in [-86_400_000_i64, 86_400_000] {
        let mut w = World::new().client(SelfWake::Yes, Delivery::Replies);
        w.prompt("p1");
        let wake = w.own_in(20, "look", false);
        w.schedule(wake).stop(end()).waiting();
        w.now.wall = Wall(w.now.wall.0 + step);
        w.event(EventKind::Noticed { name: "anything".into() }).minutes(19);
        assert_eq!(w.sent.len(), 0);
        w.minutes(1);
        assert_eq!(w.sent.len(), 1);
        w.now.wall = Wall(w.now.wall.0 - step);
        w.event(EventKind::Noticed { name: "anything".into() }).minutes(4);
        assert_eq!(w.sent.len(), 1, "not twice");
        w.minutes(2);
        assert_ne!(w.session.status(), Status::Waiting, "and it is collected in time");
    }
}

#[test]
fn t4_a_clients_own_wake_follows_the_wall_clock() {
    let mut w = World::new();
    w.prompt("p1");
    let wake = w.native_in(20, "look");
    w.schedule(wake.clone()).stop(end().crons(&[row("r", &wake)])).waiting();
    w.now.wall = w.now.wall.plus(Millis::minutes(10));
    w.minutes(14).waiting().minutes(1).needs(Reason::WakeOverdue);
}

#[test]
fn t5_the_shown_minutes_are_the_armed_ones() {
    let mut w = capped();
    w.settings.auto_wait = mins(5);
    w.minutes(6).waiting();
    let until = w.view().until.unwrap();
    assert_eq!(
        (until.timer, until.after, until.left.minutes_up()),
        (TimerKind::Cap, Millis::minutes(30), 24)
    );
    assert_eq!(until.deadline, w.session.timers.get(TimerKind::Cap).unwrap().deadline);
}

#[test]
fn t6_a_turn_start_cancels_cap_keep_and_inbox_check_in() {
    let mut w = capped_with(|s| s.inbox_check_in = true);
    w.prompt("p2");
    assert_eq!(w.armed(TimerKind::Cap), None);
    w.stop(end().live(&[&command("t")])).act(UserAction::KeepWaiting);
    assert_eq!((w.armed(TimerKind::Cap), w.armed(TimerKind::Keep)), (None, Some(Millis::minutes(60))));
    w.wake("p3", &[]);
    assert_eq!(w.armed(TimerKind::Keep), None);
    w.stop(end().live(&[&command("t")])).minutes(31).needs(Reason::WaitTimeout);
    assert_eq!(w.armed(TimerKind::InboxCheckIn), Some(Millis::minutes(60)));
    w.prompt("p4");
    assert_eq!(w.armed(TimerKind::InboxCheckIn), None);
}

#[test]
fn t6_a_reply_cancels_the_cap_and_not_the_agents_own_wake() {
    let mut w = capped().client(SelfWake::Yes, Delivery::Replies);
    w.act(UserAction::Reply { text: "go on".into() }).waiting();
    assert_eq!(w.armed(TimerKind::Cap), None);
    let mut w = World::new();
    w.prompt("p1");
    let wake = w.native_in(20, "look");
    w.schedule(wake.clone()).stop(end().crons(&[row("r", &wake)])).prompt("p2");
    assert_eq!(w.session.ledger.wakes.len(), 1);
}

#[test]
fn t7_a_stated_eta_extends_the_cap() {
    for (eta, minutes, by_eta) in [(40, 50, true), (10, 30, false), (24, 30, false), (10_000, 240, true)] {
        let mut w = World::new();
        w.prompt("p1").start(&command("t")).stop(end().eta(eta).live(&[&command("t")]));
        assert_eq!(w.armed(TimerKind::Cap), Some(Millis::minutes(minutes)), "{eta}");
        let wakeful_core::decision::Verdict::Waiting { bound, .. } = &w.decision().verdict else { panic!() };
        let after = Millis::minutes(minutes);
        assert_eq!(*bound, wakeful_core::decision::Bound::Cap { after, by_eta }, "the view says why");
    }
    let mut w = World::new();
    w.prompt("p1").stop(end().external().eta(20)).waiting();
    assert_eq!(w.armed(TimerKind::Cap), Some(Millis::minutes(25)), "external waits included");
}

#[test]
fn t8_at_the_cap_it_surfaces_and_nothing_is_injected() {
    let mut w = capped();
    w.minutes(30).needs(Reason::WaitTimeout).rings(&[Reason::WaitTimeout]).minutes(600);
    w.needs(Reason::WaitTimeout);
    assert!(w.sent.is_empty());
    assert_eq!(w.rang().len(), 1);
}

/// Lets the cap run out, and the check-in's turn wait again.
fn another_check_in(w: &mut World, turn: &str) {
    w.minutes(30).waiting();
    w.says(turn, turn, Opener::CheckIn, &[]).working().stop(end().live(&[&command("t")])).waiting();
}

#[test]
fn t9_three_check_ins_and_then_the_inbox() {
    let mut w = capped_with(|s| s.auto_check_in = true);
    for turn in ["c1", "c2", "c3"] {
        another_check_in(&mut w, turn);
    }
    assert_eq!(w.sent, vec![Message::CheckIn; 3]);
    assert_eq!(w.view().check_ins, 3);
    w.minutes(30).needs(Reason::WaitTimeout).rings(&[Reason::WaitTimeout]);
}

#[test]
fn t9_the_count_resets_on_the_user_and_on_a_wait_discharged_by_its_own_wake() {
    let mut w = capped_with(|s| s.auto_check_in = true);
    another_check_in(&mut w, "c1");
    assert_eq!(w.session.check_ins.auto, 1);
    w.wake("p2", &[]).tool("x", ToolClass::Other);
    assert_eq!(w.session.check_ins.auto, 1, "other activity resets nothing");
    w.stop(end().live(&[&command("t")])).wake("p3", &[("t", TaskOutcome::Completed)]);
    assert_eq!(w.session.check_ins.auto, 0);
    w.start_by(&command("t"), "again").stop(end().live(&[&command("t")]));
    another_check_in(&mut w, "c2");
    w.prompt("p4");
    assert_eq!(w.session.check_ins.auto, 0);
}

#[test]
fn t10_from_the_inbox_is_a_switch_of_its_own_with_a_budget_of_its_own() {
    let mut w = capped_with(|s| s.inbox_check_in = true);
    for turn in ["c1", "c2", "c3"] {
        w.minutes(30).needs(Reason::WaitTimeout).minutes(60);
        w.says(turn, turn, Opener::CheckIn, &[]).working().stop(end().live(&[&command("t")])).waiting();
    }
    assert_eq!(w.sent.len(), 3);
    w.minutes(30).needs(Reason::WaitTimeout).minutes(600).needs(Reason::WaitTimeout);
    assert_eq!(w.sent.len(), 3);
    // Only for wait_timeout.
    let mut w = World::new().with(|s| s.inbox_check_in = true);
    w.prompt("p1").stop(end()).minutes(600).needs(Reason::Done);
    assert!(w.sent.is_empty());
}

#[test]
fn t10_also_for_a_wait_timeout_that_no_cap_brought() {
    let mut w = World::new().with(|s| (s.inbox_check_in, s.external_wait) = (true, mins(0)));
    w.prompt("p1").stop(end().external()).needs(Reason::WaitTimeout).minutes(61);
    assert_eq!(w.sent, [Message::CheckIn]);
}

#[test]
fn t11_no_safe_channel_surfaces_and_says_so() {
    let mut w = capped_with(|s| s.auto_check_in = true).client(SelfWake::Yes, Delivery::None);
    w.minutes(30).needs(Reason::WaitTimeout);
    assert_eq!(w.view().detail.as_deref(), Some("no safe channel for a check-in"));
    // Nor where the session's start was never seen (C10).
    let mut w = World::unseen().with(|s| s.auto_check_in = true);
    w.prompt("p1").start(&command("t")).stop(end().live(&[&command("t")])).minutes(30);
    w.needs(Reason::WaitTimeout);
    assert!(w.sent.is_empty());
}

#[test]
fn t11_a_cap_under_an_open_ask_fires_beneath_it() {
    let mut w = World::new().with(|s| s.auto_check_in = true);
    w.prompt("p1").start(&subagent("s")).by("s", asks(AskKind::Permission, Some("x")));
    w.stop(end().live(&[&subagent("s")])).minutes(31).needs(Reason::Permission);
    assert!(w.sent.is_empty(), "a dialog may be open");
    w.by("s", tool_finished("x", ToolClass::Other)).needs(Reason::WaitTimeout);
}

#[test]
fn c10_an_unacknowledged_check_in_surfaces_and_is_not_repeated() {
    let mut w = capped_with(|s| s.auto_check_in = true);
    w.minutes(30).waiting().secs(60).needs(Reason::WaitTimeout).minutes(300);
    assert_eq!(w.sent.len(), 1);
    assert!(w.view().detail.unwrap().contains("no turn has acknowledged it"));
}

#[test]
fn c10_any_turn_acknowledges_a_delivery() {
    for opener in [Opener::User, Opener::CheckIn, Opener::Wake] {
        let mut w = capped().client(SelfWake::Yes, Delivery::Replies);
        w.act(UserAction::Reply { text: "go on".into() });
        let ended = report("t", Some(TaskOutcome::Completed));
        w.says("p2", "go on", opener, &[ended])
            .stop(end().closes())
            .needs(Reason::Done)
            .minutes(2)
            .needs(Reason::Done);
    }
}

#[test]
fn overdue_is_cancelled_by_a_turn_and_starts_again_at_its_end() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).awaits(&["t"]).stop(end().live(&[&command("t")]));
    w.report("t", TaskOutcome::Completed).minutes(3).prompt("p2");
    assert_eq!(w.armed(TimerKind::Overdue), None);
    w.minutes(10).working().stop(end()).waiting().minutes(4).waiting().minutes(1).needs(Reason::WakeOverdue);
}

#[test]
fn stall_is_measured_from_the_last_event_and_any_event_clears_it() {
    let mut w = World::new();
    w.prompt("p1").minutes(15).tool("x", ToolClass::Other).minutes(15).working();
    w.minutes(5).needs(Reason::Stalled).rings(&[Reason::Stalled]);
    w.tool_done("x", ToolClass::Other).working().minutes(20).needs(Reason::Stalled);
    w.secs(4);
    assert_eq!(w.rang().len(), 2, "a second stall is another cause");
}

#[test]
fn s10_whatever_waits_is_never_stalled_and_a_dialog_is_not_a_stall() {
    let mut w = World::new();
    w.prompt("p1").start(&limited("t", 600)).awaits(&["t"]).stop(end().live(&[&limited("t", 600)]));
    w.minutes(300).waiting();
    let mut w = World::new();
    w.prompt("p1").ask(AskKind::Permission, "x").minutes(300).needs(Reason::Permission);
    w.tool_done("x", ToolClass::Other).working();
}

#[test]
fn snooze_ends_in_the_inbox_and_rings() {
    let mut w = World::new();
    w.prompt("p1").stop(end()).rings(&[Reason::Done]).act(UserAction::Snooze { minutes: 30 });
    w.is(Status::Snoozed).minutes(29).is(Status::Snoozed).minutes(2).needs(Reason::Done);
    assert_eq!(w.rang(), [Reason::Done, Reason::Done], "the end of a snooze is a cause of its own");
}

#[test]
fn snooze_is_ended_early_by_what_must_be_seen_and_not_by_the_rest() {
    let snoozed = || {
        let mut w = World::new();
        w.prompt("p1").start(&command("t")).start(&subagent("s"));
        w.stop(end().live(&[&command("t"), &subagent("s")])).act(UserAction::Snooze { minutes: 600 });
        w.is(Status::Snoozed);
        w
    };
    snoozed().by("s", asks(AskKind::Permission, Some("x"))).needs(Reason::Permission);
    snoozed().wake("p2", &[]).stop(end().failed()).needs(Reason::Failed);
    snoozed().wake("p2", &[]).stop(end().asks("well?")).needs(Reason::Question);
    snoozed().exit(ExitCause::Unknown).needs(Reason::Orphaned);
    snoozed().prompt("p2").stop(end()).waiting();
    let mut w = snoozed();
    w.wake("p2", &[]).working().stop(end().live(&[&command("t")])).is(Status::Snoozed);
    w.report("t", TaskOutcome::Completed)
        .minutes(30)
        .is(Status::Snoozed)
        .minutes(600)
        .needs(Reason::WakeOverdue);
}
