//! The list: which sessions, in which lines.

use wakeful_core::causes::Reason;
use wakeful_core::session::Status;
use wakeful_core::time::Wall;
use wakeful_core::view::WaitView;

use super::app::{Choice, Model};
use super::screen::areas;
use super::snapshot::Row;
use crate::sessions::{countdown, length};
use crate::text::{cut, width, wrap};
use crate::words::{in_banner, left, said, wait};
use wakeful_engine::shown::Section;

/// What stands before a fact.
pub const MARGIN: &str = "     ";

/// One line of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// An empty line between sections.
    Gap,
    /// The heading of a section.
    Heading {
        /// Which.
        section: Section,
        /// Sessions in it.
        count: usize,
        /// Can be folded, and is.
        folded: Option<bool>,
    },
    /// Name and age of the session in this row.
    Title(usize),
    /// A line, by its number, of what there is to know of it.
    Fact(usize, usize),
}

/// The rows that the filter and the fold let through, in their order.
pub fn listed(model: &Model) -> Vec<usize> {
    let words = filter_words(model);
    rows(model, |row| is_listed(model, row, &words))
}

/// Those, and the selected one: it does not vanish under the user's hands because it has ended, or matches no longer.
pub fn visible(model: &Model) -> Vec<usize> {
    let words = filter_words(model);
    rows(model, |row| model.selected.as_ref() == Some(&row.view.key) || is_listed(model, row, &words))
}

fn rows(model: &Model, which: impl Fn(&Row) -> bool) -> Vec<usize> {
    model.rows().iter().enumerate().filter(|(_, row)| which(row)).map(|(at, _)| at).collect()
}

fn is_listed(model: &Model, row: &Row, words: &[String]) -> bool {
    let open = row.section != Section::Ended || model.ended_open || !words.is_empty();
    open && matches(row, words)
}

fn filter_words(model: &Model) -> Vec<String> {
    model.filter.split_whitespace().map(str::to_lowercase).collect()
}

