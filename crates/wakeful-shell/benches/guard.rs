//! Spec 90 B3: a verdict in process, over real agent commands, and how its cost grows.
//!
//! `WAKEFUL_COMMANDS=FILE.jsonl cargo bench -p wakeful-shell` reads commands from a file of `{"command": …}` rows; without it the
//! crate's own cases are used.
// A benchmark measures time; the ban is for the product.
#![allow(missing_docs, clippy::disallowed_methods, clippy::print_stdout)]

use std::time::{Duration, Instant};

use divan::Bencher;
use serde_json::Value;
use wakeful_shell::{GuardPolicy, guard, never_ends};

const OWN: [&str; 4] = [
    include_str!("../cases/guard-true-positives.jsonl"),
    include_str!("../cases/guard-false-positives.jsonl"),
    include_str!("../cases/guard-bypass-attempts.jsonl"),
    include_str!("../cases/endless-ends.jsonl"),
];

fn commands() -> Vec<String> {
    let text = match std::env::var("WAKEFUL_COMMANDS") {
        Ok(file) => std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}")),
        Err(_) => OWN.concat(),
    };
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    rows.filter_map(|row| row["command"].as_str().map(str::to_owned)).collect()
}

/// Looks at each command a few times and keeps the best: what the code costs, not what else the machine did.
fn quantiles(name: &str, commands: &[String], mut judge: impl FnMut(&str)) {
    const TRIES: usize = 5;
    let mut times: Vec<(Duration, usize)> = commands
        .iter()
        .map(|command| {
            let once = |judge: &mut dyn FnMut(&str)| {
                let start = Instant::now();
                judge(command);
                start.elapsed()
            };
            let best = (0..TRIES).map(|_| once(&mut judge)).min().unwrap_or_default();
            (best, command.len())
        })
        .collect();
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let (max, bytes) = at(1.0);
    println!(
        "{name}: {} commands, median {:?}, p99 {:?}, max {max:?} ({bytes} bytes)",
        times.len(),
        at(0.5).0,
        at(0.99).0
    );
}

fn main() {
    let commands = commands();
    let policy = GuardPolicy::default();
    quantiles("guard", &commands, |command| {
        divan::black_box(guard(command, &policy));
    });
    let waiting: Vec<String> =
        commands.iter().filter(|c| c.contains("sleep") || c.contains("pgrep")).cloned().collect();
    quantiles("guard, with sleep or pgrep", &waiting, |command| {
        divan::black_box(guard(command, &policy));
    });
    quantiles("never_ends", &commands, |command| {
        divan::black_box(never_ends(command));
    });
    divan::main();
}

#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000])]
fn ordinary_commands(bencher: Bencher<'_, '_>, bytes: usize) {
    let unit = "cd app && grep -n 'fn main' src/*.rs | head -5; sleep 1; make test\n";
    let text = unit.repeat(bytes / unit.len());
    let policy = GuardPolicy::default();
    bencher.counter(divan::counter::BytesCount::new(text.len())).bench(|| guard(&text, &policy));
}

#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000])]
fn nested_substitutions(bencher: Bencher<'_, '_>, bytes: usize) {
    let text = format!("{} sleep 5", "$(".repeat(bytes / 2));
    let policy = GuardPolicy::default();
    bencher.counter(divan::counter::BytesCount::new(text.len())).bench(|| guard(&text, &policy));
}
