//! Server-sent events: every session that changes, as it changes. A listener that was away is told what it missed.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::Serialize;
use tokio::sync::watch;
use wakeful_core::ids::SessionKey;
use wakeful_core::session::Session;

use super::query::Which;
use super::sessions::prefixes;
use super::{Api, Problem};
use crate::daemon::{Published, PublishedSession};
use crate::shown::{SessionJson, Shown};

/// So often a quiet stream says that it is there; most proxies cut one that is silent for 30 or 60 seconds.
const HEARTBEAT: Duration = Duration::from_secs(25);

/// Every change of a session
///
/// First `keys`, the names of all sessions: what a listener has and is not among them is gone. Then `session` for each that it
/// has not seen (all, or those after `Last-Event-ID`), and from then on for each that changes; `gone` for each that is removed.
#[utoipa::path(get, path = "/v1/events", params(Which,
        ("Last-Event-ID" = Option<i64>, Header, description = "The last id that was seen: go on after it.")),
    responses((status = 200, description = "Events `keys`, `session` (data: a Session) and `gone`.", content_type = "text/event-stream", body = String),
        (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn events(
    State(api): State<Arc<Api>>,
    which: Result<Query<Which>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let which = Which::asked(which)?;
    let said = headers.get("last-event-id").map(|id| {
        let id = id.to_str().ok().and_then(|id| id.parse().ok());
        id.ok_or_else(|| Problem::bad("Last-Event-ID must be an id of an event"))
    });
    let after = said.transpose()?.or(which.after);
    // First the watch, then what there is: nothing falls between the two.
    let mut watch = api.backend.watch();
    watch.mark_unchanged();
    let now = api.backend.published().await;
    let listening = Listening::new(watch, &now, after, which.all);
    let stream =
        Sse::new(stream(listening)).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("still here"));
    Ok(stream.into_response())
}

fn stream(listening: Listening) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(listening, |mut listening| async move {
        loop {
            if let Some(event) = listening.ready.pop_front() {
                return Some((Ok(event), listening));
            }
            // The daemon ends, and its streams with it.
            listening.watch.changed().await.ok()?;
            let published = listening.watch.borrow_and_update().clone();
            listening.take(&published);
        }
    })
}

/// A listener: what it has been told, and what it is to be told next.
struct Listening {
    watch: watch::Receiver<Arc<Published>>,
    told: BTreeMap<SessionKey, Arc<Session>>,
    ready: VecDeque<Event>,
}

#[derive(Serialize)]
struct Keys {
    sessions: Vec<String>,
}

#[derive(Serialize)]
struct Gone<'a> {
    client: &'static str,
    id: &'a str,
}

impl Listening {
    fn new(
        watch: watch::Receiver<Arc<Published>>,
        published: &Published,
        after: Option<i64>,
        all: bool,
    ) -> Self {
        let told: BTreeMap<_, _> =
            published.sessions.iter().map(|kept| (kept.session.key.clone(), kept.session.clone())).collect();
        let keys = Keys { sessions: told.keys().map(ToString::to_string).collect() };
        let ready = VecDeque::from_iter(event("keys", &keys));
        let mut listening = Self { watch, told, ready };
        let end = published.sessions.iter().map(|kept| kept.pos).max().unwrap_or_default();
        // An id that this log has not come to is one of another log, from before a damaged one was put aside.
        let after = after.filter(|after| *after <= end.max(published.pos).0);
        let missed = published.sessions.iter().filter(|kept| after.is_none_or(|after| kept.pos.0 > after));
        listening.tell(published, missed.collect(), |shown| all || !shown.long_ended(published.now));
        listening
    }

    fn take(&mut self, published: &Published) {
        let changed = published.sessions.iter().filter(|kept| {
            self.told.get(&kept.session.key).is_none_or(|told| !Arc::ptr_eq(told, &kept.session))
        });
        let changed: Vec<&PublishedSession> = changed.collect();
        for kept in &changed {
            self.told.insert(kept.session.key.clone(), kept.session.clone());
        }
        self.tell(published, changed, |_| true);
        if self.told.len() == published.sessions.len() {
            return;
        }
        // Both are in the order of their keys.
        let there =
            |key: &SessionKey| published.sessions.binary_search_by(|kept| kept.session.key.cmp(key)).is_ok();
        let ready = &mut self.ready;
        self.told.retain(|key, _| {
            let stays = there(key);
            if !stays {
                ready.extend(event("gone", &Gone { client: key.client.name(), id: key.id.as_str() }));
            }
            stays
        });
    }

    /// In the order of their places. Of several with the same place only the last gives it as its id: who breaks off before
    /// that one is told of all of them again.
    fn tell(
        &mut self,
        published: &Published,
        mut changed: Vec<&PublishedSession>,
        wanted: impl Fn(&Shown<'_>) -> bool,
    ) {
        if changed.is_empty() {
            return;
        }
        changed.sort_by_key(|kept| kept.pos);
        let prefixes = prefixes(published);
        let all = changed
            .iter()
            .map(|kept| (kept.pos, Shown::of(&kept.session, Some(kept.revision), published.now, &prefixes)));
        let all: Vec<_> = all.filter(|(_, shown)| wanted(shown)).collect();
        for (at, (pos, shown)) in all.iter().enumerate() {
            let last = all.get(at + 1).is_none_or(|(next, _)| next != pos);
            let told = event("session", &SessionJson::of(shown));
            self.ready.extend(told.map(|event| if last { event.id(pos.0.to_string()) } else { event }));
        }
    }
}

/// Everything here can be written down; what could not would be left out.
fn event(name: &str, data: &impl Serialize) -> Option<Event> {
    Event::default().event(name).json_data(data).ok()
}
