//! The end of a turn: lists, holds, ladder, and what the verdict sets in motion.

use crate::causes::{Cause, Reason};
use crate::decision::{Bound, Decision, Gate, Verdict, WaitingOn};
use crate::effect::Effect;
use crate::event::{Event, Opener, TimerKind, ToolClass, TurnEnd, TurnHow};
use crate::facts::{Facts, settle_holds};
use crate::ladder::decide;
use crate::ledger::ProseWait;
use crate::reading::Reading;
use crate::session::Session;
use crate::step::Step;
use crate::turn::OpenTurn;

/// A turn of the main agent ended. A subagent's end never acts as the main agent's (C4, S7, S7c).
pub(crate) fn turn_ended(step: &mut Step<'_>, session: &mut Session, event: &Event, end: &TurnEnd) {
    if let Some(agent) = &event.agent {
        session.asks.agent_over(agent.as_str());
        return;
    }
    if is_repeat(session, event, end) {
        return;
    }
    if session.turns.is_late(event, step.started) {
        let gone = session.ledger.list(&end.roster, step.started, step.ctx.now);
        step.wake_gone(session, gone);
        return;
    }
    if session.turns.open.is_none() && end.how == TurnHow::Interrupted {
        return; // nothing is open that could have been interrupted
    }
    step.join(session, event);
    let Some(turn) = session.turns.open.clone() else { return };
    close_dialogs_and_lists(step, session, &turn, end);
    let decision = settle(step, session, &turn, end);
    step.effects.push(Effect::Decide(Box::new(decision.clone())));
    session.decision = Some(decision);
    session.turns.end(end.digest, step.ctx.now, step.started);
    if std::mem::take(&mut session.wake_due_in_turn) {
        crate::firing::deliver_wake(step, session); // it came due during the turn (W8)
    }
}

/// The same turn end twice (S1, S11).
fn is_repeat(session: &Session, event: &Event, end: &TurnEnd) -> bool {
    let last = session.turns.last.as_ref();
    session.turns.open.is_none()
        && last.is_some_and(|last| last.turn.id == event.turn && last.end == end.digest)
}

fn close_dialogs_and_lists(step: &mut Step<'_>, session: &mut Session, turn: &OpenTurn, end: &TurnEnd) {
    session.asks.turn_over();
    if end.how == TurnHow::Interrupted && !session.ledger.has_agents() {
        session.asks.no_agents(); // those in the foreground are interrupted too
    }
    let gone = session.ledger.list(&end.roster, step.started, step.ctx.now);
    step.wake_gone(session, gone);
    session.ledger.drop_prose();
    let pending = match end.how {
        TurnHow::Finished => {
            let subagents = turn.running.iter().filter(|(_, class)| **class == ToolClass::Subagent);
            subagents.map(|(id, _)| id.clone()).collect()
        }
        TurnHow::Failed { .. } | TurnHow::Interrupted | TurnHow::Limit { .. } => Vec::new(),
    };
    session.ledger.account(pending);
    let unread = Reading::default(); // an error message says nothing about waits
    let reading = if end.how == TurnHow::Finished { &end.reading } else { &unread };
    settle_holds(&mut session.ledger, reading, step.ctx.settings, turn.opened, step.ctx.now);
}

/// Runs the ladder and sets the verdict in force. Under an open ask the rest of the ladder counts too: it is what
/// shows when the ask has been answered.
fn settle(step: &mut Step<'_>, session: &mut Session, turn: &OpenTurn, end: &TurnEnd) -> Decision {
    let mut facts = Facts::of(session, end, step.ctx.settings, step.ctx.abilities, step.ctx.now);
    let decision = decide(&facts, turn.number, turn.id.clone());
    let beneath = if decision.gate == Gate::OpenAsk {
        facts.ask = None;
        decide(&facts, turn.number, turn.id.clone())
    } else {
        decision.clone()
    };
    let day = facts.day_alone && beneath.gate == Gate::ScheduledWake;
    session.day_surfaced |= day; // once (W4)
    enforce(step, session, turn, end, beneath.verdict);
    decision
}

fn enforce(step: &mut Step<'_>, session: &mut Session, turn: &OpenTurn, end: &TurnEnd, verdict: Verdict) {
    let surfaces = matches!(verdict, Verdict::NeedsYou { .. });
    // An unanswered question outlives the waits of later turns and their failures; only another message that surfaces
    // takes its place.
    let said = surfaces && end.how == TurnHow::Finished;
    session.causes.keep_only(|reason| reason == Reason::WakeOverdue || (reason == Reason::Question && !said));
    let mut cap = None;
    match verdict {
        Verdict::NeedsYou { reason, detail, resets } => {
            let silent = reason == Reason::Done && adds_nothing(session, turn);
            let mut cause = Cause::new(format!("turn {}", turn.number), step.ctx.now).silent(silent);
            cause.detail = detail;
            cause.resets = resets;
            session.causes.set(reason, cause);
            session.snoozed &= !matches!(reason, Reason::Question | Reason::Failed | Reason::Limit);
        }
        Verdict::Waiting { on, bound } => {
            if let (WaitingOn::Prose(backing), Some(words)) = (on, end.reading.wait.clone()) {
                session.ledger.prose = Some(ProseWait { words, backing, since: step.ctx.now });
                session.ledger.revision += 1;
            }
            if let Bound::Cap { after, .. } = bound {
                cap = Some(after);
            }
        }
        Verdict::Idle => {}
    }
    step.cancel(session, TimerKind::Keep);
    step.cancel(session, TimerKind::InboxCheckIn);
    match cap {
        Some(after) => step.arm(session, TimerKind::Cap, after, &format!("turn {}", turn.number), false),
        None => step.cancel(session, TimerKind::Cap),
    }
}

/// A woken turn without a tool call and without an ask, after a `done` that rang already, does not ring again.
fn adds_nothing(session: &Session, turn: &OpenTurn) -> bool {
    turn.opener == Opener::Wake && !turn.acted && session.notices.done_rung
}
