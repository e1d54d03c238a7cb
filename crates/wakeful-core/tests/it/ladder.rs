//! Spec 10: the ladder, gate by gate, and both tables, cell by cell.

use wakeful_core::abilities::{Delivery, SelfWake};
use wakeful_core::causes::Reason;
use wakeful_core::decision::{Bound, Gate, Verdict, WaitingOn};
use wakeful_core::event::{AskKind, Task, TaskKind, TaskOutcome, TimerKind, ToolClass, TurnHow};
use wakeful_core::ledger::Backing;
use wakeful_core::reading::Mechanism;
use wakeful_core::session::Status;
use wakeful_core::time::{Millis, Wall};

use crate::world::*;

fn turn() -> World {
    let mut w = World::new();
    w.prompt("p1");
    w
}

// Gates.

#[test]
fn open_ask_of_a_subagent_answers_and_a_turn_end_closes_the_main_agents_own() {
    let mut w = turn();
    w.by("helper", asks(AskKind::Permission, Some("c1"))).stop(end().asks("or this?"));
    w.gate(Gate::OpenAsk).needs(Reason::Permission);
    assert_eq!(w.view().asked_by.as_deref(), Some("helper"));
    w.by("helper", tool_finished("c1", ToolClass::Other)).needs(Reason::Question);

    let mut w = turn();
    w.tool("c1", ToolClass::Other).ask(AskKind::Permission, "c1").needs(Reason::Permission);
    w.stop(end()).gate(Gate::Done).needs(Reason::Done);
}

#[test]
fn open_ask_every_kind_during_a_turn() {
    for (kind, reason) in [
        (AskKind::Permission, Reason::Permission),
        (AskKind::Question, Reason::Question),
        (AskKind::Plan, Reason::Plan),
        (AskKind::Elicitation, Reason::Elicitation),
    ] {
        let mut w = turn();
        w.ask(kind, "c1").needs(reason).tool_done("c1", ToolClass::Ask).working();
    }
}

#[test]
fn open_ask_an_asynchronous_question_stays_until_the_next_user_prompt() {
    let mut w = turn();
    let wakeful_core::event::EventKind::AskOpened { ask, id, snippet, .. } =
        asks(AskKind::Question, Some("q"))
    else {
        unreachable!()
    };
    w.event(wakeful_core::event::EventKind::AskOpened { ask, id, snippet, outlives_turn: true });
    w.stop(end().closes()).gate(Gate::OpenAsk).needs(Reason::Question);
    w.wake("p2", &[]).needs(Reason::Question);
    w.prompt("p3").working();
}

#[test]
fn failure_each_way() {
    let mut w = turn();
    w.stop(end().asks("well?").failed()).gate(Gate::Failure).needs(Reason::Failed);
    assert_eq!(w.view().detail.as_deref(), Some("overloaded"));

    let resets = Some(Wall(nine().wall.0 + 3_600_000));
    let mut w = turn();
    w.stop(end().how(TurnHow::Limit { message: "limit".into(), resets })).gate(Gate::Failure);
    w.needs(Reason::Limit);
    assert_eq!(w.view().resets, resets);

    let mut w = turn();
    w.stop(end().interrupted()).gate(Gate::Failure).is(Status::Idle).rings(&[]);
}

#[test]
fn question_beats_every_wait_and_the_waits_stay_listed() {
    let mut w = turn();
    let wake = w.native_in(20, "look");
    w.start(&command("t")).awaits(&["t"]).schedule(wake.clone());
    w.stop(end().asks("which one?").waits().live(&[&command("t")]).crons(&[row("r", &wake)]));
    w.gate(Gate::Question).needs(Reason::Question);
    let view = w.view();
    assert_eq!((view.detail.as_deref(), view.waits.len()), (Some("which one?"), 2));
}

#[test]
fn question_stays_through_the_turns_of_wakes() {
    let mut w = turn();
    w.start(&command("t")).stop(end().asks("which?").live(&[&command("t")])).needs(Reason::Question);
    w.wake("p2", &[("t", TaskOutcome::Completed)]).working().start(&command("u"));
    w.stop(end().waits().live(&[&command("u")])).gate(Gate::LiveWork).needs(Reason::Question);
    w.prompt("p3").stop(end().waits().live(&[&command("u")])).waiting();
}

#[test]
fn question_is_kept_beneath_a_failure() {
    // S8b: all causes are kept, the first is shown.
    let mut w = turn();
    w.stop(end().asks("which?")).wake("p2", &[]).stop(end().failed()).needs(Reason::Failed);
    w.act(wakeful_core::event::UserAction::Done).needs(Reason::Question);
}

