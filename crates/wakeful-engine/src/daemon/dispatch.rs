//! The dispatcher: one thread, one queue, one writer. Everything that happens goes through here, in order.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use wakeful_core::ids::SessionKey;
use wakeful_core::time::{Millis, Now};

use super::errands::{Done, Errands};
use super::handle::{Published, PublishedSession, Request};
use super::points;
use super::serve::Clock;
use crate::engine::{Engine, Input, Outcome};
use crate::store::{Keep, OutboxRow, Pos};

/// Deadlines are looked at again at least this often (T4): a clock may have been stepped, or the machine may have slept.
const SLICE: Millis = Millis::minutes(1);
/// So many requests make one batch: some milliseconds, so that a user action never waits long.
const BATCH: usize = 256;
/// After a failure to write, the timers wait so long; a full disk is not emptied in less.
const AFTER_FAILURE: Millis = Millis::secs(5);
/// Who watches is told at most this often: faster than anyone reads.
const PUBLISH_EVERY: Millis = Millis(50);
/// What is old is removed so often.
const TIDY_EVERY: Millis = Millis::minutes(6 * 60);

/// What the dispatcher works with.
pub(super) struct Dispatcher {
    pub engine: Engine,
    pub requests: Receiver<Request>,
    /// For those who do errands.
    pub own: Sender<Request>,
    pub clock: Clock,
    pub spool: PathBuf,
    pub errands: Box<dyn Errands>,
    pub alive: Box<dyn Fn(u32) -> bool + Send>,
    pub published: watch::Sender<Arc<Published>>,
    pub keep: Keep,
    pub problems: BTreeMap<&'static str, String>,
}

/// What the dispatcher remembers while it runs.
#[derive(Default)]
struct Memory {
    sessions: BTreeMap<SessionKey, PublishedSession>,
    pos: Pos,
    /// Something has changed that is not published.
    unpublished: bool,
    last_published: Option<Now>,
    failed: Option<Now>,
    tidied: Option<Now>,
}

