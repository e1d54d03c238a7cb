//! Parity (S3b): a session read from its hooks, with what the transcript owns beside them, and the same session read
//! from its transcript alone give the same decisions to make.
//!
//! The fixtures are ours, in the shape of the client's files. `WAKEFUL_CAPTURES` may name a folder with `hooks/` and
//! `transcripts/` of real sessions; then the ignored test compares those.

mod support;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use wakeful_clients::claude_code::transcript::{Mode, TranscriptTranslator};
use wakeful_clients::{Unknowns, translate_hook};
use wakeful_core::event::{Event, EventKind, Opener, TaskReport, TurnHow};
use wakeful_core::ids::{Client, Digest, SessionId, TurnId};
use wakeful_core::time::{Boot, BootId, Now, Wall};

fn at(millis: i64) -> Now {
    Now { wall: Wall(millis), boot: Boot(u64::try_from(millis).unwrap_or(0)), boot_id: BootId(0) }
}

/// Events of each session in a file of hook calls: `{"t": seconds, "payload": {…}}` a line.
fn from_hooks(text: &str, seen: &mut Unknowns) -> BTreeMap<String, Vec<(i64, Event)>> {
    let mut sessions = BTreeMap::<String, Vec<(i64, Event)>>::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).expect("a row");
        let millis = (row["t"].as_f64().expect("a time") * 1000.0) as i64;
        let payload = row["payload"].to_string();
        let ctx = support::ctx(at(millis));
        let events =
            translate_hook(Client::ClaudeCode, None, payload.as_bytes(), Some(at(millis).boot), &ctx, seen);
        for event in events.expect("a good payload") {
            sessions.entry(event.session.id.0.clone()).or_default().push((millis, event));
        }
    }
    sessions
}

/// Events of a transcript in `mode`, copied turns left out.
fn from_transcript(text: &str, mode: Mode, session: &str, seen: &mut Unknowns) -> Vec<(i64, Event)> {
    let mut translator = TranscriptTranslator::new(mode, Some(SessionId::new(session)));
    let mut events = Vec::new();
    for line in text.lines() {
        let stamp = serde_json::from_str::<Value>(line)
            .ok()
            .and_then(|line| line["timestamp"].as_str().map(str::to_owned));
        let now = stamp
            .and_then(|stamp| stamp.parse::<jiff::Timestamp>().ok())
            .map_or(0, |stamp| stamp.as_millisecond());
        events.extend(translator.line(line.as_bytes(), &support::ctx(at(now))));
    }
    events.extend(translator.finish(&support::ctx(at(0))));
    seen.merge(translator.unknowns());
    events.into_iter().filter(|told| !told.history).map(|told| (told.at.wall.0, told.event)).collect()
}

fn reports(reports: &[TaskReport]) -> String {
    reports.iter().fold(String::new(), |mut out, report| {
        let _ = write!(out, " {}={:?}", report.task, report.outcome);
        out
    })
}

/// What of the events leads to decisions, a line each.
fn digest(events: &[(i64, Event)]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut armed = HashSet::<Digest>::new();
    let mut turn: Option<TurnId> = None;
    for (_, event) in events.iter().filter(|(_, event)| event.agent.is_none()) {
        match &event.kind {
            EventKind::PromptSubmitted { opener, digest, reports: told, .. } => {
                // W9a: a prompt that is the stored one of an armed wake is that wake.
                let opener = if armed.remove(digest) { Opener::Wake } else { *opener };
                let opens = if event.turn.is_some() && event.turn == turn { "folds" } else { "opens" };
                turn.clone_from(&event.turn);
                lines.push(format!("{opens} {opener:?}{}", reports(told)));
            }
            EventKind::TaskFinished(report) => {
                lines.push(format!("report{}", reports(std::slice::from_ref(report))));
            }
            EventKind::WakeScheduled(wake) => {
                armed.insert(wake.prompt);
                lines.push(format!("schedules {:?} {:?} {:?}", wake.prompt, wake.due, wake.by));
            }
            EventKind::WakeCancelled { .. } => lines.push("cancels".to_owned()),
            EventKind::TaskStarted { task, .. } => {
                lines.push(format!("starts {} {:?} {:?}", task.id, task.kind, task.limit));
            }
            EventKind::AskOpened { ask, id: Some(id), .. }
                if *ask != wakeful_core::event::AskKind::Permission =>
            {
                lines.push(format!("asks {ask:?} {id}"));
            }
            EventKind::TurnEnded(end) => {
                let tasks: Vec<_> =
                    end.roster.tasks.iter().flatten().map(|task| (task.id.as_str(), task.kind)).collect();
                let wakes: Vec<_> = end
                    .roster
                    .wakes
                    .iter()
                    .flatten()
                    .map(|wake| (wake.prompt, wake.due, wake.recurring))
                    .collect();
                // No list comes with an interruption or a failure; the transcript's lists are as before then.
                let lists = if end.how == TurnHow::Finished {
                    format!(" {tasks:?} {wakes:?}")
                } else {
                    String::new()
                };
                lines.push(format!(
                    "ends {:?} hook={} {:?}{lists}",
                    end.how, end.after_stop_hook, end.reading
                ));
            }
            _ => {}
        }
    }
    lines
}

