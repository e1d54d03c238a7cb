//! Starting and ending programs, with programs that every machine has.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use serde_json::json;
use wakeful_testkit::latch::Latch;
use wakeful_testkit::patience::Deadline;
use wakeful_testkit::running::Running;
use wakeful_testkit::sandbox::Sandbox;

fn sandbox() -> Sandbox {
    Sandbox::new(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap()
}

fn shell(sandbox: &Sandbox, script: &str) -> Running {
    let mut command = sandbox.command(Path::new("/bin/sh"));
    command.args(["-c", script]);
    Running::start(command, true, &sandbox.home().join("stderr")).unwrap()
}

#[test]
fn it_is_talked_to_in_lines_of_json() {
    let sandbox = sandbox();
    let mut echo = shell(&sandbox, "echo no json; echo trouble >&2; cat");
    echo.send(&json!({"n": 1}));
    echo.send(&json!({"n": 2}));
    assert_eq!(echo.until("the second", |frame| frame["n"] == 2), json!({"n": 2}));
    let finished = echo.finish();
    assert!(finished.status.success());
    assert_eq!((finished.frames.len(), finished.other), (2, vec!["no json".to_owned()]));
    assert_eq!(finished.errors, "trouble\n");
}

#[test]
#[should_panic(expected = "sh ended before the word")]
fn its_end_ends_every_wait() {
    shell(&sandbox(), "echo '{}'").until("the word", |frame| frame["word"] == true);
}

#[test]
fn it_sees_nothing_of_our_environment() {
    let sandbox = sandbox();
    let names = shell(&sandbox, "env").finish().other;
    let names: Vec<_> = names.iter().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    for name in ["HOME", "PATH", "TMPDIR"] {
        assert!(names.contains(&name), "{name}");
    }
    assert!(!names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
}

#[test]
fn dropped_it_ends_with_its_process_group() {
    let sandbox = sandbox();
    let latch = Latch::new(&sandbox.home().join("latch")).unwrap();
    let mut parent = shell(&sandbox, &format!("cat '{0}' & echo '{{}}'; cat '{0}'", latch.path().display()));
    parent.until("its start", |_| true);
    assert!(cfg!(not(target_os = "linux")) || !sandbox.processes().is_empty());
    drop(parent);
    until_none_lives(&sandbox);
}

#[test]
#[cfg(target_os = "linux")]
fn what_has_left_the_group_ends_with_the_sandbox() {
    let sandbox = sandbox();
    let latch = Latch::new(&sandbox.home().join("latch")).unwrap();
    // In a session of its own, as clients start commands in the background.
    let script = format!("setsid cat '{}' >/dev/null 2>&1 & echo '{{}}'", latch.path().display());
    assert!(shell(&sandbox, &script).finish().status.success());
    let left = sandbox.processes();
    assert_eq!(left.len(), 1);
    drop(sandbox);
    let deadline = Deadline::new();
    while Path::new(&format!("/proc/{}", left[0])).exists() && !is_zombie(left[0]) {
        assert!(deadline.left().is_some(), "it lives on");
    }
}

#[cfg(target_os = "linux")]
fn is_zombie(id: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| stat.contains(") Z "))
}

/// A killed process is gone a moment later.
fn until_none_lives(sandbox: &Sandbox) {
    let deadline = Deadline::new();
    while !sandbox.processes().is_empty() {
        assert!(deadline.left().is_some(), "they live on: {:?}", sandbox.processes());
    }
}
