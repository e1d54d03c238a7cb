//! What a request names: sessions, places in the record, how much of it.

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query};
use serde::Deserialize;
use utoipa::IntoParams;
use wakeful_core::ids::{Client, SessionId, SessionKey};

use super::Problem;

/// Lines of a page if the request does not say.
const PAGE: u32 = 100;
/// The most lines of a page: some hundred kilobytes.
const LONGEST_PAGE: u32 = 1000;

/// Which part of a record.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Page {
    /// Only what comes after this one; the last of a page gives the next page.
    after: Option<i64>,
    /// Only this session: `client/id`.
    session: Option<String>,
    /// At most so many, 1 to 1000; 100 if it is not given.
    limit: Option<u32>,
}

/// A [`Page`] that makes sense.
pub(super) struct Asked {
    pub after: i64,
    pub session: Option<SessionKey>,
    pub limit: u32,
}

impl Page {
    pub(super) fn asked(page: Result<Query<Self>, QueryRejection>) -> Result<Asked, Problem> {
        let Query(page) = page.map_err(|error| Problem::bad(error.body_text()))?;
        let limit = page.limit.unwrap_or(PAGE);
        if !(1..=LONGEST_PAGE).contains(&limit) {
            return Err(Problem::bad(format!("limit must be 1 to {LONGEST_PAGE}, not {limit}")));
        }
        let session = page.session.map(|name| {
            SessionKey::parse(&name)
                .ok_or_else(|| Problem::bad(format!("session must be client/id, not {name:?}")))
        });
        Ok(Asked { after: page.after.unwrap_or(0), session: session.transpose()?, limit })
    }
}

/// The session that a path names.
pub(super) type Named = Result<Path<(String, String)>, PathRejection>;

pub(super) fn named(path: Named) -> Result<SessionKey, Problem> {
    let Path((client, id)) = path.map_err(|error| Problem::bad(error.body_text()))?;
    let client = Client::from_name(&client).ok_or_else(|| Problem::no_such("client"))?;
    Ok(SessionKey { client, id: SessionId::new(id) })
}

/// Which sessions.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// Also those that ended more than an hour ago.
    #[serde(default)]
    pub all: bool,
    /// Events only: as the header `Last-Event-ID`, for who cannot set one.
    pub after: Option<i64>,
}

impl Which {
    pub(super) fn asked(which: Result<Query<Self>, QueryRejection>) -> Result<Self, Problem> {
        which.map(|Query(which)| which).map_err(|error| Problem::bad(error.body_text()))
    }
}
