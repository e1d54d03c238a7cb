//! What is true of every session, whatever has happened.

use wakeful_core::causes::Reason;
use wakeful_core::event::TimerKind;
use wakeful_core::session::{Session, Status};

#[track_caller]
pub fn hold(session: &Session) {
    let armed = |kind| session.timers.get(kind).is_some();
    let ledger = &session.ledger;
    let holds = ledger.prose.is_some()
        || !ledger.accounting.is_empty()
        || ledger.tasks.iter().any(|entry| entry.holds)
        || ledger.wakes.iter().any(|wake| wake.holds);
    match session.status() {
        Status::Waiting => {
            let bounds = [TimerKind::Cap, TimerKind::Keep, TimerKind::Overdue, TimerKind::Delivery];
            let watched = !ledger.accounting.is_empty() && armed(TimerKind::Stall);
            assert!(bounds.into_iter().any(armed) || watched, "no timer is lost: {session:#?}");
            assert!(holds && session.turns.open.is_none() && session.asks.is_empty(), "{session:#?}");
        }
        Status::Working => assert!(armed(TimerKind::Stall), "what works is watched: {session:#?}"),
        Status::Snoozed => assert!(armed(TimerKind::Snooze), "a snooze ends: {session:#?}"),
        Status::Idle | Status::NeedsYou(Reason::Done) => assert!(!holds, "{session:#?}"),
        Status::Ended => assert!(session.timers.iter().all(|timer| timer.kind == TimerKind::Settle)),
        Status::NeedsYou(_) => {}
    }
    for timer in session.timers.iter() {
        assert_eq!(timer.epoch, session.epoch, "no timer of an older epoch: {timer:?}");
    }
}