#[test]
fn scheduled_wake_set_in_this_turn_holds_even_when_the_message_closes() {
    let mut w = turn();
    let wake = w.native_in(20, "look");
    w.schedule(wake.clone())
        .stop(end().closes().crons(&[row("r", &wake)]))
        .gate(Gate::ScheduledWake)
        .waiting();
    assert_eq!(w.decision().verdict, Verdict::Waiting { on: WaitingOn::Wake, bound: Bound::Wake });
    assert_eq!(w.armed(TimerKind::Cap), None, "no cap of its own");
}

#[test]
fn scheduled_wake_still_armed_holds_unless_the_message_closes() {
    let mut w = turn();
    let wake = w.native_in(20, "look");
    w.schedule(wake.clone()).stop(end().crons(&[row("r", &wake)])).waiting();
    w.prompt("p2").stop(end().crons(&[row("r", &wake)])).gate(Gate::ScheduledWake).waiting();
    w.prompt("p3").stop(end().closes().crons(&[row("r", &wake)])).gate(Gate::Done).needs(Reason::Done);
}

#[test]
fn scheduled_wake_recurring_holds_only_soon_and_not_closing() {
    for (minutes, closes, gate) in
        [(30, false, Gate::ScheduledWake), (31, false, Gate::Done), (10, true, Gate::Done)]
    {
        let mut w = turn();
        let mut wake = w.native_in(minutes, "look");
        wake.by = wakeful_core::event::WakeOwner::Client { recurring: true, cron: true };
        let closing = if closes { end().closes() } else { end() };
        w.schedule(wake.clone()).stop(closing.crons(&[row("r", &wake)])).gate(gate);
    }
}

#[test]
fn scheduled_wake_of_wakeful_names_its_mode() {
    for (check_in, on) in [(false, WaitingOn::Wake), (true, WaitingOn::CheckIn)] {
        let mut w = turn();
        let wake = w.own_in(20, "look", check_in);
        w.schedule(wake).stop(end()).gate(Gate::ScheduledWake).waiting();
        assert_eq!(w.decision().verdict, Verdict::Waiting { on, bound: Bound::Wake });
    }
}

#[test]
fn awaited_work_beats_live_work_and_its_limit_is_the_bound() {
    let mut w = turn();
    w.start(&limited("t", 90)).start(&subagent("s")).awaits(&["t"]);
    w.stop(end().closes().live(&[&limited("t", 90), &subagent("s")])).gate(Gate::AwaitedWork).waiting();
    assert_eq!(w.decision().verdict, Verdict::Waiting { on: WaitingOn::Awaited, bound: Bound::Overdue });
    assert_eq!(w.armed(TimerKind::Overdue), Some(Millis(95 * 60_000 - 30)), "from its start");

    let mut w = turn();
    w.start(&server("d")).awaits(&["d"]).stop(end().closes().live(&[&server("d")])).gate(Gate::AwaitedWork);
    assert_eq!(w.armed(TimerKind::Cap), Some(Millis::minutes(30)));
}

#[test]
fn live_work_names_its_kinds_and_has_the_cap() {
    let mut w = turn();
    w.start(&subagent("s")).start(&command("t"));
    w.stop(end().live(&[&subagent("s"), &command("t")])).gate(Gate::LiveWork).waiting();
    let kinds = vec![TaskKind::Command, TaskKind::Subagent];
    let bound = Bound::Cap { after: Millis::minutes(30), by_eta: false };
    assert_eq!(w.decision().verdict, Verdict::Waiting { on: WaitingOn::Live(kinds), bound });
}

#[test]
fn pending_subagents_of_this_turn_hold_without_a_cap_and_without_the_detector() {
    let mut w = turn().with(|s| s.detector = false);
    w.tool("c1", ToolClass::Subagent).tool("c2", ToolClass::Other).stop(end().closes().no_lists());
    w.gate(Gate::PendingSubagents).waiting();
    assert_eq!((w.armed(TimerKind::Cap), w.view().waits.len()), (None, 1));
    w.minutes(21).needs(Reason::Stalled);
    let mut w = turn();
    w.tool("c1", ToolClass::Subagent).tool_done("c1", ToolClass::Subagent).stop(end()).gate(Gate::Done);
}

