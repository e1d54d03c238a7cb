//! What people see of a session, as far as an action on it depends on it, and when it last changed.

use std::collections::BTreeMap;

use wakeful_core::ids::{Digest, SessionKey};
use wakeful_core::time::Now;
use wakeful_core::view::SessionView;

use crate::store::{Pos, ShownAt};

/// The revision of each session: the line of the log that last changed its face.
#[derive(Debug, Default)]
pub(super) struct Faces(BTreeMap<SessionKey, (Digest, Pos)>);

impl Faces {
    pub(super) fn revision(&self, key: &SessionKey) -> Option<Pos> {
        self.0.get(key).map(|(_, pos)| *pos)
    }

    pub(super) fn set(&mut self, key: SessionKey, face: Digest, pos: Pos) {
        self.0.insert(key, (face, pos));
    }

    pub(super) fn forget(&mut self, key: &SessionKey) {
        self.0.remove(key);
    }

    /// Whether this face is a new one.
    pub(super) fn shown(&self, key: &SessionKey, face: Digest) -> ShownAt {
        match self.0.get(key) {
            Some((known, pos)) if *known == face => ShownAt::At(*pos),
            _ => ShownAt::Now,
        }
    }
}

/// Status, cause and waits; not the countdown, not the label.
pub(super) fn face(view: &SessionView) -> Digest {
    let SessionView { status, since, detail, asked_by, waits, .. } = view;
    let face: (_, &Option<Now>, _, _, _) = (status, since, detail, asked_by, waits);
    // All of these can be written down; if one could not, every change would look like one.
    let text = serde_json::to_vec(&face).unwrap_or_default();
    Digest::of(&text)
}
