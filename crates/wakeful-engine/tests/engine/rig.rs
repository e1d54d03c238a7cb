//! The engine on virtual clocks, killed and started at will.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use tempfile::TempDir;
use wakeful_clients::abilities::abilities;
use wakeful_core::abilities::{Abilities, Delivery};
use wakeful_core::event::{EventKind, TimerKind};
use wakeful_core::ids::{Client, Epoch, SessionKey};
use wakeful_core::notices::Edge;
use wakeful_core::settings::Settings;
use wakeful_core::time::{Boot, BootId, Millis, Now, Wall};
use wakeful_engine::engine::{Act, Engine, EngineSettings, Input, Outcome, Senses, Took};
use wakeful_engine::spool::{DeliveryId, Envelope, Payload, Spool, VERSION};
use wakeful_engine::store::{Errand, OutboxRow, Pos, Store};

use super::laws;
use super::tale::{Happening, reading};

/// 2027-01-04 09:00 UTC, an hour after the machine started.
pub const NINE: Now = Now { wall: Wall(1_799_053_200_000), boot: Boot(3_600_000), boot_id: BootId(1) };
/// A running program looks more often (T4); here only steps of the clock make a difference, and they are as long.
const SLICE: Millis = Millis::minutes(15);

pub struct Rig {
    pub now: Now,
    pub folder: TempDir,
    /// The store is a file; else it lives in memory and is handed on from one engine to the next.
    on_disk: bool,
    engine: Option<Engine>,
    kept: Option<Store>,
    /// Every setting that came into force, in order.
    pub settings: Vec<Settings>,
    calls: u64,
    pub last: Option<Envelope>,
    /// What rang.
    pub rung: BTreeSet<(SessionKey, String)>,
    pub bells: usize,
    pub messages: usize,
    fired: BTreeSet<(SessionKey, TimerKind, Epoch, u32)>,
    read: Pos,
    pub events: usize,
    pub starts: usize,
}

/// What the clients can do, but for one that takes replies here: what is made anew from the record must know that.
pub fn apt(client: Client) -> Abilities {
    let delivery = if client == Client::ClaudeCode { Delivery::Replies } else { abilities(client).delivery };
    Abilities { delivery, ..abilities(client) }
}

pub fn senses() -> Senses {
    Senses {
        read: Box::new(|text, _, _| reading(text)),
        never_ends: Box::new(|_| None),
        zone: TimeZone::UTC,
        abilities: apt,
    }
}

impl Rig {
    pub fn new(on_disk: bool) -> Self {
        let mut rig = Self {
            now: NINE,
            folder: TempDir::new().unwrap(),
            on_disk,
            engine: None,
            kept: None,
            settings: Vec::new(),
            calls: 0,
            last: None,
            rung: BTreeSet::new(),
            bells: 0,
            messages: 0,
            fired: BTreeSet::new(),
            read: Pos(0),
            events: 0,
            starts: 0,
        };
        rig.start();
        rig
    }

    pub fn engine(&mut self) -> &mut Engine {
        self.engine.as_mut().unwrap()
    }

    pub fn up(&self) -> bool {
        self.engine.is_some()
    }

    pub fn spool(&self) -> Spool {
        Spool::of(self.folder.path())
    }

    pub fn kill(&mut self) {
        if let Some(engine) = self.engine.take() {
            self.put_back(engine.into_store());
        }
    }

    pub fn store(&mut self) -> Store {
        if self.on_disk {
            return Store::open(self.folder.path()).unwrap();
        }
        self.kept.take().unwrap_or_else(|| Store::in_memory().unwrap())
    }

    /// A store that was looked into.
    pub fn put_back(&mut self, store: Store) {
        self.kept = Some(store).filter(|_| !self.on_disk);
    }

    pub fn start(&mut self) {
        let repairs = self.start_repaired();
        assert_eq!(repairs, 0);
    }

    /// As the daemon does it; gives how many sessions had to be repaired.
    pub fn start_repaired(&mut self) -> usize {
        let store = self.store();
        let (mut engine, repairs) = Engine::open(store, senses(), self.now).unwrap();
        let open = engine.store().open_errands().unwrap();
        assert!(open.is_empty(), "errands are done at once here: {open:?}");
        let intake = engine.take_spool(self.now, self.spool().dir()).unwrap();
        self.engine = Some(engine);
        self.starts += 1;
        self.do_errands(&intake.errands);
        let now = self.now;
        let gone = self.engine().gone(now, |_| true);
        self.take(gone);
        assert!(self.engine().gone(now, |_| true).is_empty(), "the dead are buried once");
        repairs.len()
    }

