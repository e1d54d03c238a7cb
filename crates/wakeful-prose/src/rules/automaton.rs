//! Many patterns, one pass (P12).
//!
//! The pass over the text finds the words that patterns need (see [`super::required`]). A pattern is then tried on the
//! sentences that have all of its words, and on no other. Patterns never cross a line, a line is one sentence, and a
//! sentence is bounded, so all of it is linear.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton as _;
use aho_corasick::nfa::contiguous::NFA;
use regex_automata::Input;
use regex_automata::meta;
use regex_automata::util::syntax;
use regex_syntax::hir::Hir;

use super::required::{AnyOf, is_word, required};
use super::rule::{Role, Rule};
use crate::text::{Span, View};

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
    hir: Hir,
    /// Compiled when a sentence has all its words for the first time.
    regex: OnceLock<Option<meta::Regex>>,
    /// The sets of words that it needs, by number.
    needs: Vec<usize>,
    /// Every place in a sentence counts, not only the first: times are compared with each other, and a match that is
    /// taken away must not hide another one.
    every: bool,
    /// The patterns that take matches of this one away.
    unless: std::ops::Range<usize>,
}

/// The sets that a word meets.
#[derive(Default)]
struct Meets {
    /// Wherever it stands.
    anywhere: Vec<usize>,
    /// Only where it does not continue a word.
    beginning: Vec<usize>,
}

/// Up to this many bytes into a word the next step is one look-up; behind it, where a text seldom comes, the steps are
/// searched and take less room.
const DENSE: usize = 4;

/// The patterns of some rules.
pub(super) struct Automaton {
    /// All words that patterns need. Not the DFA: it takes longer to build than a message of 250 kB takes to read.
    words: NFA,
    /// For each word, the sets that it meets.
    meets: Vec<Meets>,
    /// For each set, the patterns of which it is the most telling one.
    leads: Vec<Vec<usize>>,
    patterns: Vec<Pattern>,
    /// Patterns of which nothing is known: they are tried on every sentence.
    always: Vec<usize>,
}

impl Automaton {
    /// Prepares the patterns of the rules that `which` says.
    ///
    /// # Errors
    /// The reason, if a pattern cannot be used.
    pub fn new(rules: &[Rule], which: impl Fn(&Rule) -> bool) -> Result<Self, String> {
        let mut sets = Sets::default();
        let mut patterns = Vec::new();
        let (mut leads, mut always): (BTreeMap<usize, Vec<usize>>, _) = (BTreeMap::new(), Vec::new());
        for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| which(rule)) {
            let every = matches!(rule.role, Role::Eta(_)) || !rule.unless.is_empty();
            let mut pattern = |source: &str, every, unless| -> Result<Pattern, String> {
                let hir = parse(source).map_err(|reason| format!("rule {}: {reason}", rule.id))?;
                let needs = required(&hir).into_iter().map(|set| sets.number(set)).collect();
                Ok(Pattern { rule: index, hir, regex: OnceLock::new(), needs, every, unless })
            };
            let first = patterns.len();
            for source in &rule.unless {
                patterns.push(pattern(source, true, 0..0)?);
            }
            let unless = first..patterns.len();
            for source in &rule.patterns {
                let pattern = pattern(source, every, unless.clone())?;
                match pattern.needs.first() {
                    Some(&set) => leads.entry(set).or_default().push(patterns.len()),
                    None => always.push(patterns.len()),
                }
                patterns.push(pattern);
            }
        }
        let (words, meets) = sets.words();
        let words = NFA::builder().dense_depth(DENSE).build(words).map_err(|error| error.to_string())?;
        let leads = (0..sets.numbers.len()).map(|set| leads.remove(&set).unwrap_or_default()).collect();
        Ok(Self { words, meets, leads, patterns, always })
    }

    /// All places where a rule matches, in the order of the sentences.
    pub fn hits(&self, view: &View) -> Vec<Hit> {
        self.hits_in(0..view.sentences.len(), view, &view.text)
    }

    /// The same in these sentences alone, by their numbers. `text` is the text of the view, perhaps with blanked spans.
    pub fn hits_in(&self, numbers: impl Iterator<Item = usize>, view: &View, text: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        // No word crosses a line, so every sentence is begun anew. Without an anchor a start cannot fail.
        let Ok(start) = self.words.start_state(Anchored::No) else { return hits };
        let mut met = Met::new(self.leads.len());
        for number in numbers {
            let sentence = &view.sentences[number].view;
            met.clear();
            let mut state = start;
            for (at, &byte) in text.as_bytes()[sentence.clone()].iter().enumerate() {
                state = self.words.next_state(Anchored::No, state, byte);
                if self.words.is_special(state) && self.words.is_match(state) {
                    for index in 0..self.words.match_len(state) {
                        let word = self.words.match_pattern(state, index);
                        let from = sentence.start + at + 1 - self.words.pattern_len(word);
                        self.meet(text, word.as_usize(), from, &mut met);
                    }
                }
            }
            self.sentence((number, sentence), text, &met, &mut hits);
        }
        hits
    }

    /// A word stands here.
    fn meet(&self, text: &str, word: usize, from: usize, met: &mut Met) {
        let meets = &self.meets[word];
        meets.anywhere.iter().for_each(|&set| met.add(set));
        if !meets.beginning.is_empty() && begins(text, from) {
            meets.beginning.iter().for_each(|&set| met.add(set));
        }
    }

    /// Tries the patterns that the words of a sentence lead to.
    fn sentence(&self, sentence: (usize, &Span), text: &str, met: &Met, hits: &mut Vec<Hit>) {
        let led = met.sets.iter().flat_map(|&set| &self.leads[set]);
        for pattern in self.always.iter().chain(led).map(|&pattern| &self.patterns[pattern]) {
            if pattern.may_match(met) {
                self.places(pattern, met, sentence, text, hits);
            }
        }
    }

    fn places(
        &self,
        pattern: &Pattern,
        met: &Met,
        sentence: (usize, &Span),
        text: &str,
        hits: &mut Vec<Hit>,
    ) {
        let first = hits.len();
        pattern.search(sentence, text, hits);
        for other in self.patterns[pattern.unless.clone()].iter().filter(|other| other.may_match(met)) {
            if hits.len() == first {
                return;
            }
            let mut away = Vec::new();
            other.search(sentence, text, &mut away);
            // Only what this pattern has just found is looked at: the list is as long as the message.
            let kept: Vec<Hit> = hits.drain(first..).filter(|hit| !overlaps(&away, hit)).collect();
            hits.extend(kept);
        }
    }
}

