//! `wakeful simulate`: scenario files in virtual time.

use std::io::{self, Write};
use std::path::PathBuf;

use jiff::tz::TimeZone;
use wakeful_core::settings::MatchMode;
use wakeful_core::time::Now;
use wakeful_prose::Rules;
use wakeful_replay::readers;
use wakeful_replay::simulate::{Failure, Outcome, Scenario, play};

use super::simulated::Simulated;
use crate::error::{Answer, Error};
use crate::output::print;

/// Play scenario files in virtual time and compare the views that they expect
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Scenario files (docs/scenarios.md)
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

#[derive(Default)]
struct Totals {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Args {
    /// Plays the files in the order given; ends with `N passed, N failed`.
    pub fn run(self) -> Result<Answer, Error> {
        let mut totals = Totals::default();
        for file in &self.files {
            let name = file.display().to_string();
            let text = std::fs::read_to_string(file).map_err(Error::io(&name))?;
            let scenario = Scenario::parse(&text).map_err(|error| Error::Usage {
                what: format!("{name}: {error}"),
                hint: Some("docs/scenarios.md describes the format".to_owned()),
            })?;
            let rules = Rules::built_in();
            let read =
                |text: &str, mode: MatchMode, now: Now| readers::read(rules, text, mode, &TimeZone::UTC, now);
            let fault = |fault| Error::Environment {
                what: name.clone(),
                source: io::Error::other(fault),
                hint: Some("scenarios that restart Wakeful need a folder for temporary files".to_owned()),
            };
            let played = Simulated::new(scenario.restarts())
                .and_then(|mut machine| play(&scenario, &read, &mut machine));
            let outcome = played.map_err(fault)?;
            print(|out| totals.count(out, &name, &scenario.about, &outcome))?;
        }
        print(|out| totals.write(out))?;
        Ok(if totals.failed == 0 { Answer::Yes } else { Answer::No })
    }
}

impl Totals {
    fn count(&mut self, out: &mut dyn Write, name: &str, about: &str, outcome: &Outcome) -> io::Result<()> {
        match outcome {
            Outcome::NotYet { why, expectations } => {
                self.skipped += expectations;
                writeln!(out, "not yet  {name}: {why}")
            }
            Outcome::Played { passed, failed } => {
                self.passed += passed;
                self.failed += failed.len();
                if failed.is_empty() {
                    return writeln!(out, "ok       {name}");
                }
                writeln!(out, "FAILED   {name}: {about}")?;
                failed.iter().try_for_each(|failure| write_failure(out, failure))
            }
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(out, ", {} skipped", self.skipped)?;
        }
        writeln!(out)
    }
}

fn write_failure(out: &mut dyn Write, failure: &Failure) -> io::Result<()> {
    writeln!(out, "  line {}, at {} s, session {}", failure.line, failure.at, failure.session)?;
    for mismatch in &failure.mismatches {
        writeln!(out, "    {:14} expected {}, got {}", mismatch.what, mismatch.expected, mismatch.got)?;
    }
    let Some(decision) = failure.view.as_ref().and_then(|view| view.decision.as_ref()) else { return Ok(()) };
    writeln!(out, "    last decision: turn {} by {}", decision.number, decision.gate.name())?;
    writeln!(out, "      verdict   {}", json(&decision.verdict))?;
    if let (Some(rule), words) = (&decision.rule, &decision.words) {
        writeln!(out, "      rule      {rule}: {}", words.as_deref().unwrap_or("(no words)"))?;
    }
    writeln!(out, "      evidence  {}", json(&decision.evidence))
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| error.to_string())
}
