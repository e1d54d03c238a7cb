//! The commands of shell calls in a transcript line. Events carry classes, not commands, and the guard needs these.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The tool whose calls the guard reads.
pub(super) const SHELL_TOOL: &str = "Bash";

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    /// A text, or blocks: kept raw, because one block of an unexpected shape must not cost the others.
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    input: &'a RawValue,
}

#[derive(Deserialize)]
struct Input<'a> {
    #[serde(borrow)]
    command: Cow<'a, str>,
}

/// Calls `with` for the command of every shell call in `line` whose id `wanted` knows.
pub(super) fn shell_calls(line: &[u8], wanted: impl Fn(&str) -> bool, mut with: impl FnMut(&str)) {
    let parsed = serde_json::from_slice::<Line<'_>>(line).ok();
    let Some(content) = parsed.and_then(|line| line.message?.content) else { return };
    let blocks = serde_json::from_str::<Vec<&RawValue>>(content.get()).unwrap_or_default();
    for block in blocks {
        let Ok(call) = serde_json::from_str::<Call<'_>>(block.get()) else { continue };
        if call.name == SHELL_TOOL
            && wanted(&call.id)
            && let Ok(input) = serde_json::from_str::<Input<'_>>(call.input.get())
        {
            with(&input.command);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(line: &str) -> Vec<String> {
        let mut all = Vec::new();
        shell_calls(line.as_bytes(), |id| id != "old", |command| all.push(command.to_owned()));
        all
    }

    #[test]
    fn commands_of_shell_calls_come_out() {
        let call = |id: &str, name: &str, command: &str| {
            format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{"command":"{command}"}}}}"#)
        };
        let line = |blocks: &[String]| {
            format!(r#"{{"type":"assistant","message":{{"content":[{}]}}}}"#, blocks.join(","))
        };
        let blocks = [
            r#"{"type":"text","text":"Bash"}"#.to_owned(),
            call("a", "Bash", "make \\\"all\\\""),
            call("old", "Bash", "ls"),
            call("b", "Monitor", "tail -f x"),
            r#"{"type":"tool_use","id":"c","name":"Bash","input":{"command":7}}"#.to_owned(),
            call("d", "Bash", "make test"),
        ];
        assert_eq!(commands(&line(&blocks)), ["make \"all\"", "make test"]);
        for other in ["", "{", "{}", r#"{"message":7}"#, r#"{"message":{"content":"Bash"}}"#] {
            assert!(commands(other).is_empty(), "{other}");
        }
    }
}
