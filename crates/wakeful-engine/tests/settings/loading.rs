//! File, environment and kill switches.

use std::path::Path;

use wakeful_core::causes::Reason;
use wakeful_core::settings::{MatchMode, Minutes};
use wakeful_core::time::Millis;
use wakeful_engine::settings::{
    Content, Current, Effective, Environment, KEYS, Loaded, Origin, Place, Problem, SettingsError, key, load,
    parse,
};
use wakeful_shell::{PolicyLevel, RuleId, RuleSwitch};

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment::read(&|name| variables.iter().find(|(one, _)| *one == name).map(|(_, value)| value.into()))
}

fn under(text: &str, variables: &[(&str, &str)]) -> Result<Loaded, SettingsError> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("settings.toml");
    std::fs::write(&file, text).unwrap();
    load(Some(&file), &environment(variables))
}

#[test]
fn a_whole_file() {
    let text = r#"
        detector = { match_mode = "full", second_opinion.enabled = true }
        watchdog.stall_minutes = 7.5
        [waits]
        auto_wait_minutes = 45 # while the suite takes that long
        unbacked_wait_minutes = 0
        [guard]
        policy = "strict"
        allow = ["./wait-for-db*"]
        [guard.rules]
        poll-loop = "warn"
        [notify]
        muted = ["done"]
        quiet_hours = "22:00-7:00"
        content = "name"
        settle_seconds = 10
        [notify.desktop]
        reasons = ["question", "permission"]
        [notify.command]
        run = ["/bin/say", "it needs you"]
        [notify.webhook]
        url = "https://example.org/hook"
        [store]
        keep_days = 7
    "#;
    let all = parse(text).unwrap().settings;
    assert_eq!((all.match_mode, all.second_opinion), (MatchMode::Full, true));
    let core = &all.core;
    assert_eq!((core.stall, core.auto_wait, core.unbacked_wait), (Minutes(8), Minutes(45), Minutes(0)));
    assert_eq!((core.settle, all.notify.settle), (Millis::secs(10), Millis::secs(10)));
    assert_eq!(all.guard.level, PolicyLevel::Strict);
    assert_eq!(all.guard.switch(RuleId::PollLoop), RuleSwitch::Warn);
    assert_eq!(all.guard.allow, ["./wait-for-db*"]);
    assert_eq!((&all.notify.muted[..], all.notify.content), (&[Reason::Done][..], Content::Name));
    assert!(all.notify.quiet_hours.unwrap().contains(6 * 60 + 59));
    assert_eq!(all.notify.desktop.reasons, [Reason::Question, Reason::Permission]);
    assert_eq!(all.notify.command.run, ["/bin/say", "it needs you"]);
    assert_eq!(all.notify.webhook.url.as_deref(), Some("https://example.org/hook"));
    assert_eq!(all.store.keep_days, 7);
}

/// T1.
#[test]
fn minutes_go_through_the_one_resolver() {
    for (written, minutes) in [
        ("45", 45),
        ("4", 5),
        ("1000", 240),
        ("1e300", 240),
        ("0", 30),
        ("-0.0", 30),
        ("-3", 30),
        ("nan", 30),
        ("inf", 30),
        ("-inf", 30),
        ("0.01", 5),
        ("30.2", 31),
    ] {
        let by_file = parse(&format!("waits.auto_wait_minutes = {written}")).unwrap();
        assert_eq!(by_file.settings.core.auto_wait, Minutes(minutes), "{written}");
        let by_variable = under("", &[("WAKEFUL_WAITS_AUTO_WAIT_MINUTES", written)]).unwrap();
        assert_eq!(by_variable.settings.core.auto_wait, Minutes(minutes), "{written}");
    }
}

