//! B8: the size of the binary. How long `--version` takes is measured with the hook.

use std::fs;

use crate::Failure;
use crate::arguments::Arguments;
use crate::table::Table;

/// How many crates are named.
const NAMED: usize = 5;

pub(crate) fn measure(arguments: &Arguments, table: &mut Table) -> Result<(), Failure> {
    let megabytes = fs::metadata(&arguments.wakeful)?.len() as f64 / 1e6;
    table.row("B8", "the binary, stripped", "≤ 25 MB", format!("{megabytes:.2} MB"), megabytes <= 25.0);
    let heaviest = match &arguments.bloat {
        Some(file) => heaviest(&fs::read_to_string(file)?),
        None => "cargo-bloat is not installed".to_owned(),
    };
    table.row("B8", "the five heaviest crates (code)", "named", heaviest, None);
    Ok(())
}

/// The first lines of the table that `cargo bloat --crates` prints: share of the file, share of the code, size, name.
fn heaviest(said: &str) -> String {
    let rows = said.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [file, code, size, name] if file.ends_with('%') && code.ends_with('%') => {
                Some(format!("{name} {size}"))
            }
            _ => None,
        }
    });
    rows.filter(|row| !row.starts_with(".text")).take(NAMED).collect::<Vec<_>>().join(", ")
}
