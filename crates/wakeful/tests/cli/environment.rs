//! A world of its own for each run of the binary: no variable of the caller, a home folder that goes with the test.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Columns of the pretended terminal: what the snapshots are wrapped to.
const COLUMNS: &str = "100";

/// One world.
pub struct World {
    root: tempfile::TempDir,
}

/// What came of a run.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; tests want none that died of a signal.
    pub code: i32,
    /// Standard output, the world's root written as `$WORLD`.
    pub out: String,
    /// Standard error, likewise.
    pub err: String,
}

impl World {
    /// An empty one.
    pub fn new() -> Self {
        let world = Self { root: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(world.config()).unwrap();
        world
    }

    /// Where its files are. Also the folder that commands run in.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Claude Code's folder in it.
    pub fn config(&self) -> PathBuf {
        self.root().join("client")
    }

    /// A file in it with this text.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The client's folder has a copy of all transcripts of `tests/transcripts`.
    pub fn with_transcripts() -> Self {
        let world = Self::new();
        let project = world.config().join("projects/-home-ines-orchard");
        std::fs::create_dir_all(&project).unwrap();
        for (name, text) in transcripts() {
            // The client names a transcript after its session.
            let session = text.split("\"sessionId\":\"").nth(1).unwrap().split('"').next().unwrap();
            assert!(!project.join(format!("{session}.jsonl")).exists(), "{name} repeats a session");
            let path = project.join(format!("{session}.jsonl"));
            std::fs::write(&path, &text).unwrap();
            // The sessions play on 4 January 2027, and a file cannot be older than its last line.
            let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_799_080_000);
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
        }
        world
    }

    /// The command, ready to be run.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wakeful"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.root().join("home"))
            .env("CLAUDE_CONFIG_DIR", self.config())
            .env("COLUMNS", COLUMNS)
            .env("NO_COLOR", "1")
            .env("WAKEFUL_NO_DAEMON", "1")
            .env("TZ", "UTC")
            .current_dir(self.root())
            .stdin(Stdio::null());
        command
    }

    /// Runs it to its end.
    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        self.finish(self.command(args).output().unwrap())
    }

    /// Runs it with this on standard input.
    pub fn run_with<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>, input: &[u8]) -> Ran {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        self.finish(child.wait_with_output().unwrap())
    }

    fn finish(&self, output: std::process::Output) -> Ran {
        let root = self.root().display().to_string();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&root, "$WORLD");
        let code = output.status.code().unwrap_or_else(|| panic!("died: {output:?}"));
        Ran { code, out: text(output.stdout), err: text(output.stderr) }
    }

    /// Every file below `folder` with its content and the time of its last change.
    pub fn tree(&self, folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
        let mut tree = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let changed = entry.metadata().unwrap().modified().unwrap();
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                    tree.insert(entry.path(), (Vec::new(), changed));
                } else {
                    tree.insert(entry.path(), (std::fs::read(entry.path()).unwrap(), changed));
                }
            }
        }
        tree
    }
}

/// The files of a folder that end so, by name.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().unwrap().ends_with(ending))
        .collect();
    found.sort();
    found
}

/// The transcripts of `tests/transcripts`: name and text.
pub fn transcripts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let found = files(&folder, ".jsonl");
    found.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// The scenarios of the repository.
pub fn scenarios() -> Vec<PathBuf> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenarios"), ".jsonl")
}
