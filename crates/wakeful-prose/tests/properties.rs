//! Properties that hold for every text.

use proptest::prelude::*;
use wakeful_core::settings::MatchMode;
use wakeful_prose::{Context, Rules, SpanView, explain, read};

const FULL: Context = Context { mode: MatchMode::Full, now: Some(600) };

/// Words and marks that the rules and the markdown parser care about.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "waiting for",
        "the build",
        "you",
        "I'll report back",
        "when it finishes",
        "?",
        ".",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "```",
        "`",
        "\"",
        "“",
        "”",
        "**",
        "| a | b |\n|---|---|\n",
        "⏱ WAITING FOR: it",
        "等待",
        "您的确认",
        "吗？",
        "할까요",
        "é",
        "\u{200b}",
        "<b>",
        "<!--",
        "-->",
        "::x{",
        "}",
        "done",
        "CI is running",
        "20 minutes",
        "at 14:30",
        "# ",
        "1. ",
        "until you merge",
        "nothing lands",
        "should I",
        " ",
        "    ",
        "\t",
        "\r\n",
        "—",
        "…",
        "İ",
        "ß",
        "\u{301}",
        "🙂",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.join(" "))
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![3 => pieces(), 1 => any::<String>(), 1 => "[ -~\n]{0,400}"]
}

/// Messages that wait.
fn waits() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "Waiting for the second helper.",
        "CI is running; I'll report back when it finishes.",
        "The suite runs in the background. I won't poll it.",
        "Standing by.",
        "Pushed.\n\n⏱ WAITING FOR: the mirror",
        "测试正在运行，完成后我会继续。",
        "I'll merge the reports as they come in.",
    ])
}

/// Questions to the user.
fn questions() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "Should I delete the old table?",
        "Which region do you want?",
        "Do you want me to go on?",
        "Please confirm the new name.",
        "Let me know which of the two you prefer.",
        "要不要我删除旧表？",
        "푸시할까요?",
        "Souhaitez-vous que je continue ?",
        "Quer que eu continue?",
        "¿Quieres que siga?",
        "Soll ich weitermachen?",
    ])
}

fn on_borders(text: &str, span: SpanView) -> bool {
    span.start <= span.end && text.is_char_boundary(span.start) && text.is_char_boundary(span.end)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_and_explained_alike(text in texts()) {
        let rules = Rules::built_in();
        let explanation = explain(rules, &text, &FULL);
        let reading = read(rules, &text, &FULL);
        prop_assert_eq!(&explanation.reading, &reading);
        prop_assert_eq!(&read(rules, &text, &FULL), &reading);
        let spans = explanation.hits.iter().chain(&explanation.exemptions).map(|hit| hit.span);
        let parts = explanation.candidates.iter().map(|c| c.span).chain(explanation.paragraphs.iter().copied());
        let rest = explanation.question.iter().map(|q| q.span).chain(explanation.sentinel);
        for span in spans.chain(parts).chain(rest) {
            prop_assert!(on_borders(&text, span), "{span:?}");
        }
        prop_assert!(!explanation.render(true, 20).is_empty());
    }

    #[test]
    fn what_waits_on_the_user_is_no_wait(text in texts()) {
        let reading = read(Rules::built_in(), &text, &FULL);
        prop_assert!(reading.vetoes.is_empty() || (reading.wait.is_none() && reading.waits_somewhere.is_none()));
    }

    #[test]
    fn the_precise_mode_waits_no_more_than_the_full_one(text in texts()) {
        let precise = read(Rules::built_in(), &text, &Context { mode: MatchMode::Precise, ..FULL });
        let full = read(Rules::built_in(), &text, &FULL);
        prop_assert!(precise.wait.is_none() || full.wait.is_some());
        let rest = |r: &wakeful_core::reading::Reading| (r.asks_user.clone(), r.waits_somewhere.clone(), r.closes.clone());
        prop_assert_eq!(rest(&precise), rest(&full));
    }

    #[test]
    fn a_question_after_a_wait_is_found(wait in waits(), question in questions(), gap in prop::sample::select(vec![" ", "\n", "\n\n", "\n\n- "])) {
        // what follows the canonical line on the line itself is what it waits for
        let gap = if wait.contains('⏱') && gap == " " { "\n" } else { gap };
        let text = format!("{wait}{gap}{question}");
        let reading = read(Rules::built_in(), &text, &FULL);
        prop_assert!(reading.asks_user.is_some(), "{text}");
    }

    #[test]
    fn a_question_before_a_wait_is_found(wait in waits(), question in questions()) {
        let text = format!("{question}\n\n{wait}");
        prop_assert!(read(Rules::built_in(), &text, &FULL).asks_user.is_some(), "{text}");
    }
}
