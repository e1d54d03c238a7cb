//! `wakeful guard`: the verdict on a command, and why (spec 50 G8).

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wakeful_core::ids::Client;
use wakeful_engine::guard_settings::policy_in_force;
use wakeful_engine::paths;
use wakeful_shell::{Advisee, GuardPolicy, GuardVerdict, PolicyLevel, Refusal, RuleId, guard, refusal_text};

use crate::error::{Answer, Error};
use crate::output::{colours, print};
use crate::underline;

/// Say whether the guard lets a shell command run
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The command; without it, it is read from standard input
    command: Option<String>,
    /// Judge by this policy: standard, strict, warn or off [default: that of the settings; with --check standard]
    #[arg(long, value_parser = policy)]
    policy: Option<PolicyLevel>,
    /// The client whose tools the advice names
    #[arg(long, value_parser = super::client)]
    client: Option<Client>,
    /// Judge the commands of a file of JSON lines {"command", "expect": "deny" or "pass", "rule"?} and print the differences
    #[arg(long, value_name = "FILE", conflicts_with_all = ["command", "client"])]
    check: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn policy(name: &str) -> Result<PolicyLevel, String> {
    match name {
        "standard" => Ok(PolicyLevel::Standard),
        "strict" => Ok(PolicyLevel::Strict),
        "warn" => Ok(PolicyLevel::Warn),
        "off" => Ok(PolicyLevel::Off),
        _ => Err("there are standard, strict, warn and off".to_owned()),
    }
}

impl Args {
    /// Judges one command, or the commands of a file.
    pub fn run(self) -> Result<Answer, Error> {
        if let Some(file) = &self.check {
            let level = self.policy.unwrap_or_default();
            return check(file, &GuardPolicy::of(level), self.json);
        }
        let command = self.command()?;
        let policy = match self.policy {
            Some(level) => GuardPolicy::of(level),
            None => of_settings()?,
        };
        let verdict = guard(&command, &policy);
        let advisee = self.client.map_or(Advisee::Other, |client| Advisee::from_client(client.name()));
        print(|out| {
            if self.json {
                serde_json::to_writer_pretty(&mut *out, &Judged::of(&verdict, advisee))?;
                return writeln!(out);
            }
            write_verdict(out, &command, &verdict, advisee)
        })?;
        Ok(if verdict.denied().is_some() { Answer::No } else { Answer::Yes })
    }

    fn command(&self) -> Result<String, Error> {
        if let Some(command) = &self.command {
            return Ok(command.clone());
        }
        if io::stdin().is_terminal() {
            return Err(Error::Usage {
                what: "no command".to_owned(),
                hint: Some("give it as one argument, in quotes, or on standard input".to_owned()),
            });
        }
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(Error::io("standard input"))?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned())
    }
}

/// The policy that the hook would use.
fn of_settings() -> Result<GuardPolicy, Error> {
    let env = |name: &str| std::env::var_os(name);
    policy_in_force(&env).map_err(|error| Error::Environment {
        what: paths::settings_file(&env)
            .map_or_else(|| "the settings".to_owned(), |file| file.display().to_string()),
        source: io::Error::other(error),
        hint: Some(
            "until this is put right, hooks let every command run; --policy judges without it".to_owned(),
        ),
    })
}

/// What `--json` prints, version 1 (docs/json.md).
#[derive(Serialize)]
struct Judged<'a> {
    version: u32,
    verdict: &'static str,
    undecided: bool,
    rule: Option<RuleId>,
    words: Option<&'a str>,
    span: Option<&'a Range<usize>>,
    marks: &'a [Range<usize>],
    self_matching_pgrep: bool,
    allowed_by: Option<&'a str>,
    message: Option<String>,
}

impl<'a> Judged<'a> {
    fn of(verdict: &'a GuardVerdict, advisee: Advisee) -> Self {
        let (name, refusal, allowed_by) = parts(verdict);
        Self {
            version: 1,
            verdict: name,
            undecided: matches!(verdict, GuardVerdict::Pass { undecided: true }),
            rule: refusal.map(|refusal| refusal.rule),
            words: refusal.map(|refusal| refusal.words.as_str()),
            span: refusal.map(|refusal| &refusal.span),
            marks: refusal.map_or(&[], |refusal| &refusal.marks),
            self_matching_pgrep: refusal.is_some_and(|refusal| refusal.self_matching_pgrep),
            allowed_by,
            message: refusal.map(|refusal| refusal_text(refusal, advisee)),
        }
    }
}

