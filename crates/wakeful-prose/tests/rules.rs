//! The rule files: every example holds, every rule is well formed.

use std::collections::BTreeSet;

use wakeful_prose::{Kind, Rules};

#[test]
fn every_example_of_every_rule_holds() {
    let broken = Rules::built_in().check_examples();
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn ids_are_unique_and_the_named_ones_are_there() {
    let mut seen = BTreeSet::new();
    for rule in Rules::built_in().list() {
        assert!(seen.insert(rule.id.to_string()), "{} is there twice", rule.id);
        assert!(!rule.what.is_empty(), "{} does not say what it recognises", rule.id);
    }
    for id in [
        "waiting-for-on-any",
        "standing-by",
        "ci-still-running",
        "waiting-on-ci-noun",
        "wont-poll",
        "stop-polling",
        "will-continue-when-once-after",
        "will-continue-as-distributive-completes",
        "reinvoke-me-automatically",
        "will-resume-me-active",
        "wait-on-user",
        "imperative-to-user",
        "wait-from-user",
        "user-decision",
        "asking-user",
        "user-input-noun",
        "auto-notify",
        "release-of-control",
        "approve-a-list",
    ] {
        assert!(seen.contains(id), "{id} is missing");
    }
    assert!(Rules::built_in().list().filter(|rule| rule.kind == Kind::Wait).count() >= 25); // about forty with the language files
}