#[test]
fn pending_subagents_do_not_outlive_an_interruption_or_another_turn() {
    let mut w = turn();
    w.tool("c1", ToolClass::Subagent).stop(end().interrupted()).is(Status::Idle);
    let mut w = turn();
    w.tool("c1", ToolClass::Subagent).stop(end().no_lists()).prompt("p2").stop(end()).gate(Gate::Done);
}

#[test]
fn prose_wait_needs_the_detector_and_a_backing() {
    let mut w = turn();
    w.stop(end().waits().no_lists()).gate(Gate::ProseWait).waiting();
    assert_eq!(w.view().waits[0].backing, Some(Backing::Unknown));
    assert_eq!(w.armed(TimerKind::Cap), Some(Millis::minutes(30)));
    let mut w = turn().with(|s| s.detector = false);
    w.stop(end().waits().no_lists()).gate(Gate::Done).needs(Reason::Done);
}

#[test]
fn done_otherwise() {
    turn().stop(end()).gate(Gate::Done).needs(Reason::Done).rings(&[Reason::Done]);
}

// Does anyone wait for this live work?

/// Does a turn end with this live task hold?
fn holds(task: &Task, ending: End) -> bool {
    let mut w = turn();
    w.start(task).stop(ending.live(&[task]));
    let holds = w.view().waits[0].holds;
    assert_eq!(w.session.status() == Status::Waiting, holds, "{task:?}");
    holds
}

#[test]
fn table_live_work_every_cell() {
    let persistent = || Task { persistent: true, ..monitor("m") };
    #[rustfmt::skip]
    let rows: [(&str, Task, [bool; 4]); 8] = [
        // says nothing, waits, closes, waits and closes
        ("subagent", subagent("x"), [true, true, true, true]),
        ("workflow", of_kind("x", TaskKind::Workflow), [true, true, true, true]),
        ("monitor, bounded", monitor("x"), [true, true, true, true]),
        ("monitor, persistent", persistent(), [false, true, false, true]),
        ("unknown kind", of_kind("x", TaskKind::Other), [true, true, true, true]),
        ("command that never ends", server("x"), [false, false, false, false]),
        ("any other command", command("x"), [true, true, false, true]),
        ("with a limit", limited("x", 60), [true, true, false, true]),
    ];
    for (name, task, expected) in rows {
        let endings = [end(), end().somewhere(), end().closes(), end().somewhere().closes()];
        let got = endings.map(|ending| holds(&task, ending));
        assert_eq!(got, expected, "{name}");
    }
}

#[test]
fn table_live_work_awaited_holds_whatever_it_is() {
    for task in [command("x"), server("x"), Task { persistent: true, ..monitor("x") }] {
        let mut w = turn();
        w.start(&task).awaits(&["x"]).stop(end().closes().live(&[&task])).waiting();
    }
}

#[test]
fn table_live_work_what_held_goes_on_holding_after_its_exit() {
    let mut w = turn();
    w.start(&command("t")).stop(end().somewhere().live(&[&command("t")])).waiting();
    w.roster(&[]).lists("t!").waiting();
    w.prompt("p2").stop(end().closes()).gate(Gate::AwaitedWork).waiting();
}

#[test]
fn s4_the_detector_off_removes_only_holds_whose_only_evidence_is_prose() {
    let off = || turn().with(|s| s.detector = false);
    let mut w = off();
    w.start(&command("t")).stop(end().somewhere().closes().live(&[&command("t")])).needs(Reason::Done);
    let mut w = off();
    w.start(&command("t")).stop(end().live(&[&command("t")])).waiting();
    let mut w = off();
    w.start(&subagent("s")).stop(end().closes().live(&[&subagent("s")])).waiting();
    let mut w = off();
    w.stop(end().asks("well?")).needs(Reason::Question);
}

// Is there anything behind the promise?

fn backing(w: &World) -> Option<Backing> {
    w.decision().evidence.backing
}

#[test]
fn table_backing_backed_by_something_on_the_ledger() {
    // An owed entry that does not hold can still wake the agent: it is held by the words, with the cap.
    let mut w = turn();
    w.start(&command("t")).stop(end().closes().live(&[&command("t")])).roster(&[]).lists("t!");
    w.prompt("p2").stop(end().waits()).gate(Gate::ProseWait).waiting();
    assert_eq!((backing(&w), w.armed(TimerKind::Cap)), (Some(Backing::Backed), Some(Millis::minutes(30))));
}

