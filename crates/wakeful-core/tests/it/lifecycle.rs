//! Starts, exits, `/clear`, resume, fork, compaction (S9, A23, C5).

use wakeful_core::board::Board;
use wakeful_core::causes::Reason;
use wakeful_core::effect::Effect;
use wakeful_core::event::*;
use wakeful_core::ids::{Client, Epoch, SessionId, SessionKey};
use wakeful_core::session::{Session, Status};
use wakeful_core::settings::Settings;
use wakeful_core::time::{Millis, Now};

use crate::world::*;

fn start(start: SessionStart) -> EventKind {
    EventKind::SessionStarted { start, place: Place::default() }
}

/// Waits for a command.
fn waiting() -> World {
    let mut w = World::new();
    w.prompt("p1").start(&command("t")).stop(end().live(&[&command("t")])).waiting();
    w
}

#[test]
fn s9_an_exit_with_something_owed_surfaces_with_what_was_lost() {
    let mut w = waiting();
    w.exit(ExitCause::Unknown).needs(Reason::Orphaned).rings(&[Reason::Orphaned]);
    assert_eq!(w.view().detail.as_deref(), Some("lost with the process: label of t"));
    let mut w = World::new();
    w.prompt("p1").exit(ExitCause::Unknown).needs(Reason::Orphaned);
    assert_eq!(w.view().detail.as_deref(), Some("lost with the process: the turn that was open"));
    let mut w = World::new();
    w.prompt("p1");
    let wake = w.native_in(20, "look");
    w.schedule(wake.clone()).stop(end().crons(&[row("r", &wake)])).exit(ExitCause::Unknown);
    w.needs(Reason::Orphaned);
    assert_eq!(w.view().detail.as_deref(), Some("lost with the process: reason of look"));
    let mut w = World::new();
    w.prompt("p1").stop(end().external()).exit(ExitCause::Unknown).needs(Reason::Orphaned);
    assert_eq!(w.view().detail.as_deref(), Some("lost with the process: the words"));
}

#[test]
fn s9_an_armed_wake_that_does_not_hold_is_lost_too() {
    let mut w = World::new();
    w.prompt("p1");
    let wake = w.native_in(20, "look");
    w.schedule(wake.clone()).stop(end().crons(&[row("r", &wake)]));
    w.prompt("p2").stop(end().closes().crons(&[row("r", &wake)])).needs(Reason::Done);
    w.exit(ExitCause::Unknown).needs(Reason::Orphaned);
}

#[test]
fn s9_an_exit_that_was_the_users_ends_silently() {
    waiting().exit(ExitCause::User).is(Status::Ended).rings(&[]);
    waiting().event(EventKind::SessionEnded { end: SessionEnd::User }).is(Status::Ended).rings(&[]);
    waiting().event(EventKind::SessionEnded { end: SessionEnd::Unknown }).needs(Reason::Orphaned);
    // In either order with the exit that the process table shows.
    let mut w = waiting();
    w.event(EventKind::SessionEnded { end: SessionEnd::User }).exit(ExitCause::Unknown).is(Status::Ended);
    let mut w = waiting();
    w.exit(ExitCause::Unknown)
        .event(EventKind::SessionEnded { end: SessionEnd::User })
        .is(Status::Ended)
        .rings(&[]);
}

#[test]
fn s9_an_exit_in_each_state_with_nothing_owed_ends() {
    World::new().exit(ExitCause::Unknown).is(Status::Ended);
    let mut w = World::new();
    w.prompt("p1").stop(end()).exit(ExitCause::Unknown).is(Status::Ended).rings(&[]);
    let mut w = World::new();
    w.prompt("p1").stop(end().interrupted()).exit(ExitCause::Unknown).is(Status::Ended);
    let mut w = World::new();
    w.prompt("p1")
        .stop(end())
        .act(UserAction::Snooze { minutes: 5 })
        .exit(ExitCause::Unknown)
        .is(Status::Ended);
}

