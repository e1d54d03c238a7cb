//! What `setup` and `unsetup` share: whose settings, the question, what is said.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;

use serde::Serialize;
use wakeful_core::ids::Client;
use wakeful_engine::install::{Change, Environment, Found, InstallError, find, look};

use crate::error::{Answer, Error};
use crate::output::print;

/// How to go about it.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The clients; without any, all that are on this machine
    #[arg(value_name = "CLIENT", value_parser = super::client)]
    clients: Vec<Client>,
    /// Show what would be changed, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Print one JSON object; needs --yes or --dry-run
    #[arg(long)]
    pub json: bool,
}

impl Options {
    /// The clients that are meant.
    pub fn found(&self, environment: &Environment) -> Result<Vec<Found>, Error> {
        if self.clients.is_empty() {
            return Ok(find(environment));
        }
        let mut clients = self.clients.clone();
        clients.sort();
        clients.dedup();
        clients
            .into_iter()
            .map(|client| {
                look(client, environment).ok_or_else(|| Error::Usage {
                    what: format!("{client} cannot be set up yet"),
                    hint: Some("claude-code, codex and cursor can".to_owned()),
                })
            })
            .collect()
    }

    /// May the files be changed? Asks whoever sits at the terminal.
    ///
    /// # Errors
    /// When there is nobody to ask.
    pub fn consent(&self, question: &str) -> Result<bool, Error> {
        if self.yes {
            return Ok(true);
        }
        self.check_consent_possible()?;
        let mut err = io::stderr().lock();
        write!(err, "{question} [y/N] ").and_then(|()| err.flush()).map_err(Error::io("standard error"))?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer).map_err(Error::io("standard input"))?;
        Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
    }

    /// # Errors
    /// When a change would need a yes, and nobody can give it.
    pub fn check_consent_possible(&self) -> Result<(), Error> {
        let terminal = io::stdin().is_terminal() && io::stderr().is_terminal() && !self.json;
        if self.yes || self.dry_run || terminal {
            return Ok(());
        }
        Err(Error::Usage {
            what: "there is no terminal to ask at".to_owned(),
            hint: Some("look at the changes with --dry-run, then give --yes; nothing was changed".to_owned()),
        })
    }
}

/// The environment of this process.
pub fn environment() -> Result<Environment, Error> {
    let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| Error::Environment {
        what: "home folder".to_owned(),
        source: io::Error::other("there is none"),
        hint: Some("set HOME".to_owned()),
    })?;
    Ok(Environment::new(std::env::vars_os(), home))
}

/// Where this program is: as it is called on the path if that is this one (a package manager's link outlives an
/// update, what it leads to does not), else where it lies.
pub fn program(environment: &Environment) -> Result<PathBuf, Error> {
    let here = std::env::current_exe().map_err(Error::io("the path of this program"))?;
    let same =
        |path: &PathBuf| matches!((path.canonicalize(), here.canonicalize()), (Ok(a), Ok(b)) if a == b);
    Ok(environment.program("wakeful").filter(same).unwrap_or(here))
}

/// What happens to one client's settings; a line of `--json`, version 1.
#[derive(Debug, Serialize)]
pub struct Report {
    pub client: Client,
    /// Its version, if it says one.
    pub version: Option<String>,
    pub file: PathBuf,
    /// What would be or was done, as a unified diff; empty where nothing was to do.
    pub diff: String,
    /// Was it done?
    pub done: bool,
    pub notes: Vec<String>,
    /// What was seen after it was done.
    pub outcome: Vec<String>,
    pub error: Option<String>,
    #[serde(skip)]
    pub failure: Option<Error>,
}

impl Report {
    /// Of a client whose settings are as they were so far.
    pub fn new(found: &Found) -> Self {
        Self {
            client: found.client,
            version: found.version.map(|version| version.to_string()),
            file: found.settings.clone(),
            diff: String::new(),
            done: false,
            notes: Vec::new(),
            outcome: Vec::new(),
            error: None,
            failure: None,
        }
    }

    /// Nothing was done, because of this.
    pub fn fail(&mut self, error: InstallError) {
        self.error = Some(error.to_string());
        self.failure = Some(error.into());
    }

    /// With what `change` would do.
    pub fn plan(&mut self, change: &Change) {
        self.diff.push_str(&change.diff());
        self.notes.extend(change.notes.iter().cloned());
    }

    fn heading(&self) -> String {
        let version = self.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        format!("{}{version}: {}", self.client, self.file.display())
    }
}

#[derive(Serialize)]
struct Everything<'a> {
    version: u32,
    dry_run: bool,
    clients: &'a [Report],
}

/// Shows what is about to happen.
pub fn show(options: &Options, reports: &[Report]) -> Result<(), Error> {
    if options.json {
        return Ok(());
    }
    print(|out| {
        for report in reports {
            writeln!(out, "{}", report.heading())?;
            match &report.error {
                Some(_) => {}
                None if report.diff.is_empty() => writeln!(out, "  nothing to change")?,
                None => write!(out, "{}", report.diff)?,
            }
            for note in &report.notes {
                writeln!(out, "  note: {note}")?;
            }
        }
        Ok(())
    })
}

/// Says what was done; errors last, and the first of them as the outcome.
pub fn finish(options: &Options, mut reports: Vec<Report>, done: &str) -> Result<Answer, Error> {
    if options.json {
        let everything = Everything { version: 1, dry_run: options.dry_run, clients: &reports };
        print(|out| {
            serde_json::to_writer_pretty(&mut *out, &everything)?;
            writeln!(out)
        })?;
    } else {
        print(|out| {
            for report in &reports {
                if report.done {
                    writeln!(out, "{}: {done}", report.client)?;
                }
                report.outcome.iter().try_for_each(|line| writeln!(out, "{}: {line}", report.client))?;
            }
            Ok(())
        })?;
    }
    let mut failures = reports.iter_mut().filter_map(|report| report.failure.take());
    let Some(first) = failures.next() else { return Ok(Answer::Yes) };
    for error in failures {
        crate::error::say(&error);
    }
    Err(first)
}
