//! `wakeful notify`: which channels would ring, and a ring to try them. A command of its own and no part of `doctor`, which changes
//! nothing and may be run by anyone at any time, while this makes phones ring.

use std::io::{self, Write};

use jiff::tz::TimeZone;
use serde::Serialize;
use wakeful_core::causes::Reason;
use wakeful_core::ids::{Client, SessionId, SessionKey};
use wakeful_core::time::Wall;
use wakeful_engine::notify::policy::{Plan, every_channel};
use wakeful_engine::notify::ring::{Channel, Did, Report, Ring, RingId, RingSession, Skip};
use wakeful_engine::notify::run::{Machine, plan_now, ring_now};
use wakeful_engine::notify::words;
use wakeful_engine::paths::settings_file;
use wakeful_engine::settings::{Environment, NotifySettings, load};

use super::ring::state;
use crate::clock::now;
use crate::error::{Answer, Error};
use crate::output::print;
use wakeful_engine::shown::VERSION;

/// Say what would ring now and why the rest would not; with --test, ring it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "--test without --reason rings every channel that is on, at any hour; with --reason it rings what a session with \
                        that reason would ring now. Exits with 1 when a channel failed."
)]
pub struct Args {
    /// Ring now
    #[arg(long)]
    test: bool,
    /// The reason to ring for [default: question]
    #[arg(long, value_parser = reason)]
    reason: Option<Reason>,
    /// Print one JSON object (docs/json.md)
    #[arg(long)]
    json: bool,
}

fn reason(name: &str) -> Result<Reason, String> {
    words::reason(name).ok_or_else(|| {
        let names: Vec<_> = Reason::ALL.iter().map(|reason| reason.name()).collect();
        format!("there are {}", names.join(", "))
    })
}

#[derive(Serialize)]
struct Tested<'a> {
    version: u32,
    reason: Reason,
    channels: &'a [Report],
}

#[derive(Serialize)]
struct Planned {
    version: u32,
    reason: Reason,
    channels: Vec<PlannedChannel>,
}

#[derive(Serialize)]
struct PlannedChannel {
    channel: Channel,
    rings: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Skip>,
}

impl Args {
    /// Says what rings, or rings it.
    pub fn run(self) -> Result<Answer, Error> {
        let (state, zone) = (state()?, TimeZone::system());
        let machine = Machine { state: &state, clock: &now, zone: &zone };
        let ring = example(self.reason.unwrap_or(Reason::Question), settings()?);
        if !self.test {
            return self.planned(ring.reason, plan_now(&ring, machine));
        }
        let plans = match self.reason {
            None => every_channel(&ring.settings),
            Some(_) => plan_now(&ring, machine),
        };
        let outcome = ring_now(&ring, &plans, machine);
        print(|out| {
            if self.json {
                let tested = Tested { version: VERSION, reason: ring.reason, channels: &outcome.channels };
                return json(out, &tested);
            }
            outcome.channels.iter().try_for_each(|Report { channel, did }| match did {
                Did::Rung => line(out, *channel, "rang"),
                Did::Skipped(Skip::ChannelOff) => line(out, *channel, Skip::ChannelOff.words()),
                Did::Skipped(skip) => line(out, *channel, &format!("skipped: {}", skip.words())),
                Did::Failed(why) => line(out, *channel, &format!("failed: {why}")),
            })
        })?;
        Ok(if outcome.failures().next().is_some() { Answer::No } else { Answer::Yes })
    }

    fn planned(&self, reason: Reason, plans: [Plan; 5]) -> Result<Answer, Error> {
        print(|out| {
            if self.json {
                let channels = plans.map(|Plan { channel, skip }| PlannedChannel {
                    channel,
                    rings: skip.is_none(),
                    why: skip,
                });
                return json(out, &Planned { version: VERSION, reason, channels: channels.into() });
            }
            plans.iter().try_for_each(|plan| match plan.skip {
                None => line(out, plan.channel, "would ring"),
                Some(Skip::ChannelOff) => line(out, plan.channel, Skip::ChannelOff.words()),
                Some(skip) => line(out, plan.channel, &format!("would not ring: {}", skip.words())),
            })
        })?;
        Ok(Answer::Yes)
    }
}

fn json(out: &mut dyn Write, object: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, object)?;
    writeln!(out)
}

fn line(out: &mut dyn Write, channel: Channel, says: &str) -> io::Result<()> {
    writeln!(out, "{:<8} {says}", channel.name())
}

/// The settings in force. Where they are at fault this says so and stops: a test of the defaults would prove nothing.
fn settings() -> Result<NotifySettings, Error> {
    let settings = load(settings_file(&env).as_deref(), &Environment::read(&env))?;
    Ok(settings.settings.notify)
}

fn env(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

/// A ring of no session, in this very terminal.
fn example(reason: Reason, settings: NotifySettings) -> Ring {
    let at = now();
    let project = std::env::current_dir().ok();
    let project = project.and_then(|dir| Some(dir.file_name()?.to_string_lossy().into_owned()));
    Ring {
        id: RingId::of_row(0, Wall(at.wall.0)),
        at,
        session: RingSession {
            key: SessionKey { client: Client::ClaudeCode, id: SessionId::new("test") },
            name: Some("Test of Wakeful".to_owned()),
            project,
            label: None,
        },
        reason,
        detail: Some("This is how it looks when a session needs you.".to_owned()),
        pid: Some(std::process::id()),
        tmux_pane: std::env::var("TMUX_PANE").ok(),
        settings,
    }
}
