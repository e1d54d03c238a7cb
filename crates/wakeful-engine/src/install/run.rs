//! Running a client's program for a short answer, with a time limit.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::Environment;

/// How long a program may take to print its version. The slowest that was seen, a Node program that loads all of
/// itself, takes about one second.
const VERSION_LIMIT: Duration = Duration::from_secs(10);
/// As much of the answer as is read; a version is on its first lines.
const MOST_BYTES: u64 = 4096;

/// The program with the given environment and nothing to read.
pub(crate) fn command(program: &Path, environment: &Environment) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(environment.variables()).env("HOME", environment.home());
    command.current_dir(if environment.home().is_dir() { environment.home() } else { Path::new("/") });
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// What `program --version` prints; `None` when it cannot be run or takes too long.
pub(crate) fn version_text(program: &Path, environment: &Environment) -> Option<String> {
    let mut child = command(program, environment).arg("--version").spawn().ok()?;
    let out = child.stdout.take()?;
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = out.take(MOST_BYTES).read_to_end(&mut bytes);
        // Nobody listens any more once the limit is over.
        let _ = send.send(read.map(|_| bytes));
    });
    let answer = receive.recv_timeout(VERSION_LIMIT);
    // It has said what it had to say, or has had its time.
    let _ = child.kill();
    let _ = child.wait();
    let bytes = answer.ok()?.ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
