//! What holds after every step of every test, whatever the events were.

use std::collections::BTreeMap;

use wakeful_core::causes::Reason;
use wakeful_core::effect::Effect;
use wakeful_core::event::{Event, EventKind, TimerKind};
use wakeful_core::session::{Session, Status};
use wakeful_core::step::{Ctx, step};
use wakeful_core::time::{Millis, Now};
use wakeful_core::timers::Timer;
use wakeful_core::view::SessionView;

/// One step with everything that must be true of it.
#[derive(Default)]
pub struct Witness {
    armed: BTreeMap<TimerKind, Timer>,
}

impl Witness {
    /// Steps, and panics where a law is broken.
    #[track_caller]
    pub fn step(&mut self, ctx: &Ctx<'_>, session: Session, event: &Event) -> (Session, Vec<Effect>) {
        let stored = serde_json::to_string(&session).unwrap();
        let before = session.clone();
        let (after, effects) = step(ctx, session, event);

        let read: Session = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, before, "a stored session is the same when it is read");
        let event_read: Event = serde_json::from_str(&serde_json::to_string(event).unwrap()).unwrap();
        let again = step(ctx, read, &event_read);
        assert_eq!(again, (after.clone(), effects.clone()), "a stored session goes on identically");

        assert!(after.ledger.revision >= before.ledger.revision, "a revision never falls (A21)");
        assert!(after.epoch >= before.epoch, "an epoch never falls");
        self.follow_timers(&before, &after, event, &effects);
        published(&before, &after, &effects);
        bounded(&after);
        consistent(&after);
        subagents_end_nothing(&before, &after, event);
        (after, effects)
    }

    /// Effects replayed give exactly the timers of the session: whoever runs it needs nothing else.
    #[track_caller]
    fn follow_timers(&mut self, before: &Session, after: &Session, event: &Event, effects: &[Effect]) {
        if let EventKind::TimerFired { kind, epoch, generation } = event.kind
            && self
                .armed
                .get(&kind)
                .is_some_and(|timer| timer.generation == generation && timer.epoch == epoch)
            && (after.timers.get(kind) != before.timers.get(kind))
        {
            self.armed.remove(&kind);
        }
        for effect in effects {
            match effect {
                Effect::Arm(timer) => drop(self.armed.insert(timer.kind, timer.clone())),
                Effect::Cancel { timer } => {
                    assert!(
                        self.armed.remove(timer).is_some(),
                        "only an armed timer is cancelled: {timer:?}"
                    );
                }
                _ => {}
            }
        }
        let armed: BTreeMap<_, _> = after.timers.iter().map(|timer| (timer.kind, timer.clone())).collect();
        assert_eq!(self.armed, armed, "the effects give the timers");
        for timer in armed.values() {
            assert_eq!(timer.epoch, after.epoch, "no timer of an older epoch stays armed: {timer:?}");
        }
    }
}

/// A changed ledger is published, once, with its revision (A21), before anything else is said of the step (A18).
#[track_caller]
fn published(before: &Session, after: &Session, effects: &[Effect]) {
    let revisions: Vec<_> = effects
        .iter()
        .filter_map(|effect| if let Effect::Publish { revision } = effect { Some(*revision) } else { None })
        .collect();
    let changed = (before.ledger.revision != after.ledger.revision).then_some(after.ledger.revision);
    assert_eq!(revisions, Vec::from_iter(changed));
    if changed.is_some() {
        assert!(matches!(effects[0], Effect::Publish { .. }), "A18: the roster comes first: {effects:?}");
    }
    let shown = |session: &Session| SessionView::of(session, Now::default()).waits;
    let same = shown(before) == shown(after);
    assert!(same || changed.is_some(), "a changed roster has a new revision");
}

/// A22: whatever waits has an armed timer that ends the wait. A working session has its watchdog (S10), a snoozed one
/// its end, a message that was sent its time limit, a notification its settle window.
#[track_caller]
pub fn bounded(session: &Session) {
    let armed = |kind| session.timers.get(kind).is_some();
    if session.status() == Status::Waiting {
        let bounds = [TimerKind::Cap, TimerKind::Keep, TimerKind::Overdue, TimerKind::Delivery];
        let watched = !session.ledger.accounting.is_empty() && armed(TimerKind::Stall);
        assert!(bounds.into_iter().any(armed) || watched, "nothing bounds this wait: {session:#?}");
        for entry in session.ledger.tasks.iter().filter(|entry| entry.holds && entry.owed()) {
            let collected = armed(TimerKind::Overdue) || armed(TimerKind::Keep);
            assert!(collected, "an owed wake that holds has its overdue time: {entry:?}");
        }
    }
    match session.status() {
        Status::Working => assert!(armed(TimerKind::Stall), "S10: a working session is watched"),
        Status::Snoozed => assert!(armed(TimerKind::Snooze), "a snooze ends"),
        _ => {}
    }
    if session.ended.is_some() {
        assert!(session.timers.iter().all(|timer| timer.kind == TimerKind::Settle));
    }
    for timer in session.timers.iter().filter(|timer| timer.kind == TimerKind::Cap) {
        assert!(timer.after >= Millis::minutes(1), "T1: {timer:?}");
    }
}

/// The status never contradicts the ledger (S8b, A1).
#[track_caller]
fn consistent(session: &Session) {
    let ledger = &session.ledger;
    let holds = ledger.prose.is_some()
        || !ledger.accounting.is_empty()
        || ledger.tasks.iter().any(|entry| entry.holds)
        || ledger.wakes.iter().any(|wake| wake.holds);
    match session.status() {
        Status::Waiting => {
            assert!(holds && session.turns.open.is_none() && session.asks.is_empty());
        }
        Status::Idle | Status::NeedsYou(Reason::Done) => {
            assert!(!holds, "A1: nothing shows it finished while an entry holds: {ledger:#?}");
        }
        Status::Working => assert!(session.turns.open.is_some() && session.asks.is_empty()),
        Status::Ended => assert!(session.ended.is_some()),
        Status::NeedsYou(_) | Status::Snoozed => {}
    }
    for entry in &ledger.tasks {
        assert!(!entry.overdue || entry.holds, "A22: what does not hold never alerts: {entry:?}");
    }
}

/// A subagent's turn end or noise never ends the main agent's turn, nor opens one (S7, C4).
#[track_caller]
fn subagents_end_nothing(before: &Session, after: &Session, event: &Event) {
    let of_the_process = matches!(
        event.kind,
        EventKind::SessionStarted { .. } | EventKind::SessionEnded { .. } | EventKind::WakeStarted { .. }
    );
    if event.agent.is_some() && !of_the_process {
        assert_eq!(
            before.turns.open.as_ref().map(|turn| turn.number),
            after.turns.open.as_ref().map(|t| t.number)
        );
    }
}
