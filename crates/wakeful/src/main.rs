//! The `wakeful` program: parses the command line and hands over to one file per command.

mod clock;
mod commands;
mod error;
mod labels;
mod output;
mod transcripts;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::Command;
use crate::error::report;

/// Tells which of your coding agents need you, and which are only waiting.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    // clap prints usage errors itself and exits with 2, the code for them here too (spec 70).
    match Cli::parse().command.run() {
        Ok(answer) => answer.into(),
        Err(error) => report(&error),
    }
}
