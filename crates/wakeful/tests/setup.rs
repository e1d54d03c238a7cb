//! `wakeful setup` and `unsetup` as programs: what they print and how they exit. The home is a temporary folder, and no client is
//! on the path.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with_settings(text: &str) -> Self {
        let home = Self::new();
        fs::create_dir(home.0.path().join(".claude")).unwrap();
        fs::write(home.settings(), text).unwrap();
        home
    }

    fn settings(&self) -> PathBuf {
        self.0.path().join(".claude/settings.json")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.settings()).unwrap()
    }

    fn wakeful(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wakeful"));
        command.args(arguments).env_clear().env("HOME", self.0.path()).stdin(Stdio::null());
        command.env("WAKEFUL_NO_DAEMON", "1");
        command.output().unwrap()
    }
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

const SETTINGS: &str = "{\n  \"model\": \"large\" // mine\n}\n";

#[test]
fn there_and_back() {
    let home = Home::with_settings(SETTINGS);
    let setup = home.wakeful(&["setup", "--yes"]);
    assert_eq!(setup.status.code(), Some(0), "{}", err(&setup));
    assert!(out(&setup).contains("+    \"Stop\": ["), "{}", out(&setup));
    assert!(home.text().contains("hook claude-code"));
    let again = home.wakeful(&["setup", "--yes"]);
    assert!(out(&again).contains("nothing to change"), "{}", out(&again));
    let back = home.wakeful(&["unsetup", "--yes"]);
    assert_eq!(back.status.code(), Some(0), "{}", err(&back));
    assert_eq!(home.text(), SETTINGS);
}

#[test]
fn a_dry_run_changes_nothing() {
    let home = Home::with_settings(SETTINGS);
    let dry = home.wakeful(&["setup", "--dry-run"]);
    assert_eq!(dry.status.code(), Some(0));
    assert!(
        out(&dry).contains("-  \"model\": \"large\" // mine\n+  \"model\": \"large\", // mine\n"),
        "{}",
        out(&dry)
    );
    assert_eq!(home.text(), SETTINGS);
    assert_eq!(fs::read_dir(home.0.path()).unwrap().count(), 1, "nothing was kept");
}

#[test]
fn nobody_to_ask_is_a_usage_error() {
    let home = Home::with_settings(SETTINGS);
    for arguments in [&["setup"][..], &["unsetup"], &["setup", "--json"]] {
        let output = home.wakeful(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains("no terminal") && err(&output).contains("--yes"), "{}", err(&output));
    }
    assert_eq!(home.text(), SETTINGS);
}

#[test]
fn a_file_that_is_not_understood_is_exit_3_and_the_others_are_done() {
    let home = Home::with_settings("{\n  \"hooks\": 7\n}\n");
    fs::create_dir(home.0.path().join(".cursor")).unwrap();
    let output = home.wakeful(&["setup", "--yes"]);
    assert_eq!(output.status.code(), Some(3));
    let message = err(&output);
    assert!(
        message.contains("settings.json: line 2, column 12: `hooks` is a number; expected an object"),
        "{message}"
    );
    assert_eq!(home.text(), "{\n  \"hooks\": 7\n}\n");
    assert!(home.0.path().join(".cursor/hooks.json").exists());
}

#[test]
fn another_set_up_that_runs_is_exit_4() {
    let home = Home::with_settings(SETTINGS);
    let folder = home.0.path().join(".local/state/wakeful/install");
    fs::create_dir_all(&folder).unwrap();
    let lock = fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let output = home.wakeful(&["setup", "--yes"]);
    assert_eq!(output.status.code(), Some(4), "{}", err(&output));
    assert_eq!(home.text(), SETTINGS);
}

#[test]
fn json_says_what_was_done() {
    let home = Home::with_settings(SETTINGS);
    let output = home.wakeful(&["setup", "claude-code", "--yes", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["dry_run"], false);
    let client = &json["clients"][0];
    assert_eq!(client["client"], "claude-code");
    assert_eq!(client["done"], true);
    assert_eq!(client["error"], serde_json::Value::Null);
    assert!(client["diff"].as_str().unwrap().starts_with("--- "));
    assert_eq!(json["clients"].as_array().unwrap().len(), 1);
}

#[test]
fn clients_that_cannot_be_set_up() {
    let home = Home::new();
    assert_eq!(home.wakeful(&["setup", "gemini", "--yes"]).status.code(), Some(2));
    assert_eq!(home.wakeful(&["setup", "nobody", "--yes"]).status.code(), Some(2));
    let none = home.wakeful(&["setup", "--yes"]);
    assert_eq!(none.status.code(), Some(3));
    assert!(err(&none).contains("no client was found"));
    let named = home.wakeful(&["setup", "cursor", "--yes"]);
    assert_eq!(named.status.code(), Some(0), "{}", err(&named));
    assert!(home.0.path().join(".cursor/hooks.json").exists());
}
