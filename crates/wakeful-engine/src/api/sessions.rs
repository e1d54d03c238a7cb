//! The sessions, all or one, and how the daemon is.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State, rejection::QueryRejection};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::query::{Named, Which, named};
use super::{Api, Problem};
use crate::daemon::Published;
use crate::live::{HISTORY, Moment};
use crate::shown::{MomentJson, Prefixes, SessionJson, Shown, in_order, instant};

/// How the daemon is.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// Version of the program that runs as the daemon.
    version: &'static str,
    /// Its process.
    pid: u32,
    /// The end of the log.
    pos: i64,
    /// What is wrong, for people.
    problems: Vec<String>,
}

/// How the daemon is
#[utoipa::path(get, path = "/v1/health", responses((status = 200, body = Health)))]
pub(super) async fn health(State(api): State<Arc<Api>>) -> Response {
    let published = api.backend.published().await;
    let health = Health {
        version: api.version,
        pid: std::process::id(),
        pos: published.pos.0,
        problems: published.problems.clone(),
    };
    Json(health).into_response()
}

/// The sessions of this machine.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Sessions<'a> {
    /// As of when.
    #[schema(required, format = DateTime)]
    now: Option<String>,
    /// The end of the log: where events go on from.
    pos: i64,
    /// Section by section, the newest first.
    sessions: Vec<SessionJson<'a>>,
}

/// The sessions of this machine
#[utoipa::path(get, path = "/v1/sessions", params(("all" = Option<bool>, Query, description = "Also those that ended more than an hour ago.")),
    responses((status = 200, body = Sessions), (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn sessions(
    State(api): State<Arc<Api>>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Problem> {
    let which = Which::asked(which)?;
    let published = api.backend.published().await;
    let all: Vec<Shown<'_>> =
        shown(&published).into_iter().filter(|shown| which.all || !shown.long_ended(published.now)).collect();
    let sessions = Sessions {
        now: instant(published.now),
        pos: published.pos.0,
        sessions: all.iter().map(SessionJson::of).collect(),
    };
    Ok(Json(sessions).into_response())
}

/// One session.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Detailed<'a> {
    /// As of when.
    #[schema(required, format = DateTime)]
    now: Option<String>,
    /// The session.
    session: SessionJson<'a>,
    /// What happened in it, oldest first.
    timeline: Vec<MomentJson<'a>>,
}

/// One session with its timeline
#[utoipa::path(get, path = "/v1/sessions/{client}/{id}",
    params(("client" = String, Path, description = "The client."), ("id" = String, Path, description = "Its id of the session.")),
    responses((status = 200, body = Detailed), (status = 404, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn session(State(api): State<Arc<Api>>, path: Named) -> Result<Response, Problem> {
    let key = named(path)?;
    let published = api.backend.published().await;
    let found = shown(&published).into_iter().find(|shown| shown.session.key == key);
    let session = found.ok_or_else(|| Problem::no_such("session"))?;
    let asked = key.clone();
    let rows = api.read(move |store| store.history(&asked, HISTORY)).await?.unwrap_or_default();
    let moments: Vec<Moment> = rows.into_iter().filter_map(Moment::of_log).collect();
    let detailed = Detailed {
        now: instant(published.now),
        session: SessionJson::of(&session),
        timeline: moments.iter().filter_map(MomentJson::of).collect(),
    };
    Ok(Json(detailed).into_response())
}

/// The sessions in the order of the list.
pub(super) fn shown(published: &Published) -> Vec<Shown<'_>> {
    let prefixes = prefixes(published);
    let mut all: Vec<Shown<'_>> = published
        .sessions
        .iter()
        .map(|kept| Shown::of(&kept.session, Some(kept.revision), published.now, &prefixes))
        .collect();
    in_order(&mut all);
    all
}

pub(super) fn prefixes(published: &Published) -> Prefixes<'_> {
    Prefixes::new(published.sessions.iter().map(|kept| kept.session.key.id.as_str()))
}
