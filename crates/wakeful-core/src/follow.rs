//! What follows from the state of a session after every event, whatever the event was: bounds of waits,
//! overdue wakes, notifications. No rule here looks at the event.

use crate::causes::{Cause, HARD, Reason};
use crate::event::TimerKind;
use crate::ledger::{Phase, TaskEntry, WakeEntry};
use crate::notices::Edge;
use crate::session::{Session, Status};
use crate::step::Step;
use crate::time::{Millis, Now};
use crate::timers::Timer;

/// Begins the key of the cause that a promised wake has gone from the client's list (W9).
pub(crate) const GONE: &str = "gone";

pub(crate) fn follow(step: &mut Step<'_>, session: &mut Session) {
    if session.ended.is_some() {
        disarm_all(step, session);
    } else {
        tidy(step, session);
        watch(step, session);
        overdue(step, session);
        own_wake(step, session);
        bound_the_wait(step, session);
    }
    notify(step, session);
}

fn disarm_all(step: &mut Step<'_>, session: &mut Session) {
    let armed: Vec<_> =
        session.timers.iter().map(|timer| timer.kind).filter(|kind| *kind != TimerKind::Settle).collect();
    for kind in armed {
        step.cancel(session, kind);
    }
}

/// Takes away what no longer has a reason to be there.
fn tidy(step: &mut Step<'_>, session: &mut Session) {
    if session.snoozed && (!session.asks.is_empty() || session.causes.first_of(&HARD).is_some()) {
        session.snoozed = false; // an open ask, a failure, a limit, an orphan end a snooze
    }
    if !session.snoozed {
        step.cancel(session, TimerKind::Snooze);
    }
    if !Step::waits(session) {
        step.cancel(session, TimerKind::Cap);
        step.cancel(session, TimerKind::Keep);
    }
    crate::firing::watch_inbox(step, session);
}

/// S10: whatever works has its watchdog, also when it went on after it had been found stalled.
fn watch(step: &mut Step<'_>, session: &mut Session) {
    let works = session.turns.open.is_some() || !session.ledger.accounting.is_empty();
    if !works {
        step.cancel(session, TimerKind::Stall);
    } else if session.causes.get(Reason::Stalled).is_none() && session.timers.get(TimerKind::Stall).is_none()
    {
        step.arm(session, TimerKind::Stall, step.ctx.settings.stall.millis(), "turn", false);
    }
}

/// Something with an overdue time: its key, what is left, and whether only the wall clock counts.
struct Owing {
    key: String,
    left: Millis,
    wall_only: bool,
}

/// A22: what is owed and holds has a time after which it is collected. While a turn is open the client cannot
/// start another, so nothing is overdue then, and the clock starts when the turn has ended (W8).
fn owing_task(entry: &TaskEntry, session: &Session, grace: Millis, now: Now) -> Option<Owing> {
    if !entry.holds {
        return None; // an entry that does not hold never alerts
    }
    let (since, limit, phase) = match &entry.phase {
        Phase::Owed { since, .. } => (*since, Millis(0), "owed"),
        Phase::Live => (entry.started_at, entry.task.limit.filter(|_| entry.awaited)?, "past its limit"),
    };
    let left = left_of(since, limit, session, grace, now);
    Some(Owing { key: format!("task {} {phase} {}", entry.task.id, since.wall.0), left, wall_only: false })
}

/// A wake of the client's own follows the wall clock, whatever it does; one of Wakeful's own does not (T4).
fn owing_wake(wake: &WakeEntry, session: &Session, grace: Millis, now: Now) -> Option<Owing> {
    let due = wake.due.filter(|_| wake.holds)?;
    let left = if wake.own() {
        left_of(wake.set_at, wake.set_at.wall.until(due), session, grace, now)
    } else {
        let from = session.turns.last.as_ref().map_or(due, |last| due.max(last.ended.wall)); // W8
        now.wall.until(from.plus(grace))
    };
    Some(Owing { key: format!("wake {} {}", wake.prompt.0, due.0), left, wall_only: !wake.own() })
}