    /// Opened, and nothing more.
    pub fn start_without_spool(&mut self) {
        let store = self.store();
        self.engine = Some(Engine::open(store, senses(), self.now).unwrap().0);
    }

    pub fn take(&mut self, inputs: Vec<Input>) -> Took {
        let now = self.now;
        let took = self.engine().take(now, inputs).unwrap();
        self.do_errands(&took.errands);
        for key in &took.changed {
            laws::hold(self.engine().session(key).unwrap());
        }
        took
    }

    fn do_errands(&mut self, errands: &[OutboxRow]) {
        for row in errands {
            match &row.errand {
                Errand::Notify(edge) => self.ring(&row.session, edge),
                Errand::Send(_) => self.messages += 1,
            }
            let wall = self.now.wall;
            self.engine().store().strike_out(row.id, wall, "done").unwrap();
        }
    }

    fn ring(&mut self, session: &SessionKey, edge: &Edge) {
        self.bells += 1;
        let new = self.rung.insert((session.clone(), format!("{edge:?}")));
        assert!(new, "an edge rings once: {session} {edge:?}");
    }

    pub fn envelope(&mut self, payload: &str) -> Envelope {
        self.calls += 1;
        let envelope = Envelope {
            v: VERSION,
            id: DeliveryId(format!("{:026}", self.calls)),
            client: Client::ClaudeCode,
            event: None,
            via: None,
            at: self.now,
            pid: None,
            tmux: None,
            payload: Payload::of(payload.as_bytes()),
            guard: None,
        };
        self.last = Some(envelope.clone());
        envelope
    }

    /// It happens; while nobody runs, hooks go to the spool and the rest is lost.
    pub fn happen(&mut self, what: Happening) -> Option<Outcome> {
        self.events += 1;
        let input = match what {
            Happening::Hook(payload) => {
                let envelope = self.envelope(&payload);
                if !self.up() {
                    self.spool().append(&envelope, true).unwrap();
                    return None;
                }
                Input::Hook(Box::new(envelope))
            }
            Happening::Event(event) => Input::Event(Box::new(event)),
            Happening::Act(session, action) => {
                Input::Act(Box::new(Act { session, action, seen: None, key: None }))
            }
        };
        if !self.up() {
            return None;
        }
        self.take(vec![input]).outcomes.pop()
    }

    pub fn configure(&mut self, settings: &Settings) {
        if self.engine().settings().core == *settings {
            return;
        }
        self.settings.push(settings.clone());
        let core = settings.clone();
        let settings = EngineSettings { core, ..EngineSettings::default() };
        self.take(vec![Input::Settings(Box::new(settings))]);
    }

    /// Time passes; timers fire at their own times if anybody runs.
    pub fn pass(&mut self, time: Millis) {
        let mut left = time.0;
        while left > 0 {
            let now = self.now;
            let next = self.engine.as_ref().map_or(Millis(left), |engine| {
                engine.next_timer(now).unwrap_or(SLICE).clamp(Millis(1), SLICE)
            });
            let step = next.0.min(left);
            self.now = self.now.plus(Millis(step));
            left -= step;
            if self.up() {
                self.take(Vec::new());
            }
        }
    }

    pub fn sleep(&mut self, time: Millis) {
        self.now = self.now.plus(time);
        if self.up() {
            self.take(Vec::new());
        }
    }

    pub fn step_clock(&mut self, by: i64) {
        self.now.wall = Wall(self.now.wall.0 + by);
    }

    pub fn reboot(&mut self) {
        self.now.boot_id = BootId(self.now.boot_id.0 + 1);
        self.now.boot = Boot(0);
    }

    /// No timer has fired twice.
    pub fn count_firings(&mut self) {
        loop {
            let after = self.read;
            let rows = self.engine().store().log(None, after, 10_000).unwrap();
            let Some(last) = rows.last() else { break };
            self.read = last.pos;
            for stepped in rows.into_iter().filter_map(|row| row.stepped) {
                if let EventKind::TimerFired { kind, epoch, generation } = stepped.event.kind {
                    let once = self.fired.insert((stepped.event.session.clone(), kind, epoch, generation));
                    assert!(once, "a timer fires once: {:?}", stepped.event);
                }
            }
        }
    }

    pub fn fired(&self) -> usize {
        self.fired.len()
    }

    /// The sessions as they are.
    pub fn sessions(&mut self) -> BTreeMap<SessionKey, wakeful_core::session::Session> {
        self.engine().sessions().map(|session| (session.key.clone(), session.clone())).collect()
    }
}