impl Dispatcher {
    /// Runs until it is told to stop.
    pub(super) fn run(mut self) {
        let mut memory = Memory::default();
        self.catch_up(&mut memory);
        loop {
            let timeout = self.until_next(&memory);
            match self.requests.recv_timeout(Duration::from_millis(timeout.0)) {
                Ok(first) => {
                    let rest = self.requests.try_iter().take(BATCH - 1);
                    let batch: Vec<Request> = std::iter::once(first).chain(rest).collect();
                    if !self.batch(&mut memory, batch) {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.slice(&mut memory),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.publish(&mut memory, true);
    }

    /// What happened while nobody ran: first the spool, then the dead, then what is overdue, and what was left undone.
    fn catch_up(&mut self, memory: &mut Memory) {
        for session in self.engine.sessions().map(|session| session.key.clone()).collect::<Vec<_>>() {
            self.note(memory, &session, Pos(0));
        }
        self.take_spool(memory);
        let now = (self.clock)();
        let gone = self.engine.gone(now, &self.alive);
        self.take(memory, gone, Vec::new(), false);
        match self.engine.store().open_errands() {
            Ok(rows) => self.start(&rows),
            Err(error) => _ = self.problems.insert("store", error.to_string()),
        }
        self.publish(memory, true);
    }

    fn until_next(&self, memory: &Memory) -> Millis {
        let now = (self.clock)();
        let timer = self.engine.next_timer(now).unwrap_or(SLICE);
        let mut next = timer.clamp(Millis(1), SLICE);
        if let Some(failed) = memory.failed {
            next = next.max(Millis(AFTER_FAILURE.0.saturating_sub(now.since(failed).0)));
        }
        if memory.unpublished && self.published.receiver_count() > 1 {
            next = next.min(PUBLISH_EVERY);
        }
        next
    }

    /// Nobody has said anything: timers, deaths, and what inotify may have missed.
    fn slice(&mut self, memory: &mut Memory) {
        self.take_spool(memory);
        let now = (self.clock)();
        let gone = self.engine.gone(now, &self.alive);
        self.take(memory, gone, Vec::new(), true);
        self.tidy(memory, now);
        self.publish(memory, false);
    }

    /// False: stop.
    fn batch(&mut self, memory: &mut Memory, batch: Vec<Request>) -> bool {
        let (mut inputs, mut answers) = (Vec::new(), Vec::new());
        let (mut spool, mut stop, mut asked) = (false, false, Vec::new());
        for request in batch {
            match request {
                Request::Input(input, answer) => {
                    inputs.push(input);
                    answers.push(answer);
                }
                Request::Spool => spool = true,
                Request::Done { id, note } => {
                    let wall = (self.clock)().wall;
                    if let Err(error) = self.engine.store().strike_out(id, wall, &note) {
                        self.problems.insert("store", error.to_string());
                    }
                }
                Request::Publish(answer) => asked.push(answer),
                Request::Tick => {}
                Request::Problem { kind, what: Some(what) } => {
                    self.problems.insert(kind, what);
                    memory.unpublished = true;
                }
                Request::Problem { kind, what: None } => {
                    memory.unpublished |= self.problems.remove(kind).is_some();
                }
                Request::Stop => stop = true,
            }
        }
        if spool {
            self.take_spool(memory);
        }
        self.take(memory, inputs, answers, true);
        self.publish(memory, !asked.is_empty());
        for answer in asked {
            let _ = answer.send(()); // who asked may have gone
        }
        !stop
    }

    fn take(
        &mut self,
        memory: &mut Memory,
        inputs: Vec<Input>,
        answers: Vec<Option<oneshot::Sender<Outcome>>>,
        start: bool,
    ) {
        let now = (self.clock)();
        points::pass("before-commit");
        match self.engine.take(now, inputs) {
            Ok(took) => {
                points::pass("after-commit");
                memory.failed = None;
                memory.unpublished |= self.problems.remove("store").is_some();
                for (answer, outcome) in answers.into_iter().zip(took.outcomes) {
                    // A hook that has not waited has put its event into the spool; it will be found to be taken.
                    let _ = answer.map(|answer| answer.send(outcome));
                }
                points::pass("after-answer");
                for key in &took.changed {
                    self.note(memory, key, took.pos);
                }
                if start {
                    self.start(&took.errands);
                }
            }
            // The answers are dropped unanswered: nothing was acknowledged.
            Err(error) => self.fail(memory, now, error.to_string()),
        }
    }

    fn take_spool(&mut self, memory: &mut Memory) {
        let now = (self.clock)();
        let spool = self.spool.clone();
        match self.engine.take_spool(now, &spool) {
            Ok(intake) => {
                points::pass("after-spool");
                for key in &intake.changed {
                    self.note(memory, key, intake.pos);
                }
                self.start(&intake.errands);
            }
            Err(error) => self.fail(memory, now, error.to_string()),
        }
    }

    fn fail(&mut self, memory: &mut Memory, now: Now, why: String) {
        memory.failed = Some(now);
        memory.unpublished |= self.problems.insert("store", why.clone()) != Some(why);
    }

    fn start(&mut self, rows: &[OutboxRow]) {
        let now = (self.clock)();
        for row in rows {
            points::pass("before-errand");
            let done = Done::new(row.id, self.own.clone());
            self.errands.start(row, self.engine.session(&row.session), now, done);
            points::pass("after-errand");
        }
    }

    /// A session has changed.
    fn note(&self, memory: &mut Memory, key: &SessionKey, pos: Pos) {
        memory.unpublished = true;
        memory.pos = memory.pos.max(pos);
        match (self.engine.session(key), self.engine.revision(key)) {
            (Some(session), Some(revision)) => {
                let shown =
                    PublishedSession { session: Arc::new(session.clone()), revision, pos: revision.max(pos) };
                memory.sessions.insert(key.clone(), shown);
            }
            _ => _ = memory.sessions.remove(key),
        }
    }

    /// Tells those who watch. Without any, nothing is put together until somebody asks.
    fn publish(&self, memory: &mut Memory, asked: bool) {
        let now = (self.clock)();
        let watched = self.published.receiver_count() > 1
            && memory.last_published.is_none_or(|last| now.since(last) >= PUBLISH_EVERY);
        let due = asked || (memory.unpublished && watched);
        if !due {
            return;
        }
        let published = Published {
            pos: memory.pos,
            now,
            sessions: memory.sessions.values().cloned().collect(),
            problems: self.problems.values().cloned().collect(),
        };
        (memory.unpublished, memory.last_published) = (false, Some(now));
        self.published.send_replace(Arc::new(published));
    }

    fn tidy(&mut self, memory: &mut Memory, now: Now) {
        if memory.tidied.is_some_and(|tidied| now.since(tidied) < TIDY_EVERY) {
            return;
        }
        memory.tidied = Some(now);
        match self.engine.tidy(now, self.keep) {
            Ok(pruned) => {
                for key in &pruned.sessions {
                    self.note(memory, key, memory.pos);
                }
            }
            Err(error) => self.fail(memory, now, error.to_string()),
        }
        // Without the list of what is open, nothing is let go of.
        if let Ok(open) = self.engine.store().open_errands() {
            self.errands.tidy(&open, now);
        }
    }
}
