//! The reading: what a decision needs to know of a message.

use wakeful_core::reading::{Question, Reading};
use wakeful_core::settings::MatchMode;

use crate::analysis::{Analysis, analyse};
use crate::rules::Rules;

/// What a reading depends on besides the rules and the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Context {
    /// Which wait rules may suppress a turn end (P8).
    pub mode: MatchMode,
    /// The time of day at the turn end in minutes since midnight, where the user is: only for "at 14:30" (P15).
    /// Without it a time of day says nothing.
    pub now: Option<u16>,
}

/// Reads the last message of a turn. Linear in its length, never fails.
pub fn read(rules: &Rules, text: &str, context: &Context) -> Reading {
    reading(rules, text, &analyse(rules, text, context))
}

/// The part of an analysis that is kept.
pub(crate) fn reading(rules: &Rules, text: &str, analysis: &Analysis<'_>) -> Reading {
    let mut vetoes = Vec::new();
    for found in &analysis.vetoes {
        if !vetoes.contains(&found.rule.id) {
            vetoes.push(found.rule.id.clone());
        }
    }
    Reading {
        rules: rules.version().to_owned(),
        asks_user: analysis.asked.as_ref().map(|asked| Question {
            snippet: shortened(&text[asked.snippet.clone()]),
            rule: asked.rule.clone(),
        }),
        wait: analysis.wait.clone(),
        waits_somewhere: analysis.somewhere.clone(),
        closes: analysis.closes.as_ref().map(|(rule, _)| rule.clone()),
        stated_eta: analysis.eta,
        vetoes,
    }
}

/// A snippet is shown on one line of a list; what is longer than this is cut at a character.
const LONGEST_SNIPPET: usize = 280;

fn shortened(snippet: &str) -> String {
    let mut words = snippet.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = words.char_indices().nth(LONGEST_SNIPPET) {
        words.truncate(cut);
        words.push('…');
    }
    words
}
