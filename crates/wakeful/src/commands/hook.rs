//! `wakeful hook CLIENT [EVENT]`: what the clients call.
//!
//! Hot path: it runs at every tool call of every agent. No clap, no rules of prose, no scan of a folder, no thread. Principle 2: it
//! answers fast or not at all, and exits 0 whatever happens (C1).

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use wakeful_clients::answer::{guard_answer, neutral};
use wakeful_clients::hook_call::{HookCall, is_essential};
use wakeful_core::ids::Client;
use wakeful_core::time::Now;
use wakeful_engine::daemon::{Files, Handed, hand_over, start_if_due};
use wakeful_engine::guard_settings::policy_in_force;
use wakeful_engine::paths;
use wakeful_engine::spool::{DeliveryId, Envelope, GuardRecord, Payload, Spool, VERSION};
use wakeful_shell::{GuardVerdict, guard};

use crate::error::{Answer, Error};
use crate::stdin::{self, Input};

/// What the clients call at their events; reads the payload on standard input
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The client that calls: claude-code, codex or cursor
    client: Option<OsString>,
    /// The event, where the client's payload does not name it
    event: Option<OsString>,
}

impl Args {
    /// Never fails.
    pub fn run(self) -> Result<Answer, Error> {
        run(&self.client.into_iter().chain(self.event).collect::<Vec<_>>());
        Ok(Answer::Yes)
    }
}

/// Runs the hook with the arguments after `hook`. Always success: a failure of ours must never be one of the agent's.
pub fn run(args: &[OsString]) -> ExitCode {
    // Standard error may be shown to the user, and a trace takes its time.
    std::panic::set_hook(Box::new(|_| {}));
    // Nobody can be told of a panic here; `doctor` sees the events that are missing.
    let _ = std::panic::catch_unwind(|| hook(args));
    ExitCode::SUCCESS
}

fn hook(args: &[OsString]) {
    let started = crate::clock::now();
    let input = stdin::read(); // also for an unknown client: a closed pipe would upset it
    let named = args.first().and_then(|name| name.to_str()).and_then(Client::from_name);
    let Some(installed) = named else { return };
    let event_arg = args.get(1).and_then(|event| event.to_str()).filter(|event| !event.starts_with('-'));
    fault();
    let call = match &input {
        Input::Whole(bytes) => HookCall::read(installed, event_arg, bytes),
        // Of a shortened payload the command may be a part only; a part has no verdict.
        Input::Long(kept) => {
            let call = HookCall::read(installed, event_arg, kept.as_deref().unwrap_or_default());
            HookCall { command: None, ..call }
        }
    };
    let client = match call.foreign {
        Some(_) if has_own_entry(&call) => return,
        Some(writer) => writer,
        None => installed,
    };
    let verdict = call.command.as_deref().map(judge);
    let said = match &verdict {
        Some(verdict) => guard_answer(client, &call.event, verdict),
        None => neutral(client).map(str::to_owned),
    };
    if let Some(said) = said {
        let mut out = std::io::stdout().lock();
        // A client that does not listen goes on as it likes.
        let _ = writeln!(out, "{said}").and_then(|()| out.flush());
    }
    if env("WAKEFUL_SUPERVISED").is_none_or(|value| value.is_empty()) {
        let record = verdict.as_ref().and_then(GuardRecord::of);
        let via = Via { client, event_arg, essential: is_essential(&call.event) };
        deliver(&via, started, input, record);
    }
}

fn env(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// A mistake of ours, for the tests of what must survive one.
fn fault() {
    if cfg!(debug_assertions) && env("WAKEFUL_TEST_FAULT").is_some() {
        panic!("a fault was asked for");
    }
}

fn judge(command: &str) -> GuardVerdict {
    let pass = GuardVerdict::Pass { undecided: false };
    if switched_off() {
        return pass;
    }
    // Settings that cannot be read let the guard pass (spec 70); `doctor` is red.
    policy_in_force(&env).map_or(pass, |policy| guard(command, &policy))
}

/// The kill switch, `WAKEFUL_DISABLE_GUARD=1`.
fn switched_off() -> bool {
    env("WAKEFUL_DISABLE_GUARD").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Does the client that wrote this foreign payload call us through hooks of its own as well? (spec 60: Cursor runs the hooks in
/// Claude Code's settings, beside its own.)
fn has_own_entry(call: &HookCall<'_>) -> bool {
    /// No hooks file is longer.
    const MOST: u64 = 1024 * 1024;
    let names_us = |folder: &Path| {
        let file = folder.join(".cursor/hooks.json");
        let readable = std::fs::metadata(&file).is_ok_and(|meta| meta.is_file() && meta.len() <= MOST);
        let text = if readable { std::fs::read_to_string(&file).unwrap_or_default() } else { String::new() };
        text.contains("wakeful") && text.contains("hook cursor")
    };
    let home = paths::home(&env);
    home.iter().any(|home| names_us(home)) || call.roots.iter().any(|root| names_us(Path::new(root.as_ref())))
}

struct Via<'a> {
    client: Client,
    event_arg: Option<&'a str>,
    essential: bool,
}

/// Hands the event to the daemon, or leaves it in the spool and sees to it that there is a daemon. Whatever goes wrong there, the
/// client goes on.
fn deliver(via: &Via<'_>, started: Now, input: Input, guard: Option<GuardRecord>) -> Option<()> {
    let state = paths::state_dir(&env)?;
    let payload = match input {
        Input::Whole(bytes) => Payload::of(&bytes),
        Input::Long(kept) => Payload::of_shortened(kept),
    };
    let envelope = Envelope {
        v: VERSION,
        id: DeliveryId::new(started)?,
        client: via.client,
        event: via.event_arg.map(str::to_owned),
        via: std::env::args_os().next().and_then(|program| program.into_string().ok()),
        at: started,
        pid: client_pid(via.client),
        tmux: env("TMUX_PANE").and_then(|pane| pane.into_string().ok()),
        payload,
        guard,
    };
    let files = Files::of(&state);
    let handed = hand_over(&files.hook_socket(), &envelope);
    if handed == Handed::Taken {
        return Some(());
    }
    let kept = Spool::of(&state).append(&envelope, via.essential);
    if handed == Handed::NoDaemon && via.essential && env("WAKEFUL_NO_DAEMON").is_none() {
        let program = std::env::current_exe().ok()?;
        start_if_due(&files, &program, &["serve", "--detached"], crate::clock::system()).ok()?;
    }
    kept.ok().map(|_| ())
}

/// The client's process, where it is known: Claude Code says it, Codex calls its hooks itself. Whether Cursor has a shell in
/// between is not known, and the end of that shell would look like the end of the session.
fn client_pid(client: Client) -> Option<u32> {
    match client {
        Client::ClaudeCode => env("CLAUDE_PID")?.to_str()?.parse().ok(),
        Client::Codex => {
            rustix::process::getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok())
        }
        _ => None,
    }
}
