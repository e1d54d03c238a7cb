//! Spec 30: scheduled wakes (W1 to W11).

use wakeful_core::abilities::{Delivery, SelfWake};
use wakeful_core::banner::banner;
use wakeful_core::causes::Reason;
use wakeful_core::effect::{CHECK_IN_FRAMING, Message};
use wakeful_core::event::*;
use wakeful_core::ids::{Digest, WakeId};
use wakeful_core::session::Status;
use wakeful_core::time::Millis;

use crate::world::*;

fn turn() -> World {
    let mut w = World::new().client(SelfWake::Yes, Delivery::Replies);
    w.prompt("p1");
    w
}

/// A confirmed native wake in 20 minutes.
fn native() -> (World, ScheduledWake) {
    let mut w = turn();
    let wake = w.native_in(20, "look");
    w.schedule(wake.clone()).stop(end().crons(&[row("r", &wake)])).waiting();
    (w, wake)
}

/// A wake of Wakeful in 20 minutes.
fn own(check_in: bool) -> World {
    let mut w = turn();
    let wake = w.own_in(20, "look at it", check_in);
    w.schedule(wake).stop(end()).waiting();
    w
}

#[test]
fn w1_only_a_wake_of_wakeful_has_the_flag() {
    let stored = serde_json::to_string(&native().0.session.ledger).unwrap();
    assert!(!stored.contains("check_in"));
    let stored = serde_json::to_string(&own(true).session.ledger).unwrap();
    assert!(stored.contains(r#""check_in":true"#));
}

#[test]
fn w2_w3_live_minutes_and_a_frozen_banner() {
    let (mut w, _) = native();
    let shown = |w: &World| w.view().banner.unwrap();
    assert_eq!(shown(&w), "Agent scheduled wake-up in 20 minutes — staying running until then.");
    w.minutes(1);
    assert_eq!(shown(&w), "Agent scheduled wake-up in 19 minutes — staying running until then.");
    w.minutes(18).tick(500);
    assert_eq!(shown(&w), "Agent scheduled wake-up in less than a minute — staying running until then.");
    w.minutes(2);
    assert_eq!(shown(&w), "Agent scheduled wake-up in 20 minutes — staying running until then.");
    let w = own(true);
    let text = "Agent scheduled check-in in 20 minutes — staying running, will not surface to inbox.";
    assert_eq!(shown(&w), text);
    assert_eq!(banner(&w.session.ledger.wakes[0], w.now), text);
}

#[test]
fn w4_a_cycle_of_check_ins_never_reaches_the_inbox_until_it_stops_scheduling() {
    let mut w = own(true);
    for turn in ["a", "b", "c", "d"] {
        w.minutes(20);
        w.says(turn, turn, Opener::CheckIn, &[]).working();
        let wake = w.own_in(20, "look at it", true);
        w.schedule(wake).stop(end()).waiting();
    }
    assert_eq!((w.rang(), w.sent.len()), (vec![], 4));
    w.minutes(20).says("e", "e", Opener::CheckIn, &[]).stop(end().closes()).needs(Reason::Done);
}

#[test]
fn w4_a_day_alone_surfaces_once() {
    for heard in [true, false] {
        let mut w = if heard { turn() } else { World::unseen() };
        w.event(EventKind::SessionStarted { start: SessionStart::Startup, place: Place::default() });
        let mut surfaced = 0;
        for n in 0..30 {
            let turn = format!("n{n}");
            w.says(&turn, "look", Opener::Wake, &[]);
            let wake = w.native_in(120, "look");
            w.schedule(wake.clone()).stop(end().crons(&[row(&turn, &wake)]));
            if w.session.status() == Status::NeedsYou(Reason::WaitTimeout) {
                surfaced += 1;
                assert_eq!(w.view().detail.as_deref(), Some("has been waking itself for a day"));
                assert!(n == 12 || n == 13, "{n}");
            } else {
                w.waiting();
            }
            w.minutes(120);
        }
        assert_eq!(surfaced, 1, "heard: {heard}");
        assert_eq!(w.rang(), [Reason::WaitTimeout]);
    }
}

#[test]
fn w5_the_framing() {
    assert!(CHECK_IN_FRAMING.starts_with("[Check-in]"));
    let prompt = "look at it".to_owned();
    let framed = Message::ScheduledWake { check_in: true, prompt: prompt.clone() }.text();
    assert_eq!(framed, format!("{CHECK_IN_FRAMING}\n\nlook at it"));
    assert_eq!(Message::ScheduledWake { check_in: false, prompt }.text(), "look at it", "verbatim");
    assert_eq!(
        CHECK_IN_FRAMING,
        "[Check-in] Nobody has heard from this session for a while. Decide now: keep waiting (say what for, and end the \
         turn), proceed with the work, or end the turn with a plain statement of what you need, so that the user sees you."
    );
}

#[test]
fn w6_the_detectors_switch_does_not_touch_it() {
    let mut w = turn().with(|s| s.detector = false);
    let wake = w.own_in(20, "look", false);
    w.schedule(wake).stop(end()).waiting();
}

#[test]
fn w7_scheduling_again_replaces_the_pending_wake_crons_aside() {
    let mut w = turn();
    let first = w.native_in(20, "first");
    let mut cron = w.native_in(25, "cron");
    cron.by = WakeOwner::Client { recurring: false, cron: true };
    w.schedule(first).schedule(cron.clone());
    let second = w.native_in(40, "second");
    w.schedule(second.clone()).stop(end().crons(&[row("c", &cron), row("s", &second)])).waiting();
    assert_eq!(w.view().waits.len(), 2);
    // One of Wakeful's replaces it too.
    w.prompt("p2");
    let own = w.own_in(20, "own", false);
    w.schedule(own);
    assert_eq!(w.session.ledger.wakes.len(), 2);
}

#[test]
fn w8_due_while_a_turn_is_open_it_is_delivered_at_the_turns_end() {
    let mut w = own(false);
    w.minutes(19).prompt("p2").minutes(5).working();
    assert!(w.sent.is_empty());
    w.stop(end().closes());
    let message = Message::ScheduledWake { check_in: false, prompt: "look at it".into() };
    assert_eq!(w.sent, [message]);
    w.says("p3", "look at it", Opener::User, &[]).working();
    assert!(w.session.ledger.wakes.is_empty());
}

#[test]
fn w8_its_overdue_clock_starts_at_the_turns_end() {
    let (mut w, wake) = native();
    w.minutes(19).prompt("p2").minutes(15).working().stop(end().crons(&[row("r", &wake)])).waiting();
    w.minutes(4).waiting().minutes(1).needs(Reason::WakeOverdue);
    // Overdue before, and the turn does not hide it.
    let (mut w, wake) = native();
    w.minutes(26).needs(Reason::WakeOverdue).prompt("p2").working();
    w.stop(end().crons(&[row("r", &wake)])).needs(Reason::WakeOverdue);
}

#[test]
fn w9_a_native_wake_counts_only_once_the_clients_list_has_it() {
    let mut w = turn();
    let wake = w.native_in(20, "look");
    w.schedule(wake.clone()).stop(end()).needs(Reason::Done);
    let mut w = turn();
    w.schedule(wake.clone()).stop(end().no_lists()).needs(Reason::Done);
    w.event(EventKind::TaskRoster(Roster { wakes: Some(vec![row("r", &wake)]), ..Roster::default() }));
    assert_eq!(w.view().waits.len(), 1);
}

#[test]
fn w9_a_wake_that_vanishes_before_its_time() {
    let (mut w, _) = native();
    w.prompt("p2").stop(end()).needs(Reason::WakeOverdue).rings(&[Reason::WakeOverdue]);
    assert_eq!(w.view().detail.as_deref(), Some("the promised wake is gone"));
    w.prompt("p3").stop(end()).needs(Reason::Done);
    // Between turns.
    let (mut w, _) = native();
    w.event(EventKind::TaskRoster(Roster { wakes: Some(vec![]), ..Roster::default() }))
        .needs(Reason::WakeOverdue);
    // An absent list is no proof.
    let (mut w, _) = native();
    w.prompt("p2").stop(end().no_lists()).waiting();
}

#[test]
fn w9_two_that_vanish_in_one_turn_are_two_causes() {
    let mut w = turn();
    let one = w.native_in(20, "one");
    let mut two = w.native_in(25, "two");
    two.by = WakeOwner::Client { recurring: false, cron: true };
    w.schedule(one.clone()).schedule(two.clone()).stop(end().crons(&[row("1", &one), row("2", &two)]));
    let gone =
        |rows: Vec<ListedWake>| EventKind::TaskRoster(Roster { wakes: Some(rows), ..Roster::default() });
    w.event(gone(vec![row("2", &two)])).secs(5).event(gone(vec![])).secs(5);
    assert_eq!(w.rang(), [Reason::WakeOverdue, Reason::WakeOverdue]);
}

#[test]
fn w9a_it_leaves_lawfully_when_it_fires_is_replaced_or_cancelled() {
    let (mut w, _) = native();
    w.minutes(20).says("p2", "look", Opener::User, &[]).working().stop(end().closes()).needs(Reason::Done);
    assert_eq!(w.session.turns.last.as_ref().unwrap().turn.opener, Opener::Wake, "told by its prompt");

    let (mut w, _) = native();
    w.prompt("p2");
    let other = w.native_in(30, "other");
    w.schedule(other.clone()).stop(end().crons(&[row("o", &other)])).waiting();

    for id in [None, Some(WakeId::new("r"))] {
        let (mut w, _) = native();
        w.prompt("p2").event(EventKind::WakeCancelled { id }).stop(end().closes()).needs(Reason::Done);
    }
}

#[test]
fn w9a_the_same_words_long_before_its_time_are_the_users() {
    let (mut w, wake) = native();
    w.says("p2", "look", Opener::User, &[]).stop(end().crons(&[row("r", &wake)])).waiting();
    assert_eq!(w.session.turns.last.as_ref().unwrap().turn.opener, Opener::User);
}

#[test]
fn a_recurring_row_goes_on_after_it_has_fired() {
    let mut w = turn();
    let mut wake = w.native_in(10, "look");
    wake.by = WakeOwner::Client { recurring: true, cron: true };
    w.schedule(wake.clone()).stop(end().crons(&[row("r", &wake)])).waiting();
    w.minutes(10).says("p2", "look", Opener::User, &[]).working();
    assert_eq!(w.session.ledger.wakes.len(), 1);
    let next = ListedWake { due: Some(w.now.wall.plus(Millis::minutes(10))), ..row("r", &wake) };
    w.stop(end().crons(&[next])).waiting().minutes(10).waiting();
    // Without a list nobody knows when it fires again: it holds nothing, and alerts nobody.
    w.says("p3", "look", Opener::User, &[])
        .stop(end().no_lists())
        .needs(Reason::Done)
        .minutes(60)
        .needs(Reason::Done);
}

#[test]
fn a_wake_of_wakeful_that_cannot_be_delivered_becomes_overdue() {
    let mut w = own(false).client(SelfWake::Yes, Delivery::None);
    w.minutes(20).waiting();
    assert!(w.sent.is_empty());
    w.minutes(5).needs(Reason::WakeOverdue);
}

#[test]
fn a_user_prompt_is_not_the_wake_that_is_on_its_way() {
    let mut w = own(false);
    w.minutes(20);
    assert_eq!(w.sent.len(), 1);
    w.says("p2", "something else", Opener::User, &[]).working();
    assert_eq!(w.session.ledger.wakes.len(), 1, "the promise is still open");
    assert_eq!(w.session.turns.open.as_ref().unwrap().opener, Opener::User);
    w.stop(end()).waiting().minutes(5).needs(Reason::WakeOverdue);
}

#[test]
fn a_native_wake_is_not_the_wake_that_is_on_its_way() {
    let mut w = own(false);
    w.prompt("p2").start(&command("t")).stop(end().live(&[&command("t")])).minutes(20);
    assert_eq!(w.sent.len(), 1);
    w.wake("p3", &[("t", TaskOutcome::Completed)]);
    assert_eq!(w.session.ledger.wakes.len(), 1);
}

#[test]
fn the_clients_notice_of_a_delivered_wake_is_its_turn() {
    let mut w = own(true);
    w.minutes(20).says("p2", "notice around it", Opener::CheckIn, &[]).working();
    assert!(w.session.ledger.wakes.is_empty());
    assert_eq!(w.view().check_ins, 0, "a delivered wake is no check-in of Wakeful's");
}

#[test]
fn w11_observed_it_surfaces_at_the_exit_and_supervised_it_stays() {
    let mut w = own(false);
    w.exit(ExitCause::Unknown).needs(Reason::Orphaned);
    let mut w = own(false);
    w.session.place.supervised = true;
    w.exit(ExitCause::Unknown).waiting().minutes(20);
    assert_eq!(w.sent.len(), 1, "whoever supervises it resumes it to deliver");
    w.turn = None;
    let place = Place { supervised: true, ..Place::default() };
    w.event(EventKind::SessionStarted { start: SessionStart::Resume, place });
    assert_eq!(w.session.ledger.wakes.len(), 1);
    w.says("p2", "look at it", Opener::User, &[]).working();
}

#[test]
fn a_one_shot_row_without_a_time_is_bounded_by_the_cap() {
    let mut w = turn();
    let timeless = ListedWake { id: WakeId::new("r"), recurring: false, prompt: Digest(1), due: None };
    w.stop(end().crons(&[timeless])).waiting().minutes(30).needs(Reason::WaitTimeout);
}
