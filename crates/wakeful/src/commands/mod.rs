//! One file a command.

mod backtest;
mod explain;
mod installing;
mod replay;
mod setup;
mod simulate;
mod unsetup;

use clap::Subcommand;
use wakeful_core::ids::Client;

use crate::error::{Answer, Error};

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what Wakeful would have decided at every turn end of the transcripts on this machine
    Replay(replay::Args),
    /// Say why a last message reads as a wait, a question or a report
    Explain(explain::Args),
    /// Compare what the rules make of turn ends with the right answers
    Backtest(backtest::Args),
    /// Play scenario files in virtual time and compare the views that they expect
    Simulate(simulate::Args),
    /// Register Wakeful's hooks with the clients on this machine
    Setup(setup::Args),
    /// Take Wakeful's hooks out again
    Unsetup(unsetup::Args),
}

impl Command {
    /// Runs it.
    ///
    /// # Errors
    /// When it could not run to its end; "no" is an answer, not an error.
    pub fn run(self) -> Result<Answer, Error> {
        match self {
            Self::Replay(args) => args.run(),
            Self::Explain(args) => args.run(),
            Self::Backtest(args) => args.run(),
            Self::Simulate(args) => args.run(),
            Self::Setup(args) => args.run(),
            Self::Unsetup(args) => args.run(),
        }
    }
}

/// A client by its name.
fn client(name: &str) -> Result<Client, String> {
    Client::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Client::ALL.iter().map(|client| client.name()).collect();
        format!("no such client; there are {}", names.join(", "))
    })
}
