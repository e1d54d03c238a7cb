//! The schedules of the client's list: five fields, in the user's zone, to the time of the next fire.
//!
//! `session_crons` has no fire time (2.1.332), only `M H * * *` for a one-shot wake-up and whatever the agent wrote
//! for a cron row. Own evaluation: five bit sets and a walk over days are less than a dependency would be to trust.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use wakeful_core::time::Wall;

/// How many days to look ahead: a 29th of February is at most eight years away.
const HORIZON_DAYS: u32 = 8 * 366 + 1;
/// One minute in the unit of [`Wall`].
const MINUTE_MS: i64 = 60_000;

/// A five-field schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Both day fields are restricted: then either one is enough (the rule of cron).
    either_day: bool,
}

impl Schedule {
    /// Reads `M H DOM MON DOW`; `None` if it is not five good fields.
    pub fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else { return None };
        let week = set(weekdays, 0, 7, &WEEKDAYS)?;
        Some(Self {
            minutes: set(minutes, 0, 59, &[])?,
            hours: set(hours, 0, 23, &[])?,
            days: set(days, 1, 31, &[])?,
            months: set(months, 1, 12, &MONTHS)?,
            // 7 is Sunday too.
            weekdays: (week | (week >> 7)) & 0x7f,
            either_day: !days.starts_with('*') && !weekdays.starts_with('*'),
        })
    }

    /// The first fire after `after` in `zone`; `None` if there is none within eight years.
    pub fn next(&self, zone: &TimeZone, after: Wall) -> Option<Wall> {
        let start = Timestamp::from_millisecond(after.0).ok()?;
        let mut date = zone.to_datetime(start).date();
        for _ in 0..HORIZON_DAYS {
            if self.fires_on(date)
                && let Some(fire) = self.first_on(date, zone, after)
            {
                return Some(fire);
            }
            date = date.tomorrow().ok()?;
        }
        None
    }

    /// When a row of the client's list fires next, seen at `now`.
    ///
    /// A one-shot whose minute and hour are fixed and are those of `now` is firing now, not tomorrow: the client
    /// takes it off the list only when its turn starts.
    pub fn due(&self, recurring: bool, zone: &TimeZone, now: Wall) -> Option<Wall> {
        let pinned = self.minutes.count_ones() == 1 && self.hours.count_ones() == 1;
        let after = if pinned && !recurring { now.0 - now.0.rem_euclid(MINUTE_MS) - 1 } else { now.0 };
        self.next(zone, Wall(after))
    }

    fn fires_on(&self, date: Date) -> bool {
        let day = has(self.days, date.day());
        let weekday = has(self.weekdays, date.weekday().to_sunday_zero_offset());
        has(self.months, date.month()) && if self.either_day { day || weekday } else { day && weekday }
    }

    fn first_on(&self, date: Date, zone: &TimeZone, after: Wall) -> Option<Wall> {
        let hours = (0..24).filter(|hour| has(self.hours, *hour));
        hours
            .flat_map(|hour| {
                (0..60).filter(|minute| has(self.minutes, *minute)).map(move |minute| (hour, minute))
            })
            .filter_map(|(hour, minute)| {
                // A time that the change to summer time skips fires after the gap.
                let zoned = zone.to_zoned_datetime(date.at(hour, minute, 0, 0)).ok()?;
                Some(zoned.timestamp().as_millisecond())
            })
            .find(|fire| *fire > after.0)
            .map(Wall)
    }
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

fn has(set: u64, value: i8) -> bool {
    u32::try_from(value).is_ok_and(|bit| set & (1_u64 << bit) != 0)
}

/// One field as a bit set of `low..=high`; `names` are the names of the values, the first one that of `low`.
fn set(field: &str, low: u32, high: u32, names: &[&str]) -> Option<u64> {
    let value = |text: &str| -> Option<u32> {
        let named = names.iter().position(|name| name.eq_ignore_ascii_case(text));
        let value = match named {
            Some(at) => low + u32::try_from(at).ok()?,
            None => text.parse().ok()?,
        };
        (low..=high).contains(&value).then_some(value)
    };
    let mut bits = 0_u64;
    for part in field.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<u32>().ok().filter(|step| *step > 0)?)),
            None => (part, None),
        };
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (low, high),
            Some((from, to)) => (value(from)?, value(to)?),
            // `5/10` means "from 5 on, every 10".
            None => (value(range)?, if step.is_some() { high } else { value(range)? }),
        };
        if from > to {
            return None;
        }
        (from..=to).step_by(usize::try_from(step.unwrap_or(1)).ok()?).for_each(|bit| bits |= 1 << bit);
    }
    Some(bits)
}

