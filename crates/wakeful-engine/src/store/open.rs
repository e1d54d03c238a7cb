//! Opening the store: by the daemon, which writes it, and by commands, which only read.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use wakeful_core::time::Now;

use super::{StoreError, schema};

/// Name of the file in the state folder.
pub const FILE_NAME: &str = "wakeful.db";

/// A reader holds up a writer for as long as one page takes, and the other way round; this is far more.
const BUSY: Duration = Duration::from_secs(2);

/// The store.
pub struct Store {
    pub(super) db: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens the store in this state folder for writing; makes it, or brings it to today's version. The caller holds the lock of
    /// the daemon: there is one writer.
    ///
    /// # Errors
    /// [`StoreError::Newer`] for a file of a newer version, which is left as it is; damage ([`StoreError::is_damage`]) that was
    /// found on opening.
    pub fn open(state: &Path) -> Result<Self, StoreError> {
        use std::os::unix::fs::DirBuilderExt as _;
        let file = |error| StoreError::File { path: state.to_owned(), error };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(state).map_err(file)?;
        let path = state.join(FILE_NAME);
        let made = !path.exists();
        let db = Connection::open(&path)?;
        if made {
            use std::os::unix::fs::PermissionsExt as _;
            // Before anything stands in it. SQLite gives its side files the rights of the file itself.
            let private = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(&path, private)
                .map_err(|error| StoreError::File { path: path.clone(), error })?;
        }
        Self::prepare(db, path)
    }

    /// Puts a damaged file aside, with its side files; gives its new name.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn put_aside(state: &Path, now: Now) -> Result<PathBuf, StoreError> {
        let aside = state.join(format!("{FILE_NAME}.damaged-{}", now.wall.0));
        for side in ["", "-wal", "-shm"] {
            let (from, to) = (with(&state.join(FILE_NAME), side), with(&aside, side));
            match std::fs::rename(&from, &to) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StoreError::File { path: from, error });
                }
                _ => {}
            }
        }
        Ok(aside)
    }

    /// A store that lives in memory only, for simulations.
    ///
    /// # Errors
    /// When SQLite cannot make one.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::prepare(Connection::open_in_memory()?, PathBuf::from(":memory:"))
    }

    /// Opens the store in this state folder for reading; `None` if there is none yet.
    ///
    /// # Errors
    /// As [`Store::open`]; an older file is not migrated, and cannot be read before the daemon has done so.
    pub fn read(state: &Path) -> Result<Option<Self>, StoreError> {
        let path = state.join(FILE_NAME);
        if !path.exists() {
            return Ok(None);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&path, flags)?;
        db.busy_timeout(BUSY)?;
        let found = schema::version(&db)?;
        refuse_newer(&path, found)?;
        Ok((found == schema::VERSION).then_some(Self { db, path }))
    }

    fn prepare(mut db: Connection, path: PathBuf) -> Result<Self, StoreError> {
        db.busy_timeout(BUSY)?;
        refuse_newer(&path, schema::version(&db)?)?;
        // A commit survives the death of the process (C1), and a whole file that of the machine; its last seconds may not.
        db.pragma_update(None, "journal_mode", "WAL")?;
        db.pragma_update(None, "synchronous", "NORMAL")?;
        schema::migrate(&mut db)?;
        db.set_prepared_statement_cache_capacity(64);
        Ok(Self { db, path })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Changes whenever another connection has committed.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        Ok(self.db.pragma_query_value(None, "data_version", |row| row.get(0))?)
    }

    /// What SQLite finds wrong with the file; empty if nothing.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn integrity(&self) -> Result<Vec<String>, StoreError> {
        let mut check = self.db.prepare("PRAGMA quick_check(20)")?;
        let lines = check.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }
}

fn with(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn refuse_newer(path: &Path, found: u32) -> Result<(), StoreError> {
    if found > schema::VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, ours: schema::VERSION });
    }
    Ok(())
}
