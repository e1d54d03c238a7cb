//! How the API says no: what, why, and what to do.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::daemon::Closed;
use crate::store::StoreError;

/// Why a request was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// The status, again.
    #[schema(example = 409)]
    pub status: u16,
    /// What was not done.
    pub what: String,
    /// Why.
    pub why: String,
    /// What to do.
    #[schema(required)]
    pub hint: Option<String>,
}

impl Problem {
    /// With this status.
    pub fn new(status: StatusCode, what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { status: status.as_u16(), what: what.into(), why: why.into(), hint: None }
    }

    /// And something to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn bad(why: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "the request cannot be understood", why)
            .hint("/v1/openapi.json says what may be asked")
    }

    pub(super) fn no_such(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("no such {what}"), "nothing is known of it")
    }

    pub(super) fn store(error: &StoreError) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the record could not be read", error.to_string())
            .hint("`wakeful doctor` says what is wrong")
    }
}

impl From<Closed> for Problem {
    fn from(closed: Closed) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "nothing was done", closed.to_string())
            .hint("try again with the same Idempotency-Key; `wakeful doctor` says what is wrong")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        // A problem is text and numbers; it can be written down.
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        response
    }
}
