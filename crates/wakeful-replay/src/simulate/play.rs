//! Plays one scenario through translation and `step`.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use serde_json::Value;
use wakeful_clients::abilities::abilities;
use wakeful_clients::{ClientState, Hook, Mode, Readers, Translation, Unknowns, translate_hook_in};
use wakeful_core::board::Board;
use wakeful_core::event::{Event, EventKind, ExitCause, ScheduledWake, Source, UserAction, WakeOwner};
use wakeful_core::ids::{Client, Digest, SessionId, SessionKey, TaskId};
use wakeful_core::settings::{self, MatchMode, Settings};
use wakeful_core::time::{Boot, Millis, Now, Wall};
use wakeful_core::view::SessionView;

use super::clock::Clock;
use super::expect::Mismatch;
use super::file::{ActRow, McpCall, Row, RowKind, Scenario};
use crate::play::translator::{Translator, table_of};

/// How the last messages are read: the caller's rules.
pub type Reading<'a> = &'a (dyn Fn(&str, MatchMode, Now) -> wakeful_core::reading::Reading + Sync);

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

/// Plays a scenario.
pub fn play(scenario: &Scenario, read: Reading<'_>) -> Outcome {
    let expectations = scenario.rows.iter().filter(|row| matches!(row.kind, RowKind::Expect(_))).count();
    if let Some(why) = not_yet(scenario) {
        return Outcome::NotYet { why, expectations };
    }
    let mut player = Player {
        client: scenario.client,
        clock: Clock::new(Wall(scenario.start_ms)),
        board: Board::default(),
        settings: Settings::default(),
        mode: MatchMode::default(),
        state: ClientState::default(),
        transcripts: BTreeMap::new(),
        read,
        failed: Vec::new(),
    };
    for row in &scenario.rows {
        player.advance(Boot(row.at_ms));
        player.row(row);
    }
    Outcome::Played { passed: expectations - player.failed.len(), failed: player.failed }
}

fn not_yet(scenario: &Scenario) -> Option<String> {
    if !matches!(scenario.client, Client::ClaudeCode | Client::Codex | Client::Cursor) {
        return Some(format!("hooks of {} are not read yet", scenario.client));
    }
    let daemon = scenario.rows.iter().any(|row| matches!(row.kind, RowKind::Daemon));
    daemon.then(|| "it restarts the daemon, and there is none yet".to_owned())
}

struct Player<'a> {
    client: Client,
    clock: Clock,
    board: Board,
    settings: Settings,
    mode: MatchMode,
    state: ClientState,
    transcripts: BTreeMap<String, Box<dyn Translator>>,
    read: Reading<'a>,
    failed: Vec<Failure>,
}

