//! Inputs in, decisions committed, errands out.

use std::collections::{BTreeMap, BTreeSet};

use wakeful_clients::{ClientState, Hook, Readers, Translation, Unknowns, translate_hook_in};
use wakeful_core::board::{Board, Stepped};
use wakeful_core::effect::Effect;
use wakeful_core::event::{Event, EventKind, Source};
use wakeful_core::ids::{Client, Digest, SessionKey};
use wakeful_core::session::Session;
use wakeful_core::time::{Millis, Now};
use wakeful_core::view::SessionView;

use super::face::{Faces, face};
use super::input::{Act, EngineSettings, Input, Outcome, Senses};
use crate::spool::{DeliveryId, Envelope};
use crate::store::{Batch, GuardVerdictRow, OutboxRow, Pos, Repair, SettingsChange, Store, StoreError};

/// A firing consumes its timer, and what it arms is never due at once (T1); the limit is for a mistake in that.
const MOST_FIRINGS: usize = 100_000;

/// The sessions and their store.
pub struct Engine {
    pub(super) store: Store,
    pub(super) board: Board,
    senses: Senses,
    settings: EngineSettings,
    said: ClientState,
    unknowns: Unknowns,
    faces: Faces,
    /// The last instant that the sessions have seen.
    pub(super) cursor: Now,
    /// Which process serves each session, and the boot in which its id means something.
    pub(super) serving: BTreeMap<SessionKey, (u32, Now)>,
    /// Sessions whose process is known to be gone, so that its end is told once.
    pub(super) buried: BTreeSet<SessionKey>,
    /// The sessions include what could not be committed, and must be read again.
    astray: bool,
}

/// What a batch has led to.
#[derive(Debug, Default)]
pub struct Took {
    /// What became of each input, in their order.
    pub outcomes: Vec<Outcome>,
    /// The sessions that were stepped.
    pub changed: Vec<SessionKey>,
    /// What is to be done now.
    pub errands: Vec<OutboxRow>,
    /// The end of the log.
    pub pos: Pos,
}

/// What a batch gathers beside the board.
#[derive(Default)]
struct Gathered {
    /// What was stepped before the last change of the settings.
    stepped: Vec<Stepped>,
    deliveries: Vec<(DeliveryId, Now)>,
    guard: Vec<GuardVerdictRow>,
    requests: Vec<(String, Now, String)>,
    settings: Vec<SettingsChange>,
    said: bool,
    unknowns: Unknowns,
}

