//! One session, a clock and settings, so that a test reads as a sequence of what happens and what shows.

use wakeful_core::abilities::{Abilities, Delivery, SelfWake};
use wakeful_core::causes::Reason;
use wakeful_core::decision::{Decision, Gate};
use wakeful_core::effect::{Effect, Message};
use wakeful_core::event::*;
use wakeful_core::ids::*;
use wakeful_core::notices::Edge;
use wakeful_core::reading::{Mechanism, Question, Reading, WaitWords};
use wakeful_core::session::{Session, Status};
use wakeful_core::settings::{Minutes, Settings};
use wakeful_core::step::Ctx;
use wakeful_core::time::{Boot, BootId, Millis, Now, Wall};
use wakeful_core::view::SessionView;

use crate::laws::Witness;

/// A session and its surroundings.
pub struct World {
    pub now: Now,
    pub settings: Settings,
    pub abilities: Abilities,
    pub session: Session,
    /// Effects of the last step.
    pub effects: Vec<Effect>,
    /// What rang so far.
    pub rung: Vec<Edge>,
    /// Messages to the agent so far.
    pub sent: Vec<Message>,
    /// Conflicts reported so far.
    pub conflicts: Vec<String>,
    /// Every event so far.
    pub log: Vec<(Now, Event)>,
    /// The client's id of the turn that main agent events belong to.
    pub turn: Option<TurnId>,
    witness: Witness,
}

pub fn key() -> SessionKey {
    SessionKey { client: Client::ClaudeCode, id: SessionId::new("s1") }
}

/// 2027-01-04 09:00 UTC, some time after the machine started.
pub fn nine() -> Now {
    Now { wall: Wall(1_799_053_200_000), boot: Boot(5_000_000), boot_id: BootId(1) }
}

/// A client that wakes itself and takes check-ins.
pub const CLAUDE: Abilities = Abilities {
    wakes_itself: SelfWake::Yes,
    delivery: Delivery::CheckInsOnly,
    delivery_timeout: Millis::secs(60),
};

impl World {
    /// A session whose start was seen.
    pub fn new() -> Self {
        let mut world = Self::unseen();
        world.event(EventKind::SessionStarted { start: SessionStart::Startup, place: Place::default() });
        world
    }

    /// A session of which nothing was seen yet.
    pub fn unseen() -> Self {
        Self {
            now: nine(),
            settings: Settings::default(),
            abilities: CLAUDE,
            session: Session::new(key(), nine()),
            effects: Vec::new(),
            rung: Vec::new(),
            sent: Vec::new(),
            conflicts: Vec::new(),
            log: Vec::new(),
            turn: None,
            witness: Witness::default(),
        }
    }

    pub fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    pub fn client(mut self, wakes_itself: SelfWake, delivery: Delivery) -> Self {
        self.abilities.wakes_itself = wakes_itself;
        self.abilities.delivery = delivery;
        self
    }

    // Events.

    /// Steps with exactly this event.
    #[track_caller]
    pub fn raw(&mut self, event: Event) -> &mut Self {
        let ctx = Ctx { now: self.now, settings: &self.settings, abilities: self.abilities };
        let (session, effects) = self.witness.step(&ctx, self.session.clone(), &event);
        self.session = session;
        for effect in &effects {
            match effect {
                Effect::Notify(edge) => self.rung.push(edge.clone()),
                Effect::Send(message) => self.sent.push(message.clone()),
                Effect::Conflict { why } => self.conflicts.push(why.clone()),
                _ => {}
            }
        }
        self.effects = effects;
        self.log.push((self.now, event));
        self
    }

    /// An event of the main agent's hook that starts now, not yet delivered.
    pub fn make(&self, kind: EventKind) -> Event {
        Event {
            session: key(),
            source: Source::Hook,
            turn: self.turn.clone(),
            agent: None,
            epoch: None,
            started: Some(self.now.boot),
            kind,
        }
    }

