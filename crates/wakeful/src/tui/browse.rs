//! Keys in the list and in the opened session.

use wakeful_core::event::UserAction;

use super::app::{Command, Mode, Model, Notice, Pane, Purpose};
use super::detail;
use super::input::Input;
use super::jump::Jump;
use super::keys::Intent;
use super::list;
use super::screen::areas;

/// What *Snooze* offers: long enough for a meal, short enough to be forgiven.
const SNOOZE: &str = "30";

impl Model {
    /// Does what a key of the list or of the opened session means.
    pub fn intend(&mut self, intent: Intent) -> Vec<Command> {
        match intent {
            Intent::Quit => return vec![Command::Quit],
            Intent::Redraw => return vec![Command::Redraw],
            Intent::Help => self.mode = Mode::Help(0),
            Intent::Filter => self.mode = Mode::Typing(Purpose::Filter, Input::of(&self.filter)),
            Intent::HideRepeated => self.hide_repeated_auto_waits(),
            Intent::Ended => self.show_ended(),
            Intent::Back => self.back(),
            Intent::Up => self.go(-1),
            Intent::Down => self.go(1),
            Intent::PageUp => self.page(-1),
            Intent::PageDown => self.page(1),
            Intent::First => self.go(isize::MIN),
            Intent::Last => self.go(isize::MAX),
            of_a_session => return self.of_session(of_a_session),
        }
        Vec::new()
    }

    /// What needs a selected session.
    fn of_session(&mut self, intent: Intent) -> Vec<Command> {
        let (Some(target), Some(row)) = (self.target(), self.row()) else {
            self.notice = Some(Notice::Info("no session is selected".to_owned()));
            return Vec::new();
        };
        match intent {
            Intent::Open => self.pane = Pane::Detail,
            Intent::Switch => {
                self.pane = if self.pane == Pane::List { Pane::Detail } else { Pane::List };
            }
            Intent::Menu => self.mode = Mode::Menu(0),
            Intent::Keep => return vec![Command::Act(target, UserAction::KeepWaiting)],
            Intent::CheckIn => return vec![Command::Act(target, UserAction::CheckIn)],
            Intent::Done => return vec![Command::Act(target, UserAction::Done)],
            Intent::Snooze => self.mode = Mode::Typing(Purpose::Snooze(target), Input::of(SNOOZE)),
            Intent::Reply => self.mode = Mode::Typing(Purpose::Reply(target), Input::default()),
            Intent::Stop => self.mode = Mode::ConfirmStop(target),
            Intent::Jump => return vec![Command::Jump(Jump::of(row))],
            Intent::StopWaiting => self.choose_waits(target),
            Intent::Why | Intent::Wrong => match self.decision().cloned().map(Box::new) {
                None => self.notice = Some(Notice::Info("nothing was decided here yet".to_owned())),
                Some(decision) if intent == Intent::Why => self.mode = Mode::Why(decision, 0),
                Some(decision) => self.mode = Mode::Wrong(target, decision),
            },
            _ => {}
        }
        Vec::new()
    }

    fn choose_waits(&mut self, target: super::app::Target) {
        let choices = self.row().map(list::choices).unwrap_or_default();
        if choices.is_empty() {
            self.notice = Some(Notice::Info(format!("{}: it waits for nothing", target.name)));
        } else {
            self.mode = Mode::StopWaiting(target, choices, 0);
        }
    }

    fn hide_repeated_auto_waits(&mut self) {
        self.hide_repeated = !self.hide_repeated;
        let said =
            if self.hide_repeated { "repeated auto-waits are hidden" } else { "every auto-wait is shown" };
        self.notice = Some(Notice::Info(said.to_owned()));
        // The selected turn may be one that is hidden now.
        self.turn =
            self.turn.filter(|turn| self.row().is_some_and(|row| detail::order(self, row).contains(turn)));
    }

    fn show_ended(&mut self) {
        self.ended_open = !self.ended_open;
        self.reselect();
    }

