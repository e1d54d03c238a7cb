//! `wakeful replay`: what would have been decided at every turn end of the transcripts on this machine.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use wakeful_replay::report::{Layout, render};

use crate::error::{Answer, Error};
use crate::output::{colours, print, width};
use crate::rules::in_force;
use crate::transcripts::Selection;

/// Show what Wakeful would have decided at every turn end of the transcripts on this machine
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Write every decision to this file, one JSON object a line
    #[arg(long, value_name = "decisions.jsonl")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Finds and plays the transcripts, prints the report.
    pub fn run(self) -> Result<Answer, Error> {
        let found = self.selection.find()?;
        let rules = in_force();
        let report = match &self.out {
            None => self.selection.replay(&found, rules, None)?,
            Some(path) => {
                let name = path.display().to_string();
                let mut file = BufWriter::new(File::create(path).map_err(Error::io(&name))?);
                let report = self.selection.replay(&found, rules, Some(&mut file))?;
                file.flush().map_err(Error::io(&name))?;
                report
            }
        };
        print(|out| {
            if self.json {
                serde_json::to_writer_pretty(&mut *out, &report)?;
                return writeln!(out);
            }
            write!(out, "{}", render(&report, Layout { width: width(), colour: colours() }))
        })?;
        Ok(Answer::Yes)
    }
}
