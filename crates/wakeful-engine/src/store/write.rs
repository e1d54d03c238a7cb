//! One batch, one transaction: the lines of the log, the sessions as they stand after them, and what is to be done.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use wakeful_clients::{ClientState, Unknowns};
use wakeful_core::board::{Clearings, Stepped};
use wakeful_core::effect::Effect;
use wakeful_core::ids::SessionKey;
use wakeful_core::session::Session;
use wakeful_core::settings::Settings;
use wakeful_core::time::Now;

use super::outbox::{self, Errand, OutboxRow};
use super::rows::{json, sum};
use super::{Pos, Store, StoreError};
use crate::spool::{DeliveryId, GuardRecord};

/// A session has a checkpoint at most this many lines of the log back: repair steps so many again, some milliseconds.
const CHECKPOINT_EVERY: i64 = 256;

/// What has happened since the last commit.
#[derive(Default)]
pub struct Batch<'a> {
    /// Events with what followed, in order.
    pub stepped: Vec<Stepped>,
    /// The sessions that they concern, as they stand now.
    pub sessions: BTreeMap<SessionKey, (&'a Session, ShownAt)>,
    /// Deliveries that were taken.
    pub deliveries: Vec<(DeliveryId, Now)>,
    /// What the guard said.
    pub guard: Vec<GuardVerdictRow>,
    /// Settings that came into force, in order.
    pub settings: Vec<SettingsChange>,
    /// User requests that were answered, by their idempotency keys.
    pub requests: Vec<(String, Now, String)>,
    /// How far files of the spool have been taken, in bytes.
    pub spool: BTreeMap<String, u64>,
    /// What is remembered between payloads, if it has changed.
    pub said: Option<&'a ClientState>,
    /// What is under way between sessions, if it has changed.
    pub clearings: Option<&'a Clearings>,
    /// Unknown events and fields, if there are new ones.
    pub unknowns: Option<&'a Unknowns>,
    /// The last instant that everything above is true of.
    pub now: Now,
}

/// Settings that came into force.
#[derive(Debug, Clone)]
pub struct SettingsChange {
    /// Before this one of [`Batch::stepped`]; as many as there are: after all of them.
    pub before: usize,
    /// When.
    pub now: Now,
    /// Which.
    pub settings: Settings,
}

/// When what people see of a session last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownAt {
    /// In this batch.
    Now,
    /// At this place of the log.
    At(Pos),
}

/// What the guard said about a command.
#[derive(Debug, Clone)]
pub struct GuardVerdictRow {
    /// When.
    pub now: Now,
    /// In which session, where it could be told.
    pub session: Option<SessionKey>,
    /// What.
    pub record: GuardRecord,
}

impl Store {
    /// Commits a batch: all of it, or nothing. Gives the errands that are to be done now, and the last place in the log.
    ///
    /// # Errors
    /// When the file cannot be written; nothing of the batch is in it then.
    pub fn commit(&mut self, batch: &Batch<'_>) -> Result<(Pos, Vec<OutboxRow>), StoreError> {
        let change = self.db.transaction()?;
        let mut errands = Vec::new();
        let mut last = Pos::default();
        let mut settings = batch.settings.iter().peekable();
        for at in 0..=batch.stepped.len() {
            while let Some(changed) = settings.next_if(|changed| changed.before <= at) {
                last = settings_line(&change, changed)?;
            }
            let Some(stepped) = batch.stepped.get(at) else { break };
            let session = &stepped.event.session;
            last = log(&change, stepped.now, Some(session), &json(stepped)?)?;
            for effect in &stepped.effects {
                errands.extend(project(&change, last, stepped, effect)?);
            }
        }
        for (key, (session, shown)) in &batch.sessions {
            snapshot(&change, key, session, last, *shown)?;
        }
        for (id, at) in &batch.deliveries {
            change
                .prepare_cached("INSERT OR IGNORE INTO deliveries (id, wall) VALUES (?1, ?2)")?
                .execute(params![id.0, at.wall.0])?;
        }
        for row in &batch.guard {
            let session = row.session.as_ref().map(ToString::to_string);
            let rule = row.record.rule.map(|rule| rule.to_string());
            change
                .prepare_cached(
                    "INSERT INTO guard (wall, session, verdict, rule, body) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![row.now.wall.0, session, row.record.verdict, rule, json(&row.record)?])?;
        }
        for (key, now, body) in &batch.requests {
            change
                .prepare_cached("INSERT OR REPLACE INTO requests (key, wall, body) VALUES (?1, ?2, ?3)")?
                .execute(params![key, now.wall.0, body])?;
        }
        for (file, taken) in &batch.spool {
            change
                .prepare_cached("INSERT OR REPLACE INTO spool (file, taken) VALUES (?1, ?2)")?
                .execute(params![file, i64::try_from(*taken).unwrap_or(i64::MAX)])?;
        }
        if let Some(said) = batch.said {
            meta(&change, "said", &json(said)?)?;
        }
        if let Some(clearings) = batch.clearings {
            meta(&change, "clearings", &json(clearings)?)?;
        }
        if let Some(unknowns) = batch.unknowns {
            meta(&change, "unknowns", &json(unknowns)?)?;
        }
        meta(&change, "now", &json(&batch.now)?)?;
        change.commit()?;
        Ok((last, errands))
    }
}

/// A line of the log that says which settings hold from there on.
#[derive(serde::Serialize)]
struct SettingsLine<'a> {
    now: Now,
    settings: &'a Settings,
}

