//! From the claim to the outcome.

use std::time::Duration;

use jiff::tz::TimeZone;
use wakeful_core::time::{Millis, Now};
use wakeful_engine::notify::claims::{claim, outcome};
use wakeful_engine::notify::ring::{Channel, Did, Outcome, Ring, Skip};
use wakeful_engine::notify::run::{Lately, Machine, Rang, lately, ring_once};

use crate::server::Server;
use crate::world::{AT, ring, silent};

fn ring_in(state: &std::path::Path, ring: &Ring) -> Rang {
    let clock = || AT;
    ring_once(ring, Machine { state, clock: &clock, zone: &TimeZone::UTC }).unwrap()
}

fn did(outcome: &Outcome, channel: Channel) -> &Did {
    &outcome.channels.iter().find(|report| report.channel == channel).unwrap().did
}

#[test]
fn a_channel_that_fails_or_hangs_stops_no_other() {
    let state = tempfile::tempdir().unwrap();
    let (hanging, working) = (Server::start(None), Server::start(Some("HTTP/1.1 204 Fine\r\n\r\n")));
    let mut settings = silent();
    settings.bell.enabled = true;
    settings.command.run = vec!["/nowhere/program".to_owned()];
    settings.webhook.url = Some(hanging.address.clone());
    settings.ntfy.url = Some(working.address.clone());
    let ring = ring(settings);
    let Rang::Ended(ended) = ring_in(state.path(), &ring) else { panic!("claimed") };
    assert_eq!(did(&ended, Channel::Desktop), &Did::Skipped(Skip::ChannelOff));
    assert_eq!(did(&ended, Channel::Bell), &Did::Skipped(Skip::NoTerminal));
    assert_eq!(did(&ended, Channel::Command), &Did::Failed("there is no such program".to_owned()));
    assert_eq!(did(&ended, Channel::Webhook), &Did::Failed("no answer within 5 s".to_owned()));
    assert_eq!(did(&ended, Channel::Ntfy), &Did::Rung);
    assert_eq!(outcome(state.path(), &ring.id), Some(ended));
    assert_eq!(ring_in(state.path(), &ring), Rang::Claimed, "once");
    working.request();
    assert!(working.is_quiet());
}

#[test]
fn a_ring_that_must_not_be_heard_is_claimed_too() {
    let state = tempfile::tempdir().unwrap();
    let server = Server::start(Some("HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n"));
    let mut settings = silent();
    settings.webhook.url = Some(server.address.clone());
    settings.quiet_hours = Some("07:00-09:00".parse().unwrap());
    let ring = ring(settings);
    let Rang::Ended(ended) = ring_in(state.path(), &ring) else { panic!("claimed") };
    assert_eq!(did(&ended, Channel::Webhook), &Did::Skipped(Skip::QuietHours));
    assert_eq!(ended.line(), "webhook skipped: quiet hours");
    assert_eq!(ring_in(state.path(), &ring), Rang::Claimed);
    assert!(server.is_quiet());
}

#[test]
fn the_past_day_in_numbers() {
    let state = tempfile::tempdir().unwrap();
    let mut settings = silent();
    settings.command.run = vec!["/nowhere/program".to_owned()];
    let first = ring(settings);
    ring_in(state.path(), &first);
    let mut second = ring(silent());
    second.id = "other".to_owned().try_into().unwrap();
    drop(claim(state.path(), &second.id).unwrap().unwrap());
    let written = std::fs::metadata(state.path().join("rings/other")).unwrap().modified().unwrap();
    let since = written.duration_since(std::time::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let mut now = Now { wall: wakeful_core::time::Wall(i64::try_from(since.as_millis()).unwrap()), ..AT };
    now = now.plus(Millis::minutes(2));
    let failed = vec![(Channel::Command, 1, "there is no such program".to_owned())];
    assert_eq!(lately(state.path(), now).unwrap(), Lately { ended: 1, rang: 0, died: 1, failed });
    assert_eq!(lately(state.path(), now.plus(Millis::minutes(24 * 60))).unwrap(), Lately::default());
}