/// Both ways of reading one session.
fn both(
    hooks: &[(i64, Event)],
    transcript: &str,
    session: &str,
    seen: &mut Unknowns,
) -> (Vec<String>, Vec<String>) {
    let mut live = hooks.to_vec();
    live.extend(from_transcript(transcript, Mode::Live, session, seen));
    live.sort_by_key(|(millis, _)| *millis);
    (digest(&live), digest(&from_transcript(transcript, Mode::Replay, session, seen)))
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude-code")
}

#[test]
fn fixtures_give_the_same_from_both_sources() {
    let mut scenarios: Vec<_> =
        fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()).collect();
    scenarios.sort();
    assert!(scenarios.len() >= 20, "fixtures are missing");
    for scenario in scenarios {
        let mut seen = Unknowns::default();
        let name = scenario.file_name().unwrap().to_string_lossy().into_owned();
        let hooks = from_hooks(&fs::read_to_string(scenario.join("hooks.jsonl")).unwrap(), &mut seen);
        let transcript = fs::read_to_string(scenario.join("transcript.jsonl")).unwrap();
        let session = hooks.keys().next_back().unwrap().clone();
        let (live, replay) = both(&hooks[&session], &transcript, &session, &mut seen);
        assert!(!live.is_empty(), "{name}: nothing happened");
        assert_eq!(live, replay, "{name}");
        assert_eq!(seen.iter().collect::<Vec<_>>(), [], "{name}: unknown");
    }
}

#[test]
#[ignore = "needs WAKEFUL_CAPTURES"]
fn captures_give_the_same_from_both_sources() {
    let root = PathBuf::from(std::env::var_os("WAKEFUL_CAPTURES").expect("WAKEFUL_CAPTURES names a folder"));
    let mut seen = Unknowns::default();
    let mut differ = Vec::new();
    let mut compared = 0;
    let mut files: Vec<_> =
        fs::read_dir(root.join("transcripts")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let (scenario, rest) = name.split_once('.').unwrap();
        let session = rest.trim_end_matches(".jsonl");
        if session.starts_with("subagent") {
            continue;
        }
        let hooks = from_hooks(
            &fs::read_to_string(root.join("hooks").join(format!("{scenario}.jsonl"))).unwrap(),
            &mut seen,
        );
        let Some(hooks) = hooks.get(session) else { panic!("{name}: no hooks of it") };
        let (live, replay) = both(hooks, &fs::read_to_string(&file).unwrap(), session, &mut seen);
        compared += 1;
        if live != replay {
            differ.push(format!(
                "{name}\n  live:\n    {}\n  replay:\n    {}",
                live.join("\n    "),
                replay.join("\n    ")
            ));
        }
    }
    let unknown: Vec<_> = seen.iter().collect();
    assert!(
        differ.is_empty(),
        "{} of {compared} differ; unknown {unknown:?}\n{}",
        differ.len(),
        differ.join("\n")
    );
    assert_eq!(unknown, []);
}
