//! The guards, one row a sentence of the specification (P1 to P9).

use wakeful_core::reading::Mechanism;
use wakeful_core::settings::MatchMode;
use wakeful_core::time::Millis;
use wakeful_prose::{Context, Rules, explain, read};

fn reading(text: &str) -> wakeful_core::reading::Reading {
    read(Rules::built_in(), text, &Context { mode: MatchMode::Full, now: Some(9 * 60) })
}

fn waits(text: &str) -> bool {
    reading(text).wait.is_some()
}

/// Prose of about `chars` characters that says nothing of interest, in sentences of forty characters.
fn filler(chars: usize) -> String {
    "The lamp on the desk has a green shade. ".repeat(chars.div_ceil(40))
}

const PROMISE: &str = "I'll report back when the build lands.";

#[test]
fn fences_are_removed_and_quotes_and_inline_code_are_opaque() {
    assert!(!waits("Fixed the printer.\n\n```\nWaiting for the build to finish.\n```"));
    assert!(!waits("The old text was:\n\n> Waiting for the build to finish."));
    assert!(!waits("It prints `waiting for the build` and ends."));
    assert!(!waits("It prints \"waiting for the build\" and ends."));
    assert!(waits("Waiting for `make all` to finish."));
    assert!(waits("```\nmake all\n```\n\nWaiting for it to finish."));
    assert!(
        reading("```\nmake all\n\nShould I go on?").asks_user.is_some(),
        "a fence that never closes hides nothing"
    );
}

#[test]
fn one_long_paragraph_is_a_report() {
    assert!(waits(&format!("{}{PROMISE}", filler(1_900))));
    assert!(!waits(&format!("{}{PROMISE}", filler(2_000))));
    assert!(waits(&format!("{}\n\n{PROMISE}", filler(2_000))), "more than one paragraph: no limit in all");
}

#[test]
fn lengths_are_characters() {
    let text = format!("{}. {PROMISE}", "é".repeat(1_900));
    assert!(text.len() > 2_000);
    assert!(waits(&text));
}

#[test]
fn the_final_paragraph_is_searched_in_its_last_sentences() {
    assert!(waits(&format!("Pushed.\n\n{}Waiting for the second helper.", filler(800))));
    assert!(!waits(&format!("Pushed.\n\nWaiting for the second helper. {}", filler(800))));
}

#[test]
fn a_long_message_waits_only_with_a_hand_off() {
    assert!(waits(&format!("{}\n\n{}\n\n{PROMISE}", filler(1_500), filler(1_500))));
    assert!(!waits(&format!("{}\n\n{}\n\nWaiting for the second helper.", filler(1_500), filler(1_500))));
}

#[test]
fn the_first_paragraph_must_be_a_hand_off() {
    assert!(waits(&format!("{PROMISE}\n\n{}\n\nThe lamp is green.", filler(200))));
    assert!(!waits(&format!("Waiting for the second helper.\n\n{}\n\nThe lamp is green.", filler(200))));
    assert!(
        !waits(&format!("The lint failed. {PROMISE}\n\n{}\n\nThe lamp is green.", filler(200))),
        "it raises an alarm"
    );
    assert!(waits(&format!("The lint failed. I won't poll.\n\n{}\n\nThe lamp is green.", filler(200))));
}

#[test]
fn the_second_to_last_paragraph_needs_a_calm_message() {
    let message = |first: &str| format!("{first}\n\n{PROMISE}\n\nThe lamp is green.");
    assert!(waits(&message("All parts are listed below.")));
    assert!(!waits(&message("⚠️ The quota is nearly used up.")));
}

#[test]
fn no_other_interior_paragraph_is_searched() {
    let text = format!("The lamp is green.\n\n{PROMISE}\n\nOne more thing.\n\nThe desk is brown.");
    let reading = reading(&text);
    assert!(reading.wait.is_none());
    assert!(reading.waits_somewhere.is_some(), "but it still says whose live work is");
}

