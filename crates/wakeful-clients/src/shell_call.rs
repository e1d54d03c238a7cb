//! The shell command of a tool call, by any client's name for a shell (G1).

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::{Field, FromRaw, Object};

/// Names of shell tools, in lower case.
const SHELLS: [&str; 13] = [
    "bash",
    "shell",
    "local_shell",
    "shell_command",
    "exec_command",
    "run_shell_command",
    "run_terminal_cmd",
    "run_terminal_command",
    "run_in_terminal",
    "run_command",
    "execute_command",
    "container.exec",
    "beforeshellexecution",
];

/// Is this a client's name for its shell?
fn is_shell(tool: &str) -> bool {
    let tool = tool.strip_prefix("functions.").unwrap_or(tool);
    SHELLS.iter().any(|name| name.eq_ignore_ascii_case(tool))
}

/// The command that a call of `tool` with `input` would run. `None` for any other tool, and for input that cannot be read,
/// which passes (G1).
pub(crate) fn shell_command<'a>(tool: &str, input: &'a RawValue) -> Option<Cow<'a, str>> {
    if !is_shell(tool) {
        return None;
    }
    if let Some(object) = Object::from_raw(input) {
        return of_object(object);
    }
    // The whole input as a serialised JSON object.
    let text = Cow::<str>::from_raw(input)?;
    let object = Object::parse(text.as_bytes())?;
    of_object(object).map(|command| Cow::Owned(command.into_owned()))
}

fn of_object(mut object: Object<'_>) -> Option<Cow<'_, str>> {
    ["command", "cmd"].into_iter().find_map(|name| match object.take::<&RawValue>(name) {
        Field::Value(raw) => command(raw),
        Field::Absent | Field::Malformed => None,
    })
}

/// A command line, an argument vector, or either of them serialised.
pub(crate) fn command(raw: &RawValue) -> Option<Cow<'_, str>> {
    if let Some(argv) = Vec::<Cow<str>>::from_raw(raw) {
        return joined(&argv);
    }
    let text = Cow::<str>::from_raw(raw)?;
    match text.trim_start().as_bytes().first() {
        Some(b'[') => {
            // `[ -f x ] && …` begins so too, and is no JSON.
            let argv: Option<Vec<String>> = serde_json::from_str(&text).ok();
            match argv {
                Some(argv) => joined(&argv),
                None => Some(text),
            }
        }
        Some(b'{') => {
            let inner = Object::parse(text.as_bytes()).and_then(of_object).map(Cow::into_owned);
            Some(inner.map_or(text, Cow::Owned))
        }
        _ => Some(text),
    }
}

/// The command line that runs this argument vector.
fn joined<'a>(argv: &[impl AsRef<str>]) -> Option<Cow<'a, str>> {
    if argv.is_empty() {
        return None;
    }
    let mut line = String::new();
    for word in argv {
        if !line.is_empty() {
            line.push(' ');
        }
        quote(&mut line, word.as_ref());
    }
    Some(Cow::Owned(line))
}

fn quote(line: &mut String, word: &str) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:=@%+,-".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        line.push_str(word);
        return;
    }
    line.push('\'');
    line.push_str(&word.replace('\'', r"'\''"));
    line.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tool: &str, input: &str) -> Option<String> {
        let raw: &RawValue = serde_json::from_str(input).unwrap();
        shell_command(tool, raw).map(Cow::into_owned)
    }

    #[test]
    fn a_shell_by_any_name() {
        for tool in [
            "Bash",
            "Shell",
            "shell",
            "local_shell",
            "shell_command",
            "exec_command",
            "functions.exec_command",
            "run_shell_command",
            "run_terminal_cmd",
            "bash",
            "beforeShellExecution",
        ] {
            assert_eq!(of(tool, r#"{"command":"make"}"#).as_deref(), Some("make"), "{tool}");
        }
        for tool in ["Read", "BashOutput", "Monitor", "functions.", "", "shells"] {
            assert_eq!(of(tool, r#"{"command":"make"}"#), None, "{tool}");
        }
    }

    #[test]
    fn a_command_in_any_form() {
        for (input, command) in [
            (r#"{"cmd":"make"}"#, Some("make")),
            (
                r#"{"command":["bash","-lc","make && echo 'it works'"]}"#,
                Some(r"bash -lc 'make && echo '\''it works'\'''"),
            ),
            (r#"{"command":"[\"sh\",\"-c\",\"make all\"]"}"#, Some("sh -c 'make all'")),
            (r#"{"command":"[ -f x ] && make"}"#, Some("[ -f x ] && make")),
            (r#"{"command":"{ make; }"}"#, Some("{ make; }")),
            (r#"{"command":"{\"cmd\":\"make\"}"}"#, Some("make")),
            (r#""{\"command\":\"make\"}""#, Some("make")),
            (r#"{"command":7,"cmd":"make"}"#, Some("make")),
            (r#"{"command":null}"#, None),
            (r#"{"command":[]}"#, None),
            (r#"{"command":["a",1]}"#, None),
            (r#"{"command":"a","command":"b"}"#, None),
            (r#""make""#, None),
            ("[]", None),
            ("7", None),
            ("{}", None),
        ] {
            assert_eq!(of("Bash", input).as_deref(), command, "{input}");
        }
    }
}
