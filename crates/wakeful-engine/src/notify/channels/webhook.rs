//! An HTTP POST of JSON (docs/notifications.md).

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::http::post;
use crate::notify::ring::{Did, Ring};
use crate::notify::text::{Text, one_line};
use crate::settings::Content;

/// Version of the object.
const VERSION: u32 = 1;

/// What is sent.
#[derive(Debug, Serialize)]
struct Body<'a> {
    v: u32,
    id: &'a str,
    at: String,
    reason: &'a str,
    title: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    body: &'a str,
    session: Session<'a>,
}

#[derive(Debug, Serialize)]
struct Session<'a> {
    name: &'a str,
    /// The rest only with `notify.content = "full"`.
    #[serde(flatten)]
    more: Option<More<'a>>,
}

#[derive(Debug, Serialize)]
struct More<'a> {
    client: &'a str,
    id: &'a str,
    project: Option<String>,
}

/// Sends it.
pub fn ring(url: &str, ring: &Ring, text: &Text, limit: Duration) -> Did {
    match serde_json::to_vec(&body(ring, text)) {
        Ok(body) => post(url, &[("Content-Type", "application/json".to_owned())], &body, limit),
        Err(error) => Did::Failed(error.to_string()),
    }
}

fn body<'a>(ring: &'a Ring, text: &'a Text) -> Body<'a> {
    let key = &ring.session.key;
    let at = Timestamp::from_millisecond(ring.at.wall.0).unwrap_or(Timestamp::UNIX_EPOCH);
    let more = (ring.settings.content == Content::Full).then(|| More {
        client: key.client.name(),
        id: key.id.as_str(),
        project: ring.session.project.as_deref().map(one_line),
    });
    Body {
        v: VERSION,
        id: ring.id.as_str(),
        at: at.to_string(),
        reason: ring.reason.name(),
        title: &text.title,
        body: &text.body,
        session: Session { name: &text.session, more },
    }
}
