//! What one line of a transcript tells.

use wakeful_core::event::{EventKind, Source};
use wakeful_core::ids::Client;
use wakeful_core::time::Now;

use crate::{Told, Translation, authority};

/// What one line tells, with its time.
pub(crate) struct Telling<'a> {
    pub(crate) ctx: Translation<'a>,
    pub(crate) out: Vec<Told>,
}

impl Telling<'_> {
    /// Keeps what the transcript owns, at the time when it was seen.
    pub(crate) fn keep_owned(&mut self, client: Client, now: Now) {
        let is_owned = |kind: &EventKind| {
            authority::owned(kind).is_some_and(|kind| authority::owner(client, kind) == Source::Transcript)
        };
        self.out.retain(|told| is_owned(&told.event.kind));
        self.out.iter_mut().for_each(|told| told.at = now);
    }
}
