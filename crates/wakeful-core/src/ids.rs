//! Identifiers. Each is its own type, so that a task id cannot be handed over where a turn id is meant.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! string_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// Wraps the client's own spelling of the id.
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            /// The id as the client spells it.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

string_id! {
    /// The client's own id of a conversation.
    SessionId
}
string_id! {
    /// The client's own id of a turn (Claude Code: `prompt_id`; Codex: `turn_id`).
    TurnId
}
string_id! {
    /// The client's id of a background task. Unique only within a session.
    TaskId
}
string_id! {
    /// The client's id of one tool call.
    ToolUseId
}
string_id! {
    /// The client's id of a subagent.
    AgentId
}
string_id! {
    /// What tells one ask from another within a session; made at the edge from the tool and its input (S7b).
    AskId
}
string_id! {
    /// The client's id of a schedule row.
    WakeId
}
string_id! {
    /// The stable kebab-case id of a rule (a wait rule, a veto, a never-ending-command rule).
    RuleId
}

/// The agent program that runs a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex CLI.
    Codex,
    /// Cursor's agent.
    Cursor,
    /// Google's Gemini CLI.
    Gemini,
    /// OpenCode.
    Opencode,
    /// GitHub Copilot CLI.
    Copilot,
}

impl Client {
    /// Every client, in the order of spec 60's table.
    pub const ALL: [Client; 6] =
        [Self::ClaudeCode, Self::Codex, Self::Cursor, Self::Gemini, Self::Copilot, Self::Opencode];

    /// The name used on the command line, in settings and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Copilot => "copilot",
        }
    }

    /// The client with this [`name`](Self::name), if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A session: client plus the client's own session id (spec 00).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionKey {
    /// The agent program.
    pub client: Client,
    /// Its own id of the session.
    pub id: SessionId,
}

impl SessionKey {
    /// The key that is written like this, as it is displayed: `claude-code/5e55…`.
    pub fn parse(text: &str) -> Option<Self> {
        let (client, id) = text.split_once('/')?;
        Some(Self { client: Client::from_name(client)?, id: SessionId::new(id) })
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.client, self.id)
    }
}

/// Number of the process that serves a session; one more at every spawn, resume or respawn (spec 00).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Epoch(pub u32);

impl Epoch {
    /// The epoch of the next process.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Stable 64-bit digest of a text that the core must compare but must never read (S2): FNV-1a, because it has to
/// give the same value in every version, and nobody chooses the inputs to collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(pub u64);

impl Digest {
    /// Digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_parts(&[bytes])
    }

    /// Digest of several parts; the borders between parts count.
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        let mut eat = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        for part in parts {
            part.iter().copied().for_each(&mut eat);
            eat(0xff); // no UTF-8 text contains 0xff, so it marks a border
        }
        Self(hash)
    }
}
