//! Spec 40: every row of the ordering table that events can express, and the invariants. `t` awaited command, `d`
//! unawaited dev server, `m` awaited monitor.

use wakeful_core::causes::Reason;
use wakeful_core::event::TaskOutcome::{Completed, Failed, Stopped, StoppedByUnknown, TimedOut};
use wakeful_core::event::{EventKind, ExitCause, Roster, TaskKind, TimerKind, UserAction, WakeStage};
use wakeful_core::ids::{Epoch, TaskId, WakeId};
use wakeful_core::session::Status;
use wakeful_core::view::{PhaseView, WaitKind};

use crate::world::*;

/// "turn 1 ended, R[t,d], t awaited"
fn turn_one_ended() -> World {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).start(&server("d")).awaits(&["t"]);
    w.stop(end().live(&[&command("t"), &server("d")]));
    w
}

/// The same with only `t`.
fn only_t() -> World {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).awaits(&["t"]).stop(end().live(&[&command("t")]));
    w
}

/// a and b awaited.
fn two() -> World {
    let mut w = World::new();
    w.prompt("p1").start(&command("a")).start(&command("b")).awaits(&["a", "b"]);
    w.stop(end().live(&[&command("a"), &command("b")]));
    w
}

fn ends(w: &mut World, live: &[&wakeful_core::event::Task]) {
    w.stop(end().closes().live(live));
}

#[test]
fn row_01_start() {
    turn_one_ended().lists("t* d").waiting().replaceable(false);
}

#[test]
fn row_02_report_and_roster_in_either_order() {
    // A3: both orders end in the same visible state, the second arrival changes nothing.
    let mut first = turn_one_ended();
    first.report("t", Completed).lists("t*! d").waiting();
    first.roster(&[&server("d")]).lists("t*! d").waiting().replaceable(false);
    let mut second = turn_one_ended();
    second.roster(&[&server("d")]).lists("t*! d").waiting();
    second.report("t", Completed).lists("t*! d").waiting().replaceable(false);
    let shown = |w: &World| (w.view().status, w.view().waits, w.view().detail);
    assert_eq!(shown(&first), shown(&second));
}

#[test]
fn row_03_announced() {
    let mut w = turn_one_ended();
    w.report("t", Completed).roster(&[&server("d")]).announce("w1");
    w.lists("t*! d").waiting().replaceable(false);
    assert_eq!(w.session.ledger.announced, [WakeId::new("w1")], "A11: one continuation is outstanding");
}

#[test]
fn row_04_attached() {
    let mut w = turn_one_ended();
    w.report("t", Completed).roster(&[&server("d")]).announce("w1").attach("w1");
    w.lists("d").working();
    assert!(w.session.ledger.announced.is_empty());
}

#[test]
fn row_05_its_result_shows_done_once() {
    let mut w = turn_one_ended();
    w.report("t", Completed).roster(&[&server("d")]).announce("w1").attach("w1");
    ends(&mut w, &[&server("d")]);
    w.lists("d").needs(Reason::Done).replaceable(false).rings(&[Reason::Done]);
    w.minutes(600);
    assert_eq!(w.rang(), [Reason::Done], "once");
}

#[test]
fn row_06_an_empty_roster_keeps_the_hold_and_the_process() {
    let mut w = only_t();
    w.roster(&[]).lists("t*!").waiting().replaceable(false);
}

#[test]
fn row_07_an_empty_roster_first_loses_no_wake() {
    // A12, A15
    let mut w = only_t();
    w.roster(&[]).report("t", Completed).announce("w1").attach("w1").working();
    ends(&mut w, &[]);
    w.lists("").needs(Reason::Done).replaceable(true).rings(&[Reason::Done]);
}

