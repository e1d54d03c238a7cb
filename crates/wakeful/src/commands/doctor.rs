//! `wakeful doctor`: does all of it work, and what is to be done where it does not? (C9)

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};

use serde::Serialize;
use wakeful_core::ids::Client;
use wakeful_engine::doctor::{
    Check, Diagnosis, Finding, GuardCounts, Machine, RuleFolder, State, UnknownName, examine,
};
use wakeful_engine::install::Environment;
use wakeful_engine::live::Unread;
use wakeful_engine::paths::rules_dir;
use wakeful_engine::shown::{VERSION, instant};

use super::installing::{environment, program};
use crate::error::{Answer, Error};
use crate::output::{colours, print};
use crate::rules::rules_in;

/// Check clients, hooks, spool, settings and clock, and say what to do
#[derive(Debug, clap::Args)]
#[command(after_help = "Exits with 1 when something is broken. Changes nothing.")]
pub struct Args {
    /// Print one JSON object (docs/json.md)
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Everything<'a> {
    version: u32,
    now: Option<String>,
    broken: bool,
    checks: &'a [Finding],
    last_events: BTreeMap<Client, Option<String>>,
    unread: Unread,
    unknowns: &'a [UnknownName],
    guard: GuardCounts,
}

impl Args {
    /// Looks at everything and says what it has found.
    pub fn run(self) -> Result<Answer, Error> {
        let environment = environment()?;
        let (program, now) = (program(&environment)?, crate::clock::now());
        let machine =
            Machine { environment: &environment, program: &program, now, rules: rule_folder(&environment) };
        let diagnosis = examine(&machine);
        print(|out| {
            if !self.json {
                return text(out, &diagnosis, colours());
            }
            let everything = Everything {
                version: VERSION,
                now: instant(now),
                broken: diagnosis.is_broken(),
                checks: &diagnosis.findings,
                last_events: diagnosis
                    .last_events
                    .iter()
                    .map(|(client, at)| (*client, instant(*at)))
                    .collect(),
                unread: diagnosis.unread,
                unknowns: &diagnosis.unknowns,
                guard: diagnosis.guard,
            };
            serde_json::to_writer_pretty(&mut *out, &everything)?;
            writeln!(out)
        })?;
        Ok(if diagnosis.is_broken() { Answer::No } else { Answer::Yes })
    }
}

fn rule_folder(environment: &Environment) -> RuleFolder {
    let Some(folder) = rules_dir(&|name| environment.variable(name)) else { return RuleFolder::Absent };
    match rules_in(&folder) {
        Err(Error::Environment { source, .. })
            if source.kind() == ErrorKind::NotFound && std::fs::symlink_metadata(&folder).is_err() =>
        {
            RuleFolder::Absent
        }
        Err(error) => RuleFolder::Faulty(error.to_string()),
        Ok(_) => RuleFolder::Read { files: rule_files(&folder), folder },
    }
}

fn rule_files(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "toml")).count()
}

fn text(out: &mut dyn Write, diagnosis: &Diagnosis, colours: bool) -> io::Result<()> {
    for finding in &diagnosis.findings {
        let (word, colour) = match finding.state {
            State::Ok => ("ok", "32"),
            State::Warn => ("warn", "33"),
            State::Broken => ("broken", "31"),
        };
        let word = format!("{word:<6}");
        let word = if colours { format!("\u{1b}[{colour}m{word}\u{1b}[0m") } else { word };
        writeln!(out, "{word}  {}: {}", subject(finding), finding.seen)?;
        if let Some(advice) = &finding.advice {
            writeln!(out, "        → {advice}")?;
        }
    }
    let of = |state| diagnosis.findings.iter().filter(|finding| finding.state == state).count();
    writeln!(out, "\n{} ok, {} to look at, {} broken", of(State::Ok), of(State::Warn), of(State::Broken))
}

fn subject(finding: &Finding) -> String {
    let what = match finding.check {
        Check::Client => return finding.client.map_or("clients", Client::name).to_owned(),
        Check::Hooks => "hooks",
        Check::Trust => "trust",
        Check::Firing => "events",
        Check::Spool => "spool",
        Check::Unread => "reading",
        Check::Rights => "state folder",
        Check::Settings => "settings",
        Check::Rules => "rules",
        Check::Clock => "clock",
        Check::Unknowns => "unknown names",
        Check::Guard => "guard",
        Check::Delivery => "delivery channels",
        Check::Rings => "notifications",
        Check::Daemon => "daemon",
    };
    finding.client.map_or_else(|| what.to_owned(), |client| format!("{client} {what}"))
}
