//! The command line that a client runs, and how our own is recognised.

use wakeful_core::ids::Client;

/// What our commands are called on the command line. `deliver` is the other command that clients call (spec 60).
const VERBS: [&str; 2] = ["hook", "deliver"];
/// What our program is called.
const PROGRAM: [&str; 2] = ["wakeful", "wakeful.exe"];

/// Why no command can be written for a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPath {
    /// The settings of clients are text.
    #[error("the path of the program is not text")]
    NotText,
    /// It would end the line, or worse.
    #[error("the path of the program has a control character in it")]
    Control,
    /// Another folder would have another program, or none.
    #[error("the path of the program is not absolute")]
    Relative,
    /// Entries could not be recognised as ours, and never taken away again.
    #[error("the program is not called `wakeful`")]
    OtherName,
}

/// The command for `client`: `'<path>' hook <client>`, quoted for the POSIX shell that the three clients use. On
/// Windows that is Git's bash, which wants forward slashes (C7).
///
/// # Errors
/// When the path cannot stand in a settings file.
pub fn hook_command(path: &std::path::Path, client: Client) -> Result<String, BadPath> {
    let text = path.to_str().ok_or(BadPath::NotText)?;
    if text.chars().any(char::is_control) {
        return Err(BadPath::Control);
    }
    if !path.is_absolute() {
        return Err(BadPath::Relative);
    }
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() };
    let command = format!("{} hook {client}", quote(&text));
    if is_ours(&command) { Ok(command) } else { Err(BadPath::OtherName) }
}

/// Single quotes: nothing in between means anything to the shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Is `command` one of ours: a single simple command that runs `wakeful hook CLIENT [EVENT]`, from whatever path? A
/// longer command that has ours in it is its author's.
pub fn is_ours(command: &str) -> bool {
    let Some(words) = words(command) else { return false };
    let [program, verb, rest @ ..] = words.as_slice() else { return false };
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let arguments = match rest {
        [] => *verb == VERBS[1],
        [client] => Client::from_name(client).is_some(),
        [client, event] => {
            Client::from_name(client).is_some() && event.chars().all(|c| c.is_ascii_alphanumeric())
        }
        _ => false,
    };
    PROGRAM.contains(&name) && VERBS.contains(&verb.as_str()) && arguments
}

/// The program that a command of ours runs; `None` when it is not ours.
pub(crate) fn program_of(command: &str) -> Option<String> {
    is_ours(command).then(|| words(command)?.into_iter().next()).flatten()
}

/// The words of a single simple command; `None` when it is anything else.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.trim_matches([' ', '\t']).chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => double_quoted(&mut chars, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(chars.next()?),
            // What means something to a shell, a variable or a list of words included.
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '#' | '*' | '?' | '[' | '{' | '}' | '!'
            | '\n' => {
                return None;
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

fn double_quoted(chars: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match chars.next()? {
            '"' => return Some(()),
            '$' | '`' => return None,
            '\\' => match chars.next()? {
                c @ ('"' | '\\' | '$' | '`') => word.push(c),
                c => word.extend(['\\', c]),
            },
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn ours() {
        for command in [
            "wakeful hook claude-code",
            "/usr/bin/wakeful hook codex",
            "'/opt/my tools/wakeful' hook cursor",
            r"'/opt/o'\''hara/wakeful' hook cursor",
            "\"/opt/my tools/wakeful\" hook claude-code",
            "\"C:\\Users\\me\\wakeful.exe\" hook claude-code",
            "C:/Users/me/wakeful.exe hook gemini",
            r"/opt/my\ tools/wakeful hook claude-code Stop",
            "  wakeful   hook\tcodex ",
            "/opt/wakeful deliver",
            "/opt/wakeful deliver claude-code",
        ] {
            assert!(is_ours(command), "{command}");
        }
    }

    #[test]
    fn not_ours() {
        for command in [
            "",
            "wakeful",
            "wakeful hook",
            "wakeful list",
            "wakeful hook nobody",
            "wakeful hook codex Stop more",
            "echo wakeful hook codex",
            "echo 'wakeful hook codex'",
            "mywakeful hook codex",
            "/opt/wakeful/other hook codex",
            "wakeful hook codex && make",
            "wakeful hook codex; true",
            "wakeful hook codex | tee log",
            "wakeful hook codex > log",
            "wakeful hook codex # note",
            "true\nwakeful hook codex",
            "NOTE=1 wakeful hook codex",
            "$HOME/wakeful hook codex",
            "\"$HOME/wakeful\" hook codex",
            "'wakeful hook codex",
            "\"wakeful\" \"hook",
            "wakeful hook codex \\",
            "wakeful hook codex St-op",
        ] {
            assert!(!is_ours(command), "{command}");
        }
    }

    #[test]
    fn a_command_is_quoted_and_recognised() {
        let command = |path: &str| hook_command(Path::new(path), Client::Codex);
        assert_eq!(command("/opt/bin/wakeful").as_deref(), Ok("'/opt/bin/wakeful' hook codex"));
        assert_eq!(command("/o'hara/$x/wakeful").as_deref(), Ok(r"'/o'\''hara/$x/wakeful' hook codex"));
        assert_eq!(command("bin/wakeful"), Err(BadPath::Relative));
        assert_eq!(command("/opt/bin\n/wakeful"), Err(BadPath::Control));
        assert_eq!(command("/opt/bin/wk"), Err(BadPath::OtherName));
    }
}
