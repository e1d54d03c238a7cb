//! One transcript's events on a board of their own, with timers fired in the time of the transcript.

use wakeful_clients::abilities::abilities;
use wakeful_core::board::Board;
use wakeful_core::causes::Reason;
use wakeful_core::decision::{Decision, Gate};
use wakeful_core::effect::Effect;
use wakeful_core::event::{Event, EventKind, Opener, SessionStart, WakeStage};
use wakeful_core::ids::{SessionKey, TaskId};
use wakeful_core::ledger::{Backing, Ledger};
use wakeful_core::session::{Session, Status};
use wakeful_core::time::{Millis, Now};
use wakeful_core::view::WaitKind;

use super::file::{Job, Played};
use crate::files::Source;
use crate::report::{Decided, Held, NextView, Outcome, SurfacedView, Tally, verdict_name};
use crate::truth::{Followed, Next, Truth, asks_by_sign, truth};

/// How much of a last message is shown: enough for its last sentence or two.
const MESSAGE: usize = 240;

/// What is kept of a last message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Heard {
    /// Its end, on one line.
    end: String,
    sign_of_ask: bool,
}

impl Heard {
    pub(super) fn of(text: &str) -> Self {
        Self { end: end_of(text), sign_of_ask: asks_by_sign(text) }
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) offset: u64,
}

/// Plays the events of one transcript.
pub(super) struct Player<'a> {
    source: &'a Source,
    job: Job<'a>,
    board: Board,
    now: Option<Now>,
    pending: Option<Pending>,
    tally: Tally,
    records: Vec<u8>,
}

/// A decision of which is not known yet what followed.
struct Pending {
    session: SessionKey,
    decision: Decision,
    place: Place,
    heard: Heard,
    held: Vec<Held>,
    hidden_question: bool,
    surfaced: Option<(Reason, Millis)>,
    process_gone: bool,
}

impl<'a> Player<'a> {
    pub(super) fn new(source: &'a Source, job: Job<'a>) -> Self {
        Self {
            source,
            job,
            board: Board::default(),
            now: None,
            pending: None,
            tally: Tally::default(),
            records: Vec::new(),
        }
    }

    /// The time of the transcript so far.
    pub(super) fn now(&self) -> Now {
        self.now.unwrap_or_default()
    }

    /// Whether the filters let this session at this time count. The state before is played all the same.
    pub(super) fn counts(&self, session: &SessionKey, at: Now) -> bool {
        let options = self.job.options;
        options.since.is_none_or(|since| at.wall >= since)
            && options.session.as_ref().is_none_or(|wanted| session.id.as_str().starts_with(wanted.as_str()))
    }

    /// Counts commands that the guard refuses.
    pub(super) fn refused(&mut self, times: u64) {
        self.tally.guard_refusals += times;
    }

    /// The next event; `heard` and `place` belong to the last message where it ends a turn.
    pub(super) fn event(&mut self, at: Now, event: &Event, heard: Option<&Heard>, place: Place) {
        self.advance(at);
        let now = self.now();
        if self.counts(&event.session, now) {
            self.tally.sessions.insert(event.session.clone());
        }
        let scheduled = self.fires_schedule(event);
        if let (Some(pending), EventKind::SessionStarted { start: SessionStart::Resume, .. }) =
            (&mut self.pending, &event.kind)
        {
            pending.process_gone = true;
        }
        let effects = self.board.apply(now, &self.job.options.settings, abilities, event);
        let decided = effects.into_iter().find_map(|(_, effect)| match effect {
            Effect::Decide(decision) => Some(*decision),
            _ => None,
        });
        self.follow(event, scheduled, decided.is_some());
        if let Some(decision) = decided {
            self.decided(event.session.clone(), decision, heard, place);
        }
    }

    /// The transcript is over.
    pub(super) fn finish(&mut self) {
        if let (Some(until), Some(now)) = (self.job.options.as_of, self.now)
            && until > now.wall
        {
            self.advance(now.plus(now.wall.until(until)));
        }
        self.resolve(Next::End, None);
    }

    /// What was counted.
    pub(super) fn played(&mut self) -> Played {
        Played { tally: std::mem::take(&mut self.tally), records: std::mem::take(&mut self.records) }
    }

    /// Lets time pass until `at`, firing the timers on the way. Lines may be some milliseconds out of order: time
    /// does not run backwards for that.
    fn advance(&mut self, at: Now) {
        let Some(mut now) = self.now else {
            self.now = Some(at);
            return;
        };
        loop {
            let left = now.wall.until(at.wall);
            let Some(next) = self.board.next_timer(now).filter(|next| *next <= left) else {
                self.now = Some(now.plus(left));
                return;
            };
            now = now.plus(next);
            self.now = Some(now);
            for event in self.board.due(now) {
                self.fire(now, &event);
            }
        }
    }