#[test]
fn table_backing_external() {
    let mut w = turn();
    w.stop(end().external()).gate(Gate::ProseWait).waiting();
    assert_eq!((backing(&w), w.armed(TimerKind::Cap)), (Some(Backing::External), Some(Millis::minutes(10))));
    w.minutes(10).needs(Reason::WaitTimeout);

    let mut w = turn();
    w.stop(end().external().no_lists()).waiting();
    assert_eq!((backing(&w), w.armed(TimerKind::Cap)), (Some(Backing::External), Some(Millis::minutes(30))));

    // Names a mechanism that is provably absent.
    let mut w = turn();
    w.stop(end().external().names(Mechanism::Monitor)).needs(Reason::UnbackedWait);
    let mut w = turn();
    w.stop(end().external().names(Mechanism::Monitor).no_lists()).waiting();
}

#[test]
fn table_backing_external_minutes_zero_surfaces_at_once() {
    let mut w = turn().with(|s| s.external_wait = mins(0));
    w.stop(end().external()).needs(Reason::WaitTimeout);
    assert!(!w.session.day_surfaced, "W4's day is something else");
}

#[test]
fn table_backing_unknown_without_lists() {
    let mut w = turn();
    w.stop(end().waits().no_lists()).waiting();
    assert_eq!(backing(&w), Some(Backing::Unknown));
}

#[test]
fn table_backing_unbacked() {
    let mut w = turn();
    w.stop(end().waits()).gate(Gate::ProseWait).needs(Reason::UnbackedWait).rings(&[Reason::UnbackedWait]);
    let mut w = turn();
    w.start(&server("d")).stop(end().waits().live(&[&server("d")])).needs(Reason::UnbackedWait);
    let mut w = turn().with(|s| s.unbacked_wait = mins(7));
    w.stop(end().waits()).waiting().minutes(7).needs(Reason::UnbackedWait).rings(&[Reason::UnbackedWait]);
}

#[test]
fn table_backing_a_client_that_cannot_wake_itself() {
    for self_wake in [SelfWake::No, SelfWake::Unknown] {
        let mut w = turn().client(self_wake, Delivery::None);
        w.stop(end().external().no_lists()).needs(Reason::UnbackedWait);
        // Automatic check-ins wake it, where there is a channel.
        let mut w = turn().client(self_wake, Delivery::Replies).with(|s| s.auto_check_in = true);
        w.stop(end().external().no_lists()).waiting();
        // Switched on, but nothing can be delivered: nobody will wake it.
        let mut w = turn().client(self_wake, Delivery::None).with(|s| s.auto_check_in = true);
        w.stop(end().external().no_lists()).needs(Reason::UnbackedWait);
    }
}

// Precedence between neighbours, upper first.

#[test]
fn precedence_of_neighbours() {
    let mut w = turn();
    w.by("helper", asks(AskKind::Permission, Some("c1"))).stop(end().failed()).gate(Gate::OpenAsk);
    let mut w = turn();
    w.stop(end().asks("well?").failed()).gate(Gate::Failure);
    let mut w = turn();
    let wake = w.own_in(20, "look", false);
    w.schedule(wake).stop(end().asks("well?")).gate(Gate::Question);
    let mut w = turn();
    let wake = w.own_in(20, "look", false);
    w.start(&command("t")).awaits(&["t"]).schedule(wake).stop(end().live(&[&command("t")]));
    w.gate(Gate::ScheduledWake);
    let mut w = turn();
    w.start(&command("t")).start(&subagent("s")).awaits(&["t"]);
    w.stop(end().live(&[&command("t"), &subagent("s")])).gate(Gate::AwaitedWork);
    let mut w = turn();
    w.start(&command("t")).tool("c1", ToolClass::Subagent).stop(end().live(&[&command("t")]));
    w.gate(Gate::LiveWork);
    let mut w = turn();
    w.tool("c1", ToolClass::Subagent).stop(end().waits().no_lists()).gate(Gate::PendingSubagents);
    let mut w = turn();
    w.stop(end().waits().closes().no_lists()).gate(Gate::ProseWait);
}

#[test]
fn a_decision_names_its_gate_rule_and_evidence() {
    let mut w = turn();
    w.start(&command("t")).stop(end().somewhere().live(&[&command("t")]));
    let decision = w.decision();
    assert_eq!(decision.rule.as_ref().map(|rule| rule.as_str()), Some("i-wait"));
    assert_eq!(decision.words.as_deref(), Some("the words"));
    assert!(decision.evidence.lists && decision.evidence.tasks[0].holds);
    assert_eq!(decision.turn.as_ref().map(|turn| turn.as_str()), Some("p1"));
}
