//! What happens when a timer fires (spec 30). Each handler first looks whether the state that armed it still stands (T3).

use crate::causes::{Cause, HARD, Reason, SOFT};
use crate::effect::{Effect, Message};
use crate::event::TimerKind;
use crate::follow;
use crate::ledger::{Backing, WakeKind};
use crate::session::Session;
use crate::settings::CHECK_IN_BUDGET;
use crate::step::Step;
use crate::time::Millis;
use crate::timers::Timer;

pub(crate) fn fired(step: &mut Step<'_>, session: &mut Session, timer: &Timer) {
    match timer.kind {
        TimerKind::Cap | TimerKind::Keep => wait_ran_out(step, session, timer),
        TimerKind::Wake => wake_due(step, session),
        TimerKind::Overdue => follow::mark_overdue(step, session, timer),
        TimerKind::InboxCheckIn => check_in_from_inbox(step, session),
        TimerKind::Stall => stalled(step, session, timer),
        TimerKind::Snooze => snooze_over(session, timer),
        TimerKind::Settle => {
            let (now, settle) = (step.ctx.now, step.ctx.settings.settle);
            let ready = session.notices.ring(|since| now.since(since) >= settle);
            step.effects.extend(ready.into_iter().map(Effect::Notify));
        }
        TimerKind::Delivery => undelivered(step, session, timer),
    }
}

/// The cap, or the user's *Keep waiting*, ran out (T8, T9, T11).
fn wait_ran_out(step: &mut Step<'_>, session: &mut Session, timer: &Timer) {
    if !Step::waits(session) {
        return;
    }
    let wants_check_in = step.ctx.settings.auto_check_in && session.check_ins.auto < CHECK_IN_BUDGET;
    if wants_check_in && step.deliverable(session) {
        session.check_ins.auto += 1;
        send_check_in(step, session);
        step.arm(session, TimerKind::Cap, timer.after, &timer.about, false);
        return;
    }
    let only_unbacked = session.ledger.prose.as_ref().is_some_and(|prose| prose.backing == Backing::Unbacked);
    let reason = if only_unbacked { Reason::UnbackedWait } else { Reason::WaitTimeout };
    let mut cause = Cause::new(format!("timer {}", timer.generation), step.ctx.now);
    if wants_check_in {
        cause = cause.detail("no safe channel for a check-in");
    }
    session.causes.set(reason, cause);
}

/// A session that surfaced as `wait_timeout` and is left alone is checked in on, as long as the budget lasts (T10).
pub(crate) fn watch_inbox(step: &mut Step<'_>, session: &mut Session) {
    let budget = step.ctx.settings.inbox_check_in && session.check_ins.inbox < CHECK_IN_BUDGET;
    if session.causes.get(Reason::WaitTimeout).is_none() {
        step.cancel(session, TimerKind::InboxCheckIn);
    } else if budget && session.timers.get(TimerKind::InboxCheckIn).is_none() {
        arm_inbox(step, session);
    }
}

fn arm_inbox(step: &mut Step<'_>, session: &mut Session) {
    let settings = step.ctx.settings;
    let after = Millis(settings.auto_wait.millis().0 * u64::from(settings.inbox_multiple));
    step.arm(session, TimerKind::InboxCheckIn, after, "wait_timeout", false);
}

/// Only for a `wait_timeout` that was left alone, with a budget of its own (T10).
fn check_in_from_inbox(step: &mut Step<'_>, session: &mut Session) {
    let left_alone = session.causes.get(Reason::WaitTimeout).is_some() && !session.snoozed;
    if !left_alone || session.check_ins.inbox >= CHECK_IN_BUDGET || !step.ctx.settings.inbox_check_in {
        return;
    }
    if step.deliverable(session) {
        session.check_ins.inbox += 1;
        send_check_in(step, session);
    }
}

/// Sends a check-in and waits for the turn that acknowledges it (C10).
pub(crate) fn send_check_in(step: &mut Step<'_>, session: &mut Session) {
    session.check_ins.sent += 1;
    deliver(step, session, Message::CheckIn);
}

fn deliver(step: &mut Step<'_>, session: &mut Session, message: Message) {
    session.check_ins.undelivered = true;
    step.effects.push(Effect::Send(message));
    step.arm(session, TimerKind::Delivery, step.ctx.abilities.delivery_timeout, "delivery", false);
}

fn undelivered(step: &mut Step<'_>, session: &mut Session, timer: &Timer) {
    if std::mem::take(&mut session.check_ins.undelivered) && session.turns.open.is_none() {
        step.cancel(session, TimerKind::Cap); // it has surfaced
        step.cancel(session, TimerKind::Keep);
        let cause = Cause::new(format!("timer {}", timer.generation), step.ctx.now);
        session
            .causes
            .set(Reason::WaitTimeout, cause.detail("a message was sent, and no turn has acknowledged it"));
    }
}

fn wake_due(step: &mut Step<'_>, session: &mut Session) {
    session.ledger.own_wake_due();
    if session.turns.open.is_some() {
        session.wake_due_in_turn = true; // not by interrupting: at the next turn end (W8)
    } else {
        deliver_wake(step, session);
    }
}

/// Delivers the due wake that Wakeful fires. Without a channel it becomes overdue in its time.
pub(crate) fn deliver_wake(step: &mut Step<'_>, session: &mut Session) {
    let due = session.ledger.wakes.iter().find_map(|wake| match &wake.kind {
        WakeKind::Own { check_in, prompt } if wake.fired => {
            Some(Message::ScheduledWake { check_in: *check_in, prompt: prompt.clone() })
        }
        _ => None,
    });
    if let Some(message) = due
        && step.deliverable(session)
    {
        session.ledger.own_wake_sent();
        deliver(step, session, message);
    }
}

/// S10: silence is measured from the last event, so the timer is armed again for what is left.
fn stalled(step: &mut Step<'_>, session: &mut Session, timer: &Timer) {
    let works = session.turns.open.is_some() || !session.ledger.accounting.is_empty();
    if !works {
        return;
    }
    let limit = step.ctx.settings.stall.millis();
    let silent = step.ctx.now.since(session.last_event);
    if !session.asks.is_empty() {
        step.arm(session, TimerKind::Stall, limit, "turn", false); // a dialog is silent, but it is not stalled
    } else if silent < limit {
        step.arm(session, TimerKind::Stall, Millis(limit.0 - silent.0), "turn", false);
    } else {
        session.causes.set(Reason::Stalled, Cause::new(format!("timer {}", timer.generation), step.ctx.now));
    }
}

/// Back to the inbox: the end of a snooze is a cause of its own.
fn snooze_over(session: &mut Session, timer: &Timer) {
    session.snoozed = false;
    let shown = session.causes.first_of(&HARD).or(session.causes.first_of(&SOFT)).unwrap_or(Reason::Done);
    if let Some(cause) = session.causes.get_mut(shown) {
        cause.key = format!("snooze {}", timer.generation);
        cause.silent = false;
    }
}
