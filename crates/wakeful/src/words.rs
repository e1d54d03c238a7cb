//! What sessions, waits and decisions are in words: the same on every surface.

use wakeful_core::decision::{Bound, WaitingOn};
use wakeful_core::ledger::Backing;
use wakeful_core::session::Status;
use wakeful_core::time::Now;
use wakeful_core::view::{PhaseView, SessionView, WaitKind, WaitView};
pub use wakeful_engine::notify::words::said;

use crate::sessions::{countdown, length};

/// What there is to know of a session, a line each: how it stands, then its waits.
pub fn facts(view: &SessionView, now: Now, last_event: Now) -> Vec<String> {
    let mut lines: Vec<String> = standing(view, now, last_event).into_iter().collect();
    lines.extend(view.banner.clone());
    lines.extend(view.waits.iter().filter(|wait| !in_banner(view, wait)).map(wait));
    lines
}

/// Is the banner about this entry already?
pub fn in_banner(view: &SessionView, wait: &WaitView) -> bool {
    view.banner.is_some() && matches!(wait.kind, WaitKind::Wake | WaitKind::CheckIn)
}

/// How a session stands, in one line; `None` where only its waits say it.
pub fn standing(view: &SessionView, now: Now, last_event: Now) -> Option<String> {
    let quiet = now.since(last_event);
    Some(match view.status {
        Status::NeedsYou(reason) => {
            let since = view.since.map_or(quiet, |since| now.since(since));
            let by =
                view.asked_by.as_deref().map(|agent| format!(" of its subagent {agent}")).unwrap_or_default();
            let mut line = format!("{}{by}, for {}", said(reason), length(since));
            if let Some(detail) = view.detail.as_deref().filter(|detail| !detail.is_empty()) {
                line.push_str(&format!(": {detail}"));
            }
            line
        }
        Status::Snoozed => format!("put away by you; back in {}", left(view).unwrap_or_default()),
        Status::Working => format!("last heard of {} ago", length(quiet)),
        Status::Waiting => format!("surfaces in {} if nothing comes", left(view)?),
        Status::Idle => format!("nothing owed and nothing asked, for {}", length(quiet)),
        Status::Ended => format!("ended {} ago", length(quiet)),
    })
}

/// What is left of a wait or a snooze.
pub fn left(view: &SessionView) -> Option<String> {
    view.until.map(|until| countdown(until.left))
}

/// An entry of the ledger in words: what, how it stands, what is behind it.
pub fn wait(wait: &WaitView) -> String {
    let kind = match wait.kind {
        WaitKind::Command => "command",
        WaitKind::Monitor => "monitor",
        WaitKind::Subagent => "subagent",
        WaitKind::Workflow => "workflow",
        WaitKind::Other => "task",
        WaitKind::Wake => "scheduled wake",
        WaitKind::CheckIn => "scheduled check-in",
        WaitKind::Prose => "by its words",
        WaitKind::Accounting => "result of a subagent",
    };
    let mut notes = Vec::new();
    if wait.phase == Some(PhaseView::Owed) {
        notes.push("has ended, owed its wake");
    }
    if wait.awaited == Some(true) {
        notes.push("awaited");
    }
    notes.push(match wait.backing {
        Some(Backing::Backed) => "backed",
        Some(Backing::External) => "external",
        Some(Backing::Unknown) => "backing unknown",
        Some(Backing::Unbacked) => "unbacked",
        None if wait.holds => "backed",
        None => "does not hold",
    });
    format!("{kind} {} ({})", wait.label, notes.join(", "))
}

/// What a wait is for.
pub fn waiting_for(on: &WaitingOn) -> &'static str {
    match on {
        WaitingOn::Wake => "a scheduled wake",
        WaitingOn::CheckIn => "a scheduled check-in",
        WaitingOn::Awaited => "awaited work",
        WaitingOn::Live(_) => "live work",
        WaitingOn::Accounting => "the results of subagents",
        WaitingOn::Prose(Backing::Backed) => {
            "what the message says (something on the ledger can wake the agent)"
        }
        WaitingOn::Prose(Backing::External) => "something outside the client that may come back",
        WaitingOn::Prose(Backing::Unknown) => "what the message says (nobody knows what is alive)",
        WaitingOn::Prose(Backing::Unbacked) => {
            "what the message says, though nothing is armed to wake the agent"
        }
    }
}

/// What bounds a wait.
pub fn until(bound: Bound) -> String {
    match bound {
        Bound::Cap { after, by_eta: false } => format!("surfaces after {} minutes", after.minutes_up()),
        Bound::Cap { after, by_eta: true } => {
            format!("surfaces after {} minutes, because the message states a time", after.minutes_up())
        }
        Bound::Wake => "bounded by the wake itself".to_owned(),
        Bound::Overdue => "bounded by the task's own limit".to_owned(),
        Bound::Stall => "bounded by the stall watchdog".to_owned(),
    }
}
