//! Whatever a client may do to one field of a payload: the hook never crashes over it, and never refuses what it would have let
//! through.

use serde_json::{Value, json};
use wakeful_clients::answer::guard_answer;
use wakeful_clients::hook_call::HookCall;
use wakeful_core::ids::Client;
use wakeful_shell::{GuardPolicy, guard};

fn samples(command: &str) -> Vec<(Client, Value)> {
    let shell = json!({"session_id": "5e1f", "transcript_path": "/home/eve/t.jsonl", "cwd": "/home/eve/shop", "prompt_id": "p1",
        "permission_mode": "default", "effort": {"level": "high"}, "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command, "description": "look at it", "timeout": 90_000}, "tool_use_id": "toolu_1"});
    let mut argv = shell.clone();
    argv["tool_name"] = json!("shell");
    argv["tool_input"] = json!({"command": ["bash", "-lc", command], "workdir": "/home/eve"});
    let mut serialised = shell.clone();
    serialised["tool_input"] = json!(json!({"cmd": command}).to_string());
    let cursor = json!({"conversation_id": "c1", "generation_id": "g1", "hook_event_name": "beforeShellExecution",
        "cursor_version": "1.0.0", "workspace_roots": ["/home/eve/shop"], "command": command, "cwd": "/home/eve/shop", "sandbox": false});
    let mut tool = cursor.clone();
    tool["hook_event_name"] = json!("preToolUse");
    tool["tool_name"] = json!("Shell");
    tool["tool_input"] = json!({"command": command, "cwd": ""});
    vec![
        (Client::ClaudeCode, shell.clone()),
        (Client::Codex, shell),
        (Client::Codex, argv),
        (Client::Codex, serialised),
        (Client::Cursor, cursor.clone()),
        (Client::ClaudeCode, cursor),
        (Client::Cursor, tool),
    ]
}

/// Every version of `value` with one field, at any depth, deleted or of another type.
fn damaged(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let mut without = fields.clone();
                without.remove(name);
                all.push(Value::Object(without));
                for other in others().into_iter().chain(damaged(field)) {
                    let mut changed = fields.clone();
                    changed.insert(name.clone(), other);
                    all.push(Value::Object(changed));
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let mut without = items.clone();
                without.remove(at);
                all.push(Value::Array(without));
                for other in others().into_iter().chain(damaged(item)) {
                    let mut changed = items.clone();
                    changed[at] = other;
                    all.push(Value::Array(changed));
                }
            }
        }
        _ => {}
    }
    all
}

fn others() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(7),
        json!(-1.5e300),
        json!(""),
        json!("x"),
        json!([]),
        json!({}),
        json!([[]]),
        json!({"a": []}),
    ]
}

fn refused(client: Client, payload: &str) -> bool {
    let call = HookCall::read(client, Some("PreToolUse"), payload.as_bytes());
    let Some(command) = &call.command else { return false };
    let verdict = guard(command, &GuardPolicy::default());
    let said = guard_answer(client, &call.event, &verdict);
    assert!(said.is_none_or(|said| serde_json::from_str::<Value>(&said).is_ok_and(|said| said.is_object())));
    verdict.denied().is_some()
}

#[test]
fn the_samples_are_what_they_should_be() {
    for (client, sample) in samples("until ./up; do sleep 2; done") {
        assert!(refused(client, &sample.to_string()), "{client} {sample}");
    }
}

#[test]
fn no_damage_makes_a_refusal_of_a_pass() {
    let mut seen = 0;
    for (client, sample) in samples("cargo build && cargo test") {
        for payload in damaged(&sample) {
            assert!(!refused(client, &payload.to_string()), "{client} {payload}");
            seen += 1;
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn no_damage_makes_a_crash_of_a_refusal() {
    for (client, sample) in samples("until ./up; do sleep 2; done") {
        for payload in damaged(&sample) {
            refused(client, &payload.to_string());
        }
        let text = sample.to_string();
        for end in 0..text.len() {
            refused(client, &text[..end]);
        }
    }
}