fn matches(row: &Row, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let parts = [
        row.name(),
        row.view.key.client.name().to_owned(),
        row.view.detail.clone().unwrap_or_default(),
        fact(row).unwrap_or_default(),
    ];
    let text = parts.join(" ").to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// The lines of the list.
pub fn entries(model: &Model) -> Vec<Entry> {
    let words = filter_words(model);
    let visible = visible(model);
    let columns = usize::from(areas(model).list.map_or(model.size.0, |area| area.width));
    let mut entries = Vec::new();
    for section in [Section::NeedsYou, Section::Waiting, Section::Working, Section::Idle, Section::Ended] {
        let here = visible.iter().copied().filter(|at| model.rows()[*at].section == section);
        let here: Vec<usize> = here.collect();
        let of_section = |row: &&Row| row.section == section && matches(row, &words);
        let count = model.rows().iter().filter(of_section).count().max(here.len());
        if count == 0 {
            continue;
        }
        if !entries.is_empty() {
            entries.push(Entry::Gap);
        }
        let folded = (section == Section::Ended && words.is_empty()).then_some(!model.ended_open);
        entries.push(Entry::Heading { section, count, folded });
        for at in here {
            entries.push(Entry::Title(at));
            let lines = fact_lines(&model.rows()[at], columns).len();
            entries.extend((0..lines).map(|line| Entry::Fact(at, line)));
        }
    }
    entries
}

/// First line on the screen: where it was, moved so far that the selected session is there, with the heading above it if that is its
/// section's first.
pub fn top(model: &Model, height: usize) -> usize {
    let entries = entries(model);
    let most = entries.len().saturating_sub(height);
    let Some(row) =
        model.selected.as_ref().and_then(|key| model.rows().iter().position(|row| row.view.key == *key))
    else {
        return model.list_top.min(most);
    };
    let of_row = |entry: &Entry| matches!(entry, Entry::Title(at) | Entry::Fact(at, _) if *at == row);
    let Some(mut first) = entries.iter().position(of_row) else { return model.list_top.min(most) };
    let last = entries.iter().rposition(of_row).unwrap_or(first);
    if first > 0 && matches!(entries[first - 1], Entry::Heading { .. }) && height > 2 {
        first -= 1;
    }
    let lowest = (last + 1).saturating_sub(height);
    model.list_top.clamp(lowest, first.max(lowest)).min(most)
}

/// What stands at the right of a session's name.
pub fn age(model: &Model, row: &Row) -> String {
    let now = model.snapshot.as_ref().map(|snapshot| snapshot.now).unwrap_or_default();
    let quiet = now.since(row.last_event);
    match row.view.status {
        Status::NeedsYou(_) => length(row.view.since.map_or(quiet, |since| now.since(since))),
        Status::Waiting if row.view.banner.is_some() => match due(row) {
            Some(due) if due > now.wall => format!("in {}", countdown(now.wall.until(due))),
            _ => String::new(), // a wake whose time has passed is not announced as imminent (W3)
        },
        Status::Waiting | Status::Snoozed => {
            left(&row.view).map(|left| format!("{left} left")).unwrap_or_default()
        }
        Status::Working | Status::Idle | Status::Ended => length(quiet),
    }
}

/// When the scheduled wake of the banner is due.
fn due(row: &Row) -> Option<Wall> {
    let wakes = row.view.waits.iter().filter(|wait| in_banner(&row.view, wait));
    wakes.filter_map(|wait| wait.due).min()
}

/// The most important thing to know of a session, in lines for a list of so many columns. A question may take two of them: it is what
/// the user looks for.
pub fn fact_lines(row: &Row, columns: usize) -> Vec<String> {
    let Some(fact) = fact(row) else { return Vec::new() };
    let columns = columns.saturating_sub(width(MARGIN));
    let mut lines = wrap(&fact, columns);
    if lines.len() > 2 || row.section != Section::NeedsYou {
        let keep = if row.section == Section::NeedsYou { 1 } else { 0 };
        let rest = lines.split_off(keep).join(" ");
        lines.push(cut(&rest, columns));
    }
    lines
}

/// The most important thing to know of a session.
fn fact(row: &Row) -> Option<String> {
    let view = &row.view;
    match view.status {
        Status::NeedsYou(reason) => {
            let by = view.asked_by.as_deref().map(|_| " (a subagent of it)").unwrap_or_default();
            let detail = view.detail.clone().filter(|detail| !detail.is_empty());
            // What it has waited for says more than that it did.
            let waited =
                || view.waits.iter().find(|wait| wait.holds).map(wait).filter(|_| reason != Reason::Done);
            Some(match detail.or_else(waited) {
                Some(detail) => format!("{}{by}: {detail}", said(reason)),
                None => format!("{}{by}", said(reason)),
            })
        }
        Status::Waiting => {
            let holding: Vec<&WaitView> =
                view.waits.iter().filter(|wait| wait.holds && !in_banner(view, wait)).collect();
            let more =
                |others: usize| if others > 0 { format!(", and {others} more") } else { String::new() };
            match (&view.banner, holding.as_slice()) {
                (Some(banner), others) => Some(format!("{banner}{}", more(others.len()))),
                (None, [first, others @ ..]) => Some(format!("{}{}", wait(first), more(others.len()))),
                (None, []) => None,
            }
        }
        Status::Snoozed => Some("put away by you".to_owned()),
        Status::Working | Status::Idle | Status::Ended => None,
    }
}

/// What the user can stop waiting for: each task alone, and everything.
pub fn choices(row: &Row) -> Vec<Choice> {
    let tasks = row
        .view
        .waits
        .iter()
        .filter_map(|entry| Some(Choice { task: Some(entry.task.clone()?), label: wait(entry) }));
    let mut choices: Vec<Choice> = tasks.collect();
    if !row.view.waits.is_empty() {
        choices.push(Choice { label: "all of it".to_owned(), task: None });
    }
    choices
}
