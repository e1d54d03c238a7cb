//! Finds the transcripts that the installed clients keep (spec 80). Reads folders, never writes.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wakeful_core::ids::Client;
use wakeful_core::time::Wall;

use crate::play::translator::{ClientTable, TABLE, table_of};

/// Why something was not read, or not used (R2). Every one is counted and said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// A file of a subagent: its turns are the parent's business.
    Subagent,
    /// A FIFO, a socket, a device: never opened.
    SpecialFile,
    /// A path that does not exist (any more), or a link that leads nowhere.
    Missing,
    /// A folder that cannot be listed.
    UnreadableFolder,
    /// A file that cannot be opened, or that broke off while it was read.
    UnreadableFile,
    /// A file in which no session of a client was found.
    NotATranscript,
    /// A file whose client's transcripts this version does not read.
    ClientNotRead,
    /// A file that was last written before `--since`.
    BeforeSince,
    /// A file of another session than `--session`.
    OtherSession,
    /// A line that is no JSON object.
    DamagedLine,
    /// A last line that is still being written.
    TruncatedLine,
    /// A line of more than 64 MB.
    LineTooLong,
    /// A line of a kind that this version does not know.
    UnknownLine,
}

impl Skip {
    /// Its name in a report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Subagent => "subagent",
            Self::SpecialFile => "special_file",
            Self::Missing => "missing",
            Self::UnreadableFolder => "unreadable_folder",
            Self::UnreadableFile => "unreadable_file",
            Self::NotATranscript => "not_a_transcript",
            Self::ClientNotRead => "client_not_read",
            Self::BeforeSince => "before_since",
            Self::OtherSession => "other_session",
            Self::DamagedLine => "damaged_line",
            Self::TruncatedLine => "truncated_line",
            Self::LineTooLong => "line_too_long",
            Self::UnknownLine => "unknown_line",
        }
    }
}

/// How often what was skipped.
pub type Skips = BTreeMap<Skip, u64>;

/// One transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Whose.
    pub client: Client,
    /// Where it is; only its name counts for a transcript that is [`Body::Text`].
    pub path: PathBuf,
    /// Its size when it was found.
    pub bytes: u64,
    /// When it was last written, where the file system says so.
    pub written: Option<Wall>,
    /// What is in it.
    pub body: Body,
}

/// Where the bytes of a transcript are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// In the file.
    File,
    /// In the program: the demo.
    Text(&'static str),
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Transcripts, in the order of their paths.
    pub sources: Vec<Source>,
    /// What was not read, and why.
    pub skipped: Skips,
}

/// Where the clients keep their transcripts on this machine. The library asks no environment: the caller does.
pub struct Places<'a> {
    /// The user's home folder.
    pub home: Option<&'a Path>,
    /// A variable of the environment.
    pub env: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Places<'_> {
    /// The folders in which the clients keep transcripts, whether they exist or not.
    pub fn folders(&self, clients: &[Client]) -> Vec<(Client, PathBuf)> {
        let wanted = TABLE.iter().filter(|row| clients.is_empty() || clients.contains(&row.client));
        wanted
            .filter_map(|row| {
                let config = (self.env)(row.config_variable).filter(|value| !value.is_empty());
                let root = config
                    .map(PathBuf::from)
                    .or_else(|| self.home.map(|home| home.join(row.config_folder)))?;
                Some((row.client, root.join(row.transcripts)))
            })
            .collect()
    }
}

/// Finds the transcripts of the installed clients; all of them, if `clients` is empty. A client that is not installed
/// is no news.
pub fn find(places: &Places<'_>, clients: &[Client]) -> Found {
    let mut walk = Walk::default();
    for (client, folder) in places.folders(clients) {
        if folder.exists() {
            walk.root(&folder, Some(client));
        }
    }
    walk.done()
}

