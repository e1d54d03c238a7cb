//! Which client a transcript belongs to, where its files are, and which translator reads them: one row a client.

use std::ffi::OsStr;
use std::path::Path;

use wakeful_clients::claude_code::transcript::{Mode, TranscriptTranslator};
use wakeful_clients::{Told, Translation, Unknowns};
use wakeful_core::ids::{Client, SessionId};

/// Turns the lines of one transcript into events.
pub(crate) trait Translator {
    /// The events in the next line.
    fn line(&mut self, bytes: &[u8], ctx: &Translation<'_>) -> Vec<Told>;
    /// The events that the end of the file proves.
    fn finish(&mut self, ctx: &Translation<'_>) -> Vec<Told>;
    /// Lines so far that were no JSON objects.
    fn damaged(&self) -> u64;
    /// Whether all lines so far are a subagent's.
    fn is_subagent(&self) -> bool;
    /// What was unknown so far.
    fn unknowns(&self) -> &Unknowns;
}

impl Translator for TranscriptTranslator {
    fn line(&mut self, bytes: &[u8], ctx: &Translation<'_>) -> Vec<Told> {
        self.line(bytes, ctx)
    }

    fn finish(&mut self, ctx: &Translation<'_>) -> Vec<Told> {
        self.finish(ctx)
    }

    fn damaged(&self) -> u64 {
        self.counts().damaged
    }

    fn is_subagent(&self) -> bool {
        self.counts().is_subagent_file()
    }

    fn unknowns(&self) -> &Unknowns {
        self.unknowns()
    }
}

/// What replay must know of a client.
pub(crate) struct ClientTable {
    /// Which.
    pub(crate) client: Client,
    /// The variable that moves its folder.
    pub(crate) config_variable: &'static str,
    /// Its folder in the home folder.
    pub(crate) config_folder: &'static str,
    /// Where in it the transcripts are.
    pub(crate) transcripts: &'static str,
    /// Whether a file is a subagent's, by its name.
    pub(crate) is_subagent: fn(&Path) -> bool,
    /// The translator for a file.
    pub(crate) translator: fn(&Path) -> Box<dyn Translator>,
}

/// The clients whose transcripts are read.
pub(crate) const TABLE: [ClientTable; 1] = [ClientTable {
    client: Client::ClaudeCode,
    config_variable: "CLAUDE_CONFIG_DIR",
    config_folder: ".claude",
    transcripts: "projects",
    is_subagent: |path| {
        let below = path.components().any(|part| part.as_os_str() == "subagents");
        below && file_name(path).starts_with("agent-")
    },
    translator: |path| {
        Box::new(TranscriptTranslator::new(Mode::Replay, session_of(path).map(SessionId::new)))
    },
}];

/// Names by which files of clients whose transcripts are not read yet are known.
const NOT_READ_YET: [&str; 1] = ["rollout-"];

/// The row of a client.
pub(crate) fn table_of(client: Client) -> Option<&'static ClientTable> {
    TABLE.iter().find(|row| row.client == client)
}

impl ClientTable {
    /// The row for a file that was named by the user; `None` if its client is known and not read.
    pub(crate) fn of_file(path: &Path) -> Option<&'static Self> {
        let name = file_name(path);
        let known = NOT_READ_YET.iter().any(|start| name.starts_with(start));
        TABLE.first().filter(|_| !known)
    }
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// The session id in a file's name: Claude Code names a transcript after it.
pub(crate) fn session_of(path: &Path) -> Option<&str> {
    let stem = path.file_stem().and_then(OsStr::to_str)?;
    let lengths = [8, 4, 4, 4, 12];
    let mut parts = stem.split('-');
    let is_uuid = lengths.iter().all(|length| {
        parts.next().is_some_and(|part| part.len() == *length && part.bytes().all(|b| b.is_ascii_hexdigit()))
    }) && parts.next().is_none();
    is_uuid.then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_transcript_is_its_session() {
        let id = "5f0c1d7e-93ab-4c52-8f21-0a64be1c77d9";
        assert_eq!(session_of(Path::new(&format!("/p/{id}.jsonl"))), Some(id));
        for other in
            ["notes.jsonl", "agent-5f0c1d7e.jsonl", "5f0c1d7e-93ab-4c52-8f21-0a64be1c77d9-x.jsonl", ""]
        {
            assert_eq!(session_of(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn files_of_subagents_and_of_other_clients_are_known_by_name() {
        let row = table_of(Client::ClaudeCode).unwrap();
        for (path, expected) in [
            ("/p/s/subagents/agent-a1.jsonl", true),
            ("/p/s/subagents/workflows/w1/agent-a1.jsonl", true),
            ("/p/s/subagents/notes.jsonl", false),
            ("/p/agent-a1.jsonl", false),
            ("/p/5f0c1d7e-93ab-4c52-8f21-0a64be1c77d9.jsonl", false),
        ] {
            assert_eq!((row.is_subagent)(Path::new(path)), expected, "{path}");
        }
        assert!(ClientTable::of_file(Path::new("rollout-2026-01-05.jsonl")).is_none());
        assert!(ClientTable::of_file(Path::new("anything.jsonl")).is_some());
    }
}
