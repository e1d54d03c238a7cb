//! The record: the log, the decisions, the guard's verdicts (spec 70, "Audit").

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;
use wakeful_core::decision::Evidence;
use wakeful_core::effect::Effect;
use wakeful_core::event::Event;

use super::query::Page;
use super::{Api, Problem};
use crate::shown::{DecisionJson, decision, instant, notified, wall, what};
use crate::store::{DecisionRow, GuardRow, LogRow};

/// A page of the log.
#[derive(Serialize, ToSchema)]
pub(super) struct Log<'a> {
    /// Oldest first.
    lines: Vec<Line<'a>>,
}

/// A line of the log.
#[derive(Serialize, ToSchema)]
#[schema(as = LogLine)]
pub(super) struct Line<'a> {
    /// Its place.
    pos: i64,
    /// When.
    #[schema(required, format = DateTime)]
    at: Option<String>,
    /// In which session (`client/id`); `null` where settings came into force.
    #[schema(required)]
    session: Option<String>,
    /// What happened, for people; `null` of what only the ledger needs to know.
    #[schema(required)]
    what: Option<String>,
    /// The decision that it led to.
    #[schema(required)]
    decision: Option<DecisionJson<'a>>,
    /// The reason that rang.
    #[schema(required)]
    notified: Option<&'static str>,
    /// The event as it is recorded; its form may change with the version.
    #[schema(required, value_type = Option<Object>)]
    event: Option<&'a Event>,
    /// What was to be done about it; its form may change with the version.
    #[schema(value_type = Vec<Object>)]
    effects: &'a [Effect],
}

impl<'a> Line<'a> {
    fn of(row: &'a LogRow) -> Self {
        let stepped = row.stepped.as_ref();
        let effects = stepped.map(|stepped| stepped.effects.as_slice()).unwrap_or_default();
        Self {
            pos: row.pos.0,
            at: stepped.and_then(|stepped| instant(stepped.now)),
            session: stepped.map(|stepped| stepped.event.session.to_string()),
            what: stepped.and_then(|stepped| what(&stepped.event)),
            decision: decision(effects).map(DecisionJson::of),
            notified: notified(effects),
            event: stepped.map(|stepped| &stepped.event),
            effects,
        }
    }
}

/// The log
#[utoipa::path(get, path = "/v1/log", params(Page),
    responses((status = 200, body = Log), (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn log(
    State(api): State<Arc<Api>>,
    page: Result<Query<Page>, QueryRejection>,
) -> Result<Response, Problem> {
    let asked = Page::asked(page)?;
    let rows = api
        .read(move |store| store.log(asked.session.as_ref(), crate::store::Pos(asked.after), asked.limit))
        .await?
        .unwrap_or_default();
    Ok(Json(Log { lines: rows.iter().map(Line::of).collect() }).into_response())
}

/// A page of the decisions.
#[derive(Serialize, ToSchema)]
pub(super) struct Decisions<'a> {
    /// Oldest first.
    decisions: Vec<Decided<'a>>,
}

/// A decision of the record.
#[derive(Serialize, ToSchema)]
#[schema(as = DecisionRecord)]
pub(super) struct Decided<'a> {
    /// Names it for good.
    id: i64,
    /// The line of the log that it belongs to.
    pos: i64,
    /// In which session: `client/id`.
    session: String,
    #[serde(flatten)]
    decision: DecisionJson<'a>,
    /// What it rested on; its form may change with the version.
    #[schema(value_type = Object)]
    evidence: &'a Evidence,
}

impl<'a> Decided<'a> {
    fn of(row: &'a DecisionRow) -> Self {
        Self {
            id: row.id,
            pos: row.pos.0,
            session: row.session.to_string(),
            decision: DecisionJson::of(&row.decision),
            evidence: &row.decision.evidence,
        }
    }
}

/// The decisions
#[utoipa::path(get, path = "/v1/decisions", params(Page),
    responses((status = 200, body = Decisions), (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn decisions(
    State(api): State<Arc<Api>>,
    page: Result<Query<Page>, QueryRejection>,
) -> Result<Response, Problem> {
    let asked = Page::asked(page)?;
    let rows = api
        .read(move |store| store.decisions(asked.session.as_ref(), asked.after, asked.limit))
        .await?
        .unwrap_or_default();
    Ok(Json(Decisions { decisions: rows.iter().map(Decided::of).collect() }).into_response())
}

/// One decision
#[utoipa::path(get, path = "/v1/decisions/{id}", params(("id" = i64, Path, description = "Names the decision.")),
    responses((status = 200, body = Decided), (status = 404, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn one_decision(
    State(api): State<Arc<Api>>,
    path: Result<Path<i64>, PathRejection>,
) -> Result<Response, Problem> {
    let Path(id) = path.map_err(|error| Problem::bad(error.body_text()))?;
    let rows = api.read(move |store| store.decisions(None, id.saturating_sub(1), 1)).await?;
    let row = rows.into_iter().flatten().find(|row| row.id == id);
    let row = row.ok_or_else(|| Problem::no_such("decision"))?;
    Ok(Json(Decided::of(&row)).into_response())
}

/// A page of what the guard said.
#[derive(Serialize, ToSchema)]
#[schema(as = Guard)]
pub(super) struct Guarded<'a> {
    /// Oldest first; plain passes are not recorded.
    verdicts: Vec<Verdict<'a>>,
}

/// A verdict of the guard.
#[derive(Serialize, ToSchema)]
#[schema(as = GuardVerdict)]
pub(super) struct Verdict<'a> {
    /// Names it for good.
    id: i64,
    /// When.
    #[schema(required, format = DateTime)]
    at: Option<String>,
    /// In which session, where it could be told: `client/id`.
    #[schema(required)]
    session: Option<String>,
    /// `deny`, `warn`, `allowed`, `undecided`.
    verdict: &'a str,
    /// The rule.
    #[schema(required)]
    rule: Option<String>,
    /// The offending words.
    #[schema(required)]
    words: Option<&'a str>,
    /// The pattern that allowed it.
    #[schema(required)]
    allowed_by: Option<&'a str>,
}

impl<'a> Verdict<'a> {
    fn of(row: &'a GuardRow) -> Self {
        Self {
            id: row.id,
            at: wall(row.wall),
            session: row.session.as_ref().map(ToString::to_string),
            verdict: &row.verdict.verdict,
            rule: row.verdict.rule.as_ref().map(ToString::to_string),
            words: row.verdict.words.as_deref(),
            allowed_by: row.verdict.allowed_by.as_deref(),
        }
    }
}

/// What the guard said
#[utoipa::path(get, path = "/v1/guard", params(Page),
    responses((status = 200, body = Guarded), (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn guard(
    State(api): State<Arc<Api>>,
    page: Result<Query<Page>, QueryRejection>,
) -> Result<Response, Problem> {
    let asked = Page::asked(page)?;
    let rows =
        api.read(move |store| store.guard_log(asked.session.as_ref(), asked.after, asked.limit)).await?;
    let rows = rows.unwrap_or_default();
    Ok(Json(Guarded { verdicts: rows.iter().map(Verdict::of).collect() }).into_response())
}