#[test]
fn s9_a_failure_that_took_the_process_along_stays_to_be_seen() {
    let mut w = World::new();
    w.prompt("p1").event(EventKind::SessionEnded { end: SessionEnd::Failed }).needs(Reason::Failed);
    w.exit(ExitCause::Unknown).needs(Reason::Failed).rings(&[Reason::Failed]);
}

#[test]
fn a23_a_second_orphan_in_the_same_epoch_rings_again() {
    let mut w = waiting();
    w.exit(ExitCause::Unknown).secs(5).prompt("p2").working().exit(ExitCause::Unknown);
    w.needs(Reason::Orphaned).secs(5);
    assert_eq!(w.rang(), [Reason::Orphaned, Reason::Orphaned]);
}

#[test]
fn an_exit_told_twice_is_one() {
    let mut w = waiting();
    w.exit(ExitCause::Unknown).again().needs(Reason::Orphaned).rings(&[Reason::Orphaned]);
    w.act(UserAction::Done).is(Status::Ended).again().is(Status::Ended);
}

#[test]
fn c5_compaction_changes_nothing() {
    let mut w = waiting();
    let before = w.session.clone();
    w.event(start(SessionStart::Compact)).waiting();
    assert_eq!(Session { last_event: before.last_event, ..w.session.clone() }, before);
    let mut w = World::new();
    w.prompt("p1").event(start(SessionStart::Compact)).working();
}

#[test]
fn c5_resume_starts_a_new_epoch_and_carries_nothing() {
    let mut w = waiting();
    w.exit(ExitCause::Unknown).secs(5);
    w.turn = None;
    w.event(start(SessionStart::Resume)).lists("");
    assert_eq!(w.session.epoch, Epoch(2));
    w.prompt("p2").working().stop(end()).needs(Reason::Done).rings(&[Reason::Orphaned, Reason::Done]);
}

#[test]
fn c5_resume_of_a_session_whose_start_was_never_seen_is_a_new_process() {
    let mut w = World::unseen();
    w.prompt("p1").start(&command("t"));
    w.turn = None;
    w.tick(5000).event(start(SessionStart::Resume)).lists("").is(Status::Idle);
}

#[test]
fn c5_resume_told_twice_is_one_epoch_even_after_the_first_prompt() {
    let mut w = waiting();
    w.tick(5000);
    w.turn = None;
    let event = w.make(start(SessionStart::Resume));
    w.raw(event.clone());
    w.prompt("p2").start(&command("u")).raw(event).working().lists("u");
    assert_eq!(w.session.epoch, Epoch(2));
}

#[test]
fn resume_leaves_a_snooze_and_a_settle_window_their_timers() {
    let mut w = World::new();
    w.prompt("p1").stop(end()).secs(5).act(UserAction::Snooze { minutes: 30 });
    w.turn = None;
    w.event(start(SessionStart::Resume)).is(Status::Snoozed).minutes(31).needs(Reason::Done);
    let mut w = World::new();
    w.prompt("p1").stop(end());
    w.turn = None;
    w.event(start(SessionStart::Resume)).needs(Reason::Done).rings(&[Reason::Done]);
}

// /clear and fork, over the board.

struct Machine {
    board: Board,
    now: Now,
    settings: Settings,
}

fn named(id: &str) -> SessionKey {
    SessionKey { client: Client::ClaudeCode, id: SessionId::new(id) }
}

impl Machine {
    fn new() -> Self {
        Self { board: Board::default(), now: nine(), settings: Settings::default() }
    }

    fn event(&mut self, id: &str, event: Event) -> Vec<Effect> {
        self.now = self.now.plus(Millis(10));
        let started = event.started.map(|_| self.now.boot);
        let event = Event { session: named(id), started, ..event };
        let effects = self.board.apply(self.now, &self.settings, |_| CLAUDE, &event);
        effects.into_iter().map(|(_, effect)| effect).collect()
    }

