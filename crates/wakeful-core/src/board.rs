//! All sessions of a machine: takes each event to its session, and hands the entries of a cleared conversation to
//! the one that follows it (C5). Live, simulate and replay use this one.

use std::collections::BTreeMap;

use crate::abilities::Abilities;
use crate::effect::Effect;
use crate::event::{Event, EventKind, Inheritance, SessionStart, Source};
use crate::ids::{Client, SessionKey};
use crate::session::Session;
use crate::settings::Settings;
use crate::step::{Ctx, step};
use crate::time::{Millis, Now};

/// The new session of a cleared conversation starts at once (0.1 s seen); one that comes later is another one.
const CLEAR_WINDOW: Millis = Millis::minutes(1);

/// All sessions.
#[derive(Debug, Default)]
pub struct Board {
    sessions: BTreeMap<SessionKey, Session>,
    cleared: Vec<Cleared>,
}

#[derive(Debug)]
struct Cleared {
    client: Client,
    pid: Option<u32>,
    cwd: Option<String>,
    at: Now,
    inheritance: Inheritance,
}

impl Board {
    /// Takes an event to its session. What is to be done comes back with the session that it concerns.
    pub fn apply(
        &mut self,
        now: Now,
        settings: &Settings,
        abilities: impl Fn(Client) -> Abilities,
        event: &Event,
    ) -> Vec<(SessionKey, Effect)> {
        let ctx = Ctx { now, settings, abilities: abilities(event.session.client) };
        let mut effects = self.step(&ctx, event);
        if let EventKind::SessionStarted { start: SessionStart::Clear, place } = &event.kind
            && let Some(inheritance) = self.heir(&event.session, place.pid, place.cwd.as_deref(), now)
        {
            let kind = EventKind::EntriesInherited(Box::new(inheritance));
            let inherited = Event { source: Source::Wakeful, kind, turn: None, ..event.clone() };
            effects.extend(self.step(&ctx, &inherited));
        }
        effects
    }

    fn step(&mut self, ctx: &Ctx<'_>, event: &Event) -> Vec<(SessionKey, Effect)> {
        let key = &event.session;
        let session = self.sessions.remove(key).unwrap_or_else(|| Session::new(key.clone(), ctx.now));
        let (session, effects) = step(ctx, session, event);
        for effect in &effects {
            if let Effect::HandOver(inheritance) = effect {
                self.cleared.push(Cleared {
                    client: key.client,
                    pid: session.place.pid,
                    cwd: session.place.cwd.clone(),
                    at: ctx.now,
                    inheritance: (**inheritance).clone(),
                });
            }
        }
        self.sessions.insert(key.clone(), session);
        effects.into_iter().map(|effect| (key.clone(), effect)).collect()
    }

    /// The entries that the session cleared in this process, or in this folder, left behind.
    fn heir(
        &mut self,
        key: &SessionKey,
        pid: Option<u32>,
        cwd: Option<&str>,
        now: Now,
    ) -> Option<Inheritance> {
        self.cleared.retain(|cleared| now.since(cleared.at) <= CLEAR_WINDOW);
        let same = |cleared: &Cleared| {
            let place = match (cleared.pid, pid) {
                (Some(old), Some(new)) => old == new,
                _ => cleared.cwd.as_deref() == cwd,
            };
            cleared.client == key.client && place
        };
        let at = self.cleared.iter().position(same)?;
        Some(self.cleared.remove(at).inheritance)
    }

    /// The session of this key.
    pub fn get(&self, key: &SessionKey) -> Option<&Session> {
        self.sessions.get(key)
    }

    /// All sessions.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.sessions.values()
    }

    /// Time until the next timer is due; zero if one is.
    pub fn next_timer(&self, now: Now) -> Option<Millis> {
        self.sessions
            .values()
            .flat_map(|session| session.timers.iter())
            .map(|timer| timer.remaining(now))
            .min()
    }

    /// The events of the timers that are due, in the order of their deadlines.
    pub fn due(&self, now: Now) -> Vec<Event> {
        let mut due: Vec<_> = self
            .sessions
            .values()
            .flat_map(|session| session.timers.iter().map(move |timer| (session, timer)))
            .filter(|(_, timer)| timer.due(now))
            .collect();
        due.sort_by_key(|(_, timer)| timer.deadline);
        due.into_iter()
            .map(|(session, timer)| Event {
                session: session.key.clone(),
                source: Source::Timer,
                turn: None,
                agent: None,
                epoch: Some(session.epoch),
                started: None,
                kind: EventKind::TimerFired {
                    kind: timer.kind,
                    epoch: timer.epoch,
                    generation: timer.generation,
                },
            })
            .collect()
    }
}