#[test]
fn what_is_wrong_and_where() {
    let rows = [
        (
            "waits.auto_wait_minute = 30",
            1,
            7,
            "unknown key `waits.auto_wait_minute`; did you mean `waits.auto_wait_minutes`?",
        ),
        (
            "# süß\n[waits]\n  auto_wait_minutes = \"30\"",
            3,
            23,
            "`waits.auto_wait_minutes` takes a number of minutes",
        ),
        ("[wait]\nauto_wait_minutes = 30", 1, 2, "unknown key `wait`; did you mean `waits`?"),
        ("colour = 1", 1, 1, "unknown key `colour`"),
        ("guard = 7", 1, 1, "`guard` is a section, not a key"),
        ("[[waits]]\nauto_wait_minutes = 1", 1, 3, "`waits` is a section, not a key"),
        (
            "[guard]\npolicy = \"loud\"",
            2,
            10,
            "`guard.policy` takes one of `standard`, `strict`, `warn`, `off`",
        ),
        ("guard.rules = { poll-lop = \"off\" }", 1, 15, "`guard.rules` takes a table"),
        ("[guard.rules]\npoll-loop = \"loud\"", 1, 1, "`guard.rules` takes a table"),
        ("api.port = 70000", 1, 12, "`api.port` takes a whole number from 0 to 65535"),
        ("api.port = 1.5", 1, 12, "`api.port` takes a whole number"),
        ("store.keep_days = 0", 1, 19, "`store.keep_days` takes a whole number from 1 to 3650"),
        ("detector.enabled = 1", 1, 20, "`detector.enabled` takes `true` or `false`"),
        ("notify.muted = [\"bored\"]", 1, 16, "`notify.muted` takes a list of reasons: `permission`"),
        ("notify.muted = \"done\"", 1, 16, "`notify.muted` takes a list"),
        ("notify.quiet_hours = \"late\"", 1, 22, "`notify.quiet_hours` takes two times of day"),
        ("notify.ntfy.url = \"example.org\"", 1, 19, "`notify.ntfy.url` takes an address"),
        ("notify.webhook.url = \"https://\"", 1, 22, "`notify.webhook.url` takes an address"),
        ("[waits\nx = 1", 1, 7, ""),
        ("waits.overdue_minutes = 1\nwaits.overdue_minutes = 2", 2, 7, "duplicate key"),
    ];
    for (text, line, column, says) in rows {
        let (place, problem) = parse(text).unwrap_err();
        assert_eq!(place, Place { line, column }, "{text}: {problem}");
        assert!(problem.to_string().starts_with(says), "{text}: {problem}");
        assert!(!problem.to_string().contains('\n'), "{problem}");
    }
    let error = under("guard = 7", &[]).unwrap_err().to_string();
    assert!(error.ends_with("settings.toml, line 1, column 1: `guard` is a section, not a key"), "{error}");
}

#[test]
fn the_environment_overrides_the_file_and_a_kill_switch_both() {
    let text = "detector.enabled = true\nwaits.auto_wait_minutes = 20\nnotify.muted = [\"limit\"]";
    let loaded = under(
        text,
        &[
            ("WAKEFUL_WAITS_AUTO_WAIT_MINUTES", "45"),
            ("WAKEFUL_NOTIFY_MUTED", " done, limit "),
            ("WAKEFUL_DETECTOR_ENABLED", "true"),
            ("WAKEFUL_DISABLE_DETECTOR", "1"),
            ("WAKEFUL_CHECK_IN_AUTO", "on"),
            ("WAKEFUL_GUARD_RULES", "{ poll-loop = \"off\" }"),
            ("WAKEFUL_WAITS_OVERDUE_MINUTES", ""),
        ],
    )
    .unwrap();
    let all = &loaded.settings;
    assert_eq!((all.core.auto_wait, all.core.overdue), (Minutes(45), Minutes(5)));
    assert_eq!((all.core.detector, all.core.auto_check_in), (false, true));
    assert_eq!(all.notify.muted, [Reason::Done, Reason::Limit]);
    assert_eq!(all.guard.switch(RuleId::PollLoop), RuleSwitch::Off);
    let origin = |name: &str| loaded.origin(key(name).unwrap());
    assert_eq!(
        origin("waits.auto_wait_minutes"),
        Origin::Environment("WAKEFUL_WAITS_AUTO_WAIT_MINUTES".into())
    );
    assert_eq!(origin("detector.enabled"), Origin::KillSwitch("WAKEFUL_DISABLE_DETECTOR"));
    assert_eq!(origin("waits.overdue_minutes"), Origin::Default);
    assert_eq!(under(text, &[]).unwrap().origin(key("notify.muted").unwrap()), Origin::File);
}

