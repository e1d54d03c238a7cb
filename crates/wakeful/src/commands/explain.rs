//! `wakeful explain`: why a last message reads as it does, and what the ladder makes of it.

use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;

use jiff::tz::TimeZone;
use serde::Serialize;
use wakeful_core::decision::{Decision, Verdict};
use wakeful_core::ids::Client;
use wakeful_core::settings::MatchMode;
use wakeful_prose::{Context, Explanation};
use wakeful_replay::case::{Case, Live, decide};
use wakeful_replay::readers;

use super::client;
use crate::error::{Answer, Error};
use crate::output::{colours, print, width};
use crate::rules::in_force;
use crate::words::{until, waiting_for};

/// Say why a last message reads as a wait, a question or a report
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The message; without it and without --file it is read from standard input
    text: Option<String>,
    /// Read the message from this file
    #[arg(long, conflicts_with = "text")]
    file: Option<PathBuf>,
    /// The client whose message it is
    #[arg(long, default_value = "claude-code", value_parser = client)]
    client: Client,
    /// What is alive at the turn end: command, monitor, subagent, workflow; a command line after a colon
    #[arg(long, value_name = "KIND", num_args = 1.., value_parser = live)]
    live: Vec<Live>,
    /// The client sent its lists: nothing else is alive
    #[arg(long)]
    lists: bool,
    /// Match with every rule, not only the curated ones
    #[arg(long)]
    full: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn live(text: &str) -> Result<Live, String> {
    Live::parse(text).ok_or_else(|| "not a kind: command, monitor, subagent, workflow or other".to_owned())
}

/// What `--json` prints, version 1.
#[derive(Serialize)]
struct Explained<'a> {
    version: u32,
    explanation: &'a Explanation,
    decision: &'a Option<Decision>,
}

impl Args {
    /// Reads the message, explains the reading, and decides.
    pub fn run(self) -> Result<Answer, Error> {
        let text = self.message()?;
        let rules = in_force();
        let settings = crate::settings::in_force();
        let mode = if self.full { MatchMode::Full } else { settings.match_mode };
        let now = readers::minute_of_day(&TimeZone::system(), crate::clock::now());
        let context = Context { mode, now };
        let explanation = wakeful_prose::explain(rules, &text, &context);
        let case = Case {
            client: self.client,
            reading: wakeful_prose::read(rules, &text, &context),
            live: self.live,
            lists: self.lists,
            scheduled_wake: false,
        };
        let decision = decide(&case, &settings.core);
        print(|out| {
            if self.json {
                let explained = Explained { version: 1, explanation: &explanation, decision: &decision };
                serde_json::to_writer_pretty(&mut *out, &explained)?;
                return writeln!(out);
            }
            write!(out, "{}", explanation.render(colours(), width()))?;
            match &decision {
                Some(decision) => writeln!(out, "\n{}", sentence(&case, decision)),
                None => Ok(()),
            }
        })?;
        Ok(Answer::Yes)
    }

    fn message(&self) -> Result<String, Error> {
        if let Some(text) = &self.text {
            return Ok(text.clone());
        }
        let bytes = match &self.file {
            Some(file) => std::fs::read(file).map_err(Error::io(file.display().to_string()))?,
            None if std::io::stdin().is_terminal() => {
                return Err(Error::Usage {
                    what: "no message".to_owned(),
                    hint: Some("give it as an argument, with --file, or on standard input".to_owned()),
                });
            }
            None => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().read_to_end(&mut bytes).map_err(Error::io("standard input"))?;
                bytes
            }
        };
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The decision in one or two sentences.
fn sentence(case: &Case, decision: &Decision) -> String {
    let alive = if case.live.is_empty() {
        if case.lists {
            "nothing alive, by the client's own lists"
        } else {
            "no word from the client about what is alive"
        }
    } else {
        "the live work given"
    };
    let verdict = match &decision.verdict {
        Verdict::NeedsYou { reason, .. } => format!("NEEDS YOU ({})", reason.name()),
        Verdict::Waiting { on, bound } => format!("WAITING for {}, {}", waiting_for(on), until(*bound)),
        Verdict::Idle => "IDLE".to_owned(),
    };
    format!("Decision, with {alive}: {verdict}, by the gate `{}`.", decision.gate.name())
}
