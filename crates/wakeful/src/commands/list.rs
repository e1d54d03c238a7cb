//! `wakeful list`: who needs you, who only waits.

use std::io::{self, Write};

use serde::Serialize;
use wakeful_engine::live::{Live, Unread};
use wakeful_engine::shown::{SessionJson, Shown, VERSION, instant};

use crate::error::{Answer, Error};
use crate::output::{colours, print, width};
use crate::sessions::{AsOf, shown};
use crate::text::cut;
use crate::words::facts;

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
    /// Without any option.
    pub fn plain() -> Self {
        Self { all: false, json: false, as_of: AsOf::now() }
    }

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
    for line in facts(&shown.view, live.now, shown.session.last_event) {
        writeln!(out, "{:margin$}{}", "", cut(&line, width().saturating_sub(margin)))?;
    }
    Ok(())
}
