//! "For so long, or until": what the user types at *Snooze*.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _, civil};
use wakeful_core::time::Now;

/// Longest snooze: who wants a session away for longer is done with it.
const LONGEST: u32 = 7 * 24 * 60;

/// Minutes of `30`, `30 min`, `2h`, `1h30m`, `14:30` (the next time that clocks show it).
///
/// # Errors
/// Says what can be typed.
pub fn minutes(text: &str, now: Now, zone: &TimeZone) -> Result<u32, String> {
    let text = text.trim();
    let found = match text.split_once(':') {
        Some((hour, minute)) => until(hour, minute, now, zone),
        None => length(text),
    };
    match found {
        Some(minutes) if (1..=LONGEST).contains(&minutes) => Ok(minutes),
        Some(_) => Err("between a minute and seven days".to_owned()),
        None => {
            Err(format!("`{text}` is no time: minutes (30), a length (2h, 1h30m), or a time of day (14:30)"))
        }
    }
}

fn length(text: &str) -> Option<u32> {
    if let Ok(minutes) = text.trim_end_matches("min").trim().parse() {
        return Some(minutes);
    }
    let length: SignedDuration = text.parse().ok()?;
    let seconds = u64::try_from(length.as_secs()).ok()?;
    u32::try_from(seconds.div_ceil(60)).ok()
}

fn until(hour: &str, minute: &str, now: Now, zone: &TimeZone) -> Option<u32> {
    let time = civil::Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()?;
    let now = Timestamp::from_millisecond(now.wall.0).ok()?;
    let today = zone.to_datetime(now).date();
    let at = |day: civil::Date| zone.to_timestamp(day.to_datetime(time)).ok();
    let first = at(today)?;
    let at = if first > now { first } else { at(today.checked_add(1.day()).ok()?)? };
    let seconds = u64::try_from(at.duration_since(now).as_secs()).ok()?;
    u32::try_from(seconds.div_ceil(60)).ok()
}

#[cfg(test)]
mod tests {
    use wakeful_core::time::Wall;

    use super::*;

    #[test]
    fn lengths_and_times_of_day() {
        // 2027-01-15T08:00:00Z.
        let now = Now { wall: Wall(1_800_000_000_000), ..Now::default() };
        let of = |text| minutes(text, now, &TimeZone::UTC).ok();
        assert_eq!(
            ["30", " 30 min", "2h", "1h30m", "90s"].map(of),
            [Some(30), Some(30), Some(120), Some(90), Some(2)]
        );
        assert_eq!(["8:05", "14:30", "08:00", "7:59"].map(of), [Some(5), Some(390), Some(1440), Some(1439)]);
        assert_eq!(["", "soon", "0", "-5", "25:00", "8:61", "999999", "1y"].map(of), [None; 8]);
    }
}