#[test]
fn row_08_stopped_in_either_order_is_finished_without_a_continuation() {
    // A17
    let mut w = only_t();
    w.roster(&[]).waiting().report("t", Stopped).lists("").needs(Reason::Done).replaceable(true);
    let mut w = only_t();
    w.report("t", Stopped).lists("").needs(Reason::Done).roster(&[]).lists("").needs(Reason::Done);
    assert!(w.session.ledger.announced.is_empty());
    w.rings(&[Reason::Done]);
}

#[test]
fn row_09_failed_and_timed_out_are_owed_like_completed() {
    for outcome in [Failed, TimedOut, StoppedByUnknown] {
        let mut w = turn_one_ended();
        w.report("t", outcome).roster(&[&server("d")]).lists("t*! d").waiting().replaceable(false);
        w.announce("w1").attach("w1").lists("d").working();
    }
}

#[test]
fn row_10_unawaited_while_owed_stays_listed_and_holds_no_longer() {
    let mut w = only_t();
    w.report("t", Completed).unawaits(&["t"]).lists("t!").needs(Reason::Done).replaceable(false);
    w.announce("w1").attach("w1").lists("").replaceable(true);
}

#[test]
fn row_11_stop_while_owed() {
    // A16: a published empty roster, and no continuation.
    let mut w = only_t();
    w.report("t", Completed).act(UserAction::Stop).lists("").is(Status::Idle).replaceable(true);
    assert!(w.effects.iter().any(|e| matches!(e, wakeful_core::effect::Effect::Publish { .. })));
    w.report("t", Completed).lists("").is(Status::Idle).rings(&[]);
}

#[test]
fn row_12_an_older_record_cannot_hide_the_hold_from_stop() {
    let mut w = only_t();
    let older = w.make(EventKind::TaskRoster(Roster { tasks: Some(vec![]), ..Roster::default() }));
    w.tick(100).roster(&[&command("t")]);
    w.report("t", Completed).raw(older).lists("t*!").waiting();
    w.act(UserAction::Stop).lists("").is(Status::Idle).replaceable(true);
    assert!(w.effects.iter().any(|e| matches!(e, wakeful_core::effect::Effect::Publish { .. })));
}

#[test]
fn row_13_the_process_exits_while_owed() {
    // A23
    let mut w = only_t();
    w.report("t", Completed).exit(ExitCause::Unknown).needs(Reason::Orphaned).replaceable(true);
    let detail = w.view().detail.unwrap();
    assert!(detail.contains("lost with the process") && detail.contains("label of t"), "{detail}");
}

#[test]
fn row_14_the_continuation_is_discarded() {
    let mut w = only_t();
    w.report("t", Completed).announce("w1").native("w1", WakeStage::Discarded);
    w.lists("").needs(Reason::Done).replaceable(true);
}

#[test]
fn row_15_the_id_starts_again() {
    // A7: unawaited, and nothing owed.
    let mut w = only_t();
    w.report("t", Completed).prompt("p2").start_by(&command("t"), "another call").lists("t").working();
    w.stop(end().live(&[&command("t")])).lists("t").waiting().replaceable(false);
    w.roster(&[]).lists("t!").waiting();
}

#[test]
fn row_15_between_turns_it_is_not_silent() {
    let mut w = only_t();
    w.report("t", Completed).start_by(&command("t"), "another call").lists("t");
    assert_ne!(w.session.status(), Status::Idle, "somebody must look: nothing holds, and nothing was said");
}

#[test]
fn row_16_doubled_and_unknown_reports() {
    // A14
    let mut w = only_t();
    w.report("t", Completed).again().report("nobody", Completed).lists("t*!").waiting().replaceable(false);
    w.announce("w1").attach("w1").lists("").working();
    ends(&mut w, &[]);
    w.report("t", Completed).needs(Reason::Done).rings(&[Reason::Done]);
}

#[test]
fn row_17_two_reported_before_the_wake_begins_are_both_consumed() {
    // A6
    let mut w = two();
    w.report("a", Completed).report("b", Completed).announce("w1").attach("w1").lists("").working();
}

