//! Parity (S3b): a session of Codex read from its hooks, with what the rollout owns beside them, and the same session
//! read from its rollout alone give the same decisions to make.
//!
//! The fixtures are ours, in the shape of the client's files. `WAKEFUL_CODEX_CAPTURES` may name a folder of folders with
//! `hooks.jsonl` and `rollout….jsonl` of real sessions; then the ignored test compares those.

mod support;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use wakeful_clients::codex::transcript::RolloutTranslator;
use wakeful_clients::{Mode, Unknowns, translate_hook};
use wakeful_core::event::{AskKind, Event, EventKind};
use wakeful_core::ids::{Client, SessionId, TurnId};
use wakeful_core::time::{Boot, BootId, Now, Wall};

fn at(millis: i64) -> Now {
    Now { wall: Wall(millis), boot: Boot(u64::try_from(millis).unwrap_or(0)), boot_id: BootId(0) }
}

/// Events in a file of hook calls: `{"t": seconds, "payload": {…}}` a line; captures call the payload `stdin`.
fn from_hooks(text: &str, session: Option<&str>, seen: &mut Unknowns) -> Vec<(i64, Event)> {
    let mut events = Vec::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).expect("a row");
        let millis = (row["t"].as_f64().expect("a time") * 1000.0) as i64;
        let payload = row.get("payload").or(row.get("stdin")).expect("a payload").to_string();
        let (ctx, started) = (support::ctx(at(millis)), Some(at(millis).boot));
        let told = translate_hook(Client::Codex, None, payload.as_bytes(), started, &ctx, seen);
        events.extend(told.expect("a good payload").into_iter().map(|event| (millis, event)));
    }
    events.retain(|(_, event)| session.is_none_or(|session| event.session.id.as_str() == session));
    events
}

fn from_rollout(text: &str, mode: Mode, session: &str, seen: &mut Unknowns) -> Vec<(i64, Event)> {
    let mut translator = RolloutTranslator::new(mode, Some(SessionId::new(session)));
    let mut events = Vec::new();
    for line in text.lines() {
        // Live, a line is seen when it is written; that is as good as its own time here.
        let stamp =
            serde_json::from_str::<Value>(line).expect("a line")["timestamp"].as_str().map(str::to_owned);
        let now = at(stamp.expect("a time").parse::<jiff::Timestamp>().expect("a time").as_millisecond());
        events.extend(translator.line(line.as_bytes(), &support::ctx(now)));
    }
    events.extend(translator.finish(&support::ctx(support::NOW)));
    seen.merge(translator.unknowns());
    events.into_iter().filter(|told| !told.history).map(|told| (told.at.wall.0, told.event)).collect()
}

/// What of the events leads to decisions, a line each. Only hooks tell of permissions, and only rollouts of calls that the
/// client refused.
fn digest(events: &[(i64, Event)], turns: &HashSet<TurnId>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut turn: Option<TurnId> = None;
    let own =
        |event: &Event| event.agent.is_none() && event.turn.as_ref().is_none_or(|turn| turns.contains(turn));
    for (_, event) in events.iter().filter(|(_, event)| own(event)) {
        match &event.kind {
            EventKind::PromptSubmitted { opener, digest, .. } => {
                let opens = if event.turn.is_some() && event.turn == turn { "folds" } else { "opens" };
                turn.clone_from(&event.turn);
                lines.push(format!("{opens} {opener:?} {digest:?}"));
            }
            EventKind::AskOpened { ask, id, snippet, outlives_turn } if *ask != AskKind::Permission => {
                lines.push(format!("asks {id:?} {snippet} {outlives_turn}"));
            }
            EventKind::ToolFinished { ask, ok: true, .. }
                if lines.iter().any(|line| line.contains(ask.as_str())) =>
            {
                lines.push(format!("answers {ask}"));
            }
            EventKind::TurnEnded(end) => {
                assert_eq!((&end.roster.tasks, &end.roster.wakes), (&None, &None));
                lines.push(format!(
                    "ends {:?} {:?} hook={} {:?} {:?}",
                    event.turn, end.how, end.after_stop_hook, end.reading, end.digest
                ));
            }
            EventKind::TaskStarted { .. } | EventKind::TaskFinished(_) => panic!("{event:?}"),
            _ => {}
        }
    }
    lines
}

/// Both ways of reading one session, as far as the hooks saw it.
fn both(hooks: &str, rollout: &str, session: &str, seen: &mut Unknowns) -> (Vec<String>, Vec<String>) {
    let mut live = from_hooks(hooks, Some(session), seen);
    let turns: HashSet<TurnId> = live.iter().filter_map(|(_, event)| event.turn.clone()).collect();
    live.extend(from_rollout(rollout, Mode::Live, session, seen));
    live.sort_by_key(|(millis, _)| *millis);
    (digest(&live, &turns), digest(&from_rollout(rollout, Mode::Replay, session, seen), &turns))
}

fn session_of(rollout: &str) -> String {
    let first: Value = serde_json::from_str(rollout.lines().next().expect("a line")).expect("a line");
    first["payload"]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn fixtures_give_the_same_from_both_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/codex");
    let mut scenarios: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    scenarios.sort();
    assert!(scenarios.len() >= 12, "fixtures are missing");
    for scenario in scenarios {
        let mut seen = Unknowns::default();
        let name = scenario.file_name().unwrap().to_string_lossy().into_owned();
        let hooks = fs::read_to_string(scenario.join("hooks.jsonl")).unwrap();
        let rollout = fs::read_to_string(scenario.join("rollout.jsonl")).unwrap();
        let (live, replay) = both(&hooks, &rollout, &session_of(&rollout), &mut seen);
        assert!(live.len() > 1, "{name}: nothing happened");
        assert_eq!(live, replay, "{name}");
        assert_eq!(seen.iter().collect::<Vec<_>>(), [], "{name}: unknown");
    }
}

#[test]
#[ignore = "needs WAKEFUL_CODEX_CAPTURES"]
fn captures_give_the_same_from_both_sources() {
    let root = std::env::var_os("WAKEFUL_CODEX_CAPTURES").expect("WAKEFUL_CODEX_CAPTURES names a folder");
    let (mut seen, mut differ, mut compared) = (Unknowns::default(), Vec::new(), 0);
    for scenario in fs::read_dir(PathBuf::from(root)).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(hooks) = fs::read_to_string(scenario.join("hooks.jsonl")) else { continue };
        let files = fs::read_dir(&scenario).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.file_name().unwrap().to_string_lossy().starts_with("rollout")) {
            let rollout = fs::read_to_string(&file).unwrap();
            let session = session_of(&rollout);
            if from_hooks(&hooks, Some(&session), &mut seen).is_empty() {
                continue;
            }
            let (live, replay) = both(&hooks, &rollout, &session, &mut seen);
            compared += 1;
            if live != replay {
                differ.push(format!("{}\n {live:#?}\n {replay:#?}", file.display()));
            }
        }
    }
    let unknown: Vec<_> = seen.iter().collect();
    assert!(
        differ.is_empty(),
        "{} of {compared} differ; unknown {unknown:?}\n{}",
        differ.len(),
        differ.join("\n")
    );
    assert!(compared > 0);
    assert_eq!(unknown, []);
}
