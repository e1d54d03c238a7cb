//! Which channels ring, and why the others do not. Pure.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use wakeful_core::causes::Reason;
use wakeful_core::time::Wall;

use super::ring::{Channel, Skip};
use crate::settings::NotifySettings;

/// What one channel is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Which channel.
    pub channel: Channel,
    /// Why it does not ring; `None` rings.
    pub skip: Option<Skip>,
}

/// Which channels ring for a reason at this minute of the local day (0 to 1439). `focused`: the session's terminal has the focus.
pub fn plan(settings: &NotifySettings, reason: Reason, minute_of_day: u16, focused: bool) -> [Plan; 5] {
    let all = if !settings.enabled {
        Some(Skip::NotifyOff)
    } else if settings.muted.contains(&reason) {
        Some(Skip::Muted)
    } else if settings.quiet_hours.is_some_and(|hours| hours.contains(minute_of_day)) {
        Some(Skip::QuietHours)
    } else if focused && settings.skip_focused {
        Some(Skip::Focused)
    } else {
        None
    };
    Channel::ALL.map(|channel| {
        let skip = match (on(settings, channel), all) {
            // Off is what it is at any hour.
            (false, _) => Some(Skip::ChannelOff),
            (true, Some(skip)) => Some(skip),
            (true, None) => (!takes(settings, channel, reason)).then_some(Skip::Filtered),
        };
        Plan { channel, skip }
    })
}

/// Every channel that is on rings, whatever the reason, the hour and the focus: for a test.
pub fn every_channel(settings: &NotifySettings) -> [Plan; 5] {
    Channel::ALL.map(|channel| Plan { channel, skip: (!on(settings, channel)).then_some(Skip::ChannelOff) })
}

/// Does anything ring?
pub fn rings(plans: &[Plan]) -> bool {
    plans.iter().any(|plan| plan.skip.is_none())
}

/// The minute of the local day in this zone. Where summer time begins some minutes of a day never come, and where it ends some come
/// twice: quiet hours go by what the clock on the wall shows.
pub fn minute_of_day(wall: Wall, zone: &TimeZone) -> u16 {
    let at = Timestamp::from_millisecond(wall.0).unwrap_or(Timestamp::UNIX_EPOCH);
    let time = zone.to_datetime(at).time();
    u16::try_from(i32::from(time.hour()) * 60 + i32::from(time.minute())).unwrap_or(0)
}

fn on(settings: &NotifySettings, channel: Channel) -> bool {
    match channel {
        Channel::Desktop => settings.desktop.enabled,
        Channel::Bell => settings.bell.enabled,
        Channel::Command => !settings.command.run.is_empty(),
        Channel::Webhook => settings.webhook.url.is_some(),
        Channel::Ntfy => settings.ntfy.url.is_some(),
    }
}