impl Player<'_> {
    /// Lets time pass until `at`, firing the timers on the way.
    fn advance(&mut self, at: Boot) {
        let from = self.clock.now();
        self.clock.advance(self.clock.until(at));
        self.board.advance(from, self.clock.now(), &self.settings, abilities);
    }

    fn fire(&mut self) {
        for event in self.board.due(self.clock.now()) {
            self.apply(&event);
        }
    }

    fn apply(&mut self, event: &Event) {
        self.board.apply(self.clock.now(), &self.settings, abilities, event);
    }

    fn row(&mut self, row: &Row) {
        match &row.kind {
            RowKind::Settings(changes) => self.change_settings(changes),
            RowKind::Payload { client, payload, event } => {
                let hook = Hook {
                    client: *client,
                    event_arg: event.as_deref(),
                    payload: payload.get().as_bytes(),
                    started: Some(self.clock.now().boot),
                };
                let mut state = std::mem::take(&mut self.state);
                let events =
                    self.translate(|ctx, unknowns| translate_hook_in(&mut state, hook, ctx, unknowns));
                self.state = state;
                // A payload that gives nothing is no event; a scenario that relies on it fails its next expectation.
                events.unwrap_or_default().iter().for_each(|event| self.apply(event));
            }
            RowKind::Transcript { session, line } => self.transcript(session, line.get()),
            RowKind::Mcp(call) => self.mcp(call),
            RowKind::Process(process) => {
                let cause = if process.cause == "user" { ExitCause::User } else { ExitCause::Unknown };
                self.send(&process.session, Source::Process, EventKind::ProcessExited { cause });
            }
            RowKind::Act(act) => self.act(act),
            RowKind::Daemon => {} // such files are not played
            RowKind::Clock(by) => self.clock.step_wall(*by),
            RowKind::Sleep(ms) => {
                self.clock.advance(Millis(*ms)); // nothing runs while the host sleeps
                self.fire();
            }
            RowKind::Expect(expected) => {
                let now = self.clock.now();
                let view =
                    self.board.get(&self.key(&expected.session)).map(|session| SessionView::of(session, now));
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
            }
        }
    }

    fn translate<T>(&self, with: impl FnOnce(&Translation<'_>, &mut Unknowns) -> T) -> T {
        let (read, mode) = (self.read, self.mode);
        let read = move |text: &str, now: Now| read(text, mode, now);
        let readers = Readers { read: &read, never_ends: &crate::readers::never_ends };
        let ctx = Translation { now: self.clock.now(), zone: &TimeZone::UTC, readers };
        with(&ctx, &mut Unknowns::default())
    }

    fn transcript(&mut self, session: &str, line: &str) {
        let known = self.transcripts.remove(session);
        let new = || Some((table_of(self.client)?.translator)(Mode::Live, Some(SessionId::new(session))));
        let Some(mut translator) = known.or_else(new) else { return }; // no transcripts of it are read
        let events = self.translate(|ctx, _| translator.line(line.as_bytes(), ctx));
        self.transcripts.insert(session.to_owned(), translator);
        events.iter().for_each(|told| self.apply(&told.event));
    }

    fn mcp(&mut self, call: &McpCall) {
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
            _ => return, // `list_background` reads
        };
        self.send(&call.session, Source::Mcp, kind);
    }

    fn act(&mut self, row: &ActRow) {
        let action = match row.act.as_str() {
            "keep_waiting" => UserAction::KeepWaiting,
            "check_in" => UserAction::CheckIn,
            "done" => UserAction::Done,
            "snooze" => UserAction::Snooze { minutes: row.minutes.unwrap_or_default() },
            "reply" => UserAction::Reply { text: row.text.clone().unwrap_or_default() },
            "stop_waiting" => UserAction::StopWaiting { task: row.task.as_deref().map(TaskId::new) },
            _ => UserAction::Stop,
        };
        let sessions = self.board.sessions().map(|session| session.key.id.0.clone());
        let matching: Vec<String> = sessions.filter(|id| id.starts_with(&row.session)).collect();
        if let [session] = matching.as_slice() {
            self.send(session, Source::User, EventKind::UserActed(action));
        }
    }

    fn send(&mut self, session: &str, source: Source, kind: EventKind) {
        let session = self.key(session);
        self.apply(&Event { session, source, turn: None, agent: None, epoch: None, started: None, kind });
    }

    fn key(&self, session: &str) -> SessionKey {
        SessionKey { client: self.client, id: SessionId::new(session) }
    }

    fn change_settings(&mut self, changes: &BTreeMap<String, Value>) {
        let now = &mut self.settings;
        for (key, value) in changes {
            let minutes = |range: settings::MinutesRange| range.resolve(value.as_f64());
            let on = value.as_bool();
            match key.as_str() {
                "detector.enabled" => now.detector = on.unwrap_or(true),
                "detector.match_mode" if value == "full" => self.mode = MatchMode::Full,
                "detector.match_mode" => self.mode = MatchMode::Precise,
                "waits.auto_wait_minutes" => now.auto_wait = minutes(settings::AUTO_WAIT),
                "waits.keep_waiting_minutes" => now.keep_waiting = minutes(settings::KEEP_WAITING),
                "waits.unbacked_wait_minutes" => now.unbacked_wait = minutes(settings::UNBACKED_WAIT),
                "waits.external_wait_minutes" => now.external_wait = minutes(settings::EXTERNAL_WAIT),
                "waits.overdue_minutes" => now.overdue = minutes(settings::OVERDUE),
                "waits.promise_check" => now.promise_check = on.unwrap_or(false),
                "check_in.auto" => now.auto_check_in = on.unwrap_or(false),
                "check_in.from_inbox" => now.inbox_check_in = on.unwrap_or(false),
                "check_in.from_inbox_multiple" => now.inbox_multiple = minutes(settings::INBOX_MULTIPLE).0,
                "watchdog.stall_minutes" => now.stall = minutes(settings::STALL),
                _ => {} // display, guard, second opinion: nothing that a scenario can see
            }
        }
    }
}