impl Pattern {
    /// Whether the sentence has all words that it needs.
    fn may_match(&self, met: &Met) -> bool {
        self.needs.iter().all(|&set| met.has(set))
    }

    fn search(&self, (number, sentence): (usize, &Span), text: &str, hits: &mut Vec<Hit>) {
        let Some(regex) = self.regex() else { return };
        let mut at = sentence.start;
        while at < sentence.end
            && let Some(found) = regex.find(Input::new(text).range(at..sentence.end))
        {
            let view = on_characters(text, found.range());
            at = found.end().max(at + 1);
            hits.push(Hit { rule: self.rule, view, sentence: number });
            if !self.every {
                break;
            }
        }
    }

    fn regex(&self) -> Option<&meta::Regex> {
        let compile = || {
            // Only the lazy DFA: the other engines take longer to build than a first message takes to read.
            let config = meta::Config::new().onepass(false).dfa(false).backtrack(false).utf8_empty(false);
            // It was parsed; it could only be too large, and `every_pattern_compiles` tests that of the built-in ones.
            meta::Regex::builder().configure(config).build_from_hir(&self.hir).ok()
        };
        self.regex.get_or_init(compile).as_ref()
    }
}

/// Sets of words, each once.
#[derive(Default)]
struct Sets {
    numbers: BTreeMap<AnyOf, usize>,
}

impl Sets {
    fn number(&mut self, set: AnyOf) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(set).or_insert(next)
    }

    /// All words, and for each the sets that it meets.
    fn words(&self) -> (Vec<Vec<u8>>, Vec<Meets>) {
        let mut meets: BTreeMap<&[u8], Meets> = BTreeMap::new();
        for (set, &number) in &self.numbers {
            for word in set {
                let meets = meets.entry(&word.bytes).or_default();
                // A border that is asked for before a sign says nothing.
                let begins = word.begins && word.bytes.first().is_some_and(|&byte| is_word(byte));
                if begins { meets.beginning.push(number) } else { meets.anywhere.push(number) }
            }
        }
        meets.into_iter().map(|(word, meets)| (word.to_vec(), meets)).unzip()
    }
}

/// Which sets a sentence meets.
struct Met {
    bits: Vec<bool>,
    sets: Vec<usize>,
}

impl Met {
    fn new(sets: usize) -> Self {
        Self { bits: vec![false; sets], sets: Vec::new() }
    }

    fn clear(&mut self) {
        for set in self.sets.drain(..) {
            self.bits[set] = false;
        }
    }

    fn add(&mut self, set: usize) {
        if !std::mem::replace(&mut self.bits[set], true) {
            self.sets.push(set);
        }
    }

    fn has(&self, set: usize) -> bool {
        self.bits[set]
    }
}

/// Whether what starts at this byte does not continue a word.
fn begins(text: &str, at: usize) -> bool {
    at == 0 || !is_word(text.as_bytes()[at - 1])
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

/// Parses a pattern. A rule is written in lower case for lower-case text; `^` and `$` are the ends of a sentence;
/// classes may be matched by bytes.
pub(super) fn parse(pattern: &str) -> Result<Hir, String> {
    let config = syntax::Config::new().multi_line(true).utf8(false);
    syntax::parse_with(pattern, &config).map_err(|error| error.to_string())
}
