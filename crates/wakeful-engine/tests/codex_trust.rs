//! Asking Codex for trust (C7), with a stand-in for its app-server that answers as the real one does (0.171.0), from a shell
//! script. What the real one makes of it is not shown here.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use wakeful_core::ids::Client;
use wakeful_engine::install::codex_config::{TrustSeen, Untrust, is_as_trusted, trust_hooks, trust_seen};
use wakeful_engine::install::codex_trust::{TrustError, Trusted, trust};
use wakeful_engine::install::{Environment, StateDir, look, plan_setup, plan_unsetup};

const CONFIG: &str = "# mine\nmodel = \"m\"\n";

/// Answers by the method in the line; `$state` is what it says of trust, and a write makes it `trusted`.
const SERVER: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo "codex-cli 0.171.0"; exit; }
here=$(dirname "$0")
hook() {
  printf '{"key":"%s","command":"%s","sourcePath":"%s","currentHash":"sha256:%s","trustStatus":"%s","new":1}' "$@"
}
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"method":"initialize"'*) echo 'a line of a log'; echo '{"method":"status/changed","params":{}}'; echo "{\"id\":$id,\"result\":{}}" ;;
    *hooks/list*)
      status=$(cat "$here/status")
      [ "$status" = gone ] && exit
      [ "$status" = error ] && { echo "{\"id\":$id,\"error\":{\"message\":\"no such method\"}}"; continue; }
      [ "$status" = none ] && { echo "{\"id\":$id,\"result\":{\"data\":[]}}"; continue; }
      echo "{\"id\":$id,\"result\":{\"data\":[{\"hooks\":[$(hook k:stop:0:0 'beep' "$here/hooks.json" 0 untrusted),$(hook k:stop:1:0 '/opt/wakeful hook codex' "$here/hooks.json" 1 "$status"),$(hook p:stop:0:0 '/opt/wakeful hook codex' /elsewhere/hooks.json 2 untrusted)]}]}}" ;;
    *config/batchWrite*)
      printf '%s\n' "$line" >> "$here/written"
      printf '\n[hooks.state."k:stop:1:0"]\ntrusted_hash = "sha256:1"\n' >> "$here/config.toml"
      [ -e "$here/stubborn" ] || echo trusted > "$here/status"
      echo "{\"id\":$id,\"result\":{\"status\":\"ok\"}}" ;;
  esac
done
"#;

struct Codex {
    folder: tempfile::TempDir,
    environment: Environment,
}

