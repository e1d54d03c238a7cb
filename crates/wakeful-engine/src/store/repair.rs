//! Repair: the last good snapshot of a session, and the recorded events after it.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Deserialize;
use wakeful_core::abilities::Abilities;
use wakeful_core::board::Stepped;
use wakeful_core::ids::{Client, SessionKey};
use wakeful_core::session::Session;
use wakeful_core::settings::Settings;
use wakeful_core::step::{Ctx, step};

use super::rows::checked;
use super::{Pos, StoreError};

/// A session that was made anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Which.
    pub session: SessionKey,
    /// The snapshot that it was made from; `None`: from the beginning of what the log has of it.
    pub from: Option<Pos>,
    /// How many recorded events followed.
    pub events: usize,
    /// Lines of the log that could not be read either.
    pub lost: usize,
}

/// A line of the log.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Stepped(Box<Stepped>),
    Settings { settings: Settings },
}

/// The session as the log has it, and the last line that it includes. `None` if nothing of it can be read.
pub(super) fn session(
    db: &Connection,
    key: &SessionKey,
    abilities: fn(Client) -> Abilities,
) -> Result<(Option<(Session, Pos)>, Repair), StoreError> {
    let name = key.to_string();
    let checkpoint: Option<(i64, i64, String)> = db
        .prepare_cached("SELECT pos, sum, body FROM checkpoints WHERE session = ?1")?
        .query_row([&name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let good = checkpoint.and_then(|(pos, sum, body)| Some((Pos(pos), checked::<Session>(&body, sum)?)));
    let from = good.as_ref().map(|(pos, _)| *pos);
    let mut repair = Repair { session: key.clone(), from, events: 0, lost: 0 };
    let mut last = from.unwrap_or_default();
    let mut session = good.map(|(_, session)| session);
    let mut settings = settings_before(db, last)?;
    let mut lines = db.prepare_cached(
        "SELECT pos, body FROM log WHERE pos > ?2 AND (session = ?1 OR session IS NULL) ORDER BY pos",
    )?;
    let rows = lines.query_map(params![name, last.0], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    for row in rows {
        let (pos, body) = row?;
        match serde_json::from_str(&body) {
            Ok(Line::Settings { settings: changed }) => settings = changed,
            Ok(Line::Stepped(stepped)) => {
                let before = session.take().unwrap_or_else(|| Session::new(key.clone(), stepped.now));
                let ctx = Ctx { now: stepped.now, settings: &settings, abilities: abilities(key.client) };
                session = Some(step(&ctx, before, &stepped.event).0);
                (last, repair.events) = (Pos(pos), repair.events + 1);
            }
            Err(_) => repair.lost += 1,
        }
    }
    Ok((session.map(|session| (session, last)), repair))
}

/// The settings that were in force at this place of the log.
fn settings_before(db: &Connection, pos: Pos) -> Result<Settings, StoreError> {
    let body: Option<String> = db
        .prepare_cached("SELECT body FROM log WHERE session IS NULL AND pos <= ?1 ORDER BY pos DESC LIMIT 1")?
        .query_row([pos.0], |row| row.get(0))
        .optional()?;
    Ok(match body.and_then(|body| serde_json::from_str(&body).ok()) {
        Some(Line::Settings { settings }) => settings,
        _ => Settings::default(),
    })
}
