//! All sessions of a machine: takes each event to its session, and hands the entries of a cleared conversation to
//! the one that follows it (C5). Live, simulate and replay use this one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::abilities::Abilities;
use crate::deadlines::Deadlines;
use crate::effect::Effect;
use crate::event::{Event, EventKind, Inheritance, SessionStart, Source};
use crate::ids::{Client, SessionKey};
use crate::session::Session;
use crate::settings::Settings;
use crate::step::{Ctx, step};
use crate::time::{Boot, Millis, Now};

/// The new session of a cleared conversation starts at once (0.1 s seen); one that comes later is another one.
const CLEAR_WINDOW: Millis = Millis::minutes(1);

/// Timers that may fire while time passes in one go: a hundred sessions for a week, each with a wake every minute.
const MOST_FIRINGS: u32 = 1_000_000;

/// All sessions.
#[derive(Debug, Default)]
pub struct Board {
    sessions: BTreeMap<SessionKey, Session>,
    /// The timers of all of them.
    deadlines: Deadlines,
    clearings: Clearings,
    /// What has been stepped since somebody last took it; kept only where somebody does.
    journal: Option<Vec<Stepped>>,
}

/// One event that a session was stepped with (entries that it inherited included), and what followed: a line of its log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stepped {
    /// When.
    pub now: Now,
    /// What.
    pub event: Event,
    /// What was to be done about it.
    pub effects: Vec<Effect>,
}

/// What cleared sessions left behind, and who may take it; the hooks of both come in any order (C3).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Clearings {
    left: Vec<(Spot, Inheritance)>,
    heirs: Vec<Spot>,
}

