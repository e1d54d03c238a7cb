//! Starting the daemon when it is needed, and stopping it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};

use super::{Files, holder};

/// At most one try in this time (C1): a daemon that cannot start must not be tried at every hook.
const BETWEEN_TRIES: Duration = Duration::from_secs(60);

/// What the daemon may know of the environment of whoever started it: an agent's secrets are not among it.
const ALLOWED: [&str; 14] = [
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "TMUX_TMPDIR",
    "NO_COLOR",
];

/// Whether a daemon was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Its process has been started.
    Tried,
    /// It was tried less than a minute ago.
    TooSoon,
    /// The user stopped it.
    Stopped,
}

/// Starts the daemon from a hook: at most once a minute, and not after the user stopped it.
///
/// # Errors
/// When its files cannot be made, or the process cannot be started.
pub fn start_if_due(files: &Files, program: &Path, args: &[&str], clock: SystemTime) -> io::Result<Start> {
    if files.stopped().exists() {
        return Ok(Start::Stopped);
    }
    files.make()?;
    let tried =
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(files.tried())?;
    // Of two hooks that try at once, one does.
    if flock(&tried, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(Start::TooSoon);
    }
    let meta = tried.metadata()?;
    let lately = clock.duration_since(meta.modified()?).is_ok_and(|since| since < BETWEEN_TRIES);
    if lately && meta.len() > 0 {
        return Ok(Start::TooSoon);
    }
    tried.set_len(1)?;
    tried.set_modified(clock)?;
    spawn(files, program, args)?;
    Ok(Start::Tried)
}

/// Starts the daemon because the user does something that needs it.
///
/// # Errors
/// As [`start_if_due`].
pub fn start_now(files: &Files, program: &Path, args: &[&str]) -> io::Result<()> {
    files.make()?;
    match std::fs::remove_file(files.stopped()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    spawn(files, program, args)
}

/// Stops the daemon, and keeps hooks from starting it. False: none was running.
///
/// # Errors
/// When that cannot be written down, or the process may not be signalled.
pub fn stop(files: &Files) -> io::Result<bool> {
    files.make()?;
    File::create(files.stopped())?;
    let pid = holder(files).and_then(|holder| Pid::from_raw(holder.pid));
    let Some(pid) = pid else { return Ok(false) };
    match kill_process(pid, Signal::TERM) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::SRCH) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// A process of its own, which makes itself a session of its own: it outlives the agent that happened to start it.
fn spawn(files: &Files, program: &Path, args: &[&str]) -> io::Result<()> {
    let log = OpenOptions::new().append(true).create(true).mode(0o600).open(files.log())?;
    let allowed = |name: &OsString| {
        let name = name.to_string_lossy();
        ALLOWED.contains(&name.as_ref()) || name.starts_with("WAKEFUL_") || name.starts_with("XDG_")
    };
    Command::new(program)
        .args(args)
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| allowed(name) && name != "WAKEFUL_SUPERVISED"))
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map(drop)
}
