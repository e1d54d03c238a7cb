//! The daemon and what it has written down.

use std::collections::BTreeMap;
use std::path::Path;

use wakeful_core::ids::Client;
use wakeful_core::time::{Now, Wall};

use super::finding::{Check, Finding};
use crate::daemon::{Files, holder};
use crate::spool::GuardRecord;
use crate::store::{Store, StoreError};

/// So many verdicts of the guard are counted; nobody has more in three days.
const VERDICTS: u32 = 1_000_000;

/// What the store says of the last days.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    /// When each client was last heard of.
    pub last_events: BTreeMap<Client, Now>,
    /// What the guard said that was no plain pass.
    pub guard: Vec<GuardRecord>,
    /// What SQLite finds wrong with the file.
    pub wrong: Vec<String>,
}

/// Reads the store of this state folder; `None` if there is none.
///
/// # Errors
/// When it is there and cannot be read.
pub(crate) fn recorded(state: &Path, since: Wall) -> Result<Option<Recorded>, StoreError> {
    let Some(store) = Store::read(state)? else { return Ok(None) };
    let mut recorded = Recorded { wrong: store.integrity()?, ..Recorded::default() };
    for kept in store.left(wakeful_clients::abilities::abilities)?.sessions {
        let (client, last) = (kept.session.key.client, kept.session.last_event);
        let newest = recorded.last_events.entry(client).or_insert(last);
        *newest = if last.wall > newest.wall { last } else { *newest };
    }
    let verdicts = store.guard_log(None, 0, VERDICTS)?;
    recorded.guard = verdicts.into_iter().filter(|row| row.wall >= since).map(|row| row.verdict).collect();
    Ok(Some(recorded))
}

/// Does it run, and is its store whole?
pub(crate) fn daemon(state: &Path, recorded: Result<Option<&Recorded>, String>) -> Finding {
    let files = Files::of(state);
    let wrong = match recorded {
        Err(error) => Some(error),
        Ok(Some(recorded)) if !recorded.wrong.is_empty() => Some(recorded.wrong.join("; ")),
        Ok(_) => None,
    };
    if let Some(wrong) = wrong {
        return Finding::broken(
            Check::Daemon,
            format!("its store is damaged or cannot be read: {wrong}"),
            "stop the daemon (`wakeful serve --stop`), keep a copy of wakeful.db, and start it again: it puts a damaged file aside",
        );
    }
    match holder(&files) {
        Some(holder) if files.hook_socket().exists() => Finding::ok(
            Check::Daemon,
            format!("runs as process {}, version {}; its store is whole", holder.pid, holder.version),
        ),
        Some(holder) => Finding::warn(
            Check::Daemon,
            format!("process {} runs and does not listen", holder.pid),
            "if this stays so, `wakeful serve --stop` and `wakeful serve` say more",
        ),
        None if files.stopped().exists() => Finding::warn(
            Check::Daemon,
            "stopped by you: events are kept in the spool, and nothing rings",
            "`wakeful serve` starts it again",
        ),
        None => {
            Finding::ok(Check::Daemon, "does not run; the next session start, turn end or dialog starts it")
        }
    }
}