fn takes(settings: &NotifySettings, channel: Channel, reason: Reason) -> bool {
    match channel {
        Channel::Desktop => settings.desktop.takes(reason),
        Channel::Bell => settings.bell.takes(reason),
        Channel::Command => settings.command.takes(reason),
        Channel::Webhook => settings.webhook.takes(reason),
        Channel::Ntfy => settings.ntfy.takes(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ChannelSettings;

    const NOON: u16 = 12 * 60;

    /// Desktop for everything, the bell for questions, ntfy for failures; the others are off.
    fn settings() -> NotifySettings {
        let mut settings = NotifySettings {
            bell: ChannelSettings { enabled: true, reasons: vec![Reason::Question] },
            ..NotifySettings::default()
        };
        settings.ntfy.url = Some("https://ntfy.example/agents".to_owned());
        settings.ntfy.reasons = vec![Reason::Failed, Reason::Orphaned];
        settings
    }

    fn skips(settings: &NotifySettings, reason: Reason, minute: u16, focused: bool) -> [Option<Skip>; 5] {
        plan(settings, reason, minute, focused).map(|plan| plan.skip)
    }

    /// Desktop, bell and ntfy say this; command and webhook are off.
    fn three(desktop: Option<Skip>, bell: Option<Skip>, ntfy: Option<Skip>) -> [Option<Skip>; 5] {
        [desktop, bell, Some(Skip::ChannelOff), Some(Skip::ChannelOff), ntfy]
    }

    #[test]
    fn each_channel_has_its_reasons() {
        let filtered = Some(Skip::Filtered);
        for (reason, expected) in [
            (Reason::Question, three(None, None, filtered)),
            (Reason::Failed, three(None, filtered, None)),
            (Reason::Orphaned, three(None, filtered, None)),
            (Reason::Done, three(None, filtered, filtered)),
        ] {
            assert_eq!(skips(&settings(), reason, NOON, false), expected, "{reason:?}");
        }
    }

    #[test]
    fn what_holds_for_all_of_them() {
        let all = |skip| three(Some(skip), Some(skip), Some(skip));
        let hours = Some("22:00-07:00".parse().unwrap());
        for (name, settings, minute, focused, expected) in [
            ("off", NotifySettings { enabled: false, ..settings() }, NOON, false, all(Skip::NotifyOff)),
            (
                "muted",
                NotifySettings { muted: vec![Reason::Done], ..settings() },
                NOON,
                false,
                all(Skip::Muted),
            ),
            (
                "quiet",
                NotifySettings { quiet_hours: hours, ..settings() },
                3 * 60,
                false,
                all(Skip::QuietHours),
            ),
            ("focused", settings(), NOON, true, all(Skip::Focused)),
        ] {
            assert_eq!(skips(&settings, Reason::Done, minute, focused), expected, "{name}");
        }
        let other = NotifySettings { muted: vec![Reason::Done], quiet_hours: hours, ..settings() };
        assert!(
            rings(&plan(&other, Reason::Question, NOON, false)),
            "neither of this reason nor of this hour"
        );
        let focus_is_no_matter = NotifySettings { skip_focused: false, ..settings() };
        assert!(rings(&plan(&focus_is_no_matter, Reason::Question, NOON, true)));
    }

    #[test]
    fn quiet_hours_over_midnight_to_the_minute() {
        let settings =
            NotifySettings { quiet_hours: Some("22:30-06:15".parse().unwrap()), ..NotifySettings::default() };
        for (hour, minute, quiet) in [
            (22, 29, false),
            (22, 30, true),
            (23, 59, true),
            (0, 0, true),
            (6, 14, true),
            (6, 15, false),
            (12, 0, false),
        ] {
            let rings = rings(&plan(&settings, Reason::Question, hour * 60 + minute, false));
            assert_eq!(rings, !quiet, "{hour}:{minute}");
        }
    }

    /// Central Europe, without a table of zones: one hour on from the last Sunday of March, 02:00, one back in October, 03:00.
    #[test]
    fn quiet_hours_go_by_the_clock_on_the_wall() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let settings =
            NotifySettings { quiet_hours: Some("22:00-07:00".parse().unwrap()), ..NotifySettings::default() };
        let minute = |utc: &str| {
            let at: Timestamp = utc.parse().unwrap();
            minute_of_day(Wall(at.as_millisecond()), &zone)
        };
        for (utc, local, quiet) in [
            // 28 March 2027: 01:59 is followed by 03:00.
            ("2027-03-28T00:59:00Z", (1, 59), true),
            ("2027-03-28T01:00:00Z", (3, 0), true),
            ("2027-03-28T04:59:59Z", (6, 59), true),
            ("2027-03-28T05:00:00Z", (7, 0), false),
            // The day before, 05:00 in UTC was still quiet.
            ("2027-03-27T05:00:00Z", (6, 0), true),
            // 31 October 2027: 02:59 is followed by 02:00.
            ("2027-10-31T00:30:00Z", (2, 30), true),
            ("2027-10-31T01:30:00Z", (2, 30), true),
            ("2027-10-31T05:59:00Z", (6, 59), true),
            ("2027-10-31T06:00:00Z", (7, 0), false),
            ("2027-10-31T20:59:00Z", (21, 59), false),
            ("2027-10-31T21:00:00Z", (22, 0), true),
        ] {
            assert_eq!(minute(utc), local.0 * 60 + local.1, "{utc}");
            let rings = rings(&plan(&settings, Reason::Question, minute(utc), false));
            assert_eq!(rings, !quiet, "{utc}");
        }
        // 28 March 2027, hours that never come.
        let gap: crate::settings::QuietHours = "02:00-03:00".parse().unwrap();
        assert!(
            !gap.contains(minute("2027-03-28T00:59:00Z")) && !gap.contains(minute("2027-03-28T01:00:00Z"))
        );
    }

    #[test]
    fn a_test_rings_all_that_is_on() {
        let settings = NotifySettings { enabled: false, ..settings() };
        assert_eq!(every_channel(&settings).map(|plan| plan.skip), three(None, None, None));
    }
}
