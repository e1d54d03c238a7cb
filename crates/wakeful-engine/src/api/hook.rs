//! Events of hooks by HTTP: the same envelope that the hook socket takes.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Api, Problem, body};
use crate::engine::Outcome;
use crate::spool::{Envelope, VERSION};

/// The longest delivery id; a ULID has 26 characters.
const LONGEST_ID: usize = 64;

/// It is in the log.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Heard {
    /// `taken`; `again` where it had been taken before; `unread` where it was counted and says nothing to this version.
    outcome: &'static str,
}

/// Hand over what a hook was told
#[utoipa::path(post, path = "/v1/hook",
    request_body(content = Object, description = "An envelope as the spool has it: `v`, `id`, `client`, `at`, `payload` and more."),
    responses(
        (status = 200, description = "It is in the log.", body = Heard),
        (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 413, body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "It is not.", body = Problem, content_type = "application/problem+json"),
    ))]
pub(super) async fn hook(State(api): State<Arc<Api>>, request: Request<Body>) -> Result<Response, Problem> {
    let envelope: Envelope = body::read(request, body::OF_HOOK).await?;
    if envelope.v != VERSION {
        return Err(Problem::bad(format!("the envelope is of version {}, not {VERSION}", envelope.v)));
    }
    if !(1..=LONGEST_ID).contains(&envelope.id.0.len()) {
        return Err(Problem::bad(format!("a delivery id has 1 to {LONGEST_ID} characters")));
    }
    let outcome = match api.backend.hook(envelope).await? {
        Outcome::Taken => "taken",
        Outcome::Again => "again",
        Outcome::Unread | Outcome::Conflict { .. } | Outcome::NoSession => "unread",
    };
    Ok(Json(Heard { outcome }).into_response())
}
