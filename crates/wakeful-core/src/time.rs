//! Time is an input (S2): these are the values in which it comes.

use serde::{Deserialize, Serialize};

/// A length of time in milliseconds. Never negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// `n` seconds.
    pub const fn secs(n: u64) -> Self {
        Self(n * 1000)
    }

    /// `n` minutes.
    pub const fn minutes(n: u64) -> Self {
        Self(n * 60_000)
    }

    /// Whole minutes, rounded up.
    pub const fn minutes_up(self) -> u64 {
        self.0.div_ceil(60_000)
    }
}

/// An instant of the wall clock: milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Wall(pub i64);

impl Wall {
    /// This instant plus `by`.
    pub fn plus(self, by: Millis) -> Self {
        Self(self.0.saturating_add_unsigned(by.0))
    }

    /// Time from `self` until `later`; zero if it has passed.
    pub fn until(self, later: Self) -> Millis {
        Millis(u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0))
    }
}

/// An instant of the boot clock: milliseconds since the machine started, host sleep included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Boot(pub u64);

impl Boot {
    /// This instant plus `by`.
    pub fn plus(self, by: Millis) -> Self {
        Self(self.0.saturating_add(by.0))
    }

    /// Time from `self` until `later`; zero if it has passed.
    pub fn until(self, later: Self) -> Millis {
        Millis(later.0.saturating_sub(self.0))
    }
}

/// Which start of the machine a [`Boot`] instant belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BootId(pub u64);

/// One reading of all clocks. What the core knows of time, it knows from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Now {
    /// The wall clock.
    pub wall: Wall,
    /// The boot clock.
    pub boot: Boot,
    /// Which boot.
    pub boot_id: BootId,
}

impl Now {
    /// Time that has passed since `earlier`: by the boot clock within one boot, else by the wall clock (T4).
    pub fn since(self, earlier: Now) -> Millis {
        if self.boot_id == earlier.boot_id {
            earlier.boot.until(self.boot)
        } else {
            earlier.wall.until(self.wall)
        }
    }

    /// Is this reading later than a boot clock instant that was read in the boot of `now`? One of another boot is not.
    pub fn after(self, instant: Boot, now: Now) -> bool {
        self.boot_id == now.boot_id && instant < self.boot
    }

    /// This reading moved on by `by` on both clocks.
    pub fn plus(self, by: Millis) -> Self {
        Self { wall: self.wall.plus(by), boot: self.boot.plus(by), boot_id: self.boot_id }
    }
}
