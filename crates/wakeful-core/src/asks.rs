//! Open asks: dialogs of the client that wait for the user (S5, S7, S7b).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::event::AskKind;
use crate::ids::{AgentId, AskId, ToolUseId};
use crate::time::{Boot, Millis, Now};

/// A notification of a dialog comes about six seconds after the request that it belongs to (5.9 to 6.3 s seen, eight
/// reported); within this time it is taken for that request's, answered or not.
const NOTICE_WINDOW: Millis = Millis::secs(15);

/// One open ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Which; `None` where only a notification told of it.
    pub id: Option<AskId>,
    /// What kind.
    pub kind: AskKind,
    /// The subagent that asks, if it is one.
    pub agent: Option<AgentId>,
    /// What is asked, for people.
    pub snippet: String,
    /// Since when.
    pub since: Now,
    /// Start of the hook that told of it.
    pub started: Boot,
    /// Stays open beyond the turn, until the next user prompt.
    pub outlives_turn: bool,
    /// For an ask without id: the calls that were running. When all have ended, one of them was the one.
    pub running: Vec<ToolUseId>,
    /// Number of the ask in the session; one ask rings once.
    pub number: u32,
}

/// The open asks of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Asks {
    open: Vec<Ask>,
    /// Those that were answered, newest last, with the start of the hook that told it: a request that arrives after
    /// its answer opens nothing.
    answered: VecDeque<Answered>,
    count: u32,
    last_opened: Option<Now>,
}

/// How many answers are remembered: requests are seconds late at most, and people do not answer that fast.
const REMEMBERED: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Answered {
    id: AskId,
    agent: Option<AgentId>,
    started: Boot,
}

impl Asks {
    /// Is this ask known already, by itself or as part of the request that it belongs to (S1, S5)?
    pub(crate) fn knows(&self, ask: &Ask) -> bool {
        match &ask.id {
            Some(id) => {
                let late = |answer: &Answered| {
                    answer.id == *id && answer.agent == ask.agent && ask.started <= answer.started
                };
                self.open.iter().any(|open| open.id == ask.id && open.agent == ask.agent)
                    || self.answered.iter().any(late)
            }
            None => {
                !self.open.is_empty()
                    || self.last_opened.is_some_and(|last| ask.since.since(last) <= NOTICE_WINDOW)
            }
        }
    }

    /// An ask opened that is not [known](Self::knows). `ask.number` is given here.
    pub(crate) fn open(&mut self, mut ask: Ask) {
        // The request that a notification told of first: now it has a name, and does not ring again.
        let unnamed = self.open.iter_mut().find(|open| open.id.is_none() && open.kind == ask.kind);
        if let Some(open) = unnamed {
            ask.number = open.number;
            *open = ask;
            return;
        }
        self.count += 1;
        ask.number = self.count;
        self.last_opened = Some(ask.since);
        self.open.push(ask);
    }

    /// The user answered; `None` answers the asks that have no id. `started` is when the hook that tells it started.
    pub(crate) fn answer(&mut self, id: Option<&AskId>, agent: Option<&AgentId>, started: Boot) {
        self.open.retain(|ask| ask.id.as_ref() != id || (id.is_some() && ask.agent.as_ref() != agent));
        if let Some(id) = id {
            if self.answered.len() == REMEMBERED {
                self.answered.pop_front();
            }
            self.answered.push_back(Answered { id: id.clone(), agent: agent.cloned(), started });
        }
    }

    /// A call began: work that an ask stood before has been approved (S7b).
    pub(crate) fn call_started(&mut self, id: &AskId, agent: Option<&AgentId>, started: Boot) {
        self.open.retain(|ask| {
            ask.id.as_ref() != Some(id) || ask.agent.as_ref() != agent || ask.started >= started
        });
    }

    /// A call ended: it answers the ask of that very call. Another tool's end never does (S7b), not even for an ask
    /// that does not say which call it is about, unless it was the last that was running.
    pub(crate) fn call_finished(
        &mut self,
        tool_use: &ToolUseId,
        id: &AskId,
        agent: Option<&AgentId>,
        started: Boot,
    ) {
        self.answer(Some(id), agent, started);
        self.open.retain_mut(|ask| {
            let ran = ask.running.len();
            ask.running.retain(|running| running != tool_use);
            ask.id.is_some() || ask.running.len() == ran || !ask.running.is_empty()
        });
    }

    /// A subagent ended, and its dialogs with it.
    pub(crate) fn agent_over(&mut self, agent: &str) {
        self.open.retain(|ask| ask.agent.as_ref().is_none_or(|asking| asking.as_str() != agent));
    }

    /// No subagent is there any more that could ask.
    pub(crate) fn no_agents(&mut self) {
        self.open.retain(|ask| ask.agent.is_none());
    }

    /// The machine started anew: hook starts of before are not comparable with those that come.
    pub(crate) fn new_boot(&mut self) {
        self.answered.clear();
        self.open.iter_mut().for_each(|ask| ask.started = Boot(0));
    }

    /// A turn of the main agent ended, or another began: its dialogs are gone. A subagent's stay.
    pub(crate) fn turn_over(&mut self) {
        self.open.retain(|ask| ask.agent.is_some() || ask.outlives_turn);
    }

    /// The user wrote: a question that outlived its turn is answered.
    pub(crate) fn user_wrote(&mut self) {
        self.open.retain(|ask| ask.agent.is_some());
    }

    /// The process is gone, or the user stopped everything.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }

    /// The one that is shown: the newest, since that is the dialog on top.
    pub fn shown(&self) -> Option<&Ask> {
        self.open.last()
    }

    /// All open ones, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Ask> {
        self.open.iter()
    }

    /// None is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}
