//! Texts for people, cut to a length that fits a row.

/// Longest label of a turn or a task: one row of a list.
pub(crate) const LABEL: usize = 80;
/// Longest snippet of an ask or of a failure: what a notification shows.
pub(crate) const SNIPPET: usize = 200;

/// The first line of `text` that says something, at most `chars` characters, with `…` where something was cut.
pub(crate) fn first_line(text: &str, chars: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(chars) {
        None => line.to_owned(),
        Some(_) => {
            let end = line.char_indices().nth(chars - 1).map_or(line.len(), |(at, _)| at);
            format!("{}…", line[..end].trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_line;

    #[test]
    fn cuts_at_a_character_and_at_a_line() {
        assert_eq!(first_line("\n  one \n two", 80), "one");
        assert_eq!(first_line("", 80), "");
        assert_eq!(first_line("äöüß", 4), "äöüß");
        assert_eq!(first_line("äöüßx", 4), "äöü…");
    }
}