    /// An event of the main agent's hook. Each comes 10 ms after the one before, so that hook starts differ.
    #[track_caller]
    pub fn event(&mut self, kind: EventKind) -> &mut Self {
        self.tick(10);
        let event = self.make(kind);
        self.raw(event)
    }

    /// The same, of a subagent.
    #[track_caller]
    pub fn by(&mut self, agent: &str, kind: EventKind) -> &mut Self {
        self.tick(10);
        let event = Event { agent: Some(AgentId::new(agent)), ..self.make(kind) };
        self.raw(event)
    }

    /// The last event once more, 30 ms later: the same hook in two settings files.
    #[track_caller]
    pub fn again(&mut self) -> &mut Self {
        let (_, event) = self.log.last().cloned().unwrap();
        self.tick(30);
        self.raw(event)
    }

    #[track_caller]
    pub fn prompt(&mut self, turn: &str) -> &mut Self {
        self.says(turn, turn, Opener::User, &[])
    }

    /// A wake of the client that reports these ends.
    #[track_caller]
    pub fn wake(&mut self, turn: &str, reports: &[(&str, TaskOutcome)]) -> &mut Self {
        let reports: Vec<_> = reports.iter().map(|(task, outcome)| report(task, Some(*outcome))).collect();
        self.says(turn, &format!("reports for {turn}"), Opener::Wake, &reports)
    }

    #[track_caller]
    pub fn says(&mut self, turn: &str, text: &str, opener: Opener, reports: &[TaskReport]) -> &mut Self {
        self.turn = Some(TurnId::new(turn));
        self.event(EventKind::PromptSubmitted {
            opener,
            digest: Digest::of(text.as_bytes()),
            reports: reports.to_vec(),
            label: text.to_owned(),
        })
    }

    #[track_caller]
    pub fn start(&mut self, task: &Task) -> &mut Self {
        self.start_by(task, &format!("call-{}", task.id))
    }

    #[track_caller]
    pub fn start_by(&mut self, task: &Task, call: &str) -> &mut Self {
        self.event(EventKind::TaskStarted { task: task.clone(), tool_use: Some(ToolUseId::new(call)) })
    }

    #[track_caller]
    pub fn awaits(&mut self, ids: &[&str]) -> &mut Self {
        self.event(EventKind::TaskAwaited { tasks: task_ids(ids) })
    }

    #[track_caller]
    pub fn unawaits(&mut self, ids: &[&str]) -> &mut Self {
        self.event(EventKind::TaskUnawaited { tasks: task_ids(ids) })
    }

    /// The client's list of live tasks, between events.
    #[track_caller]
    pub fn roster(&mut self, tasks: &[&Task]) -> &mut Self {
        self.event(EventKind::TaskRoster(Roster { tasks: Some(cloned(tasks)), ..Roster::default() }))
    }

    /// N(t, ..): a report outside of a prompt, told by the transcript.
    #[track_caller]
    pub fn report(&mut self, task: &str, outcome: TaskOutcome) -> &mut Self {
        self.tick(10);
        let kind = EventKind::TaskFinished(report(task, Some(outcome)));
        let event = Event { source: Source::Transcript, started: None, ..self.make(kind) };
        self.raw(event)
    }

    #[track_caller]
    pub fn native(&mut self, wake: &str, stage: WakeStage) -> &mut Self {
        self.tick(10);
        let kind = EventKind::WakeStarted { wake: WakeId::new(wake), stage, tasks: None };
        let event = Event { source: Source::Stream, turn: None, started: None, ..self.make(kind) };
        self.raw(event)
    }

    /// I: the wake is announced.
    #[track_caller]
    pub fn announce(&mut self, wake: &str) -> &mut Self {
        self.native(wake, WakeStage::Announced)
    }

    /// A: its turn attaches.
    #[track_caller]
    pub fn attach(&mut self, wake: &str) -> &mut Self {
        self.turn = None;
        self.native(wake, WakeStage::Started)
    }

    #[track_caller]
    pub fn stop(&mut self, end: End) -> &mut Self {
        self.event(EventKind::TurnEnded(Box::new(end.0)))
    }

