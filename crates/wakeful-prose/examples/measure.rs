//! Measures readings over files of turn ends (F7): one JSON object a line with `text`, `lists`, `live` and, where it
//! was judged, `verdict`. Applies the part of the ladder (spec 10) that such a line allows.
//!
//! `measure FILE…` prints the counts and every miss. `measure --list FILE…` prints every suppression instead, one JSON
//! object a line. `measure --explain ID FILE…` explains one.
//! `--counts` prints in how many of them each rule matches. `--rules DIR` puts rules of a folder on top, `--full` reads in full mode.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde_json::Value;
use wakeful_core::reading::Reading;
use wakeful_prose::{Context, Rules, explain, read};

struct TurnEnd {
    line: Value,
    text: String,
    client: String,
    live: Vec<String>,
}

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let explained = take(&mut args, "--explain", true);
    let counts = take(&mut args, "--counts", false).is_some();
    let list = take(&mut args, "--list", false).is_some();
    let context = Context {
        mode: if take(&mut args, "--full", false).is_some() {
            wakeful_core::settings::MatchMode::Full
        } else {
            Default::default()
        },
        now: Some(9 * 60),
    };
    let rules = match take(&mut args, "--rules", true) {
        Some(dir) => from_dir(&dir),
        None => None,
    };
    let rules = rules.as_ref().unwrap_or_else(|| Rules::built_in());
    let mut ends = Vec::new();
    for path in &args {
        match std::fs::read_to_string(path) {
            Ok(text) => ends.extend(text.lines().filter(|l| !l.trim().is_empty()).map(turn_end)),
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    if let Some(id) = explained {
        for end in ends.iter().filter(|e| e.text_field("id").starts_with(&id)) {
            println!("{}", explain(rules, &end.text, &context).render(false, 110));
        }
    } else if counts {
        fired(rules, &ends, &context);
    } else if list {
        suppressions(rules, &ends, &context);
    } else {
        judged(rules, &ends, &context);
    }
    ExitCode::SUCCESS
}

/// The rules of a folder on top of the built-in ones.
fn from_dir(dir: &str) -> Option<Rules> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).ok()?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        files.push((name, std::fs::read_to_string(entry.path()).ok()?));
    }
    files.sort_by_key(|(name, _)| (name != "lexicon.toml", name.clone()));
    let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    match Rules::parse(&files) {
        Ok(rules) => Some(rules),
        Err(errors) => {
            eprintln!("{errors}");
            None
        }
    }
}

fn take(args: &mut Vec<String>, name: &str, value: bool) -> Option<String> {
    let at = args.iter().position(|arg| arg == name)?;
    args.remove(at);
    Some(if value && at < args.len() { args.remove(at) } else { String::new() })
}

fn turn_end(line: &str) -> TurnEnd {
    let line: Value = serde_json::from_str(line).unwrap_or(Value::Null);
    let strings = |key: &str| -> Vec<String> {
        line[key].as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
    };
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    TurnEnd { text: text("text"), client: text("client"), live: strings("live"), line }
}

impl TurnEnd {
    fn text_field(&self, key: &str) -> String {
        self.line[key].as_str().unwrap_or_default().to_owned()
    }
}

/// The verdict of the ladder's gates that a line of a corpus allows, and the gate with its rule.
fn decide(end: &TurnEnd, reading: &Reading) -> (&'static str, String) {
    let has = |kinds: &[&str]| end.live.iter().any(|live| kinds.contains(&live.as_str()));
    if let Some(question) = &reading.asks_user {
        return ("question", format!("question {}", question.rule));
    }
    if end.line["scheduled_wake"].as_bool() == Some(true) {
        return ("wait", "scheduled-wake".to_owned());
    }
    if has(&["subagent", "workflow", "monitor", "other"]) {
        return ("wait", "live-work".to_owned());
    }
    if has(&["command"]) {
        if let Some(wait) = &reading.waits_somewhere {
            return ("wait", format!("live-work command {}", wait.rule));
        }
        if reading.closes.is_none() {
            return ("wait", "live-work command, message does not close".to_owned());
        }
    }
    let closes = || reading.closes.as_ref().map_or("nothing".to_owned(), |rule| format!("closes {rule}"));
    let Some(wait) = &reading.wait else { return ("done", closes()) };
    let wakes_itself = !matches!(end.client.as_str(), "codex" | "gemini" | "cursor" | "copilot" | "opencode");
    let backed = if !wakes_itself {
        false
    } else if end.line["lists"].as_bool() == Some(true) {
        wait.names_external && wait.names_mechanism.is_none()
    } else {
        true
    };
    if backed {
        ("wait", format!("prose-wait {}", wait.rule))
    } else {
        ("unbacked", format!("unbacked {}", wait.rule))
    }
}

fn judged(rules: &Rules, ends: &[TurnEnd], context: &Context) {
    let mut table: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for end in ends {
        let reading = read(rules, &end.text, context);
        let (got, why) = decide(end, &reading);
        let wanted = end.text_field("verdict");
        *table.entry((wanted.clone(), got)).or_default() += 1;
        let wrong = match wanted.as_str() {
            "wait" => got != "wait",
            "question" | "unbacked" => got == "wait",
            "done" => got == "wait",
            _ => false,
        };
        let soft = wanted == "question" && got != "question";
        if wrong || soft {
            let tail: String =
                end.text.chars().rev().take(160).collect::<Vec<_>>().into_iter().rev().collect();
            let mark = if wrong { "WRONG" } else { "soft " };
            println!(
                "{mark} {} wanted {wanted} got {got} ({why}) live {:?}: {}",
                end.text_field("id"),
                end.live,
                tail.replace('\n', " / ")
            );
        }
    }
    for ((wanted, got), count) in &table {
        println!("{wanted:>10} -> {got:<10} {count}");
    }
}

/// In how many turn ends each rule matches.
fn fired(rules: &Rules, ends: &[TurnEnd], context: &Context) {
    let mut counts: BTreeMap<String, usize> = rules.list().map(|rule| (rule.id.to_string(), 0)).collect();
    for end in ends {
        let explanation = explain(rules, &end.text, context);
        let mut ids: Vec<String> =
            explanation.hits.iter().chain(&explanation.exemptions).map(|hit| hit.rule.to_string()).collect();
        ids.sort();
        ids.dedup();
        ids.into_iter().for_each(|id| *counts.entry(id).or_default() += 1);
    }
    for (id, count) in counts {
        println!("{count:>6} {id}");
    }
}

fn suppressions(rules: &Rules, ends: &[TurnEnd], context: &Context) {
    for end in ends {
        let reading = read(rules, &end.text, context);
        let (got, why) = decide(end, &reading);
        let row = serde_json::json!({
            "id": end.line["id"], "got": got, "why": why, "next": end.line["next"], "delay_s": end.line["delay_s"],
            "client": end.client, "live": end.live, "text": end.text, "reading": reading,
        });
        println!("{row}");
    }
}
