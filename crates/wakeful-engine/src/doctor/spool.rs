//! The spool itself: can it be read, is there room in it, what in it could not be taken, and do its times fit the clock?

use std::io;
use std::path::PathBuf;

use wakeful_core::time::{Millis, Now, Wall};

use super::finding::{Check, Finding, count, instant};
use crate::live::Unread;
use crate::spool::{DAY, DAY_MOST, Envelope};

/// A clock that is set by the network steps by less; what is this far ahead was written under another clock.
const TOLERANCE: Millis = Millis::secs(60);

/// The size of the spool against what a day may have. `sizes` are its files with their lengths in bytes.
pub(crate) fn size(sizes: io::Result<&[(PathBuf, u64)]>, today: &str) -> Finding {
    let sizes = match sizes {
        Ok(sizes) => sizes,
        Err(error) => {
            return Finding::broken(
                Check::Spool,
                format!("the spool cannot be read: {error}"),
                "make its folder and files your own again",
            );
        }
    };
    let total: u64 = sizes.iter().map(|(_, length)| length).sum();
    let of_today = |(path, _): &&(PathBuf, u64)| {
        path.file_name().is_some_and(|name| name == format!("{today}.jsonl").as_str())
    };
    let day = sizes.iter().find(of_today).map_or(0, |(_, length)| *length);
    let files = count(sizes.len() as u64, "file");
    let seen = format!("{files}, {} in all, {} of {} today", mebi(total), mebi(day), mebi(DAY));
    let advice = "see which hook is called so often (`wakeful list`); tomorrow has a file of its own";
    match day {
        0..=DAY => Finding::ok(Check::Spool, seen),
        _ if day <= DAY_MOST => {
            Finding::warn(Check::Spool, format!("{seen}: only what matters most is still kept"), advice)
        }
        _ => Finding::broken(Check::Spool, format!("{seen}: nothing is kept any more today"), advice),
    }
}

fn mebi(bytes: u64) -> String {
    const MEBI: u64 = 1024 * 1024;
    let tenths = bytes.saturating_mul(10).div_ceil(MEBI);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

/// What could not be taken, by reason. What stood there twice was taken once, and is no loss.
pub(crate) fn unread(unread: Unread) -> Finding {
    let skipped = unread.skipped;
    let reasons = [
        (skipped.damaged, "damaged"),
        (skipped.other_version, "of another version"),
        (skipped.lost, "without their payload"),
        (unread.malformed, "without a session"),
        (unread.not_yet, "of clients that are not read yet"),
    ];
    let said: Vec<String> =
        reasons.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
    if said.is_empty() {
        return Finding::ok(Check::Unread, "every event of the last 3 days could be read");
    }
    let advice = if skipped.other_version > 0 {
        "a newer Wakeful has written some of them: use that one"
    } else {
        "events are missing from the list; if this goes on growing, report it with these numbers"
    };
    Finding::warn(Check::Unread, format!("not read of the last 3 days: {}", said.join(", ")), advice)
}

/// The wall clock against the times in the spool.
pub(crate) fn clock(envelopes: &[Envelope], now: Now) -> Finding {
    let (ahead, here) = (now.wall.plus(TOLERANCE), instant(now.wall));
    let future: Vec<Wall> =
        envelopes.iter().map(|envelope| envelope.at.wall).filter(|wall| *wall > ahead).collect();
    let Some(latest) = future.iter().max() else {
        return Finding::ok(Check::Clock, format!("{here}, and no event is later than that"));
    };
    let events = count(future.len() as u64, "event");
    Finding::warn(
        Check::Clock,
        format!("it is {here} here, with {events} from the future, up to {}", instant(*latest)),
        "the wall clock was set back, or is wrong: check date and time",
    )
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::super::heard::tests::{NOW, envelope};
    use super::*;
    use crate::spool::Skipped;

    #[test]
    fn size_against_the_bound_of_a_day() {
        for (length, state) in
            [(0, State::Ok), (DAY, State::Ok), (DAY + 1, State::Warn), (DAY_MOST + 1, State::Broken)]
        {
            let sizes =
                [("/s/2027-01-14.jsonl".into(), DAY_MOST * 2), ("/s/2027-01-15.jsonl".into(), length)];
            assert_eq!(size(Ok(&sizes), "2027-01-15").state, state, "{length}");
        }
        assert_eq!(size(Ok(&[]), "2027-01-15").seen, "0 files, 0.0 MiB in all, 0.0 MiB of 64.0 MiB today");
        assert_eq!(size(Err(io::ErrorKind::PermissionDenied.into()), "").state, State::Broken);
    }

    #[test]
    fn what_was_skipped_is_said_by_reason() {
        assert_eq!(
            unread(Unread { skipped: Skipped { repeated: 9, ..Skipped::default() }, ..Unread::default() })
                .state,
            State::Ok
        );
        let skipped = Skipped { damaged: 2, other_version: 1, lost: 3, repeated: 0 };
        let found = unread(Unread { skipped, malformed: 4, not_yet: 5 });
        assert_eq!(found.state, State::Warn);
        for said in [
            "2 damaged",
            "1 of another version",
            "3 without their payload",
            "4 without a session",
            "5 of clients",
        ] {
            assert!(found.seen.contains(said), "{}", found.seen);
        }
    }

    #[test]
    fn events_of_the_future() {
        let at = |secs: i64| {
            let mut envelope = envelope("{}");
            envelope.at.wall.0 = NOW.wall.0 + secs * 1000;
            envelope
        };
        assert_eq!(clock(&[at(-5), at(60)], NOW).state, State::Ok);
        let found = clock(&[at(-5), at(61)], NOW);
        assert_eq!(found.state, State::Warn);
        assert!(found.seen.contains("1 event from the future"), "{}", found.seen);
        assert!(clock(&[at(99), at(61)], NOW).seen.contains("2 events from"));
    }
}
