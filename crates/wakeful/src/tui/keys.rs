//! The keys: one table, from which the footer, the help and the menu are made.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What the user wants of the list or of the opened session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// One up.
    Up,
    /// One down.
    Down,
    /// A screen up.
    PageUp,
    /// A screen down.
    PageDown,
    /// To the first.
    First,
    /// To the last.
    Last,
    /// Open the session.
    Open,
    /// Back to the list; clears a filter there.
    Back,
    /// To the other pane.
    Switch,
    /// Keep waiting.
    Keep,
    /// Check in now.
    CheckIn,
    /// Done.
    Done,
    /// Snooze.
    Snooze,
    /// Reply.
    Reply,
    /// Stop waiting.
    StopWaiting,
    /// Stop.
    Stop,
    /// To the session's terminal.
    Jump,
    /// The decision was wrong.
    Wrong,
    /// Why was it decided so?
    Why,
    /// Hide repeated auto-waits, or show them again.
    HideRepeated,
    /// Show the ended sessions, or fold them.
    Ended,
    /// The menu of actions.
    Menu,
    /// Filter the list.
    Filter,
    /// Help.
    Help,
    /// Draw everything anew.
    Redraw,
    /// Leave.
    Quit,
}

/// A row of the table.
pub struct Binding {
    /// The keys.
    pub codes: &'static [KeyCode],
    /// How they are written.
    pub shown: &'static str,
    /// What they do, in a word or two: for the footer.
    pub short: &'static str,
    /// What they do: for help and menu.
    pub what: &'static str,
    /// What they mean.
    pub intent: Intent,
}

const fn key(
    codes: &'static [KeyCode],
    shown: &'static str,
    short: &'static str,
    what: &'static str,
    intent: Intent,
) -> Binding {
    Binding { codes, shown, short, what, intent }
}

use KeyCode::{
    BackTab, Backspace, Char, Down, End, Enter, Esc, F, Home, Left, PageDown, PageUp, Right, Tab, Up,
};

/// All keys. The actions stand together, and in the order in which the menu has them.
pub const KEYS: [Binding; 26] = [
    key(&[Up, Char('k')], "↑ k", "up", "up", Intent::Up),
    key(&[Down, Char('j')], "↓ j", "down", "down", Intent::Down),
    key(&[PageUp], "PgUp", "page up", "a screen up", Intent::PageUp),
    key(&[PageDown], "PgDn", "page down", "a screen down", Intent::PageDown),
    key(&[Home], "Home", "first", "to the first", Intent::First),
    key(&[End], "End", "last", "to the last", Intent::Last),
    key(&[Enter, Right, Char('l')], "Enter →", "open", "open the session", Intent::Open),
    key(&[Esc, Left, Backspace], "Esc ←", "back", "back to the list; clear the filter", Intent::Back),
    key(&[Tab, BackTab], "Tab", "other pane", "to the other pane", Intent::Switch),
    key(&[Char('K')], "K", "keep", "keep waiting", Intent::Keep),
    key(&[Char('c')], "c", "check in", "check in: ask the agent whether it still waits", Intent::CheckIn),
    key(&[Char('d')], "d", "done", "done: take it out of the inbox", Intent::Done),
    key(&[Char('z')], "z", "snooze", "snooze: away for so long, or until", Intent::Snooze),
    key(&[Char('r')], "r", "reply", "reply to the agent", Intent::Reply),
    key(&[Char('s')], "s", "stop waiting", "stop waiting for one thing, or for all", Intent::StopWaiting),
    key(&[Char('S')], "S", "stop", "stop: nothing is owed any more (asks first)", Intent::Stop),
    key(&[Char('g')], "g", "go there", "go to the session's terminal", Intent::Jump),
    key(&[Char('w')], "w", "why", "why was it decided so?", Intent::Why),
    key(&[Char('x')], "x", "wrong", "this was wrong: label the decision", Intent::Wrong),
    key(&[Char('h')], "h", "hide repeats", "hide repeated auto-waits, or show them", Intent::HideRepeated),
    key(&[Char('e')], "e", "ended", "show the ended sessions, or fold them", Intent::Ended),
    key(&[Char('m')], "m", "menu", "the menu of actions (or right click)", Intent::Menu),
    key(&[Char('/')], "/", "filter", "filter the list by words", Intent::Filter),
    key(&[Char('?'), F(1)], "?", "help", "this help", Intent::Help),
    key(&[F(5)], "F5", "redraw", "draw everything anew", Intent::Redraw),
    key(&[Char('q')], "q", "quit", "quit", Intent::Quit),
];

/// What the menu offers, in the order of the table.
pub const MENU: [Intent; 10] = [
    Intent::Keep,
    Intent::CheckIn,
    Intent::Done,
    Intent::Snooze,
    Intent::Reply,
    Intent::StopWaiting,
    Intent::Stop,
    Intent::Jump,
    Intent::Why,
    Intent::Wrong,
];

/// What the footer names, the most needed first: a narrow terminal shows as many as fit.
pub const FOOTER: [Intent; 14] = [
    Intent::Help,
    Intent::Open,
    Intent::Back,
    Intent::Quit,
    Intent::Menu,
    Intent::Keep,
    Intent::CheckIn,
    Intent::Done,
    Intent::Reply,
    Intent::Snooze,
    Intent::Jump,
    Intent::Why,
    Intent::Filter,
    Intent::Wrong,
];

/// The row of an intent.
pub fn binding(intent: Intent) -> Option<&'static Binding> {
    KEYS.iter().find(|binding| binding.intent == intent)
}

/// What a key means in the list and in the opened session.
pub fn intent(key: KeyEvent) -> Option<Intent> {
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return (key.modifiers == KeyModifiers::CONTROL && key.code == Char('l')).then_some(Intent::Redraw);
    }
    KEYS.iter().find(|binding| binding.codes.contains(&key.code)).map(|binding| binding.intent)
}

/// Ctrl-C leaves from everywhere.
pub fn interrupts(key: KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, Char('c' | 'C'))
}

/// Ctrl-Z stops the program, as it does every other.
pub fn suspends(key: KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, Char('z' | 'Z'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_and_everything_named_has_one() {
        let codes: Vec<KeyCode> = KEYS.iter().flat_map(|binding| binding.codes.iter().copied()).collect();
        for (at, code) in codes.iter().enumerate() {
            assert!(!codes[..at].contains(code), "{code:?}");
        }
        for named in MENU.iter().chain(&FOOTER) {
            assert!(binding(*named).is_some(), "{named:?}");
        }
    }

    #[test]
    fn the_documentation_names_every_key() {
        let page = include_str!("../../../../docs/inbox.md");
        for key in KEYS.iter().flat_map(|binding| binding.shown.split(' ')) {
            assert!(page.contains(&format!("`{key}`")), "{key}");
        }
    }

    #[test]
    fn with_control_only_what_is_meant() {
        let control = |c| KeyEvent::new(Char(c), KeyModifiers::CONTROL);
        assert_eq!(intent(control('d')), None);
        assert_eq!(intent(control('l')), Some(Intent::Redraw));
        assert!(interrupts(control('c')) && !interrupts(KeyEvent::from(Char('c'))));
    }
}