/// What is left until `due` after `since`, or the end of the last turn if that is later, and the grace after it.
fn left_of(since: Now, due: Millis, session: &Session, grace: Millis, now: Now) -> Millis {
    let left = |since: Now, after: Millis| after.0.saturating_sub(now.since(since).0);
    let by_due = left(since, Millis(due.0.saturating_add(grace.0)));
    let by_turn = session.turns.last.as_ref().map_or(0, |last| left(last.ended, grace));
    Millis(by_due.max(by_turn))
}

/// Arms the overdue timer for whatever is collected next, and keeps the cause in step with the entries.
fn overdue(step: &mut Step<'_>, session: &mut Session) {
    let grace = step.ctx.settings.overdue.millis();
    let now = step.ctx.now;
    let tasks = session.ledger.tasks.iter().filter(|entry| !entry.overdue);
    let wakes = session.ledger.wakes.iter().filter(|wake| !wake.overdue);
    let next = tasks
        .filter_map(|entry| owing_task(entry, session, grace, now))
        .chain(wakes.filter_map(|wake| owing_wake(wake, session, grace, now)))
        .min_by_key(|owing| owing.left)
        .filter(|_| session.turns.open.is_none() && session.timers.get(TimerKind::Keep).is_none());
    match next {
        Some(next) => {
            let armed = session.timers.get(TimerKind::Overdue).is_some_and(|timer| timer.about == next.key);
            if !armed {
                step.arm(session, TimerKind::Overdue, next.left, &next.key, next.wall_only);
            }
        }
        None => step.cancel(session, TimerKind::Overdue),
    }
    overdue_cause(session);
}

/// The cause stands as long as an entry is overdue and holds, and says which.
fn overdue_cause(session: &mut Session) {
    let tasks = session.ledger.tasks.iter().filter(|entry| entry.overdue && entry.holds);
    let wakes = session.ledger.wakes.iter().filter(|wake| wake.overdue && wake.holds);
    let labels: Vec<_> = tasks
        .map(|entry| entry.task.label.clone())
        .chain(wakes.map(|wake| wake.reason.clone().unwrap_or_else(|| "a scheduled wake".to_owned())))
        .collect();
    match session.causes.get_mut(Reason::WakeOverdue) {
        Some(cause) if cause.key.starts_with(GONE) => {}
        Some(_) if labels.is_empty() => drop(session.causes.clear(Reason::WakeOverdue)),
        Some(cause) => cause.detail = Some(labels.join(", ")),
        None => {}
    }
}

/// The overdue timer fired: every entry whose time has passed is overdue, and one that is newly so is a cause of its
/// own. The entry stays (A22), but for a task that was stopped nobody knows by whom: its wait is over.
pub(crate) fn mark_overdue(step: &mut Step<'_>, session: &mut Session, timer: &Timer) {
    if session.turns.open.is_some() {
        return;
    }
    let grace = step.ctx.settings.overdue.millis();
    let now = step.ctx.now;
    let passed = |owing: Option<Owing>| owing.is_some_and(|owing| owing.left == Millis(0));
    let tasks: Vec<bool> =
        session.ledger.tasks.iter().map(|entry| passed(owing_task(entry, session, grace, now))).collect();
    let wakes: Vec<bool> =
        session.ledger.wakes.iter().map(|wake| passed(owing_wake(wake, session, grace, now))).collect();
    let held = Step::waits(session);
    let before = session.ledger.overdue();
    for (entry, passed) in session.ledger.tasks.iter_mut().zip(tasks) {
        entry.overdue |= passed;
    }
    for (wake, passed) in session.ledger.wakes.iter_mut().zip(wakes) {
        wake.overdue |= passed;
    }
    session.ledger.release_stopped(now);
    fell_free(step, session, held, false);
    if session.ledger.overdue() > before {
        session.causes.set(Reason::WakeOverdue, Cause::new(format!("timer {}", timer.generation), now));
    }
}

