//! The daemon's errands: tells the user, and one day the agent.

use std::sync::{Arc, Mutex};

use wakeful_core::session::Session;
use wakeful_core::time::Now;
use wakeful_engine::daemon::{Done, Errands, Files};
use wakeful_engine::settings::Current;
use wakeful_engine::store::{Errand, OutboxRow};

/// Does errands.
pub struct Doing {
    files: Files,
    settings: Arc<Mutex<Current>>,
}

impl Doing {
    /// With these settings, as they stand at each errand.
    pub fn new(files: Files, settings: Arc<Mutex<Current>>) -> Self {
        Self { files, settings }
    }
}

impl Errands for Doing {
    fn start(&mut self, row: &OutboxRow, session: Option<&Session>, now: Now, done: Done) {
        let _ = (&self.files, &self.settings, session, now);
        match &row.errand {
            Errand::Notify(_) => done.say("no channel"),
            Errand::Send(_) => done.say("no channel"),
        }
    }
}
