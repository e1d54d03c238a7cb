//! Keys while something is asked or shown above the inbox.

use crossterm::event::{KeyCode, KeyEvent};
use wakeful_core::event::UserAction;
use wakeful_replay::backtest::Truth;

use super::app::{Command, Mode, Model, Notice, Purpose};
use super::browse::moved;
use super::input::Input;
use super::keys::{self, Intent, MENU};
use super::overlays;
use super::snooze;
use super::wrong::answers;

/// What a key of a dialog leads to.
enum Then {
    /// The dialog goes on like this.
    Stay(Mode),
    /// It is over.
    Close(Vec<Command>),
}

impl Model {
    /// A key while a dialog is open.
    pub fn dialog(&mut self, key: KeyEvent) -> Vec<Command> {
        let mode = std::mem::replace(&mut self.mode, Mode::Browse);
        if key.code == KeyCode::Esc {
            // What the filter narrowed down while it was typed is given up too.
            if matches!(mode, Mode::Typing(Purpose::Filter, _)) {
                self.filter.clear();
                self.reselect();
            }
            return Vec::new();
        }
        match self.next(mode, key) {
            Then::Stay(mode) => {
                self.mode = mode;
                Vec::new()
            }
            Then::Close(commands) => commands,
        }
    }

    fn next(&mut self, mode: Mode, key: KeyEvent) -> Then {
        match mode {
            Mode::Browse => Then::Close(Vec::new()),
            Mode::Help(top) => self.reading(key, top, Mode::Help),
            Mode::Why(decision, top) => self.reading(key, top, move |top| Mode::Why(decision, top)),
            Mode::Menu(at) => self.menu(key, at),
            Mode::StopWaiting(target, choices, at) => match step(key, at, choices.len()) {
                Some(at) => Then::Stay(Mode::StopWaiting(target, choices, at)),
                None if key.code == KeyCode::Enter => {
                    let task = choices.into_iter().nth(at).and_then(|choice| choice.task);
                    Then::Close(vec![Command::Act(target, UserAction::StopWaiting { task })])
                }
                None if closes(key) => Then::Close(Vec::new()),
                None => Then::Stay(Mode::StopWaiting(target, choices, at)),
            },
            Mode::Wrong(target, decision) => {
                let chosen: Option<(char, Truth, &str)> =
                    answers(&decision).into_iter().find(|(letter, ..)| key.code == KeyCode::Char(*letter));
                match chosen {
                    Some((letter, truth, _)) => {
                        Then::Close(vec![Command::Label(target.session, decision, truth, letter)])
                    }
                    None if closes(key) => Then::Close(Vec::new()),
                    None => Then::Stay(Mode::Wrong(target, decision)),
                }
            }
            Mode::Resume { .. } => Then::Close(Vec::new()),
            Mode::ConfirmStop(target) => match key.code {
                KeyCode::Char('y' | 'Y') => Then::Close(vec![Command::Act(target, UserAction::Stop)]),
                // Enter is no: it is pressed too easily.
                _ => Then::Close(Vec::new()),
            },
            Mode::Typing(purpose, input) => self.typing(purpose, input, key),
        }
    }

    /// A text that is only read: scrolled, or closed.
    fn reading(&self, key: KeyEvent, top: usize, again: impl FnOnce(usize) -> Mode) -> Then {
        let page = usize::from(self.size.1).saturating_sub(4).max(1) as isize;
        let by = match key.code {
            KeyCode::Up | KeyCode::Char('k') => -1,
            KeyCode::Down | KeyCode::Char('j') => 1,
            KeyCode::PageUp => -page,
            KeyCode::PageDown | KeyCode::Char(' ') => page,
            _ => return Then::Close(Vec::new()),
        };
        let mode = again(top.saturating_add_signed(by));
        Then::Stay(overlays::within(self, mode))
    }

    fn menu(&mut self, key: KeyEvent, at: usize) -> Then {
        if let Some(at) = step_by_arrows(key, at, MENU.len()) {
            return Then::Stay(Mode::Menu(at));
        }
        let intent = match key.code {
            KeyCode::Enter => MENU.get(at).copied(),
            _ => keys::intent(key).filter(|intent| MENU.contains(intent)),
        };
        match intent {
            Some(intent) => self.chosen(intent),
            None if closes(key) || key.code == KeyCode::Char('m') => Then::Close(Vec::new()),
            None => Then::Stay(Mode::Menu(at)),
        }
    }

    fn chosen(&mut self, intent: Intent) -> Then {
        let commands = self.intend(intent);
        // It may have opened a dialog of its own.
        match std::mem::replace(&mut self.mode, Mode::Browse) {
            Mode::Browse => Then::Close(commands),
            mode => Then::Stay(mode),
        }
    }

    /// The row of the menu was clicked.
    pub fn menu_clicked(&mut self, at: usize) -> Vec<Command> {
        self.mode = Mode::Browse;
        MENU.get(at).map_or_else(Vec::new, |intent| self.intend(*intent))
    }

    fn typing(&mut self, purpose: Purpose, mut input: Input, key: KeyEvent) -> Then {
        if key.code != KeyCode::Enter {
            input.key(key);
            self.filter_as_typed(&purpose, &input);
            return Then::Stay(Mode::Typing(purpose, input));
        }
        let text = input.text();
        match purpose {
            Purpose::Filter => Then::Close(Vec::new()),
            Purpose::Reply(_) if text.trim().is_empty() => Then::Close(Vec::new()),
            Purpose::Reply(target) => Then::Close(vec![Command::Act(target, UserAction::Reply { text })]),
            Purpose::Snooze(target) => {
                let now = self.snapshot.as_ref().map(|snapshot| snapshot.now).unwrap_or_default();
                match snooze::minutes(&text, now, &self.zone) {
                    Ok(minutes) => Then::Close(vec![Command::Act(target, UserAction::Snooze { minutes })]),
                    Err(why) => {
                        self.notice = Some(Notice::Bad(why));
                        Then::Stay(Mode::Typing(Purpose::Snooze(target), input))
                    }
                }
            }
        }
    }

    fn filter_as_typed(&mut self, purpose: &Purpose, input: &Input) {
        if *purpose == Purpose::Filter {
            self.filter = input.text();
            self.reselect();
        }
    }

    /// A paste goes where text is typed, and nowhere else: it must not act like keys.
    pub fn paste(&mut self, text: &str) -> Vec<Command> {
        if let Mode::Typing(purpose, input) = &mut self.mode {
            input.insert(text);
            let (purpose, input) = (purpose.clone(), input.clone());
            self.filter_as_typed(&purpose, &input);
        }
        Vec::new()
    }
}

/// Up or down in a list of choices.
fn step(key: KeyEvent, at: usize, count: usize) -> Option<usize> {
    let by = match key.code {
        KeyCode::Char('k') => -1,
        KeyCode::Char('j') => 1,
        _ => return step_by_arrows(key, at, count),
    };
    Some(moved(at, by, count))
}

/// In the menu letters are actions.
fn step_by_arrows(key: KeyEvent, at: usize, count: usize) -> Option<usize> {
    let by = match key.code {
        KeyCode::Up => -1,
        KeyCode::Down => 1,
        _ => return None,
    };
    Some(moved(at, by, count))
}

fn closes(key: KeyEvent) -> bool {
    matches!(key.code, KeyCode::Esc | KeyCode::Left | KeyCode::Char('q'))
}