/// Finds transcripts in these files and folders. A file is taken whatever its name, in a folder those are taken that
/// are named like a transcript.
pub fn find_in(paths: &[PathBuf], clients: &[Client]) -> Found {
    let mut walk = Walk::default();
    for path in paths {
        walk.root(path, None);
    }
    let mut found = walk.done();
    if !clients.is_empty() {
        found.sources.retain(|source| clients.contains(&source.client));
    }
    found
}

#[derive(Default)]
struct Walk {
    found: Found,
    /// Files and folders seen, without links in their paths: nothing is read twice, and a loop ends.
    seen: BTreeSet<PathBuf>,
}

/// One entry on the way.
struct Entry {
    path: PathBuf,
    /// `path` without links.
    real: PathBuf,
    metadata: Metadata,
}

impl Walk {
    fn skip(&mut self, why: Skip) {
        *self.found.skipped.entry(why).or_default() += 1;
    }

    fn root(&mut self, path: &Path, client: Option<Client>) {
        match (fs::metadata(path), fs::canonicalize(path)) {
            (Ok(metadata), Ok(real)) => {
                let entry = Entry { path: path.to_owned(), real, metadata };
                if entry.metadata.is_dir() {
                    self.folder(entry, client);
                } else {
                    self.file(entry, client, true);
                }
            }
            (Err(error), _) | (_, Err(error)) => self.failed(&error, Skip::UnreadableFile),
        }
    }

    fn failed(&mut self, error: &std::io::Error, why: Skip) {
        let missing = error.kind() == std::io::ErrorKind::NotFound;
        self.skip(if missing { Skip::Missing } else { why });
    }

    /// Everything below a folder. A stack of its own: folders may be nested deeper than a thread's stack is.
    fn folder(&mut self, root: Entry, client: Option<Client>) {
        let mut open = vec![root];
        while let Some(folder) = open.pop() {
            if !self.seen.insert(folder.real.clone()) {
                continue;
            }
            let entries = match fs::read_dir(&folder.path) {
                Ok(entries) => entries,
                Err(error) => {
                    self.failed(&error, Skip::UnreadableFolder);
                    continue;
                }
            };
            for entry in entries {
                match entry.and_then(|entry| resolve(&folder, &entry)) {
                    Ok(entry) if entry.metadata.is_dir() => open.push(entry),
                    Ok(entry) => self.file(entry, client, false),
                    Err(error) => self.failed(&error, Skip::UnreadableFile),
                }
            }
        }
    }

    fn file(&mut self, entry: Entry, client: Option<Client>, named: bool) {
        if !named && entry.path.extension() != Some(OsStr::new("jsonl")) {
            return;
        }
        if !entry.metadata.is_file() {
            return self.skip(Skip::SpecialFile);
        }
        if !self.seen.insert(entry.real) {
            return;
        }
        let row = match client {
            Some(client) => table_of(client),
            None => Some(ClientTable::of_file(&entry.path)),
        };
        let Some(row) = row else { return self.skip(Skip::ClientNotRead) };
        if (row.is_subagent)(&entry.path) {
            return self.skip(Skip::Subagent);
        }
        let written = entry.metadata.modified().ok().and_then(wall);
        let (client, bytes) = (row.client, entry.metadata.len());
        self.found.sources.push(Source { client, path: entry.path, bytes, written, body: Body::File });
    }

    fn done(mut self) -> Found {
        self.found.sources.sort_by(|a, b| a.path.cmp(&b.path));
        self.found
    }
}

fn resolve(folder: &Entry, entry: &fs::DirEntry) -> std::io::Result<Entry> {
    let path = entry.path();
    let is_link = entry.file_type()?.is_symlink();
    let real = if is_link { fs::canonicalize(&path)? } else { folder.real.join(entry.file_name()) };
    let metadata = if is_link { fs::metadata(&path)? } else { entry.metadata()? };
    Ok(Entry { path, real, metadata })
}

fn wall(time: std::time::SystemTime) -> Option<Wall> {
    jiff::Timestamp::try_from(time).ok().map(|at| Wall(at.as_millisecond()))
}
