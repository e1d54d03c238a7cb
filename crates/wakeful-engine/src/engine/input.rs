//! What the engine takes in.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use wakeful_core::abilities::Abilities;
use wakeful_core::event::{Event, UserAction};
use wakeful_core::ids::{Client, RuleId, SessionKey};
use wakeful_core::reading::Reading;
use wakeful_core::settings::{MatchMode, Settings};
use wakeful_core::time::Now;

use crate::spool::Envelope;
use crate::store::Pos;

/// Reads the last message of a turn that ended at this time, in this mode (spec 20).
pub type Reader = dyn Fn(&str, MatchMode, Now) -> Reading + Send + Sync;
/// The rule by which a command never ends by itself, if there is one (spec 10, `live-work`).
pub type NeverEnds = dyn Fn(&str) -> Option<RuleId> + Send + Sync;

/// How messages and commands are read, and in which zone clients tell the time.
pub struct Senses {
    /// Reads messages.
    pub read: Box<Reader>,
    /// Knows commands that never end.
    pub never_ends: Box<NeverEnds>,
    /// The zone of the clients' schedules.
    pub zone: TimeZone,
    /// What each client can do, as far as this program makes use of it.
    pub abilities: fn(Client) -> Abilities,
}

/// The settings that the engine uses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EngineSettings {
    /// Those of decisions.
    pub core: Settings,
    /// How strictly messages are read.
    pub match_mode: MatchMode,
}

/// One thing that happened.
#[derive(Debug)]
pub enum Input {
    /// A hook handed this over.
    Hook(Box<Envelope>),
    /// The user acts.
    Act(Box<Act>),
    /// These settings hold from now on.
    Settings(Box<EngineSettings>),
    /// An event that was seen otherwise: the process table, a transcript, a call of a tool of Wakeful's.
    Event(Box<Event>),
}

/// A user action, and what the user knew.
#[derive(Debug, Clone)]
pub struct Act {
    /// On which session.
    pub session: SessionKey,
    /// What.
    pub action: UserAction,
    /// The revision of the session that the user saw; a later one that looks otherwise is a conflict.
    pub seen: Option<Pos>,
    /// The same key again is the same request again (spec 70).
    pub key: Option<String>,
}

/// What became of an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It is in the log, as far as it said anything.
    Taken,
    /// It had been taken before.
    Again,
    /// It could not be read, and was counted.
    Unread,
    /// The session has moved on; nothing was done.
    Conflict {
        /// What has happened instead, for people.
        why: String,
    },
    /// There is no such session.
    NoSession,
}