    fn fire(&mut self, now: Now, event: &Event) {
        let status = |board: &Board| board.get(&event.session).map(Session::status);
        let before = status(&self.board);
        self.board.apply(now, &self.job.options.settings, abilities, event);
        let after = status(&self.board);
        let (true, Some(Status::NeedsYou(reason))) = (before != after, after) else { return };
        if self.counts(&event.session, now) {
            *self.tally.surfaced_later.entry(reason).or_default() += 1;
        }
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.session == event.session) {
            pending.surfaced.get_or_insert((reason, now.since(pending.decision.at)));
        }
    }

    /// Is this prompt the one of a schedule on the ledger?
    fn fires_schedule(&self, event: &Event) -> bool {
        let EventKind::PromptSubmitted { digest, .. } = &event.kind else { return false };
        self.board
            .get(&event.session)
            .is_some_and(|session| session.ledger.wakes.iter().any(|wake| wake.prompt == *digest))
    }

    /// Looks whether the event is what followed the last decision.
    fn follow(&mut self, event: &Event, scheduled: bool, decided: bool) {
        let Some(pending) = self.pending.as_ref().filter(|pending| pending.session == event.session) else {
            return;
        };
        let Some(session) = self.board.get(&event.session) else { return };
        let words = match &event.kind {
            EventKind::PromptSubmitted { label, .. } => Some(label.clone()),
            _ => None,
        };
        let next = match &session.turns.open {
            Some(open) if open.number == pending.decision.number => Some(Next::WentOn),
            Some(open) => Some(opened_by(open.opener, event, scheduled)),
            // It opened and ended in one event: its start was never seen.
            None if decided && session.turns.count == pending.decision.number => Some(Next::WentOn),
            None if decided => Some(Next::Agent),
            None if session.ended.is_some() => Some(Next::Ended),
            None => None,
        };
        if let Some(next) = next {
            self.resolve(next, words);
        }
    }

    fn decided(&mut self, session: SessionKey, decision: Decision, heard: Option<&Heard>, place: Place) {
        let ledger = self.board.get(&session).map(|session| &session.ledger);
        let held = ledger.map(held).unwrap_or_default();
        let asks = matches!(decision.gate, Gate::Question | Gate::OpenAsk);
        let entry_holds = held.iter().any(|held| held.kind != WaitKind::Prose);
        let heard = heard.cloned().unwrap_or_default();
        self.pending = Some(Pending {
            hidden_question: asks && entry_holds,
            session,
            decision,
            place,
            heard,
            held,
            surfaced: None,
            process_gone: false,
        });
    }

    /// What followed is known: the decision can be labelled and counted.
    fn resolve(&mut self, next: Next, words: Option<String>) {
        let Some(pending) = self.pending.take() else { return };
        if !self.counts(&pending.session, pending.decision.at) {
            return;
        }
        let decision = &pending.decision;
        let after = (next != Next::End).then(|| self.now().since(decision.at));
        let followed = Followed {
            after,
            surfaced: pending.surfaced,
            process_gone: pending.process_gone,
            sign_of_ask: pending.heard.sign_of_ask,
            next,
        };
        let label = truth(decision, &followed);
        let by_wake = matches!(followed.next, Next::Wake { .. });
        let by_prompt = followed.next == Next::Prompt;
        let ran_out = pending
            .surfaced
            .is_some_and(|(reason, _)| matches!(reason, Reason::WaitTimeout | Reason::WakeOverdue));
        let outcome = Outcome {
            decision,
            label: label.label,
            why: label.why,
            hidden_question: pending.hidden_question,
            unbacked_wait: decision.gate == Gate::ProseWait
                && decision.evidence.backing == Some(Backing::Unbacked),
            lost_wake: decision.verdict.waits() && !by_wake && (ran_out || pending.process_gone),
            surfaced: pending.surfaced.is_some(),
            at_end: followed.next == Next::End,
            until_prompt: after.filter(|_| by_prompt),
            until_wake: after.filter(|_| by_wake),
        };
        self.tally.count(&outcome);
        let case = self.case(&pending, &followed, label, &outcome, words);
        if self.job.wants_records && serde_json::to_writer(&mut self.records, &case).is_ok() {
            self.records.push(b'\n');
        }
        if case.interest().is_some() {
            self.tally.keep(case);
        }
    }

    fn case(
        &self,
        pending: &Pending,
        followed: &Followed,
        label: Truth,
        outcome: &Outcome<'_>,
        words: Option<String>,
    ) -> Decided {
        let decision = &pending.decision;
        Decided {
            file: self.source.path.to_string_lossy().into_owned(),
            line: pending.place.line,
            offset: pending.place.offset,
            client: pending.session.client,
            session: pending.session.id.0.clone(),
            at: self.time(decision.at),
            turn: decision.number,
            verdict: verdict_name(&decision.verdict).to_owned(),
            reason: decision.verdict.reason(),
            gate: decision.gate,
            rule: decision.rule.clone(),
            words: decision.words.clone(),
            backing: decision.evidence.backing,
            held: pending.held.clone(),
            reconstructed: decision.evidence.reconstructed,
            message: pending.heard.end.clone(),
            next: NextView {
                what: name_of(&followed.next).to_owned(),
                after_ms: followed.after.map(|after| after.0),
                words,
            },
            surfaced: pending.surfaced.map(|(reason, after)| SurfacedView { reason, after_ms: after.0 }),
            label: label.label,
            why: label.why.to_owned(),
            hidden_question: outcome.hidden_question,
            unbacked_wait: outcome.unbacked_wait,
            lost_wake: outcome.lost_wake,
        }
    }

    fn time(&self, at: Now) -> String {
        jiff::Timestamp::from_millisecond(at.wall.0)
            .map(|at| {
                at.to_zoned_datetime(self.job.options.zone.clone())
                    .strftime("%Y-%m-%dT%H:%M:%S%:z")
                    .to_string()
            })
            .unwrap_or_default()
    }
}

