//! What follows from the state of a session after every event, whatever the event was: bounds of waits,
//! overdue wakes, notifications. No rule here looks at the event.

use crate::causes::{Cause, HARD, Reason};
use crate::event::TimerKind;
use crate::ledger::{Phase, TaskEntry, WakeEntry};
use crate::notices::Edge;
use crate::session::{Session, Status};
use crate::step::Step;
use crate::time::{Millis, Now};

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
    if session.causes.get(Reason::WaitTimeout).is_none() {
        step.cancel(session, TimerKind::InboxCheckIn);
    }
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
/// start another, so nothing is overdue then.
fn owing_task(entry: &TaskEntry, session: &Session, grace: Millis, now: Now) -> Option<Owing> {
    if !entry.holds {
        return None; // an entry that does not hold never alerts
    }
    let (since, after, phase) = match &entry.phase {
        Phase::Owed { since, .. } => {
            (later(*since, session.turns.last.as_ref().map(|last| last.ended)), grace, "owed")
        }
        Phase::Live => {
            let limit = entry.task.limit.filter(|_| entry.awaited)?;
            (entry.started_at, Millis(limit.0.saturating_add(grace.0)), "past its limit")
        }
    };
    let left = Millis(after.0.saturating_sub(now.since(since).0));
    Some(Owing { key: format!("task {} {phase} {}", entry.task.id, since.wall.0), left, wall_only: false })
}

fn owing_wake(wake: &WakeEntry, session: &Session, grace: Millis, now: Now) -> Option<Owing> {
    let due = wake.due.filter(|_| wake.holds)?;
    let from = session.turns.last.as_ref().map_or(due, |last| due.max(last.ended.wall)); // W8
    let left = now.wall.until(from.plus(grace));
    Some(Owing { key: format!("wake {} {}", wake.prompt.0, due.0), left, wall_only: !wake.own() })
}

fn later(a: Now, b: Option<Now>) -> Now {
    b.filter(|b| b.boot_id == a.boot_id && b.boot > a.boot || b.boot_id != a.boot_id && b.wall > a.wall)
        .unwrap_or(a)
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
    overdue_cause(session, now);
}

fn overdue_cause(session: &mut Session, now: Now) {
    let task = session.ledger.tasks.iter().find(|entry| entry.overdue && entry.holds);
    let wake = session.ledger.wakes.iter().find(|wake| wake.overdue && wake.holds);
    let found = match (task, wake) {
        (Some(entry), _) => Some((format!("task {}", entry.task.id), entry.task.label.clone())),
        (None, Some(wake)) => Some((
            format!("wake {} {:?}", wake.prompt.0, wake.due),
            wake.reason.clone().unwrap_or_else(|| "a scheduled wake".to_owned()),
        )),
        (None, None) => None,
    };
    match found {
        Some((key, detail)) => session.causes.set(Reason::WakeOverdue, Cause::new(key, now).detail(detail)),
        None if session
            .causes
            .get(Reason::WakeOverdue)
            .is_some_and(|cause| !cause.key.starts_with("gone")) =>
        {
            session.causes.clear(Reason::WakeOverdue);
        }
        None => {}
    }
}

/// The overdue timer fired: every entry whose time has passed is overdue. The entry stays (A22).
pub(crate) fn mark_overdue(step: &Step<'_>, session: &mut Session) {
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
    for (entry, passed) in session.ledger.tasks.iter_mut().zip(tasks) {
        entry.overdue |= passed;
    }
    for (wake, passed) in session.ledger.wakes.iter_mut().zip(wakes) {
        wake.overdue |= passed;
    }
}

/// Arms the timer of the wake that Wakeful itself will fire.
fn own_wake(step: &mut Step<'_>, session: &mut Session) {
    let now = step.ctx.now.wall;
    let next = session.ledger.wakes.iter().find(|wake| wake.own() && wake.due.is_some_and(|due| due > now));
    match next.map(|wake| (wake.due, format!("wake {} {:?}", wake.prompt.0, wake.due))) {
        Some((Some(due), key)) => {
            if session.timers.get(TimerKind::Wake).is_none_or(|timer| timer.about != key) {
                step.arm(session, TimerKind::Wake, now.until(due), &key, false);
            }
        }
        _ => {
            if session.timers.get(TimerKind::Wake).is_some_and(|timer| !timer.due(step.ctx.now)) {
                step.cancel(session, TimerKind::Wake);
            }
        }
    }
}

/// No hold is unbounded in silence (A22): a wait that nothing else bounds gets the cap.
fn bound_the_wait(step: &mut Step<'_>, session: &mut Session) {
    if session.status() != Status::Waiting {
        return;
    }
    let ledger = &session.ledger;
    let by_wake = ledger.wakes.iter().any(|wake| wake.holds);
    let by_overdue = ledger
        .tasks
        .iter()
        .any(|entry| entry.holds && (entry.owed() || entry.awaited && entry.task.limit.is_some()));
    let by_stall = !ledger.accounting.is_empty();
    let by_timer = [TimerKind::Cap, TimerKind::Keep].iter().any(|kind| session.timers.get(*kind).is_some());
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
