//! Properties: whatever the text, an answer comes, the same each time, in work that grows with the text and no faster.

use proptest::prelude::*;

use crate::cases::{commands, denied};
use crate::guard::guard_counted;
use crate::{GuardPolicy, PolicyLevel, RuleId, guard, never_ends};

/// Pieces of shell that meet in ways nobody writes.
const PIECES: &[&str] = &[
    "while ",
    "until ",
    "for x in a; ",
    "for ((",
    ")) ",
    "select x in a; ",
    "do ",
    "done ",
    "if ",
    "then ",
    "else ",
    "elif ",
    "fi ",
    "case x in ",
    "a) ",
    "esac ",
    ";; ",
    "sleep 5",
    "pgrep x",
    "cat x",
    "tail -f x",
    "echo ",
    "bash -c ",
    "eval ",
    "ssh h ",
    "'",
    "\"",
    "`",
    "\\",
    "$(",
    "$((",
    "${x:-",
    "<(",
    "(",
    ")",
    "{ ",
    "} ",
    "[[ ",
    "]] ",
    "((",
    "<<E\n",
    "\nE\n",
    "<<<",
    "<<-'E' ",
    "> x ",
    "2>&1 ",
    "&> y ",
    "; ",
    " & ",
    " && ",
    " || ",
    " | ",
    "\n",
    "!",
    " ! ",
    "f() ",
    "function f ",
    "coproc ",
    "time ",
    "sudo ",
    "timeout 5 ",
    "env A=1 ",
    "x=",
    "a=(",
    "x[",
    "$'",
    "#",
    "é",
    "日",
    "\t",
    "\r\n",
    "npm run dev",
    "npx ",
    "--",
    "-",
    "repeat 3; ",
    "x",
    " ",
    "$x",
    "*",
    "?(",
    "}",
    "]",
    "=",
    "~",
    "\0",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|parts| parts.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![pieces(), any::<String>(), "[ -~\n]{0,200}"]
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let strict = GuardPolicy::of(PolicyLevel::Strict);
    let verdict = guard(text, &strict);
    prop_assert_eq!(&verdict, &guard(text, &strict));
    if let Some(refusal) = verdict.denied() {
        prop_assert!(text.get(refusal.span.clone()).is_some(), "{:?}", refusal);
        for mark in &refusal.marks {
            prop_assert!(text.get(mark.clone()).is_some(), "{:?}", refusal);
        }
    }
    prop_assert_eq!(never_ends(text), never_ends(text));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_one_answer(text in any_text()) {
        check(&text)?;
    }

    #[test]
    fn a_damaged_command_gets_one_answer(
        command in prop::sample::select(commands()),
        at in any::<prop::sample::Index>(),
        piece in prop::sample::select(PIECES),
    ) {
        let cut = (0..=at.index(command.len() + 1)).rev().find(|i| command.is_char_boundary(*i)).unwrap_or(0);
        check(&command[..cut])?;
        check(&format!("{}{piece}{}", &command[..cut], &command[cut..]))?;
    }

    #[test]
    fn quoted_text_is_not_a_command(command in prop::sample::select(denied())) {
        let quoted = command.replace('\'', "'\\''");
        for text in [
            format!("git commit -m '{quoted}'"),
            format!("gh pr create --title t --body '{quoted}' --draft"),
            format!("echo '{quoted}' > note.txt"),
            format!("cat > note.txt <<'END_OF_NOTE'\n{command}\nEND_OF_NOTE\n"),
        ] {
            prop_assert!(guard(&text, &GuardPolicy::default()).denied().is_none(), "{}", text);
        }
    }

    #[test]
    fn a_wrapper_hides_nothing(
        command in prop::sample::select(denied()),
        wrappers in prop::collection::vec(prop::sample::select(WRAPPERS), 0..4),
        shell in prop::sample::select(vec!["bash -c", "sh -ec", "dash -c", "zsh -lc", "ksh -c", "/bin/bash -euo pipefail -c"]),
    ) {
        let rule = |text: &str| guard(text, &GuardPolicy::default()).denied().map(|r| r.rule);
        let quoted = command.replace('\'', "'\\''");
        let script = format!("{} {shell} '{quoted}'", wrappers.join(" "));
        prop_assert_eq!(rule(&script), rule(&command), "{}", script);
        let fed = format!("{} bash <<'END_OF_SCRIPT'\n{command}\nEND_OF_SCRIPT\n", wrappers.join(" "));
        prop_assert_eq!(rule(&fed), rule(&command), "{}", fed);
        for grouped in [format!("( {command}\n)"), format!("{{ {command}\n}}"), format!("if true; then {command}\nfi")] {
            prop_assert!(rule(&grouped).is_some() || rule(&command) == Some(RuleId::DelayedRead), "{}", grouped);
        }
    }

    #[test]
    fn a_wrapped_sleep_is_a_sleep(wrappers in prop::collection::vec(prop::sample::select(WRAPPERS), 1..6)) {
        let sleep = format!("{} sleep 5", wrappers.join(" "));
        let rule = |text: &str| guard(text, &GuardPolicy::default()).denied().map(|r| r.rule);
        prop_assert_eq!(rule(&format!("while :; do {sleep}; done")), Some(RuleId::PollLoop));
        prop_assert_eq!(rule(&format!("{sleep}; cat x")), Some(RuleId::DelayedRead));
    }
}