#[cfg(test)]
mod tests {
    use jiff::tz::Offset;

    use super::*;

    fn at(text: &str) -> Wall {
        Wall(text.parse::<Timestamp>().unwrap().as_millisecond())
    }

    fn berlin() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
    }

    #[test]
    fn next_fire() {
        let utc = TimeZone::UTC;
        let rows = [
            ("44 19 * * *", "2026-11-30T19:42:53Z", "2026-11-30T19:44:00Z"),
            ("44 19 * * *", "2026-11-30T19:44:00Z", "2026-12-01T19:44:00Z"),
            ("* * * * *", "2026-11-30T19:42:53Z", "2026-11-30T19:43:00Z"),
            ("*/15 * * * *", "2026-11-30T23:46:00Z", "2026-12-01T00:00:00Z"),
            ("7/20 * * * *", "2026-11-30T23:08:00Z", "2026-11-30T23:27:00Z"),
            ("20 9 4 1 *", "2027-01-04T09:00:00Z", "2027-01-04T09:20:00Z"),
            ("20 9 4 1 *", "2027-01-04T09:20:00Z", "2028-01-04T09:20:00Z"),
            ("0 9 * * 1-5", "2027-01-08T10:00:00Z", "2027-01-11T09:00:00Z"),
            ("0 9 * * mon", "2027-01-08T10:00:00Z", "2027-01-11T09:00:00Z"),
            ("0 9 * * 7", "2027-01-08T10:00:00Z", "2027-01-10T09:00:00Z"),
            ("0 0 29 feb *", "2027-01-08T10:00:00Z", "2028-02-29T00:00:00Z"),
            // Both day fields: either one fires.
            ("0 9 13 * 5", "2027-01-09T10:00:00Z", "2027-01-13T09:00:00Z"),
            ("0 8,20 * * *", "2027-01-09T10:00:00Z", "2027-01-09T20:00:00Z"),
        ];
        for (schedule, after, fire) in rows {
            let next = Schedule::parse(schedule).unwrap().next(&utc, at(after));
            assert_eq!(next, Some(at(fire)), "{schedule} after {after}");
        }
    }

    #[test]
    fn the_zone_counts() {
        let schedule = Schedule::parse("30 9 * * *").unwrap();
        let east = TimeZone::fixed(Offset::constant(9));
        assert_eq!(schedule.next(&east, at("2027-01-04T00:00:00Z")), Some(at("2027-01-04T00:30:00Z")));
        // Summer time: 2:30 is skipped on 28 March 2027 and fires at 3:30 summer time.
        let skipped = Schedule::parse("30 2 * * *").unwrap();
        assert_eq!(skipped.next(&berlin(), at("2027-03-28T00:00:00Z")), Some(at("2027-03-28T01:30:00Z")));
        // 2:30 comes twice on 31 October 2027: the first one.
        assert_eq!(skipped.next(&berlin(), at("2027-10-30T12:00:00Z")), Some(at("2027-10-31T00:30:00Z")));
    }

    #[test]
    fn a_pinned_one_shot_of_this_minute_is_due_now() {
        let schedule = Schedule::parse("44 19 * * *").unwrap();
        let now = at("2026-11-30T19:44:00.592Z");
        assert_eq!(schedule.due(false, &TimeZone::UTC, now), Some(at("2026-11-30T19:44:00Z")));
        assert_eq!(schedule.due(true, &TimeZone::UTC, now), Some(at("2026-12-01T19:44:00Z")));
        let every = Schedule::parse("* * * * *").unwrap();
        assert_eq!(every.due(false, &TimeZone::UTC, now), Some(at("2026-11-30T19:45:00Z")));
    }

    #[test]
    fn what_is_no_schedule() {
        for text in [
            "",
            "* * * *",
            "* * * * * *",
            "60 * * * *",
            "* 24 * * *",
            "x * * * *",
            "5-1 * * * *",
            "*/0 * * * *",
        ] {
            assert_eq!(Schedule::parse(text), None, "{text:?}");
        }
        // A 31st of February never comes.
        assert_eq!(
            Schedule::parse("0 0 31 2 *").unwrap().next(&TimeZone::UTC, at("2027-01-01T00:00:00Z")),
            None
        );
    }
}
