//! The readers of text and of commands that translation is given, built from the rules in force.

use jiff::tz::TimeZone;
use wakeful_core::ids::RuleId;
use wakeful_core::reading::Reading;
use wakeful_core::settings::MatchMode;
use wakeful_core::time::Now;
use wakeful_prose::{Context, Rules};

/// Reads one last message by `rules`; `zone` turns the time into the one that people write ("at 14:30").
pub fn read(rules: &Rules, text: &str, mode: MatchMode, zone: &TimeZone, now: Now) -> Reading {
    wakeful_prose::read(rules, text, &Context { mode, now: minute_of_day(zone, now) })
}

/// The rule by which a command never ends by itself.
pub fn never_ends(command: &str) -> Option<RuleId> {
    wakeful_shell::never_ends(command).map(|rule| RuleId::new(rule.as_str()))
}

/// Minute of the day at `now` in `zone`; `None` for a time that no calendar has.
pub fn minute_of_day(zone: &TimeZone, now: Now) -> Option<u16> {
    let at = zone.to_datetime(jiff::Timestamp::from_millisecond(now.wall.0).ok()?);
    u16::try_from(i32::from(at.hour()) * 60 + i32::from(at.minute())).ok()
}

/// Does the guard refuse this command under the standard policy? (spec 50)
pub fn refuses(command: &str) -> bool {
    matches!(
        wakeful_shell::guard(command, &wakeful_shell::GuardPolicy::default()),
        wakeful_shell::GuardVerdict::Deny(_)
    )
}
