//! `wakeful list`: who needs you, who only waits.

use std::io::{self, Write};

use serde::Serialize;
use wakeful_core::causes::Reason;
use wakeful_core::ledger::Backing;
use wakeful_core::session::Status;
use wakeful_core::view::{PhaseView, WaitKind, WaitView};
use wakeful_engine::live::{Live, Unread};
use wakeful_engine::shown::{SessionJson, Shown, VERSION, instant};

use crate::error::{Answer, Error};
use crate::output::{colours, print, width};
use crate::sessions::{AsOf, countdown, length, shown};

/// Show the sessions on this machine: who needs you, who only waits
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Also those that ended more than an hour ago
    #[arg(long)]
    all: bool,
    /// Print one JSON object (docs/json.md)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    as_of: AsOf,
}

#[derive(Serialize)]
struct Listed<'a> {
    version: u32,
    now: Option<String>,
    sessions: Vec<SessionJson<'a>>,
    unread: Unread,
}

impl Args {
    /// Prints the list.
    pub fn run(self) -> Result<Answer, Error> {
        let live = self.as_of.load()?;
        let sessions: Vec<Shown<'_>> =
            shown(&live).into_iter().filter(|shown| self.all || !shown.long_ended(live.now)).collect();
        print(|out| {
            if self.json {
                let listed = Listed {
                    version: VERSION,
                    now: instant(live.now),
                    sessions: sessions.iter().map(SessionJson::of).collect(),
                    unread: live.unread,
                };
                serde_json::to_writer_pretty(&mut *out, &listed)?;
                return writeln!(out);
            }
            write_list(out, &live, &sessions)
        })?;
        Ok(Answer::Yes)
    }
}

fn write_list(out: &mut dyn Write, live: &Live, sessions: &[Shown<'_>]) -> io::Result<()> {
    if sessions.is_empty() {
        writeln!(out, "No sessions. Once `wakeful setup` has run, every session of your agents shows here.")?;
    }
    let mut section = None;
    for shown in sessions {
        if section != Some(shown.section()) {
            let count = sessions.iter().filter(|other| other.section() == shown.section()).count();
            let gap = if section.is_some() { "\n" } else { "" };
            let (bold, plain) = if colours() { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
            writeln!(out, "{gap}{bold}{} ({count}){plain}", shown.section().heading())?;
            section = Some(shown.section());
        }
        write_session(out, live, shown)?;
    }
    let unread = &live.unread;
    let missing =
        unread.malformed + unread.skipped.damaged + unread.skipped.other_version + unread.skipped.lost;
    if missing > 0 {
        writeln!(out, "\n{missing} events could not be read; --json says why")?;
    }
    if unread.not_yet > 0 {
        writeln!(out, "\n{} events are of clients that this version does not read yet", unread.not_yet)?;
    }
    Ok(())
}

/// A session in two lines or more: its name, and what there is to know.
pub fn write_session(out: &mut dyn Write, live: &Live, shown: &Shown<'_>) -> io::Result<()> {
    let margin = shown.prefix.len().max(4) + 4;
    writeln!(
        out,
        "  {:4}  {}  {}",
        shown.prefix,
        shown.project(),
        cut(shown.label(), width().saturating_sub(margin + 12))
    )?;
    for line in facts(live, shown) {
        writeln!(out, "{:margin$}{}", "", cut(&line, width().saturating_sub(margin)))?;
    }
    Ok(())
}

fn facts(live: &Live, shown: &Shown<'_>) -> Vec<String> {
    let view = &shown.view;
    let quiet = live.now.since(shown.session.last_event);
    let mut lines = match view.status {
        Status::NeedsYou(reason) => {
            let since = view.since.map_or(quiet, |since| live.now.since(since));
            let by =
                view.asked_by.as_deref().map(|agent| format!(" of its subagent {agent}")).unwrap_or_default();
            let mut line = format!("{}{by}, for {}", said(reason), length(since));
            if let Some(detail) = view.detail.as_deref().filter(|detail| !detail.is_empty()) {
                line.push_str(&format!(": {detail}"));
            }
            vec![line]
        }
        Status::Snoozed => vec![format!("put away by you; back in {}", left(shown).unwrap_or_default())],
        Status::Working => vec![format!("last heard of {} ago", length(quiet))],
        Status::Waiting => match left(shown) {
            Some(left) => vec![format!("surfaces in {left} if nothing comes")],
            None => Vec::new(),
        },
        Status::Idle => vec![format!("nothing owed and nothing asked, for {}", length(quiet))],
        Status::Ended => vec![format!("ended {} ago", length(quiet))],
    };
    lines.extend(view.banner.clone());
    let of_banner =
        |wait: &&WaitView| view.banner.is_none() || !matches!(wait.kind, WaitKind::Wake | WaitKind::CheckIn);
    lines.extend(view.waits.iter().filter(of_banner).map(wait));
    lines
}

fn left(shown: &Shown<'_>) -> Option<String> {
    shown.view.until.map(|until| countdown(until.left))
}

/// A reason in words.
pub fn said(reason: Reason) -> &'static str {
    match reason {
        Reason::Permission => "asks for permission",
        Reason::Question => "asks a question",
        Reason::Plan => "asks you to approve a plan",
        Reason::Elicitation => "shows a form",
        Reason::Failed => "failed",
        Reason::Limit => "stopped at a limit",
        Reason::Orphaned => "is gone, with work under way",
        Reason::WakeOverdue => "was not woken as promised",
        Reason::WaitTimeout => "has waited to its cap",
        Reason::Stalled => "went silent in the middle of a turn",
        Reason::UnbackedWait => "says it is waiting, but nothing is armed to wake it",
        Reason::Done => "is done",
    }
}

/// An entry of the ledger in words: what, how it stands, what is behind it.
fn wait(wait: &WaitView) -> String {
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

/// At most `columns` characters of one line.
fn cut(text: &str, columns: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= columns {
        return line;
    }
    line.chars().take(columns.saturating_sub(1)).chain(['…']).collect()
}
