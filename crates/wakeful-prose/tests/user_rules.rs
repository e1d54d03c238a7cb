//! Rules of the user (P11).

use wakeful_prose::{Context, Rules, read};

const GOOD: &str = r#"
kind = "wait"

[lexicon]
oven = "oven|stove"

[[rule]]
id = "baking"
what = "Something is in the oven"
tier = "curated"
wait = "own"
pattern = '''\bin the {oven}\b'''
matches = ["The cake is in the oven.", "It is in the stove."]
near_misses = ["The oven is cold.", "In the evening."]
"#;

#[test]
fn a_good_file_adds_a_rule() {
    let rules = Rules::parse(&[("mine.toml", GOOD)]).expect("it is good");
    let wait = read(&rules, "The cake is in the oven.", &Context::default()).wait.expect("a wait");
    assert_eq!(wait.rule.as_str(), "baking");
    assert!(read(Rules::built_in(), "The cake is in the oven.", &Context::default()).wait.is_none());
    assert_ne!(rules.version(), Rules::built_in().version());
}

#[test]
fn a_rule_with_the_id_of_another_replaces_it() {
    let file = GOOD.replace("baking", "standing-by");
    let rules = Rules::parse(&[("mine.toml", &file)]).expect("it is good");
    assert!(read(&rules, "Standing by.", &Context::default()).wait.is_none());
}

#[test]
fn a_fault_is_named_with_file_line_and_reason() {
    let broken = |from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        GOOD.replace(from, to)
    };
    let rows = [
        (broken("[[rule]]", "[[rule"), 7, "expected"),
        (broken("in the {oven}", "in the {owen}"), 12, "no {owen} in the lexicon"),
        (broken("in the {oven}", "in (the"), 7, "unclosed group"),
        (broken("wait = \"own\"", ""), 7, "says no \"wait\""),
        (broken("wait = \"own\"", "wait = \"maybe\""), 11, "unknown variant"),
        (broken("id = \"baking\"", "id = \"Baking!\""), 7, "kebab-case"),
        (broken("The oven is cold.", "It is in the oven."), 7, "matches its near miss"),
        (broken("It is in the stove.", "It is in the fridge."), 7, "does not match its example"),
        (broken(", \"It is in the stove.\"", ""), 7, "at least two"),
        (broken("tier = \"curated\"", "teir = \"curated\""), 10, "unknown field"),
        (broken("pattern = '''", "pattern = '''[a"), 12, ""),
    ];
    for (file, line, reason) in rows {
        let errors = Rules::parse(&[("mine.toml", &file)]).expect_err(reason).0;
        let first = &errors[0];
        assert_eq!((first.file.as_str(), first.line), ("mine.toml", line), "{first}");
        assert!(first.reason.contains(reason), "{first}");
    }
}

#[test]
fn every_fault_of_every_file_is_named() {
    let one = GOOD.replace("{oven}", "{x}");
    let errors = Rules::parse(&[("a.toml", &one), ("b.toml", "rule = 3"), ("c.toml", GOOD)])
        .expect_err("two are broken");
    let files: Vec<&str> = errors.0.iter().map(|error| error.file.as_str()).collect();
    assert_eq!(files, ["a.toml", "b.toml"]);
    assert!(errors.to_string().contains("a.toml:12:"), "{errors}");
}