    #[track_caller]
    pub fn act(&mut self, action: UserAction) -> &mut Self {
        self.tick(10);
        let kind = EventKind::UserActed(action);
        let event = Event { source: Source::User, turn: None, started: None, ..self.make(kind) };
        self.raw(event)
    }

    #[track_caller]
    pub fn exit(&mut self, cause: ExitCause) -> &mut Self {
        self.tick(10);
        let kind = EventKind::ProcessExited { cause };
        let event = Event { source: Source::Process, turn: None, started: None, ..self.make(kind) };
        self.raw(event)
    }

    #[track_caller]
    pub fn tool(&mut self, call: &str, class: ToolClass) -> &mut Self {
        let kind = tool_started(call, class);
        self.event(kind)
    }

    #[track_caller]
    pub fn tool_done(&mut self, call: &str, class: ToolClass) -> &mut Self {
        let kind = tool_finished(call, class);
        self.event(kind)
    }

    /// The dialog of this call.
    #[track_caller]
    pub fn ask(&mut self, kind: AskKind, call: &str) -> &mut Self {
        self.event(asks(kind, Some(call)))
    }

    #[track_caller]
    pub fn schedule(&mut self, wake: ScheduledWake) -> &mut Self {
        self.event(EventKind::WakeScheduled(wake))
    }

    // Time.

    /// Both clocks move on; no timer is looked at.
    pub fn tick(&mut self, millis: u64) -> &mut Self {
        self.now = self.now.plus(Millis(millis));
        self
    }

    /// Time passes, and due timers fire at their time.
    #[track_caller]
    pub fn secs(&mut self, secs: u64) -> &mut Self {
        let mut left = Millis::secs(secs).0;
        loop {
            let now = self.now;
            let next = self.session.timers.iter().map(|timer| timer.remaining(now).0).min();
            let Some(next) = next.filter(|next| *next <= left) else { break };
            self.tick(next);
            left -= next;
            assert!(self.fire() > 0, "the next timer is due at its time");
        }
        self.tick(left)
    }

    #[track_caller]
    pub fn minutes(&mut self, minutes: u64) -> &mut Self {
        self.secs(minutes * 60)
    }

    /// Fires what is due now; how many fired.
    #[track_caller]
    pub fn fire(&mut self) -> usize {
        let mut fired = 0;
        loop {
            let due = self.session.timers.iter().find(|timer| timer.due(self.now)).cloned();
            let Some(timer) = due else { break };
            fired += 1;
            assert!(fired < 50, "a timer that is armed again at once for ever: {timer:?}");
            self.raw(fire_event(timer.kind, timer.epoch, timer.generation));
        }
        fired
    }

    // What shows.

    pub fn view(&self) -> SessionView {
        SessionView::of(&self.session, self.now)
    }

    #[track_caller]
    pub fn is(&mut self, status: Status) -> &mut Self {
        assert_eq!(self.session.status(), status, "{:#?}", self.view());
        self
    }

    #[track_caller]
    pub fn needs(&mut self, reason: Reason) -> &mut Self {
        self.is(Status::NeedsYou(reason))
    }

    #[track_caller]
    pub fn waiting(&mut self) -> &mut Self {
        self.is(Status::Waiting)
    }

    #[track_caller]
    pub fn working(&mut self) -> &mut Self {
        self.is(Status::Working)
    }

    /// The roster as the tables of spec 40 write it: `*` awaited, `!` owed.
    #[track_caller]
    pub fn lists(&mut self, roster: &str) -> &mut Self {
        let row = |entry: &wakeful_core::ledger::TaskEntry| {
            let awaited = if entry.awaited { "*" } else { "" };
            let owed = if entry.owed() { "!" } else { "" };
            format!("{}{awaited}{owed}", entry.task.id)
        };
        let shown: Vec<_> = self.session.ledger.tasks.iter().map(row).collect();
        assert_eq!(shown.join(" "), roster);
        self
    }

