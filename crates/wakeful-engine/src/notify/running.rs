//! Running a program of the user's machine, and not for ever.

use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Bytes of output that are looked at: the lists that we ask for have some hundreds.
const OUTPUT: u64 = 64 * 1024;

/// What came of it.
#[derive(Debug)]
pub(super) enum Ran {
    /// It ended.
    Ended(ExitStatus, Vec<u8>),
    /// It had not ended in time, and was killed with all of its group.
    Late,
}

/// Runs a command with this on its standard input, for at most `limit`. Standard output is taken if `listen`, and must then fit
/// into a pipe. It gets a process group of its own.
pub(super) fn run(command: &mut Command, input: &[u8], listen: bool, limit: Duration) -> io::Result<Ran> {
    let stdout = if listen { Stdio::piped() } else { Stdio::null() };
    let mut child =
        command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::null()).process_group(0).spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        // Fits into the pipe (a notification is short), so this does not wait; a program that does not read it is no failure.
        let _ = pipe.write_all(input);
    }
    if !has_ended(&child, limit) {
        // It has not been reaped, so its id is nobody else's yet.
        if let Some(group) = pid(&child) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = child.wait();
        return Ok(Ran::Late);
    }
    let status = child.wait()?;
    let mut output = Vec::new();
    if let Some(pipe) = child.stdout.take() {
        pipe.take(OUTPUT).read_to_end(&mut output)?;
    }
    Ok(Ran::Ended(status, output))
}

/// Waits for a child to end, without reaping it.
fn has_ended(child: &Child, limit: Duration) -> bool {
    let Some(pid) = pid(child) else { return false };
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        while let Err(rustix::io::Errno::INTR) =
            waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {}
        // Whoever does not wait any more has killed it.
        let _ = sender.send(());
    });
    receiver.recv_timeout(limit).is_ok()
}

fn pid(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn ends_and_says_something() {
        let ran = run(&mut shell("cat; exit 3"), b"hello", true, Duration::from_secs(20)).unwrap();
        assert!(
            matches!(&ran, Ran::Ended(status, output) if status.code() == Some(3) && output == b"hello"),
            "{ran:?}"
        );
    }

    #[test]
    fn what_hangs_is_killed_with_its_children() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("held");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // The grandchild holds the pipe open for as long as it lives.
        let (sender, receiver) = mpsc::channel();
        let script = format!("sleep 600 >'{}' & wait", pipe.display());
        std::thread::spawn(move || sender.send(std::fs::read(pipe)));
        let ran = run(&mut shell(&script), b"", false, Duration::from_millis(300)).unwrap();
        assert!(matches!(ran, Ran::Late), "{ran:?}");
        assert_eq!(receiver.recv_timeout(Duration::from_secs(20)).unwrap().unwrap(), b"");
    }

    #[test]
    fn who_is_not_there_is_an_error() {
        let ran = run(&mut Command::new("/nowhere/program"), b"", false, Duration::from_secs(1));
        assert_eq!(ran.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
