//! `wakeful simulate`.

use crate::environment::{World, scenarios};

#[test]
fn all_scenarios_of_the_repository_pass() {
    let files = scenarios();
    let ran = World::new().run(std::iter::once("simulate".into()).chain(files.iter().cloned()));
    let not_ok: Vec<&str> = ran.out.lines().filter(|line| !line.starts_with("ok ")).collect();
    let [last] = not_ok.as_slice() else { panic!("{}", not_ok.join("\n")) };
    let passed = last.strip_suffix(" passed, 0 failed").unwrap_or_else(|| panic!("{last}"));
    assert!(passed.parse::<usize>().unwrap() > files.len(), "{last}");
    let played = ran.out.lines().filter(|line| line.starts_with("ok ")).count();
    assert_eq!(played, files.len());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

/// One session of one turn. The first expectation is right, the second wrong, and the third names nobody.
const WRONG: &str = r#"{"scenario": "wrong", "about": "An expectation that is not met.", "client": "claude-code"}
{"at": 0, "client": "claude-code", "payload": {"session_id": "s-1", "hook_event_name": "UserPromptSubmit", "prompt_id": "p-1", "prompt": "Stir"}}
{"at": 5, "client": "claude-code", "payload": {"session_id": "s-1", "hook_event_name": "Stop", "prompt_id": "p-1", "stop_hook_active": false, "last_assistant_message": "Stirring; I'll carry on when it has thickened.", "background_tasks": [{"id": "stir0001", "type": "shell", "status": "running", "description": "Stir", "command": "./stir.sh"}], "session_crons": []}}
{"at": 9, "expect": {"session": "s-1", "status": "waiting", "notifications": 0}}
{"at": 9, "expect": {"session": "s-1", "status": "needs_you", "reason": "done", "notifications": 1, "waits": []}}
{"at": 9, "expect": {"session": "s-2", "status": "idle"}}
"#;

#[test]
fn a_failure_shows_what_differs_and_on_what_it_rests() {
    let world = World::new();
    world.file("wrong.jsonl", WRONG);
    let ran = world.run(["simulate", "wrong.jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    insta::assert_snapshot!(ran.out, @r#"
    FAILED   wrong.jsonl: An expectation that is not met.
      line 5, at 9 s, session s-1
        status         expected needs_you, got waiting
        reason         expected done, got none
        notifications  expected 1, got 0
        waits          expected [], got [{"kind":"command","task":"stir0001","label":"Stir","awaited":false,"phase":"live","holds":true}]
        last decision: turn 1 by live-work
          verdict   {"verdict":"waiting","on":{"live":["command"]},"bound":{"cap":{"after":1800000,"by_eta":false}}}
          rule      will-continue-when-once-after: I'll carry on when it has thickened.
          evidence  {"lists":true,"reconstructed":false,"tasks":[{"id":"stir0001","kind":"command","awaited":false,"owed":false,"holds":true,"endless":null}],"wakes":0,"backing":"backed","vetoes":[],"closes":null}
      line 6, at 9 s, session s-2
        session        expected seen, got never seen
    1 passed, 2 failed
    "#);
}

#[test]
fn what_cannot_be_played_yet_is_skipped_and_counted() {
    let world = World::new();
    world.file("later.jsonl", &WRONG.replacen("claude-code", "gemini", 1));
    let ran = world.run(["simulate", "later.jsonl"]);
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran.out, @r"
    not yet  later.jsonl: hooks of gemini are not read yet
    0 passed, 0 failed, 3 skipped
    ");
}

/// The second expectation becomes right: while nobody runs, nobody acts.
#[test]
fn a_restart_needs_its_length_and_is_played() {
    let world = World::new();
    let down = WRONG.replace(
        "{\"at\": 9, \"expect\": {\"session\": \"s-1\", \"status\": \"needs_you\"",
        "{\"at\": 9, \"daemon\": \"restart\", \"down_s\": 5}\n{\"at\": 13, \"act\": \"stop\", \"session\": \"s-1\"}\n\
         {\"at\": 20, \"expect\": {\"session\": \"s-1\", \"status\": \"waiting\"}}\n\
         {\"at\": 20, \"expect\": {\"session\": \"s-1\", \"status\": \"needs_you\"",
    );
    let down = down.replace(
        "{\"at\": 9, \"expect\": {\"session\": \"s-2\"",
        "{\"at\": 20, \"expect\": {\"session\": \"s-2\"",
    );
    world.file("down.jsonl", &down);
    let ran = world.run(["simulate", "down.jsonl"]);
    assert!(ran.out.ends_with("2 passed, 2 failed\n"), "{}", ran.out);
    world.file("odd.jsonl", &down.replace("\"restart\"", "\"dance\""));
    let ran = world.run(["simulate", "odd.jsonl"]);
    insta::assert_snapshot!(ran.err, @r"
    wakeful: odd.jsonl: line 5: the daemon can only `restart`, after `down_s` seconds
      docs/scenarios.md describes the format
    ");
}

#[test]
fn a_file_that_is_no_scenario_is_refused_with_its_line() {
    let world = World::new();
    world.file("odd.jsonl", "{\"scenario\": \"odd\", \"about\": \"\", \"client\": \"claude-code\"}\n{\"at\": 3, \"expect\": {\"session\": \"s\", \"mood\": \"fine\"}}\n");
    world.file("back.jsonl", "{\"scenario\": \"back\", \"about\": \"\", \"client\": \"claude-code\"}\n{\"at\": 3, \"host\": {\"sleep_s\": 1}}\n{\"at\": 2, \"host\": {\"sleep_s\": 1}}\n");
    let odd = world.run(["simulate", "odd.jsonl"]);
    assert_eq!((odd.code, odd.out.as_str()), (2, ""));
    insta::assert_snapshot!(odd.err, @r"
    wakeful: odd.jsonl: line 2: unknown field `mood`, expected one of `session`, `status`, `reason`, `waits`, `notifications`, `check_ins`, `banner` at line 1 column 43
      docs/scenarios.md describes the format
    ");
    let back = world.run(["simulate", "back.jsonl"]);
    assert_eq!(back.code, 2);
    insta::assert_snapshot!(back.err, @r"
    wakeful: back.jsonl: line 3: time goes back
      docs/scenarios.md describes the format
    ");
    let absent = world.run(["simulate", "absent.jsonl"]);
    assert_eq!(absent.code, 3);
    insta::assert_snapshot!(absent.err, @"wakeful: absent.jsonl: No such file or directory (os error 2)");
}
