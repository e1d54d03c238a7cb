//! B5: `wakeful replay` over many transcripts, beside ccusage, with ripgrep's count of lines as the limit.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::Failure;
use crate::arguments::Arguments;
use crate::child::{Took, measured};
use crate::statistics::ratio;
use crate::table::{Table, time};

pub(crate) fn measure(arguments: &Arguments, table: &mut Table) -> Result<(), Failure> {
    let Some(folder) = &arguments.transcripts else { return Ok(()) };
    let config = folder.display().to_string();
    let projects = folder.join("projects");
    let (files, bytes) = size(&projects)?;
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let path = projects.display().to_string();
    let wakeful = vec![arguments.wakeful.display().to_string(), "replay".to_owned(), path.clone()];
    let ripgrep = ["rg", "-c", "", &path].map(str::to_owned).to_vec();
    let mut commands = vec![wakeful, ripgrep];
    commands.extend(arguments.ccusage.as_deref().map(words));
    let variables = [("CLAUDE_CONFIG_DIR", config.as_str())];
    let mut all: Vec<Vec<Took>> = vec![Vec::new(); commands.len()];
    for pass in 0..=arguments.passes {
        for (command, took) in commands.iter().zip(&mut all) {
            let run = measured(command, &variables)?;
            if pass > 0 {
                took.push(run); // the first brings the files into the cache
            }
        }
    }
    let [own, limit, others @ ..] = all.as_slice() else { return Ok(()) };
    rows(table, bytes, own, limit, others.first().map(Vec::as_slice));
    let megabytes = bytes as f64 / 1e6;
    table.note(format!(
        "B5: {files} seeded transcripts, {megabytes:.0} MB, warm cache, median of {} runs in turns; MB are 10⁶ bytes",
        arguments.passes
    ));
    Ok(())
}

fn rows(table: &mut Table, bytes: u64, own: &[Took], limit: &[Took], ccusage: Option<&[Took]>) {
    let wall = |runs: &[Took]| median(runs, |took| took.wall);
    let cpu = |runs: &[Took]| median(runs, |took| took.cpu);
    let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    let own_speed = speed(wall(own));
    let two_cores = speed(cpu(own)) * 2.0;
    table.row(
        "B5",
        "`wakeful replay`",
        "≥ 250 MB/s",
        format!("{own_speed:.0} MB/s ({}; two whole cores would give {two_cores:.0} MB/s)", time(wall(own))),
        own_speed >= 250.0,
    );
    match ccusage {
        None => table.row("B5", "beside ccusage", "≥ 3 × its speed", "not installed", None),
        Some(runs) => {
            let (faster, cheaper) = (ratio(wall(runs), wall(own)), ratio(cpu(runs), cpu(own)));
            let measured = format!("{faster:.2} × ({:.0} MB/s); processor {cheaper:.2} ×", speed(wall(runs)));
            table.row(
                "B5",
                "beside `ccusage daily --offline --json`",
                "≥ 3 × its speed",
                measured,
                faster >= 3.0,
            );
        }
    }
    let peak = own.iter().map(|took| took.peak).max().unwrap_or(0) as f64 / 1e6;
    table.row("B5", "its peak memory", "≤ 100 MB", format!("{peak:.1} MB"), peak <= 100.0);
    table.row("B5", "the limit: `rg -c`", "", format!("{:.0} MB/s", speed(wall(limit))), None);
}

fn median(runs: &[Took], of: impl Fn(&Took) -> Duration) -> Duration {
    let mut all: Vec<Duration> = runs.iter().map(of).collect();
    all.sort_unstable();
    all.get(all.len() / 2).copied().unwrap_or_default()
}

/// How many files, and how large together.
fn size(folder: &Path) -> Result<(u64, u64), Failure> {
    let mut sum = (0, 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (files, bytes) =
            if entry.file_type()?.is_dir() { size(&entry.path())? } else { (1, entry.metadata()?.len()) };
        sum = (sum.0 + files, sum.1 + bytes);
    }
    Ok(sum)
}
