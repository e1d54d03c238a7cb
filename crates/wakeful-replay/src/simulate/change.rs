//! Settings rows.

use std::collections::BTreeMap;

use serde_json::Value;
use wakeful_core::settings::{self, MatchMode};

use super::machine::InForce;

impl InForce {
    /// Takes the settings of a row; those of display, guard and second opinion are nothing that a scenario can see.
    pub(super) fn change(&mut self, changes: &BTreeMap<String, Value>) {
        let now = &mut self.core;
        for (key, value) in changes {
            let minutes = |range: settings::MinutesRange| range.resolve(value.as_f64());
            let on = value.as_bool();
            match key.as_str() {
                "detector.enabled" => now.detector = on.unwrap_or(true),
                "detector.match_mode" if value == "full" => self.match_mode = MatchMode::Full,
                "detector.match_mode" => self.match_mode = MatchMode::Precise,
                "waits.auto_wait_minutes" => now.auto_wait = minutes(settings::AUTO_WAIT),
                "waits.keep_waiting_minutes" => now.keep_waiting = minutes(settings::KEEP_WAITING),
                "waits.unbacked_wait_minutes" => now.unbacked_wait = minutes(settings::UNBACKED_WAIT),
                "waits.external_wait_minutes" => now.external_wait = minutes(settings::EXTERNAL_WAIT),
                "waits.overdue_minutes" => now.overdue = minutes(settings::OVERDUE),
                "waits.promise_check" => now.promise_check = on.unwrap_or(false),
                "check_in.auto" => now.auto_check_in = on.unwrap_or(false),
                "check_in.from_inbox" => now.inbox_check_in = on.unwrap_or(false),
                "check_in.from_inbox_multiple" => now.inbox_multiple = minutes(settings::INBOX_MULTIPLE).0,
                "watchdog.stall_minutes" => now.stall = minutes(settings::STALL),
                _ => {}
            }
        }
    }
}
