//! The timestamps of transcript lines.

use wakeful_core::time::{Boot, BootId, Now, Wall};

/// The clocks at `text`, an RFC 3339 timestamp. A transcript has no boot clock: it is derived from the wall.
pub(crate) fn now_at(text: &str) -> Option<Now> {
    let wall =
        utc_millis(text).or_else(|| text.parse::<jiff::Timestamp>().ok().map(|at| at.as_millisecond()))?;
    Some(Now { wall: Wall(wall), boot: Boot(u64::try_from(wall).unwrap_or(0)), boot_id: BootId(0) })
}

/// `2026-11-30T19:42:56.822Z`, the only form that the client writes: read at a fraction of a general parser's cost.
fn utc_millis(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.'), (23, b'Z')];
    if bytes.len() != 24 || marks.iter().any(|(at, mark)| bytes[*at] != *mark) {
        return None;
    }
    let number = |from: usize, to: usize| {
        bytes[from..to]
            .iter()
            .try_fold(0_i64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let date =
        jiff::civil::Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
            .ok()?;
    let (hour, minute, second, milli) = (number(11, 13)?, number(14, 16)?, number(17, 19)?, number(20, 23)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(((days_from_epoch(date) * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + milli)
}

/// Days since 1970-01-01 (Howard Hinnant's `days_from_civil`).
fn days_from_epoch(date: jiff::civil::Date) -> i64 {
    let (year, month, day) = (i64::from(date.year()), i64::from(date.month()), i64::from(date.day()));
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_way_is_the_general_way() {
        for text in [
            "1970-01-01T00:00:00.000Z",
            "2026-11-30T19:42:56.822Z",
            "2024-02-29T23:59:59.999Z",
            "2000-03-01T00:00:00.001Z",
            "2100-12-31T12:00:00.500Z",
        ] {
            let general = text.parse::<jiff::Timestamp>().unwrap().as_millisecond();
            assert_eq!(utc_millis(text), Some(general), "{text}");
        }
        assert_eq!(
            now_at("2026-11-30T20:42:56+01:00").unwrap().wall,
            now_at("2026-11-30T19:42:56.000Z").unwrap().wall
        );
        for text in [
            "",
            "yesterday",
            "2026-13-30T19:42:56.822Z",
            "2026-11-30T19:42:5x.822Z",
            "2026-02-30T19:42:56.822Z",
        ] {
            assert_eq!(now_at(text), None, "{text}");
        }
    }
}
