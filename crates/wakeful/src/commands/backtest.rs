//! `wakeful backtest`: what the rules make of turn ends with a right answer, and what another rule set would change.

use std::io::{self, BufRead as _, Write};
use std::path::{Path, PathBuf};

use wakeful_engine::settings::Effective;
use wakeful_prose::{Context, Rules};
use wakeful_replay::backtest::{Comparison, Counts, Recorder, Run, compare};
use wakeful_replay::cases::{JudgedCase, Matrix};

use crate::error::{Answer, Error};
use crate::labels::{labels, load, save};
use crate::output::print;
use crate::rules::{in_force, rules_in};
use crate::transcripts::Selection;

/// Compare rule sets over transcripts, or with the right answers of judged cases
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Judged turn ends, one JSON object a line: id, client, text, lists, live, scheduled_wake, verdict
    #[arg(long, value_name = "FILE.jsonl", conflicts_with_all = ["paths", "demo"])]
    cases: Vec<PathBuf>,
    /// A folder of rule files on top of the built-in rules
    #[arg(long, value_name = "RULES_DIR")]
    candidate: Option<PathBuf>,
    /// What to compare with: `built-in`, or a folder of rule files on top of them
    #[arg(long, value_name = "RULES_DIR", default_value = "built-in")]
    baseline: PathBuf,
    /// Keep the candidate's result under this name
    #[arg(long, value_name = "NAME")]
    save: Option<String>,
    /// Compare two results that were kept, in place of transcripts: the baseline, then the candidate
    #[arg(long, num_args = 2, value_names = ["NAME", "NAME"], conflicts_with_all = ["paths", "demo", "cases", "save"])]
    compare: Vec<String>,
    /// List every turn end that changed sides
    #[arg(long)]
    list: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// "No" when a question came out as waiting, or when a turn end that was right is wrong now.
    pub fn run(self) -> Result<Answer, Error> {
        if !self.cases.is_empty() {
            return self.judge();
        }
        let (baseline, candidate) =
            if let [old, new] = self.compare.as_slice() { (load(old)?, load(new)?) } else { self.replay()? };
        let comparison = compare(&baseline, &candidate);
        print(|out| {
            if self.json {
                serde_json::to_writer_pretty(&mut *out, &comparison)?;
                return writeln!(out);
            }
            write_comparison(out, &comparison, self.list)
        })?;
        Ok(if comparison.regressions == 0 { Answer::Yes } else { Answer::No })
    }

    fn judge(&self) -> Result<Answer, Error> {
        let settings = self.selection.settings()?;
        let rules = match &self.candidate {
            Some(folder) => &rules_in(folder)?,
            None => in_force(),
        };
        let mut matrix = Matrix::default();
        for file in &self.cases {
            count_file(file, rules, &settings, &mut matrix)?;
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

    /// Both runs over the transcripts, with the labels that people gave.
    fn replay(&self) -> Result<(Run, Run), Error> {
        let found = self.selection.find()?;
        let labels = labels()?;
        let run = |rules: &Rules| {
            let mut recorder = Recorder::new(rules.version());
            self.selection.replay(&found, rules, Some(&mut recorder))?;
            let mut run = recorder.finish();
            run.label(&labels);
            Ok::<_, Error>(run)
        };
        let baseline = match self.baseline.to_str() {
            Some("built-in") => run(Rules::built_in())?,
            _ => run(&rules_in(&self.baseline)?)?,
        };
        let candidate = match &self.candidate {
            Some(folder) => run(&rules_in(folder)?)?,
            None => run(in_force())?,
        };
        if let Some(name) = &self.save {
            save(name, &candidate)?;
        }
        Ok((baseline, candidate))
    }
}

fn write_comparison(out: &mut dyn Write, comparison: &Comparison, list: bool) -> io::Result<()> {
    writeln!(out, "baseline   {}", comparison.baseline)?;
    writeln!(out, "candidate  {}", comparison.candidate)?;
    writeln!(out, "\n{} turn ends\n", comparison.turn_ends)?;
    let row = |out: &mut dyn Write, name: &str, counts: &Counts| {
        let Counts { before, after, net_new, lost, new_false, new_hits } = counts;
        writeln!(out, "{before:>8} {after:>8} {net_new:>8} {lost:>8} {new_false:>10} {new_hits:>9}  {name}")
    };
    writeln!(out, "  before    after  net new     lost  new false  new hits  kept out by")?;
    for (rule, counts) in &comparison.rules {
        row(out, rule, counts)?;
    }
    row(out, "total", &comparison.total)?;
    writeln!(out, "\n{} regressions", comparison.regressions)?;
    for change in comparison.changes.iter().filter(|_| list) {
        let now = if change.now_waiting { "now waits" } else { "now surfaces" };
        writeln!(out, "\n{now}, by {} ({:?})  {}:{}", change.by, change.truth, change.file, change.line)?;
        writeln!(out, "    {}", change.message)?;
    }
    Ok(())
}

fn count_file(file: &Path, rules: &Rules, settings: &Effective, matrix: &mut Matrix) -> Result<(), Error> {
    let name = file.display().to_string();
    let reader = io::BufReader::new(std::fs::File::open(file).map_err(Error::io(&name))?);
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
        let context = Context { mode: settings.match_mode, now: None };
        let read = |text: &str| wakeful_prose::read(rules, text, &context);
        matrix.count(&case, &settings.core, read).map_err(wrong)?;
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
