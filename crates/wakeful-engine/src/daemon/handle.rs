//! What others hold of the dispatcher: they ask, it answers after the commit.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use tokio::sync::{oneshot, watch};
use wakeful_core::session::Session;
use wakeful_core::time::Now;

use crate::engine::{Act, EngineSettings, Input, Outcome};
use crate::spool::Envelope;
use crate::store::{OutboxId, Pos};

/// What is asked of the dispatcher.
#[derive(Debug)]
pub(super) enum Request {
    /// Take this, and say what became of it.
    Input(Input, Option<oneshot::Sender<Outcome>>),
    /// There is something new in the spool.
    Spool,
    /// An errand is done.
    Done {
        /// Which.
        id: OutboxId,
        /// How it went.
        note: String,
    },
    /// Publish what has changed now.
    Publish(oneshot::Sender<()>),
    /// The clock has been set.
    Tick,
    /// Something is wrong that the user should know; `None`: no longer.
    Problem {
        /// Of what kind; a later one of the kind takes its place.
        kind: &'static str,
        /// What.
        what: Option<String>,
    },
    /// End.
    Stop,
}

/// The dispatcher has ended, or could not commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it could not be written down")]
pub struct Closed;

/// A way to the dispatcher.
#[derive(Debug, Clone)]
pub struct Handle {
    pub(super) requests: Sender<Request>,
    /// One for all handles, so that the dispatcher can tell whether anybody watches.
    pub(super) published: Arc<watch::Receiver<Arc<Published>>>,
}

/// All sessions after a commit.
#[derive(Debug, Default)]
pub struct Published {
    /// The end of the log.
    pub pos: Pos,
    /// As of when.
    pub now: Now,
    /// The sessions, in the order of their keys.
    pub sessions: Vec<PublishedSession>,
    /// What is wrong with the daemon, for people.
    pub problems: Vec<String>,
}

/// A session after a commit.
#[derive(Debug, Clone)]
pub struct PublishedSession {
    /// The session.
    pub session: Arc<Session>,
    /// What an action on it must name.
    pub revision: Pos,
    /// The last commit that touched it.
    pub pos: Pos,
}

impl Handle {
    /// Hands over what a hook said. `Ok`: it is in the log.
    ///
    /// # Errors
    /// It is not.
    pub async fn hook(&self, envelope: Envelope) -> Result<Outcome, Closed> {
        self.ask(Input::Hook(Box::new(envelope))).await
    }

    /// A user action; goes before everything else that has come in.
    ///
    /// # Errors
    /// It could not be written down, and has not happened.
    pub async fn act(&self, act: Act) -> Result<Outcome, Closed> {
        self.ask(Input::Act(Box::new(act))).await
    }

    async fn ask(&self, input: Input) -> Result<Outcome, Closed> {
        let (answer, answered) = oneshot::channel();
        self.requests.send(Request::Input(input, Some(answer))).map_err(|_| Closed)?;
        answered.await.map_err(|_| Closed)
    }

    /// The sessions as of the last commit.
    pub async fn published(&self) -> Arc<Published> {
        let (answer, answered) = oneshot::channel();
        if self.requests.send(Request::Publish(answer)).is_ok() {
            let _ = answered.await; // an ended dispatcher has published its last
        }
        self.published.borrow().clone()
    }

    /// The sessions, with every commit that changed one.
    pub fn watch(&self) -> watch::Receiver<Arc<Published>> {
        watch::Receiver::clone(&self.published)
    }

    /// These settings hold from now on.
    pub fn settings(&self, settings: EngineSettings) {
        let _ = self.requests.send(Request::Input(Input::Settings(Box::new(settings)), None));
    }

    /// Something is wrong that the user should know; `None`: no longer. A later one of the same kind takes its place.
    pub fn problem(&self, kind: &'static str, what: Option<String>) {
        let _ = self.requests.send(Request::Problem { kind, what });
    }

    /// Ends the dispatcher, after what has come in before.
    pub fn stop(&self) {
        let _ = self.requests.send(Request::Stop);
    }
}
