//! Judges commands from a JSON-lines file (`{"command": …, "expect"?: "deny"|"pass", "rule"?: …}`) and prints what was refused,
//! what differs from `expect`, and which commands never end. Usage: `judge FILE [guard|strict|ends]`.
#![allow(clippy::print_stdout)]

use serde_json::Value;
use wakeful_shell::{EndlessRule, GuardPolicy, GuardVerdict, PolicyLevel, guard, never_ends};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: judge FILE [guard|strict|ends]")?;
    let mode = args.next().unwrap_or_default();
    let level = if mode == "strict" { PolicyLevel::Strict } else { PolicyLevel::Standard };
    let policy = GuardPolicy::of(level);
    let (mut denied, mut undecided, mut wrong, mut total) = (0, 0, 0, 0);
    for line in std::fs::read_to_string(file)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let command = row["command"].as_str().ok_or("no command")?;
        total += 1;
        if mode == "ends" {
            let rule = never_ends(command).map_or("-", EndlessRule::as_str);
            println!("{rule:13} {} {command:?}", row["background"]);
            continue;
        }
        let verdict = guard(command, &policy);
        let rule = match &verdict {
            GuardVerdict::Deny(refusal) => {
                denied += 1;
                println!("DENY {} | {} | {:?}", refusal.rule, refusal.words, command);
                Some(refusal.rule.as_str())
            }
            GuardVerdict::Pass { undecided: true } => {
                undecided += 1;
                println!("UNDECIDED {command:?}");
                None
            }
            _ => None,
        };
        if let Some(expect) = row["expect"].as_str() {
            let right = match expect {
                "deny" => rule.is_some() && row["rule"].as_str().is_none_or(|want| rule == Some(want)),
                _ => rule.is_none(),
            };
            if !right {
                wrong += 1;
                println!("WRONG want {expect}: {command:?}");
            }
        }
    }
    println!("{total} commands, {denied} denied, {undecided} undecided, {wrong} wrong");
    Ok(())
}
