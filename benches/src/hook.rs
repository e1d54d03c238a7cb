//! B1 and B2: whole processes of `wakeful hook` on a shell call that passes, beside an ordinary Rust program and a Node hook of
//! the field. `--version` of B8 runs in the same turns.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::Failure;
use crate::arguments::Arguments;
use crate::processes::{Runs, in_turns};
use crate::statistics::ratio;
use crate::table::{Table, time};

/// How often a daemon that starts is looked for, every 20 ms.
const STARTING: u32 = 500;

/// The same on every standard input; no waiter.
const PAYLOAD: &[u8] = br#"{"session_id":"0b7e6c1e-5a34-4f0e-9c51-2f6f1d1d9a01","transcript_path":"/home/eve/.claude/projects/-home-eve-shop/0b7e6c1e.jsonl","cwd":"/home/eve/shop","prompt_id":"7d0c9f3a-1f0e-4a86-a6ad-6a8a2b3c4d5e","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cargo test --workspace --locked 2>&1 | tail -n 40","description":"Run the tests"},"tool_use_id":"toolu_01A2b3C4"}"#;

pub(crate) fn measure(arguments: &Arguments, table: &mut Table) -> Result<(), Failure> {
    let wakeful = arguments.wakeful.display();
    let hook_line = format!("{wakeful} hook claude-code");
    let mut lines = vec![hook_line.clone(), "rg --version".to_owned(), format!("{wakeful} --version")];
    lines.extend(arguments.node_hook.clone());
    let daemon = Daemon::start(arguments)?;
    let runs = in_turns(arguments.rounds, PAYLOAD, &lines)?;
    drop(daemon);
    let [hook, ordinary, version, others @ ..] = runs.as_slice() else { return Ok(()) };
    against(table, "B1", "`wakeful hook` on a shell call that passes, daemon up", hook, ordinary);
    spread(table, "B1", hook);
    match others.first() {
        None => table.row("B1", "beside the Node hook cc-safety-net", "≥ 20 × faster", "not installed", None),
        Some(node) => {
            let faster = ratio(node.wall.median(), hook.wall.median());
            let measured = format!("{faster:.1} × ({})", time(node.wall.median()));
            table.row("B1", "beside the Node hook cc-safety-net", "≥ 20 × faster", measured, faster >= 20.0);
        }
    }
    let runs = in_turns(arguments.rounds, PAYLOAD, &[hook_line, "rg --version".to_owned()])?;
    if let [hook, ordinary] = runs.as_slice() {
        against(table, "B2", "the same without a daemon", hook, ordinary);
        spread(table, "B2", hook);
    }
    against(table, "B8", "`wakeful --version`", version, ordinary);
    table.note(format!("B1, B2, B8 `--version`: {} rounds, the programs take turns", arguments.rounds));
    Ok(())
}

fn spread(table: &mut Table, bar: &'static str, hook: &Runs) {
    let spread = ratio(hook.wall.percentile(99), hook.wall.median());
    let measured = format!("{spread:.2} × ({})", time(hook.wall.percentile(99)));
    table.row(bar, "its p99", "≤ 5 × its own median", measured, spread <= 5.0);
}

/// The daemon of this home, until it is dropped.
struct Daemon(Child);

impl Daemon {
    fn start(arguments: &Arguments) -> Result<Self, Failure> {
        let serve = |argument: Option<&str>| {
            let mut command = Command::new(&arguments.wakeful);
            command.arg("serve").args(argument).stdin(Stdio::null()).stdout(Stdio::null());
            command
        };
        let daemon = Self(serve(None).spawn()?);
        let socket = PathBuf::from(std::env::var_os("HOME").unwrap_or_default())
            .join(".local/state/wakeful/daemon/hook.sock");
        for _ in 0..STARTING {
            if socket.exists() && serve(Some("--status")).status()?.success() {
                return Ok(daemon);
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }
        Err("the daemon does not start".into())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn against(table: &mut Table, bar: &'static str, what: &str, own: &Runs, ordinary: &Runs) {
    let wall = ratio(own.wall.median(), ordinary.wall.median());
    let cpu = ratio(own.cpu.median(), ordinary.cpu.median());
    let [a, b] = [own, ordinary].map(|runs| time(runs.wall.median()));
    let [c, d] = [own, ordinary].map(|runs| time(runs.cpu.median()));
    table.row(
        bar,
        format!("{what}, median"),
        "≤ 1.5 × `rg --version`",
        format!("{wall:.2} × ({a} : {b}); processor {cpu:.2} × ({c} : {d})"),
        wall <= 1.5,
    );
}
