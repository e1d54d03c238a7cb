//! The daemon's errands: it tells the user. Telling an agent comes with a channel to it.

use std::process::Child;
use std::sync::{Arc, Mutex};

use wakeful_core::notices::Edge;
use wakeful_core::session::Session;
use wakeful_core::time::{Now, Wall};
use wakeful_core::view::SessionView;
use wakeful_engine::daemon::{Done, Errands, Files};
use wakeful_engine::notify::claims::{Standing, look, sweep};
use wakeful_engine::notify::ring::{Ring, RingId, RingSession};
use wakeful_engine::notify::spawn::{spawn, this_program};
use wakeful_engine::settings::{Current, NotifySettings};
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

    fn notify_settings(&self) -> NotifySettings {
        let current = self.settings.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        current.settings().notify.clone()
    }

    fn ring(&self, row: &OutboxRow, edge: &Edge, session: Option<&Session>, now: Now, done: Done) {
        let id = RingId::of_row(row.id.0, row.wall);
        match look(&self.files.state, &id, now.wall) {
            Ok(Standing::Free) => {}
            // A daemon before this one started it.
            standing => return done.say(said(standing)),
        }
        let ring = ring(&id, row, edge, session, now, self.notify_settings());
        let child = this_program().and_then(|program| spawn(&program, &self.files.state, &ring));
        match child {
            Ok(child) => see_it_through(self.files.clone(), child, id, now.wall, done),
            // Not done, and not given up: it is tried again when the daemon starts again.
            Err(_) => drop(done),
        }
    }
}

impl Errands for Doing {
    fn start(&mut self, row: &OutboxRow, session: Option<&Session>, now: Now, done: Done) {
        match &row.errand {
            Errand::Notify(edge) => self.ring(row, edge, session, now, done),
            Errand::Send(_) => done.say("there is no channel to the agent"),
        }
    }

    fn tidy(&mut self, open: &[OutboxRow], now: Now) {
        let open: Vec<RingId> = open.iter().map(|row| RingId::of_row(row.id.0, row.wall)).collect();
        // A claim that stays costs a small file.
        let _ = sweep(&self.files.state, now.wall, &|id| open.contains(id));
    }
}

/// All that the child must know.
fn ring(
    id: &RingId,
    row: &OutboxRow,
    edge: &Edge,
    session: Option<&Session>,
    now: Now,
    settings: NotifySettings,
) -> Ring {
    let view = session.map(|session| SessionView::of(session, now));
    // What is shown now may be another reason than the one that rings.
    let shown = view.as_ref().filter(|view| view.status.reason() == Some(edge.reason));
    let cwd = session.and_then(|session| session.place.cwd.as_deref());
    Ring {
        id: id.clone(),
        at: Now { wall: row.wall, ..now },
        session: RingSession {
            key: row.session.clone(),
            name: None,
            project: cwd.and_then(|cwd| cwd.trim_end_matches('/').rsplit('/').next()).map(str::to_owned),
            label: session.and_then(|session| session.label.clone()),
        },
        reason: edge.reason,
        detail: shown.and_then(|view| view.detail.clone()),
        pid: session.and_then(|session| session.place.pid),
        tmux_pane: session.and_then(|session| session.place.tmux_pane.clone()),
        settings,
    }
}

/// Waits for the child, on a thread: a slow channel must not hold up a decision.
fn see_it_through(files: Files, mut child: Child, id: RingId, started: Wall, done: Done) {
    let thread = std::thread::Builder::new().name("ring".to_owned());
    let waiting = thread.spawn(move || {
        let _ = child.wait();
        match look(&files.state, &id, started) {
            // It could not claim it: a full disk, no right to write. To give it up would hide a session that needs its user, so it is
            // tried again when the daemon starts again.
            Ok(Standing::Free) => drop(done),
            standing => done.say(said(standing)),
        }
    });
    // Without a thread the child still rings; the row is struck out after the next start.
    drop(waiting);
}

fn said(standing: std::io::Result<Standing>) -> String {
    match standing {
        Ok(Standing::Ended(outcome)) => outcome.line(),
        Ok(Standing::UnderWay) => "ringing".to_owned(),
        Ok(Standing::Died) => "begun, and never said how it went".to_owned(),
        Ok(Standing::Free) => "could not be claimed".to_owned(),
        Err(error) => format!("its claim cannot be read: {error}"),
    }
}
