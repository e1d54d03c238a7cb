//! The scripted models, asked by hand.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use wakeful_testkit::model::{Gate, Model, Role, Turn, anthropic, openai};

/// What the model answers to a POST of `body`.
fn post(model: &Model, path: &str, body: &Value) -> String {
    let address = model.url();
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).unwrap();
    let body = body.to_string();
    write!(stream, "POST {path} HTTP/1.1\r\nhost: model\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The data of the events of an answer.
fn events(answer: &str) -> Vec<Value> {
    answer.lines().filter_map(|line| line.strip_prefix("data: ")).map(|data| data.parse().unwrap()).collect()
}

fn messages(system: &str, last: &str) -> Value {
    json!({
        "model": "m", "stream": true, "system": [{"type": "text", "text": system}], "tools": [{"name": "Bash"}],
        "messages": [
            {"role": "user", "content": "the beginning"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": last}]},
                {"type": "text", "text": "and a note"},
            ]},
        ],
    })
}

const MAIN: &str = "You help.";
const SUB: &str = "You are an agent for Claude Code.";
const MESSAGES: &str = "/v1/messages?beta=true";

#[test]
fn turns_go_to_whom_they_are_for() {
    let model = anthropic::model([
        Turn::text("after the build").when("built"),
        Turn::text("first"),
        Turn::text("of the subagent").by_subagent(),
        Turn::text("second"),
    ])
    .unwrap();
    let said = |system, last| {
        let answer = post(&model, MESSAGES, &messages(system, last));
        events(&answer)[2]["delta"]["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(said(MAIN, "listed"), "first");
    assert_eq!(said(SUB, "listed"), "of the subagent");
    assert_eq!(said(MAIN, "it is built"), "after the build");
    assert_eq!(said(MAIN, "listed"), "second");
    model.assert_all_said();
    let asked = model.asked();
    assert_eq!((asked[2].role, asked[2].new.as_str()), (Role::Main, "it is built\nand a note"));
    assert_eq!(asked[1].role, Role::Sub);
}

#[test]
#[should_panic(expected = "not in the script")]
fn a_request_that_nobody_expects_is_told() {
    let model = anthropic::model([]).unwrap();
    assert!(post(&model, MESSAGES, &messages(MAIN, "listed")).contains("nothing in the script"));
    model.assert_all_said();
}

#[test]
#[should_panic(expected = "never said")]
fn a_turn_that_is_never_used_is_told() {
    anthropic::model([Turn::text("first")]).unwrap().assert_all_said();
}

#[test]
fn requests_of_the_client_itself_use_no_turn() {
    let model = anthropic::model([]).unwrap();
    let mut title = messages(MAIN, "listed");
    title["tools"] = json!([]);
    title["stream"] = json!(false);
    assert!(post(&model, MESSAGES, &title).contains("\"fine\""));
    assert!(post(&model, "/v1/messages/count_tokens", &title).contains("input_tokens"));
    model.assert_all_said();
    assert!(model.asked().is_empty());
}

#[test]
fn a_tool_call_ends_with_tool_use_and_its_input_comes_in_one_piece() {
    let model = anthropic::model([Turn::call("Bash", json!({"command": "ls"}))]).unwrap();
    let events = events(&post(&model, MESSAGES, &messages(MAIN, "listed")));
    let types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let block = ["content_block_start", "content_block_delta", "content_block_stop"];
    assert_eq!(types, [&["message_start"], &block[..], &["message_delta", "message_stop"]].concat());
    assert_eq!(events[1]["content_block"]["name"], "Bash");
    assert_eq!(events[2]["delta"]["partial_json"], r#"{"command":"ls"}"#);
    assert_eq!(events[4]["delta"]["stop_reason"], "tool_use");
}

#[test]
fn a_failure_is_not_to_be_tried_again() {
    let model = anthropic::model([Turn::failure(429)]).unwrap();
    let answer = post(&model, MESSAGES, &messages(MAIN, "listed"));
    assert!(answer.starts_with("HTTP/1.1 429 ") && answer.contains("x-should-retry: false"), "{answer}");
}

#[test]
fn a_held_answer_waits_for_its_gate() {
    let gate = Gate::default();
    let model = anthropic::model([Turn::text("late").held_by(&gate)]).unwrap();
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| post(&model, MESSAGES, &messages(MAIN, "listed")));
        model.until_asked("listed");
        assert!(!answer.is_finished());
        gate.open();
        assert!(answer.join().unwrap().contains("late"));
    });
}

#[test]
fn codex_is_answered_in_its_own_words() {
    let model =
        openai::model([Turn::call("exec_command", json!({"cmd": "ls"})), Turn::text("listed")]).unwrap();
    let mut request = json!({
        "tools": [{"name": "exec_command"}],
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "list"}]}],
    });
    let first = events(&post(&model, "/v1/responses", &request));
    let item = &first[2]["item"];
    assert_eq!((&item["type"], &item["name"]), (&json!("function_call"), &json!("exec_command")));
    assert_eq!(item["arguments"], r#"{"cmd":"ls"}"#);
    let results =
        [item.clone(), json!({"type": "function_call_output", "call_id": item["call_id"], "output": "a b"})];
    request["input"].as_array_mut().unwrap().extend(results);
    let second = events(&post(&model, "/v1/responses", &request));
    assert_eq!(second.last().unwrap()["response"]["output"][0]["content"][0]["text"], "listed");
    assert_eq!(model.asked()[1].new, "a b");
    model.assert_all_said();
}
