//! The mouse: a click selects, a second one opens, the wheel scrolls, a right click opens the menu.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::app::{Command, Mode, Model, Pane};
use super::detail;
use super::list::{self, Entry};
use super::overlays;
use super::screen::areas;

/// Lines that one notch of the wheel scrolls by.
const NOTCH: isize = 3;

impl Model {
    /// What the mouse did.
    pub fn mouse(&mut self, mouse: MouseEvent) -> Vec<Command> {
        let (column, row) = (mouse.column, mouse.row);
        match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click(column, row),
            MouseEventKind::Down(MouseButton::Right) => {
                if self.mode == Mode::Browse && self.point(column, row) {
                    self.mode = Mode::Menu(0);
                } else {
                    self.mode = Mode::Browse;
                }
                Vec::new()
            }
            MouseEventKind::ScrollUp => self.wheel(column, row, -1),
            MouseEventKind::ScrollDown => self.wheel(column, row, 1),
            _ => Vec::new(),
        }
    }

    fn click(&mut self, column: u16, row: u16) -> Vec<Command> {
        self.notice = None;
        match &self.mode {
            Mode::Browse => {
                let (before, was_list) = (self.selected.clone(), self.pane == Pane::List);
                // A second click on the selected session opens it.
                if self.point(column, row) && was_list && self.pane == Pane::List && self.selected == before {
                    self.pane = Pane::Detail;
                }
                Vec::new()
            }
            Mode::Menu(_) => match overlays::menu_row(self, column, row) {
                Some(at) => self.menu_clicked(at),
                None => self.close(),
            },
            // A click beside a text that is only read closes it; what is being typed is not lost by a click.
            Mode::Help(_) | Mode::Why(..) | Mode::Resume { .. } => self.close(),
            _ => Vec::new(),
        }
    }

    fn close(&mut self) -> Vec<Command> {
        self.mode = Mode::Browse;
        Vec::new()
    }

    /// Selects what is there; false when nothing is.
    fn point(&mut self, column: u16, row: u16) -> bool {
        let areas = areas(self);
        if let Some(line) = within(areas.list, column, row) {
            let entries = list::entries(self);
            match entries.get(self.list_top + line) {
                Some(Entry::Title(at) | Entry::Fact(at, _)) => {
                    let key = self.rows()[*at].view.key.clone();
                    self.select(Some(key));
                    self.pane = Pane::List;
                    return true;
                }
                Some(Entry::Heading { folded: Some(_), .. }) => {
                    self.ended_open = !self.ended_open;
                    self.reselect();
                }
                _ => {}
            }
            return false;
        }
        let Some(line) = within(areas.detail, column, row) else { return false };
        let (Some(area), Some(shown)) = (areas.detail, self.row()) else { return false };
        let lines = detail::document(self, shown, usize::from(area.width));
        if let Some(turn) = lines.get(self.detail_top + line).and_then(|line| line.turn) {
            self.turn = Some(turn);
        }
        self.pane = Pane::Detail;
        true
    }

    fn wheel(&mut self, column: u16, row: u16, direction: isize) -> Vec<Command> {
        match std::mem::replace(&mut self.mode, Mode::Browse) {
            Mode::Browse if within(areas(self).detail, column, row).is_some() => {
                self.scroll_detail(direction * NOTCH);
            }
            Mode::Browse => {
                let pane = std::mem::replace(&mut self.pane, Pane::List);
                self.go(direction);
                self.pane = pane;
            }
            Mode::Help(top) => {
                self.mode = overlays::within(self, Mode::Help(top.saturating_add_signed(direction)));
            }
            Mode::Why(decision, top) => {
                let mode = Mode::Why(decision, top.saturating_add_signed(direction));
                self.mode = overlays::within(self, mode);
            }
            other => self.mode = other,
        }
        Vec::new()
    }
}

/// The line of an area that is at this place.
pub fn within(area: Option<Rect>, column: u16, row: u16) -> Option<usize> {
    let area = area?;
    let inside = (area.left()..area.right()).contains(&column) && (area.top()..area.bottom()).contains(&row);
    inside.then(|| usize::from(row - area.top()))
}
