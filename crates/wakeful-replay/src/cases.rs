//! Judged cases: turn ends with the right answer, one a line, for `wakeful backtest --cases`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wakeful_core::decision::{Decision, Verdict};
use wakeful_core::ids::Client;
use wakeful_core::reading::Reading;
use wakeful_core::settings::Settings;

use crate::case::{Case, Live, decide};

/// The right answer of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// Something outside will re-engage the agent.
    Wait,
    /// The user has to answer, decide, approve or act.
    Question,
    /// The work is over.
    Done,
    /// It says that it waits, and nothing can wake it: must surface.
    Unbacked,
    /// Both are defensible: not scored.
    Mixed,
}

/// One judged turn end. Fields that are not named here are ignored.
#[derive(Debug, Clone, Deserialize)]
pub struct JudgedCase {
    /// Names it.
    pub id: String,
    /// The client's name.
    pub client: String,
    /// The last message.
    pub text: String,
    /// The client's lists are known.
    #[serde(default)]
    pub lists: bool,
    /// Kinds of what is alive.
    #[serde(default)]
    pub live: Vec<String>,
    /// A one-shot wake is scheduled.
    #[serde(default)]
    pub scheduled_wake: bool,
    /// The right answer.
    pub verdict: Judged,
}

/// Which way a turn end went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Got {
    /// Kept out of the inbox.
    Waiting,
    /// In the inbox.
    NeedsYou,
}

/// How often each way was gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Ways {
    /// Kept out of the inbox.
    pub waiting: usize,
    /// In the inbox.
    pub needs_you: usize,
}

/// A case that came out otherwise than judged.
#[derive(Debug, Clone, Serialize)]
pub struct Wrong {
    /// The case.
    pub id: String,
    /// The right answer.
    pub verdict: Judged,
    /// Which way it went.
    pub got: Got,
    /// By which gate.
    pub gate: &'static str,
    /// By which rule, where one had a say.
    pub rule: Option<String>,
    /// The words that it matched.
    pub words: Option<String>,
}

/// The result over all cases.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Matrix {
    /// How many cases there were.
    pub total: usize,
    /// Ways by right answer.
    pub matrix: BTreeMap<Judged, Ways>,
    /// The disagreements, in the order of the cases.
    pub wrong: Vec<Wrong>,
}

impl Matrix {
    /// Did a question come out as waiting? That is the worst fault.
    pub fn hides_a_question(&self) -> bool {
        self.matrix.get(&Judged::Question).is_some_and(|ways| ways.waiting > 0)
    }

    /// Decides one case under these settings and counts it. `read` reads the message.
    ///
    /// # Errors
    /// When the case names a client or a kind that there is not.
    pub fn count(
        &mut self,
        case: &JudgedCase,
        settings: &Settings,
        read: impl Fn(&str) -> Reading,
    ) -> Result<(), String> {
        let client = Client::from_name(&case.client).ok_or_else(|| format!("no client `{}`", case.client))?;
        let live: Option<Vec<Live>> = case.live.iter().map(|kind| Live::parse(kind)).collect();
        let live = live.ok_or_else(|| format!("an unknown kind among {:?}", case.live))?;
        let turn_end = Case {
            client,
            reading: read(&case.text),
            live,
            lists: case.lists,
            scheduled_wake: case.scheduled_wake,
        };
        let decision = decide(&turn_end, settings).ok_or("it gave no decision")?;
        let got =
            if matches!(decision.verdict, Verdict::Waiting { .. }) { Got::Waiting } else { Got::NeedsYou };
        self.total += 1;
        let ways = self.matrix.entry(case.verdict).or_default();
        match got {
            Got::Waiting => ways.waiting += 1,
            Got::NeedsYou => ways.needs_you += 1,
        }
        if wrong(case.verdict, got) {
            self.wrong.push(disagreement(case, got, &decision));
        }
        Ok(())
    }
}

fn wrong(judged: Judged, got: Got) -> bool {
    match judged {
        Judged::Wait => got == Got::NeedsYou,
        Judged::Question | Judged::Done | Judged::Unbacked => got == Got::Waiting,
        Judged::Mixed => false,
    }
}

fn disagreement(case: &JudgedCase, got: Got, decision: &Decision) -> Wrong {
    Wrong {
        id: case.id.clone(),
        verdict: case.verdict,
        got,
        gate: decision.gate.name(),
        rule: decision.rule.as_ref().map(ToString::to_string),
        words: decision.words.clone(),
    }
}
