//! Plays one scenario: its rows become what clients, users and clocks do to a [`Machine`].

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use serde_json::Value;
use wakeful_clients::{Mode, Readers, Translation};
use wakeful_core::event::{Event, EventKind, ExitCause, ScheduledWake, Source, UserAction, WakeOwner};
use wakeful_core::ids::{Client, Digest, SessionId, SessionKey, TaskId};
use wakeful_core::settings::MatchMode;
use wakeful_core::time::{Millis, Now, Wall};
use wakeful_core::view::SessionView;

use super::clock::Clock;
use super::expect::Mismatch;
use super::file::{ActRow, McpCall, Row, RowKind, Scenario};
use super::machine::{Found, HookCall, InForce, Machine};
use crate::play::translator::{Translator, table_of};

/// How the last messages in transcripts are read: the caller's rules.
pub type Reading<'a> = &'a (dyn Fn(&str, MatchMode, Now) -> wakeful_core::reading::Reading + Sync);

/// A program that runs looks at its timers at least this often (T4): the clock may have been stepped.
const SLICE: Millis = Millis::minutes(1);

/// What became of a scenario.
#[derive(Debug)]
pub enum Outcome {
    /// It was played.
    Played {
        /// Expectations that were met.
        passed: usize,
        /// Those that were not.
        failed: Vec<Failure>,
    },
    /// It cannot run yet.
    NotYet {
        /// Why.
        why: String,
        /// How many expectations it has.
        expectations: usize,
    },
}

/// An expectation that was not met.
#[derive(Debug)]
pub struct Failure {
    /// Line in the file.
    pub line: usize,
    /// Seconds since the start.
    pub at: f64,
    /// The session.
    pub session: String,
    /// The differences.
    pub mismatches: Vec<Mismatch>,
    /// The view, for its decision and evidence.
    pub view: Option<SessionView>,
}

/// Plays a scenario on a machine that has just been started for the first time.
///
/// # Errors
/// When the machine cannot write down or read what it must.
pub fn play<M: Machine>(
    scenario: &Scenario,
    read: Reading<'_>,
    machine: &mut M,
) -> Result<Outcome, M::Error> {
    let expectations = scenario.rows.iter().filter(|row| matches!(row.kind, RowKind::Expect(_))).count();
    if !matches!(scenario.client, Client::ClaudeCode | Client::Codex | Client::Cursor) {
        let why = format!("hooks of {} are not read yet", scenario.client);
        return Ok(Outcome::NotYet { why, expectations });
    }
    let mut player = Player {
        client: scenario.client,
        clock: Clock::new(scenario.start()),
        machine,
        settings: InForce::default(),
        transcripts: BTreeMap::new(),
        read,
        looks: SLICE,
        down: None,
        failed: Vec::new(),
    };
    player.machine.start(player.clock.now(), &player.settings, Found::default())?;
    for row in &scenario.rows {
        player.advance(row.at())?;
        player.row(row)?;
    }
    Ok(Outcome::Played { passed: expectations - player.failed.len(), failed: player.failed })
}

impl Scenario {
    /// The instant of `at` 0.
    pub fn start(&self) -> Wall {
        Wall(self.start_ms)
    }

    /// Whether Wakeful is killed in it, so that what it knows must be on a disk.
    pub fn restarts(&self) -> bool {
        self.rows.iter().any(|row| matches!(row.kind, RowKind::Daemon(_)))
    }
}

impl Row {
    fn at(&self) -> Millis {
        Millis(self.at_ms)
    }
}

/// Wakeful is down: until when, and what it will find.
#[derive(Debug, Default)]
struct Down {
    until: Millis,
    /// Lines that clients have appended to transcripts, with their sessions.
    lines: Vec<(String, String)>,
    gone: Vec<SessionKey>,
}

struct Player<'a, M> {
    client: Client,
    clock: Clock,
    machine: &'a mut M,
    settings: InForce,
    transcripts: BTreeMap<String, Box<dyn Translator>>,
    read: Reading<'a>,
    /// When the machine looks at its timers next.
    looks: Millis,
    down: Option<Down>,
    failed: Vec<Failure>,
}

