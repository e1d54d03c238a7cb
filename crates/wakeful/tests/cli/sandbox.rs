//! A home of its own for one test, and the program in it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tempfile::TempDir;

/// Nothing here takes that long; who is not back by then hangs.
pub const LIMIT: Duration = Duration::from_secs(60);

/// A home for one test.
pub struct Sandbox {
    dir: TempDir,
}

impl Sandbox {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub fn home(&self) -> &Path {
        self.dir.path()
    }

    pub fn spool(&self) -> PathBuf {
        self.home().join(".local/state/wakeful/spool")
    }

    /// The program with these arguments in this home, and nothing else in its environment.
    pub fn wakeful(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wakeful"));
        command.args(args).env_clear().env("HOME", self.home()).env("TZ", "UTC");
        // No test leaves a daemon behind that it does not mean to have.
        command.env("WAKEFUL_NO_DAEMON", "1").current_dir(self.home());
        command
    }

    /// A hook of this client with this on its standard input.
    pub fn hook(&self, client: &str, payload: &[u8]) -> Output {
        finish(self.wakeful(&["hook", client]), payload)
    }

    pub fn settings(&self, text: &str) {
        self.write(".config/wakeful/settings.toml", text);
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Every line of the spool, in the order of the files' names.
    pub fn lines(&self) -> Vec<serde_json::Value> {
        let Ok(entries) = std::fs::read_dir(self.spool()) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let texts = paths.iter().map(|path| std::fs::read_to_string(path).unwrap());
        let lines: Vec<String> =
            texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Runs a command with this on its standard input until it ends.
pub fn finish(mut command: Command, stdin: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // A program that does not read to the end is no failure of the test.
    let writer = std::thread::spawn(move || pipe.write_all(&stdin).is_ok());
    let output = ended(child);
    let _ = writer.join();
    output
}

/// Waits for a child, but not for ever.
pub fn ended(child: Child) -> Output {
    let (id, (sender, receiver)) = (child.id(), mpsc::channel());
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(LIMIT) {
        Ok(output) => output.unwrap(),
        Err(_) => {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
            panic!("still running after {LIMIT:?}");
        }
    }
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The payload of a shell call in Claude Code's and Codex's form.
pub fn shell_call(command: &str) -> String {
    serde_json::json!({
        "session_id": "5e1f0c9a", "transcript_path": "/home/eve/t.jsonl", "cwd": "/home/eve/shop", "prompt_id": "p-1",
        "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command, "description": "look at it"}, "tool_use_id": "toolu_01"
    })
    .to_string()
}

/// The payload of a shell call in Cursor's form.
pub fn cursor_call(event: &str, command: &str, root: &str) -> String {
    let mut payload = serde_json::json!({
        "conversation_id": "c-77", "generation_id": "g-1", "model": "m", "session_id": "c-77", "hook_event_name": event,
        "cursor_version": "1.0.0", "workspace_roots": [root], "user_email": null, "transcript_path": null, "cwd": root
    });
    if event == "beforeShellExecution" {
        payload["command"] = command.into();
        payload["sandbox"] = false.into();
    } else {
        payload["tool_name"] = "Shell".into();
        payload["tool_input"] = serde_json::json!({"command": command, "cwd": ""});
        payload["tool_use_id"] = "call_1".into();
    }
    payload.to_string()
}

/// Waits for something that is observed, with a time limit.
pub fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    #[expect(clippy::disallowed_methods, reason = "waits for an observed event, with a time limit")]
    let now = std::time::Instant::now;
    let began = now();
    while !happened() {
        assert!(now() - began < Duration::from_secs(60), "not seen: {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}
