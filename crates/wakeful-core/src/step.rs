//! The one pure function that decides (S3): a session and an event in, a session and effects out.
//!
//! Read it top to bottom: [`step`] takes the event to the part of the session that it concerns (`apply`), and then
//! settles what follows from the whole: bounds of waits, notifications, the published roster.

use crate::abilities::Abilities;
use crate::asks::Ask;
use crate::causes::{Cause, HARD, Reason};
use crate::effect::Effect;
use crate::event::{
    Event, EventKind, ExitCause, Inheritance, Opener, Place, SessionEnd, SessionStart, Source, TaskReport,
    TimerKind, ToolClass, WakeStage,
};
use crate::ids::{AskId, Digest, Epoch, ToolUseId, TurnId};
use crate::session::{Session, Status};
use crate::settings::Settings;
use crate::time::{Boot, Millis, Now};
use crate::turn::Relation;
use crate::{actions, firing, follow, turn_end};

/// Two registrations of one hook start at the same moment; more than this apart they are two events.
const TWIN_HOOKS: Millis = Millis::secs(1);

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
    // No hook starts in the future; one of before a reboot, read from the spool after it, seems to.
    let started = event.started.map_or(ctx.now.boot, |started| started.min(ctx.now.boot));
    let mut step = Step { ctx, effects: Vec::new(), started };
    let revision = session.ledger.revision;
    let client_lives =
        !matches!(event.source, Source::Timer | Source::User | Source::Wakeful | Source::Process);
    if client_lives {
        if session.last_event.boot_id != ctx.now.boot_id {
            session.new_boot();
        }
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
                let ask = Ask {
                    id: id.clone(),
                    kind: *ask,
                    agent: event.agent.clone(),
                    snippet: snippet.clone(),
                    since: now,
                    started: self.started,
                    outlives_turn: *outlives_turn,
                    running: Vec::new(),
                    number: 0,
                };
                self.ask_opened(session, event, ask);
            }
            EventKind::AskAnswered { id } => {
                session.asks.answer(id.as_ref(), event.agent.as_ref(), self.started);
            }
            EventKind::TaskStarted { task, tool_use } => {
                session.ledger.start_task(task.clone(), tool_use.clone(), self.started, now);
            }
            EventKind::TaskAwaited { tasks } => session.ledger.set_awaited(tasks, true),
            EventKind::TaskUnawaited { tasks } => session.ledger.set_awaited(tasks, false),
            EventKind::TaskFinished(report) => {
                session.ledger.report_task(report, now);
                self.agents_over(session, std::slice::from_ref(report));
            }
            EventKind::TaskRoster(roster) => {
                let gone = session.ledger.list(roster, self.started, now);
                self.wake_gone(session, gone);
            }
            EventKind::WakeScheduled(wake) => {
                session.ledger.schedule(wake.clone(), now);
                self.wake_explained(session);
            }
            EventKind::WakeCancelled { id } => {
                session.ledger.cancel_wake(id.as_ref());
                self.wake_explained(session);
            }
            EventKind::WakeStarted { wake, stage, tasks } => {
                if session.ledger.wake_is_over(wake) {
                    return;
                }
                let discharged = session.ledger.native_wake(wake, *stage, tasks.as_deref(), now);
                if *stage == WakeStage::Started {
                    self.open_turn(session, event.turn.clone(), Opener::Wake, None);
                    self.discharged(session, discharged);
                }
            }
            EventKind::TurnEnded(end) => turn_end::turn_ended(self, session, event, end),
            EventKind::Stopped if event.agent.is_some() => {} // a subagent was, not the agent (C4)
            EventKind::Stopped => {
                actions::stop(session, now);
                session.turns.end(Digest(0), now, self.started); // it was stopped, so it does not work
            }
            EventKind::ProcessStarted { pid } => session.place.pid = *pid,
            EventKind::ProcessExited { cause } => self.process_exited(session, *cause),
            EventKind::SessionEnded { end } => self.session_ended(session, *end),
            EventKind::UserActed(action) => actions::act(self, session, action),
            EventKind::TimerFired { kind, epoch, generation } => {
                if *epoch == session.epoch
                    && let Some(timer) = session.timers.take_fired(*kind, *epoch, *generation, now)
                {
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
        let twin = session.process_seen.is_some_and(|(seen, started)| {
            seen == start && self.started.0.abs_diff(started.0) <= TWIN_HOOKS.0
        });
        session.start_seen = true;
        let supervised = session.place.supervised || place.supervised;
        session.place = place.clone();
        session.ended = None;
        if twin {
            return; // the same hook registered twice
        }
        session.process_seen = Some((start, self.started));
        if start == SessionStart::Resume {
            self.next_process(session, supervised);
        } else if session.epoch == Epoch::default() {
            self.next_epoch(session);
        }
    }

    /// Another process serves the session. The old one is gone, and what it held with it (A23); the user is here, so
    /// nothing rings. What stays has its timers in the new epoch.
    fn next_process(&mut self, session: &mut Session, supervised: bool) {
        session.turns.end(Digest(0), self.ctx.now, self.started);
        session.asks.clear();
        session.ledger.lose_process(supervised, self.ctx.now);
        session.check_ins.undelivered = false;
        self.cancel(session, TimerKind::Delivery);
        session.causes.clear(Reason::Stalled);
        self.next_epoch(session);
    }

    fn next_epoch(&mut self, session: &mut Session) {
        session.epoch = session.epoch.next();
        for timer in session.timers.adopt_all(session.epoch) {
            self.effects.push(Effect::Arm(timer));
        }
    }

    fn prompt_submitted(&mut self, session: &mut Session, event: &Event, prompt: &Prompt<'_>) {
        if event.agent.is_some() {
            return;
        }
        let discharged = session.ledger.consume_reports(prompt.reports, self.started, self.ctx.now);
        self.agents_over(session, prompt.reports);
        if self.seen_before(session, event, prompt.digest) {
            return; // a late one edits the ledger, never the status (S3b)
        }
        let fired = session.ledger.fire_by_prompt(prompt.digest, self.ctx.now);
        // A wake that Wakeful delivered comes as the client's notice of it, or as its own prompt.
        let notice =
            matches!(prompt.opener, Opener::Wake | Opener::CheckIn) && prompt.reports.is_empty() && !fired;
        let own = session.ledger.own_wake_started((!notice).then_some(prompt.digest));
        let opener = if fired || own { Opener::Wake } else { prompt.opener };
        if opener == Opener::User {
            self.user_wrote(session, prompt.label);
        }
        let open = session.turns.open.as_ref();
        let folded = event.turn.is_some() && open.is_some_and(|open| open.id == event.turn);
        if !folded {
            self.open_turn(session, event.turn.clone(), opener, Some(prompt.digest));
        } else if let Some(open) = session.turns.open.as_mut().filter(|open| open.prompt.is_none()) {
            // The turn was joined before its own prompt was seen.
            (open.opener, open.prompt) = (opener, Some(prompt.digest));
        }
        self.discharged(session, discharged || fired || own);
    }

    /// The id of a subagent's task is the subagent's own: once it has ended, none of its dialogs is open (S7).
    fn agents_over(&self, session: &mut Session, reports: &[TaskReport]) {
        for report in reports.iter().filter(|report| report.outcome.is_some()) {
            session.asks.agent_over(report.task.as_str());
        }
    }

    /// The same prompt twice (S1): of the open turn, or late, of one that ended. Where the client gives no turn ids, the
    /// same hook registered twice is told by its start.
    fn seen_before(&self, session: &Session, event: &Event, digest: Digest) -> bool {
        let same = |turn: &crate::turn::OpenTurn| {
            let twin = event.turn.is_some() || self.started.0.abs_diff(turn.started.0) <= TWIN_HOOKS.0;
            turn.id == event.turn && turn.prompt == Some(digest) && twin
        };
        let turns = &session.turns;
        turns.open.as_ref().is_some_and(same)
            || turns.last.as_ref().is_some_and(|last| same(&last.turn))
            || turns.is_late(event, self.started)
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
        session.check_ins.undelivered = false; // whatever was delivered, the agent is at it (C10)
        self.cancel(session, TimerKind::Delivery);
        session.asks.turn_over();
        self.turn_goes_on(session);
    }

    fn turn_goes_on(&mut self, session: &mut Session) {
        // A question stands until the user has answered it, an overdue wake until it has come. One that is gone will not
        // come, but the agent is at work again: the end of this turn says what is armed now.
        self.wake_explained(session);
        session.causes.keep_only(|reason| matches!(reason, Reason::Question | Reason::WakeOverdue));
        session.ledger.drop_prose();
        session.ledger.account(Vec::new());
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
            turn.call_started(tool_use, class);
        }
    }

    fn tool_finished(&mut self, session: &mut Session, event: &Event, tool_use: &ToolUseId, ask: &AskId) {
        session.asks.call_finished(tool_use, ask, event.agent.as_ref(), self.started);
        session.ledger.accounted(tool_use);
        if event.agent.is_some() {
            return;
        }
        let in_turn = self.in_turn(session, event);
        if let Some(turn) = &mut session.turns.open
            && (in_turn || turn.running.contains_key(tool_use))
        {
            turn.call_finished(tool_use);
        }
    }

    /// A dialog opened. One without id is a notification that may be a subagent's: between turns it opens no turn.
    fn ask_opened(&mut self, session: &mut Session, event: &Event, mut ask: Ask) {
        if session.asks.knows(&ask) {
            return;
        }
        let main = ask.agent.is_none() && (ask.id.is_some() || session.turns.open.is_some());
        if main && !self.in_turn(session, event) {
            return;
        }
        if let Some(turn) = &mut session.turns.open {
            turn.acted = true;
            ask.running = turn.running.keys().cloned().collect();
        }
        session.asks.open(ask);
    }

    /// Makes sure that the turn of a main agent's event is open; false for a late event (S3b).
    fn in_turn(&mut self, session: &mut Session, event: &Event) -> bool {
        let late = session.turns.is_late(event, self.started);
        if !late {
            self.join(session, event);
        }
        !late
    }

    /// Makes the turn of an event the open one. The last turn goes on where its stop was blocked or its failure was a
    /// helper's (S7c); one whose beginning was not seen is joined in its middle.
    pub(crate) fn join(&mut self, session: &mut Session, event: &Event) {
        match session.turns.relation(event) {
            Relation::Open => session.turns.name_open(event.turn.as_ref()),
            Relation::Last => {
                session.turns.reopen();
                self.turn_goes_on(session);
            }
            Relation::Unseen => self.open_turn(session, event.turn.clone(), Opener::Agent, None),
        }
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
        if session.ended.is_some() {
            return; // told twice: what there was to hand over has been handed over
        }
        match end {
            SessionEnd::Clear => {
                let bounds = session.timers.iter().filter(|timer| moves_along(timer.kind)).cloned().collect();
                let inheritance = Inheritance { ledger: session.ledger.hand_over(), timers: bounds };
                self.effects.push(Effect::HandOver(Box::new(inheritance)));
                self.end_session(session, end);
            }
            SessionEnd::User => self.end_session(session, end),
            SessionEnd::Unknown => self.lost(session, end),
            SessionEnd::Failed if session.turns.open.is_none() => self.lost(session, SessionEnd::Unknown),
            SessionEnd::Failed => {
                session.turns.end(Digest(0), self.ctx.now, self.started);
                session.asks.clear();
                session.ledger.clear(self.ctx.now);
                let key = format!("turn {}", session.turns.count);
                let cause = Cause::new(key, self.ctx.now).detail("the turn ended with the process");
                session.causes.set(Reason::Failed, cause);
            }
        }
    }

    /// S9: the process went without the user's doing. What it would still have done is lost, and that is said.
    fn lost(&mut self, session: &mut Session, end: SessionEnd) {
        let mid_turn = session.turns.open.is_some();
        let owes =
            session.ledger.holds() || session.ledger.wakes.iter().any(|wake| wake.confirmed) || mid_turn;
        session.turns.end(Digest(0), self.ctx.now, self.started);
        session.asks.clear();
        let mut lost = session.ledger.lose_process(session.place.supervised, self.ctx.now);
        if mid_turn {
            lost.insert(0, "the turn that was open".to_owned());
        }
        if owes && !lost.is_empty() {
            session.snoozed = false;
            // The process may come back in the same epoch, and be lost again: that is another loss.
            let key = format!("epoch {} revision {}", session.epoch.0, session.ledger.revision);
            let cause =
                Cause::new(key, self.ctx.now).detail(format!("lost with the process: {}", lost.join(", ")));
            session.causes.set(Reason::Orphaned, cause);
        } else if !owes && session.causes.first_of(&HARD).is_none() {
            self.end_session(session, end); // a failure that took the process along stays to be seen
        }
    }

    fn end_session(&mut self, session: &mut Session, end: SessionEnd) {
        session.turns.end(Digest(0), self.ctx.now, self.started);
        session.asks.clear();
        session.ledger.clear(self.ctx.now);
        session.causes.keep_only(|_| false);
        session.snoozed = false;
        session.ended = Some(end);
    }

    /// C5: entries of the process with their timers, from the session that it served before `/clear`.
    fn inherit(&mut self, session: &mut Session, inheritance: &Inheritance) {
        session.ledger.inherit(&inheritance.ledger);
        for timer in &inheritance.timers {
            let timer = session.timers.adopt(timer.clone(), session.epoch);
            self.effects.push(Effect::Arm(timer));
        }
    }

    /// W9: a confirmed wake left the list before its time.
    pub(crate) fn wake_gone(&mut self, session: &mut Session, gone: bool) {
        if gone {
            let key = format!("{} {}", follow::GONE, session.ledger.revision);
            let cause = Cause::new(key, self.ctx.now).detail("the promised wake is gone");
            session.causes.set(Reason::WakeOverdue, cause);
        }
    }

    /// That a wake is gone from the list was lawful after all: it was replaced or cancelled (W9a).
    fn wake_explained(&self, session: &mut Session) {
        if session.causes.get(Reason::WakeOverdue).is_some_and(|cause| cause.key.starts_with(follow::GONE)) {
            session.causes.clear(Reason::WakeOverdue);
        }
    }

    pub(crate) fn arm(
        &mut self,
        session: &mut Session,
        kind: TimerKind,
        after: Millis,
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
            && session.causes.get(Reason::Orphaned).is_none()
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
            | EventKind::TaskStarted { .. }
            | EventKind::PromptSubmitted { .. }
            | EventKind::WakeScheduled(_)
            | EventKind::WakeCancelled { .. }
            | EventKind::WakeStarted { .. }
            | EventKind::ToolFinished { .. }
    )
}

/// A submitted prompt, without its text.
struct Prompt<'a> {
    opener: Opener,
    digest: Digest,
    reports: &'a [TaskReport],
    label: &'a str,
}

fn moves_along(kind: TimerKind) -> bool {
    matches!(kind, TimerKind::Cap | TimerKind::Keep | TimerKind::Wake | TimerKind::Overdue)
}
