//! When a usage limit is over, from what a client tells its user.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use wakeful_core::time::{Millis, Wall};

/// The earliest believable epoch second in a message; smaller numbers are something else.
const EPOCH_SECONDS_FROM: i64 = 1_500_000_000;
/// And the latest.
const EPOCH_SECONDS_TO: i64 = 4_000_000_000;
/// A reset is named within the minute at most this long after it has passed, in milliseconds: a stale message.
const JUST_PASSED_MS: i64 = 60_000;
/// How Codex says when a limit is over.
const AGAIN_AT: &str = "try again at";
/// And how it said it before.
const AGAIN_IN: &str = "try again in";

/// The instant that a message such as `… resets 3:40pm (Europe/Berlin)` names: the next one at or after `now`.
///
/// Known forms: `resets 3:40pm`, `resets at 5 PM`, `resets 15:40`, `resets Oct 9, 10am`, `resets Oct 9 at 10am`, and
/// the older `limit reached|1750000000`; of Codex `try again at 2:15 PM`, `try again at Oct 9th, 2026 2:15 AM` and the older
/// `try again in 2 days 3 hours 4 minutes`. A zone in brackets that is not `zone` gives `None`: this crate has no table
/// of zones, and a wrong time is worse than none.
pub(crate) fn resets(message: &str, zone: &TimeZone, now: Wall) -> Option<Wall> {
    if let Some((_, rest)) = message.split_once('|')
        && let Some(at) = epoch_seconds(rest)
    {
        return Some(at);
    }
    let lower = message.to_ascii_lowercase();
    if let Some((_, rest)) = lower.split_once(AGAIN_IN) {
        return after(rest).map(|left| now.plus(left));
    }
    // Lowering ASCII moves nothing, so a place in one is the same place in the other.
    let rest = match (lower.find(AGAIN_AT), lower.find("reset")) {
        (Some(at), _) => &message[at + AGAIN_AT.len()..],
        (None, Some(at)) => message[at..].trim_start_matches(|c: char| c.is_ascii_alphabetic()),
        (None, None) => return None,
    };
    if other_zone(rest, zone) {
        return None;
    }
    let mut words = rest
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| {
            !word.is_empty() && !word.eq_ignore_ascii_case("at") && !word.eq_ignore_ascii_case("on")
        })
        .peekable();
    let now_here = zone.to_datetime(Timestamp::from_millisecond(now.0).ok()?);
    let named = match words.peek().and_then(|word| month(word)) {
        Some(month) => {
            words.next();
            Some((month, words.next()?.trim_matches(|c: char| !c.is_ascii_digit()).parse::<i8>().ok()?))
        }
        None => None,
    };
    let year = words.peek().and_then(|word| year(word));
    if year.is_some() {
        words.next();
    }
    let time = clock_time(words.next()?, words.peek().copied())?;
    let instant = |date: Date| {
        zone.to_zoned_datetime(date.to_datetime(time)).ok().map(|z| z.timestamp().as_millisecond())
    };
    let not_passed = |at: &i64| *at >= now.0 - JUST_PASSED_MS;
    let found = match named {
        Some((month, day)) if let Some(year) = year => {
            Date::new(year, month, day).ok().and_then(instant).filter(not_passed)
        }
        Some((month, day)) => (0..2)
            .filter_map(|years| Date::new(now_here.year() + years, month, day).ok())
            .filter_map(instant)
            .find(not_passed),
        None => [Some(now_here.date()), now_here.date().tomorrow().ok()]
            .into_iter()
            .flatten()
            .filter_map(instant)
            .find(not_passed),
    };
    found.map(Wall)
}

/// `2 days 3 hours 4 minutes`, or a part of it.
fn after(text: &str) -> Option<Millis> {
    let mut words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let mut left = None;
    while let Some(number) = words.next().and_then(|word| word.parse::<u32>().ok()) {
        let minutes = match words.next()?.trim_end_matches(['.', 's']) {
            "day" => 24 * 60,
            "hour" => 60,
            "minute" => 1,
            _ => break,
        };
        let more = Millis::minutes(1).0.saturating_mul(u64::from(number) * minutes);
        left = Some(Millis(left.unwrap_or(Millis(0)).0.saturating_add(more)));
    }
    left
}

