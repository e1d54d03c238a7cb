//! What the last message of a turn says, as far as a decision needs it (spec 20). Made by `wakeful-prose` at the
//! edge; the core sees only this, never the text (S2).

use serde::{Deserialize, Serialize};

use crate::ids::RuleId;
use crate::time::Millis;

/// The reading of one last message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// Version of the rules that made it, for the log: it is never read by `step`.
    pub rules: String,
    /// The message asks the user something that it needs (P13).
    pub asks_user: Option<Question>,
    /// A suppressible wait: one that cleared the length, shape and target guards (P3 to P5).
    pub wait: Option<WaitWords>,
    /// "The message waits": every rule over the whole message, without the length and shape guards but with the
    /// target guard. Only for saying whose a live task is (spec 10, `live-work`).
    pub waits_somewhere: Option<WaitWords>,
    /// The message reports completion or hands over (P14), and by which rule.
    pub closes: Option<RuleId>,
    /// Until when the agent says that the wait lasts (P15), from the turn end.
    pub stated_eta: Option<Millis>,
    /// The target vetoes that matched (P5). Not empty means: a wait in this message is on the user.
    pub vetoes: Vec<RuleId>,
}

/// A wait found in the words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitWords {
    /// The wait rule that explains best (P10), or `sentinel` (P9).
    pub rule: RuleId,
    /// The matched words, for people.
    pub words: String,
    /// It names something outside the client that may come back: CI, a deploy, a review bot, another person's job.
    pub names_external: bool,
    /// It names a mechanism of the client itself that would wake the agent.
    pub names_mechanism: Option<Mechanism>,
}

/// A mechanism of the client that a message can name as what will wake it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// A background command or task ("the background task will notify me").
    Task,
    /// A monitor or watcher of the client.
    Monitor,
    /// A subagent, helper, reviewer agent, workflow.
    Subagent,
    /// A scheduled wake-up, reminder or cron row.
    Wake,
}

/// What the message asks the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The question alone, for people.
    pub snippet: String,
    /// The rule that found it.
    pub rule: RuleId,
}
