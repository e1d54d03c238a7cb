//! The three guards of a suppressible wait: length, shape, target (P3 to P6).

use serde::Serialize;

use crate::rules::Hit;
use crate::text::{Paragraph, Span, View};

/// A message of one paragraph longer than this is a report, not a wait (P3).
pub(crate) const LONGEST_SINGLE: usize = 2000;
/// A message longer than this waits only with a hand-off (P4).
pub(crate) const LONG_MESSAGE: usize = 2000;
/// A candidate is at most this long (P4).
pub(crate) const CANDIDATE: usize = 400;

/// Which part of the message a candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Place {
    /// The last paragraph.
    Final,
    /// The first of several.
    First,
    /// The second-to-last.
    SecondToLast,
}

/// A part of the message that is searched for a wait, if it fulfils its conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub place: Place,
    /// Byte range in the original.
    pub span: Span,
    /// Only the trailing sentences of its paragraph are searched.
    pub trimmed: bool,
    /// It must be a hand-off.
    pub hand_off_needed: bool,
    /// The whole message must raise no alarm.
    pub calm_needed: bool,
}

/// Whether the message is short enough to be a wait (P3).
pub(crate) fn length_passes(paragraphs: &[Paragraph], chars: usize) -> bool {
    paragraphs.len() > 1 || chars <= LONGEST_SINGLE
}

/// The candidates of a message of `chars` characters, the final paragraph first (P4).
pub(crate) fn candidates(text: &str, paragraphs: &[Paragraph], own: &View, chars: usize) -> Vec<Candidate> {
    let Some((last, rest)) = paragraphs.split_last() else { return Vec::new() };
    let mut out = vec![candidate(text, own, Place::Final, last, chars > LONG_MESSAGE)];
    if let Some(before) = rest.last()
        && before.chars <= CANDIDATE
    {
        let mut second = candidate(text, own, Place::SecondToLast, before, true);
        second.calm_needed = true;
        out.push(second);
    }
    if let Some(first) = rest.first() {
        out.push(candidate(text, own, Place::First, first, true));
    }
    out
}

fn candidate(
    text: &str,
    own: &View,
    place: Place,
    paragraph: &Paragraph,
    hand_off_needed: bool,
) -> Candidate {
    let trimmed = paragraph.chars > CANDIDATE;
    let span = if trimmed { trailing(text, own, &paragraph.span) } else { paragraph.span.clone() };
    Candidate { place, span, trimmed, hand_off_needed, calm_needed: false }
}

/// The trailing whole sentences of a paragraph, together at most [`CANDIDATE`] characters; empty if the last one is
/// longer.
fn trailing(text: &str, own: &View, paragraph: &Span) -> Span {
    let to = own.sentences.partition_point(|s| s.original.start < paragraph.end);
    let from = own.sentences.partition_point(|s| s.original.start < paragraph.start);
    let mut start = paragraph.end;
    for sentence in own.sentences[from..to].iter().rev() {
        if text[sentence.original.start..paragraph.end].chars().count() > CANDIDATE {
            break;
        }
        start = sentence.original.start;
    }
    start..paragraph.end
}

/// The spans of these hits in the view, sorted and merged.
pub(crate) fn merged(hits: &[Hit]) -> Vec<Span> {
    let mut spans: Vec<Span> = hits.iter().map(|hit| hit.view.clone()).collect();
    spans.sort_by_key(|span| span.start);
    let mut out: Vec<Span> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => out.push(span),
        }
    }
    out
}
