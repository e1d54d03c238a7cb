//! To the terminal of a session: its tmux pane, else its resume command on the clipboard.

use std::process::{Command, Stdio};

use wakeful_core::ids::{Client, SessionId};
use wakeful_core::session::Status;

use super::actions::Refusal;
use super::snapshot::Row;

/// Where to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jump {
    /// Name of the session for people.
    pub name: String,
    client: Client,
    id: SessionId,
    cwd: Option<String>,
    /// The tmux pane.
    pane: Option<String>,
    /// Where it runs, for people; `None` once it has ended.
    runs_in: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Went {
    /// The session's terminal is in front.
    There,
    /// The command that resumes it is for the clipboard.
    Copy {
        /// The command.
        command: String,
        /// What to know before it is run.
        note: Option<String>,
    },
}

impl Jump {
    /// To the terminal of this session.
    pub fn of(row: &Row) -> Self {
        let place = &row.place;
        let over = row.view.status == Status::Ended;
        let pid = place.pid.map(|pid| format!("process {pid}"));
        Self {
            name: row.name(),
            client: row.view.key.client,
            id: row.view.key.id.clone(),
            cwd: place.cwd.clone(),
            pane: place.tmux_pane.clone().filter(|pane| is_pane(pane)),
            runs_in: place.tty.clone().or(pid).filter(|_| !over),
        }
    }

    /// Goes there.
    ///
    /// # Errors
    /// When there is neither a pane nor a command that resumes it.
    pub fn go(&self, inside_tmux: bool) -> Result<Went, Refusal> {
        if inside_tmux && self.pane.as_deref().is_some_and(show_pane) {
            return Ok(Went::There);
        }
        let command = self.resume().ok_or_else(|| Refusal {
            why: format!("no command is known that resumes a session of {}", self.client),
            hint: None,
        })?;
        let note = self
            .runs_in
            .as_deref()
            .map(|place| format!("It still runs ({place}): go there, and resume it only when that is gone."));
        Ok(Went::Copy { command, note })
    }

    /// The command that resumes the session, in its folder. None with a control character in it: it is pasted into a shell.
    fn resume(&self) -> Option<String> {
        let parts = [Some(self.id.as_str()), self.cwd.as_deref()];
        if parts.into_iter().flatten().any(|part| part.contains(char::is_control)) {
            return None;
        }
        let id = quoted(self.id.as_str());
        let resume = match self.client {
            Client::ClaudeCode => format!("claude --resume {id}"),
            Client::Codex => format!("codex resume {id}"),
            Client::Cursor => format!("cursor-agent --resume {id}"),
            Client::Copilot => format!("copilot --resume={id}"),
            Client::Opencode => format!("opencode --session {id}"),
            // It takes a number of its own list, not the id.
            Client::Gemini => return None,
        };
        Some(match &self.cwd {
            Some(cwd) => format!("cd {} && {resume}", quoted(cwd)),
            None => resume,
        })
    }
}

/// tmux names panes `%` and a number; anything else in its place is not handed to tmux.
fn is_pane(pane: &str) -> bool {
    pane.strip_prefix('%')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

fn show_pane(pane: &str) -> bool {
    let mut tmux = Command::new("tmux");
    tmux.args(tmux_arguments(pane)).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    tmux.status().is_ok_and(|status| status.success())
}

fn tmux_arguments(pane: &str) -> [&str; 11] {
    let to = pane;
    ["switch-client", "-t", to, ";", "select-window", "-t", to, ";", "select-pane", "-t", to]
}

/// One word for a POSIX shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The sequence by which a program puts a text on the clipboard of the terminal that it runs in (OSC 52).
pub fn clipboard(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", base64(text.as_bytes()))
}

/// RFC 4648, with padding. Fifteen lines are less than a dependency.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |word, at| word << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jump(client: Client, id: &str, cwd: Option<&str>) -> Jump {
        let cwd = cwd.map(str::to_owned);
        Jump { name: String::new(), client, id: SessionId::new(id), cwd, pane: None, runs_in: None }
    }

    #[test]
    fn base64_as_the_rfc_has_it() {
        let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn commands_that_resume() {
        let of = |client, cwd| jump(client, "4f2a-1", cwd).resume();
        assert_eq!(of(Client::ClaudeCode, None).as_deref(), Some("claude --resume 4f2a-1"));
        assert_eq!(
            of(Client::Codex, Some("/home/eve/my shop's")).as_deref(),
            Some(r"cd '/home/eve/my shop'\''s' && codex resume 4f2a-1")
        );
        assert_eq!(of(Client::Gemini, None), None);
        assert_eq!(
            jump(Client::ClaudeCode, "a; rm -rf /", None).resume().as_deref(),
            Some("claude --resume 'a; rm -rf /'")
        );
        assert_eq!(jump(Client::ClaudeCode, "a\nb", None).resume(), None);
    }

    #[test]
    fn only_panes_go_to_tmux() {
        assert!(is_pane("%3") && is_pane("%17"));
        assert!(!is_pane("%") && !is_pane("3") && !is_pane("%3;kill-server") && !is_pane("-t"));
        assert_eq!(tmux_arguments("%3").iter().filter(|word| **word == "%3").count(), 3);
    }

    #[test]
    fn outside_of_tmux_the_command_is_copied() {
        let mut jump = jump(Client::ClaudeCode, "x", None);
        jump.pane = Some("%3".to_owned());
        jump.runs_in = Some("process 17".to_owned());
        let Ok(Went::Copy { command, note }) = jump.go(false) else { panic!("went somewhere") };
        assert_eq!(command, "claude --resume x");
        assert!(note.is_some_and(|note| note.contains("process 17")));
        assert_eq!(clipboard("foo"), "\u{1b}]52;c;Zm9v\u{7}");
    }
}
