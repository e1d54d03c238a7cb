//! What the user does in Wakeful (spec 30, "User actions"). Each is idempotent, and reports a conflict where the
//! session has moved on, in place of acting.

use crate::abilities::Delivery;
use crate::causes::{HARD, Reason};
use crate::effect::{Effect, Message};
use crate::event::{SessionEnd, TimerKind, UserAction};
use crate::firing::send_check_in;
use crate::ids::TaskId;
use crate::ledger::{Backing, ProseWait};
use crate::reading::WaitWords;
use crate::session::{Session, Status};
use crate::step::Step;
use crate::time::{Millis, Now};

pub(crate) fn act(step: &mut Step<'_>, session: &mut Session, action: &UserAction) {
    let done = match action {
        UserAction::Reply { text } => reply(step, session, text),
        UserAction::KeepWaiting => keep_waiting(step, session),
        UserAction::CheckIn => check_in(step, session),
        UserAction::Done => dismiss(step, session),
        UserAction::Snooze { minutes } => snooze(step, session, *minutes),
        UserAction::StopWaiting { task } => stop_waiting(step, session, task.as_ref()),
        UserAction::Stop => {
            stop(session, step.ctx.now);
            Ok(())
        }
    };
    if let Err(why) = done {
        step.effects.push(Effect::Conflict { why });
    }
}

fn moved_on(step: &Step<'_>, session: &Session) -> Result<(), String> {
    if session.ended.is_some() {
        return Err("the session has ended".to_owned());
    }
    if let Some(turn) = &session.turns.open {
        let seconds = step.ctx.now.since(turn.opened).0 / 1000;
        return Err(format!("the agent resumed {seconds} s ago"));
    }
    if !session.asks.is_empty() {
        return Err("a dialog is open in the session: answer it there".to_owned());
    }
    Ok(())
}

fn reply(step: &mut Step<'_>, session: &mut Session, text: &str) -> Result<(), String> {
    moved_on(step, session)?;
    if step.ctx.abilities.delivery != Delivery::Replies || !step.deliverable(session) {
        return Err("a reply does not arrive as yours in this client: answer in its terminal".to_owned());
    }
    for timer in [TimerKind::Cap, TimerKind::Keep, TimerKind::InboxCheckIn] {
        step.cancel(session, timer); // T6
    }
    session.check_ins.undelivered = true;
    step.effects.push(Effect::Send(Message::Reply { text: text.to_owned() }));
    step.arm(session, TimerKind::Delivery, step.ctx.abilities.delivery_timeout, "delivery", false);
    Ok(())
}

fn keep_waiting(step: &mut Step<'_>, session: &mut Session) -> Result<(), String> {
    moved_on(step, session)?;
    if session.causes.get(Reason::UnbackedWait).is_some() && !session.ledger.holds() {
        hold_unbacked(step, session);
    }
    if !session.ledger.holds() {
        return Err("the session waits for nothing".to_owned());
    }
    for reason in [Reason::WaitTimeout, Reason::UnbackedWait, Reason::WakeOverdue] {
        session.causes.clear(reason);
    }
    session.ledger.tasks.iter_mut().for_each(|entry| entry.overdue = false);
    session.ledger.wakes.iter_mut().for_each(|wake| wake.overdue = false);
    session.snoozed = false;
    step.cancel(session, TimerKind::Cap);
    step.arm(session, TimerKind::Keep, step.ctx.settings.keep_waiting.millis(), "keep", false);
    Ok(())
}

/// The user believes a promise that nothing backs.
fn hold_unbacked(step: &Step<'_>, session: &mut Session) {
    let decided = session.decision.as_ref();
    let words = WaitWords {
        rule: decided.and_then(|d| d.rule.clone()).unwrap_or_else(|| crate::ids::RuleId::new("kept-by-user")),
        words: decided.and_then(|d| d.words.clone()).unwrap_or_default(),
        names_external: false,
        names_mechanism: None,
    };
    session.ledger.prose = Some(ProseWait { words, backing: Backing::Unbacked, since: step.ctx.now });
    session.ledger.revision += 1;
}

fn check_in(step: &mut Step<'_>, session: &mut Session) -> Result<(), String> {
    moved_on(step, session)?;
    if session.check_ins.undelivered {
        return Ok(()); // one is on its way
    }
    if !step.deliverable(session) {
        return Err("there is no safe channel to this session until it starts again".to_owned());
    }
    send_check_in(step, session);
    Ok(())
}

fn dismiss(step: &Step<'_>, session: &mut Session) -> Result<(), String> {
    let reason = match session.status() {
        Status::NeedsYou(reason) => reason,
        Status::Working => return moved_on(step, session),
        Status::Waiting | Status::Idle | Status::Snoozed | Status::Ended => return Ok(()), // done already
    };
    if !session.asks.is_empty() {
        return Err("a dialog is open in the session: answer it there".to_owned());
    }
    session.causes.clear(reason);
    match reason {
        Reason::Orphaned => session.ended = Some(SessionEnd::Unknown),
        Reason::WakeOverdue => {
            // The user has given up on these wakes; they stay listed and alert no more.
            for entry in session.ledger.tasks.iter_mut().filter(|entry| entry.overdue) {
                (entry.holds, entry.overdue) = (false, false);
            }
            for wake in session.ledger.wakes.iter_mut().filter(|wake| wake.overdue) {
                (wake.holds, wake.overdue) = (false, false);
            }
            session.ledger.revision += 1;
        }
        _ => {}
    }
    Ok(())
}

fn snooze(step: &mut Step<'_>, session: &mut Session, minutes: u32) -> Result<(), String> {
    if session.ended.is_some() {
        return Err("the session has ended".to_owned());
    }
    if !session.asks.is_empty() {
        return Err("a dialog is open in the session: answer it there".to_owned());
    }
    if let Some(reason) = session.causes.first_of(&HARD) {
        return Err(format!("{} stays in the inbox", reason.name())); // S8b: it stands above a snooze
    }
    session.snoozed = true;
    let after = Millis::minutes(u64::from(minutes.max(1))); // no value may fire at once (T1)
    step.arm(session, TimerKind::Snooze, after, "snooze", false);
    Ok(())
}

fn stop_waiting(step: &mut Step<'_>, session: &mut Session, task: Option<&TaskId>) -> Result<(), String> {
    if let Some(id) = task
        && session.ledger.task(id).is_none()
    {
        return Err(format!("the session no longer waits for {id}"));
    }
    if task.is_none() && session.turns.open.is_some() {
        return moved_on(step, session); // what it waited for has brought it back
    }
    let held = Step::waits(session);
    session.ledger.stop_waiting(task);
    crate::follow::fell_free(step, session, held, true);
    Ok(())
}

/// Stop: the ledger is cleared, and published empty (A16); nothing rings.
pub(crate) fn stop(session: &mut Session, now: Now) {
    session.ledger.clear(now);
    session.asks.clear();
    session.causes.keep_only(|_| false);
    session.snoozed = false;
    session.wake_due_in_turn = false;
    session.check_ins.undelivered = false;
}
