//! One file a command.

mod backtest;
mod explain;
mod label;
mod replay;
mod simulate;

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
    /// Compare rule sets over transcripts, or with the right answers of judged cases
    Backtest(backtest::Args),
    /// Say for one turn end after the other what was right
    Label(label::Args),
    /// Play scenario files in virtual time and compare the views that they expect
    Simulate(simulate::Args),
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
            Self::Label(args) => args.run(),
            Self::Simulate(args) => args.run(),
        }
    }
}

/// A client by its name, for the command line.
///
/// # Errors
/// Names the clients that there are.
pub fn client(name: &str) -> Result<Client, String> {
    Client::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Client::ALL.iter().map(|client| client.name()).collect();
        format!("no such client; there are {}", names.join(", "))
    })
}
