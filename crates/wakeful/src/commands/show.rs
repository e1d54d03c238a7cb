//! `wakeful show`: one session with its timeline and decisions.

use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use wakeful_core::decision::{Decision, Verdict};
use wakeful_core::time::Now;
use wakeful_engine::live::{Live, Moment};
use wakeful_engine::shown::{MomentJson, SessionJson, Shown, VERSION, decision, instant, notified, what};

use super::list::write_session;
use crate::error::{Answer, Error};
use crate::output::{colours, print};
use crate::sessions::{AsOf, named, shown};
use crate::words::said;

/// Show one session with its timeline and decisions
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The session: the beginning of its id
    session: String,
    /// Print one JSON object (docs/json.md)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    as_of: AsOf,
}

#[derive(Serialize)]
struct Detailed<'a> {
    version: u32,
    now: Option<String>,
    session: SessionJson<'a>,
    timeline: Vec<MomentJson<'a>>,
}

impl Args {
    /// Prints the session.
    pub fn run(self) -> Result<Answer, Error> {
        let live = self.as_of.load()?;
        let key = named(&live, &self.session)?;
        let all = shown(&live);
        let Some(session) = all.iter().find(|shown| shown.session.key == key) else { return Ok(Answer::No) };
        let moments = live.history(&key).map_err(|error| Error::sessions(error.into()))?;
        let moments = moments.as_slice();
        print(|out| {
            if self.json {
                let detailed = Detailed {
                    version: VERSION,
                    now: instant(live.now),
                    session: SessionJson::of(session),
                    timeline: moments.iter().filter_map(MomentJson::of).collect(),
                };
                serde_json::to_writer_pretty(&mut *out, &detailed)?;
                return writeln!(out);
            }
            write_session_with_timeline(out, &live, session, moments)
        })?;
        Ok(Answer::Yes)
    }
}

fn write_session_with_timeline(
    out: &mut dyn Write,
    live: &Live,
    session: &Shown<'_>,
    moments: &[Moment],
) -> io::Result<()> {
    writeln!(out, "{}", session.section().heading())?;
    write_session(out, live, session)?;
    writeln!(out, "\n  {}", session.session.key)?;
    if let Some(cwd) = &session.view.cwd {
        writeln!(out, "  {cwd}")?;
    }
    writeln!(out)?;
    let zone = TimeZone::system();
    for moment in moments {
        let at = clock(moment.at, &zone);
        if let Some(what) = moment.event.as_ref().and_then(what) {
            writeln!(out, "  {at}  {what}")?;
        }
        if let Some(decision) = decision(&moment.effects) {
            writeln!(out, "  {at}    {}", pill(decision))?;
        }
        if let Some(reason) = notified(&moment.effects) {
            writeln!(out, "  {at}    would notify: {reason}")?;
        }
    }
    Ok(())
}

fn clock(at: Now, zone: &TimeZone) -> String {
    let at = Timestamp::from_millisecond(at.wall.0).unwrap_or(Timestamp::UNIX_EPOCH);
    zone.to_datetime(at).strftime("%d %b %H:%M:%S").to_string()
}

/// A decision in one line; one that kept the turn out of the inbox stands out (spec 70).
fn pill(decision: &Decision) -> String {
    let (orange, plain) = if colours() { ("\x1b[38;5;208m", "\x1b[0m") } else { ("", "") };
    let verdict = match &decision.verdict {
        Verdict::NeedsYou { reason, .. } => format!("needs you: {}", said(*reason)),
        Verdict::Waiting { .. } => format!("{orange}⏱ Auto-waited{plain}"),
        Verdict::Idle => "idle".to_owned(),
    };
    let rule = decision.rule.as_ref().map(|rule| format!(", rule {rule}")).unwrap_or_default();
    let words = decision.words.as_ref().map(|words| format!(": {words:?}")).unwrap_or_default();
    format!("{verdict} (gate {}{rule}{words})", decision.gate.name())
}
