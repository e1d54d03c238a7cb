//! `wakeful settings`, and what goes by them.

use std::fs;

use serde_json::Value;

use crate::environment::{Ran, World};
use crate::sandbox::{Sandbox, finish, stdout};

const FILE: &str = "home/.config/wakeful/settings.toml";

fn world(text: &str) -> World {
    let world = World::new();
    world.file(FILE, text);
    world
}

fn text(world: &World) -> String {
    fs::read_to_string(world.root().join(FILE)).unwrap()
}

fn fine(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    &ran.out
}

#[test]
fn the_list_says_where_values_come_from() {
    let world = world("waits.auto_wait_minutes = 45\nnotify.muted = [\"done\"]\n");
    let mut command = world.command(["settings", "list", "--changed"]);
    command.env("WAKEFUL_NOTIFY_CONTENT", "name").env("WAKEFUL_DISABLE_DETECTOR", "1");
    let output = command.output().unwrap();
    insta::assert_snapshot!(stdout(&output), @r#"
    detector.enabled         false             kill switch WAKEFUL_DISABLE_DETECTOR
    waits.auto_wait_minutes  45                file
    notify.muted             ["done"]          file
    notify.content           "name"            environment WAKEFUL_NOTIFY_CONTENT
    "#);
    assert_eq!(fine(&world.run(["settings"])), fine(&world.run(["settings", "list"])));
    let listed: Value = serde_json::from_str(fine(&world.run(["settings", "list", "--json"]))).unwrap();
    assert_eq!((&listed["version"], &listed["problem"]), (&1.into(), &Value::Null));
    assert!(listed["file"].as_str().unwrap().ends_with(FILE), "{listed}");
    let rows = listed["settings"].as_array().unwrap();
    assert!(rows.len() > 30, "{}", rows.len());
    let of = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap().to_string();
    insta::assert_snapshot!(of("waits.auto_wait_minutes"), @r#"{"default":30,"key":"waits.auto_wait_minutes","source":"file","value":45,"variable":null}"#);
    insta::assert_snapshot!(of("notify.muted"), @r#"{"default":[],"key":"notify.muted","source":"file","value":["done"],"variable":null}"#);
    insta::assert_snapshot!(of("detector.enabled"), @r#"{"default":true,"key":"detector.enabled","source":"default","value":true,"variable":null}"#);
}

#[test]
fn one_key_for_scripts() {
    let world = world("[guard]\npolicy = \"strict\"\n");
    assert_eq!(fine(&world.run(["settings", "get", "guard.policy"])), "strict\n");
    assert_eq!(fine(&world.run(["settings", "get", "waits.auto_wait_minutes"])), "30\n");
    let got: Value =
        serde_json::from_str(fine(&world.run(["settings", "get", "guard.policy", "--json"]))).unwrap();
    assert_eq!(
        got.to_string(),
        r#"{"default":"standard","key":"guard.policy","source":"file","value":"strict","variable":null,"version":1}"#
    );
    let ran = world.run(["settings", "get", "guard.polcy"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(
        ran.err.starts_with("wakeful: unknown key `guard.polcy`; did you mean `guard.policy`?\n"),
        "{}",
        ran.err
    );
    assert_eq!(fine(&world.run(["settings", "path"])), format!("$WORLD/{FILE}\n"));
}

#[test]
fn set_and_unset_keep_the_rest() {
    let before = "# mine\n[waits]  # all\nauto_wait_minutes = 20 # slow suite\n";
    let world = world(before);
    fine(&world.run(["settings", "set", "waits.auto_wait_minutes", "45"]));
    assert_eq!(text(&world), before.replace("20", "45"));
    fine(&world.run(["settings", "set", "notify.muted", "done,limit"]));
    assert_eq!(
        text(&world),
        format!("{}\n[notify]\nmuted = [\"done\", \"limit\"]\n", before.replace("20", "45"))
    );
    assert_eq!(fine(&world.run(["settings", "get", "notify.muted"])), "[\"done\", \"limit\"]\n");
    fine(&world.run(["settings", "unset", "waits.auto_wait_minutes"]));
    assert!(text(&world).starts_with("# mine\n[waits]  # all\n\n[notify]"), "{}", text(&world));
    // Once more is no fault.
    fine(&world.run(["settings", "unset", "waits.auto_wait_minutes"]));
    assert_eq!(world.run(["settings", "unset", "waits.auto"]).code, 2);
}

#[test]
fn what_cannot_be_is_not_written() {
    let world = world("[waits]\n");
    for (key, value, says) in [
        ("guard.policy", "loud", "`guard.policy` takes one of `standard`, `strict`, `warn`, `off`"),
        (
            "waits.auto_wait_minutes",
            "soon",
            "`waits.auto_wait_minutes` takes a number of minutes from 5 to 240",
        ),
        ("api.port", "70000", "`api.port` takes a whole number from 0 to 65535"),
        ("notify.muted", "bored", "`notify.muted` takes a list of reasons"),
        ("waits.auto", "1", "unknown key `waits.auto`"),
    ] {
        let ran = world.run(["settings", "set", key, value]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.starts_with(&format!("wakeful: {says}")), "{}", ran.err);
        assert_eq!(text(&world), "[waits]\n");
    }
    world.file(FILE, "[wait]\n");
    let ran = world.run(["settings", "set", "guard.policy", "strict"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.err.contains("settings.toml, line 1, column 2: unknown key `wait`; did you mean `waits`?"),
        "{ran:?}"
    );
    assert_eq!(text(&world), "[wait]\n");
}

/// T1: what is out of range comes into it, and that is said.
#[test]
fn minutes_out_of_range_are_brought_into_it() {
    let world = world("");
    for (asked, got) in [("1000", "240"), ("0", "30"), ("-3", "30"), ("1", "5")] {
        let ran = world.run(["settings", "set", "waits.auto_wait_minutes", asked]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.err.starts_with(&format!("wakeful: {asked} became {got}: ")), "{}", ran.err);
        assert_eq!(text(&world), format!("[waits]\nauto_wait_minutes = {got}\n"));
    }
}

#[test]
fn a_variable_that_overrides_is_said() {
    let world = world("");
    let mut command = world.command(["settings", "set", "guard.policy", "warn"]);
    let output = command.env("WAKEFUL_DISABLE_GUARD", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"wakeful: WAKEFUL_DISABLE_GUARD is set and overrides the file\n");
    assert_eq!(text(&world), "[guard]\npolicy = \"warn\"\n");
}

#[test]
fn a_file_at_fault_is_said_and_the_defaults_shown() {
    let world = world("waits.auto_wait_minutes = 45\ncolour = 1\n");
    let ran = world.run(["settings", "get", "waits.auto_wait_minutes"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "30\n"));
    assert_eq!(
        ran.err,
        format!(
            "wakeful: $WORLD/{FILE}, line 2, column 1: unknown key `colour`; the defaults are in force\n"
        )
    );
    let ran = world.run(["settings", "list", "--json"]);
    let listed: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(listed["problem"].as_str().unwrap().ends_with("unknown key `colour`"), "{listed}");
    fine(&world.run(["settings", "unset", "colour"]));
    assert_eq!(fine(&world.run(["settings", "get", "waits.auto_wait_minutes"])), "45\n");
}

/// Edits with an editor that replaces the copy by `text`.
#[cfg(unix)]
fn edited(world: &World, text: &str, exit: u8) -> (Option<i32>, String) {
    use std::os::unix::fs::PermissionsExt as _;
    world.file("new.toml", text);
    let script = "#!/bin/sh\ncp \"$2\" seen.toml\n[ \"$1\" = --wait ] && cp new.toml \"$2\"\n";
    let editor = world.file("editor", &format!("{script}exit {exit}\n"));
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = world.command(["settings", "edit"]);
    command.env("PATH", std::env::var_os("PATH").unwrap()).env("TMPDIR", world.root());
    command.env("EDITOR", "/nowhere").env("VISUAL", format!("{} --wait", editor.display()));
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn an_editor_works_on_a_copy() {
    let world = world("# mine\n");
    assert_eq!(edited(&world, "# mine\nwaits.promise_check = true\n", 0), (Some(0), String::new()));
    assert_eq!(text(&world), "# mine\nwaits.promise_check = true\n");
    let (code, err) = edited(&world, "waits.promise = true\n", 0);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.starts_with("wakeful: line 1, column 7: unknown key `waits.promise`"), "{err}");
    let kept = err.trim_end().rsplit(' ').next().unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), "waits.promise = true\n");
    assert_eq!(edited(&world, "# other\n", 1).0, Some(3), "an editor that fails changes nothing");
    assert_eq!(text(&world), "# mine\nwaits.promise_check = true\n");
    // A file at fault is what an editor is wanted for.
    world.file(FILE, "colour = 1\n");
    assert_eq!(edited(&world, "", 0).0, Some(0));
    assert_eq!(text(&world), "");
}

#[cfg(unix)]
#[test]
fn an_editor_starts_with_every_key_where_there_is_no_file() {
    let world = World::new();
    assert_eq!(edited(&world, "waits.promise_check = true\n", 0), (Some(0), String::new()));
    let seen = fs::read_to_string(world.root().join("seen.toml")).unwrap();
    assert!(seen.contains("\n[waits]\n") && seen.contains("\n# auto_wait_minutes = 30\n"), "{seen}");
    assert_eq!(text(&world), "waits.promise_check = true\n");
}

#[test]
fn explain_goes_by_the_settings_in_force() {
    let args = ["explain", "I'll continue when CI is green.", "--lists"];
    let decision = |world: &World| {
        let ran = world.run(args);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out.lines().last().unwrap().to_owned()
    };
    assert!(decision(&World::new()).contains("surfaces after 10 minutes"), "{}", decision(&World::new()));
    let other = world("waits.external_wait_minutes = 25\n");
    assert!(decision(&other).contains("surfaces after 25 minutes"), "{}", decision(&other));
    let off = world("detector.enabled = false\n");
    assert!(decision(&off).contains("NEEDS YOU (done)"), "{}", decision(&off));
}

/// R4: a report depends on the transcripts, not on whose machine it is made on.
#[test]
fn a_replay_goes_by_the_defaults_unless_it_is_told() {
    let world = World::with_transcripts();
    let replay = |args: &[&str]| fine(&world.run(["replay", "--json"].iter().chain(args))).to_owned();
    let by_default = replay(&[]);
    let strict = "detector.enabled = false\n";
    world.file(FILE, strict);
    assert_eq!(replay(&[]), by_default);
    world.file("other.toml", strict);
    let other = replay(&["--settings", "other.toml"]);
    assert_ne!(other, by_default);
    world.file("other.toml", "");
    assert_eq!(replay(&["--settings", "other.toml"]), by_default);
    for (text, code) in [(None, 3), (Some("colour = 1"), 3)] {
        let name = text.map_or("none.toml", |text| {
            world.file("faulty.toml", text);
            "faulty.toml"
        });
        let ran = world.run(["replay", "--settings", name]);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{ran:?}");
    }
}

#[test]
fn cases_are_judged_under_the_settings_that_are_named() {
    let world = World::new();
    world.file(
        "cases.jsonl",
        "{\"id\": \"a\", \"client\": \"claude-code\", \"text\": \"I'll continue when CI is green.\", \"lists\": true, \
         \"live\": [], \"verdict\": \"wait\"}\n",
    );
    let waiting = |args: &[&str]| {
        let ran = world.run(["backtest", "--json", "--cases", "cases.jsonl"].iter().chain(args));
        let matrix: Value = serde_json::from_str(&ran.out).unwrap();
        matrix["matrix"]["wait"]["waiting"].clone()
    };
    world.file(FILE, "detector.enabled = false\n");
    assert_eq!(waiting(&[]), 1);
    assert_eq!(waiting(&["--settings", FILE]), 0);
}

#[test]
fn the_hook_goes_by_the_variables_of_the_guard() {
    let home = Sandbox::new();
    let call = crate::sandbox::shell_call("until test -f ready; do sleep 5; done");
    let said = |variable: (&str, &str)| {
        let mut command = home.wakeful(&["hook", "claude-code"]);
        command.env(variable.0, variable.1);
        stdout(&finish(command, call.as_bytes()))
    };
    assert!(said(("WAKEFUL_GUARD_POLICY", "standard")).contains("deny"));
    home.settings("[guard]\npolicy = \"off\"\n");
    assert_eq!(said(("WAKEFUL_GUARD_ALLOW", "x")), "");
    assert!(said(("WAKEFUL_GUARD_POLICY", "strict")).contains("deny"));
    assert_eq!(said(("WAKEFUL_GUARD_POLICY", "loud")), "", "settings at fault let the guard pass");
}