#[test]
fn the_target_veto_sees_the_whole_message() {
    let rows = [
        ("Waiting on your call.", "wait-on-user"),
        ("Blocked until you decide. CI is running; I'll report back when it lands.", "wait-on-user"),
        ("- tell me when the tunnel is open\n\nI'll report back when it lands.", "imperative-to-user"),
        ("Waiting for a number from the operator.", "wait-from-user"),
        ("It needs your sign-off. Waiting for CI.", "user-decision"),
        ("Want me to squash it or leave it? Waiting for CI.", "asking-user"),
        ("Awaiting credentials.", "user-input-noun"),
    ];
    for (text, family) in rows {
        let reading = reading(text);
        assert!(reading.wait.is_none() && reading.waits_somewhere.is_none(), "{text}");
        assert!(reading.vetoes.iter().any(|id| id.as_str() == family), "{text}: {:?}", reading.vetoes);
        assert!(reading.asks_user.is_some(), "{text}");
    }
}

#[test]
fn exemptions_blank_only_their_own_words() {
    let rows = [
        ("I'll be notified when you log in. I'll report back when the sync is done.", true),
        ("The watcher pings me when you're back. Waiting for the sync.", true),
        ("Notify me when you log in. Waiting for the sync.", false),
        ("I'll be notified when you approve it. Waiting for the sync.", false),
        ("The merge stays your call. Waiting for CI.", true),
        ("It's your call now. Waiting for CI.", false),
        ("Nothing lands on main until you merge. Waiting for CI.", true),
        ("I won't continue until you merge. Waiting for CI.", false),
        ("Nothing is removed until you approve the final list. Waiting for the scan.", true),
        ("Nothing is removed until you approve. Waiting for the scan.", false),
        ("Nothing lands on main until you merge. Tell me when you have. Waiting for CI.", false),
        ("Nothing lands on main until you merge.", false),
    ];
    for (text, wait) in rows {
        assert_eq!(waits(text), wait, "{text}: {:?}", reading(text).vetoes);
    }
}

#[test]
fn status_is_no_wait() {
    assert!(!waits("CI is still running."));
    assert!(!waits("The remaining jobs are pending."));
    assert!(waits("CI is still running; I'll report back when it lands."));
    assert!(waits("CI is still running. Waiting for it."));
    assert!(
        !waits("Waiting for CI. All done, ready for review."),
        "in a message that closes only a hand-off waits"
    );
    assert!(waits("All done, ready for review. I'll report back when CI lands."));
}

#[test]
fn the_canonical_line_decides_but_for_the_target() {
    let context = Context::default();
    let line = "⏱ WAITING FOR: the signing service";
    let wait =
        read(Rules::built_in(), &format!("{}\n\n{line}\n\n{}", filler(3_000), filler(900)), &context).wait;
    let wait = wait.expect("it overrides length and shape");
    assert_eq!((wait.rule.as_str(), wait.words.as_str()), ("sentinel", line));
    assert!(wait.names_external && wait.names_mechanism.is_none());
    assert!(!waits("⏱ WAITING FOR: your approval"));
    assert!(!waits("Print `⏱ WAITING FOR: x` when you wait.")); // not alone on its line
    assert!(!waits("```\n⏱ WAITING FOR: the build\n```"));
    assert!(!waits("⏱ WAITING FOR:"));
}

#[test]
fn the_precise_mode_leaves_out_broad_rules() {
    let text = "Everything is submitted and waiting for the grader.";
    let precise = read(Rules::built_in(), text, &Context::default());
    assert!(precise.wait.is_none() && precise.waits_somewhere.is_some());
    assert!(waits(text));
}