#[test]
fn kill_switches() {
    let on = "detector = { enabled = true, second_opinion.enabled = true }\nwaits.promise_check = true\n\
              check_in = { auto = true, from_inbox = true }\nguard.policy = \"strict\"";
    for key in KEYS {
        let Some(kill_switch) = key.kill_switch else { continue };
        for (value, killed) in [("1", true), ("true", true), ("0", false), ("", false)] {
            let loaded = under(on, &[(kill_switch, value)]).unwrap();
            let off = key.of(&loaded.settings).to_string();
            assert_eq!(["false", "\"off\""].contains(&off.as_str()), killed, "{kill_switch}={value}: {off}");
            // Whatever is wrong elsewhere, a kill switch works.
            let fallback =
                Loaded::fallback(&environment(&[(kill_switch, value), ("WAKEFUL_API_PORT", "no")]));
            assert_eq!(fallback.origin(key) == Origin::KillSwitch(kill_switch), killed, "{kill_switch}");
        }
    }
}

/// S4: the switch of the detector removes prose alone; nothing else of the settings moves.
#[test]
fn the_detectors_kill_switch_touches_nothing_else() {
    let mut all =
        under("waits.auto_wait_minutes = 20", &[("WAKEFUL_DISABLE_DETECTOR", "1")]).unwrap().settings;
    assert!(!all.core.detector);
    all.core.detector = true;
    assert_eq!(all, parse("waits.auto_wait_minutes = 20").unwrap().settings);
}

#[test]
fn a_variable_at_fault_is_named() {
    let error = under("", &[("WAKEFUL_WAITS_AUTO_WAIT_MINUTES", "soon")]).unwrap_err();
    assert!(matches!(&error, SettingsError::Variable { problem: Problem::Value { .. }, .. }), "{error}");
    let said = error.to_string();
    assert!(
        said.starts_with("WAKEFUL_WAITS_AUTO_WAIT_MINUTES: `waits.auto_wait_minutes` takes a number"),
        "{said}"
    );
}

#[test]
fn no_file_is_the_defaults_and_a_folder_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let none = load(Some(&dir.path().join("settings.toml")), &Environment::default()).unwrap();
    assert_eq!(none.settings, Effective::default());
    assert_eq!(load(None, &Environment::default()).unwrap(), none);
    let folder = load(Some(dir.path()), &Environment::default());
    assert!(matches!(folder, Err(SettingsError::NotSettings { .. })), "{folder:?}");
    let latin = dir.path().join("latin.toml");
    std::fs::write(&latin, b"# s\xfc\xdf").unwrap();
    assert!(matches!(load(Some(&latin), &Environment::default()), Err(SettingsError::Read { .. })));
}

#[test]
fn a_file_at_fault_leaves_the_last_good_settings() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("settings.toml");
    let write = |text: &str| std::fs::write(&file, text).unwrap();
    write("waits.auto_wait_minutes = 20");
    let mut current =
        Current::load(Some(file.clone()), environment(&[("WAKEFUL_WAITS_OVERDUE_MINUTES", "9")]));
    let minutes =
        |current: &Current| (current.settings().core.auto_wait.0, current.settings().core.overdue.0);
    assert_eq!((minutes(&current), current.problem().is_none()), ((20, 9), true));
    write("waits.auto_wait_minutes = \"soon\"");
    assert!(!current.reload());
    assert_eq!((minutes(&current), current.problem().is_some()), ((20, 9), true));
    write("waits.auto_wait_minutes = 50");
    assert!(current.reload());
    assert_eq!((minutes(&current), current.problem().is_none()), ((50, 9), true));
    assert!(!current.reload(), "nothing has changed");
    std::fs::remove_file(&file).unwrap();
    assert!(current.reload());
    assert_eq!(minutes(&current), (30, 9));
    assert_eq!(current.file(), Some(Path::new(&file)));
}

#[test]
fn at_fault_from_the_start_gives_the_defaults_under_the_environment() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("settings.toml");
    std::fs::write(&file, "waits.auto_wait_minutes = 20\nwaits = 1").unwrap();
    let current = Current::load(
        Some(file),
        environment(&[("WAKEFUL_WAITS_OVERDUE_MINUTES", "9"), ("WAKEFUL_DISABLE_DETECTOR", "1")]),
    );
    let core = &current.settings().core;
    assert_eq!((core.auto_wait.0, core.overdue.0, core.detector), (30, 9, false));
    assert!(current.problem().is_some());
}
