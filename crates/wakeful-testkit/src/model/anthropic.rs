//! The Messages API, as Claude Code uses it.

use std::io;

use serde_json::{Value, json};

use super::http::{Request, Response};
use super::script::{Block, Role, Turn};
use super::server::{Asked, Dialect, Model};

/// A model for Claude Code.
///
/// # Errors
/// When there is no port for it.
pub fn model(script: impl IntoIterator<Item = Turn>) -> io::Result<Model> {
    Model::start(Box::new(Messages), script.into_iter().collect())
}

/// Where the system prompt of every subagent begins.
const SUBAGENT: &str = "You are an agent for Claude Code";

struct Messages;

impl Dialect for Messages {
    fn read(&self, request: &Request) -> Result<Asked, Response> {
        if request.method != "POST" {
            return Err(Response::json(200, &json!({"data": [], "has_more": false})));
        }
        if request.path.ends_with("/count_tokens") {
            return Err(Response::json(200, &json!({"input_tokens": 1})));
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        if !request.path.ends_with("/v1/messages") {
            return Err(Response::json(200, &json!({})));
        }
        let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let last = messages.iter().rposition(|message| message["role"] == "assistant");
        let new: Vec<_> =
            messages[last.map_or(0, |last| last + 1)..].iter().map(|m| text(&m["content"])).collect();
        Ok(Asked { role: role(&body), new: new.join("\n"), body, scripted: false })
    }

    fn answer(&self, asked: &Asked, blocks: &[Block], number: usize) -> Response {
        let content: Vec<Value> =
            blocks.iter().enumerate().map(|(index, block)| content(block, number, index)).collect();
        let calls = content.iter().any(|block| block["type"] == "tool_use");
        let stop = if calls { "tool_use" } else { "end_turn" };
        let message = json!({
            "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": asked.body["model"],
            "content": content, "stop_reason": stop, "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        });
        if asked.body["stream"] != true {
            return Response::json(200, &message);
        }
        Response::events(&events(message, stop))
    }
}

fn role(body: &Value) -> Role {
    match body["tools"].as_array() {
        None => Role::Aux,
        Some(tools) if tools.is_empty() => Role::Aux,
        Some(_) if text(&body["system"]).contains(SUBAGENT) => Role::Sub,
        Some(_) => Role::Main,
    }
}

/// The text of a message: its text blocks and the results of its tools.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(text).collect::<Vec<_>>().join("\n"),
        Value::Object(block) => {
            text(block.get("text").or_else(|| block.get("content")).unwrap_or(&Value::Null))
        }
        _ => String::new(),
    }
}

fn content(block: &Block, number: usize, index: usize) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Call { tool, input } => {
            json!({"type": "tool_use", "id": format!("toolu_{number}_{index}"), "name": tool, "input": input})
        }
    }
}

/// The message as a stream of events: each block begins empty and gets its content in one piece.
fn events(mut message: Value, stop: &str) -> Vec<Value> {
    let blocks = message["content"].take();
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": message})];
    for (index, block) in blocks.as_array().into_iter().flatten().enumerate() {
        let mut empty = block.clone();
        let delta = if block["type"] == "text" {
            empty["text"] = json!("");
            json!({"type": "text_delta", "text": block["text"]})
        } else {
            empty["input"] = json!({});
            json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": empty}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({
        "type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 1},
    }));
    events.push(json!({"type": "message_stop"}));
    events
}