#[test]
fn row_18_reported_after_the_wake_was_announced_belongs_to_a_later_one() {
    // A4, A5
    let mut w = two();
    w.report("a", Completed).announce("w1").report("b", Completed).attach("w1").lists("b*!").working();
    w.stop(end().closes()).lists("b*!").waiting().replaceable(false);
}

#[test]
fn row_19_then_its_own_wake() {
    let mut w = two();
    w.report("a", Completed).announce("w1").report("b", Completed).attach("w1").stop(end().closes());
    w.announce("w2").attach("w2").working();
    ends(&mut w, &[]);
    w.lists("").needs(Reason::Done).replaceable(true).rings(&[Reason::Done]);
}

#[test]
fn row_20_ends_during_the_turn_and_no_fold_was_seen() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).awaits(&["t"]).report("t", Completed).working();
    w.stop(end().closes()).lists("t*!").waiting().replaceable(false);
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).awaits(&["t"]).roster(&[]).working();
    w.stop(end().closes()).lists("t*!").waiting().replaceable(false);
}

#[test]
fn row_20b_folded_into_the_open_turn() {
    // A13: the report is seen in a prompt with the open turn's id.
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).awaits(&["t"]).report("t", Completed);
    w.wake("p1", &[("t", Completed)]).lists("").working();
    assert_eq!(w.session.turns.count, 1, "no second turn");
    w.stop(end().closes()).lists("").needs(Reason::Done).replaceable(true);
}

#[test]
fn row_21_the_users_turn_does_not_release_it() {
    let mut w = only_t();
    w.report("t", Completed).prompt("p2").lists("t*!").working();
    w.stop(end().closes()).lists("t*!").waiting();
    w.wake("p3", &[("t", Completed)]).lists("").working();
}

#[test]
fn row_22_a_report_inside_the_users_turn_holds_until_its_wake() {
    // A20, as far as events show it: nothing in the user's turn but the turn's end.
    let mut w = only_t();
    w.prompt("p2").report("t", Completed).stop(end().closes()).lists("t*!").waiting().replaceable(false);
}

#[test]
fn row_23_no_wake_ever() {
    // A22
    let mut w = World::new();
    w.prompt("p1").start(&monitor("m")).awaits(&["m"]).stop(end().live(&[&monitor("m")]));
    w.report("m", Completed).lists("m*!").waiting().minutes(4).waiting();
    w.minutes(1).needs(Reason::WakeOverdue).lists("m*!").replaceable(false).rings(&[Reason::WakeOverdue]);
    w.wake("p2", &[("m", Completed)]).lists("").working();
}

#[test]
fn row_24b_failed_or_interrupted_while_observed() {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).awaits(&["t"]).stop(end().no_lists().failed());
    w.lists("t*").needs(Reason::Failed).replaceable(false);
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).awaits(&["t"]).stop(end().interrupted());
    w.lists("t*").waiting().replaceable(false).rings(&[]);
}

#[test]
fn row_25_a_malformed_roster_proves_nothing() {
    let mut w = turn_one_ended();
    let revision = w.session.ledger.revision;
    w.event(EventKind::TaskRoster(Roster::default())).lists("t* d").waiting();
    assert_eq!(w.session.ledger.revision, revision);
}

#[test]
fn row_26_a_late_report_of_an_older_epoch() {
    let mut w = World::new();
    w.event(EventKind::SessionStarted {
        start: wakeful_core::event::SessionStart::Resume,
        place: Default::default(),
    });
    w.prompt("p1").start(&command("t")).awaits(&["t"]).stop(end().live(&[&command("t")]));
    let before = w.session.clone();
    let mut late = w.make(EventKind::TaskFinished(report("t", Some(Stopped))));
    late.epoch = Some(Epoch(1));
    w.raw(late).lists("t*").waiting();
    assert_eq!(w.session, before);
}

#[test]
fn a1_no_state_in_the_gap_shows_it_finished() {
    let mut w = turn_one_ended();
    w.report("t", Completed).waiting().roster(&[&server("d")]).waiting().announce("w1").waiting();
    w.attach("w1").working();
}

