//! What is asked or shown above the inbox: help, explanation, menu, choices.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Block, Clear};

use super::app::{Mode, Model};
use super::keys::{Intent, KEYS, MENU, binding};
use super::mouse::within as line_at;
use super::paint::Paint;
use super::screen::put;
use super::wrong::answers;
use crate::text::{padded, width, wrap};
use crate::why::why;

/// Widest text that is read with ease.
const WIDEST: u16 = 78;

/// A window above the inbox.
struct Window {
    title: &'static str,
    lines: Vec<(String, Style)>,
    /// First line on the screen.
    top: usize,
    /// The selected line.
    selected: Option<usize>,
}

/// Draws what is open.
pub fn draw(model: &Model, frame: &mut Frame<'_>) {
    let Some(window) = window(model, &model.mode) else { return };
    let area = place(model, &window);
    let paint = Paint { colour: model.colour };
    uncover(frame, area);
    frame.render_widget(Clear, area);
    frame.render_widget(Block::bordered().title(format!(" {} ", window.title)), area);
    let inner = inner(area);
    let shown = window.lines.iter().enumerate().skip(window.top);
    for (row, (at, (text, style))) in (0..inner.height).zip(shown) {
        let selected = window.selected == Some(at);
        let style = if selected { paint.selected() } else { *style };
        let marker = if selected { ">" } else { " " };
        let text = if window.selected.is_some() { format!("{marker} {text}") } else { text.clone() };
        put(frame, row, &[(padded(&text, usize::from(inner.width)), style)], inner);
    }
    let below = window.lines.len().saturating_sub(window.top + usize::from(inner.height));
    if below > 0 {
        let more = format!(" ↓ {below} more ");
        let wide = u16::try_from(width(&more)).unwrap_or(0).min(inner.width);
        let edge = Rect { x: inner.right() - wide, y: area.bottom() - 1, width: wide, height: 1 };
        put(frame, 0, &[(more, paint.dim())], edge);
    }
}

/// A wide character that reaches into an area from the left would hide what is drawn there.
pub fn uncover(frame: &mut Frame<'_>, area: Rect) {
    let Some(left) = area.x.checked_sub(1) else { return };
    let buffer = frame.buffer_mut();
    for row in area.top()..area.bottom() {
        if let Some(cell) = buffer.cell_mut((left, row))
            && width(cell.symbol()) > 1
        {
            cell.set_symbol(" ");
        }
    }
}

/// The mode, not scrolled beyond the end of its text.
pub fn within(model: &Model, mode: Mode) -> Mode {
    let Some(window) = window(model, &mode) else { return mode };
    let most = window.lines.len().saturating_sub(usize::from(inner(place(model, &window)).height));
    match mode {
        Mode::Help(top) => Mode::Help(top.min(most)),
        Mode::Why(decision, top) => Mode::Why(decision, top.min(most)),
        other => other,
    }
}

/// The row of the open menu that is at this place.
pub fn menu_row(model: &Model, column: u16, row: u16) -> Option<usize> {
    let window = window(model, &model.mode)?;
    let line = line_at(Some(inner(place(model, &window))), column, row)? + window.top;
    (line < window.lines.len()).then_some(line)
}

fn inner(area: Rect) -> Rect {
    Rect {
        x: area.x + 2,
        y: area.y + 1,
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(2),
    }
}

/// In the middle, as large as it must be; a narrow terminal gives all that it has above the last two lines.
fn place(model: &Model, window: &Window) -> Rect {
    let (columns, rows) = model.size;
    let longest =
        window.lines.iter().map(|(text, _)| width(text)).max().unwrap_or(0).max(width(window.title) + 2);
    let marker = if window.selected.is_some() { 2 } else { 0 };
    let wide = u16::try_from(longest + marker + 4).unwrap_or(WIDEST).min(columns);
    let room = rows.saturating_sub(2);
    let high = u16::try_from(window.lines.len() + 2).unwrap_or(room).min(room);
    Rect { x: (columns - wide) / 2, y: (room - high) / 2, width: wide, height: high }
}

