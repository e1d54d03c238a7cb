//! What happened in a session, in words.

use serde::Serialize;
use utoipa::ToSchema;
use wakeful_core::decision::Decision;
use wakeful_core::effect::Effect;
use wakeful_core::event::{Event, EventKind, Opener, TurnHow};

use super::{DecisionJson, instant};
use crate::live::Moment;

/// A moment of a session's timeline.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Moment)]
pub struct MomentJson<'a> {
    /// When.
    #[schema(required, format = DateTime)]
    at: Option<String>,
    /// What happened, for people.
    what: String,
    /// The decision that it led to.
    #[schema(required)]
    decision: Option<DecisionJson<'a>>,
    /// The reason that rang.
    #[schema(required)]
    notified: Option<&'static str>,
}

impl<'a> MomentJson<'a> {
    /// Of a moment; `None` of what only the ledger needs to know.
    pub fn of(moment: &'a Moment) -> Option<Self> {
        let (decision, notified) = (decision(&moment.effects), notified(&moment.effects));
        let what = moment.event.as_ref().and_then(what);
        if decision.is_none() && notified.is_none() && what.is_none() {
            return None;
        }
        Some(Self {
            at: instant(moment.at),
            what: what.unwrap_or_else(|| "a timer fired".to_owned()),
            decision: decision.map(DecisionJson::of),
            notified,
        })
    }
}

/// What is said of a turn that ended by itself.
pub const TURN_ENDED: &str = "turn ended";

/// The decision among these effects.
pub fn decision(effects: &[Effect]) -> Option<&Decision> {
    effects.iter().find_map(|effect| match effect {
        Effect::Decide(decision) => Some(&**decision),
        _ => None,
    })
}

/// The reason that rings among these effects.
pub fn notified(effects: &[Effect]) -> Option<&'static str> {
    effects.iter().find_map(|effect| match effect {
        Effect::Notify(edge) => Some(edge.reason.name()),
        _ => None,
    })
}

/// An event for people; `None` for what only the ledger needs to know.
pub fn what(event: &Event) -> Option<String> {
    let of_agent = event.agent.as_ref().map(|agent| format!(" (subagent {agent})")).unwrap_or_default();
    let said = match &event.kind {
        EventKind::SessionStarted { start, .. } => format!("session started: {}", word(start)),
        EventKind::PromptSubmitted { opener, label, .. } => match opener {
            Opener::User => format!("you: {label}"),
            Opener::Wake => format!("woken: {label}"),
            Opener::CheckIn => "check-in".to_owned(),
            Opener::Agent => format!("another agent: {label}"),
        },
        EventKind::AskOpened { ask, snippet, .. } => format!("asks ({}): {snippet}", word(ask)),
        EventKind::TaskStarted { task, .. } => format!("{} started: {}", word(&task.kind), task.label),
        EventKind::TaskFinished(report) => format!("task {} reported: {}", report.task, report.summary),
        EventKind::WakeScheduled(wake) => {
            format!(
                "scheduled a wake{}",
                wake.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default()
            )
        }
        EventKind::WakeCancelled { .. } => "cancelled a wake".to_owned(),
        EventKind::TurnEnded(end) => match &end.how {
            TurnHow::Finished => TURN_ENDED.to_owned(),
            TurnHow::Failed { message } => format!("turn failed: {message}"),
            TurnHow::Limit { message, .. } => format!("turn ended at a limit: {message}"),
            TurnHow::Interrupted => "turn interrupted".to_owned(),
        },
        EventKind::Stopped => "stopped".to_owned(),
        EventKind::ProcessExited { .. } => "the process is gone".to_owned(),
        EventKind::SessionEnded { end } => format!("session ended: {}", word(end)),
        _ => return None,
    };
    Some(said + &of_agent)
}

/// The word by which a value is written everywhere.
pub fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word.replace('_', " "),
        _ => String::new(),
    }
}