const WRAPPERS: &[&str] = &[
    "command",
    "exec",
    "nohup",
    "env",
    "env -i A=1",
    "nice",
    "nice -n 5",
    "stdbuf -oL -e0",
    "sudo",
    "sudo -u ci -E",
    "timeout 60",
    "timeout -k 5s --signal TERM 2m",
    "setsid",
    "/usr/bin/env",
    "ionice -c 3",
    "time -p",
    "flock /var/tmp/l",
];

/// Texts that make a careless reader look at the rest again and again.
const HARD: &[&str] = &[
    "$(",
    "((",
    "$((",
    "(",
    "{ ",
    "`",
    "\"$(",
    "${x:-",
    "<(",
    "case x in a) ",
    "if ",
    "while ",
    "until x; do ",
    "for ((",
    "x[",
    "a=(",
    "<<E\n",
    "<<E ",
    "f() ",
    "f() { ",
    "! ",
    "sleep 5; ",
    "sleep 5 | ",
    "'",
    "\"",
    "\\",
    "[[ ",
    "[[ ! ",
    "a && ",
    "!(",
    "$'",
    "repeat ",
    "coproc ",
    "time ",
    "bash -c '",
    "eval ",
    "npx ",
    "timeout 5 ",
    "sudo ",
    "while :; do sleep 1; done; ",
    "tail -f x | ",
    "f() { sleep 1; }; f; ",
    "echo $(sleep 1) `cat x` ",
    "bash <<E\nsleep 1\nE\n",
    "ssh h 'sleep 5; cat x'; ",
    "x=\"$(",
    "for x in a; do ",
];

/// The work, in bytes looked at and nodes visited, of `unit` repeated up to `bytes`.
fn work(unit: &str, bytes: usize) -> usize {
    let mut text = unit.repeat(bytes / unit.len());
    text.push_str("\nsleep 5; cat x");
    let strict = GuardPolicy::of(PolicyLevel::Strict);
    guard_counted(&text, &[], &strict).1
}

#[test]
fn work_grows_with_the_text_and_no_faster() {
    for unit in HARD {
        // Above the size that the backtracking grammar gets, so that both sizes are read the same way.
        let (one, two) = (work(unit, 20_000), work(unit, 40_000));
        assert!(two * 10 <= one * 22, "{unit:?}: {one} then {two}");
        // And no text costs more than a bounded number of looks at each byte.
        assert!(one <= 20_000 * LOOKS, "{unit:?}: {one} for 20 kB");
    }
}

/// Every level of nesting may look at the rest once more, and levels are bounded by `MAX_DEPTH`.
const LOOKS: usize = crate::parse::MAX_DEPTH;

#[test]
fn deep_nesting_does_not_use_up_the_stack() {
    for unit in HARD {
        for count in [20, 63, 64, 65, 500] {
            let text = unit.repeat(count);
            guard(&format!("{text} sleep 5"), &GuardPolicy::default());
            never_ends(&text);
        }
    }
}

#[test]
fn a_hundred_kilobytes_of_openers() {
    for unit in ["$(", "(", "`", "{ ", "case x in a) "] {
        let text = unit.repeat(100_000 / unit.len());
        assert!(guard(&format!("{text} sleep 5"), &GuardPolicy::default()).denied().is_none());
        assert_eq!(never_ends(&text), None);
    }
}

#[test]
fn functions_that_call_each_other_twice_are_summed_up_once() {
    let mut text = String::from("f0() { sleep 1; }\n");
    for i in 1..60 {
        text.push_str(&format!("f{i}() {{ f{0}; f{0}; }}\n", i - 1));
    }
    text.push_str("while :; do f59; done");
    let (verdict, work) = guard_counted(&text, &[], &GuardPolicy::default());
    assert_eq!(verdict.denied().map(|r| r.rule), Some(RuleId::PollLoop));
    assert!(work < text.len() * 10, "{work}");
}
