//! The shell-waiter guard (spec 50): one command and a policy in, a verdict out.

use std::ops::Range;

use crate::lexer::Origin;
use crate::policy::{GuardPolicy, PolicyLevel, RuleId, RuleSwitch};
use crate::scan;
use crate::summary::{Hit, Work};
use crate::walk::{Findings, Report, walk_script};

/// What the guard says about one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardVerdict {
    /// Nothing to refuse.
    Pass {
        /// No grammar could read the command to its end (G4): it passes, and the caller counts it.
        undecided: bool,
    },
    /// A rule matched and the user's allow pattern lets the command run; the audit records both.
    Allowed {
        /// What would have been refused.
        refusal: Refusal,
        /// The pattern that allows it.
        pattern: String,
    },
    /// The command runs; the agent is told.
    Warn(Refusal),
    /// The command must not run.
    Deny(Refusal),
}

impl GuardVerdict {
    /// The refusal, if it denies.
    pub fn denied(&self) -> Option<&Refusal> {
        match self {
            Self::Deny(refusal) => Some(refusal),
            _ => None,
        }
    }
}

/// Why a command is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The rule that matched.
    pub rule: RuleId,
    /// The loop or sequence, in bytes of the command the caller gave. What stands in a decoded script (`bash -c "…\"…"`)
    /// has the span of the word or heredoc that holds it.
    pub span: Range<usize>,
    /// The words to underline, within `span`, in reading order.
    pub marks: Vec<Range<usize>>,
    /// The offending words in short: `while … sleep 5`.
    pub words: String,
    /// It polls with `pgrep -f` for a pattern that its own command line contains, so it finds itself.
    pub self_matching_pgrep: bool,
}

/// Judges a command on its own.
pub fn guard(command: &str, policy: &GuardPolicy) -> GuardVerdict {
    guard_counted(command, &[], policy).0
}

/// Judges a command with the commands that the same turn already ran, oldest first: the rule `repeated-read` needs them.
pub fn guard_in_turn(command: &str, earlier: &[&str], policy: &GuardPolicy) -> GuardVerdict {
    guard_counted(command, earlier, policy).0
}

/// The verdict and the work it took, in bytes looked at and nodes visited.
pub(crate) fn guard_counted(command: &str, earlier: &[&str], policy: &GuardPolicy) -> (GuardVerdict, usize) {
    let pass = GuardVerdict::Pass { undecided: false };
    if policy.level == PolicyLevel::Off {
        return (pass, 0);
    }
    let on = |rule| policy.switch(rule) != RuleSwitch::Off;
    let repeated = on(RuleId::RepeatedRead) && repeats(command, earlier);
    let follow = on(RuleId::HangingFollow) && scan::may_follow(command);
    if !repeated && !follow && !scan::may_wait(command) {
        return (pass, command.len());
    }
    let mut report = Report::new(command);
    let summary = walk_script(command, &Origin::At(0), 0, &mut report);
    let mut findings = std::mem::take(&mut report.findings);
    if let Some((sleep, read)) = summary.delayed {
        let rule = match summary.work {
            Work::None => Some(RuleId::DelayedRead),
            Work::RemoteRead => Some(RuleId::RemoteDelayedRead),
            Work::Real => None,
        };
        if let Some(rule) = rule {
            findings.add(rule, refuse_pair(rule, &sleep, &read));
        }
    }
    if repeated
        && summary.work == Work::None
        && let Some(read) = &summary.reads
    {
        findings.add(RuleId::RepeatedRead, refuse_hit(RuleId::RepeatedRead, read));
    }
    if report.damaged
        && on(RuleId::PowershellLoop)
        && !command.contains("<<")
        && let Some(span) = scan::powershell_loop(command)
    {
        let refusal = refuse_powershell(command, span);
        findings.add(RuleId::PowershellLoop, refusal);
    }
    (judge(command, policy, &findings, report.damaged), command.len() + report.steps)
}

/// The strongest answer that the policy gives to what was found.
fn judge(command: &str, policy: &GuardPolicy, findings: &Findings, damaged: bool) -> GuardVerdict {
    let mut warning = None;
    for rule in RuleId::ALL {
        let Some(refusal) = findings.first(rule) else {
            continue;
        };
        match policy.switch(rule) {
            RuleSwitch::Off => {}
            RuleSwitch::Warn => {
                warning.get_or_insert_with(|| refusal.clone());
            }
            RuleSwitch::Deny => {
                return match policy.allowed_by(command) {
                    Some(pattern) => {
                        GuardVerdict::Allowed { refusal: refusal.clone(), pattern: pattern.to_owned() }
                    }
                    None => GuardVerdict::Deny(refusal.clone()),
                };
            }
        }
    }
    match (warning, policy.allowed_by(command)) {
        (Some(refusal), Some(pattern)) => GuardVerdict::Allowed { refusal, pattern: pattern.to_owned() },
        (Some(refusal), None) => GuardVerdict::Warn(refusal),
        (None, _) => GuardVerdict::Pass { undecided: damaged },
    }
}

/// This many times the same read in a row, this one included, is polling by hand; twice is looking again.
const REPEATS: usize = 3;

fn repeats(command: &str, earlier: &[&str]) -> bool {
    earlier.iter().rev().take_while(|e| e.trim() == command.trim()).count() + 1 >= REPEATS
}

pub(crate) fn refuse_hit(rule: RuleId, hit: &Hit) -> Refusal {
    Refusal {
        rule,
        span: hit.span.clone(),
        marks: vec![hit.span.clone()],
        words: hit.words.clone(),
        self_matching_pgrep: hit.self_matching_pgrep,
    }
}

pub(crate) fn refuse_pair(rule: RuleId, first: &Hit, second: &Hit) -> Refusal {
    let (start, end) = (first.span.start.min(second.span.start), first.span.end.max(second.span.end));
    let mut marks = vec![first.span.clone(), second.span.clone()];
    marks.dedup();
    Refusal {
        rule,
        span: start..end,
        marks,
        words: format!("{} … {}", first.words, second.words),
        self_matching_pgrep: false,
    }
}

fn refuse_powershell(command: &str, span: Range<usize>) -> Refusal {
    Refusal {
        rule: RuleId::PowershellLoop,
        words: command[span.clone()].to_owned(),
        marks: vec![span.clone()],
        span,
        self_matching_pgrep: false,
    }
}