    /// The user has changed what is listed: where the selected session no longer is, the first one is selected.
    pub fn reselect(&mut self) {
        let listed = list::listed(self);
        let key = |row: &usize| &self.rows()[*row].view.key;
        let first = listed.first().map(|row| key(row).clone());
        let still =
            self.selected.as_ref().is_some_and(|selected| listed.iter().any(|row| key(row) == selected));
        if !still {
            self.select(first);
        }
    }

    fn back(&mut self) {
        match self.pane {
            Pane::Detail => self.pane = Pane::List,
            Pane::List => {
                self.filter.clear();
                self.reselect();
            }
        }
    }

    /// So many up or down, to the end at most.
    pub fn go(&mut self, by: isize) {
        match self.pane {
            Pane::List => self.go_in_list(by),
            Pane::Detail => self.go_in_detail(by),
        }
    }

    fn go_in_list(&mut self, by: isize) {
        let visible = list::visible(self);
        let at = self.selected.as_ref().and_then(|key| self.visible_at(key));
        let to = at.map_or(0, |at| moved(at, by, visible.len()));
        let key = visible.get(to).map(|row| self.rows()[*row].view.key.clone());
        self.select(key);
        if to == 0 {
            self.list_top = 0; // the heading above the first one too
        }
    }

    /// From turn to turn; above the newest is the head of the session.
    fn go_in_detail(&mut self, by: isize) {
        let Some(row) = self.row() else { return };
        let order = detail::order(self, row);
        let at =
            self.turn.and_then(|turn| order.iter().position(|other| *other == turn)).map_or(0, |at| at + 1);
        let to = moved(at, by, order.len() + 1);
        self.turn = to.checked_sub(1).and_then(|to| order.get(to).copied());
        if self.turn.is_none() {
            self.detail_top = 0;
        } else {
            self.show_turn();
        }
    }

    /// Scrolls so far that the selected turn is on the screen.
    fn show_turn(&mut self) {
        let Some(area) = areas(self).detail else { return };
        let Some(row) = self.row() else { return };
        let lines = detail::document(self, row, usize::from(area.width));
        let of_turn = |line: &&detail::Line| line.turn.is_some() && line.turn == self.turn;
        let Some(first) = lines.iter().position(|line| of_turn(&line)) else { return };
        let last = lines.iter().rposition(|line| of_turn(&line)).unwrap_or(first);
        let height = usize::from(area.height);
        if last >= self.detail_top + height {
            self.detail_top = (last + 1).saturating_sub(height);
        }
        self.detail_top = self.detail_top.min(first);
    }

    /// A screen up or down.
    pub fn page(&mut self, direction: isize) {
        let areas = areas(self);
        let rows = |area: Option<ratatui::layout::Rect>| area.map_or(1, |area| area.height.max(2) - 1);
        match self.pane {
            // Most sessions take two lines.
            Pane::List => self.go(direction * (rows(areas.list) / 2).max(1) as isize),
            Pane::Detail => self.scroll_detail(direction * rows(areas.detail) as isize),
        }
    }

    /// Scrolls the opened session by lines.
    pub fn scroll_detail(&mut self, by: isize) {
        let (Some(area), Some(row)) = (areas(self).detail, self.row()) else { return };
        let lines = detail::document(self, row, usize::from(area.width)).len();
        let most = lines.saturating_sub(usize::from(area.height));
        self.detail_top = self.detail_top.saturating_add_signed(by).min(most);
    }

    /// After every message: the selection is on the screen, and nothing is scrolled beyond its end.
    pub fn settle(&mut self) {
        if let Some(area) = areas(self).list {
            self.list_top = list::top(self, usize::from(area.height));
        }
        self.scroll_detail(0);
    }
}

/// `at` moved by `by` among `count`.
pub fn moved(at: usize, by: isize, count: usize) -> usize {
    at.saturating_add_signed(by).min(count.saturating_sub(1))
}
