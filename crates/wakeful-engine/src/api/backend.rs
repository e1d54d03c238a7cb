//! What the API asks of the daemon; the tests put something else in its place.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::watch;

use crate::daemon::{Closed, Handle, Published};
use crate::engine::{Act, Outcome};
use crate::spool::Envelope;

/// An answer that comes later.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The daemon, as the API sees it.
pub trait Backend: Send + Sync + 'static {
    /// A user action; answered once it is in the log.
    fn act(&self, act: Act) -> Answer<'_, Result<Outcome, Closed>>;
    /// What a hook said; answered once it is in the log.
    fn hook(&self, envelope: Envelope) -> Answer<'_, Result<Outcome, Closed>>;
    /// The sessions as of the last commit.
    fn published(&self) -> Answer<'_, Arc<Published>>;
    /// The sessions, with every commit that changes one. Only who listens to events holds one: without any, the daemon puts
    /// nothing together.
    fn watch(&self) -> watch::Receiver<Arc<Published>>;
}

impl Backend for Handle {
    fn act(&self, act: Act) -> Answer<'_, Result<Outcome, Closed>> {
        Box::pin(Handle::act(self, act))
    }

    fn hook(&self, envelope: Envelope) -> Answer<'_, Result<Outcome, Closed>> {
        Box::pin(Handle::hook(self, envelope))
    }

    fn published(&self) -> Answer<'_, Arc<Published>> {
        Box::pin(Handle::published(self))
    }

    fn watch(&self) -> watch::Receiver<Arc<Published>> {
        Handle::watch(self)
    }
}
