//! Taking the spool in: each event once, in the order in which the hooks started, and only after it is committed.

use std::collections::BTreeMap;
use std::path::Path;

use wakeful_core::time::Now;

use super::input::Input;
use super::take::{Engine, Took};
use crate::spool::{self, Skipped};
use crate::store::{OutboxRow, Pos, StoreError};

/// So many events are committed at once: some tens of milliseconds, so that a user action never waits long.
const BATCH: usize = 500;

/// What was in the spool.
#[derive(Debug, Default)]
pub struct Intake {
    /// Events that were taken now.
    pub taken: usize,
    /// What could not be taken.
    pub skipped: Skipped,
    /// What is to be done.
    pub errands: Vec<OutboxRow>,
    /// The sessions that were stepped.
    pub changed: Vec<wakeful_core::ids::SessionKey>,
    /// The end of the log, if anything was written.
    pub pos: Pos,
}

/// Why the spool could not be taken in.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// A file of the spool.
    #[error("the spool: {0}")]
    Spool(#[from] std::io::Error),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Engine {
    /// Takes what hooks have left in the spool. Timers do not fire on the way: while nobody ran, nobody could be told, and
    /// what is overdue fires once, at the next [`Engine::take`] (T4).
    ///
    /// # Errors
    /// When a file cannot be read, or nothing can be committed; what was committed before stays taken.
    pub fn take_spool(&mut self, now: Now, dir: &Path) -> Result<Intake, IntakeError> {
        let known = self.store.spool_taken()?;
        let read = spool::read_after(dir, &known)?;
        let mut intake = Intake { skipped: read.contents.skipped, ..Intake::default() };
        let mut envelopes = read.contents.envelopes.into_iter().peekable();
        while envelopes.peek().is_some() {
            let inputs: Vec<Input> =
                envelopes.by_ref().take(BATCH).map(|envelope| Input::Hook(Box::new(envelope))).collect();
            // The files count as taken with the last batch; a crash before it finds the deliveries of the others again.
            let upto = if envelopes.peek().is_none() { read.upto.clone() } else { BTreeMap::new() };
            let Took { outcomes, changed, errands, pos } = self.run(now, inputs, upto, false)?;
            intake.taken += outcomes.iter().filter(|outcome| **outcome != super::Outcome::Again).count();
            intake.errands.extend(errands);
            intake.changed.extend(changed);
            intake.pos = intake.pos.max(pos);
        }
        if intake.taken == 0 && read.upto != known {
            self.run(now, Vec::new(), read.upto, false)?;
        }
        Ok(intake)
    }
}
