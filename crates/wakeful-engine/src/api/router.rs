//! The routes, and who may come in by which door.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};

use super::{Backend, Problem, Token, actions, doors, events, hook, openapi, record, sessions};
use crate::store::{Store, StoreError};

/// What the routes work with.
pub struct Api {
    pub(super) backend: Arc<dyn Backend>,
    /// The state folder, where the record is.
    state: PathBuf,
    /// Version of the program.
    pub(super) version: &'static str,
}

impl Api {
    /// Of this daemon, whose record is in this state folder.
    pub fn new(backend: impl Backend, state: PathBuf, version: &'static str) -> Arc<Self> {
        Arc::new(Self { backend: Arc::new(backend), state, version })
    }

    /// Asks something of the record, on a thread that may wait for the disk. `None`: there is no record yet.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Option<T>, Problem> {
        let state = self.state.clone();
        let asked = move || Store::read(&state)?.map(|store| ask(&store)).transpose();
        match tokio::task::spawn_blocking(asked).await {
            Ok(answer) => answer.map_err(|error| Problem::store(&error)),
            Err(error) => Err(Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the record was not read",
                error.to_string(),
            )),
        }
    }
}

/// The routes as the Unix socket offers them: whoever can open it is this user.
pub fn local(api: Arc<Api>) -> Router {
    routes(api).layer(from_fn(doors::with_headers))
}

/// The routes as the loopback port offers them: any process and any web page of this machine can reach it.
pub fn loopback(api: Arc<Api>, token: Token) -> Router {
    routes(api).layer(from_fn_with_state(Arc::new(token), doors::guard)).layer(from_fn(doors::with_headers))
}

fn routes(api: Arc<Api>) -> Router {
    Router::new()
        .route("/v1/health", get(sessions::health))
        .route("/v1/sessions", get(sessions::sessions))
        .route("/v1/sessions/{client}/{id}", get(sessions::session))
        .route("/v1/sessions/{client}/{id}/actions", post(actions::act))
        .route("/v1/events", get(events::events))
        .route("/v1/log", get(record::log))
        .route("/v1/decisions", get(record::decisions))
        .route("/v1/decisions/{id}", get(record::one_decision))
        .route("/v1/guard", get(record::guard))
        .route("/v1/hook", post(hook::hook))
        .route("/v1/openapi.json", get(openapi::openapi))
        .fallback(nowhere)
        .method_not_allowed_fallback(not_so)
        .with_state(api)
}

async fn nowhere() -> Problem {
    Problem::no_such("page").hint("/v1/openapi.json says what there is")
}

async fn not_so() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "nothing was done", "this cannot be asked by this method")
        .hint("/v1/openapi.json says what there is")
}
