//! One session opened: its head, its waits, the last decision, and the timeline of its turns.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::style::Style;
use wakeful_core::decision::{Decision, Verdict};
use wakeful_core::session::Status;
use wakeful_core::time::Now;

use super::app::{Model, Pane};
use super::paint::Paint;
use super::snapshot::Row;
use crate::text::{width, wrap};
use crate::turns::{Fold, Turn, folded};
use crate::words::{in_banner, said, standing, wait};

/// One line of the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its parts.
    pub spans: Vec<(String, Style)>,
    /// The turn that it belongs to.
    pub turn: Option<usize>,
}

/// The turns in the order in which they are shown: the newest first, without those that are folded away.
pub fn order(model: &Model, row: &Row) -> Vec<usize> {
    let folds = folds(model, row);
    (0..row.turns.len()).rev().filter(|turn| folds[*turn] != Fold::Hidden).collect()
}

fn folds(model: &Model, row: &Row) -> Vec<Fold> {
    if model.hide_repeated { folded(&row.turns) } else { vec![Fold::Whole; row.turns.len()] }
}

/// The whole document, wrapped to `columns` columns.
pub fn document(model: &Model, row: &Row, columns: usize) -> Vec<Line> {
    let mut page =
        Page { model, paint: Paint { colour: model.colour }, columns, lines: Vec::new(), turn: None };
    page.head(row);
    page.waits(row);
    page.decision(row);
    page.timeline(row);
    page.lines
}

struct Page<'a> {
    model: &'a Model,
    paint: Paint,
    columns: usize,
    lines: Vec<Line>,
    turn: Option<usize>,
}

