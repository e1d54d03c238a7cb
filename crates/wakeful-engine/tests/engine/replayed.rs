//! The record, the snapshots and the live state are one thing told three times.

use std::collections::BTreeMap;

use wakeful_core::ids::SessionKey;
use wakeful_core::session::Session;
use wakeful_core::settings::Settings;
use wakeful_core::step::{Ctx, step};
use wakeful_engine::store::{Pos, Store};

use super::rig::{Rig, apt};

/// The sessions that `step` makes of the whole record, with these settings at its lines of settings; also that every line has
/// the effects that follow from it.
pub fn of_the_record(store: &Store, changes: &[Settings]) -> BTreeMap<SessionKey, Session> {
    let mut sessions: BTreeMap<SessionKey, Session> = BTreeMap::new();
    let (mut settings, mut changes) = (Settings::default(), changes.iter());
    let rows = store.log(None, Pos(0), u32::MAX).unwrap();
    for pair in rows.windows(2) {
        assert!(pair[0].pos < pair[1].pos);
    }
    for row in rows {
        let Some(stepped) = row.stepped else {
            settings = changes.next().unwrap().clone();
            continue;
        };
        let key = stepped.event.session.clone();
        let before = sessions.remove(&key).unwrap_or_else(|| Session::new(key.clone(), stepped.now));
        let ctx = Ctx { now: stepped.now, settings: &settings, abilities: apt(key.client) };
        let (after, effects) = step(&ctx, before, &stepped.event);
        assert_eq!(effects, stepped.effects, "what followed is what follows: {:?}", stepped.event);
        sessions.insert(key, after);
    }
    assert!(changes.next().is_none());
    sessions
}

/// Kills it, compares all three, and starts it again.
pub fn compare(rig: &mut Rig) {
    let live = rig.sessions();
    rig.kill();
    let store = rig.store();
    let left = store.left(apt).unwrap();
    assert!(left.repairs.is_empty());
    let kept: BTreeMap<_, _> =
        left.sessions.into_iter().map(|kept| (kept.session.key.clone(), kept.session)).collect();
    assert_eq!(kept, live, "the snapshots are the live state");
    assert_eq!(of_the_record(&store, &rig.settings), live, "the record replays to the live state");
    rig.put_back(store);
    rig.start();
}
