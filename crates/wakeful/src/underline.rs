//! A command with the offending words underlined.

use std::io::{self, Write};
use std::ops::Range;

/// Longer lines are cut around their first mark; nobody reads a line of ten kilobytes to find a word in it.
const LINE: usize = 160;
/// What is shown before the first mark of a line that is cut.
const BEFORE: usize = 40;

/// Writes the lines of `text` that have a mark, each with carets under it.
pub fn write(out: &mut dyn Write, text: &str, marks: &[Range<usize>], colours: bool) -> io::Result<()> {
    let (red, plain) = if colours { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
    let mut start = 0;
    for line in text.split('\n') {
        let end = start + line.len();
        let here: Vec<Range<usize>> = marks
            .iter()
            .filter(|mark| mark.start < end.max(start + 1) && mark.end > start)
            .map(|mark| mark.start.max(start) - start..mark.end.min(end) - start)
            .collect();
        if let Some(first) = here.iter().map(|mark| mark.start).min() {
            let (shown, cut) = window(line, first);
            let under = |at: usize| here.iter().any(|mark| mark.contains(&(at + cut)));
            let words: String = shown.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let carets: String =
                shown.char_indices().map(|(at, _)| if under(at) { '^' } else { ' ' }).collect();
            writeln!(out, "  {words}\n  {red}{}{plain}", carets.trim_end())?;
        }
        start = end + 1;
    }
    Ok(())
}

/// The part of the line that is shown, and how many bytes come before it.
fn window(line: &str, first: usize) -> (&str, usize) {
    if line.len() <= LINE {
        return (line, 0);
    }
    let boundary = |mut at: usize| {
        while !line.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let from = boundary(first.saturating_sub(BEFORE));
    (&line[from..boundary((from + LINE).min(line.len()))], from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, marks: &[(usize, usize)]) -> String {
        let marks: Vec<Range<usize>> = marks.iter().map(|(from, to)| *from..*to).collect();
        let mut out = Vec::new();
        write(&mut out, text, &marks, false).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn carets_stand_under_the_words() {
        assert_eq!(
            drawn("make; sleep 9; cat ö", &[(6, 13), (15, 18)]),
            "  make; sleep 9; cat ö\n        ^^^^^^^  ^^^\n"
        );
        assert_eq!(drawn("a\n\tsleep 3\nb", &[(3, 8)]), "   sleep 3\n   ^^^^^\n");
        assert_eq!(
            drawn("while a\ndo b\ndone", &[(0, 15)]),
            "  while a\n  ^^^^^^^\n  do b\n  ^^^^\n  done\n  ^^\n"
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let text = format!("{}sleep 3{}", "é".repeat(500), "x".repeat(500));
        let drawn = drawn(&text, &[(1000, 1007)]);
        assert!(drawn.lines().all(|line| line.chars().count() <= LINE + 2));
        assert!(drawn.contains("sleep 3") && drawn.contains("^^^^^^^"));
    }
}
