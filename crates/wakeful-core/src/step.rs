//! The one pure function that decides (S3): a session and an event in, a session and effects out.
//!
//! Read it top to bottom: [`step`] takes the event to the part of the session that it concerns (`apply`), and then
//! settles what follows from the whole: bounds of waits, notifications, the published roster.

use crate::abilities::Abilities;
use crate::asks::Ask;
use crate::causes::{Cause, Reason};
use crate::effect::Effect;
use crate::event::{
    Event, EventKind, ExitCause, Inheritance, Opener, Place, SessionEnd, SessionStart, Source, TimerKind,
    ToolClass,
};
use crate::ids::{AskId, Digest, ToolUseId, TurnId};
use crate::session::{Session, Status};
use crate::settings::Settings;
use crate::time::{Boot, Now};
use crate::{actions, firing, follow, turn_end};

/// What a step may know besides the session and the event.
#[derive(Debug, Clone, Copy)]
pub struct Ctx<'a> {
    /// The time. The core never reads a clock (S2).
    pub now: Now,
    /// The settings in force.
    pub settings: &'a Settings,
    /// What the session's client can do.
    pub abilities: Abilities,
}

/// One step (S3). Never fails and never panics, whatever the order of events; an event that makes no sense in the
/// state of the session changes nothing.
pub fn step(ctx: &Ctx<'_>, mut session: Session, event: &Event) -> (Session, Vec<Effect>) {
    if event.epoch.is_some_and(|epoch| epoch < session.epoch) {
        return (session, Vec::new()); // a late report of an older process (spec 40, row 26)
    }
    let mut step = Step { ctx, effects: Vec::new(), started: event.started.unwrap_or(ctx.now.boot) };
    let revision = session.ledger.revision;
    let client_lives =
        !matches!(event.source, Source::Timer | Source::User | Source::Wakeful | Source::Process);
    if client_lives {
        session.last_event = ctx.now;
        session.causes.clear(Reason::Stalled); // any event clears it (S10)
    }
    let held = Step::waits(&session);
    step.apply(&mut session, event);
    if edits_ledger_only(&event.kind) {
        follow::fell_free(&mut step, &mut session, held, false);
    }
    follow::follow(&mut step, &mut session);
    if session.ledger.revision != revision {
        // Before anything else is said of this step: the roster comes before a turn's end (A18).
        step.effects.insert(0, Effect::Publish { revision: session.ledger.revision });
    }
    (session, step.effects)
}

/// One step under way.
pub(crate) struct Step<'a> {
    pub ctx: &'a Ctx<'a>,
    pub effects: Vec<Effect>,
    /// When the event's hook started, or now.
    pub started: Boot,
}

