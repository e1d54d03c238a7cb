//! The timeline of a session in turns, and the folding of repeated auto-waits (spec 70).

use wakeful_core::decision::Decision;
use wakeful_core::event::{EventKind, Opener};
use wakeful_core::time::Now;
use wakeful_engine::live::Moment;

use wakeful_engine::shown::{TURN_ENDED, decision, notified, what};

/// One turn with what happened in it and after it, until the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Who opened it, where that was seen.
    pub opener: Option<Opener>,
    /// What happened, oldest first; the first line is the prompt where one opened it.
    pub lines: Vec<Line>,
    /// What was decided at its end.
    pub decision: Option<Decision>,
    /// How many of the lines come before the decision.
    pub decided_after: usize,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// When.
    pub at: Now,
    /// What.
    pub text: String,
}

impl Turn {
    /// Was it kept out of the inbox?
    pub fn auto_waited(&self) -> bool {
        self.decision.as_ref().is_some_and(|decision| decision.verdict.waits())
    }

    /// Did the user write the message that opened it?
    pub fn by_user(&self) -> bool {
        self.opener == Some(Opener::User)
    }
}

/// The turns of a session, oldest first.
pub fn turns(moments: &[Moment]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for moment in moments {
        let opener = moment.event.as_ref().and_then(|event| match (&event.kind, &event.agent) {
            (EventKind::PromptSubmitted { opener, .. }, None) => Some(*opener),
            _ => None,
        });
        let text = moment.event.as_ref().and_then(what);
        let (decided, rang) = (decision(&moment.effects).cloned(), notified(&moment.effects));
        if text.is_none() && decided.is_none() && rang.is_none() {
            continue;
        }
        // A turn that ends twice had gone on in between: the second end is one of its own.
        let again = decided.is_some() && turns.last().is_some_and(|turn| turn.decision.is_some());
        if opener.is_some() || again || turns.is_empty() {
            turns.push(Turn { opener, lines: Vec::new(), decision: None, decided_after: 0 });
        }
        let Some(turn) = turns.last_mut() else { continue };
        let line = |text| Line { at: moment.at, text };
        // That the turn ended says the decision itself.
        turn.lines.extend(text.filter(|text| decided.is_none() || text != TURN_ENDED).map(line));
        if decided.is_some() {
            turn.decided_after = turn.lines.len();
            turn.decision = decided;
        }
        turn.lines.extend(rang.map(|reason| line(format!("would notify: {}", reason.replace('_', " ")))));
    }
    turns
}

/// How a turn is shown when repeated auto-waits are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// All of it.
    Whole,
    /// Only the message of the user that opened it: what a user wrote is never hidden.
    Prompt,
    /// Not at all.
    Hidden,
    /// All of it; it is the newest of a run, and so many before it are folded.
    Newest(usize),
}

/// Folds every run of auto-waited turns to its newest. Only a message that the user wrote ends a run; other turns in between do not,
/// and stay as they are. `turns` are oldest first, and so is what comes back, one each.
pub fn folded(turns: &[Turn]) -> Vec<Fold> {
    let mut folds = vec![Fold::Whole; turns.len()];
    // Of the run that is being looked at: the newest auto-waited turn so far, and how many are folded into it.
    let mut newest: Option<(usize, usize)> = None;
    for (at, turn) in turns.iter().enumerate() {
        if turn.by_user() {
            newest = None;
        }
        if !turn.auto_waited() {
            continue;
        }
        let count = newest.map_or(0, |(before, count)| {
            folds[before] = if turns[before].by_user() { Fold::Prompt } else { Fold::Hidden };
            count + 1
        });
        newest = Some((at, count));
        folds[at] = if count == 0 { Fold::Whole } else { Fold::Newest(count) };
    }
    folds
}

#[cfg(test)]
mod tests {
    use wakeful_core::causes::Reason;
    use wakeful_core::decision::{Bound, Evidence, Gate, Verdict, WaitingOn};

    use super::*;

    /// `u`, `w`: opened by the user, by a wake; then `+` kept out of the inbox, `!` surfaced, `-` not ended.
    fn story(text: &str) -> Vec<Turn> {
        let turn = |word: &str| {
            let verdict = match &word[1..] {
                "+" => Some(Verdict::Waiting { on: WaitingOn::Awaited, bound: Bound::Overdue }),
                "!" => Some(Verdict::needs_you(Reason::Done)),
                _ => None,
            };
            let decision = verdict.map(|verdict| Decision {
                at: Now::default(),
                number: 1,
                turn: None,
                verdict,
                gate: Gate::AwaitedWork,
                rule: None,
                words: None,
                evidence: Evidence::default(),
            });
            let opener = if word.starts_with('u') { Opener::User } else { Opener::Wake };
            Turn { opener: Some(opener), lines: Vec::new(), decision, decided_after: 0 }
        };
        text.split(' ').map(turn).collect()
    }

    #[test]
    fn of_a_run_the_newest_stays() {
        use Fold::{Hidden, Newest, Prompt, Whole};
        assert_eq!(folded(&story("u! w+ w+ w+")), [Whole, Hidden, Hidden, Newest(2)]);
        assert_eq!(folded(&story("u! w+ w!")), [Whole, Whole, Whole]);
        assert_eq!(folded(&story("u+ w+ w-")), [Prompt, Newest(1), Whole]);
    }

    #[test]
    fn only_a_message_of_the_user_ends_a_run() {
        use Fold::{Hidden, Newest, Prompt, Whole};
        assert_eq!(folded(&story("w+ w! w+ w- w+")), [Hidden, Whole, Hidden, Whole, Newest(2)]);
        assert_eq!(folded(&story("w+ w+ u! w+")), [Hidden, Newest(1), Whole, Whole]);
        assert_eq!(folded(&story("w+ u+ u+ w+")), [Whole, Whole, Prompt, Newest(1)]);
        assert_eq!(folded(&story("w+ u- w+")), [Whole, Whole, Whole]);
    }
}
