//! Many patterns, one pass (P12).
//!
//! The pass over the text is one lazy DFA for all patterns: it says which of them match at all. Where they match is
//! then asked of those alone. Patterns never cross a line, a line is one sentence, and a sentence is bounded, so all
//! of it is linear.

use std::sync::OnceLock;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::meta;
use regex_automata::nfa::thompson;
use regex_automata::util::pool::Pool;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind, PatternSet};

use super::rule::{Role, Rule};
use crate::text::{Span, View};

/// Room for the states of the lazy DFA. A message of any kind that we have seen needs below a tenth of it; when it
/// is full it is emptied, never given up, so that the time stays linear.
const CACHE_BYTES: usize = 16 << 20;

/// One place where a rule matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Index of the rule.
    pub rule: usize,
    /// Where in the view.
    pub view: Span,
    /// Which sentence of the view.
    pub sentence: usize,
}

/// One pattern of one rule.
struct Pattern {
    rule: usize,
    source: String,
    /// Every place counts, not only the first of each sentence: times are compared with each other, and a match
    /// that is taken away must not hide another one.
    every: bool,
    /// Takes matches of its rule away.
    negative: bool,
}

type Caches = Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync>>;

/// The patterns of some rules, compiled.
pub(super) struct Automaton {
    dfa: DFA,
    caches: Caches,
    /// For each pattern: its rule and itself.
    patterns: Vec<Pattern>,
    /// For each pattern, on first use: itself alone, to find where it matches.
    alone: Vec<OnceLock<meta::Regex>>,
}

impl Automaton {
    /// Compiles the patterns of the rules with these indices. `Err` holds the index of a rule and the reason.
    pub fn new(rules: &[Rule], which: impl Fn(&Rule) -> bool) -> Result<Self, String> {
        let mut patterns = Vec::new();
        for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| which(rule)) {
            let every = matches!(rule.role, Role::Eta(_)) || !rule.unless.is_empty();
            let pattern = |negative: bool| {
                move |source: &String| Pattern { rule: index, source: source.clone(), every, negative }
            };
            patterns.extend(rule.patterns.iter().map(pattern(false)));
            patterns.extend(rule.unless.iter().map(pattern(true)));
        }
        let texts: Vec<&str> = patterns.iter().map(|p| p.source.as_str()).collect();
        let dfa = DFA::builder()
            .syntax(config())
            .thompson(thompson::Config::new().utf8(false))
            .configure(
                DFA::config()
                    .match_kind(MatchKind::All)
                    .cache_capacity(CACHE_BYTES)
                    .skip_cache_capacity_check(true)
                    .minimum_cache_clear_count(None),
            )
            .build_many(&texts)
            .map_err(|error| error.to_string())?;
        let caches: Caches = {
            let dfa = dfa.clone();
            Pool::new(Box::new(move || dfa.create_cache()))
        };
        let alone = patterns.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { dfa, caches, patterns, alone })
    }

    /// All places where a rule matches, at most one for each pattern and sentence, in the order of the rules.
    /// `text` is the text of the view, perhaps with blanked spans.
    pub fn hits(&self, view: &View, text: &str) -> Vec<Hit> {
        let mut found = PatternSet::new(self.patterns.len());
        let mut cache = self.caches.get();
        let input = Input::new(text);
        // It cannot fail: it may neither quit (no Unicode word borders) nor give up (see `CACHE_BYTES`).
        let _ = self.dfa.try_which_overlapping_matches(&mut cache, &input, &mut found);
        drop(cache);
        let mut hits: Vec<Hit> = Vec::new();
        let mut of_rule = (usize::MAX, 0); // a rule, and where its hits begin
        for pattern in found.iter().map(|id| id.as_usize()) {
            let Pattern { rule, negative, .. } = self.patterns[pattern];
            if of_rule.0 != rule {
                of_rule = (rule, hits.len());
            }
            if !negative {
                self.places(pattern, view, text, &mut hits);
            } else if hits.len() > of_rule.1 {
                let mut away = Vec::new();
                self.places(pattern, view, text, &mut away);
                let mut kept = hits.split_off(of_rule.1);
                kept.retain(|hit| !overlaps(&away, hit));
                hits.append(&mut kept);
            }
        }
        hits
    }

    fn places(&self, pattern: usize, view: &View, text: &str, hits: &mut Vec<Hit>) {
        let Pattern { rule, source, every, .. } = &self.patterns[pattern];
        let Some(alone) = self.alone(pattern, source) else { return };
        let mut at = 0;
        while at <= text.len()
            && let Some(found) = alone.find(Input::new(text).range(at..))
        {
            let span = on_characters(text, found.range());
            let sentence = view.sentence_at(span.start);
            let end = view.sentences.get(sentence).map_or(text.len(), |s| s.view.end);
            at = if *every && !span.is_empty() { span.end } else { end.max(span.end) + 1 };
            hits.push(Hit { rule: *rule, view: span, sentence });
        }
    }

    fn alone(&self, pattern: usize, source: &str) -> Option<&meta::Regex> {
        let cell = &self.alone[pattern];
        if cell.get().is_none() {
            // It compiled among the others, so it compiles alone.
            let regex = meta::Regex::builder().syntax(config()).build(source).ok()?;
            let _ = cell.set(regex);
        }
        cell.get()
    }
}

/// A pattern that ends in a bounded number of bytes may end within a character.
fn on_characters(text: &str, span: Span) -> Span {
    let back = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    back(span.start)..back(span.end)
}

/// Whether one of these, which are in order, overlaps the hit.
fn overlaps(away: &[Hit], hit: &Hit) -> bool {
    let next = away.partition_point(|other| other.view.end <= hit.view.start);
    away.get(next).is_some_and(|other| other.view.start < hit.view.end)
}

/// Whether a pattern of a rule compiles; the reason if not.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    syntax::parse_with(pattern, &config()).map(drop).map_err(|error| error.to_string())
}

/// A rule is written in lower case for lower-case text; `^` and `$` are the ends of a sentence; classes may be matched
/// by bytes.
fn config() -> syntax::Config {
    syntax::Config::new().multi_line(true).utf8(false)
}
