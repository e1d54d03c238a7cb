//! Timers as values (spec 30, T1 to T7). Nothing here sleeps: whoever runs a session asks what is due.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::TimerKind;
use crate::ids::Epoch;
use crate::time::{Millis, Now, Wall};

/// An armed timer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    /// Which.
    pub kind: TimerKind,
    /// The wall-clock deadline, as shown to people.
    pub deadline: Wall,
    /// When it was armed.
    pub armed: Now,
    /// For how long.
    pub after: Millis,
    /// It follows the wall clock only: a client's own native wake fires by that clock, whatever it does (T4).
    pub wall_only: bool,
    /// The epoch that it belongs to.
    pub epoch: Epoch,
    /// Tells it from timers of the same kind armed before and after.
    pub generation: u32,
    /// What it is about, so that the same thing does not arm it twice (T2).
    pub about: String,
}

impl Timer {
    /// T4: within one boot the boot clock counts, which runs on through host sleep and knows no steps, so that a
    /// deadline is neither early nor late by a stepped wall clock; after a reboot the wall deadline counts.
    pub fn due(&self, now: Now) -> bool {
        self.remaining(now) == Millis(0)
    }

    /// Time until it is due.
    pub fn remaining(&self, now: Now) -> Millis {
        if self.wall_only || now.boot_id != self.armed.boot_id {
            now.wall.until(self.deadline)
        } else {
            now.boot.until(self.armed.boot.plus(self.after))
        }
    }
}

/// The armed timers of a session: at most one of a kind, by construction (T2).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Timers {
    armed: BTreeMap<TimerKind, Timer>,
    /// Counts armings, so that generations are never used again.
    generation: u32,
}

/// What [`Timers::arm`] needs to know beside the time.
#[derive(Debug, Clone, Copy)]
pub struct Arming<'a> {
    /// Which timer.
    pub kind: TimerKind,
    /// For how long. Never zero: T1's resolver and the callers see to that.
    pub after: Millis,
    /// What it is about.
    pub about: &'a str,
    /// See [`Timer::wall_only`].
    pub wall_only: bool,
}

impl Timers {
    /// Arms a timer; one of the same kind is replaced.
    pub fn arm(&mut self, arming: Arming<'_>, epoch: Epoch, now: Now) -> Timer {
        self.generation += 1;
        let timer = Timer {
            kind: arming.kind,
            deadline: now.wall.plus(arming.after),
            armed: now,
            after: arming.after,
            wall_only: arming.wall_only,
            epoch,
            generation: self.generation,
            about: arming.about.to_owned(),
        };
        self.armed.insert(arming.kind, timer.clone());
        timer
    }

    /// Takes over a timer of another session with its deadline (C5).
    pub fn adopt(&mut self, mut timer: Timer, epoch: Epoch) -> Timer {
        self.generation += 1;
        timer.epoch = epoch;
        timer.generation = self.generation;
        self.armed.insert(timer.kind, timer.clone());
        timer
    }

    /// Takes all timers over into a new epoch, with their deadlines.
    pub fn adopt_all(&mut self, epoch: Epoch) -> Vec<Timer> {
        let armed: Vec<_> = self.armed.values().cloned().collect();
        armed.into_iter().map(|timer| self.adopt(timer, epoch)).collect()
    }

    /// Disarms a timer; true when it was armed.
    pub fn cancel(&mut self, kind: TimerKind) -> bool {
        self.armed.remove(&kind).is_some()
    }

    /// The armed timer of a kind.
    pub fn get(&self, kind: TimerKind) -> Option<&Timer> {
        self.armed.get(&kind)
    }

    /// Takes the timer that fired, if it is the armed one and due; a stale one does nothing (T3).
    pub fn take_fired(&mut self, kind: TimerKind, epoch: Epoch, generation: u32, now: Now) -> Option<Timer> {
        let timer = self.armed.get(&kind)?;
        (timer.epoch == epoch && timer.generation == generation && timer.due(now))
            .then(|| self.armed.remove(&kind))
            .flatten()
    }

    /// All armed timers.
    pub fn iter(&self) -> impl Iterator<Item = &Timer> {
        self.armed.values()
    }
}
