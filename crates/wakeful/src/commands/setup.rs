//! `wakeful setup`: shows the exact change to each client's settings, asks, and makes it (C6, C7).

use wakeful_core::ids::Client;
use wakeful_engine::install::codex_config::{is_as_trusted, trust_hooks};
use wakeful_engine::install::{Change, Environment, Found, StateDir, plan_setup};

use super::installing::{Options, Report, environment, finish, program, show};
use crate::error::{Answer, Error};

/// Register Wakeful's hooks with the clients on this machine
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    options: Options,
}

impl Args {
    /// Plans, shows, asks, does.
    pub fn run(self) -> Result<Answer, Error> {
        let options = &self.options;
        let environment = environment()?;
        let state = StateDir::of(&environment);
        let program = program(&environment)?;
        options.check_consent_possible()?;
        let found = options.found(&environment)?;
        if found.is_empty() {
            return Err(Error::Environment {
                what: "no client was found".to_owned(),
                source: std::io::Error::other("neither a program on the path nor a settings folder"),
                hint: Some("name it if it is not on the path: claude-code, codex, cursor".to_owned()),
            });
        }
        let _lock = if options.dry_run { None } else { Some(state.lock()?) };
        let mut reports: Vec<Report> = found.iter().map(Report::new).collect();
        let mut steps = Vec::new();
        for (found, report) in found.iter().zip(&mut reports) {
            if found.table.rows_for(found.version).next().is_none() {
                let oldest = found.table.oldest();
                report.notes.push(format!("too old: hooks are proven from version {oldest} on"));
                continue;
            }
            match plan_setup(found, &program, &state).and_then(|change| Step::of(change, found)) {
                Ok(step) => {
                    step.plan(report);
                    steps.push((step, report));
                }
                Err(error) => report.fail(error),
            }
        }
        let needed = steps.iter().any(|(step, _)| step.is_needed());
        let mut steps: Vec<_> = steps.into_iter().map(|(step, report)| (step, report.client)).collect();
        show(options, &reports)?;
        if needed && !options.dry_run && options.consent("Make these changes?")? {
            for (step, client) in steps.drain(..) {
                if let Some(report) = reports.iter_mut().find(|report| report.client == client) {
                    step.make(report, &environment);
                }
            }
        }
        finish(options, reports, "set up; sessions that are open now may have to be started anew")
    }
}

/// What is to be done for one client.
struct Step<'f> {
    change: Change,
    found: &'f Found,
    /// Codex is to be asked for trust.
    trust: bool,
}

impl<'f> Step<'f> {
    fn of(change: Change, found: &'f Found) -> Result<Self, wakeful_engine::install::InstallError> {
        let trust = found.client == Client::Codex && (change.is_needed() || !is_as_trusted(&change)?);
        Ok(Self { change, found, trust })
    }

    fn is_needed(&self) -> bool {
        self.change.is_needed() || self.trust
    }

    fn plan(&self, report: &mut Report) {
        report.plan(&self.change);
        match (self.trust, self.found.programs.is_empty()) {
            (true, false) => report.notes.push(
                "Codex itself is asked to trust these hooks; it writes that into its config.toml".to_owned(),
            ),
            (true, true) => report
                .notes
                .push("Codex is not on the path, so trust these hooks yourself: run /hooks in it".to_owned()),
            (false, _) => {}
        }
    }

    fn make(&self, report: &mut Report, environment: &Environment) {
        if let Err(error) = self.change.apply() {
            return report.fail(error);
        }
        report.done = self.change.is_needed();
        let Some(program) = self.found.programs.first().filter(|_| self.trust) else { return };
        match trust_hooks(&self.change, program, environment) {
            Ok(Ok(trusted)) => {
                report.done = true;
                report.outcome.push(format!("Codex trusts {} hooks", trusted.newly + trusted.already));
            }
            // Said, not fatal: the hooks are in place, and their user can still trust them.
            Ok(Err(error)) => {
                report.outcome.push(format!("{error}; trust these hooks yourself: run /hooks in Codex"));
            }
            Err(error) => report.fail(error),
        }
    }
}
