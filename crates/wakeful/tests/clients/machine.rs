//! One machine of a user: a home, the clients in it, and Wakeful as it would be installed there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value;
use wakeful_testkit::clients::Clients;
use wakeful_testkit::patience::Deadline;
use wakeful_testkit::sandbox::Sandbox;

/// The machine.
pub struct Machine {
    pub sandbox: Sandbox,
    pub clients: Clients,
}

impl Machine {
    /// A new one; `None` where the clients are not installed, which is said.
    pub fn new() -> Option<Self> {
        let clients = wakeful_testkit::clients::installed()?;
        let sandbox = Sandbox::new(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
        let machine = Self { sandbox, clients };
        let programs = [(env!("CARGO_BIN_EXE_wakeful").as_ref(), "wakeful")];
        let clients = [(&*machine.clients.claude, "claude"), (&*machine.clients.codex, "codex")];
        for (program, name) in programs.into_iter().chain(clients) {
            symlink(program, machine.sandbox.programs().join(name)).unwrap();
        }
        Some(machine)
    }

    /// The installed program.
    pub fn program(&self) -> PathBuf {
        self.sandbox.programs().join("wakeful")
    }

    /// Registers the hooks of `client` as its user does; what set-up says about it.
    pub fn set_up(&self, client: &str) -> Value {
        let said = self.wakeful(&["setup", client, "--yes", "--json"]);
        let [report] = &said["clients"].as_array().unwrap()[..] else { panic!("{said:#}") };
        assert_eq!((&report["done"], &report["error"]), (&Value::Bool(true), &Value::Null), "{report:#}");
        report.clone()
    }

    /// What `wakeful ARGS` prints, as JSON.
    pub fn wakeful(&self, args: &[&str]) -> Value {
        let output = self.sandbox.command(&self.program()).args(args).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "wakeful {args:?}: {}\n{errors}", output.status);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("wakeful {args:?}: {error}"))
    }

    /// The one session, as `wakeful list --json` shows it.
    pub fn session(&self) -> Value {
        let mut listed = self.wakeful(&["list", "--json"]);
        let unread = &listed["unread"];
        for (what, count) in unread.as_object().unwrap() {
            assert_eq!(count, 0, "{what} in {unread}");
        }
        let sessions = listed["sessions"].as_array_mut().unwrap();
        assert_eq!(sessions.len(), 1, "{sessions:#?}");
        sessions.remove(0)
    }

    /// Status and reason of the one session, as `waiting` or `needs_you(done)`.
    pub fn status(&self) -> String {
        let session = self.session();
        let status = session["status"].as_str().unwrap();
        match session["reason"].as_str() {
            Some(reason) => format!("{status}({reason})"),
            None => status.to_owned(),
        }
    }

    /// Looks until the one session has this status: what leads to it may still be under way in another process.
    pub fn until_status(&self, wanted: &str) {
        let deadline = Deadline::new();
        while self.status() != wanted {
            assert!(deadline.left().is_some(), "it is {}, not {wanted}", self.status());
        }
    }

    /// Every decision about the one session: turn, verdict, reason, gate and rule.
    pub fn decisions(&self) -> Vec<String> {
        let session = self.session();
        let shown = self.wakeful(&["show", session["id"].as_str().unwrap(), "--json"]);
        let timeline = shown["timeline"].as_array().unwrap();
        let decisions =
            timeline.iter().map(|moment| &moment["decision"]).filter(|decision| !decision.is_null());
        decisions.map(decision_line).collect()
    }

    /// Every decision that `wakeful replay` makes of a transcript, as [`Self::decisions`] has them.
    pub fn replayed(&self, transcript: &Path) -> Vec<String> {
        let out = self.sandbox.home().join("decisions.jsonl");
        let [transcript, written] = [transcript, &out].map(|path| path.to_str().unwrap());
        self.wakeful(&["replay", "--json", "--out", written, transcript]);
        let decisions = fs::read_to_string(&out).unwrap();
        decisions.lines().map(|line| decision_line(&line.parse().unwrap())).collect()
    }

    /// The lines of the spool that have `text` in them.
    pub fn spooled(&self, text: &str) -> Vec<Value> {
        let spool = self.sandbox.home().join(".local/state/wakeful/spool");
        let mut lines = Vec::new();
        for file in fs::read_dir(spool).into_iter().flatten().flatten() {
            let content = fs::read_to_string(file.path()).unwrap();
            lines
                .extend(content.lines().filter(|line| line.contains(text)).map(|line| line.parse().unwrap()));
        }
        lines
    }
}

/// A decision as one comparable line, of `wakeful show` and of `wakeful replay` alike.
fn decision_line(decision: &Value) -> String {
    let of = |name: &str| decision[name].as_str().unwrap_or("-").to_owned();
    format!("{} {} {} {} {}", decision["turn"], of("verdict"), of("reason"), of("gate"), of("rule"))
}

/// Every hook in `file` gets `seconds`: how long the client waits for one that hangs is not what a test is to wait for.
pub fn shorten_timeouts(file: &Path, seconds: u32) {
    let mut settings: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let mut shortened = 0;
    for groups in settings["hooks"].as_object_mut().unwrap().values_mut() {
        for group in groups.as_array_mut().unwrap() {
            for hook in group["hooks"].as_array_mut().unwrap() {
                hook["timeout"] = seconds.into();
                shortened += 1;
            }
        }
    }
    assert!(shortened > 0);
    fs::write(file, settings.to_string()).unwrap();
}