    /// May the process be replaced? (A10)
    #[track_caller]
    pub fn replaceable(&mut self, replaceable: bool) -> &mut Self {
        assert_eq!(self.session.ledger.is_empty(), replaceable);
        self
    }

    pub fn decision(&self) -> &Decision {
        self.session.decision.as_ref().unwrap()
    }

    #[track_caller]
    pub fn gate(&mut self, gate: Gate) -> &mut Self {
        assert_eq!(self.decision().gate, gate, "{:#?}", self.decision());
        self
    }

    /// Reasons that rang so far.
    pub fn rang(&self) -> Vec<Reason> {
        self.rung.iter().map(|edge| edge.reason).collect()
    }

    /// These reasons have rung once their settle windows are over.
    #[track_caller]
    pub fn rings(&mut self, reasons: &[Reason]) -> &mut Self {
        self.secs(4);
        assert_eq!(self.rang(), reasons);
        self
    }

    #[track_caller]
    pub fn armed(&self, kind: TimerKind) -> Option<Millis> {
        self.session.timers.get(kind).map(|timer| timer.after)
    }
}

pub fn fire_event(kind: TimerKind, epoch: Epoch, generation: u32) -> Event {
    Event {
        session: key(),
        source: Source::Timer,
        turn: None,
        agent: None,
        epoch: Some(epoch),
        started: None,
        kind: EventKind::TimerFired { kind, epoch, generation },
    }
}

// Tasks.

fn task(id: &str, kind: TaskKind) -> Task {
    Task {
        id: TaskId::new(id),
        kind,
        label: format!("label of {id}"),
        limit: None,
        endless: None,
        persistent: false,
    }
}

pub fn command(id: &str) -> Task {
    task(id, TaskKind::Command)
}

/// A command that never ends by itself.
pub fn server(id: &str) -> Task {
    Task { endless: Some(RuleId::new("dev-server")), ..task(id, TaskKind::Command) }
}

pub fn monitor(id: &str) -> Task {
    task(id, TaskKind::Monitor)
}

pub fn subagent(id: &str) -> Task {
    task(id, TaskKind::Subagent)
}

pub fn of_kind(id: &str, kind: TaskKind) -> Task {
    task(id, kind)
}

pub fn limited(id: &str, minutes: u64) -> Task {
    Task { limit: Some(Millis::minutes(minutes)), ..command(id) }
}

pub fn report(task: &str, outcome: Option<TaskOutcome>) -> TaskReport {
    TaskReport { task: TaskId::new(task), outcome, summary: String::new() }
}

pub fn task_ids(ids: &[&str]) -> Vec<TaskId> {
    ids.iter().map(|id| TaskId::new(*id)).collect()
}

fn cloned(tasks: &[&Task]) -> Vec<Task> {
    tasks.iter().map(|task| (*task).clone()).collect()
}

// Calls and dialogs.

pub fn tool_started(call: &str, class: ToolClass) -> EventKind {
    EventKind::ToolStarted {
        tool_use: ToolUseId::new(call),
        tool: "Tool".into(),
        class,
        ask: AskId::new(format!("ask of {call}")),
    }
}

pub fn tool_finished(call: &str, class: ToolClass) -> EventKind {
    EventKind::ToolFinished {
        tool_use: ToolUseId::new(call),
        tool: "Tool".into(),
        class,
        ok: true,
        ask: AskId::new(format!("ask of {call}")),
    }
}

/// A dialog; without a call, a notification that does not say which.
pub fn asks(ask: AskKind, call: Option<&str>) -> EventKind {
    let id = call.map(|call| AskId::new(format!("ask of {call}")));
    EventKind::AskOpened { ask, id, snippet: format!("{ask:?} for {call:?}"), outlives_turn: false }
}

// Scheduled wakes.

impl World {
    /// A native wake in so many minutes, prompt `text`.
    pub fn native_in(&self, minutes: u64, text: &str) -> ScheduledWake {
        let delay = Millis::minutes(minutes);
        ScheduledWake {
            id: None,
            due: self.now.plus(Millis(10)).wall.plus(delay), // `event` ticks 10 ms
            delay,
            prompt: Digest::of(text.as_bytes()),
            by: WakeOwner::Client { recurring: false, cron: false },
            reason: Some(format!("reason of {text}")),
        }
    }

