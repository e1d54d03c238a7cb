//! Bars B1 and B2: whole processes of `wakeful hook` on a shell call that passes, beside an ordinary Rust program and a Node hook of
//! the field. `benches/hook.sh` calls it.
//!
//! Usage: `bench_hook ROUNDS WAKEFUL ORDINARY [NODE-HOOK…]`, each a command line of words without quotes. The commands take turns,
//! so that what else the machine does falls on all of them alike.
#![expect(clippy::print_stdout, reason = "it prints its measurements")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use std::error::Error;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The same on every standard input; no waiter.
const PAYLOAD: &[u8] = br#"{"session_id":"0b7e6c1e-5a34-4f0e-9c51-2f6f1d1d9a01","transcript_path":"/home/eve/.claude/projects/-home-eve-shop/0b7e6c1e.jsonl","cwd":"/home/eve/shop","prompt_id":"7d0c9f3a-1f0e-4a86-a6ad-6a8a2b3c4d5e","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cargo test --workspace --locked 2>&1 | tail -n 40","description":"Run the tests"},"tool_use_id":"toolu_01A2b3C4"}"#;
/// Rounds before counting begins: files come into the cache.
const WARM_UP: usize = 10;

struct Measured {
    command: String,
    times: Vec<Duration>,
}

impl Measured {
    /// The time that so many of a hundred runs do not exceed.
    fn percentile(&self, of_hundred: usize) -> f64 {
        let at = (self.times.len() * of_hundred).div_ceil(100).clamp(1, self.times.len());
        self.times[at - 1].as_secs_f64() * 1000.0
    }
}

fn run(words: &str) -> Result<Duration, Box<dyn Error>> {
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().ok_or("an empty command")?);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(PAYLOAD); // `--version` does not read
    }
    let status = child.wait()?;
    let took = began.elapsed();
    if status.success() { Ok(took) } else { Err(format!("{command:?}: {status}").into()) }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let rounds: usize = args.next().ok_or("usage: bench_hook ROUNDS COMMAND…")?.parse()?;
    let mut all: Vec<Measured> = args.map(|command| Measured { command, times: Vec::new() }).collect();
    for round in 0..WARM_UP + rounds {
        for measured in &mut all {
            let took = run(&measured.command)?;
            if round >= WARM_UP {
                measured.times.push(took);
            }
        }
    }
    println!("{:>9} {:>9} {:>9} {:>9}   command ({rounds} rounds, ms)", "median", "p90", "p99", "max");
    for measured in &mut all {
        measured.times.sort_unstable();
        let [median, p90, p99, max] = [50, 90, 99, 100].map(|of_hundred| measured.percentile(of_hundred));
        println!("{median:9.3} {p90:9.3} {p99:9.3} {max:9.3}   {}", measured.command);
    }
    let Some((hook, others)) = all.split_first() else { return Ok(()) };
    println!(
        "\np99 of the hook = {:.2} x its own median (bar: 5)",
        hook.percentile(99) / hook.percentile(50)
    );
    for (n, other) in others.iter().enumerate() {
        let ratio = hook.percentile(50) / other.percentile(50);
        if n == 0 {
            println!("median of the hook = {ratio:.2} x `{}` (bar: 1.5)", other.command);
        } else {
            println!("the hook is {:.1} x faster than `{}` (bar: 20)", 1.0 / ratio, other.command);
        }
    }
    Ok(())
}