fn window(model: &Model, mode: &Mode) -> Option<Window> {
    let paint = Paint { colour: model.colour };
    let columns = usize::from(model.size.0.min(WIDEST).saturating_sub(4));
    let choice = |text: String| (text, paint.plain());
    Some(match mode {
        Mode::Browse | Mode::Typing(..) => return None,
        Mode::Help(top) => {
            Window { title: "Keys", lines: help(model, paint, columns), top: *top, selected: None }
        }
        Mode::Why(decision, top) => {
            let named = |task: &wakeful_core::ids::TaskId| {
                let wait = model.row()?.view.waits.iter().find(|wait| wait.task.as_ref() == Some(task))?;
                Some(wait.label.clone())
            };
            let lines = why(decision, &named);
            let lines = lines.iter().flat_map(|line| wrap(line, columns)).map(choice).collect();
            Window { title: "Why", lines, top: *top, selected: None }
        }
        Mode::Menu(at) => {
            let lines = MENU.iter().filter_map(|intent| binding(*intent));
            let lines: Vec<_> = lines
                .map(|binding| {
                    choice(format!("{}  {}", binding.shown, what(model, binding.intent, binding.what)))
                })
                .collect();
            scrolled(model, Window { title: "Actions", lines, top: 0, selected: Some(*at) })
        }
        Mode::StopWaiting(_, choices, at) => {
            let lines = choices.iter().map(|one| choice(one.label.clone())).collect();
            scrolled(model, Window { title: "Stop waiting for", lines, top: 0, selected: Some(*at) })
        }
        Mode::Wrong(target, decision) => {
            let mut lines: Vec<_> = wrap(&target.name, columns).into_iter().map(choice).collect();
            lines.extend(answers(decision).iter().map(|(key, _, words)| choice(format!("{key}  {words}"))));
            Window { title: "This was wrong: what was right?", lines, top: 0, selected: None }
        }
        Mode::Resume { command, note } => {
            let mut lines: Vec<_> = note.iter().flat_map(|note| wrap(note, columns)).map(choice).collect();
            lines.extend(wrap(command, columns).into_iter().map(|line| (line, paint.bold())));
            Window { title: "On the clipboard: the command that resumes it", lines, top: 0, selected: None }
        }
        Mode::ConfirmStop(target) => {
            let mut lines: Vec<_> = wrap(&target.name, columns).into_iter().map(choice).collect();
            let ask = "Nothing is owed to it any more, and nothing will bring it back by itself. Stop? (y/N)";
            lines.extend(wrap(ask, columns).into_iter().map(choice));
            Window { title: "Stop", lines, top: 0, selected: None }
        }
    })
}

/// A window of choices, scrolled so far that the selected one is on the screen.
fn scrolled(model: &Model, window: Window) -> Window {
    let height = usize::from(inner(place(model, &window)).height);
    let top = window.selected.map_or(0, |at| (at + 1).saturating_sub(height));
    Window { top, ..window }
}

/// What a key does, with the minutes that are in force.
fn what(model: &Model, intent: Intent, what: &str) -> String {
    match intent {
        Intent::Keep => format!("{what} ({} min)", model.keep_minutes),
        _ => what.to_owned(),
    }
}

fn help(model: &Model, paint: Paint, columns: usize) -> Vec<(String, Style)> {
    let mut lines: Vec<(String, Style)> = Vec::new();
    for binding in &KEYS {
        let text = what(model, binding.intent, binding.what);
        for (n, line) in wrap(&text, columns.saturating_sub(9)).into_iter().enumerate() {
            let key = if n == 0 { binding.shown } else { "" };
            lines.push((format!("{} {line}", padded(key, 8)), paint.plain()));
        }
    }
    let rest = [
        "Mouse: click selects, a second click opens, the wheel scrolls, right click opens the menu.",
        "What you do is refused when the session has moved on since; the line above the keys says so.",
    ];
    lines.push((String::new(), paint.plain()));
    lines.extend(rest.iter().flat_map(|text| wrap(text, columns)).map(|line| (line, paint.dim())));
    lines
}