impl Page<'_> {
    fn push(&mut self, spans: Vec<(String, Style)>) {
        self.lines.push(Line { spans, turn: self.turn });
    }

    /// A text behind a margin, wrapped; the first line begins with `lead` in the margin.
    fn text(&mut self, lead: &str, text: &str, style: Style) {
        self.parts(lead, self.paint.plain(), text, style);
    }

    fn parts(&mut self, lead: &str, lead_style: Style, text: &str, style: Style) {
        let margin = width(lead).min(self.columns / 2);
        for (n, line) in wrap(text, self.columns.saturating_sub(margin)).into_iter().enumerate() {
            let before = if n == 0 { lead.to_owned() } else { " ".repeat(margin) };
            self.push(vec![(before, lead_style), (line, style)]);
        }
    }

    fn gap(&mut self) {
        self.push(Vec::new());
    }

    fn now(&self) -> Now {
        self.model.snapshot.as_ref().map(|snapshot| snapshot.now).unwrap_or_default()
    }

    fn head(&mut self, row: &Row) {
        let mut place = row.project.clone();
        if let Some(branch) = &row.branch {
            place.push_str(&format!(" · {branch}"));
        }
        place.push_str(&format!(" · {}", row.view.key.client));
        self.text("", &place, self.paint.dim());
        self.text("", &row.label, self.paint.bold());
        let (word, style) = status(row, self.paint);
        let standing = standing(&row.view, self.now(), row.last_event).unwrap_or_default();
        self.parts(&format!("{word}  "), style, &standing, self.paint.plain());
        if let Some(banner) = &row.view.banner {
            self.parts("⏰ ", self.paint.banner(), banner, self.paint.banner());
        }
        if !row.view.also.is_empty() {
            let also: Vec<&str> = row.view.also.iter().map(|reason| said(*reason)).collect();
            self.text("also       ", &also.join("; "), self.paint.plain());
        }
        if let Some(resets) = row.view.resets {
            let at = clock(Now { wall: resets, ..Now::default() }, &self.model.zone, "%d %b %H:%M");
            self.text("until      ", &at, self.paint.plain());
        }
    }

    fn waits(&mut self, row: &Row) {
        let waits: Vec<_> = row.view.waits.iter().filter(|wait| !in_banner(&row.view, wait)).collect();
        if waits.is_empty() {
            return;
        }
        self.gap();
        self.text("", "Waits", self.paint.bold());
        for entry in waits {
            let style = if entry.holds { self.paint.waits() } else { self.paint.dim() };
            self.text("  • ", &wait(entry), style);
        }
    }

    fn decision(&mut self, row: &Row) {
        let Some(decision) = &row.view.decision else { return };
        self.gap();
        self.text("", "Last decision (w: why, x: this was wrong)", self.paint.bold());
        self.last(decision);
    }

    fn timeline(&mut self, row: &Row) {
        if row.turns.is_empty() {
            return;
        }
        self.gap();
        let hint = if self.model.hide_repeated {
            "h: show repeated auto-waits"
        } else {
            "h: hide repeated auto-waits"
        };
        self.text("", &format!("Timeline, newest turn first ({hint})"), self.paint.bold());
        let folds = folds(self.model, row);
        for at in order(self.model, row) {
            self.turn = Some(at);
            self.one_turn(&row.turns[at], folds[at]);
        }
        self.turn = None;
    }

    fn one_turn(&mut self, turn: &Turn, fold: Fold) {
        let selected = self.turn == self.model.turn && self.model.pane == Pane::Detail;
        let shown =
            if fold == Fold::Prompt { &turn.lines[..turn.lines.len().min(1)] } else { &turn.lines[..] };
        let mut decision = turn.decision.as_ref().filter(|_| fold != Fold::Prompt);
        for (n, line) in shown.iter().enumerate() {
            if n == turn.decided_after {
                self.decided(decision.take(), n == 0 && selected);
            }
            let first = n == 0 && selected;
            let style = match n {
                _ if first => self.paint.selected(),
                0 => self.paint.bold(),
                _ => self.paint.plain(),
            };
            let lead = self.lead(line.at, first);
            self.parts(&lead, self.paint.dim(), &line.text, style);
        }
        self.decided(decision, shown.is_empty() && selected);
        if let Fold::Newest(count) = fold {
            let what = if count == 1 { "auto-wait" } else { "auto-waits" };
            self.text("    ", &format!("… {count} earlier {what} hidden (h shows)"), self.paint.dim());
        }
    }

    /// Marker and clock of a line of the timeline.
    fn lead(&self, at: Now, marked: bool) -> String {
        let marker = if marked { ">" } else { " " };
        format!("{marker} {}  ", clock(at, &self.model.zone, "%H:%M:%S"))
    }

    fn decided(&mut self, decision: Option<&Decision>, marked: bool) {
        let Some(decision) = decision else { return };
        let (name, style) = pill(decision, self.paint);
        let lead = self.lead(decision.at, marked);
        self.parts(&lead, self.paint.dim(), &name, style);
        let words = decision.words.as_ref().map(|words| format!("“{words}”, ")).unwrap_or_default();
        let margin = " ".repeat(width(&lead) + 1);
        self.text(&margin, &format!("{words}{}", decision.gate.name()), self.paint.plain());
    }

    /// The last decision, by which gate and rule, with the words that matched.
    fn last(&mut self, decision: &Decision) {
        let (name, style) = pill(decision, self.paint);
        let rule = decision.rule.as_ref().map(|rule| format!(", rule {rule}")).unwrap_or_default();
        let words = decision.words.as_ref().map(|words| format!(": “{words}”")).unwrap_or_default();
        self.text("  ", &name, style);
        self.text("   ", &format!("gate {}{rule}{words}", decision.gate.name()), self.paint.plain());
    }
}

/// The pill of a decision; of one that kept its turn out of the inbox it stands out (spec 70).
fn pill(decision: &Decision, paint: Paint) -> (String, Style) {
    match &decision.verdict {
        Verdict::NeedsYou { reason, .. } => (format!("[needs you: {}]", said(*reason)), paint.needs()),
        Verdict::Waiting { .. } => ("[⏱ Auto-waited]".to_owned(), paint.auto_waited()),
        Verdict::Idle => ("[idle]".to_owned(), paint.dim()),
    }
}

/// The status as a word, and how it is painted.
pub fn status(row: &Row, paint: Paint) -> (&'static str, Style) {
    match row.view.status {
        Status::NeedsYou(_) => ("NEEDS YOU", paint.needs()),
        Status::Waiting => ("WAITING", paint.waits()),
        Status::Snoozed => ("SNOOZED", paint.waits()),
        Status::Working => ("WORKING", paint.good()),
        Status::Idle => ("IDLE", paint.dim()),
        Status::Ended => ("ENDED", paint.dim()),
    }
}

fn clock(at: Now, zone: &TimeZone, format: &str) -> String {
    let at = Timestamp::from_millisecond(at.wall.0).unwrap_or(Timestamp::UNIX_EPOCH);
    zone.to_datetime(at).strftime(format).to_string()
}
