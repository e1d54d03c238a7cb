//! Runs the case files: one test a file. New cases go into the files, not here.

use serde::Deserialize;

use crate::{EndlessRule, GuardPolicy, GuardVerdict, PolicyLevel, RuleId, guard, never_ends};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GuardCase {
    command: String,
    expect: Expect,
    rule: Option<RuleId>,
    #[serde(default)]
    policy: PolicyLevel,
    #[serde(default, rename = "note")]
    _note: Option<String>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Expect {
    Deny,
    Pass,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndlessCase {
    command: String,
    rule: Option<EndlessRule>,
}

fn rows<T: for<'de> Deserialize<'de>>(file: &str) -> Vec<T> {
    file.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// Every row gives its verdict, with its rule, and there are enough rows.
fn run_guard(file: &str, at_least: usize) {
    let cases: Vec<GuardCase> = rows(file);
    assert!(cases.len() >= at_least, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        assert_eq!(case.rule.is_some(), case.expect == Expect::Deny, "{}", case.command);
        let verdict = guard(&case.command, &GuardPolicy::of(case.policy));
        let denied = verdict.denied();
        if denied.map(|refusal| refusal.rule) != case.rule {
            wrong.push(format!("{:?}: {verdict:?}", case.command));
        }
        if let Some(refusal) = denied {
            let inside = |r: &std::ops::Range<usize>| case.command.get(r.clone()).is_some();
            assert!(inside(&refusal.span), "{:?}: {refusal:?}", case.command);
            assert!(refusal.marks.iter().all(inside), "{:?}: {refusal:?}", case.command);
            assert!(!refusal.span.is_empty() && !refusal.words.is_empty(), "{:?}", case.command);
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn run_endless(file: &str, at_least: usize, never: bool) {
    let cases: Vec<EndlessCase> = rows(file);
    assert!(cases.len() >= at_least, "{} cases", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| {
            assert_eq!(case.rule.is_some(), never, "{}", case.command);
            never_ends(&case.command) != case.rule
        })
        .map(|case| format!("{:?}: {:?}", case.command, never_ends(&case.command)))
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

const GUARD_FILES: [&str; 5] = [
    include_str!("../cases/guard-true-positives.jsonl"),
    include_str!("../cases/guard-false-positives.jsonl"),
    include_str!("../cases/guard-bypass-attempts.jsonl"),
    include_str!("../cases/guard-edge-cases.jsonl"),
    include_str!("../cases/guard-strict.jsonl"),
];

const NEVER: &str = include_str!("../cases/endless-never.jsonl");
const ENDS: &str = include_str!("../cases/endless-ends.jsonl");

/// The commands of all files.
pub(crate) fn commands() -> Vec<String> {
    let guard = GUARD_FILES.iter().flat_map(|file| rows::<GuardCase>(file)).map(|c| c.command);
    let endless = [NEVER, ENDS].into_iter().flat_map(rows::<EndlessCase>).map(|c| c.command);
    guard.chain(endless).collect()
}

/// The commands that `standard` denies.
pub(crate) fn denied() -> Vec<String> {
    let standard = GuardPolicy::default();
    commands().into_iter().filter(|c| guard(c, &standard).denied().is_some()).collect()
}

#[test]
fn guard_true_positives() {
    run_guard(GUARD_FILES[0], 40);
}

#[test]
fn guard_false_positives() {
    run_guard(GUARD_FILES[1], 40);
}

#[test]
fn guard_bypass_attempts() {
    run_guard(GUARD_FILES[2], 40);
}

#[test]
fn guard_edge_cases() {
    run_guard(GUARD_FILES[3], 40);
}

#[test]
fn guard_strict() {
    run_guard(GUARD_FILES[4], 40);
}

#[test]
fn endless_never() {
    run_endless(NEVER, 60, true);
}

#[test]
fn endless_ends() {
    run_endless(ENDS, 60, false);
}

#[test]
fn every_endless_rule_has_an_example() {
    use EndlessRule as E;
    let seen: std::collections::BTreeSet<_> =
        rows::<EndlessCase>(NEVER).into_iter().filter_map(|c| c.rule).collect();
    let all = [
        E::DevServer,
        E::Server,
        E::Watcher,
        E::LogFollower,
        E::Tunnel,
        E::Repl,
        E::LiveView,
        E::EndlessSleep,
        E::EndlessLoop,
    ];
    assert_eq!(seen, all.into_iter().collect());
}

#[test]
fn warn_tells_and_off_is_silent() {
    let command = "sleep 5; cat x";
    let at = |level| guard(command, &GuardPolicy::of(level));
    assert!(matches!(at(PolicyLevel::Warn), GuardVerdict::Warn(r) if r.rule == RuleId::DelayedRead));
    assert_eq!(at(PolicyLevel::Off), GuardVerdict::Pass { undecided: false });
    let strict_only = guard("sleep 90", &GuardPolicy::of(PolicyLevel::Warn));
    assert_eq!(strict_only, GuardVerdict::Pass { undecided: false });
}

#[test]
fn an_allow_pattern_is_recorded() {
    let policy =
        GuardPolicy { allow: vec!["*make *".into(), "sleep ?; cat x".into()], ..GuardPolicy::default() };
    match guard("sleep 5; cat x", &policy) {
        GuardVerdict::Allowed { refusal, pattern } => {
            assert_eq!(refusal.rule, RuleId::DelayedRead);
            assert_eq!(pattern, "sleep ?; cat x");
        }
        other => panic!("{other:?}"),
    }
    assert!(guard("sleep 15; cat x", &policy).denied().is_some());
    assert_eq!(guard("make x", &policy), GuardVerdict::Pass { undecided: false });
}

#[test]
fn a_switch_turns_one_rule() {
    use crate::RuleSwitch;
    let mut policy = GuardPolicy::default();
    policy.rules.insert(RuleId::PollLoop, RuleSwitch::Off);
    assert!(guard("while :; do sleep 1; done", &policy).denied().is_none());
    assert!(guard("sleep 1; cat x", &policy).denied().is_some());
    policy.rules.insert(RuleId::LongSleep, RuleSwitch::Warn);
    assert!(matches!(guard("sleep 90; make", &policy), GuardVerdict::Warn(r) if r.rule == RuleId::LongSleep));
    // A denial wins over a warning, whatever stands first.
    assert!(
        matches!(guard("sleep 90; cat x", &policy), GuardVerdict::Deny(r) if r.rule == RuleId::DelayedRead)
    );
}

#[test]
fn what_no_grammar_can_read_is_counted() {
    let verdict = |command| guard(command, &GuardPolicy::default());
    let undecided = GuardVerdict::Pass { undecided: true };
    assert_eq!(verdict("echo \"sleep 5; cat x"), undecided);
    assert_eq!(verdict("if sleep 5; then"), undecided);
    assert_eq!(verdict("echo sleep 5"), GuardVerdict::Pass { undecided: false });
    // Nothing to refuse in it: nothing to count.
    assert_eq!(verdict("echo \"open"), GuardVerdict::Pass { undecided: false });
}

#[test]
fn the_same_read_three_times_in_a_turn() {
    use crate::guard_in_turn;
    let strict = GuardPolicy::of(PolicyLevel::Strict);
    let rule = |command, earlier: &[&str]| guard_in_turn(command, earlier, &strict).denied().map(|r| r.rule);
    let tail = "tail -n 5 job.log";
    assert_eq!(rule(tail, &[tail, tail]), Some(RuleId::RepeatedRead));
    assert_eq!(rule(tail, &["make", tail, tail]), Some(RuleId::RepeatedRead));
    assert_eq!(rule(tail, &[tail]), None);
    assert_eq!(rule(tail, &[tail, "make", tail]), None);
    assert_eq!(rule("make", &["make", "make"]), None);
    assert_eq!(rule("echo", &["echo", "echo"]), None);
    assert!(guard_in_turn(tail, &[tail, tail], &GuardPolicy::default()).denied().is_none());
}

#[test]
fn spans_point_at_the_words() {
    let words = |command: &str| -> Vec<String> {
        let verdict = guard(command, &GuardPolicy::default());
        let refusal = verdict.denied().unwrap();
        std::iter::once(&refusal.span).chain(&refusal.marks).map(|r| command[r.clone()].to_owned()).collect()
    };
    let whole = "while true; do sleep 5; done";
    let want = [whole, "while", "sleep 5"];
    assert_eq!(words("make; while true; do sleep 5; done; ls"), want);
    assert_eq!(words("échoué; bash -c 'while true; do sleep 5; done'"), want);
    assert_eq!(words("bash <<'E'\nls\nwhile true; do sleep 5; done\nE"), want);
    assert_eq!(words("x=$(while true; do sleep 5; done)"), want);
    assert_eq!(words("repeat 3; do sleep 5; done"), ["repeat 3; do sleep 5; done", "repeat", "sleep 5"]);
    assert_eq!(words("cd x && sleep 5 && tail -3 y | wc"), ["sleep 5 && tail -3 y", "sleep 5", "tail -3 y"]);
    // A decoded script: the word that holds it.
    let word = "\"while true; do echo \\\"x\\\"; sleep 5; done\"";
    assert_eq!(words(&format!("bash -c {word}")), [word, word]);
}
