//! A session with what its place among the others decides: how short its id can be, and where it stands in the list.

use wakeful_core::session::Session;
use wakeful_core::time::{Millis, Now};
use wakeful_core::view::SessionView;

use super::Section;
use crate::store::Pos;

/// Sessions that have ended are listed for this long; later only on request.
pub const ENDED_SHOWN: Millis = Millis::minutes(60);

/// No prefix is shorter, in characters: shorter ones are soon ambiguous.
const SHORTEST: usize = 4;

/// A session as it is shown.
pub struct Shown<'a> {
    /// The session.
    pub session: &'a Session,
    /// Its view.
    pub view: SessionView,
    /// The shortest beginning of its id that names no other session, at least four characters.
    pub prefix: String,
    /// What an action on it must name; `None` where the store does not say (nobody keeps one, or it is behind).
    pub revision: Option<Pos>,
}

impl<'a> Shown<'a> {
    /// Of a session at `now`.
    pub fn of(session: &'a Session, revision: Option<Pos>, now: Now, prefixes: &Prefixes<'_>) -> Self {
        let prefix = prefixes.of(session.key.id.as_str()).to_owned();
        Self { session, view: SessionView::of(session, now), prefix, revision }
    }

    /// Its section.
    pub fn section(&self) -> Section {
        Section::of(self.view.status)
    }

    /// Name of the folder that it works in.
    pub fn project(&self) -> &str {
        let folder = self.view.cwd.as_deref().map(|cwd| cwd.trim_end_matches('/'));
        folder.and_then(|cwd| cwd.rsplit('/').next()).filter(|name| !name.is_empty()).unwrap_or("?")
    }

    /// Its first prompt.
    pub fn label(&self) -> &str {
        self.view.label.as_deref().unwrap_or("(no prompt seen)")
    }

    /// It ended so long ago that a list leaves it out.
    pub fn long_ended(&self, now: Now) -> bool {
        self.section() == Section::Ended && now.since(self.session.last_event) > ENDED_SHOWN
    }
}

/// The order of the list: section by section, the newest first.
pub fn in_order(all: &mut [Shown<'_>]) {
    all.sort_by_key(|shown| {
        let newest = shown.view.since.map_or(shown.session.last_event.wall, |since| since.wall);
        (shown.section(), std::cmp::Reverse(newest), shown.session.key.clone())
    });
}

/// The ids of all sessions, to find how short each can be.
pub struct Prefixes<'a>(Vec<&'a str>);

impl<'a> Prefixes<'a> {
    /// Of these ids.
    pub fn new(ids: impl IntoIterator<Item = &'a str>) -> Self {
        let mut ids: Vec<&str> = ids.into_iter().collect();
        ids.sort_unstable();
        Self(ids)
    }

    /// The shortest beginning of `id` that no other has; all of it if there is none.
    pub fn of<'id>(&self, id: &'id str) -> &'id str {
        let ids = &self.0;
        // Sorted, the ids that have most in common with this one are its neighbours.
        let at = ids.partition_point(|other| *other < id);
        let before = at.checked_sub(1).and_then(|before| ids.get(before));
        let after = ids.get(at + usize::from(ids.get(at) == Some(&id)));
        let shared = [before, after].into_iter().flatten().map(|other| in_common(id, other)).max();
        let boundaries = id.char_indices().map(|(at, _)| at).skip(SHORTEST);
        let length = boundaries.chain([id.len()]).find(|length| *length > shared.unwrap_or(0));
        &id[..length.unwrap_or(id.len())]
    }
}

fn in_common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_as_short_as_they_can_be() {
        let ids = ["abcd1", "abcd2", "ab", "xyz-long-id", "same", "same", "éééé1", "éééé2-longer"];
        let prefixes = Prefixes::new(ids);
        let found = ids.map(|id| prefixes.of(id));
        assert_eq!(found, ["abcd1", "abcd2", "ab", "xyz-", "same", "same", "éééé1", "éééé2"]);
        assert_eq!(prefixes.of("a-stranger"), "a-st");
        assert_eq!(Prefixes::new([]).of(""), "");
    }
}