    /// A wake that Wakeful fires.
    pub fn own_in(&self, minutes: u64, text: &str, check_in: bool) -> ScheduledWake {
        let by = WakeOwner::Wakeful { check_in, prompt: text.to_owned() };
        ScheduledWake { by, ..self.native_in(minutes, text) }
    }
}

/// The row of a client's list for this wake.
pub fn row(id: &str, wake: &ScheduledWake) -> ListedWake {
    let recurring = matches!(wake.by, WakeOwner::Client { recurring: true, .. });
    ListedWake { id: WakeId::new(id), recurring, prompt: wake.prompt, due: Some(wake.due) }
}

// Turn ends.

/// How a turn ends; built up word by word, with both lists present and empty unless said otherwise.
#[derive(Clone)]
pub struct End(pub TurnEnd);

/// A turn that ends by itself with a message that says nothing in particular.
pub fn end() -> End {
    let roster = Roster { tasks: Some(Vec::new()), wakes: Some(Vec::new()), reconstructed: false };
    let reading = Reading { rules: "1".into(), ..Reading::default() };
    let how = TurnHow::Finished;
    End(TurnEnd { reading, how, roster, digest: Digest(0), after_stop_hook: false }).digested()
}

fn words() -> WaitWords {
    WaitWords {
        rule: RuleId::new("i-wait"),
        words: "the words".into(),
        names_external: false,
        names_mechanism: None,
    }
}

impl End {
    fn digested(mut self) -> Self {
        self.0.digest = Digest(0);
        let text = serde_json::to_string(&self.0).unwrap();
        self.0.digest = Digest::of(text.as_bytes());
        self
    }

    pub fn how(mut self, how: TurnHow) -> Self {
        self.0.how = how;
        self.digested()
    }

    pub fn failed(self) -> Self {
        self.how(TurnHow::Failed { message: "overloaded".into() })
    }

    pub fn interrupted(self) -> Self {
        self.no_lists().how(TurnHow::Interrupted)
    }

    pub fn asks(mut self, question: &str) -> Self {
        let rule = RuleId::new("asks");
        self.0.reading.asks_user = Some(Question { snippet: question.into(), rule });
        self.digested()
    }

    /// A suppressible wait.
    pub fn waits(mut self) -> Self {
        self.0.reading.wait = Some(words());
        self.somewhere()
    }

    /// Waiting words that only say whose a live task is.
    pub fn somewhere(mut self) -> Self {
        self.0.reading.waits_somewhere = Some(words());
        self.digested()
    }

    pub fn external(mut self) -> Self {
        let wait = self.0.reading.wait.get_or_insert_with(words);
        wait.names_external = true;
        self.somewhere()
    }

    pub fn names(mut self, mechanism: Mechanism) -> Self {
        let wait = self.0.reading.wait.get_or_insert_with(words);
        wait.names_mechanism = Some(mechanism);
        self.somewhere()
    }

    pub fn closes(mut self) -> Self {
        self.0.reading.closes = Some(RuleId::new("closes"));
        self.digested()
    }

    pub fn eta(mut self, minutes: u64) -> Self {
        self.0.reading.stated_eta = Some(Millis::minutes(minutes));
        self.digested()
    }

    pub fn live(mut self, tasks: &[&Task]) -> Self {
        self.0.roster.tasks = Some(cloned(tasks));
        self.digested()
    }

    pub fn crons(mut self, rows: &[ListedWake]) -> Self {
        self.0.roster.wakes = Some(rows.to_vec());
        self.digested()
    }

    pub fn no_lists(mut self) -> Self {
        self.0.roster = Roster::default();
        self.digested()
    }
}

/// Minutes as a setting.
pub fn mins(minutes: u16) -> Minutes {
    Minutes(minutes)
}
