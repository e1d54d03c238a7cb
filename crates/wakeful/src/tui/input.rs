//! One line of text that the user types.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::text::clean;

/// Longer than any reply that is typed on one line; a paste of a whole file is cut here.
const LONGEST: usize = 4000;

/// The line and the place in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Input {
    text: Vec<char>,
    at: usize,
}

impl Input {
    /// With this text, at its end.
    pub fn of(text: &str) -> Self {
        let text: Vec<char> = text.chars().collect();
        Self { at: text.len(), text }
    }

    /// What was typed.
    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// What stands before the cursor.
    pub fn before(&self) -> String {
        self.text[..self.at].iter().collect()
    }

    /// Takes a text in at the cursor; line breaks become spaces.
    pub fn insert(&mut self, text: &str) {
        for c in clean(text).chars().take(LONGEST.saturating_sub(self.text.len())) {
            self.text.insert(self.at, c);
            self.at += 1;
        }
    }

    /// A key of the editor; false for one that it does not know.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('u') if control => drop(self.text.drain(..std::mem::take(&mut self.at))),
            KeyCode::Char('w') if control => self.delete_word(),
            KeyCode::Char('a') if control => self.at = 0,
            KeyCode::Char('e') if control => self.at = self.text.len(),
            KeyCode::Char(c) if !control && !key.modifiers.contains(KeyModifiers::ALT) => {
                self.insert(c.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Backspace if self.at > 0 => {
                self.at -= 1;
                self.text.remove(self.at);
            }
            KeyCode::Delete if self.at < self.text.len() => drop(self.text.remove(self.at)),
            KeyCode::Left => self.at = self.at.saturating_sub(1),
            KeyCode::Right => self.at = (self.at + 1).min(self.text.len()),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = self.text.len(),
            KeyCode::Backspace | KeyCode::Delete => {}
            _ => return false,
        }
        true
    }

    fn delete_word(&mut self) {
        let end = self.at;
        while self.at > 0 && self.text[self.at - 1] == ' ' {
            self.at -= 1;
        }
        while self.at > 0 && self.text[self.at - 1] != ' ' {
            self.at -= 1;
        }
        self.text.drain(self.at..end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(input: &mut Input, keys: &[KeyCode]) {
        keys.iter().for_each(|code| assert!(input.key(KeyEvent::from(*code))));
    }

    #[test]
    fn a_line_is_edited() {
        let mut input = Input::of("caf");
        typed(
            &mut input,
            &[KeyCode::Char('é'), KeyCode::Home, KeyCode::Delete, KeyCode::Char('C'), KeyCode::End],
        );
        typed(&mut input, &[KeyCode::Backspace, KeyCode::Left, KeyCode::Left, KeyCode::Right]);
        assert_eq!((input.text().as_str(), input.before().as_str()), ("Caf", "Ca"));
        assert!(!input.key(KeyEvent::from(KeyCode::Up)));
    }

    #[test]
    fn pastes_are_one_line_and_end_somewhere() {
        let mut input = Input::default();
        input.insert("yes,\nuse\u{1b}[31m it");
        assert_eq!(input.text(), "yes, use [31m it");
        input.key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
        assert_eq!(input.text(), "yes, use [31m ");
        input.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
        assert_eq!(input.text(), "");
        input.insert(&"x".repeat(10_000));
        assert_eq!(input.text().len(), LONGEST);
    }
}
