//! No damage to a payload of Codex or of Cursor panics, and none makes a wait of what was a question.

mod support;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::damage::{Damage, asks, could_wait, damages, hook_files, paths, payloads, render, shape};
use wakeful_clients::codex::transcript::RolloutTranslator;
use wakeful_clients::{ClientState, Hook, Malformed, Mode, Unknowns, translate_hook_in};
use wakeful_core::event::Event;
use wakeful_core::ids::Client;
use wakeful_core::time::Boot;

fn fixtures(client: Client) -> Vec<PathBuf> {
    let mut files = Vec::new();
    hook_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(client.name()), &mut files);
    files
}

fn translate(state: &mut ClientState, client: Client, payload: &[u8]) -> Result<Vec<Event>, Malformed> {
    let hook = Hook { client, event_arg: None, payload, started: Some(Boot(4_999_000)) };
    translate_hook_in(state, hook, &support::ctx(support::NOW), &mut Unknowns::default())
}

/// What comes of `payload`, and of what is `then` said of the end of the turn, after `before`.
fn outcome(client: Client, before: &[Value], payload: &str, then: Option<&Value>) -> Vec<Event> {
    let mut state = ClientState::default();
    for payload in before {
        let _ = translate(&mut state, client, payload.to_string().as_bytes());
    }
    let mut events = translate(&mut state, client, payload.as_bytes()).unwrap_or_default();
    if let Some(then) = then {
        events.extend(translate(&mut state, client, then.to_string().as_bytes()).unwrap_or_default());
    }
    events
}

/// Damages `payload` in every way; returns how many there were.
fn damage_all(client: Client, before: &[Value], payload: &Value, then: Option<&Value>) -> usize {
    let whole = outcome(client, before, &payload.to_string(), then);
    let mut all = Vec::new();
    paths(payload, "", &mut all);
    let mut count = 0;
    for path in &all {
        for damage in damages() {
            let text = render(payload, "", path, &damage);
            let after = outcome(client, before, &text, then);
            count += 1;
            if !asks(&whole) {
                continue;
            }
            let field = path.trim_start_matches('/');
            // Another text in the place of the text is no damage that anyone could see, and `null` says that nothing was
            // said. Another session or event is another one's.
            let unseen = matches!(
                (&damage, field),
                (
                    Damage::Retype("\"x\""),
                    "last_assistant_message" | "text" | "session_id" | "hook_event_name"
                ) | (Damage::Retype("null"), "last_assistant_message")
            );
            assert!(unseen || !could_wait(&after), "{client} {path} {damage:?}\n{text}");
        }
    }
    count
}

#[test]
fn damage_to_hook_payloads_of_codex() {
    let mut shapes = HashSet::new();
    let (mut count, mut asking) = (0, 0);
    for file in fixtures(Client::Codex).iter().filter(|file| file.ends_with("hooks.jsonl")) {
        for payload in payloads(file) {
            if shapes.insert(payload["hook_event_name"].to_string() + &shape(&payload)) {
                asking += usize::from(asks(&outcome(Client::Codex, &[], &payload.to_string(), None)));
                count += damage_all(Client::Codex, &[], &payload, None);
            }
        }
    }
    assert!(asking >= 5 && count > 2_000, "{asking} asking payloads, {count} damages");
}

#[test]
fn damage_to_hook_payloads_of_cursor() {
    let rows = payloads(&fixtures(Client::Cursor)[0]);
    let mut count = 0;
    for (at, payload) in rows.iter().enumerate() {
        // With the end of the turn where there is one: the text and the end are two payloads.
        let then = rows[at + 1..].first().filter(|next| next["hook_event_name"] == "stop");
        count += damage_all(Client::Cursor, &rows[..at], payload, then);
    }
    assert!(count > 2_000, "{count} damages");
}

#[test]
fn damage_to_lines_of_rollouts() {
    let ctx = support::ctx(support::NOW);
    let (mut told, mut count) = (0, 0);
    let mut shapes = HashSet::new();
    for file in fixtures(Client::Codex).iter().filter(|file| file.ends_with("rollout.jsonl")) {
        let text = fs::read_to_string(file).unwrap();
        for mode in [Mode::Live, Mode::Replay] {
            let mut translator = RolloutTranslator::new(mode, None);
            for line in text.lines() {
                let value: Value = serde_json::from_str(line).unwrap();
                if shapes.insert(format!("{mode:?}{}", shape(&value))) {
                    let mut all = Vec::new();
                    paths(&value, "", &mut all);
                    for (damage, path) in
                        damages().iter().flat_map(|damage| all.iter().map(move |path| (damage, path)))
                    {
                        told += translator.line(render(&value, "", path, damage).as_bytes(), &ctx).len();
                        count += 1;
                    }
                    told += translator.line(&line.as_bytes()[..line.len() / 2], &ctx).len();
                }
                told += translator.line(line.as_bytes(), &ctx).len();
            }
            told += translator.finish(&ctx).len();
        }
    }
    assert!(told > 0 && count > 2_000, "{count}");
}

/// The last words of a turn in a damaged rollout: a question that can be read nowhere surfaces all the same.
#[test]
fn a_last_word_that_cannot_be_read_counts_as_a_question() {
    let ctx = support::ctx(support::NOW);
    let mut translator = RolloutTranslator::new(Mode::Replay, None);
    let start = r#"{"type":"session_meta","payload":{"id":"s"}}"#;
    let turn = r#"{"type":"event_msg","payload":{"type":"task_started","turn_id":"t"}}"#;
    let end =
        r#"{"type":"event_msg","payload":{"type":"task_complete","turn_id":"t","last_agent_message":7}}"#;
    let told: Vec<Event> = [start, turn, end]
        .iter()
        .flat_map(|line| translator.line(line.as_bytes(), &ctx))
        .map(|told| told.event)
        .collect();
    assert!(asks(&told) && !could_wait(&told), "{told:?}");
}
