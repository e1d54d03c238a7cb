//! `wakeful serve`: the daemon in the foreground; other commands start it when needed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use jiff::tz::TimeZone;
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use wakeful_clients::abilities::abilities;
use wakeful_core::abilities::{Abilities, Delivery};
use wakeful_core::time::{Millis, Now};
use wakeful_engine::api;
use wakeful_engine::daemon::{
    Clock, Files, Handle, LockError, ServeError, Serving, holder, serve, start_now, stop,
};
use wakeful_engine::engine::{EngineSettings, Senses};
use wakeful_engine::paths;
use wakeful_engine::settings::{Current, Effective, Environment};
use wakeful_engine::store::Keep;
use wakeful_replay::readers;

use crate::error::{Answer, Error};
use crate::output::print;
use crate::sessions::{lives, state_dir};

/// The version that a running daemon says of itself.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Run the daemon in the foreground; other commands start it when they need it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Stop the daemon, and keep hooks from starting it again
    #[arg(long, conflicts_with = "status")]
    stop: bool,
    /// Say whether a daemon runs; exit 1 if none does
    #[arg(long)]
    status: bool,
    /// Print one JSON object (docs/json.md)
    #[arg(long, requires = "status")]
    json: bool,
    /// Run in a session of its own: how hooks and commands start it
    #[arg(long, hide = true)]
    detached: bool,
    /// Read the clocks from this file; for tests
    #[arg(long, hide = true, value_name = "FILE")]
    clock: Option<PathBuf>,
}

impl Args {
    /// Runs until it is told to stop.
    pub fn run(self) -> Result<Answer, Error> {
        let files = Files::of(&state_dir()?);
        if self.stop {
            return stop_it(&files);
        }
        if self.status {
            return status(&files, self.json);
        }
        if self.detached {
            // Fails for the leader of a group, which has a session of its own by then.
            let _ = rustix::process::setsid();
        } else {
            // The user wants a daemon again.
            let _ = std::fs::remove_file(files.stopped());
        }
        let detached = self.detached;
        match serve_it(files, self.clock) {
            // Two hooks have started one at the same time.
            Err(ServeError::Lock(LockError::Held(_))) if detached => Ok(Answer::Yes),
            Err(error) => Err(Error::serve(error)),
            Ok(()) => Ok(Answer::Yes),
        }
    }
}

fn serve_it(files: Files, clock_file: Option<PathBuf>) -> Result<(), ServeError> {
    let env = |name: &str| std::env::var_os(name);
    let settings_file = paths::settings_file(&env);
    let current = Arc::new(Mutex::new(Current::load(settings_file.clone(), Environment::read(&env))));
    let (settings, problem) = {
        let current = current.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        (current.settings().clone(), current.problem().map(ToString::to_string))
    };
    let rules = crate::rules::in_force();
    let zone = TimeZone::system();
    let read_zone = zone.clone();
    let senses = Senses {
        read: Box::new(move |text, mode, now| readers::read(rules, text, mode, &read_zone, now)),
        never_ends: Box::new(readers::never_ends),
        zone,
        // Nothing delivers messages yet, and nobody must believe that one is on its way.
        abilities: |client| Abilities { delivery: Delivery::None, ..abilities(client) },
    };
    let reloaded = current.clone();
    let (set_port, port) = watch::channel(settings.api.port);
    let api_files = files.clone();
    let serving = Serving {
        clock: clock(clock_file.clone()),
        clock_file,
        senses,
        settings: of_engine(&settings),
        keep: keep(&settings),
        errands: Box::new(crate::errands::Doing::new(files.clone(), current)),
        alive: Box::new(lives),
        settings_file,
        reload: Box::new(move |handle| reload(&reloaded, handle, &set_port)),
        version: VERSION,
        files,
    };
    let more = |handle: Handle| {
        handle.problem("settings", problem);
        api::run(handle, api_files, VERSION, port)
    };
    serve(serving, more, told_to_stop())
}

/// SIGTERM, SIGINT, or the terminal going away.
async fn told_to_stop() {
    let (Ok(mut term), Ok(mut int), Ok(mut hup)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()), signal(SignalKind::hangup()))
    else {
        return std::future::pending().await; // without handlers the signals end the process by themselves
    };
    tokio::select! { _ = term.recv() => {}, _ = int.recv() => {}, _ = hup.recv() => {} }
}

/// The settings file has changed.
fn reload(current: &Mutex<Current>, handle: &Handle, port: &watch::Sender<u16>) {
    let mut current = current.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if current.reload() {
        handle.settings(of_engine(current.settings()));
        let wanted = current.settings().api.port;
        port.send_if_modified(|port| std::mem::replace(port, wanted) != wanted);
    }
    handle.problem("settings", current.problem().map(ToString::to_string));
}

fn of_engine(settings: &Effective) -> EngineSettings {
    EngineSettings { core: settings.core.clone(), match_mode: settings.match_mode }
}

fn keep(settings: &Effective) -> Keep {
    Keep {
        age: Millis::minutes(u64::from(settings.store.keep_days) * 24 * 60),
        bytes: u64::from(settings.store.keep_mb) * 1024 * 1024,
    }
}

/// The machine's clocks, or those that a test writes into a file as JSON. Until they can be read there, the machine's.
fn clock(file: Option<PathBuf>) -> Clock {
    let Some(file) = file else { return Arc::new(crate::clock::now) };
    let last = Mutex::new(crate::clock::now());
    Arc::new(move || {
        let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let written = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Now>(&bytes).ok());
        *last = written.unwrap_or(*last); // half written: it is read again
        *last
    })
}

fn stop_it(files: &Files) -> Result<Answer, Error> {
    let ran = stop(files).map_err(Error::io("the daemon"))?;
    let said = if ran { "The daemon stops." } else { "No daemon was running." };
    print(|out| writeln!(out, "{said} Hooks will not start it; `wakeful serve` does."))?;
    Ok(Answer::Yes)
}

fn status(files: &Files, json: bool) -> Result<Answer, Error> {
    #[derive(Serialize)]
    struct Status {
        version: u32,
        running: bool,
        pid: Option<i32>,
        daemon_version: Option<String>,
        stopped_by_user: bool,
    }
    let running = holder(files);
    let stopped = files.stopped().exists();
    print(|out| {
        if json {
            let status = Status {
                version: 1,
                running: running.is_some(),
                pid: running.as_ref().map(|holder| holder.pid),
                daemon_version: running.as_ref().map(|holder| holder.version.clone()),
                stopped_by_user: stopped,
            };
            serde_json::to_writer_pretty(&mut *out, &status)?;
            return writeln!(out);
        }
        match &running {
            Some(holder) => writeln!(out, "running as process {}, version {}", holder.pid, holder.version),
            None if stopped => writeln!(out, "stopped by you; `wakeful serve` starts it"),
            None => writeln!(out, "not running; the next session start, turn end or dialog starts it"),
        }
    })?;
    Ok(if running.is_some() { Answer::Yes } else { Answer::No })
}

/// Starts the daemon if none runs.
pub fn ensure(files: &Files) -> Result<(), Error> {
    if holder(files).is_some() {
        return Ok(());
    }
    if std::env::var_os("WAKEFUL_NO_DAEMON").is_some() {
        return Err(Error::Usage {
            what: "no daemon runs, and WAKEFUL_NO_DAEMON keeps one from being started".to_owned(),
            hint: Some("`wakeful serve` runs one in the foreground".to_owned()),
        });
    }
    let program = std::env::current_exe().map_err(Error::io("the program itself"))?;
    start_now(files, &program, &["serve", "--detached"]).map_err(Error::io("the daemon"))
}
