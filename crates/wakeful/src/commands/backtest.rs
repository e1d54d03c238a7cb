//! `wakeful backtest`: what the rules make of turn ends with a right answer.

use std::io::{self, BufRead as _, Write};
use std::path::{Path, PathBuf};

use wakeful_core::settings::MatchMode;
use wakeful_prose::{Context, Rules};
use wakeful_replay::cases::{JudgedCase, Matrix};

use crate::error::{Answer, Error};
use crate::output::print;

/// Compare what the rules make of turn ends with the right answers
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Judged turn ends, one JSON object a line: id, client, text, lists, live, scheduled_wake, verdict
    #[arg(long, value_name = "FILE.jsonl", required = true)]
    cases: Vec<PathBuf>,
    /// Match with every rule, not only the curated ones
    #[arg(long)]
    full: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Decides every case; "no" when a question came out as waiting.
    pub fn run(self) -> Result<Answer, Error> {
        let mode = if self.full { MatchMode::Full } else { MatchMode::Precise };
        let mut matrix = Matrix::default();
        for file in &self.cases {
            count_file(file, mode, &mut matrix)?;
        }
        print(|out| {
            if self.json {
                serde_json::to_writer_pretty(&mut *out, &matrix)?;
                return writeln!(out);
            }
            write(out, &matrix)
        })?;
        Ok(if matrix.hides_a_question() { Answer::No } else { Answer::Yes })
    }
}

fn count_file(file: &Path, mode: MatchMode, matrix: &mut Matrix) -> Result<(), Error> {
    let name = file.display().to_string();
    let reader = io::BufReader::new(std::fs::File::open(file).map_err(Error::io(&name))?);
    let rules = Rules::built_in();
    for (number, line) in reader.lines().enumerate() {
        let line = line.map_err(Error::io(&name))?;
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |why: String| Error::Usage {
            what: format!("{name}:{}: {why}", number + 1),
            hint: Some("a case has id, client, text, lists, live, scheduled_wake, verdict".to_owned()),
        };
        let case: JudgedCase = serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
        let read = |text: &str| wakeful_prose::read(rules, text, &Context { mode, now: None });
        matrix.count(&case, read).map_err(wrong)?;
    }
    Ok(())
}

fn write(out: &mut dyn Write, matrix: &Matrix) -> io::Result<()> {
    writeln!(out, "{:10} {:>8} {:>10}", "judged", "waiting", "needs you")?;
    for (judged, ways) in &matrix.matrix {
        let name = format!("{judged:?}").to_lowercase();
        writeln!(out, "{name:10} {:>8} {:>10}", ways.waiting, ways.needs_you)?;
    }
    writeln!(out, "\n{} cases, {} disagreements", matrix.total, matrix.wrong.len())?;
    for wrong in &matrix.wrong {
        let rule = wrong.rule.as_deref().unwrap_or("no rule");
        let got = format!("{:?}", wrong.got).to_lowercase();
        writeln!(out, "  {}  {:?} came out as {got}, by {} ({rule})", wrong.id, wrong.verdict, wrong.gate)?;
        if let Some(words) = &wrong.words {
            writeln!(out, "      {words}")?;
        }
    }
    Ok(())
}
