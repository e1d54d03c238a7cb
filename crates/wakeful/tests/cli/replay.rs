//! `wakeful replay`.

use std::process::Stdio;

use serde_json::Value;

use crate::environment::World;

fn report(world: &World, args: &[&str]) -> Value {
    let ran = world.run(["replay", "--json", "--tz", "UTC"].iter().chain(args));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn finds_the_transcripts_under_the_clients_folder() {
    let found = report(&World::with_transcripts(), &[]);
    assert_eq!(found["files"], 12);
    assert_eq!(found["sessions"], 12);
    assert_eq!(found["turn_ends"], 28);
}

#[test]
fn what_programs_read_is_there() {
    let found = report(&World::with_transcripts(), &[]);
    let numbers = [
        "version",
        "files",
        "bytes",
        "sessions",
        "turn_ends",
        "hidden_questions",
        "unbacked_waits",
        "lost_wakes",
        "guard_refusals",
    ];
    for key in numbers {
        assert!(found[key].is_u64(), "{key}: {}", found[key]);
    }
    for key in ["waiting", "needs_you", "rules", "truth", "skipped"] {
        assert!(found[key].is_object(), "{key}: {}", found[key]);
    }
    for key in ["right", "wrong", "unknown"] {
        assert!(found["truth"][key].is_u64(), "{key}");
    }
    for key in ["precision", "recall"] {
        assert!(found["truth"][key].as_f64().is_some_and(|part| (0.0..=1.0).contains(&part)), "{key}");
    }
}

#[test]
fn keys_of_the_report() {
    let found = report(&World::with_transcripts(), &[]);
    let keys: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
    insta::assert_snapshot!(keys.join(" "), @"bytes cases disagreements files guard_refusals hidden_questions hours_kept_out hours_waiting_unseen idle lost_wakes needs_you open_at_end pings_saved reconstructed rules sessions skipped surfaced_later truth turn_ends unbacked_waits unknown version waiting");
}

#[test]
fn the_report_in_numbers() {
    let found = report(&World::with_transcripts(), &[]);
    let of = |key: &str| format!("{key} {}\n", found[key]);
    let keys = [
        "waiting",
        "needs_you",
        "idle",
        "surfaced_later",
        "hidden_questions",
        "unbacked_waits",
        "lost_wakes",
        "guard_refusals",
        "skipped",
        "unknown",
    ];
    let truth = &found["truth"];
    let shown: String = keys.map(of).concat();
    insta::assert_snapshot!(format!("{shown}right {} wrong {} unknown {}", truth["right"], truth["wrong"], truth["unknown"]), @r#"
    waiting {"live-work":7,"prose-wait":1,"scheduled-wake":1}
    needs_you {"done":13,"failed":1,"limit":1,"question":2,"unbacked_wait":1}
    idle 1
    surfaced_later {"wait_timeout":1}
    hidden_questions 1
    unbacked_waits 1
    lost_wakes 2
    guard_refusals 1
    skipped {}
    unknown {}
    right 13 wrong 1 unknown 14
    "#);
}

#[test]
fn the_report_for_people() {
    let world = World::with_transcripts();
    let ran = world.run(["replay", "--tz", "UTC", "--session", "9e"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!(ran.out);
}

#[test]
fn a_second_run_gives_the_same_bytes() {
    let world = World::with_transcripts();
    let run = || world.run(["replay", "--tz", "UTC", "--json"]).out;
    assert_eq!(run(), run());
}

#[test]
fn the_clients_folder_is_left_as_it_was() {
    let world = World::with_transcripts();
    let before = world.tree(&world.config());
    let out = world.root().join("decisions.jsonl");
    let ran = world.run(["replay", "--tz", "UTC", "--out", out.to_str().unwrap()]);
    assert_eq!(ran.code, 0);
    assert!(std::fs::read_to_string(out).unwrap().lines().count() == 28);
    assert!(before.len() > 12);
    assert_eq!(world.tree(&world.config()), before);
}

#[test]
fn only_one_session() {
    let world = World::with_transcripts();
    let transcripts = crate::environment::transcripts();
    let (_, text) = transcripts.iter().find(|(name, _)| name == "scheduled-wakeup").unwrap();
    let id = text.split("\"sessionId\":\"").nth(1).unwrap().split('"').next().unwrap();
    let found = report(&world, &["--session", &id[..8]]);
    assert_eq!((&found["sessions"], &found["turn_ends"]), (&1.into(), &2.into()));
    assert_eq!(found["waiting"]["scheduled-wake"], 1);
    let nobody = report(&world, &["--session", "nobody"]);
    assert_eq!((&nobody["sessions"], &nobody["turn_ends"]), (&0.into(), &0.into()));
}

#[test]
fn only_since_then() {
    let world = World::with_transcripts();
    let found = |when: &str| report(&world, &["--since", when])["turn_ends"].as_u64().unwrap();
    assert_eq!(found("2027-01-04"), 28);
    assert_eq!(found("2027-01-05"), 0);
    assert_eq!(found("2027-01-01"), 28);
    let wrong = world.run(["replay", "--since", "the day before yesterday"]);
    assert_eq!((wrong.code, wrong.out.as_str()), (2, ""));
    insta::assert_snapshot!(wrong.err, @r"
    wakeful: --since the day before yesterday: not a time
      a length such as 7d or 12h, or a date such as 2026-11-30
    ");
}

#[test]
fn a_zone_by_its_name() {
    let world = World::with_transcripts();
    let berlin = world.run(["replay", "--tz", "Europe/Berlin", "--out", "decisions.jsonl"]);
    assert_eq!(berlin.code, 0, "{}", berlin.err);
    let written = std::fs::read_to_string(world.root().join("decisions.jsonl")).unwrap();
    assert!(written.lines().all(|line| line.contains("+01:00")), "{written}");
    let wrong = world.run(["replay", "--tz", "Atlantis/Centre"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("Atlantis/Centre"), "{}", wrong.err);
}

#[test]
fn nothing_found_says_where_it_looked() {
    let world = World::new();
    let ran = world.run(["replay", "--client", "claude-code"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    insta::assert_snapshot!(ran.err, @r"
    wakeful: no transcripts found; looked in $WORLD/client/projects
      name files or folders, or try --demo
    ");
    let named = world.run(["replay", "nowhere"]);
    assert_eq!((named.code, named.out.as_str()), (2, ""));
    insta::assert_snapshot!(named.err, @r"
    wakeful: no transcripts found; looked in nowhere
      name files or folders, or try --demo
    ");
}

#[test]
fn damaged_lines_are_counted_and_the_rest_is_read() {
    let world = World::with_transcripts();
    let (_, text) = crate::environment::transcripts().swap_remove(0);
    let half = &text[..text.len() - 40];
    let id = text.split("\"sessionId\":\"").nth(1).unwrap().split('"').next().unwrap();
    world.file(&format!("client/projects/-home-ines-orchard/{id}.jsonl"), &format!("not json\n{half}"));
    let found = report(&world, &[]);
    assert_eq!(found["files"], 12);
    assert!(!found["skipped"].as_object().unwrap().is_empty(), "{}", found["skipped"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let world = World::with_transcripts();
    for args in [["replay", "--tz", "UTC"], ["replay", "--json", "--tz=UTC"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader); // before the program writes its first byte
        let child = world.command(args).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn an_out_file_that_cannot_be_written_is_said() {
    let world = World::with_transcripts();
    let ran = world.run(["replay", "--out", "no/such/folder/decisions.jsonl"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
    assert!(ran.err.contains("no/such/folder/decisions.jsonl"), "{}", ran.err);
}
