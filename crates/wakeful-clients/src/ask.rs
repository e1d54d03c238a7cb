//! What tells one ask from another (S7b).

use serde_json::Value;
use serde_json::value::RawValue;
use wakeful_core::ids::{AgentId, AskId, Digest};

/// The id of the ask that a call of `tool` with `input` opens: made from the agent, the tool and the input, because
/// a permission request carries no id of the call it belongs to. `apart` names fields of the input that stand in
/// one of the payloads only.
pub(crate) fn call_ask_id(
    agent: Option<&AgentId>,
    tool: &str,
    input: Option<&RawValue>,
    apart: &[&str],
) -> AskId {
    let agent = agent.map_or("", AgentId::as_str);
    let input = input.map_or_else(String::new, |input| canonical(input, apart));
    let digest = Digest::of_parts(&[agent.as_bytes(), tool.as_bytes(), input.as_bytes()]);
    AskId::new(format!("call:{:016x}", digest.0))
}

/// `input` with sorted keys and without `apart`; the raw text where it is nested too deep to be read.
fn canonical(input: &RawValue, apart: &[&str]) -> String {
    // `Value` keeps its keys sorted, and of a repeated key the last.
    let Ok(mut value) = serde_json::from_str::<Value>(input.get()) else { return input.get().to_owned() };
    if let Value::Object(fields) = &mut value {
        fields.retain(|name, _| !apart.contains(&name.as_str()));
    }
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(tool: &str, input: &str, apart: &[&str]) -> AskId {
        call_ask_id(None, tool, Some(&serde_json::from_str::<Box<RawValue>>(input).unwrap()), apart)
    }

    #[test]
    fn key_order_and_extra_fields_do_not_tell_asks_apart() {
        let asked = id("Bash", r#"{"command":"make","options":{"a":1,"b":2}}"#, &[]);
        assert_eq!(asked, id("Bash", r#"{ "options": {"b":2,"a":1}, "command": "make"}"#, &[]));
        assert_eq!(
            id("Q", r#"{"questions":[]}"#, &["answers"]),
            id("Q", r#"{"questions":[],"answers":{"x":"y"}}"#, &["answers"])
        );
    }

    #[test]
    fn tool_input_and_agent_tell_asks_apart() {
        let asked = id("Bash", r#"{"command":"make"}"#, &[]);
        assert_ne!(asked, id("Bash", r#"{"command":"make test"}"#, &[]));
        assert_ne!(asked, id("Read", r#"{"command":"make"}"#, &[]));
        let input = serde_json::from_str::<Box<RawValue>>(r#"{"command":"make"}"#).unwrap();
        assert_ne!(asked, call_ask_id(Some(&AgentId::new("a1")), "Bash", Some(&input), &[]));
    }
}
