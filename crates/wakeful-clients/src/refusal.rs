//! The words of a refusal (G3): which rule, which words, why, and what to do instead in that client.

use wakeful_shell::{Refusal, RuleId};

use crate::cut::{SNIPPET, first_line};

/// What the agent reads when its command was refused.
pub(crate) fn refused(refusal: &Refusal, instead: &[&str]) -> String {
    said("Not run", refusal, instead)
}

/// What the agent reads when its command runs although a rule matched.
pub(crate) fn tolerated(refusal: &Refusal, instead: &[&str]) -> String {
    said("Run this time, but do not wait like this", refusal, instead)
}

fn said(what: &str, refusal: &Refusal, instead: &[&str]) -> String {
    let words = first_line(&refusal.words, SNIPPET);
    let mut text = format!("{what} (Wakeful, rule {}): `{words}`. {}", refusal.rule, why(refusal.rule));
    if refusal.self_matching_pgrep {
        text.push_str(" Its `pgrep -f` also finds the very shell that runs it, so it never ends.");
    }
    text.push_str(" Do one of these instead:");
    for (n, remedy) in instead.iter().enumerate() {
        text.push_str(&format!("\n{}. {remedy}", n + 1));
    }
    text
}

fn why(rule: RuleId) -> &'static str {
    match rule {
        RuleId::PollLoop | RuleId::PowershellLoop => {
            "A loop that polls outlives the job it waits for, does not notice that the job has failed, and every new check adds \
             another one."
        }
        RuleId::DelayedRead | RuleId::RemoteDelayedRead => {
            "A sleep before a read waits for a guessed time and learns nothing from the job itself."
        }
        RuleId::LongSleep => {
            "A long sleep in the foreground blocks the session and learns nothing from the job itself."
        }
        RuleId::HangingFollow => "Following a file until a line comes never ends when the line never comes.",
        RuleId::RepeatedRead => "Reading the same output again and again is polling by hand.",
    }
}