impl Codex {
    fn new(status: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        fs::write(at.join("codex"), SERVER).unwrap();
        fs::set_permissions(at.join("codex"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(at.join("status"), format!("{status}\n")).unwrap();
        fs::write(at.join("config.toml"), CONFIG).unwrap();
        let path = std::env::join_paths([at, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
        let variables =
            [("PATH", path), ("CODEX_HOME", at.into()), ("WAKEFUL_STATE_DIR", at.join("state").into())];
        let variables = variables.map(|(name, value)| (name.into(), value));
        Self { environment: Environment::new(variables, at), folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn trust(&self) -> Result<Trusted, TrustError> {
        trust(&self.file("codex"), &self.environment, &self.file("hooks.json"))
    }
}

#[test]
fn only_our_hooks_in_our_file_are_trusted() {
    let codex = Codex::new("untrusted");
    let trusted = codex.trust().unwrap();
    assert_eq!(trusted, Trusted { newly: 1, already: 0, keys: vec!["k:stop:1:0".to_owned()] });
    let written: serde_json::Value =
        serde_json::from_slice(&fs::read(codex.file("written")).unwrap()).unwrap();
    let edit = &written["params"]["edits"][0];
    assert_eq!(edit["keyPath"], "hooks.state");
    assert_eq!(edit["mergeStrategy"], "upsert");
    assert_eq!(edit["value"], serde_json::json!({"k:stop:1:0": {"trusted_hash": "sha256:1"}}));
}

#[test]
fn what_is_trusted_is_not_asked_for_again() {
    let codex = Codex::new("trusted");
    assert_eq!(codex.trust().unwrap().already, 1);
    assert!(!codex.file("written").exists());
}

#[test]
fn a_changed_hook_is_trusted_again() {
    assert_eq!(Codex::new("modified").trust().unwrap().newly, 1);
}

#[test]
fn what_goes_wrong_is_said() {
    assert!(
        matches!(Codex::new("error").trust(), Err(TrustError::Answer(text)) if text.contains("no such method"))
    );
    assert!(matches!(Codex::new("gone").trust(), Err(TrustError::Ended)));
    assert!(matches!(Codex::new("none").trust(), Err(TrustError::NotListed)));
    let stubborn = Codex::new("untrusted");
    fs::write(stubborn.file("stubborn"), "").unwrap();
    assert!(matches!(stubborn.trust(), Err(TrustError::Untrusted(1))));
    let missing = Codex::new("untrusted");
    fs::remove_file(missing.file("codex")).unwrap();
    assert!(matches!(missing.trust(), Err(TrustError::Io(_))));
}

/// What `doctor` sees, which asks nobody.
#[test]
fn trust_is_seen_in_the_file() {
    let codex = Codex::new("untrusted");
    let found = look(Client::Codex, &codex.environment).unwrap();
    let change = plan_setup(&found, Path::new("/opt/wakeful"), &StateDir::of(&codex.environment)).unwrap();
    change.apply().unwrap();
    assert_eq!(trust_seen(&change).unwrap(), TrustSeen::Unasked);
    trust_hooks(&change, &codex.file("codex"), &codex.environment).unwrap().unwrap();
    assert_eq!(trust_seen(&change).unwrap(), TrustSeen::Kept);
    let config = fs::read_to_string(codex.file("config.toml")).unwrap();
    fs::write(codex.file("config.toml"), format!("{config}\n[analytics]\nenabled = false\n")).unwrap();
    assert_eq!(trust_seen(&change).unwrap(), TrustSeen::Kept, "other edits are the user's");
    fs::write(codex.file("config.toml"), CONFIG).unwrap();
    assert_eq!(trust_seen(&change).unwrap(), TrustSeen::Missing(1));
}

/// Sets up and asks for trust, edits `config.toml`, takes both out again; gives `config.toml`.
fn there_and_back(edit: impl Fn(String) -> String) -> String {
    let codex = Codex::new("untrusted");
    let state = StateDir::of(&codex.environment);
    let found = look(Client::Codex, &codex.environment).unwrap();
    assert_eq!(found.version.map(|version| version.to_string()).as_deref(), Some("0.171.0"));
    let change = plan_setup(&found, Path::new("/opt/wakeful"), &state).unwrap();
    change.apply().unwrap();
    assert!(!is_as_trusted(&change).unwrap());
    trust_hooks(&change, &codex.file("codex"), &codex.environment).unwrap().unwrap();
    assert!(is_as_trusted(&change).unwrap());
    let config = fs::read_to_string(codex.file("config.toml")).unwrap();
    assert!(config.contains("k:stop:1:0"));
    fs::write(codex.file("config.toml"), edit(config)).unwrap();
    let change = plan_unsetup(&found, &state).unwrap();
    let untrust = Untrust::plan(&change).unwrap().expect("there is trust to be taken back");
    assert!(untrust.diff().contains("-[hooks.state.\"k:stop:1:0\"]"), "{}", untrust.diff());
    change.apply().unwrap();
    untrust.apply().unwrap();
    assert!(!codex.file("hooks.json").exists());
    fs::read_to_string(codex.file("config.toml")).unwrap()
}

#[test]
fn removal_takes_the_trust_back() {
    assert_eq!(there_and_back(|config| config), CONFIG);
    let edited = there_and_back(|config| format!("{config}\n[analytics]\nenabled = false # mine\n"));
    assert_eq!(edited, format!("{CONFIG}\n[analytics]\nenabled = false # mine\n"));
}
