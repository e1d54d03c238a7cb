//! Recognises a shell tool of any client and takes the command out of its input (spec 50 G1).

use serde_json::Value;

/// Names of shell tools, without a `functions.` prefix, in lower case and without `_` and `-`.
const SHELL_TOOLS: &[&str] = &[
    "bash",
    "shell",
    "localshell",
    "shellcommand",
    "execcommand",
    "runshellcommand",
    "runterminalcmd",
    "runterminalcommand",
    "runcommand",
    "runinterminal",
    "beforeshellexecution",
    "executecommand",
    "powershell",
    "terminal",
];

/// The command that this tool call would run; `None` for any other tool and for input of another shape.
///
/// The command stands under `command` or `cmd`, as a string or as an argv array, and the input may be an object or the JSON text
/// of one. `["bash", "-lc", script]` comes back as the script's command line, quoted so that it parses to the same words.
pub fn shell_command(tool_name: &str, input: &Value) -> Option<String> {
    is_shell_tool(tool_name).then(|| command_of(input, 0)).flatten()
}

/// Whether a client calls its shell by this name.
pub fn is_shell_tool(tool_name: &str) -> bool {
    let name = tool_name.rsplit('.').next().unwrap_or(tool_name);
    let plain: String =
        name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect();
    SHELL_TOOLS.contains(&plain.as_str())
}

/// JSON in a string in a string is still read; deeper nobody writes it.
const MAX_SERIALISED: usize = 2;

fn command_of(input: &Value, level: usize) -> Option<String> {
    match input {
        Value::Object(fields) => ["command", "cmd"].iter().find_map(|key| fields.get(*key).and_then(text_of)),
        Value::String(text) if level < MAX_SERIALISED => {
            let inner: Value = serde_json::from_str(text).ok()?;
            command_of(&inner, level + 1)
        }
        _ => None,
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(match serde_json::from_str::<Value>(text) {
            // An argv array that was serialised; any other JSON is just a command.
            Ok(list @ Value::Array(_)) => text_of(&list).unwrap_or_else(|| text.clone()),
            _ => text.clone(),
        }),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            let words = words.filter(|w| !w.is_empty())?;
            Some(words.into_iter().map(quote).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    }
}

/// The word as a shell would have to see it.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_clients_name_is_a_shell() {
        for name in [
            "Bash",
            "bash",
            "Shell",
            "shell",
            "local_shell",
            "shell_command",
            "exec_command",
            "functions.exec_command",
            "functions.shell",
            "run_shell_command",
            "run_terminal_cmd",
            "beforeShellExecution",
            "runInTerminal",
            "powershell",
        ] {
            assert!(is_shell_tool(name), "{name}");
        }
        for name in
            ["Read", "Monitor", "Task", "BashOutput", "read_bash", "write_stdin", "mcp__db__exec", "", "."]
        {
            assert!(!is_shell_tool(name), "{name}");
        }
    }

    #[test]
    fn every_shape_of_input() {
        let want = Some("ls -la".to_owned());
        for input in [
            json!({"command": "ls -la"}),
            json!({"cmd": "ls -la", "yield_time_ms": 100}),
            json!({"command": ["ls", "-la"]}),
            json!({"command": "[\"ls\", \"-la\"]"}),
            json!("{\"command\": \"ls -la\"}"),
            json!("\"{\\\"cmd\\\": \\\"ls -la\\\"}\""),
        ] {
            assert_eq!(shell_command("Bash", &input), want, "{input}");
        }
        for input in [
            json!(null),
            json!({}),
            json!("ls -la"),
            json!({"command": 7}),
            json!({"command": ["ls", 7]}),
            json!({"command": []}),
            json!(["ls"]),
        ] {
            assert_eq!(shell_command("Bash", &input), None, "{input}");
        }
        assert_eq!(shell_command("Read", &json!({"command": "ls"})), None);
    }

    #[test]
    fn argv_scripts_stay_whole() {
        let input = json!({"command": ["bash", "-lc", "echo 'a b'; sleep 5; cat x"]});
        let command = shell_command("shell", &input).unwrap();
        assert_eq!(command, "bash -lc 'echo '\\''a b'\\''; sleep 5; cat x'");
        let verdict = crate::guard(&command, &crate::GuardPolicy::default());
        assert!(verdict.denied().is_some());
    }

    #[test]
    fn test_commands_in_brackets_are_not_argv() {
        let input = json!({"command": "[ -f x ]"});
        assert_eq!(shell_command("Bash", &input).as_deref(), Some("[ -f x ]"));
    }
}
