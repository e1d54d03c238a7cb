//! Where something new goes among the children of a container.

use super::document::{Container, Document, Span};
use super::edit::Edits;
use super::footprint::Footprint;
use super::render::{Style, indentation};

/// Puts new children behind those of `container`, which is `path` to the footprint. `child` writes one, on a line with
/// the indentation given, or on one line.
pub(crate) fn insert_children<T>(
    document: &Document<'_>,
    edits: &mut Edits,
    footprint: &mut Footprint,
    style: &Style,
    (container, path): (&Container, &str),
    new: &[T],
    child: impl Fn(&T, Option<&str>) -> String,
) {
    if new.is_empty() {
        return;
    }
    match container.children.last() {
        Some(last) => {
            let place = Place::behind(document, container, last);
            insert_behind(document, edits, style, container, &place, new, child);
        }
        None => {
            let tail = insert_first(document, edits, style, container, new, child);
            footprint.tails.push((path.to_owned(), tail));
        }
    }
}

/// A place behind a child.
struct Place {
    /// The end of the child, where its comma goes if it has none.
    comma_at: Option<usize>,
    /// Behind the comma, and behind comments that belong to the child's line.
    at: usize,
    /// The last of those runs to the end of its line.
    after_line_comment: bool,
}

impl Place {
    fn behind(document: &Document<'_>, container: &Container, last: &Span) -> Self {
        let comma = document.comma(last.end, container.span.end - 1);
        let from = comma.map_or(last.end, |comma| comma + 1);
        let (at, after_line_comment) = behind_comments(document, from..container.span.end - 1, true);
        Self { comma_at: comma.is_none().then_some(last.end), at, after_line_comment }
    }
}

/// The end of the comments at the beginning of `gap`: of those that begin on its first line, or of all. Says too
/// whether the last of them is a line comment.
fn behind_comments(document: &Document<'_>, gap: Span, first_line_only: bool) -> (usize, bool) {
    let mut at = gap.start;
    let mut line_comment = false;
    for comment in document.comments_in(&gap) {
        if first_line_only && document.text[at..comment.start].contains(['\n', '\r']) {
            break;
        }
        at = comment.end;
        line_comment = document.text[comment.clone()].starts_with("//");
    }
    (at, line_comment)
}

fn insert_behind<T>(
    document: &Document<'_>,
    edits: &mut Edits,
    style: &Style,
    container: &Container,
    place: &Place,
    new: &[T],
    child: impl Fn(&T, Option<&str>) -> String,
) {
    let first = container.children.first().map_or(container.span.end, |first| first.start);
    let on_one_line = !document.text[container.span.start..first].contains(['\n', '\r']);
    let indent = indentation(document, container).unwrap_or_else(|| style.unit.clone());
    if let Some(at) = place.comma_at {
        edits.insert(at, ",");
    }
    let mut text = String::new();
    for (index, item) in new.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        if on_one_line && !(index == 0 && place.after_line_comment) {
            text.push_str(style.comma().trim_start_matches(','));
            text.push_str(&child(item, None));
        } else {
            text.push_str(&style.line(&indent, 0));
            text.push_str(&child(item, (!on_one_line).then_some(&indent)));
        }
    }
    if place.comma_at.is_none() {
        // The file ends its lists with a comma, so they do so still.
        text.push(',');
    }
    edits.insert(place.at, text);
}

/// Gives what was put behind the children.
fn insert_first<T>(
    document: &Document<'_>,
    edits: &mut Edits,
    style: &Style,
    container: &Container,
    new: &[T],
    child: impl Fn(&T, Option<&str>) -> String,
) -> String {
    let inside = container.inside();
    let (at, line_comment) = behind_comments(document, inside.clone(), false);
    let on_one_line = style.one_line && !line_comment;
    let outer = indent_of_line(document, container.span.start);
    let inner = format!("{outer}{}", style.unit);
    let mut text = String::new();
    for (index, item) in new.iter().enumerate() {
        match (on_one_line, index) {
            (true, 0) => {}
            (true, _) => text.push_str(style.comma()),
            (false, 0) => text.push_str(&style.line(&inner, 0)),
            (false, _) => {
                text.push(',');
                text.push_str(&style.line(&inner, 0));
            }
        }
        text.push_str(&child(item, (!on_one_line).then_some(&inner)));
    }
    let needs_line = !on_one_line && !document.text[at..inside.end].contains(['\n', '\r']);
    let tail = if needs_line { style.line(&outer, 0) } else { String::new() };
    text.push_str(&tail);
    edits.insert(at, text);
    tail
}

/// The white space at the beginning of the line of `offset`.
fn indent_of_line(document: &Document<'_>, offset: usize) -> String {
    let line = document.text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    document.text[line..offset].chars().take_while(|c| *c == ' ' || *c == '\t').collect()
}
