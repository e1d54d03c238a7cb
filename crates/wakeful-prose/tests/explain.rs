//! What `wakeful explain` shows (P17).

use wakeful_prose::{Context, Explanation, Outcome, Rules, explain};

fn explanation(text: &str) -> Explanation {
    explain(Rules::built_in(), text, &Context::default())
}

#[test]
fn a_wait() {
    let text = "Pushed the branch.\n\nCI is running (about 10 minutes); I'll report back when it lands.";
    insta::assert_snapshot!(explanation(text).render(false, 80));
}

#[test]
fn a_question_beside_a_wait() {
    let text = "The load test is running. Meanwhile: which region should I use?";
    insta::assert_snapshot!(explanation(text).render(false, 80));
}

#[test]
fn a_wait_on_the_user_beside_an_exemption() {
    let text = "Nothing lands on main until you merge. Waiting for CI, then for your sign-off.";
    insta::assert_snapshot!(explanation(text).render(false, 60));
}

#[test]
fn a_report() {
    let text = "Done.\n\n```\nwaiting for the build\n```\n\n| 部分 | 状态 |\n|---|---|\n| 解析器 | 已完成 |";
    insta::assert_snapshot!(explanation(text).render(false, 60));
}

#[test]
fn outcomes() {
    let rows = [
        ("Standing by.", Outcome::Wait),
        ("Standing by for your go.", Outcome::Question),
        ("The page changes when you log in. I'll report back when the build lands.", Outcome::WaitRejected),
        ("Done.", Outcome::Done),
        ("Two remarks.", Outcome::Neither),
        ("", Outcome::Neither),
    ];
    for (text, outcome) in rows {
        assert_eq!(explanation(text).outcome, outcome, "{text}");
    }
}

#[test]
fn colour_only_adds_sequences() {
    let explanation = explanation("CI is running; I'll report back when it lands.");
    let plain = explanation.render(false, 80);
    let mut coloured = explanation.render(true, 80);
    for code in ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[33m", "\u{1b}[0m"] {
        coloured = coloured.replace(code, "");
    }
    assert_eq!(coloured, plain);
    assert!(!plain.contains('\u{1b}'));
}

#[test]
fn the_message_cannot_write_to_the_terminal() {
    assert!(!explanation("Waiting for \u{1b}[31mCI\u{7}.").render(false, 80).contains(['\u{1b}', '\u{7}']));
}

#[test]
fn json_has_all_of_it() {
    let json =
        serde_json::to_value(explanation("Nothing lands on main until you merge. Waiting for CI.")).unwrap();
    for key in [
        "text",
        "mode",
        "reading",
        "outcome",
        "reason",
        "chars",
        "paragraphs",
        "fences",
        "opaque",
        "candidates",
        "guards",
        "exemptions",
        "hits",
        "question",
        "sentinel",
    ] {
        assert!(json.get(key).is_some(), "{key}");
    }
    assert_eq!(json["exemptions"][0]["rule"], "release-of-control");
    assert_eq!(json["exemptions"][0]["span"]["start"], 0);
}
