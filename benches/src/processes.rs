//! Short processes, one after another in turns, so that what else the machine does falls on all of them alike.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

use crate::Failure;
use crate::statistics::Times;

/// Rounds before counting begins: files come into the cache.
const WARM_UP: usize = 10;

/// Whole runs of one command line.
pub(crate) struct Runs {
    /// From the start of the process to its end.
    pub(crate) wall: Times,
    /// What it cost the processor, in user and system together: says more than wall time on a busy machine.
    pub(crate) cpu: Times,
}

/// Runs each command line (words without quotes) so many times with `input` on its standard input.
pub(crate) fn in_turns(rounds: usize, input: &[u8], lines: &[String]) -> Result<Vec<Runs>, Failure> {
    let mut all = vec![(Vec::new(), Vec::new()); lines.len()];
    for round in 0..WARM_UP + rounds {
        for (line, (wall, cpu)) in lines.iter().zip(&mut all) {
            let took = once(line, input)?;
            if round >= WARM_UP {
                wall.push(took.0);
                cpu.push(took.1);
            }
        }
    }
    Ok(all.into_iter().map(|(wall, cpu)| Runs { wall: Times::of(wall), cpu: Times::of(cpu) }).collect())
}

fn once(line: &str, input: &[u8]) -> Result<(Duration, Duration), Failure> {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().ok_or("an empty command line")?);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let before = cpu_of_children()?;
    let began = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("{line}: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input); // `--version` does not read
    }
    let status = child.wait()?;
    let took = began.elapsed();
    let cpu = cpu_of_children()?.saturating_sub(before);
    if status.success() { Ok((took, cpu)) } else { Err(format!("{line}: {status}").into()) }
}

/// Processor time of all children that have ended.
pub(crate) fn cpu_of_children() -> Result<Duration, Failure> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(micros.try_into()?))
}
