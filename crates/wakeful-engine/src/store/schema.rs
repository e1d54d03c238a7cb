//! The tables, and how an older file becomes one of today.

use rusqlite::Connection;

use super::StoreError;

/// Version of the format, kept in SQLite's `user_version`.
pub const VERSION: u32 = 1;

/// One script a version: the first makes version 1 of an empty file, the next makes 2 of 1, and so on.
const MIGRATIONS: [&str; VERSION as usize] = [V1];

const V1: &str = "
CREATE TABLE log (
  pos INTEGER PRIMARY KEY AUTOINCREMENT,
  wall INTEGER NOT NULL,
  session TEXT,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX log_session ON log (session, pos);
CREATE TABLE deliveries (id TEXT PRIMARY KEY, wall INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (
  session TEXT PRIMARY KEY,
  pos INTEGER NOT NULL,
  shown INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX snapshots_pos ON snapshots (pos);
CREATE TABLE checkpoints (
  session TEXT PRIMARY KEY,
  pos INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE timers (
  session TEXT NOT NULL,
  kind TEXT NOT NULL,
  deadline INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (session, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE decisions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pos INTEGER NOT NULL,
  wall INTEGER NOT NULL,
  session TEXT NOT NULL,
  gate TEXT NOT NULL,
  rule TEXT,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX decisions_session ON decisions (session, id);
CREATE TABLE guard (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  wall INTEGER NOT NULL,
  session TEXT,
  verdict TEXT NOT NULL,
  rule TEXT,
  body TEXT NOT NULL
) STRICT;
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pos INTEGER NOT NULL,
  wall INTEGER NOT NULL,
  session TEXT NOT NULL,
  body TEXT NOT NULL,
  done INTEGER,
  note TEXT
) STRICT;
CREATE INDEX outbox_open ON outbox (id) WHERE done IS NULL;
CREATE TABLE requests (key TEXT PRIMARY KEY, wall INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE spool (file TEXT PRIMARY KEY, taken INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
";

/// The version of the file.
pub(super) fn version(db: &Connection) -> Result<u32, StoreError> {
    Ok(db.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Brings the file to [`VERSION`], each step whole or not at all.
pub(super) fn migrate(db: &mut Connection) -> Result<(), StoreError> {
    for (done, script) in (0..).zip(MIGRATIONS).skip(version(db)? as usize) {
        let change = db.transaction()?;
        change.execute_batch(script)?;
        change.pragma_update(None, "user_version", done + 1)?;
        change.commit()?;
    }
    Ok(())
}
