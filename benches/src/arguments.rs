//! The command line; `benches/run` writes it.

use std::path::PathBuf;

use crate::Failure;

/// Whole processes of a few milliseconds: enough that a p99 is more than the worst of a handful.
const ROUNDS: usize = 300;
/// Runs over the transcripts, of each program.
const PASSES: usize = 5;

/// What to measure, and with what.
pub(crate) struct Arguments {
    /// `wakeful` as it would be installed.
    pub(crate) wakeful: PathBuf,
    /// The Node hook's command line, where there is one.
    pub(crate) node_hook: Option<String>,
    /// ccusage's command line, where there is one.
    pub(crate) ccusage: Option<String>,
    /// A folder with `projects/` in it.
    pub(crate) transcripts: Option<PathBuf>,
    /// Real agent commands: lines of `{"command": …}`.
    pub(crate) commands: Option<PathBuf>,
    /// Real last messages: lines of `{"text": …}`.
    pub(crate) messages: Option<PathBuf>,
    /// What `cargo bloat` said, where it is installed.
    pub(crate) bloat: Option<PathBuf>,
    pub(crate) rounds: usize,
    pub(crate) passes: usize,
    /// Only these bars.
    only: Vec<String>,
    /// Where to write the table.
    pub(crate) write: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut read = Self {
            wakeful: PathBuf::from("wakeful"),
            node_hook: None,
            ccusage: None,
            transcripts: None,
            commands: None,
            messages: None,
            bloat: None,
            rounds: ROUNDS,
            passes: PASSES,
            only: Vec::new(),
            write: None,
        };
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("{name} wants a value"))?;
            match name.as_str() {
                "--wakeful" => read.wakeful = value.into(),
                "--node-hook" => read.node_hook = Some(value),
                "--ccusage" => read.ccusage = Some(value),
                "--transcripts" => read.transcripts = Some(value.into()),
                "--commands" => read.commands = Some(value.into()),
                "--messages" => read.messages = Some(value.into()),
                "--bloat" => read.bloat = Some(value.into()),
                "--rounds" => read.rounds = value.parse()?,
                "--passes" => read.passes = value.parse()?,
                "--only" => read.only = value.split(',').map(str::to_owned).collect(),
                "--write" => read.write = Some(value.into()),
                _ => return Err(format!("unknown: {name}").into()),
            }
        }
        Ok(read)
    }

    pub(crate) fn wants(&self, bar: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == bar)
    }
}
