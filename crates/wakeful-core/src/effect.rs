//! What `step` wants done, as values (S3). It is carried out only after the decision has been recorded.

use serde::{Deserialize, Serialize};

use crate::decision::Decision;
use crate::event::{Inheritance, TimerKind};
use crate::notices::Edge;
use crate::timers::Timer;

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    /// Record this decision.
    Decide(Box<Decision>),
    /// A timer was armed; one of its kind is replaced.
    Arm(Timer),
    /// A timer was disarmed.
    Cancel {
        /// Which.
        timer: TimerKind,
    },
    /// Send a message to the agent, by a channel that cannot answer a dialog (C10).
    Send(Message),
    /// Tell the user.
    Notify(Edge),
    /// The published roster changed.
    Publish {
        /// Its revision; an older one never overwrites a newer one (A21).
        revision: u64,
    },
    /// `/clear`: these entries go to the session that the process serves next (C5).
    HandOver(Box<Inheritance>),
    /// A user action found the session moved on, and did nothing.
    Conflict {
        /// What has happened instead, for people.
        why: String,
    },
}

/// A message to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "message", rename_all = "snake_case")]
pub enum Message {
    /// Are you still waiting?
    CheckIn,
    /// A wake that the agent scheduled with Wakeful.
    ScheduledWake {
        /// In check-in mode: behind the fixed framing.
        check_in: bool,
        /// The agent's prompt.
        prompt: String,
    },
    /// The user's reply, in the user's words.
    Reply {
        /// The text.
        text: String,
    },
}

/// The framing of a check-in (W5). It begins `[Check-in]`, by which a translator knows the turn that it opens.
pub const CHECK_IN_FRAMING: &str = "[Check-in] Nobody has heard from this session for a while. Decide now: keep waiting (say what for, and end \
the turn), proceed with the work, or end the turn with a plain statement of what you need, so that the user sees you.";

impl Message {
    /// The text as the agent gets it.
    pub fn text(&self) -> String {
        match self {
            Self::CheckIn => CHECK_IN_FRAMING.to_owned(),
            Self::ScheduledWake { check_in: true, prompt } => format!("{CHECK_IN_FRAMING}\n\n{prompt}"),
            Self::ScheduledWake { check_in: false, prompt } => prompt.clone(),
            Self::Reply { text } => text.clone(),
        }
    }
}
