//! The loop: what comes in goes to the model, what it wants done is done, and the screen follows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crossterm::event::{Event, KeyEventKind, read};
use jiff::tz::TimeZone;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::actions::{Actions, NeedsDaemon};
use super::app::{Command, Message, Model};
use super::feed::{Feed, Sessions, Wish, watch};
use super::screen::draw;
use super::terminal::Screen;
use super::wrong::{InFile, Labels};
use crate::error::{Answer, Error};
use crate::output::colours;

/// The exit code for a bug of ours (spec 70).
const BUG: u8 = 70;
/// What shells add to the number of the signal that ended a program.
const BY_SIGNAL: u8 = 128;

/// What comes in.
pub enum Input {
    /// For the model.
    Message(Message),
    /// A signal: to end, or of having been stopped and continued.
    Signal(i32),
    /// The terminal is gone.
    Gone,
    /// One of our threads panicked; its message has been printed.
    Died,
}

/// What the inbox is made of besides the terminal.
struct Parts {
    feed: Box<dyn Feed>,
    actions: Box<dyn Actions>,
    labels: Box<dyn Labels>,
}

/// Shows the inbox until the user leaves it.
///
/// # Errors
/// When the terminal cannot be used.
pub fn run() -> Result<Answer, Error> {
    // What is wrong with rule files is said before the screen is taken, not across it.
    crate::rules::in_force();
    let parts = Parts {
        feed: Box::new(Sessions::default()),
        actions: Box::new(NeedsDaemon),
        labels: Box::new(InFile),
    };
    // The terminal is given back by the time that this returns; 70 says whose fault it was.
    catch_unwind(AssertUnwindSafe(|| show(parts))).unwrap_or(Ok(Answer::Code(BUG)))
}

fn show(parts: Parts) -> Result<Answer, Error> {
    let (sender, inputs) = channel();
    let (wanted, wishes) = channel();
    let (work, jobs) = channel();
    // Before the screen is taken: a signal in between would leave it taken.
    listen(&sender)?;
    let mut screen = Screen::enter().map_err(Error::io("the terminal"))?;
    let size = crossterm::terminal::size().map_err(Error::io("the terminal"))?;
    let Parts { mut feed, actions, labels } = parts;
    start(&sender, move |out| watch(&mut *feed, &wishes, out));
    start(&sender, move |out| serve(&*actions, &*labels, &jobs, out));
    start(&sender, listen_to_keys);
    let mut model = Model::new(size, colours(), TimeZone::system());
    let mut running = Loop { screen: &mut screen, wanted, work };
    running.run(&mut model, &inputs).map_err(Error::io("the terminal"))
}

/// A thread whose panic ends the program: an inbox that is silently no longer fed would hide who needs the user.
fn start(sender: &Sender<Input>, work: impl FnOnce(&Sender<Input>) + Send + 'static) {
    let sender = sender.clone();
    thread::spawn(move || {
        if catch_unwind(AssertUnwindSafe(|| work(&sender))).is_err() {
            // Nobody is left to be told when the receiver is gone.
            let _ = sender.send(Input::Died);
        }
    });
}

fn listen(sender: &Sender<Input>) -> Result<(), Error> {
    let mut signals =
        Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGCONT]).map_err(Error::io("signals"))?;
    start(sender, move |out| {
        for signal in signals.forever() {
            if out.send(Input::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

fn listen_to_keys(out: &Sender<Input>) {
    loop {
        let input = match read() {
            Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => Input::Message(Message::Key(key)),
            Ok(Event::Mouse(mouse)) => Input::Message(Message::Mouse(mouse)),
            Ok(Event::Paste(text)) => Input::Message(Message::Paste(text)),
            Ok(Event::Resize(columns, rows)) => Input::Message(Message::Resize(columns, rows)),
            Ok(_) => continue,
            Err(_) => Input::Gone,
        };
        let gone = matches!(input, Input::Gone);
        if out.send(input).is_err() || gone {
            return;
        }
    }
}

/// Does what takes its time: no key waits for it.
fn serve(actions: &dyn Actions, labels: &dyn Labels, jobs: &Receiver<Command>, out: &Sender<Input>) {
    for job in jobs {
        let message = match job {
            Command::Act(target, action) => {
                let acted = actions.act(&target.session, action.clone(), target.seen);
                Message::Acted(target, action, acted)
            }
            Command::Label(session, decision, truth, letter) => {
                let labelled = labels.label(&session, &decision, truth, letter);
                Message::Labelled(labelled.map(|()| truth))
            }
            Command::Jump(jump) => Message::Jumped(jump.go(std::env::var_os("TMUX").is_some()), jump.name),
            Command::Quit | Command::Redraw | Command::Suspend | Command::Open(_) => continue,
        };
        if out.send(Input::Message(message)).is_err() {
            return;
        }
    }
}

struct Loop<'a> {
    screen: &'a mut Screen,
    /// Wakes the feed.
    wanted: Sender<Wish>,
    /// For [`serve`].
    work: Sender<Command>,
}

impl Loop<'_> {
    fn run(&mut self, model: &mut Model, inputs: &Receiver<Input>) -> std::io::Result<Answer> {
        loop {
            self.screen.terminal.draw(|frame| draw(model, frame))?;
            let Ok(first) = inputs.recv() else { return Ok(Answer::Code(BUG)) };
            // What has come in meanwhile is drawn in one go.
            for input in std::iter::once(first).chain(inputs.try_iter()) {
                if let Some(answer) = self.take(model, input)? {
                    return Ok(answer);
                }
            }
        }
    }

    fn take(&mut self, model: &mut Model, input: Input) -> std::io::Result<Option<Answer>> {
        let message = match input {
            Input::Message(message) => message,
            Input::Signal(SIGCONT) => {
                self.screen.resume()?;
                return Ok(None);
            }
            Input::Signal(signal) => {
                let number = u8::try_from(signal).unwrap_or(0);
                return Ok(Some(Answer::Code(BY_SIGNAL.saturating_add(number))));
            }
            Input::Gone => return Ok(Some(Answer::Yes)),
            Input::Died => return Ok(Some(Answer::Code(BUG))),
        };
        match &message {
            // What it has changed is to be seen at once; a feed that is gone has been reported by `start`.
            Message::Acted(_, _, Ok(())) => drop(self.wanted.send(Wish::Anew)),
            Message::Jumped(Ok(super::jump::Went::Copy { command, .. }), _) => self.screen.copy(command)?,
            _ => {}
        }
        for command in model.update(message) {
            match command {
                Command::Quit => return Ok(Some(Answer::Yes)),
                Command::Redraw => self.screen.redraw()?,
                Command::Suspend => self.screen.suspend()?,
                Command::Open(key) => drop(self.wanted.send(Wish::Open(key))),
                job => drop(self.work.send(job)),
            }
        }
        Ok(None)
    }
}