    fn kind(&mut self, id: &str, kind: EventKind) -> Vec<Effect> {
        let event = World::unseen().make(kind);
        self.event(id, event)
    }

    /// A session that waits for `t`, told by the log of a world.
    fn waiting(&mut self, id: &str) {
        for (_, event) in waiting().log {
            self.event(id, event);
        }
        assert_eq!(self.status(id), Status::Waiting);
    }

    fn status(&self, id: &str) -> Status {
        self.board.get(&named(id)).unwrap().status()
    }

    fn clear(&mut self, id: &str) {
        self.kind(id, EventKind::SessionEnded { end: SessionEnd::Clear });
    }

    fn minutes(&mut self, minutes: u64) {
        let end = self.now.plus(Millis::minutes(minutes));
        while let Some(left) = self.board.next_timer(self.now)
            && self.now.plus(left).wall <= end.wall
        {
            self.now = self.now.plus(left);
            for event in self.board.due(self.now) {
                self.board.apply(self.now, &self.settings, |_| CLAUDE, &event);
            }
        }
        self.now = end;
    }
}

#[test]
fn c5_clear_moves_the_entries_with_their_timers() {
    let mut m = Machine::new();
    m.waiting("a");
    let cap = m.board.get(&named("a")).unwrap().timers.get(TimerKind::Cap).cloned().unwrap();
    m.clear("a");
    m.kind("b", start(SessionStart::Clear));
    assert_eq!((m.status("a"), m.status("b")), (Status::Ended, Status::Waiting));
    let moved = m.board.get(&named("b")).unwrap().timers.get(TimerKind::Cap).cloned().unwrap();
    assert_eq!((moved.deadline, moved.after), (cap.deadline, cap.after));
    assert!(m.board.get(&named("a")).unwrap().ledger.is_empty());
    m.minutes(31);
    assert_eq!((m.status("a"), m.status("b")), (Status::Ended, Status::NeedsYou(Reason::WaitTimeout)));
}

#[test]
fn c5_clear_whose_start_is_told_before_its_end() {
    let mut m = Machine::new();
    m.waiting("a");
    m.kind("b", start(SessionStart::Clear));
    m.clear("a");
    assert_eq!((m.status("a"), m.status("b")), (Status::Ended, Status::Waiting), "no debt is lost");
}

#[test]
fn c5_clear_told_twice_and_cleared_again() {
    let mut m = Machine::new();
    m.waiting("a");
    m.clear("a");
    m.clear("a");
    m.kind("b", start(SessionStart::Clear));
    m.kind("b", start(SessionStart::Clear));
    m.clear("b");
    m.kind("c", start(SessionStart::Clear));
    assert_eq!(
        [m.status("a"), m.status("b"), m.status("c")],
        [Status::Ended, Status::Ended, Status::Waiting]
    );
}

#[test]
fn c5_clear_does_not_move_what_only_the_conversation_said() {
    let mut m = Machine::new();
    let mut w = World::new();
    w.prompt("p1").stop(end().external()).waiting();
    for (_, event) in w.log {
        m.event("a", event);
    }
    m.clear("a");
    m.kind("b", start(SessionStart::Clear));
    assert_eq!(m.status("b"), Status::Idle);
}

#[test]
fn c5_a_fork_takes_no_entries_along() {
    let mut m = Machine::new();
    m.waiting("a");
    m.kind("b", start(SessionStart::Fork));
    assert_eq!((m.status("a"), m.status("b")), (Status::Waiting, Status::Idle));
}

#[test]
fn two_sessions_with_the_same_task_id_do_not_meet() {
    let mut m = Machine::new();
    m.waiting("a");
    m.waiting("b");
    m.kind("a", EventKind::TaskFinished(report("t", Some(TaskOutcome::Stopped))));
    assert_eq!((m.status("a"), m.status("b")), (Status::NeedsYou(Reason::Done), Status::Waiting));
}
