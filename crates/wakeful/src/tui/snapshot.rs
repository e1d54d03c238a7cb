//! What the inbox shows of the sessions at one instant: made by the feed, never changed.

use wakeful_core::event::Place;
use wakeful_core::ids::SessionKey;
use wakeful_core::time::Now;
use wakeful_core::view::SessionView;
use wakeful_engine::live::{Live, Moment};

use crate::sessions::shown;
use crate::turns::{Turn, turns};
use wakeful_engine::shown::{Section, Shown};

/// All sessions at one instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// As of when.
    pub now: Now,
    /// The sessions, section by section, the newest first.
    pub rows: Vec<Row>,
    /// Events that could not be read.
    pub unread: u64,
}

/// One session.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its view.
    pub view: SessionView,
    /// When its client was last heard of.
    pub last_event: Now,
    /// Its section.
    pub section: Section,
    /// Name of the folder that it works in.
    pub project: String,
    /// The branch that the folder is on.
    pub branch: Option<String>,
    /// Its first prompt.
    pub label: String,
    /// Where it runs.
    pub place: Place,
    /// Its turns, oldest first; of the selected session only, for a history is long.
    pub turns: Vec<Turn>,
}

/// What is known of sessions besides how they stand.
pub struct Known<'a> {
    /// The branch that a folder is on.
    pub branch: &'a dyn Fn(&str) -> Option<String>,
    /// What happened in a session, oldest first; empty for one that nobody looks at.
    pub history: &'a dyn Fn(&SessionKey) -> Vec<Moment>,
}

impl Snapshot {
    /// Of the sessions as they stand.
    pub fn of(live: &Live, known: &Known<'_>) -> Self {
        let unread = &live.unread;
        Self {
            now: live.now,
            rows: shown(live).into_iter().map(|shown| Row::of(shown, known)).collect(),
            unread: unread.malformed
                + unread.skipped.damaged
                + unread.skipped.other_version
                + unread.skipped.lost,
        }
    }
}

impl Row {
    fn of(shown: Shown<'_>, known: &Known<'_>) -> Self {
        let session = shown.session;
        Self {
            last_event: session.last_event,
            section: shown.section(),
            project: shown.project().to_owned(),
            branch: session.place.cwd.as_deref().and_then(known.branch),
            label: shown.label().to_owned(),
            place: session.place.clone(),
            turns: turns(&(known.history)(&session.key)),
            view: shown.view,
        }
    }

    /// Its name for people: project, branch, first prompt.
    pub fn name(&self) -> String {
        let branch = self.branch.as_deref().map(|branch| format!(" · {branch}")).unwrap_or_default();
        format!("{}{branch} · {}", self.project, self.label)
    }
}
