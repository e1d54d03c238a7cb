//! A ring from the claim to the outcome: what the child does.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use jiff::tz::TimeZone;
use wakeful_core::time::Now;

use super::channels::{LIMIT, bell, command, desktop, ntfy, webhook};
use super::claims::{self, claim};
use super::focus::is_focused;
use super::policy::{self, Plan, minute_of_day, plan};
use super::ring::{Channel, Did, Outcome, Report, Ring, Skip};
use super::text::{Text, text};

/// What the caller knows of the machine.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    /// The folder for state.
    pub state: &'a Path,
    /// Reads the clocks.
    pub clock: &'a dyn Fn() -> Now,
    /// The zone of the user.
    pub zone: &'a TimeZone,
}

/// What became of a ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rang {
    /// Someone else has it.
    Claimed,
    /// It has been gone through. The outcome is in the claim.
    Ended(Outcome),
}

/// Claims a ring and rings it.
///
/// # Errors
/// When it cannot be claimed (nothing has rung then), or its outcome cannot be written down (it has rung).
pub fn ring_once(ring: &Ring, machine: Machine<'_>) -> io::Result<Rang> {
    let Some(claim) = claim(machine.state, &ring.id)? else { return Ok(Rang::Claimed) };
    let plans = plan_now(ring, machine);
    let outcome = outcome(ring, &plans, machine);
    claim.close(&outcome)?;
    Ok(Rang::Ended(outcome))
}

/// Goes through the channels without a claim: for a test by the user.
pub fn ring_now(ring: &Ring, plans: &[Plan], machine: Machine<'_>) -> Outcome {
    outcome(ring, plans, machine)
}

/// Which channels would ring at this moment. Whether the session has the focus is looked at only if that can make a difference.
pub fn plan_now(ring: &Ring, machine: Machine<'_>) -> [Plan; 5] {
    let now = (machine.clock)().wall;
    let minute = minute_of_day(now, machine.zone);
    let plan = |focused| plan(&ring.settings, ring.reason, minute, focused);
    let unfocused = plan(false);
    let matters = ring.settings.skip_focused && policy::rings(&unfocused);
    if matters && is_focused(ring, now) { plan(true) } else { unfocused }
}

fn outcome(ring: &Ring, plans: &[Plan], machine: Machine<'_>) -> Outcome {
    let channels = side_by_side(ring, plans, LIMIT);
    Outcome { v: Outcome::VERSION, reason: ring.reason, at: (machine.clock)(), channels }
}

/// Goes through all channels at once, so that one that hangs keeps none waiting. A channel that is not through in time is given up;
/// its thread ends with the process.
fn side_by_side(ring: &Ring, plans: &[Plan], limit: Duration) -> Vec<Report> {
    enum Heard {
        Did(Channel, Did),
        TimeIsUp,
    }
    let (sender, receiver) = mpsc::channel();
    let job = Arc::new((ring.clone(), text(ring)));
    for plan in plans {
        let (job, sender, channel) = (Arc::clone(&job), sender.clone(), plan.channel);
        match plan.skip {
            Some(skip) => drop(sender.send(Heard::Did(channel, Did::Skipped(skip)))),
            None => drop(std::thread::spawn(move || {
                let did = ring_in(channel, &job.0, &job.1, limit);
                sender.send(Heard::Did(channel, did))
            })),
        }
    }
    // A second more than each has of its own, so that its own word on why it was late comes first.
    let (alarm, give_up) = (sender, limit + Duration::from_secs(1));
    std::thread::spawn(move || {
        let (_open, never) = mpsc::channel::<()>();
        let _ = never.recv_timeout(give_up);
        alarm.send(Heard::TimeIsUp)
    });
    let late =
        |plan: &Plan| Report { channel: plan.channel, did: Did::Failed("gave no answer in time".to_owned()) };
    let mut reports: Vec<Report> = plans.iter().map(late).collect();
    for _ in plans {
        match receiver.recv() {
            Ok(Heard::Did(channel, did)) => {
                reports
                    .iter_mut()
                    .filter(|report| report.channel == channel)
                    .for_each(|report| report.did = did.clone());
            }
            Ok(Heard::TimeIsUp) | Err(_) => break,
        }
    }
    reports
}

fn ring_in(channel: Channel, ring: &Ring, text: &Text, limit: Duration) -> Did {
    let at = |url: &Option<String>, ring_there: &dyn Fn(&str) -> Did| {
        url.as_deref().map_or(Did::Skipped(Skip::ChannelOff), ring_there)
    };
    let settings = &ring.settings;
    match channel {
        Channel::Desktop => desktop::ring(text, &|name| std::env::var_os(name)),
        Channel::Bell => bell::ring(ring.pid),
        Channel::Command => command::ring(ring, text, limit),
        Channel::Webhook => at(&settings.webhook.url, &|url| webhook::ring(url, ring, text, limit)),
        Channel::Ntfy => at(&settings.ntfy.url, &|url| ntfy::ring(url, ring, text, limit)),
    }
}

/// How the rings of the past day went: what `doctor` shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lately {
    /// Rings that have been gone through.
    pub ended: usize,
    /// Of those, the ones that rang in at least one channel.
    pub rang: usize,
    /// Rings of which nobody knows how they went.
    pub died: usize,
    /// For each channel that failed: how often, and why the last time.
    pub failed: Vec<(Channel, usize, String)>,
}

/// Looks at the claims of the past day.
///
/// # Errors
/// When the folder cannot be read.
pub fn lately(state: &Path, now: Now) -> io::Result<Lately> {
    let mut lately = Lately::default();
    for claimed in claims::all(state)? {
        if claimed.written.until(now.wall) >= claims::KEEP {
            continue;
        }
        match claims::look(state, &claimed.id, now.wall)? {
            claims::Standing::Ended(outcome) => {
                lately.ended += 1;
                lately.rang += usize::from(outcome.rang());
                for (channel, why) in outcome.failures() {
                    match lately.failed.iter_mut().find(|(failed, ..)| *failed == channel) {
                        Some((_, count, last)) => (*count, *last) = (*count + 1, why.to_owned()),
                        None => lately.failed.push((channel, 1, why.to_owned())),
                    }
                }
            }
            claims::Standing::Died => lately.died += 1,
            claims::Standing::Free | claims::Standing::UnderWay => {}
        }
    }
    Ok(lately)
}
