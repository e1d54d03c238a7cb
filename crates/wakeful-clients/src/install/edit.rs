//! Edits by place: the bytes between them are copied, never printed anew.

use super::document::{Container, Document, Span};

/// Replacements of pieces of one text. Places do not overlap; edits at the same place apply in the order given.
#[derive(Default)]
pub(crate) struct Edits(Vec<(Span, String)>);

impl Edits {
    /// Is there nothing to do?
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts `text` at `offset`.
    pub(crate) fn insert(&mut self, offset: usize, text: impl Into<String>) {
        self.0.push((offset..offset, text.into()));
    }

    /// Puts `text` in the place of `place`.
    pub(crate) fn replace(&mut self, place: Span, text: impl Into<String>) {
        self.0.push((place, text.into()));
    }

    /// Takes `place` away, all but the comments in it: those are not ours, whatever they stand in.
    pub(crate) fn take(&mut self, document: &Document<'_>, place: Span) {
        let mut start = place.start;
        for comment in document.comments_in(&place) {
            self.0.push((start..comment.start, String::new()));
            start = comment.end;
            if document.text[comment.clone()].starts_with("//") {
                // What follows must not become part of it.
                start += line_end(&document.text[start..]).min(place.end - start);
            }
        }
        self.0.push((start..place.end, String::new()));
    }

    /// The text with the edits done.
    pub(crate) fn apply(mut self, document: &Document<'_>) -> String {
        self.0.sort_by_key(|(place, _)| (place.start, place.end));
        let mut out = String::from(document.bom);
        let mut done = 0;
        for (place, text) in self.0 {
            out.push_str(&document.text[done.min(place.start)..place.start]);
            out.push_str(&text);
            done = place.end.max(done);
        }
        out.push_str(&document.text[done..]);
        out
    }
}

/// The length of the line end at the beginning of `text`; 0 if there is none.
pub(crate) fn line_end(text: &str) -> usize {
    match text.as_bytes() {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    }
}

/// Takes the children `gone` (ascending) out of `container`, with the white space before each and with one comma each.
/// `tail` is what set-up put behind the children of a container that had none.
pub(crate) fn take_children(
    document: &Document<'_>,
    edits: &mut Edits,
    container: &Container,
    gone: &[usize],
    tail: Option<&str>,
) {
    for &index in gone {
        let child = &container.children[index];
        edits.take(document, space_start(document, container, gone, index)..child.end);
        match document.comma(child.end, container.gap_end(index)) {
            Some(comma) => edits.take(document, comma..comma + 1),
            None => take_comma_before(document, edits, container, gone, index),
        }
    }
    let all_gone = gone.len() == container.children.len();
    if let (true, Some(tail), Some(last)) = (all_gone, tail, container.children.last())
        && document.text[last.end..container.span.end - 1].starts_with(tail)
    {
        edits.take(document, last.end..last.end + tail.len());
    }
}

/// Where the white space before child `index` begins. The end of a line comment before it stays, unless another line end
/// stands behind the last of the children that go with it: else what follows would become part of the comment.
fn space_start(document: &Document<'_>, container: &Container, gone: &[usize], index: usize) -> usize {
    let start = document.space_before(container.children[index].start);
    let mut last = index;
    while gone.binary_search(&(last + 1)).is_ok() {
        last += 1;
    }
    let behind = &document.text[container.children[last].end..];
    let line_ends = line_end(behind.strip_prefix(',').unwrap_or(behind)) > 0;
    let comment = document.comments.partition_point(|comment| comment.end < start);
    let in_line_comment = document
        .comments
        .get(comment)
        .is_some_and(|comment| comment.end == start && document.text[comment.clone()].starts_with("//"));
    if in_line_comment && !line_ends { start + line_end(&document.text[start..]) } else { start }
}

/// The last child has no comma behind it, so the last child that stays must lose its own.
fn take_comma_before(
    document: &Document<'_>,
    edits: &mut Edits,
    container: &Container,
    gone: &[usize],
    index: usize,
) {
    let stays = (0..index).rev().find(|index| gone.binary_search(index).is_err());
    if let Some(stays) = stays
        && let Some(comma) = document.comma(container.children[stays].end, container.gap_end(stays))
    {
        edits.take(document, comma..comma + 1);
    }
}
