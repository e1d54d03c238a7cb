//! What a stretch of shell does, as far as the guard cares: it sleeps, it reads, it works, and in which order.
//!
//! Summaries compose, so a function body is summed up once however often it is called.

use std::ops::Range;

/// A command the rules point at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub span: Range<usize>,
    pub words: String,
    /// `pgrep -f` whose pattern stands in the very command that polls.
    pub self_matching_pgrep: bool,
}

/// How much else a stretch does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Work {
    /// Only sleeping, reading and what has no effect.
    #[default]
    None,
    /// Also reads on another machine.
    RemoteRead,
    /// Something else.
    Real,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Summary {
    pub work: Work,
    /// The first command that waits or asks for a process: `sleep` or `pgrep`.
    pub waits: Option<Hit>,
    /// The first `pgrep -f` that matches itself.
    pub self_match: bool,
    /// The first sleep that delays what follows.
    pub sleeps: Option<Hit>,
    /// The first read.
    pub reads: Option<Hit>,
    /// A sleep and a read after it.
    pub delayed: Option<(Hit, Hit)>,
}

impl Summary {
    pub fn work() -> Self {
        Self { work: Work::Real, ..Self::default() }
    }

    pub fn read(hit: Hit) -> Self {
        Self { reads: Some(hit), ..Self::default() }
    }

    pub fn remote_read(hit: Hit) -> Self {
        Self { work: Work::RemoteRead, ..Self::read(hit) }
    }

    /// This, then `next`.
    pub fn then(mut self, next: Self) -> Self {
        if self.delayed.is_none() {
            self.delayed = match (&self.sleeps, &next.reads) {
                (Some(sleep), Some(read)) => Some((sleep.clone(), read.clone())),
                _ => next.delayed,
            };
        }
        self.work = self.work.max(next.work);
        self.self_match |= next.self_match;
        self.waits = self.waits.or(next.waits);
        self.sleeps = self.sleeps.or(next.sleeps);
        self.reads = self.reads.or(next.reads);
        self
    }

    /// The same running beside what follows: its sleeps delay nothing outside.
    pub fn in_background(mut self) -> Self {
        self.sleeps = None;
        self
    }
}
