//! The inbox as a value: what is shown, what is selected, what is being asked. [`Model::update`] is pure; whatever touches the machine comes
//! back as a [`Command`].

use crossterm::event::{KeyEvent, MouseEvent};
use jiff::tz::TimeZone;
use wakeful_core::decision::Decision;
use wakeful_core::event::UserAction;
use wakeful_core::ids::{SessionKey, TaskId};
use wakeful_core::settings::Settings;
use wakeful_engine::store::Pos;
use wakeful_replay::backtest::Truth;

use super::actions::Refusal;
use super::input::Input;
use super::jump::{Jump, Went};
use super::keys;
use super::list;
use super::snapshot::{Row, Snapshot};
use crate::acting::done;

/// The inbox.
pub struct Model {
    /// The sessions; `None` until they have been read for the first time.
    pub snapshot: Option<Snapshot>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The selected session.
    pub selected: Option<SessionKey>,
    /// First line of the list that is on the screen.
    pub list_top: usize,
    /// The pane that takes the keys.
    pub pane: Pane,
    /// The turn that is selected in the opened session, by its place in the row.
    pub turn: Option<usize>,
    /// First line of the opened session that is on the screen.
    pub detail_top: usize,
    /// Ended sessions are listed.
    pub ended_open: bool,
    /// Repeated auto-waits are hidden (`view.hide_repeated_auto_waits`).
    pub hide_repeated: bool,
    /// Only sessions with all of these words are listed.
    pub filter: String,
    /// What is asked or shown above the inbox.
    pub mode: Mode,
    /// What the status line says.
    pub notice: Option<Notice>,
    /// Why the sessions could not be read when that was last tried: what is shown is of before.
    pub unreadable: Option<Refusal>,
    /// Colours are wanted.
    pub colour: bool,
    /// The user's zone.
    pub zone: TimeZone,
    /// What *Keep waiting* buys.
    pub keep_minutes: u16,
}

/// The two panes; a narrow terminal shows one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The list.
    List,
    /// The opened session.
    Detail,
}

/// What is asked or shown above the inbox.
#[derive(Debug, Clone, PartialEq)]
pub enum Mode {
    /// Nothing.
    Browse,
    /// The help, from this line.
    Help(usize),
    /// Why a decision came out as it did, from this line.
    Why(Box<Decision>, usize),
    /// The menu of actions, with the selected row.
    Menu(usize),
    /// What to stop waiting for, with the selected row.
    StopWaiting(Target, Vec<Choice>, usize),
    /// What was right?
    Wrong(Target, Box<Decision>),
    /// Really stop?
    ConfirmStop(Target),
    /// The command that resumes a session, and what to know before it is run.
    Resume {
        /// The command.
        command: String,
        /// The note.
        note: Option<String>,
    },
    /// A line of text is typed.
    Typing(Purpose, Input),
}

/// One thing to stop waiting for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// In words.
    pub label: String,
    /// Which; `None`: all.
    pub task: Option<TaskId>,
}

/// What a line of text is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// The filter of the list.
    Filter,
    /// A reply to the agent.
    Reply(Target),
    /// How long to snooze.
    Snooze(Target),
}

/// The session that an action is about, as it was when the user began with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Which.
    pub session: SessionKey,
    /// Its name for people.
    pub name: String,
    /// The revision that the user saw.
    pub seen: Pos,
}

/// What the status line says, and how it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Well.
    Good(String),
    /// Not at all.
    Bad(String),
    /// Neither.
    Info(String),
}

/// What comes in.
#[derive(Debug)]
pub enum Message {
    /// A key.
    Key(KeyEvent),
    /// The mouse.
    Mouse(MouseEvent),
    /// A paste.
    Paste(String),
    /// The terminal has another size now.
    Resize(u16, u16),
    /// The sessions as they stand.
    Loaded(Snapshot),
    /// They could not be read.
    NotLoaded(Refusal),
    /// An action was carried out, or refused.
    Acted(Target, UserAction, Result<(), Refusal>),
    /// A label was written, or could not be.
    Labelled(Result<Truth, Refusal>),
    /// The terminal of a session is in front, or the command that resumes it is on the clipboard. With the session's name.
    Jumped(Result<Went, Refusal>, String),
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Leave.
    Quit,
    /// Draw everything anew.
    Redraw,
    /// Stop until the shell continues us.
    Suspend,
    /// Read the history of this session, for it is shown now.
    Open(Option<SessionKey>),
    /// Carry out an action.
    Act(Target, UserAction),
    /// Write a label.
    Label(SessionKey, Box<Decision>, Truth, char),
    /// Go to a session's terminal.
    Jump(Jump),
}

impl Notice {
    fn none() -> Self {
        Self::Info(String::new())
    }
}

/// A refusal in one line: whose, why, and what to do.
pub fn refused(what: &str, refusal: &Refusal) -> String {
    let hint = refusal.hint.as_deref().map(|hint| format!(" — {hint}")).unwrap_or_default();
    format!("{what}: {refusal}{hint}")
}

