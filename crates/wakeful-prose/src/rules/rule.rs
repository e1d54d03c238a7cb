//! One rule.

use serde::{Deserialize, Serialize};
use wakeful_core::ids::RuleId;

/// What a rule recognises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The agent waits, promises, or names running work (P7).
    Wait,
    /// The wait is on the user (P5).
    Veto,
    /// Looks like a veto and is none (P6).
    Exemption,
    /// The message asks the user something that it needs (P13).
    Ask,
    /// An optional offer, which is no ask (P13).
    Offer,
    /// A question that nobody has to answer (P13).
    Rhetorical,
    /// The message reports completion or hands over (P14).
    Close,
    /// The text flags something for attention (P4).
    Alarm,
    /// A stated time (P15).
    Eta,
    /// Names something that may wake the agent (backing, spec 10).
    Name,
}

/// How much a wait rule is trusted (P8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tier {
    /// Used in full mode only.
    #[default]
    Broad,
    /// About 99 % precise: used in both modes.
    Curated,
}

/// What a wait rule says about the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WaitRole {
    /// The agent itself waits.
    Own,
    /// The agent commits itself to go on later, or says that something will wake it: a hand-off (P4).
    Promise,
    /// The agent will not poll: a hand-off whatever else the text says (P4).
    NoPoll,
    /// Work runs elsewhere: no wait by itself (P5b).
    Status,
}

/// How much of the work a closing sentence closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CloseRole {
    /// One step is reported as done; a status line after it says that the work goes on.
    Step,
    /// The work is reported as done; only a statement after it that the agent waits takes that back.
    Done,
    /// The work is handed to the user: nothing but a hand-off is a wait beside it.
    HandsOver,
}

/// What a time says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EtaRole {
    /// A length of time from now.
    In,
    /// A time of day.
    At,
    /// A length of time in the past, or one that is no forecast: takes an `in` of the same words away.
    Past,
}

/// What a name names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NameRole {
    /// Something outside the client.
    External,
    /// A background command or task.
    Task,
    /// A monitor or watcher.
    Monitor,
    /// A subagent or workflow.
    Subagent,
    /// A scheduled wake-up.
    Wake,
    /// What the sentence before has named.
    Reference,
}

/// A [`Kind`] with what a rule of that kind says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Wait(WaitRole, Tier),
    /// `ask`: the veto alone is reason enough to say that the message asks the user.
    Veto {
        ask: bool,
    },
    Exemption,
    /// `weak`: only the question mark says so, and a message may answer such a question itself.
    Ask {
        weak: bool,
    },
    Offer,
    Rhetorical,
    Close(CloseRole),
    Alarm,
    Eta(EtaRole),
    Name(NameRole),
}

/// A rule as the code uses it.
#[derive(Debug)]
pub(crate) struct Rule {
    pub id: RuleId,
    pub role: Role,
    pub what: String,
    /// Ready for the pattern compiler: placeholders are expanded.
    pub patterns: Vec<String>,
    /// A match of a pattern that overlaps a match of one of these is none.
    pub unless: Vec<String>,
    pub matches: Vec<String>,
    pub near_misses: Vec<String>,
}

impl Rule {
    pub fn kind(&self) -> Kind {
        match self.role {
            Role::Wait(..) => Kind::Wait,
            Role::Veto { .. } => Kind::Veto,
            Role::Exemption => Kind::Exemption,
            Role::Ask { .. } => Kind::Ask,
            Role::Offer => Kind::Offer,
            Role::Rhetorical => Kind::Rhetorical,
            Role::Close(_) => Kind::Close,
            Role::Alarm => Kind::Alarm,
            Role::Eta(_) => Kind::Eta,
            Role::Name(_) => Kind::Name,
        }
    }
}

/// A rule, for people and reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleInfo {
    /// Its stable id.
    pub id: RuleId,
    /// What kind of rule it is.
    pub kind: Kind,
    /// Used in precise mode too; always true for rules that are not wait rules.
    pub curated: bool,
    /// What it recognises, in one line.
    pub what: String,
    /// Examples that it recognises.
    pub matches: Vec<String>,
    /// Examples that look like it and that it does not recognise.
    pub near_misses: Vec<String>,
}
