//! What a start of the daemon, or a command, finds in the store.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension as _, params};
use serde::de::DeserializeOwned;
use wakeful_clients::{ClientState, Unknowns};
use wakeful_core::abilities::Abilities;
use wakeful_core::board::Clearings;
use wakeful_core::ids::{Client, SessionKey};
use wakeful_core::session::Session;
use wakeful_core::settings::Settings;
use wakeful_core::time::Now;

use super::repair::{self, Repair};
use super::rows::checked;
use super::{Pos, Store, StoreError};
use crate::spool::DeliveryId;

/// What was left by whoever wrote the store last.
#[derive(Debug, Default)]
pub struct Left {
    /// The sessions.
    pub sessions: Vec<Kept>,
    /// What is under way between them.
    pub clearings: Clearings,
    /// What is remembered between payloads.
    pub said: ClientState,
    /// Unknown events and fields.
    pub unknowns: Unknowns,
    /// The settings that were in force.
    pub settings: Option<Settings>,
    /// The last instant that all this is true of; `None` in a new store.
    pub now: Option<Now>,
    /// The end of the log.
    pub pos: Pos,
    /// Sessions whose snapshots were damaged, and what they were made from.
    pub repairs: Vec<Repair>,
}

/// A session as it was left.
#[derive(Debug)]
pub struct Kept {
    /// The session.
    pub session: Session,
    /// The last line of the log that it includes.
    pub pos: Pos,
    /// The line of the log that last changed what people see of it.
    pub shown: Pos,
}

impl Store {
    /// Reads what was left, as of one instant. A damaged snapshot is made anew from the last good one and the recorded events, with
    /// the abilities of clients by which they were decided.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn left(&self, abilities: fn(Client) -> Abilities) -> Result<Left, StoreError> {
        let read = self.db.unchecked_transaction()?; // one state of the file for all that follows
        let mut left = Left {
            clearings: self.meta("clearings")?.unwrap_or_default(),
            said: self.meta("said")?.unwrap_or_default(),
            unknowns: self.meta("unknowns")?.unwrap_or_default(),
            settings: self.meta("settings")?,
            now: self.meta("now")?,
            pos: Pos(read.query_row("SELECT coalesce(max(pos), 0) FROM log", [], |row| row.get(0))?),
            ..Left::default()
        };
        let mut snapshots = read.prepare("SELECT session, pos, shown, sum, body FROM snapshots")?;
        let rows = snapshots.query_map([], |row| {
            let key: String = row.get(0)?;
            // A damaged text may be no text at all.
            let body = row.get_ref(4)?.as_bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            Ok((key, row.get(1)?, row.get(2)?, row.get(3)?, body.unwrap_or_default()))
        })?;
        let mut damaged = Vec::new();
        for row in rows {
            let (key, pos, shown, sum, body) = row?;
            match checked::<Session>(&body, sum) {
                Some(session) => left.sessions.push(Kept { session, pos: Pos(pos), shown: Pos(shown) }),
                None => damaged.extend(SessionKey::parse(&key).map(|key| (key, Pos(shown)))),
            }
        }
        for (key, shown) in damaged {
            let (session, repair) = repair::session(&self.db, &key, abilities)?;
            left.sessions.extend(session.map(|(session, pos)| Kept { session, pos, shown }));
            left.repairs.push(repair);
        }
        Ok(left)
    }

    /// Has this delivery been taken?
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn has_taken(&self, id: &DeliveryId) -> Result<bool, StoreError> {
        let mut find = self.db.prepare_cached("SELECT 1 FROM deliveries WHERE id = ?1")?;
        Ok(find.exists([&id.0])?)
    }

    /// How far the files of the spool have been taken, in bytes.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn spool_taken(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        let mut all = self.db.prepare_cached("SELECT file, taken FROM spool")?;
        let rows = all.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?;
        rows.map(|row| row.map(|(file, taken)| (file, taken.unsigned_abs())).map_err(StoreError::from))
            .collect()
    }

    /// What a user request with this idempotency key was answered.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn answered(&self, key: &str) -> Result<Option<String>, StoreError> {
        let mut find = self.db.prepare_cached("SELECT body FROM requests WHERE key = ?1")?;
        Ok(find.query_row(params![key], |row| row.get(0)).optional()?)
    }

    /// A value of the `meta` table; one that cannot be read counts as missing, and its default holds.
    fn meta<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        let mut find = self.db.prepare_cached("SELECT body FROM meta WHERE key = ?1")?;
        let body: Option<String> = find.query_row([key], |row| row.get(0)).optional()?;
        Ok(body.and_then(|body| serde_json::from_str(&body).ok()))
    }
}
