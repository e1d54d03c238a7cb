//! The drawing: the model as a screen, and nothing else.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::app::{Mode, Model, Notice, Pane, Purpose, refused};
use super::keys::{FOOTER, Intent, binding};
use super::list::{self, Entry};
use super::paint::Paint;
use super::{detail, overlays};
use crate::text::{clean, cut, padded, width};
use wakeful_engine::shown::Section;

/// From this width on list and opened session stand side by side: below, neither would have room for a sentence.
const WIDE: u16 = 100;
/// What the list gets of a wide terminal, in per cent, and in columns at most.
const LIST_SHARE: u32 = 45;
const LIST_WIDEST: u16 = 70;
/// Below this nothing can be laid out.
const SMALLEST: (u16, u16) = (16, 5);

/// Where things are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// The list, if it is shown.
    pub list: Option<Rect>,
    /// The opened session, if it is shown.
    pub detail: Option<Rect>,
}

/// Where things are on this terminal.
pub fn areas(model: &Model) -> Areas {
    let (columns, rows) = model.size;
    // One line each for the title, what was said last, and the keys.
    let body = Rect::new(0, 1, columns, rows.saturating_sub(3));
    if columns >= WIDE {
        let share = u32::from(columns) * LIST_SHARE / 100;
        let list = u16::try_from(share).unwrap_or(LIST_WIDEST).min(LIST_WIDEST);
        let detail = Rect { x: list + 2, width: columns - list - 3, ..body };
        return Areas { list: Some(Rect { width: list, ..body }), detail: Some(detail) };
    }
    match model.pane {
        Pane::List => Areas { list: Some(body), detail: None },
        Pane::Detail => Areas { list: None, detail: Some(Rect { width: columns.saturating_sub(1), ..body }) },
    }
}

/// Draws the inbox.
pub fn draw(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    let screen = Screen { model, paint: Paint { colour: model.colour } };
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        put(frame, 0, &[("too small".to_owned(), Style::new())], area);
        return;
    }
    screen.title(frame, area);
    let Areas { list, detail } = areas(model);
    if let Some(list) = list {
        screen.list(frame, list);
    }
    if let Some(area) = detail {
        screen.detail(frame, area);
        if let Some(list) = list {
            let bar = [("│".to_owned(), screen.paint.dim())];
            (0..list.height).for_each(|row| put(frame, row, &bar, Rect { x: list.width, width: 1, ..list }));
        }
    }
    overlays::draw(model, frame);
    screen.status(frame, Rect { y: area.height - 2, height: 1, ..area });
    screen.footer(frame, Rect { y: area.height - 1, height: 1, ..area });
}

/// Writes a line, cut at the right edge of the area. Nothing but clean text comes to the terminal from here.
pub fn put(frame: &mut Frame<'_>, row: u16, spans: &[(String, Style)], area: Rect) {
    if row >= area.height {
        return;
    }
    let mut left = usize::from(area.width);
    let mut line = Line::default();
    for (text, style) in spans {
        let text = cut(text, left);
        left -= width(&text);
        line.push_span(Span::styled(text, *style));
    }
    frame.render_widget(line, Rect { y: area.y + row, height: 1, ..area });
}

struct Screen<'a> {
    model: &'a Model,
    paint: Paint,
}

