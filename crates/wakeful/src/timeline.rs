//! What happened in a session, for people: the same on every surface.

use serde::Serialize;
use wakeful_core::decision::Decision;
use wakeful_core::effect::Effect;
use wakeful_core::event::{Event, EventKind, Opener, TurnHow};
use wakeful_engine::live::Moment;

/// What is said of a turn that ended by itself.
pub const TURN_ENDED: &str = "turn ended";

/// What was decided at this moment.
pub fn decision(moment: &Moment) -> Option<&Decision> {
    moment.effects.iter().find_map(|effect| match effect {
        Effect::Decide(decision) => Some(&**decision),
        _ => None,
    })
}

/// The reason that rang at this moment, by its name.
pub fn notified(moment: &Moment) -> Option<&'static str> {
    moment.effects.iter().find_map(|effect| match effect {
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
