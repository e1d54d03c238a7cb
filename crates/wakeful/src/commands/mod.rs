//! One file a command.

mod act;
mod backtest;
mod doctor;
mod explain;
mod guard;
pub mod hook;
pub mod inbox;
mod installing;
mod label;
mod list;
mod log;
mod notify;
mod replay;
mod ring;
pub mod serve;
mod settings;
mod setup;
mod show;
mod simulate;
mod simulated;
mod status_line;
mod unsetup;
mod wait;

use clap::Subcommand;
use wakeful_core::event::UserAction;
use wakeful_core::ids::Client;

use crate::error::{Answer, Error};

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the sessions on this machine: who needs you, who only waits
    List(list::Args),
    /// Show one session with its timeline and decisions
    Show(show::Args),
    /// Wait until a session reaches a state
    Wait(wait::Args),
    /// Print one line: how many sessions need you, wait, and work
    StatusLine(status_line::Args),
    /// Keep waiting: leave the session out of the inbox for another hour
    Keep(act::Args),
    /// Ask the agent now whether it still waits
    CheckIn(act::Args),
    /// Take a session out of the inbox
    Done(act::Args),
    /// Put a session away for some time
    Snooze(act::SnoozeArgs),
    /// Answer the agent in its session
    Reply(act::ReplyArgs),
    /// Stop waiting for one task, or for everything
    StopWaiting(act::StopWaitingArgs),
    /// Forget all that a session waits for and asks; its process is left alone
    Stop(act::Args),
    /// Show what was written down: every event, decision and verdict of the guard
    Log(log::Args),
    /// Show what Wakeful would have decided at every turn end of the transcripts on this machine
    Replay(replay::Args),
    /// Say why a last message reads as a wait, a question or a report
    Explain(explain::Args),
    /// Compare rule sets over transcripts, or with the right answers of judged cases
    Backtest(backtest::Args),
    /// Say whether the guard lets a shell command run
    Guard(guard::Args),
    /// What the clients call at their events; reads the payload on standard input
    Hook(hook::Args),
    /// Say for one turn end after the other what was right
    Label(label::Args),
    /// Play scenario files in virtual time and compare the views that they expect
    Simulate(simulate::Args),
    /// Register Wakeful's hooks with the clients on this machine
    Setup(setup::Args),
    /// Take Wakeful's hooks out again
    Unsetup(unsetup::Args),
    /// Show the settings, change them, or say where they are
    Settings(settings::Args),
    /// Run the daemon in the foreground; other commands start it when they need it
    Serve(serve::Args),
    /// Say what would ring now and why the rest would not; with --test, ring it
    Notify(notify::Args),
    /// Ring once, for the daemon; reads the ring on standard input
    #[command(hide = true)]
    Ring(ring::Args),
    /// Check clients, hooks, spool, settings and clock, and say what to do
    Doctor(doctor::Args),
}

impl Command {
    /// Runs it.
    ///
    /// # Errors
    /// When it could not run to its end; "no" is an answer, not an error.
    pub fn run(self) -> Result<Answer, Error> {
        match self {
            Self::List(args) => args.run(),
            Self::Show(args) => args.run(),
            Self::Wait(args) => args.run(),
            Self::StatusLine(args) => args.run(),
            Self::Keep(args) => args.run(&UserAction::KeepWaiting),
            Self::CheckIn(args) => args.run(&UserAction::CheckIn),
            Self::Done(args) => args.run(&UserAction::Done),
            Self::Snooze(args) => args.run(),
            Self::Reply(args) => args.run(),
            Self::StopWaiting(args) => args.run(),
            Self::Stop(args) => args.run(&UserAction::Stop),
            Self::Log(args) => args.run(),
            Self::Replay(args) => args.run(),
            Self::Explain(args) => args.run(),
            Self::Backtest(args) => args.run(),
            Self::Guard(args) => args.run(),
            Self::Hook(args) => args.run(),
            Self::Label(args) => args.run(),
            Self::Simulate(args) => args.run(),
            Self::Setup(args) => args.run(),
            Self::Unsetup(args) => args.run(),
            Self::Settings(args) => args.run(),
            Self::Serve(args) => args.run(),
            Self::Notify(args) => args.run(),
            Self::Ring(args) => args.run(),
            Self::Doctor(args) => args.run(),
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