impl Screen<'_> {
    fn title(&self, frame: &mut Frame<'_>, area: Rect) {
        let mut spans = vec![(" Wakeful  ".to_owned(), self.paint.bold())];
        match &self.model.snapshot {
            None => spans.push(("reading…".to_owned(), self.paint.dim())),
            Some(_) => {
                let count = |section| self.model.rows().iter().filter(|row| row.section == section).count();
                let needs = count(Section::NeedsYou);
                let needs_style = if needs > 0 { self.paint.needs() } else { self.paint.plain() };
                let verb = if needs == 1 { "needs you" } else { "need you" };
                spans.push((format!("{needs} {verb}"), needs_style));
                let others =
                    format!(", {} waiting, {} working", count(Section::Waiting), count(Section::Working));
                spans.push((others, self.paint.plain()));
            }
        }
        if !self.model.filter.is_empty() {
            spans.push((format!("  filter: {}", self.model.filter), self.paint.bold()));
        }
        put(frame, 0, &spans, area);
    }

    fn list(&self, frame: &mut Frame<'_>, area: Rect) {
        let entries = list::entries(self.model);
        if entries.is_empty() {
            self.empty(frame, area);
            return;
        }
        let shown = entries.iter().skip(self.model.list_top);
        for (row, entry) in (0..area.height).zip(shown) {
            put(frame, row, &self.entry(*entry, usize::from(area.width)), area);
        }
    }

    /// What to do when there is nothing to see.
    fn empty(&self, frame: &mut Frame<'_>, area: Rect) {
        let text = match &self.model.snapshot {
            None => "",
            Some(_) if !self.model.filter.is_empty() => "Nothing matches the filter. Esc clears it.",
            Some(_) => {
                "No sessions. Once `wakeful setup` has run, every session of your agents shows here; `wakeful doctor` says what is missing."
            }
        };
        let lines = crate::text::wrap(text, usize::from(area.width.saturating_sub(4)));
        for (row, line) in (1..).zip(lines) {
            put(frame, row, &[(format!("  {line}"), self.paint.plain())], area);
        }
    }

    fn entry(&self, entry: Entry, columns: usize) -> Vec<(String, Style)> {
        match entry {
            Entry::Gap => Vec::new(),
            Entry::Heading { section, count, folded } => {
                let style = match section {
                    Section::NeedsYou => self.paint.needs(),
                    _ => self.paint.bold(),
                };
                let fold = match folded {
                    Some(true) => "  ▸ e opens",
                    Some(false) => "  ▾ e folds",
                    None => "",
                };
                vec![
                    (format!(" {} ({count})", section.heading()), style),
                    (fold.to_owned(), self.paint.dim()),
                ]
            }
            Entry::Title(at) => self.session(at, columns),
            Entry::Fact(at, line) => {
                let row = &self.model.rows()[at];
                let style = match row.section {
                    Section::NeedsYou => self.paint.plain(),
                    _ => self.paint.waits(),
                };
                let text = list::fact_lines(row, columns).into_iter().nth(line).unwrap_or_default();
                vec![(list::MARGIN.to_owned(), style), (text, style)]
            }
        }
    }

    fn session(&self, at: usize, columns: usize) -> Vec<(String, Style)> {
        let row = &self.model.rows()[at];
        let selected = self.model.selected.as_ref() == Some(&row.view.key);
        let style = match (selected, self.model.pane) {
            (true, Pane::List) => self.paint.selected(),
            (true, Pane::Detail) => self.paint.marked(),
            (false, _) => self.paint.plain(),
        };
        let marker = if selected { " > " } else { "   " };
        let age = format!(" {} ", list::age(self.model, row));
        let name = padded(&row.name(), columns.saturating_sub(width(marker) + width(&age)));
        vec![(marker.to_owned(), style), (name, style), (age, style)]
    }

    fn detail(&self, frame: &mut Frame<'_>, area: Rect) {
        let Some(row) = self.model.row() else { return };
        let lines = detail::document(self.model, row, usize::from(area.width));
        let shown = lines.iter().skip(self.model.detail_top);
        for (row, line) in (0..area.height).zip(shown) {
            put(frame, row, &line.spans, area);
        }
        let below = lines.len().saturating_sub(self.model.detail_top + usize::from(area.height));
        if below > 0 {
            let more = [(format!(" ↓ {below} more "), self.paint.dim())];
            let wide = u16::try_from(width(&more[0].0)).unwrap_or(0).min(area.width);
            let corner = Rect { x: area.right() - wide, y: area.bottom() - 1, width: wide, height: 1 };
            overlays::uncover(frame, corner);
            put(frame, 0, &more, corner);
        }
    }

    fn status(&self, frame: &mut Frame<'_>, area: Rect) {
        if let Mode::Typing(purpose, input) = &self.model.mode {
            self.typing(frame, area, purpose, input);
            return;
        }
        let (text, style) = match &self.model.notice {
            Some(Notice::Good(text)) => (format!(" ✓ {text}"), self.paint.good()),
            Some(Notice::Bad(text)) => (format!(" ✗ {text}"), self.paint.needs()),
            Some(Notice::Info(text)) => (format!(" {text}"), self.paint.plain()),
            None if self.model.unreadable.is_some() => {
                let refusal = self.model.unreadable.as_ref();
                let what = "the sessions cannot be read";
                (
                    refusal.map(|refusal| format!(" ✗ {}", refused(what, refusal))).unwrap_or_default(),
                    self.paint.needs(),
                )
            }
            None => match self.model.snapshot.as_ref().map_or(0, |snapshot| snapshot.unread) {
                0 => return,
                unread => (format!(" {unread} events could not be read"), self.paint.dim()),
            },
        };
        put(frame, 0, &[(padded(&text, usize::from(area.width)), style)], area);
    }

    /// The line that is being typed, with its end in sight.
    fn typing(&self, frame: &mut Frame<'_>, area: Rect, purpose: &Purpose, input: &super::input::Input) {
        let ask = match purpose {
            Purpose::Filter => " Filter: ",
            Purpose::Reply(_) => " Reply: ",
            Purpose::Snooze(_) => " Snooze (30, 2h, 14:30): ",
        };
        let ask = cut(ask, usize::from(area.width) / 2);
        let room = usize::from(area.width).saturating_sub(width(&ask) + 1);
        let before = clean(&input.before());
        let mut text = clean(&input.text());
        let mut cursor = width(&before);
        while cursor > room {
            let first = text.chars().next().map_or(0, char::len_utf8);
            let gone: String = text.drain(..first).collect();
            cursor -= width(&gone).min(cursor);
            if first == 0 {
                break;
            }
        }
        let column = u16::try_from(width(&ask) + cursor).unwrap_or(0);
        put(frame, 0, &[(ask, self.paint.bold()), (padded(&text, room + 1), self.paint.plain())], area);
        frame.set_cursor_position((column.min(area.width.saturating_sub(1)), area.y));
    }

    fn footer(&self, frame: &mut Frame<'_>, area: Rect) {
        let here = match self.model.pane {
            Pane::List => [Intent::Back],
            Pane::Detail => [Intent::Open],
        };
        let hints: Vec<(&str, &str)> = match &self.model.mode {
            Mode::Browse => FOOTER
                .iter()
                .filter_map(|intent| binding(*intent))
                .filter(|binding| !here.contains(&binding.intent))
                .map(|binding| (binding.shown, binding.short))
                .collect(),
            Mode::Typing(Purpose::Snooze(_) | Purpose::Reply(_), _) => {
                vec![("Enter", "do it"), ("Esc", "leave it")]
            }
            Mode::Typing(Purpose::Filter, _) => vec![("Enter", "keep"), ("Esc", "clear")],
            Mode::Help(_) | Mode::Why(..) => vec![("↑ ↓", "scroll"), ("Esc", "close")],
            Mode::Menu(_) => vec![("Enter", "do it"), ("Esc", "close")],
            Mode::StopWaiting(..) => vec![("↑ ↓", "choose"), ("Enter", "stop waiting"), ("Esc", "leave it")],
            Mode::Wrong(..) => vec![("Esc", "leave it")],
            Mode::Resume { .. } => vec![("any key", "close")],
            Mode::ConfirmStop(_) => vec![("y", "stop it"), ("any other key", "leave it")],
        };
        let mut spans = vec![(" ".to_owned(), self.paint.plain())];
        let mut left = usize::from(area.width).saturating_sub(1);
        for (key, what) in hints {
            let wide = width(key) + width(what) + 3;
            if wide > left {
                break;
            }
            left -= wide;
            spans.push((key.to_owned(), self.paint.bold()));
            spans.push((format!(" {what}  "), self.paint.dim()));
        }
        put(frame, 0, &spans, area);
    }
}
