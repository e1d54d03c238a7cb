//! The ladder (spec 10): the gates in their order; the first that answers decides.

use crate::causes::Reason;
use crate::decision::{Bound, Decision, Evidence, Gate, TaskEvidence, Verdict, WaitingOn};
use crate::event::TurnHow;
use crate::facts::{Facts, short_window, spans_the_gap};
use crate::ids::{RuleId, TurnId};
use crate::ledger::Backing;
use crate::settings::Minutes;

type Answer = fn(&Facts<'_>) -> Option<Verdict>;

/// The gates, in order. A new gate is one function and one line here.
const LADDER: [(Gate, Answer); 9] = [
    (Gate::OpenAsk, open_ask),
    (Gate::Failure, failure),
    (Gate::Question, question),
    (Gate::ScheduledWake, scheduled_wake),
    (Gate::AwaitedWork, awaited_work),
    (Gate::LiveWork, live_work),
    (Gate::PendingSubagents, pending_subagents),
    (Gate::ProseWait, prose_wait),
    (Gate::Done, done),
];

/// Decides one turn end.
pub(crate) fn decide(facts: &Facts<'_>, number: u32, turn: Option<TurnId>) -> Decision {
    let (gate, verdict) = LADDER
        .iter()
        .find_map(|(gate, answer)| answer(facts).map(|verdict| (*gate, verdict)))
        .unwrap_or((Gate::Done, Verdict::needs_you(Reason::Done)));
    let (rule, words) = rule_of(gate, facts);
    Decision { at: facts.now, number, turn, verdict, gate, rule, words, evidence: evidence(facts) }
}

fn open_ask(facts: &Facts<'_>) -> Option<Verdict> {
    let ask = facts.ask?;
    Some(Verdict::NeedsYou { reason: ask.kind.into(), detail: Some(ask.snippet.clone()), resets: None })
}

fn failure(facts: &Facts<'_>) -> Option<Verdict> {
    match &facts.end.how {
        TurnHow::Finished => None,
        TurnHow::Interrupted => Some(Verdict::Idle),
        TurnHow::Failed { message } => {
            Some(Verdict::NeedsYou { reason: Reason::Failed, detail: Some(message.clone()), resets: None })
        }
        TurnHow::Limit { message, resets } => {
            Some(Verdict::NeedsYou { reason: Reason::Limit, detail: Some(message.clone()), resets: *resets })
        }
    }
}

fn question(facts: &Facts<'_>) -> Option<Verdict> {
    let question = facts.reading().asks_user.as_ref()?;
    Some(Verdict::NeedsYou { reason: Reason::Question, detail: Some(question.snippet.clone()), resets: None })
}

fn scheduled_wake(facts: &Facts<'_>) -> Option<Verdict> {
    let wake = facts.ledger.wakes.iter().find(|wake| wake.holds)?;
    if facts.day_alone {
        let detail = Some("has been waking itself for a day".to_owned());
        return Some(Verdict::NeedsYou { reason: Reason::WaitTimeout, detail, resets: None });
    }
    let on = if wake.is_check_in() { WaitingOn::CheckIn } else { WaitingOn::Wake };
    Some(Verdict::Waiting { on, bound: Bound::Wake })
}

fn awaited_work(facts: &Facts<'_>) -> Option<Verdict> {
    let mut spanning = facts.ledger.tasks.iter().filter(|entry| spans_the_gap(entry)).peekable();
    spanning.peek()?;
    // A live awaited task without a known limit has no overdue time; then the cap is the bound (A22).
    let unbounded = spanning.any(|entry| !entry.owed() && entry.task.limit.is_none());
    let bound = if unbounded { cap(facts, facts.settings.auto_wait) } else { Bound::Overdue };
    Some(Verdict::Waiting { on: WaitingOn::Awaited, bound })
}

fn live_work(facts: &Facts<'_>) -> Option<Verdict> {
    let mut kinds: Vec<_> =
        facts.ledger.tasks.iter().filter(|entry| entry.holds).map(|entry| entry.task.kind).collect();
    if kinds.is_empty() {
        return None;
    }
    kinds.sort_unstable();
    kinds.dedup();
    Some(Verdict::Waiting { on: WaitingOn::Live(kinds), bound: cap(facts, facts.settings.auto_wait) })
}

fn pending_subagents(facts: &Facts<'_>) -> Option<Verdict> {
    (facts.pending_subagents > 0)
        .then_some(Verdict::Waiting { on: WaitingOn::Accounting, bound: Bound::Stall })
}

fn prose_wait(facts: &Facts<'_>) -> Option<Verdict> {
    let backing = facts.backing.filter(|_| facts.settings.detector)?;
    let minutes = match backing {
        Backing::Unbacked => facts.settings.unbacked_wait,
        Backing::External if short_window(facts) => facts.settings.external_wait,
        Backing::Backed | Backing::External | Backing::Unknown => facts.settings.auto_wait,
    };
    Some(match (backing, minutes) {
        (Backing::Unbacked, Minutes(0)) => Verdict::needs_you(Reason::UnbackedWait),
        (_, Minutes(0)) => Verdict::needs_you(Reason::WaitTimeout),
        _ => Verdict::Waiting { on: WaitingOn::Prose(backing), bound: cap(facts, minutes) },
    })
}

#[expect(clippy::unnecessary_wraps, reason = "a gate like the others")]
fn done(_: &Facts<'_>) -> Option<Verdict> {
    Some(Verdict::needs_you(Reason::Done))
}

fn cap(facts: &Facts<'_>, own: Minutes) -> Bound {
    let (after, by_eta) = facts.cap(own);
    Bound::Cap { after, by_eta }
}

/// The rule of the reading that had a say at this gate, with its words.
fn rule_of(gate: Gate, facts: &Facts<'_>) -> (Option<RuleId>, Option<String>) {
    let reading = facts.reading();
    match gate {
        Gate::Question => {
            let question = reading.asks_user.as_ref();
            (question.map(|q| q.rule.clone()), question.map(|q| q.snippet.clone()))
        }
        Gate::LiveWork | Gate::AwaitedWork | Gate::ScheduledWake => {
            let words = reading.waits_somewhere.as_ref();
            (words.map(|w| w.rule.clone()), words.map(|w| w.words.clone()))
        }
        Gate::ProseWait => {
            let words = reading.wait.as_ref();
            (words.map(|w| w.rule.clone()), words.map(|w| w.words.clone()))
        }
        Gate::Done => (reading.closes.clone(), None),
        Gate::OpenAsk | Gate::Failure | Gate::PendingSubagents => (None, None),
    }
}

fn evidence(facts: &Facts<'_>) -> Evidence {
    let task = |entry: &crate::ledger::TaskEntry| TaskEvidence {
        id: entry.task.id.clone(),
        kind: entry.task.kind,
        awaited: entry.awaited,
        owed: entry.owed(),
        holds: entry.holds,
        endless: entry.task.endless.clone(),
    };
    let wakes = facts.ledger.wakes.iter().filter(|wake| wake.confirmed).count();
    Evidence {
        lists: facts.end.roster.tasks.is_some(),
        reconstructed: facts.end.roster.reconstructed,
        tasks: facts.ledger.tasks.iter().map(task).collect(),
        wakes: u32::try_from(wakes).unwrap_or(u32::MAX),
        backing: facts.backing,
        vetoes: facts.reading().vetoes.clone(),
        closes: facts.reading().closes.clone(),
    }
}
