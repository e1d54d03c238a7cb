//! What is to be done in the world is done by somebody else, who says when it is done.

use std::sync::mpsc::Sender;

use wakeful_core::session::Session;
use wakeful_core::time::Now;

use super::handle::Request;
use crate::store::{OutboxId, OutboxRow};

/// Does errands. An errand may come again with the same id after a crash, and must not be done twice.
pub trait Errands: Send {
    /// Starts one, without waiting for its end. `session` is as it stands now, if it is still known.
    fn start(&mut self, row: &OutboxRow, session: Option<&Session>, now: Now, done: Done);

    /// Now and then: lets go of what was kept against doing old errands twice. `open` are those that are not struck out.
    fn tidy(&mut self, _open: &[OutboxRow], _now: Now) {}
}

/// To be told once an errand is done, from any thread. One that is never told is started again at the next start of the daemon.
#[derive(Debug)]
pub struct Done {
    id: OutboxId,
    requests: Sender<Request>,
}

impl Done {
    pub(super) fn new(id: OutboxId, requests: Sender<Request>) -> Self {
        Self { id, requests }
    }

    /// It is done, or will never be; `note` says how it went.
    pub fn say(self, note: impl Into<String>) {
        // Without a dispatcher there is nobody left to tell.
        let _ = self.requests.send(Request::Done { id: self.id, note: note.into() });
    }
}
