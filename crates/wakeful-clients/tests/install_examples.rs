//! What set-up and removal make of small files, to be read by people. The many files are elsewhere (F6).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use wakeful_clients::install::{
    After, Entry, Footprint, Format, Plan, Seconds, Wanted, plan_removal, plan_setup,
};

fn entry(event: &'static str, matcher: Option<&'static str>, client: &str) -> Entry {
    let command = format!("'/opt/wakeful' hook {client}");
    Entry { event, matcher, timeout: Seconds(5), detached: false, command }
}

fn groups(entries: Vec<Entry>) -> Wanted {
    Wanted { format: Format::Groups, entries, known_events: &["Stop"], unknown_event_voids_file: false }
}

fn stop() -> Wanted {
    groups(vec![entry("Stop", None, "codex")])
}

fn flat() -> Wanted {
    let entries = vec![entry("stop", None, "cursor")];
    Wanted { format: Format::Flat, entries, known_events: &["stop"], unknown_event_voids_file: true }
}

fn written(plan: Plan, before: &str) -> String {
    match plan.after {
        After::Unchanged => before.to_owned(),
        After::Write(bytes) => String::from_utf8(bytes).unwrap(),
        After::Delete => panic!("deleted"),
    }
}

fn set_up(before: &str, wanted: &Wanted) -> String {
    written(plan_setup(Some(before.as_bytes()), wanted, None).unwrap(), before)
}

fn take_out(before: &str) -> String {
    written(plan_removal(before.as_bytes(), Format::Groups, None).unwrap(), before)
}

#[test]
fn an_entry_goes_behind_those_of_others_and_comments_stay_where_they_are() {
    let before = r#"{
    "hooks": {
        "Stop": [
            { "hooks": [] } // mine
            // more to come
        ]
    }
}
"#;
    let after = r#"{
    "hooks": {
        "Stop": [
            { "hooks": [] }, // mine
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "'/opt/wakeful' hook codex",
                        "timeout": 5
                    }
                ]
            }
            // more to come
        ]
    }
}
"#;
    assert_eq!(set_up(before, &stop()), after);
    assert_eq!(take_out(after), before);
}

#[test]
fn a_file_on_one_line_stays_on_one_line() {
    let ours = r#"{"type":"command","command":"'/opt/wakeful' hook codex","timeout":5}"#;
    let before = r#"{"a":1}"#;
    assert_eq!(set_up(before, &stop()), format!(r#"{{"a":1,"hooks":{{"Stop":[{{"hooks":[{ours}]}}]}}}}"#));
    let before = r#"{"hooks":{"Stop":[]}}"#;
    assert_eq!(set_up(before, &stop()), format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{ours}]}}]}}}}"#));
}

#[test]
fn the_last_of_doubled_names_is_the_one_that_counts() {
    let before = r#"{"hooks":{},"hooks":{"Stop":[],"Stop":[]}}"#;
    let after = set_up(before, &stop());
    assert!(after.starts_with(r#"{"hooks":{},"hooks":{"Stop":[],"Stop":[{"#), "{after}");
}

#[test]
fn an_older_entry_is_replaced_where_it_stands_and_others_of_ours_go() {
    let before = r#"{
  "hooks": {
    "Stop": [
      { "hooks": [
        { "type": "command", "command": "first" },
        { "type": "command", "command": "wakeful hook codex", "timeout": 60 },
        { "type": "command", "command": "/old/wakeful hook codex" }
      ] }
    ],
    "Bygone": [ { "hooks": [ { "type": "command", "command": "wakeful hook codex" } ] } ]
  }
}"#;
    let after = r#"{
  "hooks": {
    "Stop": [
      { "hooks": [
        { "type": "command", "command": "first" },
        {"type": "command", "command": "'/opt/wakeful' hook codex", "timeout": 5}
      ] }
    ]
  }
}"#;
    assert_eq!(set_up(before, &stop()), after);
    assert_eq!(set_up(after, &stop()), after);
}

