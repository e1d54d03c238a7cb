//! Claude Code: its folder, and a run of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::model::Model;
use crate::running::{Finished, Running};
use crate::sandbox::Sandbox;

/// No key, but it has the form of one.
const KEY: &str = "sk-not-a-key-for-tests-only";
/// As much of a key as Claude Code remembers.
const REMEMBERED: usize = 20;
/// Any name that the client knows; the scripted model is what answers.
const MODEL: &str = "claude-sonnet-5";

/// Claude Code in a sandbox.
pub struct Claude<'a> {
    program: &'a Path,
    sandbox: &'a Sandbox,
    model: &'a Model,
}

impl<'a> Claude<'a> {
    /// Prepares the home so that the client starts without a question, with its tools allowed but for those that fetch.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn new(program: &'a Path, sandbox: &'a Sandbox, model: &'a Model) -> io::Result<Self> {
        let claude = Self { program, sandbox, model };
        let project = sandbox.project().display().to_string();
        let known = json!({
            "hasCompletedOnboarding": true,
            "customApiKeyResponses": {"approved": [&KEY[KEY.len() - REMEMBERED..]], "rejected": []},
            "projects": {project: {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
        });
        fs::write(sandbox.home().join(".claude.json"), known.to_string())?;
        fs::create_dir_all(sandbox.home().join(".claude"))?;
        let settings = json!({"permissions": {"allow": ["Bash", "Agent", "Monitor", "Read"]}});
        fs::write(claude.settings(), settings.to_string())?;
        Ok(claude)
    }

    /// Its settings file.
    pub fn settings(&self) -> PathBuf {
        self.sandbox.home().join(".claude/settings.json")
    }

    /// Adds a hook of another program, with its timeout in seconds.
    ///
    /// # Errors
    /// When the settings cannot be read or written.
    pub fn add_hook(&self, event: &str, command: &str, timeout: u32) -> io::Result<()> {
        add_hook(&self.settings(), event, command, timeout)
    }

    /// One prompt, to the end of the process.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn one_shot(&self, prompt: &str) -> io::Result<Finished> {
        Ok(self.start(&["-p", prompt], false)?.finish())
    }

    /// A session that is talked to on standard input. `ask` says whether permission is asked for there.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn session(&self, ask: bool) -> io::Result<Session> {
        self.talk(if ask { &["--permission-prompt-tool", "stdio"] } else { &[] })
    }

    /// A session of before, in a new process.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn resume(&self, id: &str) -> io::Result<Session> {
        self.talk(&["--resume", id])
    }

    fn talk(&self, more: &[&str]) -> io::Result<Session> {
        let args = [&["-p", "--input-format", "stream-json"], more].concat();
        Ok(Session(self.start(&args, true)?))
    }

    fn start(&self, args: &[&str], stdin: bool) -> io::Result<Running> {
        let mut command = self.command();
        command.args(args).args(["--output-format", "stream-json", "--verbose", "--include-hook-events"]);
        Running::start(command, stdin, &self.sandbox.home().join("claude.stderr"))
    }

    fn command(&self) -> Command {
        let mut command = self.sandbox.command(self.program);
        command
            .env("ANTHROPIC_BASE_URL", self.model.url())
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_MODEL", MODEL)
            // Nothing but the model is asked for anything.
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_ERROR_REPORTING", "1");
        command
    }

    /// The transcripts of main threads that its runs left.
    pub fn transcripts(&self) -> Vec<PathBuf> {
        let projects =
            fs::read_dir(self.sandbox.home().join(".claude/projects")).into_iter().flatten().flatten();
        let files = projects.flat_map(|project| fs::read_dir(project.path()).into_iter().flatten().flatten());
        files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
            .collect()
    }
}

/// Adds a group with one hook to a file of the shape that Claude Code and Codex share.
pub(crate) fn add_hook(file: &Path, event: &str, command: &str, timeout: u32) -> io::Result<()> {
    let mut settings: Value = match fs::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => json!({}),
        Err(error) => return Err(error),
    };
    let groups = &mut settings["hooks"][event];
    if groups.is_null() {
        *groups = json!([]);
    }
    let hook = json!({"hooks": [{"type": "command", "command": command, "timeout": timeout}]});
    groups.as_array_mut().expect("an event has groups").push(hook);
    fs::write(file, settings.to_string())
}

/// A session with standard input open.
pub struct Session(Running);

impl Session {
    /// Sends what a user types.
    pub fn say(&mut self, text: &str) {
        let message = json!({"role": "user", "content": text});
        self.0.send(&json!({"type": "user", "message": message, "parent_tool_use_id": null}));
    }

    /// The end of the turn under way.
    pub fn until_result(&mut self) -> Value {
        self.0.until("the end of a turn", |frame| frame["type"] == "result")
    }

    /// The next frame that is `wanted`.
    pub fn until(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.0.until(what, wanted)
    }

    /// The client asks whether it may use a tool.
    pub fn until_asked(&mut self) -> Value {
        self.0.until("a request for permission", |frame| {
            frame["type"] == "control_request" && frame["request"]["subtype"] == "can_use_tool"
        })
    }

    /// Allows what was asked for, with `input`.
    pub fn allow(&mut self, request: &Value, input: &Value) {
        let answer = json!({"behavior": "allow", "updatedInput": input});
        let response = json!({"subtype": "success", "request_id": request["request_id"], "response": answer});
        self.0.send(&json!({"type": "control_response", "response": response}));
    }

    /// Everything that it wrote so far.
    pub fn frames(&self) -> &[Value] {
        self.0.frames()
    }

    /// Kills it, as a crash would: it can tell nobody.
    pub fn crash(self) -> Finished {
        self.0.crash()
    }

    /// Ends the input, and waits for the end.
    pub fn finish(self) -> Finished {
        self.0.finish()
    }
}
