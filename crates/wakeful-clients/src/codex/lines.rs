//! What Codex writes into its rollouts, exactly as it writes it (0.171.0, and what older versions differ in).
//!
//! Three forms are read. Since 0.160 or so what happens is an `item_completed`; before that each kind was an event of its
//! own (`user_message`, `agent_message`), for a long time without `task_started` and `task_complete`; the first versions
//! wrote the model's items bare, without times. A line can be megabytes of tool output: what is told apart by its first
//! bytes and carries nothing is not parsed.

use serde_json::value::RawValue;

use super::wire::Text;
use crate::json::{FromRaw, Object, wire};

wire! {
    /// A line.
    Line<'a> {
        /// Every line but those of the first versions.
        "timestamp" => timestamp: Text<'a>,
        /// Which; of a bare item the item's own.
        "type" => kind: Text<'a>,
        /// Every line but those of the first versions.
        "payload" => payload: Object<'a>,
        /// Newer lines; not read.
        "ordinal" => ordinal: &'a RawValue,
    }
}

wire! {
    /// `session_meta`; in the first versions the first line itself.
    Meta<'a> {
        /// The thread's id, which the file is named after.
        "id" => id: Text<'a>,
        /// `cli`, `exec`, `vscode`, …; of a subagent an object.
        "source" => source: &'a RawValue,
        /// `user`, `subagent`, …; newer versions.
        "thread_source" => thread_source: Text<'a>,
        /// A fork: the thread that it was copied from.
        "forked_from_id" => forked_from: Text<'a>,
        /// Where it runs.
        "cwd" => cwd: Text<'a>,
    }
}

wire! {
    /// `turn_context`.
    TurnContext<'a> {
        /// The model.
        "model" => model: Text<'a>,
        /// Where the turn runs.
        "cwd" => cwd: Text<'a>,
    }
}

wire! {
    /// `event_msg`.
    Event<'a> {
        /// Which.
        "type" => kind: Text<'a>,
        /// `task_started`, `task_complete`, `turn_aborted`, `item_completed`.
        "turn_id" => turn_id: Text<'a>,
        /// `task_started`.
        "turn_attribution" => attribution: Object<'a>,
        /// `item_completed`.
        "item" => item: Object<'a>,
        /// `user_message`, `agent_message`, `error`.
        "message" => message: Text<'a>,
        /// `task_complete`: null if nothing was said.
        "last_agent_message" => last_agent_message: Text<'a>,
        /// `task_complete`, where the turn failed: `{message, codex_error_info}`.
        "error" => error: Object<'a>,
        /// `turn_aborted`.
        "reason" => reason: Text<'a>,
        /// `error`: a word, or an object with one field that is the word.
        "codex_error_info" => error_info: &'a RawValue,
    }
}

wire! {
    /// `turn_attribution` of `task_started`.
    Attribution<'a> {
        /// What opened the turn: `exec`, `queue`, `user`, …; null where the program that asked does not say.
        "turn_trigger" => trigger: Text<'a>,
    }
}

wire! {
    /// `error` of `task_complete`.
    TurnError<'a> {
        /// In the words that the user sees.
        "message" => message: Text<'a>,
        /// As in the event `error`.
        "codex_error_info" => error_info: &'a RawValue,
    }
}

wire! {
    /// `item` of `item_completed`.
    Item<'a> {
        /// `UserMessage`, `AgentMessage`, `HookPrompt`, `CommandExecution`, `Extension`, …
        "type" => kind: Text<'a>,
        /// Its id; of a command the call's, which in code mode is a call of its own.
        "id" => id: Text<'a>,
        /// Messages: parts with a text.
        "content" => content: &'a RawValue,
        /// `AgentMessage`: `async` if it was sent from the middle of the turn.
        "delivery" => delivery: Text<'a>,
        /// `CommandExecution`: it ran.
        "exit_code" => exit_code: i64,
    }
}