impl Step<'_> {
    fn apply(&mut self, session: &mut Session, event: &Event) {
        let now = self.ctx.now;
        match &event.kind {
            EventKind::SessionStarted { start, place } => self.session_started(session, *start, place),
            EventKind::PromptSubmitted { opener, digest, reports, label } => {
                let prompt = Prompt { opener: *opener, digest: *digest, reports, label };
                self.prompt_submitted(session, event, &prompt);
            }
            EventKind::ToolStarted { tool_use, class, ask, .. } => {
                self.tool_started(session, event, tool_use, *class, ask);
            }
            EventKind::ToolFinished { tool_use, ask, .. } => {
                self.tool_finished(session, event, tool_use, ask);
            }
            EventKind::AskOpened { ask, id, snippet, outlives_turn } => {
                if event.agent.is_none() && !self.in_turn(session, event) {
                    return;
                }
                let running =
                    session.turns.open.iter().flat_map(|turn| turn.running.keys().cloned()).collect();
                session.asks.open(Ask {
                    id: id.clone(),
                    kind: *ask,
                    agent: event.agent.clone(),
                    snippet: snippet.clone(),
                    since: now,
                    started: self.started,
                    outlives_turn: *outlives_turn,
                    running,
                    number: 0,
                });
            }
            EventKind::AskAnswered { id } => session.asks.answer(id.as_ref(), event.agent.as_ref()),
            EventKind::TaskStarted { task, tool_use } => {
                session.ledger.start_task(task.clone(), tool_use.clone(), now);
            }
            EventKind::TaskAwaited { tasks } => session.ledger.set_awaited(tasks, true),
            EventKind::TaskUnawaited { tasks } => session.ledger.set_awaited(tasks, false),
            EventKind::TaskFinished(report) => session.ledger.report_task(report, now),
            EventKind::TaskRoster(roster) => {
                let gone = session.ledger.list(roster, self.started, now);
                self.wake_gone(session, gone);
            }
            EventKind::WakeScheduled(wake) => {
                session.ledger.schedule(wake.clone(), now);
            }
            EventKind::WakeCancelled { id } => session.ledger.cancel_wake(id.as_ref()),
            EventKind::WakeStarted { wake, stage, tasks } => {
                let discharged = session.ledger.native_wake(wake, *stage, tasks.as_deref());
                if *stage == crate::event::WakeStage::Started {
                    self.open_turn(session, event.turn.clone(), Opener::Wake, None);
                    self.discharged(session, discharged);
                }
            }
            EventKind::TurnEnded(end) => turn_end::turn_ended(self, session, event, end),
            EventKind::Stopped => actions::stop(session),
            EventKind::ProcessStarted { pid } => session.place.pid = *pid,
            EventKind::ProcessExited { cause } => self.process_exited(session, *cause),
            EventKind::SessionEnded { end } => self.session_ended(session, *end),
            EventKind::UserActed(action) => actions::act(self, session, action),
            EventKind::TimerFired { kind, epoch, generation } => {
                if let Some(timer) = session.timers.take_fired(*kind, *epoch, *generation, now) {
                    firing::fired(self, session, &timer);
                }
            }
            EventKind::EntriesInherited(inheritance) => self.inherit(session, inheritance),
            EventKind::Noticed { .. } => {}
        }
    }

    fn session_started(&mut self, session: &mut Session, start: SessionStart, place: &Place) {
        if start == SessionStart::Compact {
            return; // compaction changes nothing (C5)
        }
        session.start_seen = true;
        session.place = place.clone();
        let again = session.epoch.0 > 0 && start == SessionStart::Resume;
        session.ended = None;
        if !again {
            session.epoch = session.epoch.max(crate::ids::Epoch(1));
            return;
        }
        // The old process is gone, and what it held with it (A23); the user is here, so nothing rings.
        session.epoch = session.epoch.next();
        session.turns.end(Digest(0), false, self.ctx.now, self.started);
        session.asks.clear();
        session.ledger.clear();
    }

    fn prompt_submitted(&mut self, session: &mut Session, event: &Event, prompt: &Prompt<'_>) {
        if event.agent.is_some() || self.seen_before(session, event, prompt.digest) {
            return;
        }
        let discharged = session.ledger.consume_reports(prompt.reports);
        let fired = session.ledger.fire_by_prompt(prompt.digest, self.ctx.now);
        let own = session.check_ins.undelivered && session.ledger.own_wake_started(self.ctx.now);
        let opener = if fired || own { Opener::Wake } else { prompt.opener };
        if matches!(opener, Opener::CheckIn | Opener::Wake) {
            session.check_ins.undelivered = false; // the turn acknowledges the delivery (C10)
            self.cancel(session, TimerKind::Delivery);
        }
        if opener == Opener::User {
            self.user_wrote(session, prompt.label);
        }
        let open = session.turns.open.as_ref();
        let folded = event.turn.is_some() && open.is_some_and(|open| open.id == event.turn);
        if !folded {
            self.open_turn(session, event.turn.clone(), opener, Some(prompt.digest));
        }
        self.discharged(session, discharged || fired || own);
    }

    /// The same prompt twice (S1): of the open turn, or late, of the one that ended.
    fn seen_before(&self, session: &Session, event: &Event, digest: Digest) -> bool {
        let same = |turn: &crate::turn::OpenTurn| turn.id == event.turn && turn.prompt == Some(digest);
        let turns = &session.turns;
        event.turn.is_some()
            && (turns.open.as_ref().is_some_and(same)
                || turns.last.as_ref().is_some_and(|last| same(&last.turn))
                || turns.is_late(event, self.started))
    }

    /// A user prompt: the user is here, and has seen what was shown.
    fn user_wrote(&mut self, session: &mut Session, label: &str) {
        session.label.get_or_insert_with(|| label.to_owned());
        session.heard_user = Some(self.ctx.now);
        session.day_surfaced = false;
        session.notices.done_rung = false;
        session.snoozed = false;
        session.check_ins.auto = 0;
        session.check_ins.inbox = 0;
        session.causes.clear(Reason::Question);
        session.asks.user_wrote();
        self.cancel(session, TimerKind::Snooze);
    }

    /// A turn of the main agent begins: what the last one left behind is over (T6, S8).
    pub(crate) fn open_turn(
        &mut self,
        session: &mut Session,
        id: Option<TurnId>,
        opener: Opener,
        prompt: Option<Digest>,
    ) {
        session.turns.begin(id, opener, prompt, self.ctx.now, self.started);
        session.asks.turn_over();
        self.turn_goes_on(session);
        self.arm(session, TimerKind::Stall, self.ctx.settings.stall.millis(), "turn", false);
    }

    fn turn_goes_on(&mut self, session: &mut Session) {
        // A question stands until the user has answered it, an overdue wake until it has come.
        session.causes.keep_only(|reason| matches!(reason, Reason::Question | Reason::WakeOverdue));
        session.ledger.drop_prose();
        session.ledger.accounting.clear();
        session.ended = None;
        for timer in [TimerKind::Cap, TimerKind::Keep, TimerKind::InboxCheckIn] {
            self.cancel(session, timer);
        }
    }

    /// A wait was discharged by its own wake: check-ins count anew (T9).
    fn discharged(&mut self, session: &mut Session, discharged: bool) {
        if discharged {
            session.check_ins.auto = 0;
            session.check_ins.inbox = 0;
        }
    }

    fn tool_started(
        &mut self,
        session: &mut Session,
        event: &Event,
        tool_use: &ToolUseId,
        class: ToolClass,
        ask: &AskId,
    ) {
        session.asks.call_started(ask, event.agent.as_ref(), self.started);
        if event.agent.is_some() || !self.in_turn(session, event) {
            return;
        }
        if let Some(turn) = &mut session.turns.open {
            turn.running.insert(tool_use.clone(), class);
            turn.acted = true;
        }
    }

    fn tool_finished(&mut self, session: &mut Session, event: &Event, tool_use: &ToolUseId, ask: &AskId) {
        session.asks.call_finished(tool_use, ask, event.agent.as_ref());
        session.ledger.accounting.retain(|pending| pending != tool_use);
        if event.agent.is_some() || !self.in_turn(session, event) {
            return;
        }
        if let Some(turn) = &mut session.turns.open {
            turn.running.remove(tool_use);
            turn.acted = true;
        }
    }

    /// Makes sure that the turn of a main agent's event is open; false for a late event (S3b). The last turn goes on
    /// where its stop was blocked or its failure was a helper's (S7c); an unknown one was joined in its middle.
    fn in_turn(&mut self, session: &mut Session, event: &Event) -> bool {
        if session.turns.is_late(event, self.started) {
            return false;
        }
        if session.turns.open.is_some() {
            return true;
        }
        let of_last = session.turns.last.as_ref().is_some_and(|last| last.turn.id == event.turn);
        if of_last && session.turns.reopen() {
            self.turn_goes_on(session);
            self.arm(session, TimerKind::Stall, self.ctx.settings.stall.millis(), "turn", false);
        } else {
            self.open_turn(session, event.turn.clone(), Opener::Agent, None);
        }
        true
    }

    fn process_exited(&mut self, session: &mut Session, cause: ExitCause) {
        session.place.pid = None;
        if session.ended.is_some() {
            return;
        }
        match cause {
            ExitCause::User => self.end_session(session, SessionEnd::User),
            ExitCause::Unknown => self.lost(session, SessionEnd::Unknown),
        }
    }

    fn session_ended(&mut self, session: &mut Session, end: SessionEnd) {
        match end {
            SessionEnd::Clear => {
                let bounds = session.timers.iter().filter(|timer| moves_along(timer.kind)).cloned().collect();
                let ledger = std::mem::take(&mut session.ledger);
                session.ledger.revision = ledger.revision + 1;
                let inheritance = Inheritance { ledger, timers: bounds };
                self.effects.push(Effect::HandOver(Box::new(inheritance)));
                self.end_session(session, end);
            }
            SessionEnd::User => self.end_session(session, end),
            SessionEnd::Unknown => self.lost(session, end),
            SessionEnd::Failed => {
                session.turns.end(Digest(0), true, self.ctx.now, self.started);
                session.asks.clear();
                session.ledger.clear();
                let key = format!("turn {}", session.turns.count);
                session.causes.set(Reason::Failed, Cause::new(key, self.ctx.now));
            }
        }
    }

    /// S9: the process went without the user's doing. What it would still have done is lost, and that is said.
    fn lost(&mut self, session: &mut Session, end: SessionEnd) {
        let armed = session.ledger.wakes.iter().any(|wake| wake.confirmed);
        let owes = session.ledger.holds() || armed || session.turns.open.is_some();
        if !owes {
            if session.causes.get(Reason::Orphaned).is_none() {
                self.end_session(session, end);
            }
            return;
        }
        let mid_turn = session.turns.open.is_some();
        session.turns.end(Digest(0), false, self.ctx.now, self.started);
        let mut lost = session.ledger.clear();
        if mid_turn {
            lost.insert(0, "the turn that was open".to_owned());
        }
        session.asks.clear();
        session.snoozed = false;
        let key = format!("epoch {}", session.epoch.0);
        let cause =
            Cause::new(key, self.ctx.now).detail(format!("lost with the process: {}", lost.join(", ")));
        session.causes.set(Reason::Orphaned, cause);
    }

    fn end_session(&mut self, session: &mut Session, end: SessionEnd) {
        session.turns.end(Digest(0), false, self.ctx.now, self.started);
        session.asks.clear();
        session.ledger.clear();
        session.causes.keep_only(|_| false);
        session.snoozed = false;
        session.ended = Some(end);
    }

    /// C5: entries of the process with their timers, from the session that it served before `/clear`.
    fn inherit(&mut self, session: &mut Session, inheritance: &Inheritance) {
        let revision = session.ledger.revision;
        session.ledger = inheritance.ledger.clone();
        session.ledger.revision += revision + 1;
        for timer in &inheritance.timers {
            let timer = session.timers.adopt(timer.clone(), session.epoch);
            self.effects.push(Effect::Arm(timer));
        }
    }

    /// W9: a confirmed wake left the list before its time.
    pub(crate) fn wake_gone(&mut self, session: &mut Session, gone: bool) {
        if gone {
            let key = format!("gone at turn {}", session.turns.count);
            let cause = Cause::new(key, self.ctx.now).detail("the promised wake is gone");
            session.causes.set(Reason::WakeOverdue, cause);
        }
    }

    pub(crate) fn arm(
        &mut self,
        session: &mut Session,
        kind: TimerKind,
        after: crate::time::Millis,
        about: &str,
        wall_only: bool,
    ) {
        let arming = crate::timers::Arming { kind, after, about, wall_only };
        let timer = session.timers.arm(arming, session.epoch, self.ctx.now);
        self.effects.push(Effect::Arm(timer));
    }

    pub(crate) fn cancel(&mut self, session: &mut Session, kind: TimerKind) {
        if session.timers.cancel(kind) {
            self.effects.push(Effect::Cancel { timer: kind });
        }
    }

    /// Is it waiting, or would it be if no dialog covered it?
    pub(crate) fn waits(session: &Session) -> bool {
        session.turns.open.is_none() && session.ledger.holds() && session.ended.is_none()
    }

    /// May a message be delivered now? (C10, T11)
    pub(crate) fn deliverable(&self, session: &Session) -> bool {
        self.ctx.abilities.delivery != crate::abilities::Delivery::None
            && session.start_seen
            && session.asks.is_empty()
            && session.turns.open.is_none()
            && !matches!(session.status(), Status::Ended)
    }
}

/// Can this event take the last hold away without a turn, a decision or the user's wish?
fn edits_ledger_only(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::TaskFinished(_)
            | EventKind::TaskRoster(_)
            | EventKind::TaskUnawaited { .. }
            | EventKind::WakeCancelled { .. }
            | EventKind::WakeStarted { .. }
            | EventKind::ToolFinished { .. }
    )
}

/// A submitted prompt, without its text.
struct Prompt<'a> {
    opener: Opener,
    digest: Digest,
    reports: &'a [crate::event::TaskReport],
    label: &'a str,
}

fn moves_along(kind: TimerKind) -> bool {
    matches!(kind, TimerKind::Cap | TimerKind::Keep | TimerKind::Wake | TimerKind::Overdue)
}