#[test]
fn a2_a8_relisting_changes_no_flag() {
    let mut w = turn_one_ended();
    w.roster(&[&command("t"), &server("d")]).lists("t* d").waiting();
    w.prompt("p2").stop(end().live(&[&command("t"), &server("d")])).lists("t* d").waiting();
    w.unawaits(&["t"]).roster(&[&command("t"), &server("d")]).lists("t d");
}

#[test]
fn a4_starting_a_wake_twice_releases_nothing_of_another() {
    let mut w = two();
    w.report("a", Completed).announce("w1").attach("w1").lists("b*");
    w.report("b", Completed).attach("w1").lists("b*!");
    w.announce("w1").announce("w2").attach("w2").lists("");
}

#[test]
fn a4_discarding_a_wake_twice_releases_nothing_of_another() {
    let mut w = two();
    w.report("a", Completed).announce("w1").native("w1", WakeStage::Discarded).lists("b*");
    w.report("b", Completed).native("w1", WakeStage::Discarded).lists("b*!").waiting();
}

#[test]
fn a4_a_started_wake_that_comes_twice_opens_one_turn() {
    let mut w = only_t();
    w.report("t", Completed).attach("w1").stop(end().closes()).needs(Reason::Done);
    let turns = w.session.turns.count;
    w.attach("w1").needs(Reason::Done);
    assert_eq!(w.session.turns.count, turns);
}

#[test]
fn a9_what_does_not_hold_is_listed_as_owed_and_holds_nothing() {
    let mut w = World::new();
    w.prompt("p1").start(&server("d")).stop(end().closes().live(&[&server("d")])).needs(Reason::Done);
    w.roster(&[]).lists("d!").needs(Reason::Done).replaceable(false);
    let wait = &w.view().waits[0];
    assert_eq!((wait.holds, wait.phase), (false, Some(PhaseView::Owed)));
    w.minutes(60).needs(Reason::Done);
    assert_eq!(w.rang(), [Reason::Done], "A22: an entry that does not hold never alerts");
}

#[test]
fn a13_a_report_alone_opens_no_turn() {
    let mut w = only_t();
    w.report("t", Completed).waiting();
    assert_eq!(w.session.turns.count, 1);
}

#[test]
fn a19_a_monitors_lines_are_not_its_end() {
    let mut w = World::new();
    w.prompt("p1").start(&monitor("m")).awaits(&["m"]).stop(end().live(&[&monitor("m")]));
    for turn in ["p2", "p3"] {
        w.says(turn, turn, wakeful_core::event::Opener::Wake, &[report("m", None)]).lists("m*").working();
        w.stop(end().live(&[&monitor("m")])).lists("m*").waiting();
    }
    w.wake("p4", &[("m", Completed)]).lists("").working();
    w.stop(end().closes()).needs(Reason::Done);
}

#[test]
fn a19_a_monitor_stays_a_monitor() {
    let mut w = World::new();
    w.prompt("p1").start(&monitor("m")).stop(end().live(&[&monitor("m")]));
    assert_eq!(w.view().waits[0].kind, WaitKind::Monitor);
    w.roster(&[&of_kind("m", TaskKind::Other)]);
    assert_eq!(w.view().waits[0].kind, WaitKind::Monitor, "a list of unknown kinds takes no knowledge away");
}

#[test]
fn a20_a_continuation_is_ended_by_its_result() {
    let mut w = only_t();
    w.report("t", Completed).announce("w1").attach("w1").stop(end().closes()).needs(Reason::Done);
}

#[test]
fn a21_an_older_list_never_overwrites_a_newer_one() {
    let mut w = only_t();
    let older = w.make(EventKind::TaskRoster(Roster { tasks: Some(vec![]), ..Roster::default() }));
    w.tick(1000).roster(&[&command("t")]);
    let revision = w.session.ledger.revision;
    w.raw(older).lists("t*").waiting();
    assert_eq!(w.session.ledger.revision, revision);
}

