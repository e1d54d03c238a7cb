//! `wakeful unsetup`: the settings as they were before set-up, or without our entries (C6).

use wakeful_core::ids::Client;
use wakeful_engine::install::codex_config::Untrust;
use wakeful_engine::install::{Change, InstallError, StateDir, plan_unsetup};

use super::installing::{Options, Report, environment, finish, show};
use crate::error::{Answer, Error};

/// Take Wakeful's hooks out again
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    options: Options,
}

/// What is to be done for one client.
struct Step {
    change: Change,
    untrust: Option<Untrust>,
}

impl Args {
    /// Plans, shows, asks, does.
    pub fn run(self) -> Result<Answer, Error> {
        let options = &self.options;
        let environment = environment()?;
        let state = StateDir::of(&environment);
        options.check_consent_possible()?;
        let found = options.found(&environment)?;
        let _lock = if options.dry_run { None } else { Some(state.lock()?) };
        let mut reports: Vec<Report> = found.iter().map(Report::new).collect();
        let mut steps = Vec::new();
        for (found, report) in found.iter().zip(&mut reports) {
            match plan_unsetup(found, &state).and_then(Step::of) {
                Ok(step) => {
                    report.plan(&step.change);
                    report.diff.extend(step.untrust.as_ref().map(Untrust::diff));
                    steps.push((step, report.client));
                }
                Err(error) => report.fail(error),
            }
        }
        let needed = steps.iter().any(|(step, _)| step.change.is_needed() || step.untrust.is_some());
        show(options, &reports)?;
        if needed && !options.dry_run && options.consent("Make these changes?")? {
            for (step, client) in &steps {
                if let Some(report) = reports.iter_mut().find(|report| report.client == *client) {
                    match step.make() {
                        Ok(done) => report.done = done,
                        Err(error) => report.fail(error),
                    }
                }
            }
        }
        finish(options, reports, "removed")
    }
}

impl Step {
    fn of(change: Change) -> Result<Self, InstallError> {
        let untrust = if change.client == Client::Codex { Untrust::plan(&change)? } else { None };
        Ok(Self { change, untrust })
    }

    /// Says whether there was anything to do.
    fn make(&self) -> Result<bool, InstallError> {
        self.change.apply()?;
        if let Some(untrust) = &self.untrust {
            untrust.apply()?;
        }
        Ok(self.change.is_needed() || self.untrust.is_some())
    }
}
