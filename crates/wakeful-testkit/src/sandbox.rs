//! A fresh home for one run of a client, and the end of everything that was started in it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Every process of a run inherits it; what is left of the run is found by it.
const MARK: &str = "WAKEFUL_TEST_RUN";

/// Folders of one run: a home, a project, a folder for temporary files. Dropped, it ends every process that still runs in it.
#[derive(Debug)]
pub struct Sandbox {
    root: TempDir,
}

impl Sandbox {
    /// A new one below `base`.
    ///
    /// # Errors
    /// When the folders cannot be made.
    pub fn new(base: &Path) -> io::Result<Self> {
        fs::create_dir_all(base)?;
        let root = tempfile::Builder::new().prefix("run-").tempdir_in(base.canonicalize()?)?;
        for folder in ["home/bin", "project", "tmp"] {
            fs::create_dir_all(root.path().join(folder))?;
        }
        Ok(Self { root })
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The user's own folder of programs, first on the path.
    pub fn programs(&self) -> PathBuf {
        self.home().join("bin")
    }

    /// The folder in which the client works.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// A file in the project.
    pub fn file(&self, name: &str) -> PathBuf {
        self.project().join(name)
    }

    /// A command that runs `program` in the project, with nothing of this process's environment but what is set here.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.project()).env_clear().envs(self.env());
        command
    }

    fn env(&self) -> Vec<(&'static str, OsString)> {
        vec![
            (MARK, self.root.path().into()),
            ("HOME", self.home().into()),
            ("TMPDIR", self.root.path().join("tmp").into()),
            ("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs().display()).into()),
            ("SHELL", "/bin/bash".into()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "xterm-256color".into()),
            ("TZ", "UTC".into()),
            ("WAKEFUL_NO_DAEMON", "1".into()), // tests that want a daemon start it themselves
        ]
    }

    /// The processes of this run that live, where the system has a `/proc`; elsewhere none are found.
    pub fn processes(&self) -> Vec<i32> {
        let mark = format!("{MARK}={}", self.root.path().display());
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            if environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
                found.push(id);
            }
        }
        found
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        for id in self.processes() {
            if let Some(pid) = rustix::process::Pid::from_raw(id) {
                // It may have ended meanwhile.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }
}
