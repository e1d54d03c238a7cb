//! Codex: its folder, a run of `codex exec`, and its app-server.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::claude::add_hook;
use crate::model::Model;
use crate::running::{Finished, Running};
use crate::sandbox::Sandbox;

/// Codex in a sandbox.
pub struct Codex<'a> {
    program: &'a Path,
    sandbox: &'a Sandbox,
}

impl<'a> Codex<'a> {
    /// Prepares its folder: a provider that is the scripted model, commands run without a question and without the client's own
    /// sandbox, which not every machine offers.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn new(program: &'a Path, sandbox: &'a Sandbox, model: &Model) -> io::Result<Self> {
        let codex = Self { program, sandbox };
        fs::create_dir_all(codex.folder())?;
        let url = model.url();
        let config = format!(
            "model = \"scripted\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\n\
             sandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\
             [analytics]\nenabled = false\n\
             [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{url}/v1\"\nwire_api = \"responses\"\n\
             env_key = \"SCRIPTED_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"
        );
        fs::write(codex.folder().join("config.toml"), config)?;
        Ok(codex)
    }

    /// Its folder (`CODEX_HOME`).
    pub fn folder(&self) -> PathBuf {
        self.sandbox.home().join(".codex")
    }

    /// Its hooks file.
    pub fn hooks(&self) -> PathBuf {
        self.folder().join("hooks.json")
    }

    /// Adds a hook of another program, with its timeout in seconds.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn add_hook(&self, event: &str, command: &str, timeout: u32) -> io::Result<()> {
        add_hook(&self.hooks(), event, command, timeout)
    }

    /// One prompt, to the end of the process. `trusting` runs hooks that nobody has trusted.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn exec(&self, prompt: &str, trusting: bool) -> io::Result<Finished> {
        let mut command = self.command();
        command.args(["exec", "--json", "--skip-git-repo-check"]);
        if trusting {
            command.arg("--dangerously-bypass-hook-trust");
        }
        command.arg(prompt);
        Ok(Running::start(command, false, &self.errors("exec"))?.finish())
    }

    /// Starts its app-server, which sets trust among other things.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn app_server(&self) -> io::Result<AppServer> {
        let mut command = self.command();
        command.arg("app-server");
        let running = Running::start(command, true, &self.errors("app-server"))?;
        let mut server = AppServer { running, requests: 0 };
        let client = json!({"name": "wakeful-tests", "title": "tests", "version": "0"});
        server
            .request("initialize", &json!({"clientInfo": client, "capabilities": {"experimentalApi": true}}));
        server.running.send(&json!({"method": "initialized"}));
        Ok(server)
    }

    /// Trusts every hook that is registered, as a user does in the client; how many those are.
    ///
    /// # Errors
    /// When the app-server cannot be started.
    pub fn trust_hooks(&self) -> io::Result<usize> {
        let mut server = self.app_server()?;
        let listed = server.hooks(&self.sandbox.project());
        let trusted = |hook: &Value| {
            let key = hook["key"].as_str().unwrap_or_default().to_owned();
            (key, json!({"trusted_hash": hook["currentHash"]}))
        };
        let value: serde_json::Map<String, Value> = listed.iter().map(trusted).collect();
        let edit = json!({"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": value});
        server.request("config/batchWrite", &json!({"edits": [edit], "reloadUserConfig": true}));
        server.running.finish();
        Ok(listed.len())
    }

    /// The rollouts that its runs left.
    pub fn rollouts(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.folder().join("sessions")];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() { folders.push(path) } else { found.push(path) }
            }
        }
        found
    }

    fn command(&self) -> Command {
        let mut command = self.sandbox.command(self.program);
        command.env("CODEX_HOME", self.folder()).env("SCRIPTED_KEY", "not-a-key");
        command
    }

    fn errors(&self, of: &str) -> PathBuf {
        self.sandbox.home().join(format!("codex-{of}.stderr"))
    }
}

/// The app-server: requests and answers, one JSON object a line.
pub struct AppServer {
    running: Running,
    requests: u64,
}

impl AppServer {
    /// Asks and waits for the answer.
    ///
    /// # Panics
    /// When the answer is an error, or does not come.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.running.send(&json!({"id": id, "method": method, "params": params}));
        let mut answer = self.running.until(&format!("the answer to {method}"), |frame| {
            // Requests of the server have ids of their own, and a method.
            frame["id"] == id && frame["method"].is_null()
        });
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The hooks that it knows of for sessions in `folder`.
    pub fn hooks(&mut self, folder: &Path) -> Vec<Value> {
        let listed = self.request("hooks/list", &json!({"cwds": [folder]}));
        listed["data"][0]["hooks"].as_array().cloned().unwrap_or_default()
    }

    /// Starts a thread in `folder`, whose commands need approval to leave the client's sandbox, and its first turn; the thread.
    pub fn start_turn(&mut self, folder: &Path, prompt: &str) -> String {
        let thread = json!({"cwd": folder, "approvalPolicy": "on-request", "sandbox": "workspace-write"});
        let started = self.request("thread/start", &thread);
        let thread = started["thread"]["id"].as_str().expect("a thread has an id").to_owned();
        self.continue_thread(&thread, prompt);
        thread
    }

    /// Starts the next turn.
    pub fn continue_thread(&mut self, thread: &str, prompt: &str) {
        let input = json!([{"type": "text", "text": prompt}]);
        self.request("turn/start", &json!({"threadId": thread, "input": input}));
    }

    /// The next frame that is `wanted`.
    pub fn until(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.running.until(what, wanted)
    }

    /// Answers a request of the server's.
    pub fn answer(&mut self, request: &Value, result: &Value) {
        self.running.send(&json!({"id": request["id"], "result": result}));
    }

    /// Ends it.
    pub fn finish(self) -> Finished {
        self.running.finish()
    }
}
