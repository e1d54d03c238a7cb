//! Reading the body of a request: JSON, up to a limit, within a time.

use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Request, StatusCode};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::Problem;

/// The longest user action: a reply is a message that somebody has typed or pasted.
pub(super) const OF_ACTION: usize = 1024 * 1024;
/// The longest event of a hook. Its payload is shortened before (C1), so real ones are far below.
pub(super) const OF_HOOK: usize = 8 * 1024 * 1024;
/// Who sends a body sends it at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// The value in the body of this request.
pub(super) async fn read<T: DeserializeOwned>(request: Request<Body>, most: usize) -> Result<T, Problem> {
    if !says_json(request.headers()) {
        // A form of a web page cannot say this without being asked about first.
        let problem = Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body was not read",
            "it does not say that it is JSON",
        );
        return Err(problem.hint("send Content-Type: application/json"));
    }
    // One that says how long it is need not be waited for.
    if request.body().size_hint().lower() > most as u64 {
        return Err(too_long(most));
    }
    let bytes = match timeout(PATIENCE, to_bytes(request.into_body(), most)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) if is_too_long(&error) => return Err(too_long(most)),
        Ok(Err(error)) => return Err(Problem::bad(format!("the body broke off: {error}"))),
        Err(_) => {
            let why = format!("it was not all here after {} s", PATIENCE.as_secs());
            return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "the body was not read", why));
        }
    };
    serde_json::from_slice(&bytes).map_err(|error| Problem::bad(format!("the body: {error}")))
}

fn too_long(most: usize) -> Problem {
    let why = format!("it is longer than {most} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "the body was not read", why)
}

fn is_too_long(error: &axum::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.is::<http_body_util::LengthLimitError>() {
            return true;
        }
        cause = error.source();
    }
    false
}

fn says_json(headers: &HeaderMap) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|said| said.to_str().ok()).unwrap_or_default();
    said.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}