#[test]
fn a22_a_live_awaited_task_past_its_limit_is_overdue_and_without_a_limit_the_cap_counts() {
    let mut w = World::new();
    w.prompt("p1").start(&limited("t", 60)).awaits(&["t"]).stop(end().live(&[&limited("t", 60)]));
    assert_eq!(w.armed(TimerKind::Cap), None);
    w.minutes(64).waiting().minutes(1).needs(Reason::WakeOverdue).lists("t*");
    let mut w = only_t();
    w.minutes(29).waiting().minutes(1).needs(Reason::WaitTimeout).lists("t*");
}

#[test]
fn a22_a_second_overdue_task_rings_again() {
    let mut w = two();
    w.report("a", Completed).minutes(2).report("b", Completed).minutes(3).needs(Reason::WakeOverdue);
    w.secs(10);
    assert_eq!(w.rang(), [Reason::WakeOverdue]);
    w.minutes(2);
    assert_eq!(w.rang(), [Reason::WakeOverdue, Reason::WakeOverdue]);
    w.wake("p2", &[("a", Completed)]).stop(end().closes()).needs(Reason::WakeOverdue);
    w.secs(10);
    assert_eq!(w.rang().len(), 2, "b is no news");
    assert_eq!(w.view().detail.as_deref(), Some("label of b"), "what is still overdue");
}

#[test]
fn a22_the_same_task_overdue_again_rings_again() {
    let mut w = only_t();
    w.report("t", Completed).minutes(6).needs(Reason::WakeOverdue);
    w.wake("p2", &[("t", Completed)]).start_by(&command("t"), "second").awaits(&["t"]);
    w.stop(end().live(&[&command("t")])).report("t", Completed).minutes(6).needs(Reason::WakeOverdue);
    assert_eq!(w.rang(), [Reason::WakeOverdue, Reason::WakeOverdue]);
}

#[test]
fn a22_given_up_by_done_it_alerts_no_more_until_it_holds_again() {
    let mut w = World::new();
    let t = limited("t", 10);
    w.prompt("p1").start(&t).awaits(&["t"]).stop(end().live(&[&t])).minutes(16).needs(Reason::WakeOverdue);
    w.act(UserAction::Done).minutes(60);
    assert_eq!(w.rang(), [Reason::WakeOverdue]);
    w.prompt("p2").stop(end().live(&[&t])).waiting().minutes(6).needs(Reason::WakeOverdue);
}

#[test]
fn a17_stopped_by_nobody_knows_whom_is_owed_and_released_by_overdue() {
    let mut w = only_t();
    w.report("t", StoppedByUnknown).lists("t*!").waiting().minutes(4).waiting();
    w.minutes(2).lists("").needs(Reason::Done);
    assert_eq!(w.rang(), [Reason::Done]);
}

#[test]
fn unawaiting_a_live_subagent_leaves_the_tables_hold() {
    let mut w = World::new();
    w.prompt("p1").start(&subagent("s")).awaits(&["s"]).stop(end().live(&[&subagent("s")]));
    w.unawaits(&["s"]).lists("s").waiting();
}

#[test]
fn one_list_without_it_is_taken_back_by_the_next() {
    let mut w = only_t();
    w.roster(&[]).lists("t*!").roster(&[&command("t")]).lists("t*").waiting();
    w.report("t", Completed).roster(&[&command("t")]).lists("t*!").waiting();
}

#[test]
fn background_wait_is_idempotent_and_changes_only_the_flag() {
    let mut w = World::new();
    w.prompt("p1").start(&server("d")).awaits(&["d"]).awaits(&["d", "nobody"]).lists("d*");
    assert!(w.session.ledger.task(&TaskId::new("nobody")).is_none());
    w.stop(end().closes().live(&[&server("d")])).waiting();
}
