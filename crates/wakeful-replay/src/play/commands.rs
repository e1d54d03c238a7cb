//! The commands of shell calls in a transcript line. Events carry classes, not commands, and the guard needs these.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The tool whose calls the guard reads; both clients call it so.
pub(super) const SHELL_TOOL: &str = "Bash";

/// Hands on the command of every shell call in a line whose id is wanted.
pub(super) type ShellCalls = fn(line: &[u8], wanted: &dyn Fn(&str) -> bool, with: &mut dyn FnMut(&str));

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

/// Claude Code: blocks of a message.
pub(super) fn claude_code_calls(line: &[u8], wanted: &dyn Fn(&str) -> bool, with: &mut dyn FnMut(&str)) {
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

#[derive(Deserialize)]
struct RolloutLine<'a> {
    #[serde(borrow)]
    payload: RolloutPayload<'a>,
}

#[derive(Deserialize)]
struct RolloutPayload<'a> {
    #[serde(borrow)]
    call_id: Option<Cow<'a, str>>,
    /// JSON in a text.
    #[serde(borrow)]
    arguments: Option<Cow<'a, str>>,
    #[serde(borrow)]
    item: Option<RolloutItem<'a>>,
}

#[derive(Deserialize)]
struct RolloutItem<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    /// The shell, its option and the command.
    #[serde(borrow)]
    command: Vec<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    cmd: Option<Cow<'a, str>>,
    /// Older versions: a text, or the words that are run.
    command: Option<serde_json::Value>,
}

/// Codex: a call of the model, or in code mode the command that a script ran.
pub(super) fn codex_calls(line: &[u8], wanted: &dyn Fn(&str) -> bool, with: &mut dyn FnMut(&str)) {
    let Ok(RolloutLine { payload }) = serde_json::from_slice(line) else { return };
    if let (Some(id), Some(arguments)) = (&payload.call_id, &payload.arguments)
        && wanted(id)
        && let Ok(arguments) = serde_json::from_str::<Arguments<'_>>(arguments)
    {
        let words = |value: serde_json::Value| match value {
            serde_json::Value::String(command) => Some(command),
            serde_json::Value::Array(words) => last_word(words.iter().map_while(serde_json::Value::as_str)),
            _ => None,
        };
        let command = arguments.cmd.map(Cow::into_owned).or(arguments.command.and_then(words));
        command.iter().for_each(|command| with(command));
    } else if let Some(item) = payload.item
        && wanted(&item.id)
    {
        last_word(item.command.iter().map(AsRef::as_ref)).iter().for_each(|command| with(command));
    }
}

/// What a shell is given to run (`bash -lc …`), or the words of a command that is run without one.
fn last_word<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let words: Vec<_> = words.collect();
    match words.as_slice() {
        [_, "-c" | "-lc" | "-ic", command] => Some((*command).to_owned()),
        [] => None,
        words => Some(words.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(line: &str) -> Vec<String> {
        let mut all = Vec::new();
        claude_code_calls(line.as_bytes(), &|id| id != "old", &mut |command| all.push(command.to_owned()));
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

    #[test]
    fn commands_of_codex_come_out() {
        let commands = |payload: &str| {
            let (mut all, line) = (Vec::new(), format!(r#"{{"type":"x","payload":{payload}}}"#));
            codex_calls(line.as_bytes(), &|id| id != "old", &mut |command| all.push(command.to_owned()));
            all
        };
        assert_eq!(commands(r#"{"call_id":"a","arguments":"{\"cmd\":\"make all\"}"}"#), ["make all"]);
        assert_eq!(
            commands(r#"{"call_id":"a","arguments":"{\"command\":[\"bash\",\"-lc\",\"make x\"]}"}"#),
            ["make x"]
        );
        assert_eq!(commands(r#"{"call_id":"a","arguments":"{\"command\":[\"ls\",\"-l\"]}"}"#), ["ls -l"]);
        assert_eq!(commands(r#"{"item":{"id":"exec-1","command":["/bin/zsh","-lc","make y"]}}"#), ["make y"]);
        for other in [
            r#"{"call_id":"old","arguments":"{\"cmd\":\"make\"}"}"#,
            r#"{"item":{"id":"old","command":["bash","-lc","make"]}}"#,
            r#"{"call_id":"a","arguments":"{"}"#,
            r#"{"call_id":"a","arguments":7}"#,
            "7",
        ] {
            assert_eq!(commands(other), Vec::<String>::new(), "{other}");
        }
    }
}
