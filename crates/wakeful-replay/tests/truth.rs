//! R1, row by row.

use wakeful_core::causes::Reason;
use wakeful_core::decision::{Bound, Decision, Evidence, Gate, TaskEvidence, Verdict, WaitingOn};
use wakeful_core::event::TaskKind;
use wakeful_core::ids::{RuleId, TaskId};
use wakeful_core::ledger::Backing;
use wakeful_core::time::{Millis, Now};
use wakeful_replay::truth::{Followed, Label, Next, Ratio, asks_by_sign, truth};

use Label::{Right, Unknown, Wrong};

const MINUTE: Millis = Millis::minutes(1);

fn decision(verdict: Verdict) -> Decision {
    let task = |id: &str, holds| TaskEvidence {
        id: TaskId::new(id),
        kind: TaskKind::Command,
        awaited: false,
        owed: false,
        holds,
        endless: None,
    };
    let tasks = vec![task("build", true), task("server", false)];
    Decision {
        at: Now::default(),
        number: 1,
        turn: None,
        verdict,
        gate: Gate::LiveWork,
        rule: None,
        words: None,
        evidence: Evidence { tasks, wakes: 1, ..Evidence::default() },
    }
}

fn waits(on: WaitingOn) -> Decision {
    decision(Verdict::Waiting { on, bound: Bound::Wake })
}

fn live() -> Decision {
    waits(WaitingOn::Live(vec![TaskKind::Command]))
}

fn needs(reason: Reason) -> Decision {
    decision(Verdict::needs_you(reason))
}

fn wake(tasks: &[&str]) -> Next {
    Next::Wake { tasks: tasks.iter().map(|id| TaskId::new(*id)).collect(), scheduled: false }
}

fn fired() -> Next {
    Next::Wake { tasks: Vec::new(), scheduled: true }
}

fn followed(next: Next) -> Followed {
    Followed { next, after: Some(MINUTE), surfaced: None, process_gone: false, sign_of_ask: false }
}

fn asked(next: Next) -> Followed {
    Followed { sign_of_ask: true, ..followed(next) }
}

fn late(next: Next) -> Followed {
    Followed { surfaced: Some((Reason::WaitTimeout, MINUTE)), ..followed(next) }
}

#[test]
fn waiting() {
    let prose = |backing| waits(WaitingOn::Prose(backing));
    let vetoed = || {
        let mut decision = live();
        decision.evidence.vetoes.push(RuleId::new("your-call"));
        decision
    };
    let rows = [
        // Right if the next turn was opened by the wake that the wait names.
        (live(), followed(wake(&["build"])), Right, "the wake came"),
        (live(), followed(wake(&["other", "build"])), Right, "the wake came"),
        (live(), late(wake(&["build"])), Right, "after the bound"),
        (waits(WaitingOn::Awaited), followed(wake(&["build"])), Right, "the wake came"),
        (waits(WaitingOn::Wake), followed(fired()), Right, "the wake came"),
        (waits(WaitingOn::CheckIn), followed(fired()), Right, "the wake came"),
        (live(), followed(fired()), Right, "the wake came"),
        (waits(WaitingOn::Accounting), followed(Next::WentOn), Right, "result came"),
        (prose(Backing::External), followed(wake(&[])), Right, "the wake came"),
        (prose(Backing::Unknown), followed(wake(&[])), Right, "the wake came"),
        (prose(Backing::Backed), followed(wake(&["server"])), Right, "the wake came"),
        // A wake that it does not name.
        (live(), followed(wake(&["server"])), Unknown, "not the one"),
        (live(), followed(wake(&[])), Unknown, "not the one"),
        (waits(WaitingOn::Wake), followed(wake(&["server"])), Unknown, "not the one"),
        (prose(Backing::Backed), followed(wake(&["other"])), Unknown, "not the one"),
        // Wrong if the session's user answered an ask that stood in the message.
        (live(), asked(Next::Prompt), Wrong, "had asked"),
        (vetoed(), followed(Next::Prompt), Wrong, "had asked"),
        // Wrong if nothing ever came and the user had to prompt after the bound.
        (live(), late(Next::Prompt), Wrong, "after the bound"),
        // Else unknown: a user who chats during a wait proves nothing.
        (live(), followed(Next::Prompt), Unknown, "during the wait"),
        (live(), Followed { process_gone: true, ..followed(Next::Prompt) }, Unknown, "process was gone"),
        (live(), asked(wake(&["build"])), Right, "the wake came"),
        (live(), followed(Next::End), Unknown, "ends here"),
        (live(), late(Next::End), Unknown, "ends here"),
        (live(), followed(Next::Ended), Unknown, "ended"),
        (live(), followed(Next::CheckIn), Unknown, "check-in"),
        (live(), followed(Next::Agent), Unknown, "another agent"),
        (live(), followed(Next::WentOn), Unknown, "went on"),
    ];
    for (at, (decision, followed, label, why)) in rows.iter().enumerate() {
        let got = truth(decision, followed);
        assert_eq!(got.label, *label, "row {at}: {followed:?}");
        assert!(got.why.contains(why), "row {at}: {} / {why}", got.why);
    }
}