/// Where and when a conversation was cleared, or the one after it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// A board as it was left: its sessions and the clearings that were under way. From here on it keeps a journal.
    pub fn restore(sessions: impl IntoIterator<Item = Session>, clearings: Clearings) -> Self {
        let mut board = Self { clearings, journal: Some(Vec::new()), ..Self::default() };
        for session in sessions {
            board.put(session);
        }
        board
    }

    /// What is under way between sessions, beside the sessions themselves.
    pub fn clearings(&self) -> &Clearings {
        &self.clearings
    }

    /// What has been stepped since the last call, in order. Empty if the board keeps no journal.
    pub fn take_journal(&mut self) -> Vec<Stepped> {
        self.journal.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn put(&mut self, session: Session) {
        self.deadlines.set(&session.key, session.timers.iter());
        self.sessions.insert(session.key.clone(), session);
    }

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
            self.clearings
                .heirs
                .extend(self.sessions.get(&event.session).map(|session| Spot::of(session, now)));
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
                self.clearings.left.push((Spot::of(&session, ctx.now), (**inheritance).clone()));
            }
        }
        self.put(session);
        if let Some(journal) = &mut self.journal {
            journal.push(Stepped { now: ctx.now, event: event.clone(), effects: effects.clone() });
        }
        effects.into_iter().map(|effect| (key.clone(), effect)).collect()
    }

    /// A session that follows a cleared one in its process, or in its folder, and what that one left behind.
    fn heir(&mut self, now: Now) -> Option<(SessionKey, Inheritance)> {
        let Clearings { left, heirs } = &mut self.clearings;
        left.retain(|(spot, _)| now.since(spot.at) <= CLEAR_WINDOW);
        heirs.retain(|heir| now.since(heir.at) <= CLEAR_WINDOW);
        let pair = |(at, heir): (usize, &Spot)| {
            left.iter().position(|(spot, _)| spot.meets(heir)).map(|left| (at, left))
        };
        let (at, from) = heirs.iter().enumerate().find_map(pair)?;
        Some((heirs.remove(at).key, left.remove(from).1))
    }

    /// Forgets a session that is over.
    pub fn forget(&mut self, key: &SessionKey) {
        self.sessions.remove(key);
        self.deadlines.set(key, std::iter::empty());
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
        self.deadlines.next(now)
    }

    /// Lets time pass from one reading of the clocks to the next, firing the timers on the way, each at its own time.
    /// Effects come back with the time at which they arose. Over a restart of the machine the wall clock counts (T4).
    pub fn advance(
        &mut self,
        from: Now,
        to: Now,
        settings: &Settings,
        abilities: impl Fn(Client) -> Abilities + Copy,
    ) -> Vec<(Now, SessionKey, Effect)> {
        let (mut effects, mut now) = (Vec::new(), rebased(from, to));
        // Every firing consumes a timer, and none is armed for nothing; the limit is for a mistake in that.
        let mut firings_left = MOST_FIRINGS;
        while let Some(next) = self.next_timer(now) {
            if next > now.boot.until(to.boot) || firings_left == 0 {
                break;
            }
            now = now.plus(next);
            self.fire(now, settings, abilities, &mut effects);
            firings_left -= 1;
        }
        // What a stepped wall clock, or the time that the machine was off, has made due.
        self.fire(to, settings, abilities, &mut effects);
        effects
    }

    fn fire(
        &mut self,
        now: Now,
        settings: &Settings,
        abilities: impl Fn(Client) -> Abilities + Copy,
        effects: &mut Vec<(Now, SessionKey, Effect)>,
    ) {
        for event in self.due(now) {
            let of_event = self.apply(now, settings, abilities, &event);
            effects.extend(of_event.into_iter().map(|(key, effect)| (now, key, effect)));
        }
    }

    /// The events of the timers that are due, in the order of their deadlines.
    pub fn due(&self, now: Now) -> Vec<Event> {
        let timer = |(key, kind): (SessionKey, _)| {
            let session = self.sessions.get(&key)?;
            Some((session, session.timers.get(kind)?))
        };
        let mut due: Vec<_> = self.deadlines.due(now).into_iter().filter_map(timer).collect();
        due.sort_by_key(|(session, timer)| (timer.deadline, &session.key, timer.kind));
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

/// `from` on the clocks of the boot of `to`: the same wall time, and as far before `to` as the wall clock says.
fn rebased(from: Now, to: Now) -> Now {
    if from.boot_id == to.boot_id {
        return from;
    }
    let passed = from.wall.until(to.wall);
    Now { wall: from.wall, boot: Boot(to.boot.0.saturating_sub(passed.0)), boot_id: to.boot_id }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abilities::{Delivery, SelfWake};
    use crate::causes::Reason;
    use crate::event::Opener;
    use crate::ids::{Digest, SessionId, TurnId};
    use crate::session::Status;
    use crate::time::{BootId, Wall};

    fn abilities(_: Client) -> Abilities {
        Abilities {
            wakes_itself: SelfWake::Yes,
            delivery: Delivery::None,
            delivery_timeout: Millis::secs(60),
        }
    }

    fn at(minutes: u64, boot_id: u64) -> Now {
        let start = Now { wall: Wall(1_800_000_000_000), boot: Boot(1000), boot_id: BootId(boot_id) };
        start.plus(Millis::minutes(minutes))
    }

    /// A board with one open turn since minute 0 of boot 1; its stall watchdog is due at minute 20.
    fn working() -> (Board, SessionKey) {
        let session = SessionKey { client: Client::ClaudeCode, id: SessionId::new("s") };
        let kind = EventKind::PromptSubmitted {
            opener: Opener::User,
            digest: Digest(1),
            reports: Vec::new(),
            label: "build it".to_owned(),
        };
        let turn = Some(TurnId::new("t"));
        let event = Event {
            session: session.clone(),
            source: Source::Hook,
            turn,
            agent: None,
            epoch: None,
            started: None,
            kind,
        };
        let mut board = Board::default();
        board.apply(at(0, 1), &Settings::default(), abilities, &event);
        (board, session)
    }

    fn status(board: &Board, key: &SessionKey) -> Status {
        board.get(key).unwrap().status()
    }

    #[test]
    fn timers_fire_at_their_own_time() {
        let (mut board, key) = working();
        board.advance(at(0, 1), at(19, 1), &Settings::default(), abilities);
        assert_eq!(status(&board, &key), Status::Working);
        let effects = board.advance(at(19, 1), at(90, 1), &Settings::default(), abilities);
        assert_eq!(status(&board, &key), Status::NeedsYou(Reason::Stalled));
        assert!(effects.iter().any(|(now, _, effect)| *now == at(20, 1) && matches!(effect, Effect::Arm(_))));
        assert!(effects.iter().any(|(_, _, effect)| matches!(effect, Effect::Notify(_))));
    }

    #[test]
    fn after_a_restart_of_the_machine_the_wall_clock_counts() {
        let (mut board, key) = working();
        // Restarted: the boot clock of the new boot has run for a minute only.
        let later = |minutes| Now { boot: Boot(60_000), ..at(minutes, 2) };
        board.advance(at(0, 1), later(19), &Settings::default(), abilities);
        assert_eq!(status(&board, &key), Status::Working);
        board.advance(at(0, 1), later(21), &Settings::default(), abilities);
        assert_eq!(status(&board, &key), Status::NeedsYou(Reason::Stalled));
    }
}
