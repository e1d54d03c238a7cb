//! Codex runs a hook only once its user has trusted it, and skips it without a word else (C7). Trust is set the way
//! Codex itself does it: through its app-server, over standard input and output, one JSON message a line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use wakeful_clients::install::command::is_ours;

use super::Environment;
use super::run::command;

/// How long one answer may take. The first one waits for the server to start: a fraction of a second where it was
/// tried, more on a machine that is busy.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    /// Hooks that are trusted now and were not.
    pub newly: usize,
    /// Hooks that were trusted already.
    pub already: usize,
    /// Codex's keys of all of them.
    pub keys: Vec<String>,
}

/// Why hooks may not run.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// It could not be started or spoken to.
    #[error("the app-server of Codex could not be used: {0}")]
    Io(#[from] std::io::Error),
    /// It took too long.
    #[error("the app-server of Codex did not answer in {} s", ANSWER_LIMIT.as_secs())]
    TimeLimit,
    /// It went away.
    #[error("the app-server of Codex ended without an answer")]
    Ended,
    /// It said no, or something that is not understood.
    #[error("the app-server of Codex answered {0}")]
    Answer(String),
    /// It does not know of our hooks.
    #[error("Codex does not list the hooks")]
    NotListed,
    /// It did as it was told, and yet.
    #[error("Codex still does not trust {0} of the hooks")]
    Untrusted(usize),
}

/// A hook, as Codex lists it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hook {
    key: String,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    source_path: Option<String>,
    current_hash: String,
    trust_status: String,
}

impl Hook {
    fn is_trusted(&self) -> bool {
        ["trusted", "managed"].contains(&self.trust_status.as_str())
    }
}

/// Makes Codex trust our hooks in `hooks_file`, and no other, and looks whether it does.
///
/// # Errors
/// When that could not be done or seen; the hooks stay as they are.
pub fn trust(program: &Path, environment: &Environment, hooks_file: &Path) -> Result<Trusted, TrustError> {
    let mut server = Server::start(program, environment)?;
    server.call(
        "initialize",
        &json!({"clientInfo": {"name": "wakeful", "title": "Wakeful", "version": env!("CARGO_PKG_VERSION")}}),
    )?;
    server.send(&json!({"method": "initialized"}))?;
    let folder = environment.home();
    let hooks = server.our_hooks(folder, hooks_file)?;
    if hooks.is_empty() {
        return Err(TrustError::NotListed);
    }
    let keys: Vec<String> = hooks.iter().map(|hook| hook.key.clone()).collect();
    let wanting: serde_json::Map<String, Value> = hooks
        .iter()
        .filter(|hook| !hook.is_trusted())
        .map(|hook| (hook.key.clone(), json!({"trusted_hash": hook.current_hash})))
        .collect();
    let newly = wanting.len();
    if newly > 0 {
        let edit = json!({"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": wanting});
        server.call("config/batchWrite", &json!({"edits": [edit], "reloadUserConfig": true}))?;
        let hooks = server.our_hooks(folder, hooks_file)?;
        match hooks.iter().filter(|hook| !hook.is_trusted()).count() {
            0 if hooks.len() == keys.len() => {}
            0 => return Err(TrustError::NotListed),
            untrusted => return Err(TrustError::Untrusted(untrusted)),
        }
    }
    Ok(Trusted { newly, already: keys.len() - newly, keys })
}

/// The app-server, as a child process. It ends with this.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
}

impl Server {
    fn start(program: &Path, environment: &Environment) -> Result<Self, TrustError> {
        let mut child = command(program, environment).arg("app-server").stdin(Stdio::piped()).spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take();
        let (send, lines) = mpsc::channel();
        let server = Self { child, input, lines, next_id: 1 };
        let output = output.ok_or(TrustError::Ended)?;
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(server)
    }

    fn send(&mut self, message: &Value) -> Result<(), TrustError> {
        let input = self.input.as_mut().ok_or(TrustError::Ended)?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }

    fn call(&mut self, method: &str, params: &Value) -> Result<Value, TrustError> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"id": id, "method": method, "params": params}))?;
        loop {
            let line = self.lines.recv_timeout(ANSWER_LIMIT).map_err(|error| match error {
                mpsc::RecvTimeoutError::Timeout => TrustError::TimeLimit,
                mpsc::RecvTimeoutError::Disconnected => TrustError::Ended,
            })?;
            // Other lines are notifications, or a log that went astray.
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else { continue };
            if message.get("method").is_some() || message.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            return match message.get_mut("result") {
                Some(result) => Ok(result.take()),
                None => Err(TrustError::Answer(format!("to {method}: {}", message["error"]))),
            };
        }
    }

    fn our_hooks(&mut self, folder: &Path, hooks_file: &Path) -> Result<Vec<Hook>, TrustError> {
        let answer = self.call("hooks/list", &json!({"cwds": [folder]}))?;
        let listed = answer["data"].as_array().into_iter().flatten().filter_map(|of| of["hooks"].as_array());
        let mut hooks = Vec::new();
        for hook in listed.flatten() {
            let hook: Hook = serde_json::from_value(hook.clone()).map_err(|error| {
                TrustError::Answer(format!("to hooks/list with a hook that is not known: {error}"))
            })?;
            let command = hook.command.as_deref().is_some_and(is_ours);
            let source = hook.source_path.as_deref().map(Path::new);
            if command && source.is_some_and(|source| same_file(source, hooks_file)) {
                hooks.push(hook);
            }
        }
        Ok(hooks)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its input closes; it would end by itself, but nothing here waits for that.
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