wire! {
    /// `response_item`, or a bare item.
    Response<'a> {
        /// `message`, `function_call`, `function_call_output`, `custom_tool_call`, …
        "type" => kind: Text<'a>,
        /// `message`: `user`, `assistant`, `developer`.
        "role" => role: Text<'a>,
        /// `message`: parts with a text.
        "content" => content: &'a RawValue,
        /// Calls.
        "name" => name: Text<'a>,
        /// Calls of tools of a namespace.
        "namespace" => namespace: Text<'a>,
        /// `function_call`: JSON in a text.
        "arguments" => arguments: Text<'a>,
        /// Calls and their outputs.
        "call_id" => call_id: Text<'a>,
        /// Outputs: a text, or parts.
        "output" => output: Text<'a>,
    }
}

wire! {
    /// One part of a message.
    Part<'a> {
        /// What it says; an image says nothing.
        "text" => text: Text<'a>,
    }
}

/// The texts of a message, as one.
pub(crate) fn text_of(content: &RawValue) -> Option<String> {
    let Some(parts) = Vec::<Object<'_>>::from_raw(content) else {
        return Text::from_raw(content).map(|text| text.into_owned());
    };
    let texts = parts.into_iter().filter_map(|mut part| Part::read(&mut part).text.ok());
    let whole = texts.fold(String::new(), |whole, text| whole + &text);
    (!whole.trim().is_empty()).then_some(whole)
}

/// Whether `meta` is of a thread that is no session of a user: a subagent, a review, a helper that names the thread.
pub(crate) fn is_helper(meta: &Meta<'_>) -> bool {
    const HELPERS: [&str; 5] = ["subagent", "memory_consolidation", "thread_title", "guardian", "system"];
    let by_source = meta.source.get().is_some_and(|source| {
        let Some(mut source) = Object::from_raw(source) else { return false };
        ["subagent", "subAgent", "internal"].iter().any(|name| source.take::<&RawValue>(name).ok().is_some())
    });
    by_source || meta.thread_source.get().is_some_and(|source| HELPERS.contains(&source.as_ref()))
}

/// The word in a `codex_error_info`.
pub(crate) fn error_word(info: &RawValue) -> Option<String> {
    if let Some(word) = Text::from_raw(info) {
        return Some(word.into_owned());
    }
    Object::from_raw(info)?.untouched().next().map(str::to_owned)
}

/// Kinds of lines that are written often or are large, and carry nothing. Told by the first bytes: the line's kind, and
/// the kind of what is in it.
pub(crate) fn is_quiet(line: &[u8]) -> bool {
    const LINES: [&[u8]; 4] = [b"world_state", b"token_usage_record", b"compacted", b"ghost_snapshot"];
    const EVENTS: [&[u8]; 7] = [
        b"token_count",
        b"agent_reasoning",
        b"agent_reasoning_raw_content",
        b"agent_reasoning_section_break",
        b"exec_command_output_delta",
        b"exec_command_end",
        b"thread_settings_applied",
    ];
    const ITEMS: [&[u8]; 4] = [b"reasoning", b"additional_tools", b"ghost_snapshot", b"compaction"];
    let Some((kind, rest)) = kind_of(line) else { return false };
    let inner = || {
        let rest = after(rest.strip_prefix(b",")?, b"\"payload\"")?;
        let rest = rest.trim_ascii_start().strip_prefix(b"{")?;
        Some(value_of(rest)?.0)
    };
    match kind {
        b"event_msg" => inner().is_some_and(|kind| EVENTS.contains(&kind)),
        b"response_item" => inner().is_some_and(|kind| ITEMS.contains(&kind)),
        kind => LINES.contains(&kind),
    }
}

/// The kind of a line and what follows it. It stands behind the time and a number, so near the start.
fn kind_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = line.strip_prefix(b"{")?;
    // Every field before it is a time or a number: neither has a brace or an escape in it.
    for _ in 0..3 {
        if let Some(found) = value_of(rest) {
            return Some(found);
        }
        let comma = rest.iter().take(100).position(|byte| matches!(byte, b',' | b'{' | b'\\'))?;
        rest = rest.get(comma..)?.strip_prefix(b",")?;
    }
    None
}

