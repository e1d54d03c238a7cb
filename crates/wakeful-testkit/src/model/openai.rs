//! The Responses API, as Codex uses it.

use std::io;

use serde_json::{Value, json};

use super::http::{Request, Response};
use super::script::{Block, Role, Turn};
use super::server::{Asked, Dialect, Model};

/// A model for Codex.
///
/// # Errors
/// When there is no port for it.
pub fn model(script: impl IntoIterator<Item = Turn>) -> io::Result<Model> {
    Model::start(Box::new(Responses), script.into_iter().collect())
}

struct Responses;

impl Dialect for Responses {
    fn read(&self, request: &Request) -> Result<Asked, Response> {
        if request.method != "POST" || !request.path.ends_with("/responses") {
            return Err(Response::json(200, &json!({"object": "list", "data": [], "models": []})));
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let input = body["input"].as_array().map_or(&[][..], Vec::as_slice);
        let last = input.iter().rposition(by_the_model);
        let new: Vec<_> = input[last.map_or(0, |last| last + 1)..].iter().map(text).collect();
        let tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let role = if tools { Role::Main } else { Role::Aux };
        Ok(Asked { role, new: new.join("\n"), body, scripted: false })
    }

    fn answer(&self, _: &Asked, blocks: &[Block], number: usize) -> Response {
        let id = format!("resp_{number}");
        let mut events = vec![json!({
            "type": "response.created",
            "response": {"id": id, "object": "response", "status": "in_progress", "output": []},
        })];
        let mut output = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let item = item(block, number, index);
            let added = if item["type"] == "message" {
                json!({"type": "message", "id": item["id"], "role": "assistant", "status": "in_progress", "content": []})
            } else {
                item.clone()
            };
            events.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
            if let Block::Text(text) = block {
                events.push(json!({
                    "type": "response.output_text.delta", "item_id": item["id"], "output_index": index,
                    "content_index": 0, "delta": text,
                }));
            }
            events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
            output.push(item);
        }
        events.push(json!({
            "type": "response.completed",
            "response": {
                "id": id, "object": "response", "status": "completed", "output": output,
                "usage": {
                    "input_tokens": 1, "input_tokens_details": {"cached_tokens": 0},
                    "output_tokens": 1, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2,
                },
            },
        }));
        Response::events(&events)
    }
}

fn by_the_model(item: &Value) -> bool {
    item["role"] == "assistant"
        || matches!(item["type"].as_str(), Some("function_call" | "custom_tool_call" | "reasoning"))
}

/// The text of an item: a message, or the result of a tool.
fn text(item: &Value) -> String {
    let content = if item["content"].is_null() { &item["output"] } else { &item["content"] };
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

fn item(block: &Block, number: usize, index: usize) -> Value {
    match block {
        Block::Text(text) => json!({
            "type": "message", "id": format!("msg_{number}_{index}"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Block::Call { tool, input } => json!({
            "type": "function_call", "id": format!("fc_{number}_{index}"), "call_id": format!("call_{number}_{index}"),
            "name": tool, "arguments": input.to_string(), "status": "completed",
        }),
    }
}
