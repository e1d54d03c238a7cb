//! Which transcripts a command reads, and reading them: shared by `replay`, `backtest` and `label`.

use std::io::{self, IsTerminal as _, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;
use wakeful_core::ids::Client;
use wakeful_core::settings::MatchMode;
use wakeful_core::time::{Millis, Now, Wall};
use wakeful_engine::settings::Effective;
use wakeful_prose::Rules;
use wakeful_replay::files::{Found, Places, Skip, find, find_in};
use wakeful_replay::play::{Options, Progress, Tools, replay};
use wakeful_replay::report::Report;
use wakeful_replay::{demo, readers};

use crate::commands::client;
use crate::error::Error;

/// Which transcripts, and which turn ends of them.
#[derive(Debug, clap::Args)]
pub struct Selection {
    /// Transcripts, or folders of them; without any, those that the installed clients keep
    pub paths: Vec<PathBuf>,
    /// The example sessions that ship with the program
    #[arg(long, conflicts_with = "paths")]
    pub demo: bool,
    /// Only turn ends since then: 7d, 12h, 2026-11-30
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only this client's transcripts
    #[arg(long, value_parser = client)]
    pub client: Option<Client>,
    /// Only sessions whose id begins with this
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// The time zone of schedules and times of day; the machine's without it
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// Match with every rule, not only the curated ones
    #[arg(long)]
    pub full: bool,
    /// Decide under this settings file; without it under the defaults, so that a report depends on the transcripts alone
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
}

impl Selection {
    /// Finds the transcripts.
    ///
    /// # Errors
    /// When there are none: says where it looked.
    pub fn find(&self) -> Result<Found, Error> {
        let clients = Vec::from_iter(self.client);
        let found = if self.demo {
            demo::found()
        } else if self.paths.is_empty() {
            find(&places(home().as_deref()), &clients)
        } else {
            find_in(&self.paths, &clients)
        };
        // A path that is not there is a slip of the hand, not a transcript that was skipped.
        if found.sources.is_empty() && found.skipped.keys().all(|why| *why == Skip::Missing) {
            Err(self.nothing_found())
        } else {
            Ok(found)
        }
    }

    /// Replays them, reading the messages with `rules`; every decision goes to `records` as a line of JSON.
    ///
    /// # Errors
    /// A zone or a time that is none, or when `records` fails.
    pub fn replay(
        &self,
        found: &Found,
        rules: &Rules,
        records: Option<&mut dyn Write>,
    ) -> Result<Report, Error> {
        let options = self.options()?;
        let mode = self.settings()?.match_mode;
        let zone = options.zone.clone();
        let read = move |text: &str, now: Now| readers::read(rules, text, mode, &zone, now);
        let tools = Tools { read: &read, never_ends: &readers::never_ends, refuses: &readers::refuses };
        let bar = progress_bar();
        let told = |progress: Progress| {
            bar.set_length(progress.of_bytes);
            bar.set_position(progress.bytes);
        };
        let report = replay(found, &options, tools, &told, records);
        bar.finish_and_clear();
        report.map_err(|error| Error::io("the decisions")(io::Error::other(error)))
    }

    /// The settings to decide under. The user's own and the environment play no part.
    ///
    /// # Errors
    /// When the file that was named is not there, or is at fault.
    pub fn settings(&self) -> Result<Effective, Error> {
        let mut settings = match &self.settings {
            Some(file) => crate::settings::of_file(file)?,
            None => Effective::default(),
        };
        if self.full {
            settings.match_mode = MatchMode::Full;
        }
        Ok(settings)
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
        let settings = self.settings()?.core;
        let session = self.session.clone();
        Ok(Options { settings, zone, since, session, clients, threads, ..Options::default() })
    }

    fn nothing_found(&self) -> Error {
        let home = home();
        let looked: Vec<PathBuf> = if self.paths.is_empty() {
            let folders = places(home.as_deref()).folders(&Vec::from_iter(self.client));
            folders.into_iter().map(|(_, folder)| folder).collect()
        } else {
            self.paths.clone()
        };
        let looked: Vec<_> = looked.iter().map(|path| path.display().to_string()).collect();
        Error::Usage {
            what: format!("no transcripts found; looked in {}", looked.join(", ")),
            hint: Some("name files or folders, or try --demo".to_owned()),
        }
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

fn places(home: Option<&Path>) -> Places<'_> {
    Places { home, env: &|name| std::env::var_os(name) }
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
