//! The OpenAPI document: served, and checked in as docs/openapi.json.

use axum::Json;
use axum::response::{IntoResponse, Response};
use utoipa::OpenApi;

use super::{actions, events, hook, record, sessions};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Wakeful",
        version = "1",
        description = "Which of your coding agents need you, and which are only waiting. On a Unix socket of the user's own, and on a loopback port with a bearer token where the settings name one.",
        license(name = "MIT OR Apache-2.0")
    ),
    paths(
        sessions::health,
        sessions::sessions,
        sessions::session,
        actions::act,
        events::events,
        record::log,
        record::decisions,
        record::one_decision,
        record::guard,
        hook::hook,
        openapi,
    )
)]
struct Document;

/// The document as JSON, indented, with an end of line.
pub fn document() -> String {
    let text = Document::openapi().to_pretty_json();
    text.unwrap_or_default() + "\n" // it is made of texts and maps; it can be written down
}

/// This document
#[utoipa::path(get, path = "/v1/openapi.json", responses((status = 200, body = Object)))]
pub(super) async fn openapi() -> Response {
    Json(Document::openapi()).into_response()
}
