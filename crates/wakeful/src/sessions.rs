//! The sessions of this machine for the commands that show them.

use std::path::PathBuf;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use wakeful_clients::Readers;
use wakeful_core::ids::SessionKey;
use wakeful_core::time::{Boot, Millis, Now, Wall};
use wakeful_engine::live::{Fold, LOOK_BACK, Live, find, fold};
use wakeful_engine::paths;
use wakeful_engine::shown::{Prefixes, Shown, in_order};
use wakeful_engine::spool::Spool;
use wakeful_replay::readers;

use crate::error::Error;

/// As of when the sessions are shown.
#[derive(Debug, clap::Args)]
pub struct AsOf {
    /// Show the sessions as of this instant; for tests and for reports of mistakes
    #[arg(long, hide = true, value_name = "INSTANT")]
    now: Option<Timestamp>,
}

impl AsOf {
    /// As they stand.
    pub fn now() -> Self {
        Self { now: None }
    }

    /// Reads the spool and works out how the sessions stand.
    pub fn load(&self) -> Result<Live, Error> {
        let state = state_dir()?;
        let clock = crate::clock::now();
        let until = self.now.map_or(clock.wall, |now| Wall(now.as_millisecond()));
        let since = Wall(until.0 - i64::try_from(LOOK_BACK.0).unwrap_or(i64::MAX));
        let mut found = find(&state, since).map_err(Error::sessions)?;
        let now = match self.now {
            None => clock,
            Some(_) => {
                found.envelopes.retain(|envelope| envelope.at.wall <= until);
                let kept = found.kept.as_ref().and_then(|(_, left)| left.now);
                let last = found.envelopes.last().map(|last| last.at).or(kept);
                last.map_or(Now { wall: until, ..clock }, |last| later(last, until))
            }
        };
        let (settings, zone, rules) =
            (crate::settings::in_force(), TimeZone::system(), crate::rules::in_force());
        let read = |text: &str, now: Now| readers::read(rules, text, settings.match_mode, &zone, now);
        // What lives now says nothing about another time.
        let alive = |pid: u32| self.now.is_some() || lives(pid);
        let by = Fold {
            settings: &settings.core,
            zone: &zone,
            readers: Readers { read: &read, never_ends: &readers::never_ends },
            alive: &alive,
        };
        Ok(fold(found, now, &by))
    }
}

/// The state folder of this user.
pub fn state_dir() -> Result<PathBuf, Error> {
    paths::state_dir(&|name| std::env::var_os(name)).ok_or_else(|| Error::Usage {
        what: "there is no folder for state".to_owned(),
        hint: Some("set HOME, or WAKEFUL_STATE_DIR to a folder of its own".to_owned()),
    })
}

/// The spool of this user.
pub fn spool() -> Result<Spool, Error> {
    Ok(Spool::of(&state_dir()?))
}

/// The clocks of `last` at the wall time `until`.
fn later(last: Now, until: Wall) -> Now {
    let passed = last.wall.until(until);
    Now { wall: until, boot: Boot(last.boot.0 + passed.0), boot_id: last.boot_id }
}

/// Does this process live?
pub fn lives(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    // One that we may not signal lives too, and so does one whose id makes no sense: nothing is known of its end.
    pid.is_none_or(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// All sessions, section by section, the newest first.
pub fn shown(live: &Live) -> Vec<Shown<'_>> {
    let prefixes = Prefixes::new(live.board.sessions().map(|session| session.key.id.as_str()));
    let of = |session| Shown::of(session, live.revision(session), live.now, &prefixes);
    let mut all: Vec<Shown<'_>> = live.board.sessions().map(of).collect();
    in_order(&mut all);
    all
}

/// The session that `given` names: its id, `client/id`, or the beginning of either.
pub fn named(live: &Live, given: &str) -> Result<SessionKey, Error> {
    let keys: Vec<&SessionKey> = live.board.sessions().map(|session| &session.key).collect();
    let exact = keys.iter().filter(|key| key.id.as_str() == given || key.to_string() == given);
    let begins =
        |key: &&&SessionKey| key.id.as_str().starts_with(given) || key.to_string().starts_with(given);
    let mut found: Vec<&SessionKey> = exact.copied().collect();
    if found.is_empty() && !given.is_empty() {
        found = keys.iter().filter(begins).copied().collect();
    }
    match found.as_slice() {
        [key] => Ok((*key).clone()),
        [] => Err(Error::Usage {
            what: format!("no session `{given}`"),
            hint: Some("`wakeful list --all` shows all that are known".to_owned()),
        }),
        several => {
            let lines: Vec<String> = shown(live)
                .iter()
                .filter(|shown| several.contains(&&shown.session.key))
                .map(|shown| format!("{}  {}  {}", shown.session.key, shown.project(), shown.label()))
                .collect();
            Err(Error::Usage {
                what: format!("`{given}` could be any of {}", several.len()),
                hint: Some(lines.join("\n  ")),
            })
        }
    }
}

/// A length of time for people: `40 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. Rounded down.
pub fn length(time: Millis) -> String {
    let (secs, minutes) = (time.0 / 1000, time.0 / 60_000);
    let (hours, days) = (minutes / 60, minutes / (24 * 60));
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{secs} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, _) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// A countdown for people, rounded up like the banner's (W2).
pub fn countdown(left: Millis) -> String {
    if left.0 < 60_000 { "less than a minute".to_owned() } else { length(Millis::minutes(left.minutes_up())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        let all = [40, 61, 3600, 3 * 3600 + 300, 50 * 3600].map(|secs| length(Millis::secs(secs)));
        assert_eq!(all, ["40 s", "1 min", "1 h 0 min", "3 h 5 min", "2 d 2 h"]);
        assert_eq!(
            [59, 60, 61, 3601].map(|secs| countdown(Millis::secs(secs))),
            ["less than a minute", "1 min", "2 min", "1 h 1 min"]
        );
    }

    #[test]
    fn a_process_that_never_was_is_gone() {
        assert!(lives(std::process::id()));
        assert!(!lives(i32::MAX as u32));
        assert!(lives(u32::MAX));
    }
}
