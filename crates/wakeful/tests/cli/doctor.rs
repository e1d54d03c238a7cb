//! `wakeful doctor` (C9).

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::sandbox::{Sandbox, finish, stdout};

/// What it says as JSON, with its exit code.
fn doctor(home: &Sandbox) -> (Option<i32>, Value) {
    let output = finish(home.wakeful(&["doctor", "--json"]), b"");
    (output.status.code(), serde_json::from_str(&stdout(&output)).unwrap())
}

fn state<'a>(said: &'a Value, check: &str) -> &'a str {
    let checks = said["checks"].as_array().unwrap();
    checks.iter().find(|finding| finding["check"] == check).unwrap()["state"].as_str().unwrap()
}

/// Sets Claude Code's hooks up for this program.
fn set_up(home: &Sandbox) -> PathBuf {
    let output: Output = finish(home.wakeful(&["setup", "claude-code", "--yes"]), b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    home.home().join(".claude/settings.json")
}

#[test]
fn nothing_installed_is_no_fault_and_says_what_to_do() {
    let home = Sandbox::new();
    let output = finish(home.wakeful(&["doctor"]), b"");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    let text = stdout(&output);
    assert!(text.starts_with("warn    clients: no client was found"), "{text}");
    assert!(text.contains("`wakeful setup"), "{text}");
    assert!(text.ends_with("\n10 ok, 1 to look at, 0 broken\n"), "{text}");
    assert_eq!(fs::read_dir(home.home()).unwrap().count(), 0, "it makes nothing");
}

#[test]
fn from_set_up_to_the_first_event() {
    let home = Sandbox::new();
    set_up(&home);
    let (code, said) = doctor(&home);
    assert_eq!((code, &said["version"], &said["broken"]), (Some(0), &1.into(), &false.into()));
    assert_eq!((state(&said, "hooks"), state(&said, "firing")), ("ok", "warn"));
    home.hook(
        "claude-code",
        br#"{"session_id":"s1","hook_event_name":"SessionStart","source":"startup","cwd":"/home/eve"}"#,
    );
    let (code, said) = doctor(&home);
    assert_eq!((code, state(&said, "firing")), (Some(0), "ok"));
    assert!(said["last_events"]["claude-code"].as_str().unwrap().ends_with('Z'), "{said}");
    // What set-up and the hook make is for the user alone.
    assert_eq!(state(&said, "rights"), "ok", "{said}");
    assert_eq!(state(&said, "unknowns"), "ok", "{said}");
}

#[test]
fn what_is_broken_exits_1() {
    type Break = fn(&Sandbox, PathBuf);
    let rows: [(&str, Break); 5] = [
        ("hooks", |_, settings| {
            let text = fs::read_to_string(&settings).unwrap();
            fs::write(&settings, text.replace("/wakeful'", "/gone/wakeful'")).unwrap();
        }),
        ("hooks", |_, settings| fs::write(settings, "{").unwrap()),
        ("settings", |home, _| home.settings("[guard]\npolicy = \"loud\"\n")),
        ("rules", |home, _| home.write(".config/wakeful/rules/mine.toml", "no rule")),
        ("spool", |home, _| home.write(".local/state/wakeful/spool", "")),
    ];
    for (check, damage) in rows {
        let home = Sandbox::new();
        let settings = set_up(&home);
        damage(&home, settings);
        let (code, said) = doctor(&home);
        assert_eq!((code, &said["broken"], state(&said, check)), (Some(1), &true.into(), "broken"), "{said}");
        let finding =
            said["checks"].as_array().unwrap().iter().find(|finding| finding["check"] == check).unwrap();
        assert!(finding["advice"].is_string(), "{finding}");
    }
}

#[test]
fn it_changes_nothing() {
    let home = Sandbox::new();
    let settings = set_up(&home);
    fs::write(&settings, fs::read_to_string(&settings).unwrap().replace("\"Stop\"", "\"Step\"")).unwrap();
    let before = fs::read(&settings).unwrap();
    let (_, said) = doctor(&home);
    assert_eq!(state(&said, "hooks"), "warn", "{said}");
    assert_eq!(fs::read(&settings).unwrap(), before);
}
