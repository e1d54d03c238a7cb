//! What the user does (spec 30, "User actions").

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wakeful_core::event::UserAction;
use wakeful_core::ids::TaskId;

use super::query::{Named, named};
use super::{Api, Problem, body};
use crate::engine::{Act, Outcome};
use crate::store::Pos;

/// The header that tells a repeated request from a new one.
pub(super) const KEY: &str = "idempotency-key";
/// The longest such key: a UUID has 36 characters, and it is kept with the answer.
const LONGEST_KEY: usize = 128;
/// The longest snooze, in minutes: four weeks; who wants longer wants *Done*.
const LONGEST_SNOOZE: u32 = 4 * 7 * 24 * 60;

/// A user action, and what the user saw.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Action {
    /// What to do.
    action: Name,
    /// The `revision` of the session as the user saw it.
    revision: i64,
    /// Of `snooze`: how long, 1 to 40320.
    minutes: Option<u32>,
    /// Of `stop_waiting`: the one task; without it, all of them.
    task: Option<String>,
    /// Of `reply`: the message.
    text: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Name {
    Reply,
    KeepWaiting,
    CheckIn,
    Done,
    Snooze,
    StopWaiting,
    Stop,
}

/// It is in the log.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Acted {
    /// `taken`, or `again` where it had been done before.
    outcome: &'static str,
}

impl Action {
    fn of(self) -> Result<(UserAction, Pos), Problem> {
        let Self { action, revision, minutes, task, text } = self;
        let only = |given: bool, field: &str, owner: Name, with: &str| match given && action != owner {
            true => Err(Problem::bad(format!("`{field}` goes with `{with}` only"))),
            false => Ok(()),
        };
        only(minutes.is_some(), "minutes", Name::Snooze, "snooze")?;
        only(task.is_some(), "task", Name::StopWaiting, "stop_waiting")?;
        only(text.is_some(), "text", Name::Reply, "reply")?;
        let action = match action {
            Name::Reply => match text.filter(|text| !text.trim().is_empty()) {
                Some(text) => UserAction::Reply { text },
                None => return Err(Problem::bad("`reply` needs a `text`")),
            },
            Name::KeepWaiting => UserAction::KeepWaiting,
            Name::CheckIn => UserAction::CheckIn,
            Name::Done => UserAction::Done,
            Name::Snooze => match minutes.filter(|minutes| (1..=LONGEST_SNOOZE).contains(minutes)) {
                Some(minutes) => UserAction::Snooze { minutes },
                None => {
                    return Err(Problem::bad(format!("`snooze` needs `minutes`, 1 to {LONGEST_SNOOZE}")));
                }
            },
            Name::StopWaiting => UserAction::StopWaiting { task: task.map(TaskId::new) },
            Name::Stop => UserAction::Stop,
        };
        Ok((action, Pos(revision)))
    }
}

/// The key of the request: visible ASCII, not too long.
fn key(headers: &HeaderMap) -> Result<String, Problem> {
    let mut keys = headers.get_all(KEY).iter();
    let (Some(key), None) = (keys.next(), keys.next()) else {
        return Err(Problem::bad("a request that changes something carries one Idempotency-Key")
            .hint("send a new random one with every new request, and the same one with every retry"));
    };
    let key = key.to_str().ok().filter(|key| {
        (1..=LONGEST_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
    });
    key.map(str::to_owned).ok_or_else(|| {
        Problem::bad(format!("an Idempotency-Key has 1 to {LONGEST_KEY} visible ASCII characters"))
    })
}

/// Act on a session
///
/// The same key again is the same request again, and is answered as the first one was; also a conflict.
#[utoipa::path(post, path = "/v1/sessions/{client}/{id}/actions",
    params(
        ("client" = String, Path, description = "The client."),
        ("id" = String, Path, description = "Its id of the session."),
        ("Idempotency-Key" = String, Header, description = "New with every request, the same with every retry of it."),
    ),
    request_body = Action,
    responses(
        (status = 200, body = Acted),
        (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The session has moved on; nothing was done.", body = Problem, content_type = "application/problem+json"),
        (status = 413, body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "It could not be written down, and has not happened.", body = Problem, content_type = "application/problem+json"),
    ))]
pub(super) async fn act(
    State(api): State<Arc<Api>>,
    path: Named,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let session = named(path)?;
    let key = key(request.headers())?;
    let (action, seen) = body::read::<Action>(request, body::OF_ACTION).await?.of()?;
    let act = Act { session, action, seen: Some(seen), key: Some(key) };
    match api.backend.act(act).await? {
        Outcome::Taken => Ok(Json(Acted { outcome: "taken" }).into_response()),
        Outcome::Again => Ok(Json(Acted { outcome: "again" }).into_response()),
        Outcome::Conflict { why } => {
            let problem = Problem::new(StatusCode::CONFLICT, "nothing was done", why);
            Err(problem
                .hint("look at the session again, and act with its new revision and a new Idempotency-Key"))
        }
        Outcome::NoSession => Err(Problem::no_such("session")),
        Outcome::Unread => Err(Problem::bad("the action could not be read")),
    }
}