#[test]
fn what_a_wait_names() {
    let rows = [
        ("CI is running; the monitor will notify me.", true, Some(Mechanism::Monitor)),
        ("CI is running; I'll report back when it lands.", true, None),
        ("CI is running.\n\nI'll report back when it lands.", true, None),
        ("Standing by.", false, None),
        ("Waiting for the background task to end.", false, Some(Mechanism::Task)),
        ("Waiting for the two agents.", false, Some(Mechanism::Subagent)),
        ("Next look in ten minutes.", false, Some(Mechanism::Wake)),
        ("I changed the CI config. Standing by.", false, None),
        ("Waiting for the verify script to report.", false, None),
    ];
    for (text, external, mechanism) in rows {
        let wait = reading(text).waits_somewhere.unwrap_or_else(|| panic!("{text}"));
        assert_eq!((wait.names_external, wait.names_mechanism), (external, mechanism), "{text}");
    }
}

#[test]
fn stated_times() {
    let rows = [
        ("The soak test is running; it takes about 50 minutes. I'll go on when it ends.", Some(50)),
        ("Waiting for the import, half an hour or so.", Some(30)),
        ("Waiting for the import (~3m).", Some(3)),
        ("Waiting for the window at 14:30.", Some(5 * 60 + 30)),
        ("The import should be in by noon. I'll report back when it is in.", Some(3 * 60)),
        ("Unit tests need 5 minutes, the others 20 minutes. I'll report back when they end.", Some(20)),
        ("The first run took 20 minutes. Waiting for the second one.", None),
        ("It started 20 minutes ago. Waiting for it.", None),
        ("The timeout is 20 minutes.", None),
    ];
    for (text, minutes) in rows {
        assert_eq!(reading(text).stated_eta, minutes.map(Millis::minutes), "{text}");
    }
}

#[test]
fn what_asks_and_what_does_not() {
    let asks = [
        (
            "Should I keep the old layer? I recommend removing it. The benchmark is running.",
            "Should I keep the old layer?",
        ),
        ("The test is running. Meanwhile: which region should I use?", "which region should I use?"),
        (
            "Take a look at the draft and tell me whether it holds.",
            "Take a look at the draft and tell me whether it holds.",
        ),
        (
            "Open the menu again and confirm that the entry is there.",
            "Open the menu again and confirm that the entry is there.",
        ),
        ("You have two options.\n\n1. keep it\n2. drop it", "You have two options."),
    ];
    for (text, snippet) in asks {
        let asked = reading(text).asks_user.unwrap_or_else(|| panic!("{text}"));
        assert_eq!(asked.snippet, snippet);
    }
    for text in [
        "Why was it slow? Because every row opened a connection.",
        "I can also add a changelog if you like.",
        "The log says \"Do you want to continue?\" twice.",
        "> Should I stop?\n\nThat line is gone now.",
        "```\nContinue? [y/N]\n```\n\nThe prompt is gone.",
        "Let me know if you have any questions.",
        "## What changed?\n\nTwo files.",
    ] {
        assert_eq!(reading(text).asks_user, None, "{text}");
    }
}

#[test]
fn what_closes() {
    for text in [
        "Done.",
        "All 212 tests pass. Ready for your review.",
        "Nothing left to do.",
        "I left the dev server running for you.",
        "I can also add a changelog if you like.",
        "Fixed the parser. CI is green.",
    ] {
        assert!(reading(text).closes.is_some(), "{text}");
    }
    for text in [
        "I'll go on when it is done.",
        "Pushed. The suite is running now.",
        "Two of four reports are in.",
        "The build is still running; I keep waiting for it.",
    ] {
        assert_eq!(reading(text).closes, None, "{text}");
    }
}

#[test]
fn the_best_explanation_is_stable() {
    let text = "CI is still running. Waiting for CI to finish, then I'll tag it.";
    let first = reading(text).wait.expect("a wait");
    for _ in 0..3 {
        assert_eq!(reading(text).wait.as_ref(), Some(&first));
    }
    let explanation = explain(Rules::built_in(), text, &Context::default());
    assert_eq!(explanation.reading.wait, Some(first));
}
