//! What people and programs ask of the record: the log, the decisions, the guard's verdicts.

use rusqlite::params;
use serde::Serialize;
use wakeful_core::board::Stepped;
use wakeful_core::decision::Decision;
use wakeful_core::ids::SessionKey;
use wakeful_core::time::Wall;

use super::{Pos, Store, StoreError};
use crate::spool::GuardRecord;

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogRow {
    /// Its place.
    pub pos: Pos,
    /// An event, and what followed; `None` where settings came into force.
    pub stepped: Option<Stepped>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionRow {
    /// Names it for good.
    pub id: i64,
    /// The line of the log that it belongs to.
    pub pos: Pos,
    /// When.
    pub wall: Wall,
    /// In which session.
    pub session: SessionKey,
    /// What.
    pub decision: Decision,
}

/// A verdict of the guard that was no plain pass.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GuardRow {
    /// Names it for good.
    pub id: i64,
    /// When.
    pub wall: Wall,
    /// In which session, where it could be told.
    pub session: Option<SessionKey>,
    /// What.
    pub verdict: GuardRecord,
}

impl Store {
    /// Lines of the log after `after`, at most `most`, oldest first; of one session, or of all.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn log(
        &self,
        session: Option<&SessionKey>,
        after: Pos,
        most: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        let name = session.map(ToString::to_string);
        let mut lines = self.db.prepare_cached(
            "SELECT pos, body FROM log WHERE pos > ?1 AND (?2 IS NULL OR session = ?2) ORDER BY pos LIMIT ?3",
        )?;
        let rows = lines.query_map(params![after.0, name, most], |row| {
            Ok((Pos(row.get(0)?), row.get::<_, String>(1)?))
        })?;
        rows.map(|row| {
            let (pos, body) = row?;
            Ok(LogRow { pos, stepped: serde_json::from_str(&body).ok() })
        })
        .collect()
    }

    /// The last lines of a session's log, oldest first, at most `most`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn history(&self, session: &SessionKey, most: u32) -> Result<Vec<LogRow>, StoreError> {
        let mut lines = self
            .db
            .prepare_cached("SELECT pos, body FROM log WHERE session = ?1 ORDER BY pos DESC LIMIT ?2")?;
        let rows = lines.query_map(params![session.to_string(), most], |row| {
            Ok((Pos(row.get(0)?), row.get::<_, String>(1)?))
        })?;
        let mut found = Vec::new();
        for row in rows {
            let (pos, body) = row?;
            found.push(LogRow { pos, stepped: serde_json::from_str(&body).ok() });
        }
        found.reverse();
        Ok(found)
    }

    /// Decisions after `after`, oldest first; of one session, or of all.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn decisions(
        &self,
        session: Option<&SessionKey>,
        after: i64,
        most: u32,
    ) -> Result<Vec<DecisionRow>, StoreError> {
        let name = session.map(ToString::to_string);
        let mut lines = self.db.prepare_cached(
            "SELECT id, pos, wall, session, body FROM decisions
             WHERE id > ?1 AND (?2 IS NULL OR session = ?2) ORDER BY id LIMIT ?3",
        )?;
        let rows = lines.query_map(params![after, name, most], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, String>(3)?, row.get::<_, String>(4)?))
        })?;
        let mut found = Vec::new();
        for row in rows {
            let (id, pos, wall, session, body) = row?;
            if let (Some(session), Ok(decision)) = (SessionKey::parse(&session), serde_json::from_str(&body))
            {
                found.push(DecisionRow { id, pos: Pos(pos), wall: Wall(wall), session, decision });
            }
        }
        Ok(found)
    }

    /// What the guard said after `after` that was no plain pass, oldest first; in one session, or in all.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn guard_log(
        &self,
        session: Option<&SessionKey>,
        after: i64,
        most: u32,
    ) -> Result<Vec<GuardRow>, StoreError> {
        let name = session.map(ToString::to_string);
        let mut lines = self.db.prepare_cached(
            "SELECT id, wall, session, body FROM guard
             WHERE id > ?1 AND (?2 IS NULL OR session = ?2) ORDER BY id LIMIT ?3",
        )?;
        let rows = lines.query_map(params![after, name, most], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?, row.get::<_, String>(3)?))
        })?;
        let mut found = Vec::new();
        for row in rows {
            let (id, wall, session, body) = row?;
            if let Ok(verdict) = serde_json::from_str(&body) {
                let session = session.as_deref().and_then(SessionKey::parse);
                found.push(GuardRow { id, wall: Wall(wall), session, verdict });
            }
        }
        Ok(found)
    }
}
