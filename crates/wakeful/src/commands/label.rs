//! `wakeful label`: one turn end at a time, one key each; the labels outweigh what transcripts say.

use std::io::{self, BufRead as _, Write};

use wakeful_replay::backtest::{Outcome, Recorder, Truth, TurnEndKey};

use crate::error::{Answer, Error};
use crate::labels::{Label, append, labels};
use crate::output::print;
use crate::rules::in_force;
use crate::transcripts::Selection;

/// Say for one turn end after the other what was right
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Also those that have a label already
    #[arg(long)]
    again: bool,
}

impl Args {
    /// Shows every turn end without a label and reads a key for each: w (it only waited), u (it needed its user),
    /// d (it was done), s (skip), q (quit). Labels are kept at once.
    pub fn run(self) -> Result<Answer, Error> {
        let found = self.selection.find()?;
        let rules = in_force();
        let mut recorder = Recorder::new(rules.version());
        self.selection.replay(&found, rules, Some(&mut recorder))?;
        let known = if self.again { std::collections::BTreeMap::default() } else { labels()? };
        let run = recorder.finish();
        let open: Vec<_> = run.turn_ends.iter().filter(|(key, _)| !known.contains_key(key)).collect();
        let mut given = 0;
        for (number, (key, outcome)) in open.iter().enumerate() {
            print(|out| show(out, number + 1, open.len(), outcome))?;
            match ask()? {
                Reply::Quit => break,
                Reply::Skip => {}
                Reply::Truth(letter, truth) => {
                    let turn_end = TurnEndKey::clone(key);
                    append(&[Label { turn_end, truth, key: letter, message: outcome.message.clone() }])?;
                    given += 1;
                }
            }
        }
        print(|out| writeln!(out, "\n{given} labels given, {} turn ends were without one", open.len()))?;
        Ok(Answer::Yes)
    }
}

fn show(out: &mut dyn Write, number: usize, of: usize, outcome: &Outcome) -> io::Result<()> {
    writeln!(out, "\n── {number} of {of} · {}:{}", outcome.file, outcome.line)?;
    writeln!(out, "{}", outcome.message)?;
    let verdict = if outcome.waiting { "waiting" } else { "needs you" };
    writeln!(out, "   decided: {verdict}, by {}", outcome.gate)?;
    write!(out, "   [w]aited  [u]ser was needed  [d]one  [s]kip  [q]uit > ")
}

enum Reply {
    Truth(char, Truth),
    Skip,
    Quit,
}

/// A letter and Enter; the end of input quits.
fn ask() -> Result<Reply, Error> {
    loop {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line).map_err(Error::io("standard input"))?;
        if read == 0 {
            return Ok(Reply::Quit);
        }
        match line.trim() {
            "w" => return Ok(Reply::Truth('w', Truth::Waits)),
            "u" => return Ok(Reply::Truth('u', Truth::NeedsYou)),
            "d" => return Ok(Reply::Truth('d', Truth::NeedsYou)),
            "s" | "" => return Ok(Reply::Skip),
            "q" => return Ok(Reply::Quit),
            _ => print(|out| write!(out, "   w, u, d, s or q > "))?,
        }
    }
}
