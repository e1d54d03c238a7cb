//! When the timers of all sessions are due, so that finding the next one does not take a walk through all sessions.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::TimerKind;
use crate::ids::SessionKey;
use crate::time::{Boot, BootId, Millis, Now, Wall};
use crate::timers::Timer;

/// Deadlines by the clock that each counts on (T4): see [`Timer::remaining`], of which this is the sorted form.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    /// Those that count on the boot clock while the machine runs on, by the boot in which they were armed.
    boot: BTreeMap<BootId, BTreeSet<(Boot, SessionKey, TimerKind)>>,
    /// Those that follow the wall clock always.
    wall: BTreeSet<(Wall, SessionKey, TimerKind)>,
    /// Those of `boot` again, by their wall deadlines: in another boot these count.
    boot_by_wall: BTreeMap<BootId, BTreeSet<(Wall, SessionKey, TimerKind)>>,
    of: BTreeMap<SessionKey, Vec<Place>>,
}

/// Where a timer stands above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    kind: TimerKind,
    wall: Wall,
    boot: Option<(BootId, Boot)>,
}

impl Deadlines {
    /// These are the timers of the session now.
    pub(crate) fn set<'a>(&mut self, key: &SessionKey, timers: impl Iterator<Item = &'a Timer>) {
        let new: Vec<Place> = timers.map(Place::of).collect();
        if self.of.get(key).map_or(&[][..], Vec::as_slice) == new {
            return; // most events change no timer
        }
        let old = if new.is_empty() { self.of.remove(key) } else { self.of.insert(key.clone(), new.clone()) };
        for place in old.unwrap_or_default() {
            self.remove(key, place);
        }
        for place in new {
            self.insert(key, place);
        }
    }

    /// Time until the next one is due; zero if one is.
    pub(crate) fn next(&self, now: Now) -> Option<Millis> {
        let boot = self.boot.get(&now.boot_id).and_then(|set| set.first());
        let boot = boot.map(|(at, ..)| now.boot.until(*at));
        let wall = self.by_wall(now).filter_map(|set| set.first()).map(|(at, ..)| now.wall.until(*at));
        wall.chain(boot).min()
    }

    /// Those that are due.
    pub(crate) fn due(&self, now: Now) -> Vec<(SessionKey, TimerKind)> {
        let boot = self.boot.get(&now.boot_id).into_iter().flatten();
        let boot = boot.take_while(|(at, ..)| *at <= now.boot).map(|(_, key, kind)| (key.clone(), *kind));
        let wall = self.by_wall(now).flat_map(|set| {
            set.iter().take_while(|(at, ..)| *at <= now.wall).map(|(_, key, kind)| (key.clone(), *kind))
        });
        boot.chain(wall).collect()
    }

    /// The sets in which the wall clock counts in this boot.
    fn by_wall(&self, now: Now) -> impl Iterator<Item = &BTreeSet<(Wall, SessionKey, TimerKind)>> {
        let of_other_boots = self.boot_by_wall.iter().filter(move |(boot, _)| **boot != now.boot_id);
        of_other_boots.map(|(_, set)| set).chain([&self.wall])
    }

    fn insert(&mut self, key: &SessionKey, place: Place) {
        let by_wall = (place.wall, key.clone(), place.kind);
        match place.boot {
            None => _ = self.wall.insert(by_wall),
            Some((id, boot)) => {
                self.boot.entry(id).or_default().insert((boot, key.clone(), place.kind));
                self.boot_by_wall.entry(id).or_default().insert(by_wall);
            }
        }
    }

    fn remove(&mut self, key: &SessionKey, place: Place) {
        let by_wall = (place.wall, key.clone(), place.kind);
        match place.boot {
            None => _ = self.wall.remove(&by_wall),
            Some((id, boot)) => {
                if let Some(set) = self.boot.get_mut(&id) {
                    set.remove(&(boot, key.clone(), place.kind));
                }
                if let Some(set) = self.boot_by_wall.get_mut(&id) {
                    set.remove(&by_wall);
                }
            }
        }
    }
}

impl Place {
    fn of(timer: &Timer) -> Self {
        let boot = (timer.armed.boot_id, timer.armed.boot.plus(timer.after));
        Self { kind: timer.kind, wall: timer.deadline, boot: (!timer.wall_only).then_some(boot) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Client, Epoch, SessionId};
    use crate::timers::{Arming, Timers};

    fn now(wall: i64, boot: u64, boot_id: u64) -> Now {
        Now { wall: Wall(wall), boot: Boot(boot), boot_id: BootId(boot_id) }
    }

    fn key(id: &str) -> SessionKey {
        SessionKey { client: Client::Codex, id: SessionId::new(id) }
    }

    /// Many timers, armed in several boots, on both clocks: the index says of each what the timer itself says.
    #[test]
    fn the_index_agrees_with_the_timers() {
        let kinds = [TimerKind::Cap, TimerKind::Wake, TimerKind::Stall, TimerKind::Settle];
        let mut deadlines = Deadlines::default();
        let mut sessions: BTreeMap<SessionKey, Timers> = BTreeMap::new();
        for round in 0_u64..400 {
            let key = key(&(round * 7 % 23).to_string());
            let timers = sessions.entry(key.clone()).or_default();
            let kind = kinds[usize::try_from(round * 5 % 4).unwrap()];
            let at = now(1000 + i64::try_from(round * 31 % 97).unwrap(), round * 13 % 89, round * 3 % 3);
            if round % 6 == 0 {
                timers.cancel(kind);
            } else {
                let after = Millis(1 + round * 17 % 120);
                let arming = Arming { kind, after, about: "", wall_only: round % 5 == 0 };
                timers.arm(arming, Epoch::default(), at);
            }
            deadlines.set(&key, timers.iter());
            for now in [now(1050, 60, 0), now(1100, 10, 1), now(1030, 200, 2), now(990, 0, 9)] {
                let all = || sessions.iter().flat_map(|(key, timers)| timers.iter().map(move |t| (key, t)));
                let due: BTreeSet<_> =
                    all().filter(|(_, t)| t.due(now)).map(|(k, t)| (k.clone(), t.kind)).collect();
                assert_eq!(deadlines.due(now).into_iter().collect::<BTreeSet<_>>(), due);
                assert_eq!(deadlines.next(now), all().map(|(_, t)| t.remaining(now)).min());
            }
        }
    }
}
