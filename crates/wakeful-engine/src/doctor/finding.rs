//! What one check has found.

use jiff::Timestamp;
use serde::Serialize;
use wakeful_core::ids::Client;
use wakeful_core::time::{Millis, Now, Wall};

/// How things stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// As it must be.
    Ok,
    /// It works, or nobody has set it up yet; worth a look.
    Warn,
    /// Something that was set up does not work.
    Broken,
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Is a client here, and in which version?
    Client,
    /// Are our hooks in its settings, and do they call this program?
    Hooks,
    /// Does Codex trust them?
    Trust,
    /// Have they ever been run?
    Firing,
    /// Can the spool be read, and is there room in it?
    Spool,
    /// What in the spool could not be taken?
    Unread,
    /// Can others look into our folder?
    Rights,
    /// Can the settings be read?
    Settings,
    /// Can the user's own rules be read?
    Rules,
    /// Does the wall clock fit what the spool says?
    Clock,
    /// Do the clients write what this version does not know?
    Unknowns,
    /// What has the guard said?
    Guard,
    /// Can a message reach an idle agent?
    Delivery,
    /// How did the notifications of the past day go?
    Rings,
    /// Does the daemon run, with its socket and its store?
    Daemon,
}

/// What one check has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which check.
    pub check: Check,
    /// Of which client, if of one.
    pub client: Option<Client>,
    /// How things stand.
    pub state: State,
    /// What is seen: one sentence without an end stop.
    pub seen: String,
    /// What to do; `None` where there is nothing to do.
    pub advice: Option<String>,
}

impl Finding {
    /// As it must be.
    pub(crate) fn ok(check: Check, seen: impl Into<String>) -> Self {
        Self { check, client: None, state: State::Ok, seen: seen.into(), advice: None }
    }

    /// Worth a look.
    pub(crate) fn warn(check: Check, seen: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { state: State::Warn, advice: Some(advice.into()), ..Self::ok(check, seen) }
    }

    /// Does not work.
    pub(crate) fn broken(check: Check, seen: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { state: State::Broken, advice: Some(advice.into()), ..Self::ok(check, seen) }
    }

    /// Of this client.
    pub(crate) fn of(self, client: Client) -> Self {
        Self { client: Some(client), ..self }
    }
}

/// An instant for people and programs alike: RFC 3339 in UTC, to the second.
pub(crate) fn instant(wall: Wall) -> String {
    let secs = Timestamp::from_second(wall.0.div_euclid(1000)).unwrap_or(Timestamp::UNIX_EPOCH);
    secs.to_string()
}

/// How long ago, rounded down.
pub(crate) fn ago(at: Now, now: Now) -> String {
    let Millis(passed) = now.since(at);
    match passed / 60_000 {
        0 => "less than a minute ago".to_owned(),
        minutes @ 1..=119 => format!("{minutes} min ago"),
        minutes @ 120..=2879 => format!("{} h ago", minutes / 60),
        minutes => format!("{} days ago", minutes / (24 * 60)),
    }
}

/// `1 line`, `3 lines`.
pub(crate) fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
