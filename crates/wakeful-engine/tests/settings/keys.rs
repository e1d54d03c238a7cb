//! The table of keys and the structs that it fills.

use std::collections::BTreeSet;

use wakeful_core::settings::Settings;
use wakeful_engine::settings::{Effective, Environment, KEYS, Key, Kind, Value, key, parse, suggestion};

/// A value that is not the default.
fn other(key: &Key) -> Value {
    let text = match key.kind {
        Kind::Switch => if key.default() == Value::Switch(true) { "false" } else { "true" }.to_owned(),
        Kind::Resolved(range, _) => range.max.to_string(),
        Kind::Whole(_, max) => max.to_string(),
        Kind::OneOf(choices) => (*choices.last().unwrap()).to_owned(),
        Kind::Reasons => "wake_overdue,done".to_owned(),
        Kind::Texts => "[\"say\", \"a, b\"]".to_owned(),
        Kind::Hours => "21:30-06:15".to_owned(),
        Kind::Url => "https://example.org/topic".to_owned(),
        Kind::RuleSwitches => "{ poll-loop = \"warn\", long-sleep = \"deny\" }".to_owned(),
    };
    key.read(&text).unwrap()
}

fn line(key: &Key, value: &Value) -> String {
    format!("{} = {value}\n", key.name)
}

#[test]
fn every_key_can_be_set_and_changes_itself_alone() {
    for key in KEYS {
        let value = other(key);
        assert_ne!(value, key.default(), "{}", key.name);
        let loaded = parse(&line(key, &value)).unwrap();
        assert_eq!(key.of(&loaded.settings), value, "{}", key.name);
        for unmoved in KEYS.iter().filter(|one| one.name != key.name) {
            assert_eq!(unmoved.of(&loaded.settings), unmoved.default(), "{} by {}", unmoved.name, key.name);
        }
        let back = parse(&line(key, &key.default())).unwrap();
        assert_eq!(back.settings, Effective::default(), "{}", key.name);
    }
}

/// Whatever the structs hold is reached by a key: with all keys changed, no field is as it was.
#[test]
fn no_field_is_out_of_reach() {
    let text: String = KEYS.iter().map(|key| line(key, &other(key))).collect();
    let changed = serde_json::to_value(parse(&text).unwrap().settings).unwrap();
    let default = serde_json::to_value(Effective::default()).unwrap();
    same_nowhere(&default, &changed, "");
}

fn same_nowhere(one: &serde_json::Value, other: &serde_json::Value, path: &str) {
    match (one.as_object(), other.as_object()) {
        (Some(one), Some(other)) if !one.is_empty() => {
            for (name, value) in one {
                same_nowhere(value, &other[name], &format!("{path}.{name}"));
            }
        }
        _ => assert_ne!(one, other, "{path} has no key"),
    }
}

/// Spec 70's table.
#[test]
fn defaults_and_ranges_are_those_of_the_spec() {
    let minutes = |name: &str| match key(name).unwrap().kind {
        Kind::Resolved(range, _) => (range.default, range.min, range.max),
        kind => panic!("{kind:?}"),
    };
    for (name, wanted) in [
        ("waits.auto_wait_minutes", (30, 5, 240)),
        ("waits.keep_waiting_minutes", (60, 5, 240)),
        ("waits.unbacked_wait_minutes", (0, 0, 240)),
        ("waits.external_wait_minutes", (10, 0, 240)),
        ("waits.overdue_minutes", (5, 1, 60)),
        ("check_in.from_inbox_multiple", (2, 1, 10)),
        ("watchdog.stall_minutes", (20, 5, 240)),
    ] {
        assert_eq!(minutes(name), wanted, "{name}");
    }
    for key in KEYS {
        if let Kind::Resolved(range, _) = key.kind {
            assert_eq!(key.default().to_string(), range.default.to_string(), "{}", key.name);
        }
    }
    for (name, wanted) in [
        ("detector.enabled", "true"),
        ("detector.match_mode", "\"precise\""),
        ("detector.second_opinion.enabled", "false"),
        ("waits.promise_check", "false"),
        ("check_in.auto", "false"),
        ("check_in.from_inbox", "false"),
        ("view.hide_repeated_auto_waits", "false"),
        ("guard.policy", "\"standard\""),
        ("notify.settle_seconds", "3"),
        ("api.port", "0"),
        ("store.keep_days", "30"),
        ("store.keep_mb", "256"),
        ("audit.keep_text", "true"),
    ] {
        assert_eq!(key(name).unwrap().default().to_string(), wanted, "{name}");
    }
    assert_eq!(Effective::default().core, Settings::default());
}

#[test]
fn kill_switches_are_those_of_the_spec() {
    let switches: Vec<_> = KEYS.iter().filter_map(|key| Some((key.kill_switch?, key.name))).collect();
    assert_eq!(
        switches,
        [
            ("WAKEFUL_DISABLE_DETECTOR", "detector.enabled"),
            ("WAKEFUL_DISABLE_SECOND_OPINION", "detector.second_opinion.enabled"),
            ("WAKEFUL_DISABLE_PROMISE_CHECK", "waits.promise_check"),
            ("WAKEFUL_DISABLE_AUTO_CHECK_IN", "check_in.auto"),
            ("WAKEFUL_DISABLE_INBOX_CHECK_IN", "check_in.from_inbox"),
            ("WAKEFUL_DISABLE_GUARD", "guard.policy"),
        ]
    );
}

#[test]
fn no_two_variables_are_the_same_and_none_is_taken() {
    let taken = ["WAKEFUL_STATE_DIR", "WAKEFUL_CONFIG_DIR", "WAKEFUL_SUPERVISED", "WAKEFUL_TEST_FAULT"];
    let mut names: BTreeSet<String> = taken.map(str::to_owned).into();
    for key in KEYS {
        assert!(names.insert(key.variable()), "{}", key.name);
        if let Some(kill_switch) = key.kill_switch {
            assert!(names.insert(kill_switch.to_owned()), "{kill_switch}");
        }
        assert!(key.about.ends_with('.') && !key.about.contains('|'), "{}", key.name);
    }
    assert_eq!(key("waits.auto_wait_minutes").unwrap().variable(), "WAKEFUL_WAITS_AUTO_WAIT_MINUTES");
    let all = Environment::read(&|_| Some("1".into()));
    assert!(names.iter().filter(|name| !taken.contains(&name.as_str())).all(|name| all.get(name).is_some()));
}

#[test]
fn what_was_probably_meant() {
    for (wrong, meant) in [
        ("waits.auto_wait_minute", Some("waits.auto_wait_minutes")),
        ("waits.autowait_minutes", Some("waits.auto_wait_minutes")),
        ("wait.auto_wait_minutes", Some("waits.auto_wait_minutes")),
        ("auto_wait_minutes", Some("waits.auto_wait_minutes")),
        ("waits.auto-wait-minutes", Some("waits.auto_wait_minutes")),
        ("waits.Overdue_Minutes", Some("waits.overdue_minutes")),
        ("stall_minute", Some("watchdog.stall_minutes")),
        ("guards", Some("guard")),
        ("wait", Some("waits")),
        ("notify.desktp.enabled", Some("notify.desktop.enabled")),
        ("guard.polcy", Some("guard.policy")),
        ("theme.colour", None),
        ("x", None),
    ] {
        assert_eq!(suggestion(wrong), meant, "{wrong}");
    }
}