impl Model {
    /// Before anything has been read.
    pub fn new(size: (u16, u16), colour: bool, zone: TimeZone) -> Self {
        Self {
            snapshot: None,
            size,
            selected: None,
            list_top: 0,
            pane: Pane::List,
            turn: None,
            detail_top: 0,
            ended_open: false,
            hide_repeated: false,
            filter: String::new(),
            mode: Mode::Browse,
            notice: None,
            unreadable: None,
            colour,
            zone,
            keep_minutes: Settings::default().keep_waiting.0,
        }
    }

    /// Takes a message in; what is to be done comes back.
    pub fn update(&mut self, message: Message) -> Vec<Command> {
        let before = self.selected.clone();
        let mut commands = match message {
            Message::Key(key) if keys::interrupts(key) => vec![Command::Quit],
            Message::Key(key) if keys::suspends(key) => vec![Command::Suspend],
            Message::Key(key) => self.key(key),
            Message::Mouse(mouse) => self.mouse(mouse),
            Message::Paste(text) => self.paste(&text),
            Message::Resize(columns, rows) => {
                self.size = (columns, rows);
                Vec::new()
            }
            Message::Loaded(snapshot) => {
                self.unreadable = None;
                self.load(snapshot);
                Vec::new()
            }
            Message::NotLoaded(refusal) => {
                self.unreadable = Some(refusal);
                Vec::new()
            }
            // Who has begun with something else meanwhile is not interrupted.
            Message::Jumped(Ok(Went::Copy { command, note }), _) if self.mode == Mode::Browse => {
                self.mode = Mode::Resume { command, note };
                Vec::new()
            }
            other => {
                self.notice = Some(self.said(other));
                Vec::new()
            }
        };
        self.settle();
        if self.selected != before {
            commands.push(Command::Open(self.selected.clone()));
        }
        commands
    }

    fn key(&mut self, key: KeyEvent) -> Vec<Command> {
        // What an earlier key came to has been read by now.
        self.notice = None;
        if self.mode == Mode::Browse {
            keys::intent(key).map_or_else(Vec::new, |intent| self.intend(intent))
        } else {
            self.dialog(key)
        }
    }

    /// The selection stays with its session, wherever that is listed now. When it is gone nothing is selected until the user moves: a
    /// key that is on its way must not act on another session.
    fn load(&mut self, snapshot: Snapshot) {
        self.snapshot = Some(snapshot);
        if self.selected.is_none() {
            self.reselect();
        } else if self.row().is_none() {
            self.pane = Pane::List;
        }
    }

    /// The status line after something outside has come to an end.
    fn said(&self, message: Message) -> Notice {
        let bad = |what: &str, refusal: &Refusal| Notice::Bad(refused(what, refusal));
        match message {
            Message::Acted(target, action, Ok(())) => {
                Notice::Good(format!("{}: {}", target.name, done(&action, self.keep_minutes)))
            }
            Message::Acted(target, _, Err(refusal)) => bad(&target.name, &refusal),
            Message::Labelled(Ok(truth)) => Notice::Good(
                match truth {
                    Truth::Waits => "labelled: it only waited",
                    Truth::NeedsYou | Truth::Unknown => "labelled: it needed you",
                }
                .to_owned(),
            ),
            Message::Labelled(Err(refusal)) => bad("no label", &refusal),
            Message::Jumped(Ok(Went::Copy { command, .. }), _) => {
                Notice::Good(format!("on the clipboard: {command}"))
            }
            Message::Jumped(Ok(Went::There), name) => {
                Notice::Good(format!("{name}: its terminal is in front"))
            }
            Message::Jumped(Err(refusal), name) => bad(&name, &refusal),
            // These have been dealt with.
            Message::Key(_) | Message::Mouse(_) | Message::Paste(_) | Message::Resize(..) => Notice::none(),
            Message::Loaded(_) | Message::NotLoaded(_) => Notice::none(),
        }
    }

    /// All sessions.
    pub fn rows(&self) -> &[Row] {
        self.snapshot.as_ref().map_or(&[], |snapshot| &snapshot.rows)
    }

    /// The selected session.
    pub fn row(&self) -> Option<&Row> {
        let key = self.selected.as_ref()?;
        self.rows().iter().find(|row| row.view.key == *key)
    }

    /// The selected session as the target of an action.
    pub fn target(&self) -> Option<Target> {
        let row = self.row()?;
        Some(Target { session: row.view.key.clone(), name: row.name(), seen: row.revision })
    }

    /// The decision that *why* and *wrong* are about: the selected turn's, else the last one.
    pub fn decision(&self) -> Option<&Decision> {
        let row = self.row()?;
        match self.turn.filter(|_| self.pane == Pane::Detail) {
            Some(turn) => row.turns.get(turn)?.decision.as_ref(),
            None => row.view.decision.as_ref(),
        }
    }

    /// Selects a session; another one than before is shown from its beginning.
    pub fn select(&mut self, key: Option<SessionKey>) {
        if self.selected != key {
            self.selected = key;
            self.turn = None;
            self.detail_top = 0;
        }
    }

    /// Place of a session among those that are listed.
    pub fn visible_at(&self, key: &SessionKey) -> Option<usize> {
        list::visible(self).iter().position(|row| self.rows()[*row].view.key == *key)
    }
}
