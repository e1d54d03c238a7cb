//! Which words a pattern cannot match without.
//!
//! Nearly every rule needs two or three words to be there ("i'll" and "when"). One Aho-Corasick pass over the text
//! says which of those words stand in which sentence, and a pattern is only tried on a sentence that has all that it
//! needs. One lazy DFA of all patterns would be the simpler way; it was tried and needs so many states for the gaps
//! between words that it never stops building them (20 ms for a message of ordinary length).

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// One word that a set is met by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Word {
    pub bytes: Vec<u8>,
    /// Only where it does not continue a word of ASCII letters, digits and underscores.
    pub begins: bool,
}

/// A set of words of which a text must have at least one.
pub(super) type AnyOf = BTreeSet<Word>;

/// At most this many sets are kept for a pattern: every further one costs more than the tries that it saves.
const SETS: usize = 2;
/// A set that is worth less is met by every other sentence; it tells nothing beside another set.
const TELLING: usize = 2;
/// A class of more characters than this is no word. Ten are the digits.
const CLASS: usize = 10;

/// Sets that must all be met for the pattern to match, the most telling one first. Empty: nothing is known.
pub(super) fn required(hir: &Hir) -> Vec<AnyOf> {
    let mut sets = sets(hir, false);
    sets.iter_mut().for_each(without_longer);
    // A blank is in every sentence: to be told of each one costs more than all that could follow from it.
    sets.retain(|set| worth(set).0 > 0);
    sets.sort_by_key(|set| std::cmp::Reverse(worth(set)));
    sets.dedup();
    let telling = sets.iter().filter(|set| worth(set).0 >= TELLING).count().max(1);
    sets.truncate(telling.min(SETS));
    sets
}

/// The sets of a part of a pattern. `begins`: what it matches does not continue a word.
fn sets(hir: &Hir, begins: bool) -> Vec<AnyOf> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Vec::new(),
        HirKind::Literal(literal) => vec![AnyOf::from([Word { bytes: literal.0.to_vec(), begins }])],
        HirKind::Class(class) => characters(class, begins).into_iter().collect(),
        HirKind::Repetition(repetition) if repetition.min == 0 => Vec::new(),
        HirKind::Repetition(repetition) => sets(&repetition.sub, begins),
        HirKind::Capture(capture) => sets(&capture.sub, begins),
        HirKind::Concat(parts) => sequence(parts, begins),
        HirKind::Alternation(branches) => union(branches, begins).into_iter().collect(),
    }
}

fn sequence(parts: &[Hir], mut begins: bool) -> Vec<AnyOf> {
    let mut all = Vec::new();
    for part in parts {
        all.extend(sets(part, begins));
        begins = match part.kind() {
            HirKind::Look(Look::WordAscii | Look::StartLF | Look::Start) => true,
            HirKind::Look(_) | HirKind::Empty => begins,
            HirKind::Literal(literal) => literal.0.last().is_some_and(|&byte| !is_word(byte)),
            _ => false,
        };
    }
    all
}

/// The best set of each branch, together; nothing if a branch has none.
fn union(branches: &[Hir], begins: bool) -> Option<AnyOf> {
    let mut all = AnyOf::new();
    for branch in branches {
        all.extend(sets(branch, begins).into_iter().max_by_key(worth)?);
    }
    Some(all)
}

fn characters(class: &Class, begins: bool) -> Option<AnyOf> {
    let mut all = AnyOf::new();
    match class {
        Class::Unicode(class) => {
            for c in class.iter().flat_map(|range| range.start()..=range.end()).take(CLASS + 1) {
                all.insert(Word { bytes: c.to_string().into_bytes(), begins });
            }
        }
        Class::Bytes(class) => {
            for byte in class.iter().flat_map(|range| range.start()..=range.end()).take(CLASS + 1) {
                all.insert(Word { bytes: vec![byte], begins });
            }
        }
    }
    (1..=CLASS).contains(&all.len()).then_some(all)
}

/// How telling a set is: by its shortest word, then by how few words it has. Letters are everywhere, question marks are
/// rare.
fn worth(set: &AnyOf) -> (usize, std::cmp::Reverse<usize>) {
    let telling = |word: &Word| match word.bytes.as_slice() {
        b"?" => 4,
        [byte] => usize::from(!byte.is_ascii_alphabetic() && *byte != b' '),
        bytes => bytes.iter().filter(|&&b| b != b' ').count(),
    };
    (set.iter().map(telling).min().unwrap_or(0).min(5), std::cmp::Reverse(set.len()))
}

/// "finishes" is met wherever "finish" is.
fn without_longer(set: &mut AnyOf) {
    let all = set.clone();
    set.retain(|word| {
        !all.iter().any(|other| {
            if other.begins {
                other.bytes.len() < word.bytes.len() && word.begins && word.bytes.starts_with(&other.bytes)
            } else {
                (other.bytes.len() < word.bytes.len() || other.bytes == word.bytes && word.begins)
                    && contains(&word.bytes, &other.bytes)
            }
        })
    });
}

fn contains(word: &[u8], part: &[u8]) -> bool {
    part.is_empty() || word.windows(part.len()).any(|window| window == part)
}

/// A letter, digit or underscore of ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