impl<M: Machine> Player<'_, M> {
    /// Lets time pass until `at`; the machine looks at its timers on the way, and comes back from a downtime.
    fn advance(&mut self, at: Millis) -> Result<(), M::Error> {
        loop {
            let next = self.down.as_ref().map_or(self.looks, |down| down.until);
            if next > at {
                break;
            }
            self.clock.advance(next);
            match self.down.take() {
                Some(down) => self.start(down)?,
                None => self.machine.tick(self.clock.now())?,
            }
            self.plan();
        }
        self.clock.advance(at);
        Ok(())
    }

    /// A program that runs notices within a [`SLICE`] that its clocks have jumped; here at once, so that a row that follows at the
    /// same time sees what is due.
    fn look(&mut self) -> Result<(), M::Error> {
        if self.down.is_none() { self.machine.tick(self.clock.now()) } else { Ok(()) }
    }

    /// Whatever it did, the machine then sleeps until its next timer.
    fn plan(&mut self) {
        if self.down.is_none() {
            let next = self.machine.next_timer(self.clock.now()).unwrap_or(SLICE);
            self.looks = Millis(self.clock.at().0 + next.clamp(Millis(1), SLICE).0);
        }
    }

    fn start(&mut self, down: Down) -> Result<(), M::Error> {
        let mut found = Found { gone: down.gone, ..Found::default() };
        for (session, line) in down.lines {
            found.events.extend(self.transcript(&session, &line));
        }
        self.machine.start(self.clock.now(), &self.settings, found)
    }

    fn row(&mut self, row: &Row) -> Result<(), M::Error> {
        let now = self.clock.now();
        match &row.kind {
            RowKind::Settings(changes) => {
                self.settings.change(changes);
                if self.down.is_none() {
                    self.machine.settings(now, &self.settings)?;
                }
            }
            RowKind::Payload { client, payload, event } => {
                let call = HookCall { client: *client, payload: payload.get(), event: event.as_deref() };
                self.machine.hook(now, call)?;
                if let Some(down) = &mut self.down {
                    // A session that is heard again has a process again.
                    down.gone.retain(|key| !payload.get().contains(&key.id.0));
                }
            }
            RowKind::Transcript { session, line } => match &mut self.down {
                Some(down) => down.lines.push((session.clone(), line.get().to_owned())),
                None => {
                    for event in self.transcript(session, line.get()) {
                        self.machine.event(now, event)?;
                    }
                }
            },
            RowKind::Mcp(call) => self.mcp(call)?,
            RowKind::Process(process) => self.process(&process.session, &process.cause)?,
            RowKind::Act(act) => self.act(act)?,
            RowKind::Daemon(down) => {
                self.machine.kill();
                self.down = Some(Down { until: Millis(self.clock.at().0 + down), ..Down::default() });
            }
            RowKind::Clock(by) => {
                self.clock.step_wall(*by);
                self.look()?;
            }
            RowKind::Sleep(ms) => {
                self.clock.advance(Millis(self.clock.at().0 + ms)); // nothing runs while the host sleeps
                self.look()?;
            }
            RowKind::Expect(expected) => {
                let view = self.machine.view(&self.key(&expected.session), now);
                let mismatches = match &view {
                    Some(view) => expected.compare(view),
                    None => {
                        vec![Mismatch { what: "session", expected: "seen".into(), got: "never seen".into() }]
                    }
                };
                if !mismatches.is_empty() {
                    let at = f64::from(u32::try_from(row.at_ms).unwrap_or(u32::MAX)) / 1000.0;
                    let session = expected.session.clone();
                    self.failed.push(Failure { line: row.line, at, session, mismatches, view });
                }
                return Ok(()); // looking changes nothing
            }
        }
        self.plan();
        Ok(())
    }

    /// The events in a line of a transcript. What had been read before a restart is remembered, as by the position in the file.
    fn transcript(&mut self, session: &str, line: &str) -> Vec<Event> {
        let known = self.transcripts.remove(session);
        let new = || Some((table_of(self.client)?.translator)(Mode::Live, Some(SessionId::new(session))));
        let Some(mut translator) = known.or_else(new) else { return Vec::new() }; // no transcripts of it are read
        let (read, mode) = (self.read, self.settings.match_mode);
        let read = move |text: &str, now: Now| read(text, mode, now);
        let readers = Readers { read: &read, never_ends: &crate::readers::never_ends };
        let ctx = Translation { now: self.clock.now(), zone: &TimeZone::UTC, readers };
        let told = translator.line(line.as_bytes(), &ctx);
        self.transcripts.insert(session.to_owned(), translator);
        told.into_iter().map(|told| told.event).collect()
    }

    fn mcp(&mut self, call: &McpCall) -> Result<(), M::Error> {
        let kind = match call.tool.as_str() {
            "background_wait" => {
                let ids = call.input["task_ids"].as_array().cloned().unwrap_or_default();
                let tasks = ids.iter().filter_map(Value::as_str).map(TaskId::new).collect();
                if call.input["awaiting"].as_bool().unwrap_or(true) {
                    EventKind::TaskAwaited { tasks }
                } else {
                    EventKind::TaskUnawaited { tasks }
                }
            }
            "schedule_wakeup" => {
                let prompt = call.input["prompt"].as_str().unwrap_or_default().to_owned();
                let delay = Millis::secs(call.input["delay_seconds"].as_u64().unwrap_or_default());
                EventKind::WakeScheduled(ScheduledWake {
                    id: None,
                    due: self.clock.now().wall.plus(delay),
                    delay,
                    prompt: Digest::of(prompt.as_bytes()),
                    by: WakeOwner::Wakeful {
                        check_in: call.input["check_in"].as_bool().unwrap_or(false),
                        prompt,
                    },
                    reason: call.input["reason"].as_str().map(str::to_owned),
                })
            }
            _ => return Ok(()), // `list_background` reads
        };
        self.send(&call.session, Source::Mcp, kind)
    }

    /// The client's process ends. In a downtime nobody sees why; if it was killed together with Wakeful, the machine was.
    fn process(&mut self, session: &str, cause: &str) -> Result<(), M::Error> {
        let key = self.key(session);
        match &mut self.down {
            Some(_) if cause == "killed" => self.clock.reboot(),
            Some(down) => down.gone.push(key),
            None => {
                let cause = if cause == "user" { ExitCause::User } else { ExitCause::Unknown };
                self.send(session, Source::Process, EventKind::ProcessExited { cause })?;
            }
        }
        Ok(())
    }

    fn act(&mut self, row: &ActRow) -> Result<(), M::Error> {
        let action = match row.act.as_str() {
            "keep_waiting" => UserAction::KeepWaiting,
            "check_in" => UserAction::CheckIn,
            "done" => UserAction::Done,
            "snooze" => UserAction::Snooze { minutes: row.minutes.unwrap_or_default() },
            "reply" => UserAction::Reply { text: row.text.clone().unwrap_or_default() },
            "stop_waiting" => UserAction::StopWaiting { task: row.task.as_deref().map(TaskId::new) },
            _ => UserAction::Stop,
        };
        if self.down.is_some() {
            return Ok(()); // nobody is there to do it
        }
        let sessions = self.machine.sessions();
        let matching: Vec<SessionKey> =
            sessions.into_iter().filter(|key| key.id.0.starts_with(&row.session)).collect();
        match matching.as_slice() {
            [session] => self.machine.act(self.clock.now(), session.clone(), action),
            _ => Ok(()),
        }
    }

    fn send(&mut self, session: &str, source: Source, kind: EventKind) -> Result<(), M::Error> {
        if self.down.is_some() {
            return Ok(()); // the call of the tool fails
        }
        let session = self.key(session);
        let event = Event { session, source, turn: None, agent: None, epoch: None, started: None, kind };
        self.machine.event(self.clock.now(), event)
    }

    fn key(&self, session: &str) -> SessionKey {
        SessionKey { client: self.client, id: SessionId::new(session) }
    }
}
