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
    /// What cleared sessions left behind, and who may take it; the hooks of both come in any order (C3).
    left: Vec<(Spot, Inheritance)>,
    heirs: Vec<Spot>,
}

/// Where and when a conversation was cleared, or the one after it began.
#[derive(Debug)]
struct Spot {
    key: SessionKey,
    pid: Option<u32>,
    cwd: Option<String>,
    at: Now,
}

impl Spot {
    fn of(session: &Session, at: Now) -> Self {
        Self { key: session.key.clone(), pid: session.place.pid, cwd: session.place.cwd.clone(), at }
    }

    /// The same process, or where that is not known, the same folder.
    fn meets(&self, heir: &Self) -> bool {
        let place = match (self.pid, heir.pid) {
            (Some(old), Some(new)) => old == new,
            _ => self.cwd == heir.cwd,
        };
        self.key.client == heir.key.client && self.key != heir.key && place
    }
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
        let started = self.get(&event.session).is_some_and(|session| session.start_seen);
        let mut effects = self.step(&ctx, event);
        if let EventKind::SessionStarted { start: SessionStart::Clear, .. } = &event.kind
            && !started
        {
            self.heirs.extend(self.sessions.get(&event.session).map(|session| Spot::of(session, now)));
        }
        if let Some((heir, inheritance)) = self.heir(now) {
            let kind = EventKind::EntriesInherited(Box::new(inheritance));
            let inherited = Event {
                session: heir,
                source: Source::Wakeful,
                turn: None,
                agent: None,
                epoch: None,
                started: None,
                kind,
            };
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
                self.left.push((Spot::of(&session, ctx.now), (**inheritance).clone()));
            }
        }
        self.sessions.insert(key.clone(), session);
        effects.into_iter().map(|effect| (key.clone(), effect)).collect()
    }

    /// A session that follows a cleared one in its process, or in its folder, and what that one left behind.
    fn heir(&mut self, now: Now) -> Option<(SessionKey, Inheritance)> {
        self.left.retain(|(spot, _)| now.since(spot.at) <= CLEAR_WINDOW);
        self.heirs.retain(|heir| now.since(heir.at) <= CLEAR_WINDOW);
        let pair = |(at, heir): (usize, &Spot)| {
            self.left.iter().position(|(spot, _)| spot.meets(heir)).map(|left| (at, left))
        };
        let (at, left) = self.heirs.iter().enumerate().find_map(pair)?;
        Some((self.heirs.remove(at).key, self.left.remove(left).1))
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
