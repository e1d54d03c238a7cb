//! Which words a pattern cannot match without.
//!
//! Nearly every rule needs two or three words to be there ("i'll" and "when"). One Aho-Corasick pass over the text
//! says which of those words stand in which sentence, and a pattern is only tried on a sentence that has all that it
//! needs. One lazy DFA of all patterns would be the simpler way; it was tried and needs so many states for the gaps
//! between words that it never stops building them (20 ms for a message of ordinary length).

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind};

/// A set of words of which a text must have at least one.
pub(super) type AnyOf = BTreeSet<Vec<u8>>;

/// At most this many sets are kept for a pattern: with three, hardly a sentence is tried in vain.
const SETS: usize = 3;
/// A class of more characters than this is no word.
const CLASS: usize = 8;

/// Sets that must all be met for the pattern to match, the most telling one first. Empty: nothing is known.
pub(super) fn required(hir: &Hir) -> Vec<AnyOf> {
    let mut sets = sets(hir);
    sets.iter_mut().for_each(without_longer);
    sets.sort_by_key(|set| std::cmp::Reverse(worth(set)));
    sets.dedup();
    // A single byte is on nearly every line: it is kept only where there is nothing better.
    let telling = sets.iter().filter(|set| worth(set).0 > 1).count().max(1);
    sets.truncate(telling.min(SETS));
    sets
}

fn sets(hir: &Hir) -> Vec<AnyOf> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Vec::new(),
        HirKind::Literal(literal) => vec![AnyOf::from([literal.0.to_vec()])],
        HirKind::Class(class) => characters(class).into_iter().collect(),
        HirKind::Repetition(repetition) if repetition.min == 0 => Vec::new(),
        HirKind::Repetition(repetition) => sets(&repetition.sub),
        HirKind::Capture(capture) => sets(&capture.sub),
        HirKind::Concat(parts) => parts.iter().flat_map(sets).collect(),
        HirKind::Alternation(branches) => union(branches).into_iter().collect(),
    }
}

/// The best set of each branch, together; nothing if a branch has none.
fn union(branches: &[Hir]) -> Option<AnyOf> {
    let mut all = AnyOf::new();
    for branch in branches {
        all.extend(sets(branch).into_iter().max_by_key(worth)?);
    }
    Some(all)
}

fn characters(class: &Class) -> Option<AnyOf> {
    let mut all = AnyOf::new();
    match class {
        Class::Unicode(class) => {
            for c in class.iter().flat_map(|range| range.start()..=range.end()).take(CLASS + 1) {
                all.insert(c.to_string().into_bytes());
            }
        }
        Class::Bytes(class) => {
            for byte in class.iter().flat_map(|range| range.start()..=range.end()).take(CLASS + 1) {
                all.insert(vec![byte]);
            }
        }
    }
    (1..=CLASS).contains(&all.len()).then_some(all)
}

/// How telling a set is: by its shortest word, then by how few words it has.
fn worth(set: &AnyOf) -> (usize, std::cmp::Reverse<usize>) {
    let shortest = set.iter().map(|word| word.iter().filter(|&&b| b != b' ').count()).min().unwrap_or(0);
    (shortest.min(5), std::cmp::Reverse(set.len()))
}

/// "finishes" is met wherever "finish" is.
fn without_longer(set: &mut AnyOf) {
    let all = set.clone();
    set.retain(|word| !all.iter().any(|other| other.len() < word.len() && contains(word, other)));
}

fn contains(word: &[u8], part: &[u8]) -> bool {
    part.is_empty() || word.windows(part.len()).any(|window| window == part)
}
