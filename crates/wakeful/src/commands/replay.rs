//! `wakeful replay`: what would have been decided at every turn end of the transcripts on this machine.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;
use wakeful_core::ids::Client;
use wakeful_core::settings::MatchMode;
use wakeful_core::time::{Millis, Now, Wall};
use wakeful_prose::Rules;
use wakeful_replay::files::{Found, Places, find, find_in};
use wakeful_replay::play::{Options, Progress, Tools, replay};
use wakeful_replay::report::{Layout, Report, render};
use wakeful_replay::{demo, readers};

use super::client;
use crate::error::{Answer, Error};
use crate::output::{colours, print, width};

/// Show what Wakeful would have decided at every turn end of the transcripts on this machine
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Transcripts, or folders of them; without any, those that the installed clients keep
    paths: Vec<PathBuf>,
    /// Play the example sessions that ship with the program
    #[arg(long, conflicts_with = "paths")]
    demo: bool,
    /// Count only turn ends since then: 7d, 12h, 2026-11-30
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only this client's transcripts
    #[arg(long, value_parser = client)]
    client: Option<Client>,
    /// Only sessions whose id begins with this
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Write every decision to this file, one JSON object a line
    #[arg(long, value_name = "decisions.jsonl")]
    out: Option<PathBuf>,
    /// The time zone of schedules and times of day; the machine's without it
    #[arg(long, value_name = "ZONE")]
    tz: Option<String>,
    /// Match with every rule, not only the curated ones
    #[arg(long)]
    full: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Finds and plays the transcripts, prints the report.
    pub fn run(self) -> Result<Answer, Error> {
        let found = self.find();
        if found.sources.is_empty() && found.skipped.is_empty() {
            return Err(nothing_found(&self));
        }
        let report = self.play(&found)?;
        print(|out| {
            if self.json {
                serde_json::to_writer_pretty(&mut *out, &report)?;
                return writeln!(out);
            }
            write!(out, "{}", render(&report, Layout { width: width(), colour: colours() }))
        })?;
        Ok(Answer::Yes)
    }

    fn find(&self) -> Found {
        let clients = Vec::from_iter(self.client);
        if self.demo {
            demo::found()
        } else if self.paths.is_empty() {
            find(&places(home().as_deref()), &clients)
        } else {
            find_in(&self.paths, &clients)
        }
    }

    fn play(&self, found: &Found) -> Result<Report, Error> {
        let options = self.options()?;
        let rules = Rules::built_in();
        let mode = if self.full { MatchMode::Full } else { MatchMode::Precise };
        let zone = options.zone.clone();
        let read = move |text: &str, now: Now| readers::read(rules, text, mode, &zone, now);
        let tools = Tools { read: &read, never_ends: &readers::never_ends, refuses: &readers::refuses };
        let bar = progress_bar();
        let told = |progress: Progress| {
            bar.set_length(progress.of_bytes);
            bar.set_position(progress.bytes);
        };
        let mut records = match &self.out {
            Some(path) => {
                let name = path.display().to_string();
                Some((BufWriter::new(File::create(path).map_err(Error::io(&name))?), name))
            }
            None => None,
        };
        let writer = records.as_mut().map(|(file, _)| file as &mut dyn Write);
        let report = replay(found, &options, tools, &told, writer);
        bar.finish_and_clear();
        let name = records.as_ref().map(|(_, name)| name.clone()).unwrap_or_default();
        let report = report.map_err(|error| Error::io(&name)(io::Error::other(error)))?;
        if let Some((mut file, name)) = records {
            file.flush().map_err(Error::io(name))?;
        }
        Ok(report)
    }

    fn options(&self) -> Result<Options, Error> {
        let zone = match &self.tz {
            Some(name) => TimeZone::get(name).map_err(|error| Error::Usage {
                what: format!("--tz {name}: {error}"),
                hint: Some("a name such as Europe/Berlin or UTC".to_owned()),
            })?,
            None => TimeZone::system(),
        };
        let since = self.since.as_deref().map(|text| since(text, &zone)).transpose()?;
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let clients = Vec::from_iter(self.client);
        Ok(Options { zone, since, session: self.session.clone(), clients, threads, ..Options::default() })
    }
}

/// A bar on standard error, drawn only on a terminal and only when it takes more than a moment.
fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    let style = ProgressStyle::with_template("reading {bytes} of {total_bytes} {wide_bar} {bytes_per_sec}");
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}

fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

fn places(home: Option<&std::path::Path>) -> Places<'_> {
    Places { home, env: &|name| std::env::var_os(name) }
}

fn nothing_found(args: &Args) -> Error {
    let home = home();
    let looked: Vec<PathBuf> = if args.paths.is_empty() {
        places(home.as_deref())
            .folders(&Vec::from_iter(args.client))
            .into_iter()
            .map(|(_, folder)| folder)
            .collect()
    } else {
        args.paths.clone()
    };
    let looked: Vec<_> = looked.iter().map(|path| path.display().to_string()).collect();
    Error::Usage {
        what: format!("no transcripts found; looked in {}", looked.join(", ")),
        hint: Some("name files or folders, or try `wakeful replay --demo`".to_owned()),
    }
}

/// `7d`, `12h`, `30m`: so long before now. A date: from its first moment in `zone`.
fn since(text: &str, zone: &TimeZone) -> Result<Wall, Error> {
    let wrong = || Error::Usage {
        what: format!("--since {text}: not a time"),
        hint: Some("a length such as 7d or 12h, or a date such as 2026-11-30".to_owned()),
    };
    let unit = |suffix: char| text.strip_suffix(suffix).and_then(|n| n.parse::<u64>().ok());
    let minutes = unit('d')
        .map(|n| n.saturating_mul(24 * 60))
        .or(unit('h').map(|n| n.saturating_mul(60)))
        .or(unit('m'));
    if let Some(minutes) = minutes {
        let back = i64::try_from(Millis::minutes(minutes).0).map_err(|_| wrong())?;
        return Ok(Wall(crate::clock::now().wall.0.saturating_sub(back)));
    }
    let date: jiff::civil::Date = text.parse().map_err(|_| wrong())?;
    let start = zone.to_timestamp(date.to_datetime(jiff::civil::Time::midnight())).map_err(|_| wrong())?;
    Ok(Wall(start.as_millisecond()))
}
