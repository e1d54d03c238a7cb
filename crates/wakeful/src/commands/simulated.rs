//! What scenarios are played on: the engine and the store that the daemon has, without its threads and sockets.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use tempfile::TempDir;
use wakeful_clients::abilities::abilities;
use wakeful_core::effect::Message;
use wakeful_core::event::{Event, EventKind, ExitCause, Source, UserAction};
use wakeful_core::ids::SessionKey;
use wakeful_core::time::{Millis, Now};
use wakeful_core::view::SessionView;
use wakeful_engine::engine::{Act, Engine, EngineSettings, Input, IntakeError, Senses};
use wakeful_engine::spool::{DeliveryId, Envelope, Payload, Spool, VERSION};
use wakeful_engine::store::{Errand, OutboxRow, Store, StoreError};
use wakeful_prose::Rules;
use wakeful_replay::readers;
use wakeful_replay::simulate::{Found, HookCall, InForce, Machine};

/// Wakeful on a simulated machine.
pub struct Simulated {
    place: Place,
    engine: Option<Engine>,
    /// Hooks so far: each delivery has its number.
    calls: u64,
    done: BTreeMap<SessionKey, Done>,
}

/// Where it keeps what it knows.
enum Place {
    /// Nowhere: it is never killed.
    Memory,
    /// In a folder, which goes with it.
    Folder(TempDir),
}

/// Errands that were carried out for a session.
#[derive(Debug, Clone, Copy, Default)]
struct Done {
    notifications: u32,
    check_ins: u32,
}

/// Why a scenario could not be played on.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The spool.
    #[error("the spool: {0}")]
    Spool(#[from] std::io::Error),
}

impl From<IntakeError> for Fault {
    fn from(error: IntakeError) -> Self {
        match error {
            IntakeError::Spool(error) => Self::Spool(error),
            IntakeError::Store(error) => Self::Store(error),
        }
    }
}

impl Simulated {
    /// One that has yet to be started. `durable`: it may be killed, and finds what it knew.
    pub fn new(durable: bool) -> Result<Self, Fault> {
        let place = if durable { Place::Folder(TempDir::new()?) } else { Place::Memory };
        Ok(Self { place, engine: None, calls: 0, done: BTreeMap::new() })
    }

    fn spool(&self) -> Option<Spool> {
        match &self.place {
            Place::Memory => None,
            Place::Folder(folder) => Some(Spool::of(folder.path())),
        }
    }

    fn take(&mut self, now: Now, inputs: Vec<Input>) -> Result<(), Fault> {
        let Some(engine) = &mut self.engine else { return Ok(()) };
        let took = engine.take(now, inputs)?;
        self.carry_out(now, &took.errands)
    }

    /// The user is told, and messages arrive.
    fn carry_out(&mut self, now: Now, errands: &[OutboxRow]) -> Result<(), Fault> {
        let Some(engine) = &mut self.engine else { return Ok(()) };
        for row in errands {
            let done = self.done.entry(row.session.clone()).or_default();
            match row.errand {
                Errand::Notify(_) => done.notifications += 1,
                Errand::Send(Message::CheckIn) => done.check_ins += 1,
                Errand::Send(_) => {}
            }
            engine.store().strike_out(row.id, now.wall, "done")?;
        }
        Ok(())
    }
}

impl Machine for Simulated {
    type Error = Fault;

    /// Every hook hands its event over twice: to Wakeful, if it runs, and to the spool, as one does that was not answered in time
    /// (C1). None may have an effect twice.
    fn hook(&mut self, now: Now, call: HookCall<'_>) -> Result<(), Fault> {
        self.calls += 1;
        let envelope = Envelope {
            v: VERSION,
            id: DeliveryId(format!("{:026}", self.calls)),
            client: call.client,
            event: call.event.map(str::to_owned),
            via: None,
            at: now,
            pid: None,
            tmux: None,
            payload: Payload::of(call.payload.as_bytes()),
            guard: None,
        };
        if let Some(spool) = self.spool() {
            spool.append(&envelope, true)?;
            if self.engine.is_none() {
                spool.append(&envelope, true)?;
            }
        }
        self.take(now, vec![Input::Hook(Box::new(envelope))])
    }

    fn event(&mut self, now: Now, event: Event) -> Result<(), Fault> {
        self.take(now, vec![Input::Event(Box::new(event))])
    }

    fn act(&mut self, now: Now, session: SessionKey, action: UserAction) -> Result<(), Fault> {
        let act = Act { session, action, seen: None, key: None };
        self.take(now, vec![Input::Act(Box::new(act))])
    }

    fn settings(&mut self, now: Now, settings: &InForce) -> Result<(), Fault> {
        self.take(now, vec![Input::Settings(Box::new(engine_settings(settings)))])
    }

    fn tick(&mut self, now: Now) -> Result<(), Fault> {
        self.take(now, Vec::new())
    }

    fn next_timer(&self, now: Now) -> Option<Millis> {
        self.engine.as_ref()?.next_timer(now)
    }

    /// Nothing is closed in order: what is not in the file is lost.
    fn kill(&mut self) {
        self.engine = None;
    }

    /// As the daemon starts: the spool, the transcripts, the dead; then what is overdue fires, once.
    fn start(&mut self, now: Now, settings: &InForce, found: Found) -> Result<(), Fault> {
        let store = match &self.place {
            Place::Memory => Store::in_memory()?,
            Place::Folder(folder) => Store::open(folder.path())?,
        };
        let (mut engine, _) = Engine::open(store, senses(), now)?;
        engine.use_settings(engine_settings(settings))?;
        let mut errands = engine.store().open_errands()?; // committed, and then it was killed
        if let Some(spool) = self.spool() {
            errands.extend(engine.take_spool(now, spool.dir())?.errands);
        }
        let mut inputs: Vec<Input> =
            found.events.into_iter().map(|event| Input::Event(Box::new(event))).collect();
        inputs.extend(engine.gone(now, |_| true));
        for session in found.gone {
            let kind = EventKind::ProcessExited { cause: ExitCause::Unknown };
            let source = Source::Process;
            let event = Event { session, source, turn: None, agent: None, epoch: None, started: None, kind };
            inputs.push(Input::Event(Box::new(event)));
        }
        errands.extend(engine.take(now, inputs)?.errands);
        self.engine = Some(engine);
        self.carry_out(now, &errands)
    }

    fn sessions(&self) -> Vec<SessionKey> {
        let sessions = self.engine.iter().flat_map(Engine::sessions);
        sessions.map(|session| session.key.clone()).collect()
    }

    fn view(&self, key: &SessionKey, now: Now) -> Option<SessionView> {
        let mut view = SessionView::of(self.engine.as_ref()?.session(key)?, now);
        let done = self.done.get(key).copied().unwrap_or_default();
        (view.notifications, view.check_ins) = (done.notifications, done.check_ins);
        Some(view)
    }
}

fn engine_settings(settings: &InForce) -> EngineSettings {
    EngineSettings { core: settings.core.clone(), match_mode: settings.match_mode }
}

fn senses() -> Senses {
    let rules = Rules::built_in();
    Senses {
        read: Box::new(move |text, mode, now| readers::read(rules, text, mode, &TimeZone::UTC, now)),
        never_ends: Box::new(readers::never_ends),
        zone: TimeZone::UTC,
        // A scenario says what would be if every channel of spec 60 were there.
        abilities,
    }
}