fn parts(verdict: &GuardVerdict) -> (&'static str, Option<&Refusal>, Option<&str>) {
    match verdict {
        GuardVerdict::Pass { .. } => ("pass", None, None),
        GuardVerdict::Allowed { refusal, pattern } => ("allowed", Some(refusal), Some(pattern)),
        GuardVerdict::Warn(refusal) => ("warn", Some(refusal), None),
        GuardVerdict::Deny(refusal) => ("deny", Some(refusal), None),
    }
}

fn write_verdict(
    out: &mut dyn Write,
    command: &str,
    verdict: &GuardVerdict,
    advisee: Advisee,
) -> io::Result<()> {
    let (name, refusal, allowed_by) = parts(verdict);
    let Some(refusal) = refusal else {
        let undecided = matches!(verdict, GuardVerdict::Pass { undecided: true });
        return writeln!(
            out,
            "{name}{}",
            if undecided { " (the command could not be read to its end)" } else { "" }
        );
    };
    write!(out, "{name} by {}", refusal.rule)?;
    match allowed_by {
        Some(pattern) => writeln!(out, ", but allowed by your pattern `{pattern}`")?,
        None => writeln!(out)?,
    }
    underline::write(out, command, &refusal.marks, colours())?;
    if allowed_by.is_none() {
        writeln!(out, "\n{}", refusal_text(refusal, advisee))?;
    }
    Ok(())
}

/// One line of a corpus.
#[derive(Deserialize)]
struct Case {
    command: String,
    expect: Expect,
    #[serde(default)]
    rule: Option<String>,
}

#[derive(Deserialize, Serialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Expect {
    Deny,
    Pass,
}

/// A case that came out otherwise.
#[derive(Serialize)]
struct Difference {
    line: usize,
    command: String,
    expected: String,
    got: String,
}

/// What `--check --json` prints, version 1 (docs/json.md).
#[derive(Serialize)]
struct Checked {
    version: u32,
    passed: usize,
    failed: usize,
    differences: Vec<Difference>,
}

fn check(path: &Path, policy: &GuardPolicy, json: bool) -> Result<Answer, Error> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(Error::io(&name))?;
    let mut checked = Checked { version: 1, passed: 0, failed: 0, differences: Vec::new() };
    for (at, line) in io::BufReader::new(file).lines().enumerate() {
        let line = line.map_err(Error::io(&name))?;
        if line.trim().is_empty() {
            continue;
        }
        let case: Case = serde_json::from_str(&line).map_err(|error| Error::Usage {
            what: format!("{name}, line {}: {error}", at + 1),
            hint: Some(r#"a line is {"command": "…", "expect": "deny" or "pass", "rule"?: "…"}"#.to_owned()),
        })?;
        match differs(&case, policy) {
            None => checked.passed += 1,
            Some((expected, got)) => {
                checked.failed += 1;
                checked.differences.push(Difference { line: at + 1, command: case.command, expected, got });
            }
        }
    }
    print(|out| {
        if json {
            serde_json::to_writer_pretty(&mut *out, &checked)?;
            return writeln!(out);
        }
        for Difference { line, command, expected, got } in &checked.differences {
            writeln!(out, "line {line}: expected {expected}, got {got}")?;
            for text in command.lines() {
                writeln!(out, "    {text}")?;
            }
        }
        writeln!(out, "{} passed, {} failed", checked.passed, checked.failed)
    })?;
    Ok(if checked.failed == 0 { Answer::Yes } else { Answer::No })
}

/// What was expected and what came, if that is not the same.
fn differs(case: &Case, policy: &GuardPolicy) -> Option<(String, String)> {
    let verdict = guard(&case.command, policy);
    let (name, refusal, _) = parts(&verdict);
    let denied = verdict.denied().map(|refusal| refusal.rule.as_str());
    let same = match (case.expect, denied) {
        (Expect::Pass, denied) => denied.is_none(),
        (Expect::Deny, denied) => {
            denied.is_some_and(|rule| case.rule.as_deref().is_none_or(|wanted| wanted == rule))
        }
    };
    let by =
        |name: &str, rule: Option<&str>| rule.map_or(name.to_owned(), |rule| format!("{name} by {rule}"));
    let expected = match case.expect {
        Expect::Pass => "pass".to_owned(),
        Expect::Deny => by("deny", case.rule.as_deref()),
    };
    (!same).then(|| (expected, by(name, refusal.map(|refusal| refusal.rule.as_str()))))
}
