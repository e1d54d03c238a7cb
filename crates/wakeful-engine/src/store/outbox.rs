//! What is to be done in the world: written down with the decision that wants it, struck out once it is done.

use rusqlite::params;
use serde::{Deserialize, Serialize};
use wakeful_core::effect::Message;
use wakeful_core::ids::SessionKey;
use wakeful_core::notices::Edge;
use wakeful_core::time::Wall;

use super::rows::json;
use super::{Pos, Store, StoreError};

/// Names one errand for good: a second try has the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OutboxId(pub i64);

/// Something to do in the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Errand {
    /// Tell the user.
    Notify(Edge),
    /// Tell the agent.
    Send(Message),
}

/// An errand that is not done yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxRow {
    /// Which.
    pub id: OutboxId,
    /// Line of the log that wants it.
    pub pos: Pos,
    /// Since when.
    pub wall: Wall,
    /// For which session.
    pub session: SessionKey,
    /// What.
    pub errand: Errand,
}

impl Store {
    /// The errands that are not done, oldest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open_errands(&self) -> Result<Vec<OutboxRow>, StoreError> {
        let mut open = self.db.prepare_cached(
            "SELECT id, pos, wall, session, body FROM outbox WHERE done IS NULL ORDER BY id",
        )?;
        let rows = open.query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, String>(3)?, row.get::<_, String>(4)?))
        })?;
        let mut errands = Vec::new();
        for row in rows {
            let (id, pos, wall, session, body) = row?;
            // A row that cannot be read is one of a format that never was; it must not stop the others.
            if let (Some(session), Ok(errand)) = (SessionKey::parse(&session), serde_json::from_str(&body)) {
                errands.push(OutboxRow {
                    id: OutboxId(id),
                    pos: Pos(pos),
                    wall: Wall(wall),
                    session,
                    errand,
                });
            }
        }
        Ok(errands)
    }

    /// The errand is done, or will never be; `note` says how it went.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn strike_out(&mut self, id: OutboxId, at: Wall, note: &str) -> Result<(), StoreError> {
        self.db
            .prepare_cached("UPDATE outbox SET done = ?2, note = ?3 WHERE id = ?1 AND done IS NULL")?
            .execute(params![id.0, at.0, note])?;
        Ok(())
    }
}

/// Puts an errand into the transaction that is under way.
pub(super) fn put(
    db: &rusqlite::Connection,
    pos: Pos,
    wall: Wall,
    session: &SessionKey,
    errand: &Errand,
) -> Result<OutboxRow, StoreError> {
    db.prepare_cached("INSERT INTO outbox (pos, wall, session, body) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![pos.0, wall.0, session.to_string(), json(errand)?])?;
    let id = OutboxId(db.last_insert_rowid());
    Ok(OutboxRow { id, pos, wall, session: session.clone(), errand: errand.clone() })
}
