//! Made-up homes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use wakeful_core::time::Millis;

use super::super::State;
use super::super::heard::tests::NOW;
use super::*;
use crate::install::look;

struct Home {
    folder: tempfile::TempDir,
    environment: Environment,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Self { environment: Environment::new([], folder.path()), folder };
        home.program("wakeful");
        home.program("old/wakeful");
        home
    }

    /// A program of this name.
    fn program(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join("bin").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn own(&self) -> PathBuf {
        self.folder.path().join("bin/wakeful")
    }

    fn set_up(&self, client: Client, program: &Path) {
        let found = look(client, &self.environment).unwrap();
        plan_setup(&found, program, &StateDir::of(&self.environment)).unwrap().apply().unwrap();
    }

    fn settings(&self, client: Client) -> PathBuf {
        look(client, &self.environment).unwrap().settings
    }

    fn findings(&self, client: Client, last: Option<Now>) -> Vec<Finding> {
        let found = look(client, &self.environment).unwrap();
        let program = self.own();
        super::client(&found, last, &Around { environment: &self.environment, program: &program, now: NOW })
    }

    fn finding(&self, client: Client, check: Check) -> Option<Finding> {
        self.findings(client, None).into_iter().find(|finding| finding.check == check)
    }

    fn hooks(&self, client: Client) -> State {
        self.finding(client, Check::Hooks).unwrap().state
    }
}

#[test]
fn hooks_that_are_not_there_are_no_fault() {
    let home = Home::new();
    let found = home.finding(Client::ClaudeCode, Check::Hooks).unwrap();
    assert_eq!(
        (found.state, found.advice.as_deref()),
        (State::Warn, Some("run `wakeful setup claude-code`"))
    );
    assert!(home.finding(Client::ClaudeCode, Check::Firing).is_none(), "nothing to be proven");
}

#[test]
fn hooks_as_set_up_writes_them() {
    let home = Home::new();
    for client in [Client::ClaudeCode, Client::Codex, Client::Cursor] {
        home.set_up(client, &home.own());
        let found = home.finding(client, Check::Hooks).unwrap();
        assert_eq!(found.state, State::Ok, "{found:?}");
    }
}

#[test]
fn hooks_that_call_something_else() {
    let home = Home::new();
    let old = home.folder.path().join("bin/old/wakeful");
    home.set_up(Client::ClaudeCode, &old);
    assert_eq!(home.hooks(Client::ClaudeCode), State::Warn, "another program that is there");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(home.hooks(Client::ClaudeCode), State::Broken, "it cannot be run");
    fs::remove_file(&old).unwrap();
    let found = home.finding(Client::ClaudeCode, Check::Hooks).unwrap();
    assert_eq!(found.state, State::Broken);
    assert!(found.seen.contains("old/wakeful, which is not there"), "{}", found.seen);
    home.set_up(Client::ClaudeCode, &home.own());
    fs::remove_file(home.own()).unwrap();
    assert_eq!(home.hooks(Client::ClaudeCode), State::Broken, "this program itself is gone");
}

#[test]
fn hooks_of_another_version_are_stale() {
    let home = Home::new();
    home.set_up(Client::ClaudeCode, &home.own());
    let settings = home.settings(Client::ClaudeCode);
    let text = fs::read_to_string(&settings).unwrap().replace("\"timeout\": 5", "\"timeout\": 60");
    fs::write(&settings, text).unwrap();
    assert_eq!(home.hooks(Client::ClaudeCode), State::Warn);
}

#[test]
fn a_file_that_keeps_hooks_from_running_is_broken() {
    let home = Home::new();
    home.set_up(Client::ClaudeCode, &home.own());
    let settings = home.settings(Client::ClaudeCode);
    let text = fs::read_to_string(&settings).unwrap().replacen('{', "{\n  \"disableAllHooks\": true,", 1);
    fs::write(&settings, text).unwrap();
    assert_eq!(home.hooks(Client::ClaudeCode), State::Broken);
    fs::write(&settings, "{\"hooks\": 7}").unwrap();
    let found = home.finding(Client::ClaudeCode, Check::Hooks).unwrap();
    assert_eq!(found.state, State::Broken);
    assert!(found.seen.contains("line 1"), "{}", found.seen);
}

#[test]
fn a_file_that_is_managed_elsewhere_is_no_fault() {
    let home = Home::new();
    home.set_up(Client::ClaudeCode, &home.own());
    let settings = home.settings(Client::ClaudeCode);
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(home.hooks(Client::ClaudeCode), State::Ok, "nothing is to be changed");
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&settings, "{}").unwrap();
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(home.hooks(Client::ClaudeCode), State::Warn);
}

#[test]
fn firing_is_proven_by_an_event() {
    let home = Home::new();
    home.set_up(Client::ClaudeCode, &home.own());
    let found = home.finding(Client::ClaudeCode, Check::Firing).unwrap();
    assert!(found.state == State::Warn && found.seen.starts_with("unproven"), "{found:?}");
    let last =
        Now { wall: NOW.wall, boot: wakeful_core::time::Boot(NOW.boot.0 - Millis::minutes(5).0), ..NOW };
    let findings = home.findings(Client::ClaudeCode, Some(last));
    let found = findings.iter().find(|finding| finding.check == Check::Firing).unwrap();
    assert_eq!(
        (found.state, found.seen.as_str()),
        (State::Ok, "last event 5 min ago (2027-01-15T08:00:00Z)")
    );
}

#[test]
fn trust_by_what_is_seen_of_it() {
    let home = Home::new();
    home.set_up(Client::Codex, &home.own());
    assert_eq!(home.finding(Client::Codex, Check::Trust).unwrap().state, State::Warn);
    for (seen, last, state) in [
        (TrustSeen::Kept, None, State::Ok),
        (TrustSeen::Unasked, None, State::Warn),
        (TrustSeen::Unasked, Some(NOW), State::Ok),
        (TrustSeen::Missing(2), Some(NOW), State::Broken),
    ] {
        assert_eq!(trust(Ok(seen), last).state, state, "{seen:?}");
    }
    assert!(home.finding(Client::Cursor, Check::Trust).is_none());
}

#[test]
fn a_client_by_program_and_version() {
    let home = Home::new();
    let found = |version, programs: Vec<PathBuf>| {
        let found = look(Client::ClaudeCode, &home.environment).unwrap();
        present(&Found { version, programs, ..found }).state
    };
    let version = wakeful_clients::install::Version::new;
    assert_eq!(found(None, vec![]), State::Warn);
    assert_eq!(found(None, vec!["/bin/claude".into()]), State::Warn);
    assert_eq!(found(Some(version(1, 0, 0)), vec!["/bin/claude".into()]), State::Warn);
    assert_eq!(found(Some(version(2, 1, 332)), vec!["/bin/claude".into()]), State::Ok);
}
