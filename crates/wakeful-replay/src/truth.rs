//! R1: what a transcript itself says about a decision. A pure function of the decision and of what followed.

use serde::{Deserialize, Serialize};
use wakeful_core::causes::Reason;
use wakeful_core::decision::{Decision, Verdict, WaitingOn};
use wakeful_core::ids::TaskId;
use wakeful_core::ledger::Backing;
use wakeful_core::time::Millis;

/// What followed a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// What opened the next turn, or came in its place.
    pub next: Next,
    /// After how long; `None` at the end of a transcript.
    pub after: Option<Millis>,
    /// The first time that a timer brought the session to its user in between, and why.
    pub surfaced: Option<(Reason, Millis)>,
    /// The process went, and with it what it would have done.
    pub process_gone: bool,
    /// The last message asks something, by signs that do not depend on the rules in force: [`asks_by_sign`].
    pub sign_of_ask: bool,
}

/// What opened the next turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// A wake.
    Wake {
        /// The tasks that it reports.
        tasks: Vec<TaskId>,
        /// It is a schedule of the session that fired.
        scheduled: bool,
    },
    /// The session's user wrote.
    Prompt,
    /// A check-in of Wakeful.
    CheckIn,
    /// Another agent wrote.
    Agent,
    /// The same turn went on: a stop hook sent the agent on, or what it waited for came in.
    WentOn,
    /// The session was ended.
    Ended,
    /// The transcript ends here.
    End,
}

/// Is the decision right?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// What followed proves it right.
    Right,
    /// What followed proves it wrong.
    Wrong,
    /// What followed proves nothing.
    Unknown,
}

impl Label {
    /// Its name in a report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Unknown => "unknown",
        }
    }
}

/// A label and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Truth {
    /// The label.
    pub label: Label,
    /// Why, for people.
    pub why: &'static str,
}

/// Labels a decision (R1).
pub fn truth(decision: &Decision, followed: &Followed) -> Truth {
    let (label, why) = match &decision.verdict {
        Verdict::Waiting { on, .. } => of_wait(decision, on, followed),
        Verdict::NeedsYou { reason, .. } => of_needs_you(*reason, followed),
        Verdict::Idle => (Label::Unknown, "the user had interrupted it"),
    };
    Truth { label, why }
}

fn of_wait(decision: &Decision, on: &WaitingOn, followed: &Followed) -> (Label, &'static str) {
    use Label::{Right, Unknown, Wrong};
    let late = followed.surfaced.is_some();
    match &followed.next {
        Next::Wake { tasks, scheduled } if names(decision, on, tasks, *scheduled) => {
            if late {
                (Right, "the wake came, after the bound")
            } else {
                (Right, "the wake came")
            }
        }
        Next::Wake { .. } => (Unknown, "a wake came, but not the one that it waited for"),
        Next::Prompt if followed.sign_of_ask || !decision.evidence.vetoes.is_empty() => {
            (Wrong, "the user answered, and the message had asked something")
        }
        Next::Prompt if late => (Wrong, "nothing came, and the user had to write after the bound"),
        Next::Prompt if followed.process_gone => (Unknown, "the process was gone when the user wrote"),
        Next::Prompt => (Unknown, "the user wrote during the wait"),
        Next::WentOn if *on == WaitingOn::Accounting => (Right, "the subagent's result came"),
        other => (Unknown, proves_nothing(other)),
    }
}

fn of_needs_you(reason: Reason, followed: &Followed) -> (Label, &'static str) {
    use Label::{Right, Unknown, Wrong};
    let asked = matches!(reason, Reason::Permission | Reason::Question | Reason::Plan | Reason::Elicitation)
        || followed.sign_of_ask;
    match &followed.next {
        Next::Wake { .. } if asked => (Unknown, "a wake came first, but something was asked"),
        Next::Wake { .. } => (Wrong, "a wake came first, and nothing was asked"),
        Next::Prompt => (Right, "the user wrote next"),
        other => (Unknown, proves_nothing(other)),
    }
}

fn proves_nothing(next: &Next) -> &'static str {
    match next {
        Next::CheckIn => "a check-in opened the next turn",
        Next::Agent => "another agent opened the next turn",
        Next::WentOn => "the turn went on",
        Next::Ended => "the session was ended",
        Next::End => "the transcript ends here",
        Next::Wake { .. } | Next::Prompt => "it proves nothing",
    }
}

/// Does the wait name this wake? Whatever held may have been waited for; words about something outside the client
/// name no task, so that any wake may be theirs.
fn names(decision: &Decision, on: &WaitingOn, tasks: &[TaskId], scheduled: bool) -> bool {
    let evidence = &decision.evidence;
    let reported = |held_only: bool| {
        evidence.tasks.iter().any(|task| (task.holds || !held_only) && tasks.contains(&task.id))
    };
    let schedule = scheduled && evidence.wakes > 0;
    match on {
        WaitingOn::Wake | WaitingOn::CheckIn | WaitingOn::Awaited | WaitingOn::Live(_) => {
            schedule || reported(true)
        }
        WaitingOn::Accounting => schedule || !tasks.is_empty(),
        WaitingOn::Prose(Backing::Backed) => schedule || reported(false),
        WaitingOn::Prose(Backing::External | Backing::Unknown | Backing::Unbacked) => true,
    }
}

/// Whether a message asks something, by the coarsest sign there is: a sentence outside code and quotes that ends with
/// a question mark. Labels must not come from the rules that they judge.
pub fn asks_by_sign(message: &str) -> bool {
    let mut fenced = false;
    for line in message.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if !fenced && !line.starts_with('>') && has_question(line) {
            return true;
        }
    }
    false
}

fn has_question(line: &str) -> bool {
    let mut in_code = false;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '`' => in_code = !in_code,
            '？' | '؟' if !in_code => return true,
            '?' if !in_code
                && chars.peek().is_none_or(|next| next.is_whitespace() || "*_)\"'”".contains(*next)) =>
            {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// Successes among trials, with the Wilson score interval at 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// How many.
    pub of: u64,
    /// How many of them.
    pub hits: u64,
    /// `hits / of`.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The normal quantile of a 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;

impl Ratio {
    /// `hits` of `of`; `None` of nothing.
    #[expect(clippy::cast_precision_loss, reason = "counts of turn ends are far below 2^52")]
    pub fn new(hits: u64, of: u64) -> Option<Self> {
        if of == 0 {
            return None;
        }
        let (n, p) = (of as f64, hits as f64 / of as f64);
        let z2 = Z95 * Z95;
        let middle = p + z2 / (2.0 * n);
        let half = Z95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z2 / n;
        let (low, high) = ((middle - half) / scale, (middle + half) / scale);
        // Four digits: more would be noise, and would differ between machines.
        let round = |value: f64| (value.clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0;
        Some(Self { of, hits, value: round(p), low: round(low), high: round(high) })
    }
}
