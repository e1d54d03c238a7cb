//! B3: the guard's verdict in process.

use std::hint::black_box;
use std::time::Duration;

use wakeful_shell::{GuardPolicy, guard};

use crate::arguments::Arguments;
use crate::statistics::{Times, least, ratio};
use crate::table::{Table, time};
use crate::{Failure, field_of_lines, texts};

/// Our own cases, for want of real commands.
const OWN: [&str; 3] = [
    include_str!("../../crates/wakeful-shell/cases/guard-true-positives.jsonl"),
    include_str!("../../crates/wakeful-shell/cases/guard-false-positives.jsonl"),
    include_str!("../../crates/wakeful-shell/cases/guard-bypass-attempts.jsonl"),
];
const TRIES: usize = 5;
/// An ordinary command, repeated for long ones.
const UNIT: &str = "cd app && grep -n 'fn main' src/*.rs | head -5; sleep 1; make test\n";

pub(crate) fn measure(arguments: &Arguments, table: &mut Table) -> Result<(), Failure> {
    let commands = match &arguments.commands {
        Some(file) => field_of_lines(file, "command")?,
        None => OWN.iter().flat_map(|lines| texts(lines, "command")).collect(),
    };
    let policy = GuardPolicy::default();
    let judge = |command: &str| least(TRIES, || drop(black_box(guard(command, &policy))));
    let times = Times::of(commands.iter().map(|command| judge(command)).collect());
    let (median, most) = (times.median(), times.percentile(100));
    let what = format!("guard verdict, {} commands, median", commands.len());
    table.row("B3", what, "≤ 20 µs", time(median), median <= Duration::from_micros(20));
    table.row("B3", "the same, max", "≤ 5 ms", time(most), most <= Duration::from_millis(5));
    let long = |bytes: usize| judge(&UNIT.repeat(bytes / UNIT.len()));
    let (half, whole) = (long(500_000), long(1_000_000));
    let growth = ratio(whole, half);
    let measured = format!("{growth:.2} × from 0.5 to 1 MB ({})", time(whole));
    table.row("B3", "the same, growth", "linear up to 1 MB (≤ 2.2 ×)", measured, growth <= 2.2);
    let source =
        if arguments.commands.is_some() { "a file that was given" } else { "the repository's own cases" };
    table.note(format!("B3: commands of {source}; least of {TRIES} tries each"));
    Ok(())
}
