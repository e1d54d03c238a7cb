//! The turn of the main agent: which is open, which was the last, what is late (S3b).

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::event::{Event, Opener, ToolClass};
use crate::ids::{Digest, ToolUseId, TurnId};
use crate::time::{Boot, Now};

/// How many ended turns are remembered to recognise late events: hooks are seconds late at most, turns are not that short.
const REMEMBERED: usize = 8;

/// The open turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// Number of the turn in the session, from 1.
    pub number: u32,
    /// The client's id.
    pub id: Option<TurnId>,
    /// Who opened it.
    pub opener: Opener,
    /// When.
    pub opened: Now,
    /// Start of the hook that opened it.
    pub started: Boot,
    /// Digest of its prompt, to recognise the same event twice (S1).
    pub prompt: Option<Digest>,
    /// Calls that have begun and not ended.
    pub running: BTreeMap<ToolUseId, ToolClass>,
    /// Something besides text happened: a call, an ask.
    pub acted: bool,
}

/// A turn that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedTurn {
    /// What it was when it ended.
    pub turn: OpenTurn,
    /// Digest of its end (S11).
    pub end: Digest,
    /// When it ended.
    pub ended: Now,
    /// Start of the hook that ended it.
    pub started: Boot,
    /// It failed: a later call of the same turn reopens it (S7c).
    pub failed: bool,
}

/// The turns of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Turns {
    /// The open one.
    pub open: Option<OpenTurn>,
    /// The last that ended.
    pub last: Option<EndedTurn>,
    /// Ids of ended turns, newest last.
    ended: VecDeque<TurnId>,
    /// How many there were.
    pub count: u32,
}

impl Turns {
    /// Is it a late event of a turn that has ended? Then it may edit the ledger, never the status (S3b).
    pub(crate) fn is_late(&self, event: &Event, started: Boot) -> bool {
        match (&self.open, &event.turn) {
            (Some(open), Some(id)) if open.id.as_ref() == Some(id) => false,
            (Some(open), Some(id)) => self.ended.contains(id) && started < open.started,
            (Some(_), None) => false,
            (None, Some(id)) => {
                let last = self.last.as_ref();
                let of_last = last.is_some_and(|last| last.turn.id.as_ref() == Some(id));
                if of_last {
                    last.is_some_and(|last| started <= last.started)
                } else {
                    self.ended.contains(id)
                }
            }
            (None, None) => self.last.as_ref().is_some_and(|last| started <= last.started),
        }
    }

    /// Opens a turn; an open one is over.
    pub(crate) fn begin(
        &mut self,
        id: Option<TurnId>,
        opener: Opener,
        prompt: Option<Digest>,
        now: Now,
        started: Boot,
    ) {
        if let Some(before) = self.open.take() {
            self.remember(before.id);
        }
        self.count += 1;
        self.open = Some(OpenTurn {
            number: self.count,
            id,
            opener,
            opened: now,
            started,
            prompt,
            running: BTreeMap::new(),
            acted: false,
        });
    }

    /// The last turn goes on: its stop was blocked, or its failure was a helper's (S7c).
    pub(crate) fn reopen(&mut self) -> bool {
        let Some(last) = self.last.take() else { return false };
        self.open = Some(last.turn);
        true
    }

    /// The open turn ends.
    pub(crate) fn end(&mut self, end: Digest, failed: bool, now: Now, started: Boot) {
        let Some(turn) = self.open.take() else { return };
        self.remember(turn.id.clone());
        self.last = Some(EndedTurn { turn, end, ended: now, started, failed });
    }

    fn remember(&mut self, id: Option<TurnId>) {
        let Some(id) = id else { return };
        self.ended.retain(|other| *other != id);
        if self.ended.len() == REMEMBERED {
            self.ended.pop_front();
        }
        self.ended.push_back(id);
    }
}
