//! The settings that decisions use (spec 70). A changed setting is an event in the log (S3).

use serde::{Deserialize, Serialize};

use crate::time::Millis;

/// A whole number of minutes after the one resolver of T1 has seen it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Minutes(pub u16);

impl Minutes {
    /// As a length of time.
    pub fn millis(self) -> Millis {
        Millis::minutes(u64::from(self.0))
    }
}

/// Default and range of one minutes setting.
#[derive(Debug, Clone, Copy)]
pub struct MinutesRange {
    /// Taken when the value is missing, not finite, zero or negative.
    pub default: u16,
    /// Smallest value; 0 only where the spec allows it, and then 0 itself is kept.
    pub min: u16,
    /// Largest value.
    pub max: u16,
}

impl MinutesRange {
    /// T1: missing, non-finite, zero or negative gives the default, the rest is clamped (a range that starts at 0 keeps 0).
    pub fn resolve(self, value: Option<f64>) -> Minutes {
        let Some(value) = value.filter(|v| v.is_finite()) else { return Minutes(self.default) };
        if value == 0.0 && self.min == 0 {
            return Minutes(0);
        }
        if value <= 0.0 {
            return Minutes(self.default);
        }
        // A fraction is rounded up: it must never become a timer that fires at once.
        let whole = value.ceil().clamp(f64::from(self.min.max(1)), f64::from(self.max));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to a u16 range above"
        )]
        Minutes(whole as u16)
    }
}

/// `waits.auto_wait_minutes`: how long a wait that nobody discharged stays out of the inbox.
pub const AUTO_WAIT: MinutesRange = MinutesRange { default: 30, min: 5, max: 240 };
/// `waits.keep_waiting_minutes`: what the user's *Keep waiting* buys.
pub const KEEP_WAITING: MinutesRange = MinutesRange { default: 60, min: 5, max: 240 };
/// `waits.unbacked_wait_minutes`: 0 surfaces an unbacked wait at once.
pub const UNBACKED_WAIT: MinutesRange = MinutesRange { default: 0, min: 0, max: 240 };
/// `waits.external_wait_minutes`: how long a wait that only the prose backs is held when the lists are empty.
pub const EXTERNAL_WAIT: MinutesRange = MinutesRange { default: 10, min: 0, max: 240 };
/// `waits.overdue_minutes`: grace after an owed wake.
pub const OVERDUE: MinutesRange = MinutesRange { default: 5, min: 1, max: 60 };
/// `watchdog.stall_minutes`: silence after which an open turn counts as stalled.
pub const STALL: MinutesRange = MinutesRange { default: 20, min: 5, max: 240 };
/// `check_in.from_inbox_multiple`, in multiples of `auto_wait_minutes`; resolved like minutes.
pub const INBOX_MULTIPLE: MinutesRange = MinutesRange { default: 2, min: 1, max: 10 };

/// How many check-ins in a row an agent gets, and how many from the inbox (T9, T10): enough to learn that it
/// still waits, few enough not to burn a session that nobody reads.
pub const CHECK_IN_BUDGET: u8 = 3;

/// How many minutes a stated ETA may extend a cap to (T7).
pub const ETA_CAP_MAX: Millis = Millis::minutes(240);

/// `detector.match_mode` (P8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchMode {
    /// The sentinel and the curated tier.
    #[default]
    Precise,
    /// Every rule.
    Full,
}

/// Settings as `step` sees them: resolved, complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// `detector.enabled`: off removes only the holds whose only evidence is prose (S4).
    pub detector: bool,
    /// `waits.auto_wait_minutes`.
    pub auto_wait: Minutes,
    /// `waits.keep_waiting_minutes`.
    pub keep_waiting: Minutes,
    /// `waits.unbacked_wait_minutes`.
    pub unbacked_wait: Minutes,
    /// `waits.external_wait_minutes`.
    pub external_wait: Minutes,
    /// `waits.overdue_minutes`.
    pub overdue: Minutes,
    /// `waits.promise_check`.
    pub promise_check: bool,
    /// `check_in.auto`.
    pub auto_check_in: bool,
    /// `check_in.from_inbox`.
    pub inbox_check_in: bool,
    /// `check_in.from_inbox_multiple`, times `auto_wait`.
    pub inbox_multiple: u16,
    /// `watchdog.stall_minutes`.
    pub stall: Minutes,
    /// The settle window of a notification.
    pub settle: Millis,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            detector: true,
            auto_wait: Minutes(AUTO_WAIT.default),
            keep_waiting: Minutes(KEEP_WAITING.default),
            unbacked_wait: Minutes(UNBACKED_WAIT.default),
            external_wait: Minutes(EXTERNAL_WAIT.default),
            overdue: Minutes(OVERDUE.default),
            promise_check: false,
            auto_check_in: false,
            inbox_check_in: false,
            inbox_multiple: INBOX_MULTIPLE.default,
            stall: Minutes(STALL.default),
            settle: Millis::secs(3), // long enough for a hook-driven continuation to start, short enough not to be felt
        }
    }
}
