//! Measures the bars of spec 90 that need no daemon, side by side with programs of the field, and prints the ratios.
//!
//! `benches/run` builds and installs what this needs and calls it. Nothing here is a test: a busy machine gives other numbers.
#![expect(clippy::print_stdout, reason = "it prints its measurements")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

mod arguments;
mod binary;
mod child;
mod commands;
mod hook;
mod messages;
mod processes;
mod replaying;
mod statistics;
mod table;

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use crate::arguments::Arguments;
use crate::table::Table;

/// Why a measurement could not be taken.
type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1).peekable();
    if words.next_if(|word| word == child::COMMAND).is_some() {
        return child::run(&words.collect::<Vec<_>>());
    }
    let arguments = Arguments::read(words)?;
    let mut table = Table::default();
    if arguments.wants("B1") {
        hook::measure(&arguments, &mut table)?;
    }
    if arguments.wants("B3") {
        commands::measure(&arguments, &mut table)?;
    }
    if arguments.wants("B4") {
        messages::measure(&arguments, &mut table)?;
    }
    if arguments.wants("B5") {
        replaying::measure(&arguments, &mut table)?;
    }
    if arguments.wants("B8") {
        binary::measure(&arguments, &mut table)?;
    }
    println!("{}", table.text());
    if let Some(file) = &arguments.write {
        fs::write(file, table.markdown())?;
    }
    Ok(())
}

/// The rows of a file of JSON lines: the text of one field each.
fn field_of_lines(file: &PathBuf, field: &str) -> Result<Vec<String>, Failure> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(texts(&text, field))
}

fn texts(lines: &str, field: &str) -> Vec<String> {
    let rows = lines.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    rows.filter_map(|row| row[field].as_str().map(str::to_owned)).collect()
}
