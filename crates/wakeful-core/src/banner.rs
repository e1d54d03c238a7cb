//! The banner of a scheduled wake (W2, W3): one formatter for every surface.

use crate::ledger::WakeEntry;
use crate::time::{Millis, Now};

/// "in 20 minutes", counted down to the wake; after its time the original length, frozen (W3).
pub fn banner(wake: &WakeEntry, now: Now) -> String {
    let left = wake.left(now).unwrap_or(wake.delay);
    let shown = minutes(if left == Millis(0) { wake.delay } else { left });
    if wake.is_check_in() {
        format!("Agent scheduled check-in in {shown} — staying running, will not surface to inbox.")
    } else {
        format!("Agent scheduled wake-up in {shown} — staying running until then.")
    }
}

/// Minutes rounded up, in words; under a minute says so (W2).
pub fn minutes(left: Millis) -> String {
    match left.minutes_up() {
        _ if left < Millis::minutes(1) => "less than a minute".to_owned(),
        1 => "1 minute".to_owned(),
        n => format!("{n} minutes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_rounded_up_and_the_last_one_is_named() {
        let words = |secs| minutes(Millis::secs(secs));
        assert_eq!(words(1200), "20 minutes");
        assert_eq!(words(1141), "20 minutes");
        assert_eq!(words(1140), "19 minutes");
        assert_eq!(words(61), "2 minutes");
        assert_eq!(words(60), "1 minute");
        assert_eq!(words(59), "less than a minute");
        assert_eq!(words(0), "less than a minute");
    }
}
