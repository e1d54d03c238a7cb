//! The `wakeful` program: parses the command line and hands over to one file per command.

mod clock;
mod commands;
mod errands;
mod error;
mod labels;
mod output;
mod rules;
mod sessions;
mod settings;
mod stdin;
mod text;
mod transcripts;
mod tui;
mod turns;
mod underline;
mod why;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::commands::Command;
use crate::error::report;
use crate::output::Colours;

/// Tells which of your coding agents need you, and which are only waiting.
///
/// Without a command: the inbox in the terminal; where there is no terminal, the list as text.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    /// Colours: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    color: Colours,
    #[command(subcommand)]
    command: Option<Command>,
}

fn main() -> ExitCode {
    if let Some(args) = hook_args() {
        return commands::hook::run(&args);
    }
    // clap prints usage errors itself and exits with 2, the code for them here too (spec 70).
    let cli = Cli::parse();
    output::want_colours(cli.color);
    let ran = match cli.command {
        Some(command) => command.run(),
        None => commands::inbox::run(),
    };
    match ran {
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
