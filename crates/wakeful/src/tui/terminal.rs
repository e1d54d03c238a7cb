//! The terminal: taken at the start, given back at the end, whatever the end is.

use std::io::{self, Stdout, Write as _};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

/// Is the terminal ours at the moment?
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while it is ours.
pub struct Screen {
    /// What is drawn on.
    pub terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal: raw mode, alternate screen, mouse, pastes as such.
    ///
    /// # Errors
    /// When it is none, or does not answer.
    pub fn enter() -> io::Result<Self> {
        give_back_on_panic();
        take()?;
        match Terminal::new(CrosstermBackend::new(io::stdout())) {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Gives the terminal back, stops like any program at Ctrl-Z, and takes it again when it is continued.
    ///
    /// # Errors
    /// When it cannot be taken again.
    pub fn suspend(&mut self) -> io::Result<()> {
        restore();
        // Where no shell could continue it, the system does not stop it at all.
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TSTP)?;
        self.resume()
    }

    /// Takes the terminal anew: who was stopped from outside does not know what has become of it.
    ///
    /// # Errors
    /// When it cannot be taken.
    pub fn resume(&mut self) -> io::Result<()> {
        restore();
        take()?;
        self.redraw()
    }

    /// The next drawing draws everything anew. Not by `Terminal::clear`: that asks the terminal where its cursor is, and who reads the keys
    /// takes the answer.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn redraw(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }

    /// Puts a text on the clipboard, where the terminal allows that.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(super::jump::clipboard(text).as_bytes())?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let taken = execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste);
    if taken.is_err() {
        restore();
    }
    taken
}

/// Gives the terminal back as it was; once is enough.
fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // One that is gone needs nothing back.
        let _ =
            execute!(io::stdout(), DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// A panic's message must be readable, and what comes after it, too.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
    });
}
