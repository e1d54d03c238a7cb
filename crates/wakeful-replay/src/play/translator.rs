//! Which client a transcript belongs to, where its files are, and which translator reads them: one row a client.

use std::ffi::OsStr;
use std::path::Path;

use wakeful_clients::claude_code::transcript::TranscriptTranslator;
use wakeful_clients::codex::transcript::RolloutTranslator;
use wakeful_clients::{Mode, Told, Translation, Unknowns};
use wakeful_core::ids::{Client, SessionId};

use super::commands::{ShellCalls, claude_code_calls, codex_calls};

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

impl Translator for RolloutTranslator {
    fn line(&mut self, bytes: &[u8], ctx: &Translation<'_>) -> Vec<Told> {
        self.line(bytes, ctx)
    }

    fn finish(&mut self, ctx: &Translation<'_>) -> Vec<Told> {
        self.finish(ctx)
    }

    fn damaged(&self) -> u64 {
        self.damaged()
    }

    fn is_subagent(&self) -> bool {
        self.is_subagent_file()
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
    /// What the names of its transcripts begin with.
    pub(crate) begins: &'static str,
    /// Whether a file is a subagent's, by its name.
    pub(crate) is_subagent: fn(&Path) -> bool,
    /// The session in a file's name.
    pub(crate) session_of: fn(&Path) -> Option<&str>,
    /// A translator for the transcript of this session.
    pub(crate) translator: fn(Mode, Option<SessionId>) -> Box<dyn Translator>,
    /// The commands of shell calls in a line.
    pub(crate) shell_calls: ShellCalls,
}

/// The clients whose transcripts are read.
pub(crate) const TABLE: [ClientTable; 2] = [
    ClientTable {
        client: Client::ClaudeCode,
        config_variable: "CLAUDE_CONFIG_DIR",
        config_folder: ".claude",
        transcripts: "projects",
        begins: "",
        is_subagent: |path| {
            let below = path.components().any(|part| part.as_os_str() == "subagents");
            below && file_name(path).starts_with("agent-")
        },
        session_of: |path| uuid(path.file_stem().and_then(OsStr::to_str)?),
        translator: |mode, session| Box::new(TranscriptTranslator::new(mode, session)),
        shell_calls: claude_code_calls,
    },
    ClientTable {
        client: Client::Codex,
        config_variable: "CODEX_HOME",
        config_folder: ".codex",
        transcripts: "sessions",
        begins: "rollout-",
        is_subagent: |_| false, // the file's first line says it, its name does not
        session_of: |path| {
            let stem = path.file_stem().and_then(OsStr::to_str)?;
            uuid(stem.get(stem.len().checked_sub(UUID)?..)?)
        },
        translator: |mode, session| Box::new(RolloutTranslator::new(mode, session)),
        shell_calls: codex_calls,
    },
];

/// How long a session id is.
const UUID: usize = 36;

/// The row of a client.
pub(crate) fn table_of(client: Client) -> Option<&'static ClientTable> {
    TABLE.iter().find(|row| row.client == client)
}

impl ClientTable {
    /// The row for a file that was named by the user: the last whose names begin like that.
    pub(crate) fn of_file(path: &Path) -> &'static Self {
        let name = file_name(path);
        TABLE.iter().rev().find(|row| name.starts_with(row.begins)).unwrap_or(&TABLE[0])
    }

    /// The translator for a file that is replayed.
    pub(crate) fn of_past(&self, path: &Path) -> Box<dyn Translator> {
        (self.translator)(Mode::Replay, (self.session_of)(path).map(SessionId::new))
    }
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// `text`, if it is a session id.
fn uuid(text: &str) -> Option<&str> {
    let lengths = [8, 4, 4, 4, 12];
    let mut parts = text.split('-');
    let is_uuid = lengths.iter().all(|length| {
        parts.next().is_some_and(|part| part.len() == *length && part.bytes().all(|b| b.is_ascii_hexdigit()))
    }) && parts.next().is_none();
    is_uuid.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_transcript_has_its_session() {
        let id = "5f0c1d7e-93ab-4c52-8f21-0a64be1c77d9";
        let [session_of, rollout_of] =
            [Client::ClaudeCode, Client::Codex].map(|client| table_of(client).unwrap().session_of);
        assert_eq!(session_of(Path::new(&format!("/p/{id}.jsonl"))), Some(id));
        assert_eq!(rollout_of(Path::new(&format!("/p/rollout-2026-01-05T10-20-30-{id}.jsonl"))), Some(id));
        for other in ["rollout-2026.jsonl", "rollout-2026-01-05T10-20-30-5f0c1d7e-93ab.jsonl", ""] {
            assert_eq!(rollout_of(Path::new(other)), None, "{other}");
        }
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
        assert_eq!(ClientTable::of_file(Path::new("rollout-2026-01-05.jsonl")).client, Client::Codex);
        assert_eq!(ClientTable::of_file(Path::new("anything.jsonl")).client, Client::ClaudeCode);
    }
}