#[test]
fn needs_you() {
    let rows = [
        // Wrong if a wake opened the next turn before any prompt and nothing was asked.
        (needs(Reason::Done), followed(wake(&["build"])), Wrong, "nothing was asked"),
        (needs(Reason::Done), followed(fired()), Wrong, "nothing was asked"),
        (needs(Reason::UnbackedWait), followed(wake(&[])), Wrong, "nothing was asked"),
        (needs(Reason::Done), asked(wake(&["build"])), Unknown, "something was asked"),
        (needs(Reason::Question), followed(wake(&["build"])), Unknown, "something was asked"),
        (needs(Reason::Permission), followed(wake(&["build"])), Unknown, "something was asked"),
        (needs(Reason::Plan), followed(wake(&["build"])), Unknown, "something was asked"),
        // Right if the user's prompt came next.
        (needs(Reason::Done), followed(Next::Prompt), Right, "wrote next"),
        (needs(Reason::Question), followed(Next::Prompt), Right, "wrote next"),
        (needs(Reason::Failed), followed(Next::Prompt), Right, "wrote next"),
        // Else unknown.
        (needs(Reason::Done), followed(Next::End), Unknown, "ends here"),
        (needs(Reason::Done), followed(Next::WentOn), Unknown, "went on"),
        (needs(Reason::Done), followed(Next::Agent), Unknown, "another agent"),
        (decision(Verdict::Idle), followed(Next::Prompt), Unknown, "interrupted"),
    ];
    for (at, (decision, followed, label, why)) in rows.iter().enumerate() {
        let got = truth(decision, followed);
        assert_eq!(got.label, *label, "row {at}: {followed:?}");
        assert!(got.why.contains(why), "row {at}: {} / {why}", got.why);
    }
}

#[test]
fn signs_of_an_ask() {
    for (text, expected) in [
        ("Shall I merge it?", true),
        ("The build runs.\n\n**Which port do you want?**\n\nI go on meanwhile.", true),
        ("どのブランチですか？", true),
        ("The build runs; I go on when it is done.", false),
        ("It prints `ready?` and waits.", false),
        ("```\nreally? y/n\n```\nThe build runs.", false),
        ("> are you sure?\n\nThe build runs.", false),
        ("See https://example.org/a?b=c for more.", false),
        ("", false),
    ] {
        assert_eq!(asks_by_sign(text), expected, "{text}");
    }
}

#[test]
fn wilson_intervals() {
    // Reference values: Newcombe 1998, table I, method 3.
    for (hits, of, low, high) in
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
    {
        let ratio = Ratio::new(hits, of).unwrap();
        assert_eq!((ratio.low, ratio.high), (low, high), "{hits}/{of}");
    }
    assert_eq!(Ratio::new(0, 0), None);
    assert_eq!(Ratio::new(5, 5).unwrap().high, 1.0);
}
