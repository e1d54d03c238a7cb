//! The turn of the main agent: which is open, which was the last, what is late (S3b).

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::event::{Event, Opener, ToolClass};
use crate::ids::{Digest, ToolUseId, TurnId};
use crate::time::{Boot, Now};

/// How many ended turns are remembered to recognise late events: hooks are seconds late at most, turns are not that short.
const REMEMBERED: usize = 8;

/// How many ended calls of a turn are remembered: more than ever run side by side.
const CALLS_REMEMBERED: usize = 32;

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
    /// Calls that have ended, newest last: the start of one that comes late or twice does not run again (S1).
    pub finished: VecDeque<ToolUseId>,
    /// Something besides text happened: a call, an ask.
    pub acted: bool,
    /// It had ended and went on; what its hooks told until then, up to this hook start, is late.
    pub went_on: Option<Boot>,
}

impl OpenTurn {
    /// A call began.
    pub(crate) fn call_started(&mut self, call: &ToolUseId, class: ToolClass) {
        self.acted = true;
        if !self.finished.contains(call) {
            self.running.insert(call.clone(), class);
        }
    }

    /// A call ended.
    pub(crate) fn call_finished(&mut self, call: &ToolUseId) {
        self.acted = true;
        self.running.remove(call);
        if self.finished.len() == CALLS_REMEMBERED {
            self.finished.pop_front();
        }
        self.finished.push_back(call.clone());
    }
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
    /// Start of the last hook that closed a turn or the session: what started before it opens nothing.
    closed: Boot,
    /// How many there were.
    pub count: u32,
}

/// What an event of the main agent is to the turns that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It belongs to the open turn.
    Open,
    /// It belongs to the last turn, which had ended and goes on.
    Last,
    /// It belongs to a turn whose beginning was not seen.
    Unseen,
}

impl Turns {
    /// Is it a late event of a turn that has ended? Then it may edit the ledger, never the status (S3b).
    pub(crate) fn is_late(&self, event: &Event, started: Boot) -> bool {
        match (&self.open, &event.turn) {
            (Some(open), Some(id)) if open.id.as_ref() == Some(id) => {
                open.went_on.is_some_and(|end| started <= end)
            }
            // What is not told by a hook (a line of the transcript) has no start: there the turn's id decides.
            (Some(open), Some(id)) => {
                started < open.started || (event.started.is_none() && self.ended.contains(id))
            }
            (Some(open), None) => started < open.started || open.went_on.is_some_and(|end| started <= end),
            (None, Some(id)) if self.is_last(Some(id)) => {
                self.last.as_ref().is_some_and(|last| started <= last.started)
            }
            (None, Some(id)) => self.ended.contains(id) || started <= self.closed,
            (None, None) => started <= self.closed,
        }
    }

    fn is_last(&self, id: Option<&TurnId>) -> bool {
        self.last.as_ref().is_some_and(|last| last.turn.id.as_ref() == id)
    }

    /// Where an event that is not late belongs.
    pub(crate) fn relation(&self, event: &Event) -> Relation {
        let id = event.turn.as_ref();
        match &self.open {
            Some(open) => {
                let other = open.id.is_some() && id.is_some_and(|id| open.id.as_ref() != Some(id));
                // A turn that is over cannot be a new one, whatever its hooks still say.
                let known = id.is_some_and(|id| self.ended.contains(id));
                if other && !known { Relation::Unseen } else { Relation::Open }
            }
            None if self.is_last(id) => Relation::Last,
            None => Relation::Unseen,
        }
    }

    /// The open turn was opened by something that does not tell ids: this is its id.
    pub(crate) fn name_open(&mut self, id: Option<&TurnId>) {
        if let Some(open) = &mut self.open
            && open.id.is_none()
        {
            open.id = id.cloned();
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
            finished: VecDeque::new(),
            acted: false,
            went_on: None,
        });
    }

    /// The last turn goes on: its stop was blocked, or its failure was a helper's (S7c).
    pub(crate) fn reopen(&mut self) {
        if let Some(last) = self.last.take() {
            self.open = Some(OpenTurn { went_on: Some(last.started), ..last.turn });
        }
    }

    /// The open turn ends.
    pub(crate) fn end(&mut self, end: Digest, now: Now, started: Boot) {
        self.close(started);
        let Some(turn) = self.open.take() else { return };
        self.remember(turn.id.clone());
        self.last = Some(EndedTurn { turn, end, ended: now, started });
    }

    /// Nothing that started until then opens a turn.
    fn close(&mut self, started: Boot) {
        self.closed = self.closed.max(started);
    }

    /// The machine started anew, and its boot clock with it: starts of before say nothing about what comes.
    pub(crate) fn new_boot(&mut self) {
        self.closed = Boot(0);
        if let Some(open) = &mut self.open {
            open.started = Boot(0);
            open.went_on = None;
        }
        if let Some(last) = &mut self.last {
            last.started = Boot(0);
        }
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
