//! One long process, measured by a process of its own: the peak memory that the system tells is the largest of all children,
//! so there must be only one.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};

use crate::Failure;
use crate::processes::cpu_of_children;

/// The first word of the command line that asks for this.
pub(crate) const COMMAND: &str = "child";

/// What one run took.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    pub(crate) wall: Duration,
    /// User and system.
    pub(crate) cpu: Duration,
    /// Peak resident memory in bytes.
    pub(crate) peak: u64,
}

/// Runs the words as a command and prints what it took.
pub(crate) fn run(words: &[String]) -> Result<(), Failure> {
    let (program, arguments) = words.split_first().ok_or("an empty command line")?;
    let began = Instant::now();
    let status = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    let wall = began.elapsed();
    if !status.success() {
        return Err(format!("{words:?}: {status}").into());
    }
    /// Linux counts in kilobytes, macOS in bytes.
    const UNIT: i64 = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss() * UNIT;
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    println!("{}", json!({ "wall": micros(wall), "cpu": micros(cpu_of_children()?), "peak": peak }));
    Ok(())
}

/// Has `command` run and measured.
pub(crate) fn measured(command: &[String], variables: &[(&str, &str)]) -> Result<Took, Failure> {
    let mut own = Command::new(std::env::current_exe()?);
    own.arg(COMMAND).args(command).envs(variables.iter().copied()).stderr(Stdio::inherit());
    let output = own.output()?;
    if !output.status.success() {
        return Err(format!("{command:?} failed").into());
    }
    let said: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| said[name].as_u64().ok_or("no number");
    Ok(Took {
        wall: Duration::from_micros(number("wall")?),
        cpu: Duration::from_micros(number("cpu")?),
        peak: number("peak")?,
    })
}