/// The value of `"type"` at the start of `rest`, and what follows it.
fn value_of(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let value = after(rest, b"\"type\"")?.trim_ascii_start().strip_prefix(b"\"")?;
    let end = value.iter().take(100).position(|byte| *byte == b'"')?;
    Some((&value[..end], &value[end + 1..]))
}

/// What follows `name` and its colon at the start of `rest`.
fn after<'a>(rest: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    rest.trim_ascii_start().strip_prefix(name)?.trim_ascii_start().strip_prefix(b":")
}

/// Kinds of lines and events that are known to carry nothing.
pub(crate) const KNOWN_QUIET: [&str; 42] = [
    "world_state",
    "token_usage_record",
    "compacted",
    "ghost_snapshot",
    "token_count",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "exec_command_begin",
    "exec_command_output_delta",
    "exec_command_end",
    "thread_settings_applied",
    "thread_name_updated",
    "thread_rolled_back",
    "context_compacted",
    "item_started",
    "turn_diff",
    "plan_update",
    "plan_delta",
    "mcp_tool_call_begin",
    "mcp_tool_call_end",
    "patch_apply_begin",
    "patch_apply_end",
    "web_search_begin",
    "web_search_end",
    "view_image_tool_call",
    "image_generation_begin",
    "image_generation_end",
    "entered_review_mode",
    "exited_review_mode",
    "undo_completed",
    "reasoning",
    "additional_tools",
    "compaction",
    "context_compaction",
    "web_search_call",
    "image_generation_call",
    "tool_search_call",
    "tool_search_output",
    "sub_agent_activity",
    "shutdown_complete",
    "other",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn texts() {
        assert_eq!(
            text_of(&raw(r#"[{"type":"text","text":"a"},{"type":"image"},{"text":"b"}]"#)).unwrap(),
            "ab"
        );
        assert_eq!(text_of(&raw("\"plain\"")).unwrap(), "plain");
        assert_eq!(text_of(&raw("[]")), None);
        assert_eq!(text_of(&raw("7")), None);
    }

    #[test]
    fn helpers() {
        let helper = |json: &str| is_helper(&Meta::read(&mut Object::parse(json.as_bytes()).unwrap()));
        assert!(helper(r#"{"source":{"subagent":{"thread_spawn":{"depth":1}}}}"#));
        assert!(helper(r#"{"source":{"subagent":"review"},"thread_source":"user"}"#));
        assert!(helper(r#"{"source":"vscode","thread_source":"thread_title"}"#));
        assert!(!helper(r#"{"source":"exec","thread_source":"user"}"#));
        assert!(!helper(r#"{"source":{"custom":"x"}}"#));
        assert!(!helper("{}"));
    }

    #[test]
    fn quiet_lines() {
        let quiet = |line: &str| is_quiet(line.as_bytes());
        assert!(quiet(r#"{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{}}}"#));
        assert!(quiet(r#"{"timestamp": "t", "ordinal": 7, "type": "world_state", "payload": {}}"#));
        assert!(quiet(r#"{"timestamp":"t","type":"response_item","payload":{"type":"reasoning"}}"#));
        assert!(!quiet(r#"{"timestamp":"t","type":"event_msg","payload":{"type":"task_complete"}}"#));
        assert!(!quiet(r#"{"timestamp":"t","type":"event_msg","payload":{"x":1,"type":"token_count"}}"#));
        assert!(!quiet(r#"{"payload":{"type":"token_count"},"type":"event_msg"}"#));
        assert!(!quiet(r#"{"type":"message","role":"user"}"#));
        for line in ["", "{", "{\"type\"", "{\"type\":\"", "[]"] {
            assert!(!quiet(line), "{line}");
        }
    }

    #[test]
    fn error_words() {
        assert_eq!(error_word(&raw("\"usage_limit_exceeded\"")).unwrap(), "usage_limit_exceeded");
        let object = r#"{"response_too_many_failed_attempts":{"http_status_code":500}}"#;
        assert_eq!(error_word(&raw(object)).unwrap(), "response_too_many_failed_attempts");
        assert_eq!(error_word(&raw("{}")), None);
    }
}
