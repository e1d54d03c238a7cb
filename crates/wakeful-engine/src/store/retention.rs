//! What is kept, and for how long. Nothing goes that a repair would need: the log is cut only below the oldest checkpoint.

use rusqlite::params;
use wakeful_core::ids::SessionKey;
use wakeful_core::time::{Millis, Wall};

use super::{Store, StoreError};

/// A retry comes within seconds; the spool is read for three days back.
const DELIVERIES: Millis = Millis::minutes(7 * 24 * 60);

/// What to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// The record, and sessions that have ended, for this long.
    pub age: Millis,
    /// And the whole file below this size, in bytes; the oldest goes first.
    pub bytes: u64,
}

/// What went.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Lines of the log.
    pub lines: usize,
    /// Sessions that had ended.
    pub sessions: Vec<SessionKey>,
}

impl Store {
    /// Removes what is older than is to be kept. `ended` are the sessions that are over, with the time of their last events.
    ///
    /// # Errors
    /// When the file cannot be written; nothing is removed then.
    pub fn prune(
        &mut self,
        keep: Keep,
        now: Wall,
        ended: &[(SessionKey, Wall)],
    ) -> Result<Pruned, StoreError> {
        let mut before = Wall(now.0.saturating_sub_unsigned(keep.age.0));
        let used = self.bytes()?;
        if used > keep.bytes {
            // Half of what is too much, by age: the record grows evenly enough, and the next round takes the rest.
            let oldest: Option<i64> = self.db.query_row("SELECT min(wall) FROM log", [], |row| row.get(0))?;
            let span = oldest.map_or(0, |oldest| Wall(oldest).until(now).0);
            let kept = span / 100 * (keep.bytes.saturating_mul(100) / used.max(1));
            before = before.max(Wall(now.0.saturating_sub_unsigned(kept)));
        }
        let change = self.db.transaction()?;
        let mut pruned = Pruned::default();
        for (key, last) in ended {
            if *last >= before {
                continue;
            }
            let name = key.to_string();
            for table in ["snapshots", "checkpoints", "timers", "log"] {
                change.execute(&format!("DELETE FROM {table} WHERE session = ?1"), [&name])?;
            }
            pruned.sessions.push(key.clone());
        }
        // Of each session, what its checkpoint includes; of the settings, all but the last line below every checkpoint.
        pruned.lines = change.execute(
            "DELETE FROM log WHERE wall < ?1 AND (
               (session IS NOT NULL AND pos <= (SELECT pos FROM checkpoints WHERE checkpoints.session = log.session))
               OR (session IS NULL AND pos < (
                 SELECT max(pos) FROM log WHERE session IS NULL AND pos <= (SELECT min(pos) FROM checkpoints))))",
            params![before.0],
        )?;
        change.execute("DELETE FROM decisions WHERE wall < ?1", params![before.0])?;
        change.execute("DELETE FROM guard WHERE wall < ?1", params![before.0])?;
        change.execute("DELETE FROM outbox WHERE done IS NOT NULL AND wall < ?1", params![before.0])?;
        let deliveries = now.0.saturating_sub_unsigned(DELIVERIES.0);
        change.execute("DELETE FROM deliveries WHERE wall < ?1", params![deliveries])?;
        change.execute("DELETE FROM requests WHERE wall < ?1", params![deliveries])?;
        change.commit()?;
        Ok(pruned)
    }

    /// Bytes in use, without the room that removed rows have left in the file.
    fn bytes(&self) -> Result<u64, StoreError> {
        let pragma = |name: &str| self.db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let pages = pragma("page_count")? - pragma("freelist_count")?;
        Ok(pages.unsigned_abs() * pragma("page_size")?.unsigned_abs())
    }
}