/// Arms the timer of the wake that Wakeful itself will fire. Once: whether its time has come is for the timer to say,
/// which knows steps of the clock (T4).
fn own_wake(step: &mut Step<'_>, session: &mut Session) {
    let next = session.ledger.wakes.iter().find(|wake| wake.own() && !wake.fired);
    match next.and_then(|wake| Some((wake.due?, wake.prompt))) {
        Some((due, prompt)) => {
            let key = format!("wake {} {}", prompt.0, due.0);
            if session.timers.get(TimerKind::Wake).is_none_or(|timer| timer.about != key) {
                step.arm(session, TimerKind::Wake, step.ctx.now.wall.until(due), &key, false);
            }
        }
        None => step.cancel(session, TimerKind::Wake),
    }
}

/// No hold is unbounded in silence (A22): a wait that nothing else bounds gets the cap.
fn bound_the_wait(step: &mut Step<'_>, session: &mut Session) {
    if session.status() != Status::Waiting {
        return;
    }
    let ledger = &session.ledger;
    let by_wake = ledger.wakes.iter().any(|wake| wake.holds && wake.due.is_some());
    let by_overdue = ledger
        .tasks
        .iter()
        .any(|entry| entry.holds && (entry.owed() || entry.awaited && entry.task.limit.is_some()));
    let by_stall = !ledger.accounting.is_empty();
    // A message that was sent has its own time limit; until then it is what the session waits for (T6).
    let bounds = [TimerKind::Cap, TimerKind::Keep, TimerKind::Delivery];
    let by_timer = bounds.iter().any(|kind| session.timers.get(*kind).is_some());
    if !(by_wake || by_overdue || by_stall || by_timer) {
        step.arm(session, TimerKind::Cap, step.ctx.settings.auto_wait.millis(), "unbounded", false);
    }
}

/// Edges into `needs_you`: every open ask, and the cause that is shown.
fn notify(step: &mut Step<'_>, session: &mut Session) {
    let mut edges: Vec<(Edge, bool)> = session
        .asks
        .iter()
        .map(|ask| (Edge { reason: ask.kind.into(), cause: format!("ask {}", ask.number) }, false))
        .collect();
    if let (true, Status::NeedsYou(reason)) = (session.asks.is_empty(), session.status())
        && let Some(cause) = session.causes.get(reason)
    {
        edges.push((Edge { reason, cause: cause.key.clone() }, cause.silent));
    }
    session.notices.stand(&edges, step.ctx.now);
    match session.notices.oldest() {
        None => step.cancel(session, TimerKind::Settle),
        Some(since) => {
            let about = format!("{}", since.boot.0);
            if session.timers.get(TimerKind::Settle).is_none_or(|timer| timer.about != about) {
                let left = step.ctx.settings.settle.0.saturating_sub(step.ctx.now.since(since).0);
                step.arm(session, TimerKind::Settle, Millis(left), &about, false);
            }
        }
    }
}

/// What an event did to the holds of a session that waited: when the last of them goes without a turn, the session
/// is done, not silent.
pub(crate) fn fell_free(step: &mut Step<'_>, session: &mut Session, held: bool, silent: bool) {
    let free = held && !Step::waits(session) && session.turns.open.is_none() && session.ended.is_none();
    if !free || session.causes.get(Reason::Orphaned).is_some() {
        return;
    }
    let shown =
        [Reason::WaitTimeout, Reason::UnbackedWait].map(|reason| session.causes.clear(reason).is_some());
    let silent = silent || shown.contains(&true); // it was in the inbox already
    let key = format!("free {}", session.ledger.revision);
    session.causes.set(Reason::Done, Cause::new(key, step.ctx.now).silent(silent));
}