fn settings_line(
    db: &Connection,
    SettingsChange { now, settings, .. }: &SettingsChange,
) -> Result<Pos, StoreError> {
    meta(db, "settings", &json(settings)?)?;
    log(db, *now, None, &json(&SettingsLine { now: *now, settings })?)
}

fn log(db: &Connection, now: Now, session: Option<&SessionKey>, body: &str) -> Result<Pos, StoreError> {
    db.prepare_cached("INSERT INTO log (wall, session, body) VALUES (?1, ?2, ?3)")?.execute(params![
        now.wall.0,
        session.map(ToString::to_string),
        body
    ])?;
    Ok(Pos(db.last_insert_rowid()))
}

fn meta(db: &Connection, key: &str, body: &str) -> Result<(), StoreError> {
    db.prepare_cached("INSERT OR REPLACE INTO meta (key, body) VALUES (?1, ?2)")?.execute([key, body])?;
    Ok(())
}

/// What of an effect stands in a table of its own.
fn project(
    db: &Connection,
    pos: Pos,
    stepped: &Stepped,
    effect: &Effect,
) -> Result<Option<OutboxRow>, StoreError> {
    let (wall, session) = (stepped.now.wall, &stepped.event.session);
    let errand = match effect {
        Effect::Notify(edge) => Errand::Notify(edge.clone()),
        Effect::Send(message) => Errand::Send(message.clone()),
        Effect::Decide(decision) => {
            let rule = decision.rule.as_ref().map(|rule| rule.as_str());
            db.prepare_cached(
                "INSERT INTO decisions (pos, wall, session, gate, rule, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                pos.0,
                wall.0,
                session.to_string(),
                decision.gate.name(),
                rule,
                json(decision)?
            ])?;
            return Ok(None);
        }
        Effect::Arm(_)
        | Effect::Cancel { .. }
        | Effect::Publish { .. }
        | Effect::HandOver(_)
        | Effect::Conflict { .. } => return Ok(None),
    };
    outbox::put(db, pos, wall, session, &errand).map(Some)
}

fn snapshot(
    db: &Connection,
    key: &SessionKey,
    session: &Session,
    pos: Pos,
    shown: ShownAt,
) -> Result<(), StoreError> {
    let (key, body) = (key.to_string(), json(session)?);
    let (sum, shown) = (sum(&body), if let ShownAt::At(at) = shown { at } else { pos });
    db.prepare_cached(
        "INSERT OR REPLACE INTO snapshots (session, pos, shown, sum, body) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![key, pos.0, shown.0, sum, body])?;
    let checkpoint: Option<i64> = db
        .prepare_cached("SELECT max(pos) FROM checkpoints WHERE session = ?1")?
        .query_row([&key], |row| row.get(0))?;
    if checkpoint.is_none_or(|at| pos.0 - at >= CHECKPOINT_EVERY) {
        db.prepare_cached(
            "INSERT OR REPLACE INTO checkpoints (session, pos, sum, body) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![key, pos.0, sum, body])?;
    }
    db.prepare_cached("DELETE FROM timers WHERE session = ?1")?.execute([&key])?;
    for timer in session.timers.iter() {
        let kind = json(&timer.kind)?;
        db.prepare_cached("INSERT INTO timers (session, kind, deadline, body) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![key, kind.trim_matches('"'), timer.deadline.0, json(timer)?])?;
    }
    Ok(())
}
