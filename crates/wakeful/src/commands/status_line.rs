//! `wakeful status-line`: one line for tmux, a prompt, or a client's status line.

use wakeful_engine::shown::Section;

use crate::error::{Answer, Error};
use crate::output::print;
use crate::sessions::{AsOf, shown};

/// Print one line: how many sessions need you, wait, and work
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    as_of: AsOf,
}

impl Args {
    /// Prints the line; an empty one when there is no session at all.
    pub fn run(self) -> Result<Answer, Error> {
        let live = self.as_of.load()?;
        let sessions = shown(&live);
        let count = |section| sessions.iter().filter(|shown| shown.section() == section).count();
        let parts = [
            (count(Section::NeedsYou), "needs you", "need you"),
            (count(Section::Waiting), "waiting", "waiting"),
            (count(Section::Working), "working", "working"),
        ];
        let said = |(count, one, many): (usize, &str, &str)| {
            (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
        };
        let line: Vec<String> = parts.into_iter().filter_map(said).collect();
        print(|out| writeln!(out, "{}", line.join(", ")))?;
        Ok(Answer::Yes)
    }
}