fn opened_by(opener: Opener, event: &Event, scheduled: bool) -> Next {
    match opener {
        Opener::User => Next::Prompt,
        Opener::CheckIn => Next::CheckIn,
        Opener::Agent => Next::Agent,
        Opener::Wake => Next::Wake { tasks: reported(event), scheduled },
    }
}

fn reported(event: &Event) -> Vec<TaskId> {
    match &event.kind {
        EventKind::PromptSubmitted { reports, .. } => {
            reports.iter().map(|report| report.task.clone()).collect()
        }
        EventKind::WakeStarted { tasks: Some(tasks), stage: WakeStage::Started, .. } => tasks.clone(),
        _ => Vec::new(),
    }
}

fn held(ledger: &Ledger) -> Vec<Held> {
    let tasks = ledger.tasks.iter().filter(|entry| entry.holds);
    let tasks = tasks.map(|entry| Held { kind: entry.task.kind.into(), label: entry.task.label.clone() });
    let wakes = ledger.wakes.iter().filter(|wake| wake.holds).map(|wake| Held {
        kind: if wake.is_check_in() { WaitKind::CheckIn } else { WaitKind::Wake },
        label: wake.reason.clone().unwrap_or_else(|| "a scheduled wake".to_owned()),
    });
    let prose =
        ledger.prose.iter().map(|prose| Held { kind: WaitKind::Prose, label: prose.words.words.clone() });
    let calls = ledger
        .accounting
        .iter()
        .map(|_| Held { kind: WaitKind::Accounting, label: "a subagent's result".to_owned() });
    tasks.chain(wakes).chain(prose).chain(calls).collect()
}

fn name_of(next: &Next) -> &'static str {
    match next {
        Next::Wake { .. } => "wake",
        Next::Prompt => "prompt",
        Next::CheckIn => "check_in",
        Next::Agent => "agent",
        Next::WentOn => "went_on",
        Next::Ended => "ended",
        Next::End => "end",
    }
}

/// The last characters of a text, with every run of white space as one space. Only the end of a long text is walked.
pub(crate) fn end_of(text: &str) -> String {
    let mut end: Vec<char> = Vec::with_capacity(MESSAGE);
    for char in text.trim_end().chars().rev() {
        if end.len() == MESSAGE {
            end.push('…');
            break;
        }
        let space = char.is_whitespace() || char.is_control();
        if !space {
            end.push(char);
        } else if end.last() != Some(&' ') {
            end.push(' ');
        }
    }
    end.iter().rev().collect::<String>().trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_message_is_one_line() {
        assert_eq!(end_of("One.\n\n  Two\tand \u{1b}three. \n"), "One. Two and three.");
        assert_eq!(end_of(" \n"), "");
        let long = end_of(&"ä".repeat(1000));
        assert_eq!(long.chars().count(), MESSAGE + 1);
        assert!(long.starts_with('…'));
    }
}
