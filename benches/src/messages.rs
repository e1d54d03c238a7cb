//! B4: the reading of a turn end in process, all rules.

use std::hint::black_box;
use std::time::Duration;

use wakeful_prose::{Context, Rules, read};

use crate::arguments::Arguments;
use crate::statistics::{Times, least, ratio};
use crate::table::{Table, time};
use crate::{Failure, field_of_lines, texts};

/// Our own cases, for want of real messages.
const OWN: [&str; 2] = [
    include_str!("../../crates/wakeful-prose/cases/seen.jsonl"),
    include_str!("../../crates/wakeful-prose/cases/held_out.jsonl"),
];
const TRIES: usize = 5;

pub(crate) fn measure(arguments: &Arguments, table: &mut Table) -> Result<(), Failure> {
    let messages = match &arguments.messages {
        Some(file) => field_of_lines(file, "text")?,
        None => OWN.iter().flat_map(|lines| texts(lines, "text")).collect(),
    };
    let rules = Rules::built_in();
    let judge = |text: &str| least(TRIES, || drop(black_box(read(rules, text, &Context::default()))));
    let times = Times::of(messages.iter().map(|text| judge(text)).collect());
    let median = times.median();
    let lengths = messages.iter().map(String::len);
    let mean = lengths.sum::<usize>() / messages.len().max(1);
    let what = format!("reading, {} messages of {mean} bytes on average, median", messages.len());
    table.row("B4", what, "≤ 50 µs", time(median), median <= Duration::from_micros(50));
    let most = time(times.percentile(100));
    table.row("B4", "the same, p99 and max", "", format!("{}, {most}", time(times.percentile(99))), None);
    let long = messages.join("\n\n");
    let long = long.repeat(1_000_000 / long.len().max(1) + 1);
    let part = |bytes: usize| judge(&long[..long.floor_char_boundary(bytes)]);
    let (half, whole) = (part(500_000), part(1_000_000));
    table.row("B4", "messages of 1 MB", "≤ 100 ms", time(whole), whole <= Duration::from_millis(100));
    let growth = ratio(whole, half);
    let measured = format!("{growth:.2} × from 0.5 to 1 MB");
    table.row("B4", "twice the input", "≤ 2.2 × the time", measured, growth <= 2.2);
    let source =
        if arguments.messages.is_some() { "a file that was given" } else { "the repository's own cases" };
    table.note(format!("B4: messages of {source}; least of {TRIES} tries each"));
    Ok(())
}
