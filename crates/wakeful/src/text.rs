//! Text for a terminal: no control characters, and widths in columns.

use ratatui::style::Style;
use ratatui::text::Span;

/// One line without anything that a terminal would take for an order: control characters become spaces, and the marks that turn the
/// direction of writing (which can make a line read as another) are left out.
pub fn clean(text: &str) -> String {
    let turns =
        |c: &char| !matches!(*c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let line = |c: char| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c };
    text.chars().filter(turns).map(line).collect()
}

/// Columns that a text takes: two for a CJK character, none for a combining mark.
pub fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// One clean line of at most `columns` columns, with `…` where something was cut.
pub fn cut(text: &str, columns: usize) -> String {
    let line = clean(text);
    if width(&line) <= columns {
        return line;
    }
    let mut kept = head(&line, columns.saturating_sub(1)).to_owned();
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// The beginning of a clean text that fits into `columns` columns.
pub fn head(text: &str, columns: usize) -> &str {
    let (mut used, mut end) = (0, 0);
    for grapheme in Span::raw(text).styled_graphemes(Style::default()) {
        used += width(grapheme.symbol);
        if used > columns {
            break;
        }
        end += grapheme.symbol.len();
    }
    &text[..end]
}

/// A clean text in lines of at most `columns` columns, broken at spaces where there are any.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in clean(text).split_whitespace() {
        let gap = usize::from(!line.is_empty());
        if width(&line) + gap + width(word) <= columns {
            line.push_str(&" ".repeat(gap));
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        let mut rest = word;
        while width(rest) > columns {
            let part = head(rest, columns);
            // One character may be wider than the whole line.
            let part = if part.is_empty() { first(rest) } else { part };
            lines.push(part.to_owned());
            rest = &rest[part.len()..];
        }
        line.push_str(rest);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

fn first(text: &str) -> &str {
    let length = text.chars().next().map_or(0, char::len_utf8);
    &text[..length]
}

/// A text with spaces up to `columns` columns; a longer one is cut.
pub fn padded(text: &str, columns: usize) -> String {
    let mut line = cut(text, columns);
    line.push_str(&" ".repeat(columns.saturating_sub(width(&line))));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        assert_eq!(clean("a\u{1b}[31mb\r\nc\u{7}\u{9b}2J\u{85}"), "a [31mb  c  2J ");
        assert_eq!(clean("ev\u{202e}il\u{2066}"), "evil");
    }

    #[test]
    fn widths_are_columns() {
        assert_eq!((width("abc"), width("日本語"), width("e\u{301}")), (3, 6, 1));
        assert_eq!(
            (cut("日本語", 6), cut("日本語", 5), cut("日本語", 4)),
            ("日本語".into(), "日本…".into(), "日…".into())
        );
        assert_eq!((cut("abc", 1), cut("abc", 0)), ("…".into(), String::new()));
        assert_eq!(padded("日本", 6), "日本  ");
    }

    #[test]
    fn wraps_at_spaces_and_inside_long_words() {
        assert_eq!(wrap("one two  three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("日本語", 1), ["日", "本", "語"]);
        assert_eq!(wrap("", 5), [""]);
    }
}
