//! `wakeful` without a command: the inbox.

use std::io::{self, IsTerminal as _};

use super::list;
use crate::error::{Answer, Error};
use crate::tui;

/// Shows the inbox on a terminal, else prints the list.
///
/// # Errors
/// When the sessions or the terminal cannot be read.
pub fn run() -> Result<Answer, Error> {
    // A terminal that can do nothing but print gets text, too.
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if io::stdin().is_terminal() && io::stdout().is_terminal() && !dumb {
        return tui::run();
    }
    list::Args::plain().run()
}
