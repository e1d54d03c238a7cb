//! The hours in which nothing rings.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Minutes in a day.
const DAY: u16 = 24 * 60;

/// A span of the day in local time, `22:00-07:00`; it may go over midnight. The first minute is in it, the last is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QuietHours {
    /// Minute of the day, below 1440.
    from: u16,
    /// Minute of the day, above 0 and up to 1440 (`24:00`). Never the same as `from`.
    until: u16,
}

impl QuietHours {
    /// Is this minute of the local day (0 to 1439) a quiet one?
    pub fn contains(self, minute_of_day: u16) -> bool {
        if self.from < self.until {
            (self.from..self.until).contains(&minute_of_day)
        } else {
            minute_of_day >= self.from || minute_of_day < self.until
        }
    }

    /// Minutes from `minute_of_day`, which is quiet, until it is quiet no longer. A whole day of quiet (`00:00-24:00`) gives the
    /// minutes until midnight.
    pub fn left(self, minute_of_day: u16) -> u16 {
        if minute_of_day < self.until {
            self.until - minute_of_day
        } else {
            DAY.saturating_sub(minute_of_day) + self.until
        }
    }
}

/// Why a text is no span of hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("two different times of day are needed, such as 22:00-07:00")]
pub struct NoHours;

impl FromStr for QuietHours {
    type Err = NoHours;

    fn from_str(text: &str) -> Result<Self, NoHours> {
        let (from, until) = text.split_once('-').ok_or(NoHours)?;
        let (from, until) = (minute(from)?, minute(until)?);
        // An end at midnight is the end of a day, not its beginning.
        let until = if until == 0 { DAY } else { until };
        if from >= DAY || from == until {
            return Err(NoHours);
        }
        Ok(Self { from, until })
    }
}

/// `7:05` and `07:05`, up to `24:00`.
fn minute(text: &str) -> Result<u16, NoHours> {
    let (hours, minutes) = text.trim().split_once(':').ok_or(NoHours)?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(hours) || !digits(minutes) || hours.len() > 2 || minutes.len() != 2 {
        return Err(NoHours);
    }
    let (hours, minutes) =
        (hours.parse::<u16>().map_err(|_| NoHours)?, minutes.parse::<u16>().map_err(|_| NoHours)?);
    let minute = hours * 60 + minutes;
    if minutes < 60 && minute <= DAY { Ok(minute) } else { Err(NoHours) }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, until } = *self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, until / 60, until % 60)
    }
}

impl TryFrom<String> for QuietHours {
    type Error = NoHours;

    fn try_from(text: String) -> Result<Self, NoHours> {
        text.parse()
    }
}

impl From<QuietHours> for String {
    fn from(hours: QuietHours) -> Self {
        hours.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_midnight_and_within_a_day() {
        let at = |hours: u16, minutes: u16| hours * 60 + minutes;
        for (text, quiet, loud, left) in [
            ("22:00-07:00", at(23, 59), at(7, 0), 421),
            ("22:00-07:00", at(0, 0), at(21, 59), 420),
            ("12:30-13:00", at(12, 30), at(13, 0), 30),
            ("0:00-24:00", at(23, 0), DAY, 60),
            ("22:00-00:00", at(22, 0), at(0, 0), 120),
        ] {
            let hours: QuietHours = text.parse().unwrap();
            assert!(hours.contains(quiet) && !hours.contains(loud), "{text}");
            assert_eq!(hours.left(quiet), left, "{text}");
        }
    }

    #[test]
    fn what_is_no_span() {
        for text in
            ["", "22:00", "22-7", "22:00-22:00", "24:00-07:00", "22:60-07:00", "25:00-1:00", "+2:00-1:00"]
        {
            assert!(text.parse::<QuietHours>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_comes_back_in_full() {
        for (text, full) in [("7:05-9:00", "07:05-09:00"), ("22:00-0:00", "22:00-24:00")] {
            let hours: QuietHours = text.parse().unwrap();
            assert_eq!(hours.to_string(), full);
            assert_eq!(full.parse(), Ok(hours));
        }
    }
}
