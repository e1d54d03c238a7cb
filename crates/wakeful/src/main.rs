//! The `wakeful` program: parses the command line and hands over to one file per command.

mod clock;
mod commands;
mod errands;
mod error;
mod labels;
mod output;
mod rules;
mod sessions;
mod stdin;
mod transcripts;
mod underline;

use std::ffi::OsString;
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
    if let Some(args) = hook_args() {
        return commands::hook::run(&args);
    }
    // clap prints usage errors itself and exits with 2, the code for them here too (spec 70).
    match Cli::parse().command.run() {
        Ok(answer) => answer.into(),
        Err(error) => report(&error),
    }
}

/// The arguments of `wakeful hook …`, which goes past clap: it must be fast, and never exit with a usage error (C1). Who asks
/// for help is no client.
fn hook_args() -> Option<Vec<OsString>> {
    let mut args = std::env::args_os().skip(1);
    let hook = args.next().is_some_and(|command| command == "hook");
    let args: Vec<OsString> = args.collect();
    let help = args.iter().any(|arg| arg == "--help" || arg == "-h");
    (hook && !help).then_some(args)
}
