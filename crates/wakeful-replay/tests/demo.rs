//! The demo's report: the live rules over sessions of our own.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use jiff::tz::TimeZone;
use wakeful_core::settings::MatchMode;
use wakeful_core::time::Now;
use wakeful_prose::Rules;
use wakeful_replay::demo;
use wakeful_replay::play::{Options, Tools, replay};
use wakeful_replay::readers;
use wakeful_replay::report::{Layout, Report, render};

fn report() -> Report {
    let read = |text: &str, now: Now| {
        readers::read(Rules::built_in(), text, MatchMode::Precise, &TimeZone::UTC, now)
    };
    let tools = Tools { read: &read, never_ends: &readers::never_ends, refuses: &readers::refuses };
    replay(&demo::found(), &Options::default(), tools, &|_| {}, None).unwrap()
}

#[test]
fn every_kind_of_outcome_is_in_the_demo() {
    let report = report();
    let has = |counts: &std::collections::BTreeMap<String, u64>, name: &str| counts.contains_key(name);
    assert!(has(&report.waiting, "live-work") && has(&report.waiting, "scheduled-wake"));
    assert!(has(&report.waiting, "prose-wait"), "{:?}", report.waiting);
    for reason in ["done", "question", "failed", "unbacked_wait"] {
        assert!(has(&report.needs_you, reason), "{reason}");
    }
    assert_eq!(
        (report.hidden_questions, report.unbacked_waits, report.lost_wakes, report.guard_refusals),
        (2, 1, 1, 1)
    );
    assert_eq!(report.disagreements.len(), 1, "{:#?}", report.disagreements);
    assert!(report.skipped.is_empty(), "{:?}", report.skipped);
    assert!(report.unknown.is_empty(), "{:?}", report.unknown);
}

#[test]
fn as_text() {
    insta::assert_snapshot!(render(&report(), Layout::default()));
}

#[test]
fn as_json() {
    insta::assert_json_snapshot!(report());
}

#[test]
fn colours_only_if_asked() {
    let report = report();
    let plain = render(&report, Layout::default());
    let colour = render(&report, Layout { colour: true, ..Layout::default() });
    assert!(!plain.contains('\u{1b}') && colour.contains('\u{1b}'));
    let bare: String = colour
        .split('\u{1b}')
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { part.split_once('m').unwrap().1 })
        .collect();
    assert_eq!(bare, plain);
}

#[test]
fn no_line_is_wider_than_the_page() {
    for width in [80, 120] {
        let text = render(&report(), Layout { width, ..Layout::default() });
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width, "{widest} > {width}");
    }
}
