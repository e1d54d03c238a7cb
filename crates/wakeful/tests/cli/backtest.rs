//! `wakeful backtest` over judged cases.

use serde_json::Value;

use crate::environment::World;

const CASES: &str = r#"{"id": "kiln", "client": "claude-code", "text": "The kiln heats up; I'll carry on when it is hot.", "lists": true, "live": ["command"], "verdict": "wait"}
{"id": "glaze", "client": "claude-code", "text": "Blue or green?", "lists": true, "live": ["command"], "verdict": "question"}
{"id": "shelf", "client": "claude-code", "text": "The shelf is up. Done.", "lists": true, "live": [], "verdict": "done"}
{"id": "vault", "client": "claude-code", "text": "Standing by.", "lists": true, "live": [], "verdict": "unbacked"}
{"id": "moss", "client": "claude-code", "text": "Later, perhaps.", "lists": true, "live": ["command"], "verdict": "mixed", "note": "more keys are fine"}
"#;

#[test]
fn a_matrix_for_people_and_for_programs() {
    let world = World::new();
    world.file("cases.jsonl", CASES);
    let ran = world.run(["backtest", "--cases", "cases.jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!(ran.out, @r"
    judged      waiting  needs you
    wait              1          0
    question          0          1
    done              0          1
    unbacked          0          1
    mixed             1          0

    5 cases, 0 disagreements
    ");
    let ran = world.run(["backtest", "--json", "--cases", "cases.jsonl"]);
    let matrix: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&matrix["total"], &matrix["wrong"]), (&5.into(), &Value::Array(Vec::new())));
    assert_eq!(matrix["matrix"]["question"]["needs_you"], 1);
}

/// The person who judged this one says that a monitor's silence was a question. No honest reading can see that, and
/// so it comes out as waiting: what the exit code is for.
const HIDDEN: &str = r#"{"id": "silence", "client": "claude-code", "text": "Watching the bees.", "lists": true, "live": ["monitor"], "verdict": "question"}
"#;

#[test]
fn a_question_that_waits_is_exit_code_1() {
    let world = World::new();
    world.file("cases.jsonl", &format!("{CASES}{HIDDEN}"));
    let ran = world.run(["backtest", "--cases", "cases.jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    insta::assert_snapshot!(ran.out, @r"
    judged      waiting  needs you
    wait              1          0
    question          1          1
    done              0          1
    unbacked          0          1
    mixed             1          0

    6 cases, 1 disagreements
      silence  Question came out as waiting, by live-work (waiting-or-watching)
          Watching the bees.
    ");
    // Another fault is listed, and is no such alarm.
    world.file("tame.jsonl", &CASES.replace("\"verdict\": \"done\"", "\"verdict\": \"wait\""));
    let ran = world.run(["backtest", "--cases", "tame.jsonl"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("1 disagreements"), "{}", ran.out);
}

#[test]
fn a_case_that_is_none_is_refused_with_its_line() {
    let world = World::new();
    for (name, bad) in [
        ("verdict", CASES.replace("\"mixed\"", "\"perhaps\"")),
        ("client", CASES.replacen("claude-code", "typewriter", 1)),
        ("kind", CASES.replacen("[\"command\"]", "[\"ghost\"]", 1)),
    ] {
        let file = format!("{name}.jsonl");
        world.file(&file, &bad);
        let ran = world.run(["backtest", "--cases", &file]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{name}");
        let line = if name == "verdict" { 5 } else { 1 };
        assert!(ran.err.starts_with(&format!("wakeful: {file}:{line}: ")), "{}", ran.err);
    }
    assert_eq!(world.run(["backtest", "--cases", "absent.jsonl"]).code, 3);
}
