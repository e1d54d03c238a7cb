//! The virtual clocks of a scenario.

use wakeful_core::time::{Boot, BootId, Millis, Now, Wall};

/// How long the machine has been up at `at` 0: nobody works at one that has just started.
const UP: Millis = Millis::minutes(60);

/// Wall and boot clock of the simulated machine. `at` of a scenario counts on through host sleep and restarts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: Wall,
    /// Time since the start of the scenario.
    at: Millis,
    /// By how much the wall clock has been stepped.
    stepped: i64,
    /// The boot clock at `booted`.
    base: Boot,
    booted: Millis,
    boot_id: BootId,
}

impl Clock {
    pub(super) fn new(start: Wall) -> Self {
        let (at, base) = (Millis(0), Boot(UP.0));
        Self { start, at, stepped: 0, base, booted: at, boot_id: BootId(1) }
    }

    pub(super) fn now(&self) -> Now {
        let wall = Wall(self.start.plus(self.at).0.saturating_add(self.stepped));
        let boot = self.base.plus(Millis(self.at.0.saturating_sub(self.booted.0)));
        Now { wall, boot, boot_id: self.boot_id }
    }

    pub(super) fn at(&self) -> Millis {
        self.at
    }

    /// Time goes on until `at`; it has passed already if the host has slept.
    pub(super) fn advance(&mut self, at: Millis) {
        self.at = self.at.max(at);
    }

    pub(super) fn step_wall(&mut self, by_ms: i64) {
        self.stepped = self.stepped.saturating_add(by_ms);
    }

    /// The machine starts anew.
    pub(super) fn reboot(&mut self) {
        (self.base, self.booted) = (Boot(0), self.at);
        self.boot_id = BootId(self.boot_id.0 + 1);
    }
}