fn year(word: &str) -> Option<i16> {
    (word.len() == 4).then(|| word.parse().ok()).flatten()
}

fn epoch_seconds(text: &str) -> Option<Wall> {
    let digits: String = text.trim().chars().take_while(char::is_ascii_digit).collect();
    let seconds: i64 = digits.parse().ok()?;
    (EPOCH_SECONDS_FROM..EPOCH_SECONDS_TO).contains(&seconds).then(|| Wall(seconds * 1000))
}

/// A zone stands in brackets, and it is not this one.
fn other_zone(text: &str, zone: &TimeZone) -> bool {
    let named = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name.trim());
    match (named, zone.iana_name()) {
        (Some(named), Some(own)) => !named.eq_ignore_ascii_case(own),
        _ => false,
    }
}

fn month(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let head = word.get(..3)?;
    let at = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(head))?;
    i8::try_from(at + 1).ok()
}

/// `3:40pm`, `5pm`, `15:40`, or `3:40` before a word that is `pm`.
fn clock_time(word: &str, next: Option<&str>) -> Option<Time> {
    let half = |text: &str| match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("am") => Some(0),
        Some("pm") => Some(12),
        _ => None,
    };
    let digits = word.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(word.len());
    let (number, tail) = word.split_at(digits);
    let (hour, minute) = match number.split_once(':') {
        Some((hour, minute)) => (hour.parse::<i8>().ok()?, minute.parse::<i8>().ok()?),
        None => (number.parse::<i8>().ok()?, 0),
    };
    let half = if tail.is_empty() { next.and_then(half) } else { half(tail) };
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        // A bare number ("resets 5 times") is no time of day.
        None if number.contains(':') => hour,
        _ => return None,
    };
    Time::new(hour, minute, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use jiff::tz::Offset;

    use super::*;

    fn at(text: &str) -> Wall {
        Wall(text.parse::<Timestamp>().unwrap().as_millisecond())
    }

    #[test]
    fn forms() {
        let rows = [
            ("You have used it up · resets 3:40pm", Some("2027-01-04T15:40:00Z")),
            ("limit hit, resets at 5 PM", Some("2027-01-04T17:00:00Z")),
            ("limit · resets 8am", Some("2027-01-05T08:00:00Z")),
            ("limit · resets 12am", Some("2027-01-05T00:00:00Z")),
            ("limit · resets 12:30pm (UTC)", Some("2027-01-04T12:30:00Z")),
            ("limit · resets 15:40", Some("2027-01-04T15:40:00Z")),
            ("weekly limit · resets Jan 9, 10am", Some("2027-01-09T10:00:00Z")),
            ("weekly limit · Resets Jan 2 at 10:15am", Some("2028-01-02T10:15:00Z")),
            ("usage limit reached|1799053860", Some("2027-01-04T09:11:00Z")),
            ("limit · resets 3:40pm (Asia/Tokyo)", None),
            ("You are at your limit. Try again at 2:15 PM.", Some("2027-01-04T14:15:00Z")),
            ("limit, buy more or try again at Jan 26th, 2027 2:16 AM.", Some("2027-01-26T02:16:00Z")),
            ("limit, try again at Jan 2nd, 2027 2:16 AM.", None),
            ("limit, try again in 1 day 2 hours 3 minutes.", Some("2027-01-05T11:03:00Z")),
            ("limit, try again in 12 minutes.", Some("2027-01-04T09:12:00Z")),
            ("limit, try again in a while", None),
            ("limit, try again later.", None),
            ("it resets 5 times a day", None),
            ("resets soon", None),
            ("no word of it", None),
            ("resets 99:99", None),
            ("resets", None),
        ];
        for (message, expected) in rows {
            assert_eq!(
                resets(message, &TimeZone::UTC, at("2027-01-04T09:00:00Z")),
                expected.map(at),
                "{message}"
            );
        }
    }

    #[test]
    fn in_the_users_zone() {
        let zone = TimeZone::fixed(Offset::constant(-8));
        let reset = resets("resets 3:40pm (America/Los_Angeles)", &zone, at("2027-01-04T23:50:00Z"));
        assert_eq!(reset, Some(at("2027-01-05T23:40:00Z")));
    }
}
