//! A program that writes JSON, one object a line, and is talked to on its standard input.

use std::fs::File;
use std::io::{self, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::patience::Deadline;

/// How long a program that is told to end gets before it is killed. Claude Code ends its background commands first.
const GRACE: Duration = Duration::from_secs(5);

enum Told {
    Line(String),
    Ended(io::Result<ExitStatus>),
}

/// A program under way. Dropped, it is ended with its whole process group.
#[derive(Debug)]
pub struct Running {
    name: String,
    stdin: Option<ChildStdin>,
    group: Option<Pid>,
    told: Receiver<Told>,
    frames: Vec<Value>,
    other: Vec<String>,
    cursor: usize,
    status: Option<ExitStatus>,
    errors: PathBuf,
}

/// What a program that has ended leaves.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Every object that it wrote.
    pub frames: Vec<Value>,
    /// Lines that were no JSON.
    pub other: Vec<String>,
    /// Its standard error.
    pub errors: String,
}

impl Running {
    /// Starts `command` in a process group of its own; its standard error goes to the file `errors`.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(mut command: Command, stdin: bool, errors: &Path) -> io::Result<Self> {
        let name = Path::new(command.get_program()).file_name().map(|name| name.display().to_string());
        command
            .process_group(0)
            .stdin(if stdin { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(File::create(errors)?);
        let mut child = command.spawn()?;
        let (sender, told) = mpsc::channel();
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let lines = sender.clone();
        std::thread::spawn(move || {
            if let Some(stdout) = stdout {
                tell_lines(BufReader::new(stdout), &lines);
            }
        });
        // `Child::wait` has no limit; a channel has.
        std::thread::spawn(move || drop(sender.send(Told::Ended(child.wait()))));
        Ok(Self {
            name: name.unwrap_or_default(),
            stdin,
            group,
            told,
            frames: Vec::new(),
            other: Vec::new(),
            cursor: 0,
            status: None,
            errors: errors.to_owned(),
        })
    }

    /// Writes one line.
    ///
    /// # Panics
    /// When the program no longer listens.
    pub fn send(&mut self, frame: &Value) {
        let stdin = self.stdin.as_mut().expect("standard input is closed");
        let written = writeln!(stdin, "{frame}").and_then(|()| stdin.flush());
        written.unwrap_or_else(|error| panic!("{} does not listen: {error}\n{}", self.name, self.account()));
    }

    /// Everything that it wrote so far and this has seen.
    pub fn frames(&self) -> &[Value] {
        &self.frames
    }

    /// The next frame, from where the last wait stopped, that is `wanted`.
    ///
    /// # Panics
    /// When it does not come within the [limit](crate::patience), or the program ends first.
    pub fn until(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Deadline::new();
        loop {
            while let Some(frame) = self.frames.get(self.cursor) {
                self.cursor += 1;
                if wanted(frame) {
                    return frame.clone();
                }
            }
            match self.take(deadline) {
                Some(true) => {}
                Some(false) => panic!("{} ended before {what}\n{}", self.name, self.account()),
                None => panic!("{} did not come to {what}\n{}", self.name, self.account()),
            }
        }
    }

    /// Closes its standard input and waits for its end.
    ///
    /// # Panics
    /// When it does not end within the [limit](crate::patience).
    pub fn finish(mut self) -> Finished {
        self.stdin = None;
        let deadline = Deadline::new();
        loop {
            match self.take(deadline) {
                Some(true) => {}
                Some(false) => break,
                None => panic!("{} does not end\n{}", self.name, self.account()),
            }
        }
        Finished {
            status: self.status.expect("it has ended"),
            frames: std::mem::take(&mut self.frames),
            other: std::mem::take(&mut self.other),
            errors: std::fs::read_to_string(&self.errors).unwrap_or_default(),
        }
    }

    /// Kills it, without a chance to tell anyone, and waits for its end.
    pub fn crash(self) -> Finished {
        if let Some(group) = self.group {
            // Its end is what shows whether this worked.
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.finish()
    }

    /// Takes one thing in: `Some(true)` there may be more, `Some(false)` it has ended and all is read, `None` the time is over.
    fn take(&mut self, deadline: Deadline) -> Option<bool> {
        match self.told.recv_timeout(deadline.left()?) {
            Ok(Told::Line(line)) => match serde_json::from_str(&line) {
                Ok(frame) => self.frames.push(frame),
                Err(_) => self.other.push(line),
            },
            Ok(Told::Ended(status)) => self.status = status.ok(),
            Err(RecvTimeoutError::Disconnected) => return Some(false),
            Err(RecvTimeoutError::Timeout) => return None,
        }
        Some(true)
    }

    /// What was seen, for the message of a test that fails.
    fn account(&self) -> String {
        /// Enough to see what a frame is.
        const SHOWN: usize = 400;
        let mut text = String::new();
        for frame in &self.frames {
            let frame = frame.to_string();
            text.extend(frame.chars().take(SHOWN));
            text.push('\n');
        }
        text.push_str(&self.other.join("\n"));
        text.push_str(&std::fs::read_to_string(&self.errors).unwrap_or_default());
        text
    }
}

fn tell_lines(stdout: impl io::BufRead, lines: &Sender<Told>) {
    for line in stdout.split(b'\n') {
        let Ok(line) = line else { return };
        if lines.send(Told::Line(String::from_utf8_lossy(&line).into_owned())).is_err() {
            return;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Of one that has ended the sandbox ends what is left.
        let Some(group) = self.group.filter(|_| self.status.is_none()) else { return };
        let _ = kill_process_group(group, Signal::TERM);
        let deadline = Deadline::after(GRACE);
        while self.status.is_none() && self.take(deadline) == Some(true) {}
        let _ = kill_process_group(group, Signal::KILL);
    }
}
