//! The virtual clocks of a scenario.

use wakeful_core::time::{Boot, BootId, Millis, Now, Wall};

/// Wall and boot clock of the simulated machine. `at` of a scenario counts on the boot clock, host sleep included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: Wall,
    boot: Boot,
    /// By how much the wall clock has been stepped.
    stepped: i64,
}

impl Clock {
    pub(super) fn new(start: Wall) -> Self {
        Self { start, boot: Boot(0), stepped: 0 }
    }

    pub(super) fn now(&self) -> Now {
        let elapsed = i64::try_from(self.boot.0).unwrap_or(i64::MAX);
        let wall = Wall(self.start.0.saturating_add(elapsed).saturating_add(self.stepped));
        Now { wall, boot: self.boot, boot_id: BootId(1) }
    }

    pub(super) fn advance(&mut self, by: Millis) {
        self.boot = self.boot.plus(by);
    }

    /// Time until `at` on the boot clock.
    pub(super) fn until(&self, at: Boot) -> Millis {
        self.boot.until(at)
    }

    pub(super) fn step_wall(&mut self, by_ms: i64) {
        self.stepped = self.stepped.saturating_add(by_ms);
    }
}