impl Engine {
    /// The engine as it was left. No timer has fired yet: first comes what happened meanwhile (the spool), then
    /// [`Engine::take`] lets those that are overdue fire, once each (T4).
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: Store, senses: Senses, now: Now) -> Result<(Self, Vec<Repair>), StoreError> {
        let mut engine = Self {
            store,
            board: Board::default(),
            senses,
            settings: EngineSettings::default(),
            said: ClientState::default(),
            unknowns: Unknowns::default(),
            faces: Faces::default(),
            cursor: now,
            serving: BTreeMap::new(),
            buried: BTreeSet::new(),
            astray: false,
        };
        let repairs = engine.load()?;
        Ok((engine, repairs))
    }

    /// Takes everything from the store, and forgets what was not committed.
    fn load(&mut self) -> Result<Vec<Repair>, StoreError> {
        let left = self.store.left(self.senses.abilities)?;
        self.cursor = left.now.unwrap_or_default(); // a new store has everything before it
        self.said = left.said;
        self.unknowns = left.unknowns;
        self.settings.core = left.settings.unwrap_or_default();
        self.faces = Faces::default();
        self.serving.clear();
        self.buried.clear();
        for kept in &left.sessions {
            let view = SessionView::of(&kept.session, self.cursor);
            self.faces.set(kept.session.key.clone(), face(&view), kept.shown);
            if let Some(pid) = kept.session.place.pid {
                self.serving.insert(kept.session.key.clone(), (pid, kept.session.last_event));
            }
        }
        self.board = Board::restore(left.sessions.into_iter().map(|kept| kept.session), left.clearings);
        self.astray = false;
        Ok(left.repairs)
    }

    /// Takes a batch: user actions first, then what happened, then the timers that are due (S3, spec 30). It is committed when this
    /// returns, or has not happened.
    ///
    /// # Errors
    /// When the store cannot be written. The sessions stand as before then, and nothing is to be done.
    pub fn take(&mut self, now: Now, inputs: Vec<Input>) -> Result<Took, StoreError> {
        self.run(now, inputs, BTreeMap::new(), true)
    }

    pub(super) fn run(
        &mut self,
        now: Now,
        inputs: Vec<Input>,
        spool: BTreeMap<String, u64>,
        fire: bool,
    ) -> Result<Took, StoreError> {
        if self.astray {
            self.load()?;
        }
        let match_mode = self.settings.match_mode;
        let done = self.try_run(now, inputs, spool, fire);
        if done.is_err() {
            self.settings.match_mode = match_mode;
            // A disk that cannot be written can be read as a rule; if not, nothing is taken before it can.
            self.astray = true;
            let _ = self.load();
        }
        done
    }

    fn try_run(
        &mut self,
        now: Now,
        inputs: Vec<Input>,
        spool: BTreeMap<String, u64>,
        fire: bool,
    ) -> Result<Took, StoreError> {
        let mut gathered = Gathered::default();
        let mut outcomes = vec![Outcome::Taken; inputs.len()];
        let (acts, others): (Vec<_>, Vec<_>) =
            inputs.into_iter().enumerate().partition(|(_, input)| matches!(input, Input::Act(_)));
        for (at, input) in acts.into_iter().chain(others) {
            outcomes[at] = self.input(now, input, &mut gathered)?;
        }
        if fire {
            self.pass(now);
            self.fire(now);
        }
        let (changed, errands, pos) = self.commit(gathered, spool)?;
        Ok(Took { outcomes, changed, errands, pos })
    }

    fn input(&mut self, now: Now, input: Input, gathered: &mut Gathered) -> Result<Outcome, StoreError> {
        match input {
            Input::Hook(envelope) => self.hook(now, &envelope, gathered),
            Input::Act(act) => self.act(now, &act, gathered),
            Input::Settings(settings) => {
                self.pass(now);
                if self.settings.core != settings.core {
                    gathered.stepped.append(&mut self.board.take_journal());
                    let (before, settings) = (gathered.stepped.len(), settings.core.clone());
                    gathered.settings.push(SettingsChange { before, now: self.cursor, settings });
                }
                self.settings = *settings;
                Ok(Outcome::Taken)
            }
            Input::Event(event) => {
                self.pass(now);
                self.apply(&event);
                Ok(Outcome::Taken)
            }
        }
    }

    fn hook(
        &mut self,
        now: Now,
        envelope: &Envelope,
        gathered: &mut Gathered,
    ) -> Result<Outcome, StoreError> {
        let twice = gathered.deliveries.iter().any(|(id, _)| *id == envelope.id);
        if twice || self.store.has_taken(&envelope.id)? {
            return Ok(Outcome::Again);
        }
        gathered.deliveries.push((envelope.id.clone(), envelope.at));
        self.pass(if reachable(envelope.at, self.cursor, now) { envelope.at } else { self.cursor });
        let Some(payload) = envelope.payload.raw() else { return Ok(Outcome::Unread) };
        let mode = self.settings.match_mode;
        let read = |text: &str, now: Now| (self.senses.read)(text, mode, now);
        let ctx = Translation {
            now: self.cursor,
            zone: &self.senses.zone,
            readers: Readers { read: &read, never_ends: &self.senses.never_ends },
        };
        let hook = Hook {
            client: envelope.client,
            event_arg: envelope.event.as_deref(),
            payload: payload.as_bytes(),
            started: Some(envelope.at.boot),
        };
        gathered.said |= envelope.client == Client::Cursor;
        let events = translate_hook_in(&mut self.said, hook, &ctx, &mut gathered.unknowns);
        let session = events.as_ref().ok().and_then(|events| Some(events.first()?.session.clone()));
        if let Some(record) = &envelope.guard {
            gathered.guard.push(GuardVerdictRow { now: envelope.at, session, record: record.clone() });
        }
        let Ok(events) = events else { return Ok(Outcome::Unread) };
        for mut event in events {
            if let EventKind::SessionStarted { place, .. } = &mut event.kind {
                place.pid = envelope.pid;
                place.tmux_pane.clone_from(&envelope.tmux);
            }
            if let Some(pid) = envelope.pid {
                self.serving.insert(event.session.clone(), (pid, envelope.at));
            }
            self.apply(&event);
        }
        Ok(Outcome::Taken)
    }

    fn act(&mut self, now: Now, act: &Act, gathered: &mut Gathered) -> Result<Outcome, StoreError> {
        let Some(name) = act.key.as_deref().map(|key| request(key, act)) else {
            return Ok(self.try_act(now, act));
        };
        let in_batch = gathered.requests.iter().find(|(known, ..)| *known == name);
        let answered = in_batch.map(|(_, _, answer)| answer.clone());
        let answered = if answered.is_some() { answered } else { self.store.answered(&name)? };
        if let Some(outcome) = answered.and_then(|answer| serde_json::from_str(&answer).ok()) {
            return Ok(outcome);
        }
        let outcome = self.try_act(now, act);
        gathered.requests.push((name, now, serde_json::to_string(&outcome)?));
        Ok(outcome)
    }

    fn try_act(&mut self, now: Now, act: &Act) -> Outcome {
        let Some(session) = self.board.get(&act.session) else { return Outcome::NoSession };
        let status = session.status();
        if let (Some(seen), Some(shown)) = (act.seen, self.faces.revision(&act.session))
            && seen < shown
        {
            let reason = status.reason().map(|reason| format!(" ({})", reason.name())).unwrap_or_default();
            return Outcome::Conflict {
                why: format!("the session has moved on: it is {}{reason} now", status.name()),
            };
        }
        self.pass(now);
        let kind = EventKind::UserActed(act.action.clone());
        let effects = self.apply(&event(act.session.clone(), Source::User, kind));
        let conflict = effects.into_iter().find_map(|effect| match effect {
            Effect::Conflict { why } => Some(why),
            _ => None,
        });
        conflict.map_or(Outcome::Taken, |why| Outcome::Conflict { why })
    }

    fn apply(&mut self, event: &Event) -> Vec<Effect> {
        match (&event.kind, event.source) {
            (EventKind::ProcessExited { .. }, _) => {
                self.serving.remove(&event.session);
                self.buried.insert(event.session.clone());
            }
            (_, Source::Hook | Source::Transcript | Source::Stream) => {
                self.buried.remove(&event.session);
            }
            _ => {}
        }
        let effects = self.board.apply(self.cursor, &self.settings.core, self.senses.abilities, event);
        effects.into_iter().map(|(_, effect)| effect).collect()
    }

    /// Time has come this far. It never goes back within a boot, and never to an earlier boot.
    fn pass(&mut self, to: Now) {
        if to.boot_id != self.cursor.boot_id || to.boot >= self.cursor.boot {
            self.cursor = to;
        }
    }

    /// The timers that are due, each once.
    fn fire(&mut self, now: Now) {
        let mut left = MOST_FIRINGS;
        while left > 0 {
            let due = self.board.due(now);
            if due.is_empty() {
                break;
            }
            for event in &due {
                self.apply(event);
            }
            left = left.saturating_sub(due.len());
        }
    }

    fn commit(
        &mut self,
        gathered: Gathered,
        spool: BTreeMap<String, u64>,
    ) -> Result<(Vec<SessionKey>, Vec<OutboxRow>, Pos), StoreError> {
        let mut stepped = gathered.stepped;
        stepped.append(&mut self.board.take_journal());
        let new_unknowns = gathered.unknowns != Unknowns::default();
        if new_unknowns {
            self.unknowns.merge(&gathered.unknowns);
        }
        let mut faces = BTreeMap::new();
        let mut sessions = BTreeMap::new();
        let mut cleared = false;
        for step in &stepped {
            let key = &step.event.session;
            cleared |=
                matches!(step.event.kind, EventKind::SessionStarted { .. } | EventKind::SessionEnded { .. });
            let Some(session) = self.board.get(key) else { continue };
            if !faces.contains_key(key) {
                let face = face(&SessionView::of(session, self.cursor));
                let shown = self.faces.shown(key, face);
                faces.insert(key.clone(), (face, shown));
                sessions.insert(key.clone(), (session, shown));
            }
        }
        let nothing = stepped.is_empty()
            && gathered.settings.is_empty()
            && !new_unknowns
            && gathered.deliveries.is_empty()
            && gathered.requests.is_empty()
            && spool.is_empty();
        if nothing {
            return Ok((Vec::new(), Vec::new(), Pos::default()));
        }
        let batch = Batch {
            stepped,
            sessions,
            deliveries: gathered.deliveries,
            guard: gathered.guard,
            settings: gathered.settings,
            requests: gathered.requests,
            spool,
            said: gathered.said.then_some(&self.said),
            clearings: cleared.then_some(self.board.clearings()),
            unknowns: new_unknowns.then_some(&self.unknowns),
            now: self.cursor,
        };
        let (pos, errands) = self.store.commit(&batch)?;
        let changed = faces.keys().cloned().collect();
        for (key, (face, shown)) in faces {
            let at = if let crate::store::ShownAt::At(at) = shown { at } else { pos };
            self.faces.set(key, face, at);
        }
        Ok((changed, errands, pos))
    }

    /// Time until the next timer is due; zero if one is.
    pub fn next_timer(&self, now: Now) -> Option<Millis> {
        self.board.next_timer(now)
    }

    /// The sessions.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.board.sessions()
    }

    /// A session.
    pub fn session(&self, key: &SessionKey) -> Option<&Session> {
        self.board.get(key)
    }

    /// The revision of a session: what a user action on it must name.
    pub fn revision(&self, key: &SessionKey) -> Option<Pos> {
        self.faces.revision(key)
    }

    /// Settings that hold from the start on; nothing else happens at that.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn use_settings(&mut self, settings: EngineSettings) -> Result<(), StoreError> {
        let now = self.cursor;
        self.run(now, vec![Input::Settings(Box::new(settings))], BTreeMap::new(), false).map(|_| ())
    }

    /// The settings in force.
    pub fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// Unknown events and fields seen so far.
    pub fn unknowns(&self) -> &Unknowns {
        &self.unknowns
    }

    /// The store, to ask of it and to strike out errands.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Gives the store back; what was not committed is gone.
    pub fn into_store(self) -> Store {
        self.store
    }

    pub(super) fn forget(&mut self, key: &SessionKey) {
        self.board.forget(key);
        self.faces.forget(key);
        self.serving.remove(key);
        self.buried.remove(key);
    }
}

/// Names a request: the caller's key, and what was asked, so that a key that is used for something else answers for nothing.
fn request(key: &str, act: &Act) -> String {
    let session = act.session.to_string();
    let asked = serde_json::to_vec(&act.action).unwrap_or_default(); // an action can be written down
    format!("{key} {:016x}", Digest::of_parts(&[session.as_bytes(), &asked]).0)
}

/// Is an event of this time one that the sessions have still before them? One of an earlier boot is not once a later one has
/// begun; one of the future is a mistake of some clock.
fn reachable(at: Now, cursor: Now, now: Now) -> bool {
    if at.boot_id == now.boot_id {
        at.boot <= now.boot && (cursor.boot_id != now.boot_id || at.boot >= cursor.boot)
    } else {
        cursor.boot_id != now.boot_id
    }
}

pub(super) fn event(session: SessionKey, source: Source, kind: EventKind) -> Event {
    Event { session, source, turn: None, agent: None, epoch: None, started: None, kind }
}
