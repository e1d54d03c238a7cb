//! `wakeful guard` (G8).

use serde_json::Value;

use crate::sandbox::{Sandbox, finish, stdout};

const LOOP: &str = "make -j4 &\nwhile ! test -s build.log; do\n  sleep 7\ndone";

#[test]
fn a_refusal_underlines_the_words_and_exits_1() {
    let home = Sandbox::new();
    let output = finish(home.wakeful(&["guard", LOOP, "--client", "claude-code"]), b"");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!("refusal", stdout(&output));
    let output = finish(home.wakeful(&["guard"]), LOOP.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).starts_with("deny by poll-loop\n"));
}

#[test]
fn a_pass_exits_0() {
    let home = Sandbox::new();
    for (args, said) in [
        (&["guard", "npm test; sleep 1; cat result"][..], "pass\n"),
        (&["guard", LOOP, "--policy", "off"], "pass\n"),
        (&["guard", "make", "--policy", "strict"], "pass\n"),
    ] {
        let output = finish(home.wakeful(args), b"");
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), said), "{args:?}");
    }
    let warned = finish(home.wakeful(&["guard", LOOP, "--policy", "warn"]), b"");
    assert_eq!(warned.status.code(), Some(0));
    assert!(stdout(&warned).starts_with("warn by poll-loop\n"));
}

#[test]
fn json() {
    let home = Sandbox::new();
    let output = finish(home.wakeful(&["guard", "--json", "sleep 9; tail out.log"]), b"");
    assert_eq!(output.status.code(), Some(1));
    let said: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(
        (&said["version"], &said["verdict"], &said["rule"]),
        (&1.into(), &"deny".into(), &"delayed-read".into())
    );
    assert_eq!(said["marks"][0], serde_json::json!({"start": 0, "end": 7}));
}

#[test]
fn the_policy_is_that_of_the_settings_unless_it_is_given() {
    let home = Sandbox::new();
    home.settings("[guard]\npolicy = \"strict\"\nallow = [\"while ! test -s *\"]\n");
    assert_eq!(finish(home.wakeful(&["guard", "sleep 120"]), b"").status.code(), Some(1));
    assert_eq!(
        finish(home.wakeful(&["guard", "sleep 120", "--policy", "standard"]), b"").status.code(),
        Some(0)
    );
    let allowed = finish(home.wakeful(&["guard", "while ! test -s a; do sleep 1; done"]), b"");
    assert_eq!(allowed.status.code(), Some(0));
    assert!(stdout(&allowed).contains("allowed by your pattern"));
    home.settings("[guard]\npolicy = \"loud\"\n");
    assert_eq!(finish(home.wakeful(&["guard", "make"]), b"").status.code(), Some(3));
}

#[test]
fn a_corpus_is_checked_line_by_line() {
    let home = Sandbox::new();
    home.write(
        "cases.jsonl",
        "{\"command\":\"make\",\"expect\":\"pass\"}\n\
         {\"command\":\"until ./up; do sleep 2; done\",\"expect\":\"deny\",\"rule\":\"poll-loop\"}\n\n\
         {\"command\":\"until ./up; do sleep 2; done\",\"expect\":\"deny\",\"rule\":\"delayed-read\"}\n\
         {\"command\":\"sleep 2; cat up.log\",\"expect\":\"pass\",\"note\":\"wrong\"}\n",
    );
    let output = finish(home.wakeful(&["guard", "--check", "cases.jsonl"]), b"");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(stdout(&output), @r"
    line 4: expected deny by delayed-read, got deny by poll-loop
        until ./up; do sleep 2; done
    line 5: expected pass, got deny by delayed-read
        sleep 2; cat up.log
    2 passed, 2 failed
    ");
    home.write("broken.jsonl", "{\"command\":\"make\"}\n");
    assert_eq!(finish(home.wakeful(&["guard", "--check", "broken.jsonl"]), b"").status.code(), Some(2));
    assert_eq!(finish(home.wakeful(&["guard", "--check", "missing.jsonl"]), b"").status.code(), Some(3));
}