#[test]
fn another_matcher_is_another_entry() {
    let wanted = groups(vec![entry("Stop", Some("Bash|Agent"), "codex")]);
    let ours = r#"{"type": "command", "command": "'/opt/wakeful' hook codex", "timeout": 5}"#;
    let before = format!(r#"{{ "hooks": {{ "Stop": [ {{ "matcher": "Bash", "hooks": [ {ours} ] }} ] }} }}"#);
    let after = set_up(&before, &wanted);
    assert_eq!(
        after,
        format!(r#"{{ "hooks": {{ "Stop": [{{"matcher": "Bash|Agent", "hooks": [{ours}]}} ] }} }}"#)
    );
}

#[test]
fn a_comment_in_our_entry_is_not_ours() {
    let before = r#"{
  "hooks": {
    "Stop": [
      { "hooks": [ // why
        { "type": "command", "command": "wakeful hook codex" } /* here */
      ] },
      { "hooks": [] }
    ]
  }
}"#;
    let after = take_out(before);
    assert!(after.contains("// why\n") && after.contains("/* here */"), "{after}");
    assert!(!after.contains("wakeful"), "{after}");
    assert_eq!(set_up(&after, &groups(Vec::new())), after, "it still parses");
}

#[test]
fn a_group_with_something_else_in_it_stays() {
    let before = r#"{"hooks":{"Stop":[{"hooks":[{"command":"wakeful hook codex"}],"future":1}]}}"#;
    assert_eq!(take_out(before), r#"{"hooks":{"Stop":[{"hooks":[],"future":1}]}}"#);
}

#[test]
fn what_was_empty_before_is_empty_again_and_what_was_not_there_is_gone() {
    let before = "{ \"hooks\": { \"Stop\": [ ] } }";
    let plan = plan_setup(Some(before.as_bytes()), &stop(), None).unwrap();
    let footprint = plan.footprint.clone();
    let after = written(plan, before);
    assert!(footprint.properties.is_empty());
    let back = plan_removal(after.as_bytes(), Format::Groups, Some(&footprint)).unwrap();
    assert_eq!(written(back, &after), before);
    // Nobody knows what was there: an empty list says nothing, so it goes.
    assert_eq!(take_out(&after), "{ }");
    let made = plan_setup(None, &stop(), None).unwrap();
    assert!(made.footprint.file);
    let After::Write(bytes) = made.after else { panic!() };
    let back = plan_removal(&bytes, Format::Groups, Some(&made.footprint)).unwrap();
    assert_eq!(back.after, After::Delete);
    assert_eq!(back.footprint, Footprint::default());
}

#[test]
fn cursors_file_states_its_version() {
    let ours = "{\"command\": \"'/opt/wakeful' hook cursor\", \"timeout\": 5}";
    let after = set_up("{ \"a\": 1 }", &flat());
    assert_eq!(after, format!("{{ \"a\": 1, \"version\": 1, \"hooks\": {{\"stop\": [{ours}]}} }}"));
}

#[test]
fn what_keeps_hooks_from_running_is_said() {
    let notes =
        |before: &str, wanted: &Wanted| plan_setup(Some(before.as_bytes()), wanted, None).unwrap().notes;
    assert_eq!(
        notes("{\n  \"disableAllHooks\": true\n}", &stop()),
        ["no hook runs while `disableAllHooks` is on (line 2, column 3)"]
    );
    assert!(notes("{ \"disableAllHooks\": false }", &stop()).is_empty());
    assert_eq!(
        notes("{ \"version\": 1, \"hooks\": { \"Stop\": [] } }", &flat()),
        ["the client may ignore the whole file because of the event `Stop` (line 1, column 28)"]
    );
    assert_eq!(notes("{ \"hooks\": {} }", &flat()), ["the file states no `version`; Cursor may not read it"]);
}
