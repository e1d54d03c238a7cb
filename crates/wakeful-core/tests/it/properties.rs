//! Random sequences of events, of all kinds, in any order, doubled, late, at odd times: the laws of every step hold (see
//! [`crate::laws`]), and the log replays to the same state.

use proptest::prelude::*;
use wakeful_core::abilities::{Delivery, SelfWake};
use wakeful_core::board::Board;
use wakeful_core::causes::Reason;
use wakeful_core::effect::Effect;
use wakeful_core::event::*;
use wakeful_core::ids::*;
use wakeful_core::notices::Edge;
use wakeful_core::session::{Session, Status};
use wakeful_core::settings::Settings;
use wakeful_core::step::{Ctx, step};
use wakeful_core::time::{Boot, BootId, Millis, Wall};

use crate::world::*;

/// One thing that happens.
#[derive(Debug, Clone)]
enum Deed {
    /// An event, as it is told now.
    Tell(Box<EventKind>, Telling),
    /// The event told this many before, once more.
    Again(usize),
    /// Both clocks go on, and what is due fires or does not.
    Time(u64, bool),
    /// The wall clock is set.
    Clock(i64),
    /// The machine starts anew.
    Boot,
    /// A timer fires that may be stale, early, or of another epoch.
    Fire(TimerKind, u32, u32),
}

/// How an event is told.
#[derive(Debug, Clone)]
struct Telling {
    turn: Option<u8>,
    agent: Option<u8>,
    source: Source,
    /// How long before now the hook started; `None`: no hook.
    late: Option<u64>,
    epoch: Option<u32>,
}

fn id(n: u8) -> String {
    format!("{n}")
}

fn few() -> impl Strategy<Value = u8> {
    0..3_u8
}

fn a_task() -> impl Strategy<Value = Task> {
    let kinds = prop_oneof![
        3 => Just(TaskKind::Command),
        1 => Just(TaskKind::Monitor),
        1 => Just(TaskKind::Subagent),
        1 => Just(TaskKind::Other),
    ];
    (few(), kinds, any::<(bool, bool, bool)>()).prop_map(|(n, kind, (limited, endless, persistent))| Task {
        limit: limited.then_some(Millis::minutes(10)),
        endless: endless.then(|| RuleId::new("endless")),
        persistent,
        ..of_kind(&id(n), kind)
    })
}

fn a_report() -> impl Strategy<Value = TaskReport> {
    let outcomes = prop::option::of(prop_oneof![
        Just(TaskOutcome::Completed),
        Just(TaskOutcome::Failed),
        Just(TaskOutcome::Stopped),
        Just(TaskOutcome::StoppedByUnknown),
    ]);
    (few(), outcomes).prop_map(|(n, outcome)| report(&id(n), outcome))
}

fn a_wake() -> impl Strategy<Value = ScheduledWake> {
    let owners = prop_oneof![
        2 => any::<(bool, bool)>().prop_map(|(recurring, cron)| WakeOwner::Client { recurring, cron }),
        1 => any::<bool>().prop_map(|check_in| WakeOwner::Wakeful { check_in, prompt: "look".into() }),
    ];
    (few(), prop::option::of(few()), -5..60_i64, owners).prop_map(|(prompt, row, minutes, by)| {
        ScheduledWake {
            id: row.map(|n| WakeId::new(id(n))),
            due: Wall(nine().wall.0 + minutes * 60_000),
            delay: Millis::minutes(minutes.unsigned_abs()),
            prompt: Digest(u64::from(prompt)),
            by,
            reason: None,
        }
    })
}

fn a_row() -> impl Strategy<Value = ListedWake> {
    let due = prop::option::of((-5..60_i64).prop_map(|minutes| Wall(nine().wall.0 + minutes * 60_000)));
    (few(), few(), any::<bool>(), due).prop_map(|(n, prompt, recurring, due)| ListedWake {
        id: WakeId::new(id(n)),
        recurring,
        prompt: Digest(u64::from(prompt)),
        due,
    })
}

fn a_roster() -> impl Strategy<Value = Roster> {
    let tasks = prop::option::of(prop::collection::vec(a_task(), 0..3));
    let wakes = prop::option::of(prop::collection::vec(a_row(), 0..3));
    (tasks, wakes).prop_map(|(tasks, wakes)| Roster { tasks, wakes, reconstructed: false })
}

fn an_end() -> impl Strategy<Value = TurnEnd> {
    let hows = prop_oneof![
        6 => Just(TurnHow::Finished),
        1 => Just(TurnHow::Interrupted),
        1 => Just(TurnHow::Failed { message: "error".into() }),
        1 => Just(TurnHow::Limit { message: "limit".into(), resets: None }),
    ];
    (a_roster(), hows, 0..7_u8).prop_map(|(roster, how, says)| {
        let said = match says {
            0 => end(),
            1 => end().asks("well?"),
            2 => end().waits(),
            3 => end().external(),
            4 => end().somewhere().closes(),
            5 => end().closes(),
            _ => end().waits().eta(60),
        };
        let mut ended = said.how(how).0;
        ended.digest = Digest(u64::from(says));
        ended.roster = roster;
        ended
    })
}

fn an_action() -> impl Strategy<Value = UserAction> {
    prop_oneof![
        Just(UserAction::Reply { text: "go on".into() }),
        Just(UserAction::KeepWaiting),
        Just(UserAction::CheckIn),
        Just(UserAction::Done),
        (0..90_u32).prop_map(|minutes| UserAction::Snooze { minutes }),
        prop::option::of(few()).prop_map(|n| UserAction::StopWaiting { task: n.map(|n| TaskId::new(id(n))) }),
        Just(UserAction::Stop),
    ]
}

fn tool_class() -> impl Strategy<Value = ToolClass> {
    prop_oneof![Just(ToolClass::Subagent), Just(ToolClass::Ask), Just(ToolClass::Other)]
}

fn an_opener() -> impl Strategy<Value = Opener> {
    prop_oneof![Just(Opener::User), Just(Opener::Wake), Just(Opener::CheckIn), Just(Opener::Agent)]
}

fn of_turns() -> impl Strategy<Value = EventKind> {
    let reports = prop::collection::vec(a_report(), 0..2);
    let stages =
        prop_oneof![Just(WakeStage::Announced), Just(WakeStage::Started), Just(WakeStage::Discarded)];
    prop_oneof![
        4 => (an_opener(), few(), reports).prop_map(|(opener, digest, reports)| EventKind::PromptSubmitted {
            opener,
            digest: Digest(u64::from(digest)),
            reports,
            label: "label".into(),
        }),
        2 => (few(), tool_class()).prop_map(|(n, class)| tool_started(&id(n), class)),
        2 => (few(), tool_class()).prop_map(|(n, class)| tool_finished(&id(n), class)),
        5 => an_end().prop_map(|end| EventKind::TurnEnded(Box::new(end))),
        1 => (few(), stages).prop_map(|(n, stage)| EventKind::WakeStarted {
            wake: WakeId::new(id(n)),
            stage,
            tasks: None,
        }),
    ]
}

fn of_the_ledger() -> impl Strategy<Value = EventKind> {
    let ids = || prop::collection::vec(few().prop_map(|n| TaskId::new(id(n))), 0..3);
    prop_oneof![
        4 => (a_task(), prop::option::of(few())).prop_map(|(task, call)| EventKind::TaskStarted {
            task,
            tool_use: call.map(|n| ToolUseId::new(id(n))),
        }),
        2 => ids().prop_map(|tasks| EventKind::TaskAwaited { tasks }),
        1 => ids().prop_map(|tasks| EventKind::TaskUnawaited { tasks }),
        2 => a_report().prop_map(EventKind::TaskFinished),
        2 => a_roster().prop_map(EventKind::TaskRoster),
        2 => a_wake().prop_map(EventKind::WakeScheduled),
        1 => prop::option::of(few()).prop_map(|n| EventKind::WakeCancelled { id: n.map(|n| WakeId::new(id(n))) }),
    ]
}

fn of_asks_and_people() -> impl Strategy<Value = EventKind> {
    let kinds = prop_oneof![Just(AskKind::Permission), Just(AskKind::Question), Just(AskKind::Elicitation)];
    let answer = |n: Option<u8>| EventKind::AskAnswered { id: n.map(|n| AskId::new(format!("ask of {n}"))) };
    prop_oneof![
        3 => (kinds, prop::option::of(few()), any::<bool>()).prop_map(|(kind, n, outlives_turn)| {
            EventKind::AskOpened {
                ask: kind,
                id: n.map(|n| AskId::new(format!("ask of {n}"))),
                snippet: "may I?".into(),
                outlives_turn,
            }
        }),
        2 => prop::option::of(few()).prop_map(answer),
        4 => an_action().prop_map(EventKind::UserActed),
        1 => Just(EventKind::Noticed { name: "noise".into() }),
    ]
}

fn of_the_process() -> impl Strategy<Value = EventKind> {
    let starts = prop_oneof![
        Just(SessionStart::Startup),
        Just(SessionStart::Resume),
        Just(SessionStart::Clear),
        Just(SessionStart::Compact),
    ];
    let ends = prop_oneof![
        Just(SessionEnd::User),
        Just(SessionEnd::Clear),
        Just(SessionEnd::Unknown),
        Just(SessionEnd::Failed),
    ];
    prop_oneof![
        3 => (starts, any::<bool>()).prop_map(|(start, supervised)| EventKind::SessionStarted {
            start,
            place: Place { supervised, ..Place::default() },
        }),
        1 => ends.prop_map(|end| EventKind::SessionEnded { end }),
        1 => any::<bool>().prop_map(|user| EventKind::ProcessExited {
            cause: if user { ExitCause::User } else { ExitCause::Unknown },
        }),
        1 => Just(EventKind::ProcessStarted { pid: Some(7) }),
        1 => Just(EventKind::Stopped),
    ]
}

fn a_telling() -> impl Strategy<Value = Telling> {
    let late = prop_oneof![
        6 => Just(Some(0)),
        2 => (0..5_000_u64).prop_map(Some),
        1 => Just(Some(u64::MAX)), // from the future, after the subtraction wraps
        1 => Just(None),
    ];
    let source =
        prop_oneof![4 => Just(Source::Hook), 1 => Just(Source::Transcript), 1 => Just(Source::Stream)];
    let agent = prop_oneof![5 => Just(None), 1 => few().prop_map(Some)];
    let epoch = prop_oneof![9 => Just(None), 1 => (0..3_u32).prop_map(Some)];
    let turn = prop::option::weighted(0.8, 0..4_u8);
    (turn, agent, source, late, epoch).prop_map(|(turn, agent, source, late, epoch)| Telling {
        turn,
        agent,
        source,
        late,
        epoch,
    })
}

fn a_deed() -> impl Strategy<Value = Deed> {
    let kinds = prop_oneof![
        8 => of_turns(),
        6 => of_the_ledger(),
        4 => of_asks_and_people(),
        1 => of_the_process(),
    ];
    let timers = prop_oneof![
        Just(TimerKind::Cap),
        Just(TimerKind::Overdue),
        Just(TimerKind::Wake),
        Just(TimerKind::Settle),
        Just(TimerKind::Stall),
    ];
    prop_oneof![
        12 => (kinds, a_telling()).prop_map(|(kind, telling)| Deed::Tell(Box::new(kind), telling)),
        3 => (1..4_usize).prop_map(Deed::Again),
        6 => (0..4_000_000_u64, any::<bool>()).prop_map(|(millis, fire)| Deed::Time(millis, fire)),
        3 => (0..5_000_u64).prop_map(|millis| Deed::Time(millis, true)),
        1 => (-100_000_000..100_000_000_i64).prop_map(Deed::Clock),
        1 => Just(Deed::Boot),
        1 => (timers, 0..4_u32, 0..40_u32).prop_map(|(kind, epoch, generation)| Deed::Fire(kind, epoch, generation)),
    ]
}

fn told(w: &World, kind: EventKind, how: &Telling) -> Event {
    let user = matches!(kind, EventKind::UserActed(_));
    let process = matches!(kind, EventKind::ProcessExited { .. } | EventKind::ProcessStarted { .. });
    Event {
        session: key(),
        source: if user {
            Source::User
        } else if process {
            Source::Process
        } else {
            how.source
        },
        turn: how.turn.map(|n| TurnId::new(format!("p{n}"))),
        agent: how.agent.filter(|_| !user && !process).map(|n| AgentId::new(id(n))),
        epoch: how.epoch.map(Epoch),
        started: how.late.map(|late| Boot(w.now.boot.0.wrapping_sub(late))),
        kind,
    }
}

fn does(w: &mut World, deed: &Deed) {
    match deed {
        Deed::Tell(kind, how) => {
            let event = told(w, (**kind).clone(), how);
            w.raw(event);
        }
        Deed::Again(back) => {
            if let Some((_, event)) = w.log.iter().rev().nth(back - 1).cloned() {
                w.raw(event);
            }
        }
        Deed::Time(millis, fire) => {
            w.tick(*millis);
            if *fire {
                w.fire();
            }
        }
        Deed::Clock(by) => w.now.wall = Wall(w.now.wall.0 + by),
        Deed::Boot => {
            w.now.boot_id = BootId(w.now.boot_id.0 + 1);
            w.now.boot = Boot(1_000);
        }
        Deed::Fire(kind, epoch, generation) => {
            w.raw(fire_event(*kind, Epoch(*epoch), *generation));
        }
    }
}

fn a_world() -> impl Strategy<Value = World> {
    let wakes = prop_oneof![3 => Just(SelfWake::Yes), 1 => Just(SelfWake::No)];
    let delivery = prop_oneof![Just(Delivery::None), Just(Delivery::CheckInsOnly), Just(Delivery::Replies)];
    let switches = any::<(bool, bool, bool)>();
    let zero = any::<bool>();
    (wakes, delivery, switches, zero).prop_map(|(wakes, delivery, (detector, auto, inbox), zero)| {
        let mut w = World::unseen().client(wakes, delivery);
        w.settings.detector = detector;
        w.settings.auto_check_in = auto;
        w.settings.inbox_check_in = inbox;
        w.settings.external_wait = mins(if zero { 0 } else { 10 });
        w.settings.unbacked_wait = mins(if zero { 0 } else { 7 });
        w
    })
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "World({:?}, {:?})", self.abilities, self.settings)
    }
}

/// Did this step hide a question that stands? Only the user, a newer message, or the end of it all may.
fn hides_a_question(before: &Session, after: &Session, event: &Event) -> bool {
    let asked = before.status() == Status::NeedsYou(Reason::Question) && before.asks.is_empty();
    let lawful = match &event.kind {
        EventKind::UserActed(_) | EventKind::Stopped => true,
        EventKind::PromptSubmitted { opener, .. } => *opener == Opener::User,
        _ => false,
    };
    asked && !lawful && matches!(after.status(), Status::Waiting | Status::Idle)
}

/// A quarter of the usual number of cases, since a case is many steps; `PROPTEST_CASES` asks for more. No file of failures
/// is kept: what is found becomes a test of its own.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases / 4, max_shrink_iters: 20_000, failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(config())]

    /// The laws hold after every step; a question is never hidden; one cause rings once; the log replays.
    #[test]
    fn any_sequence_keeps_the_laws(mut w in a_world(), deeds in prop::collection::vec(a_deed(), 1..60)) {
        for deed in &deeds {
            let (before, steps) = (w.session.clone(), w.log.len());
            does(&mut w, deed);
            if w.log.len() == steps + 1 {
                let event = &w.log[steps].1;
                prop_assert!(!hides_a_question(&before, &w.session, event), "{:?}", w.session);
            }
        }
        let mut rung: Vec<&Edge> = w.rung.iter().collect();
        let all = rung.len();
        rung.sort_by_key(|edge| format!("{edge:?}"));
        rung.dedup();
        prop_assert_eq!(rung.len(), all, "each edge rings at most once: {:?}", w.rung);

        let mut replayed = Session::new(key(), nine());
        for (now, event) in &w.log {
            let ctx = Ctx { now: *now, settings: &w.settings, abilities: w.abilities };
            replayed = step(&ctx, replayed, event).0;
        }
        prop_assert_eq!(replayed, w.session);
    }

    /// However it came to wait: with time alone, and no check-in that works, a waiting session comes to its user.
    #[test]
    fn no_wait_is_unbounded(mut w in a_world(), deeds in prop::collection::vec(a_deed(), 1..40)) {
        w.settings.auto_check_in = false;
        w.settings.inbox_check_in = false;
        for deed in &deeds {
            does(&mut w, deed);
        }
        let waited = w.session.status() == Status::Waiting;
        w.minutes(48 * 60);
        if waited {
            prop_assert!(
                matches!(w.session.status(), Status::NeedsYou(_)),
                "{:?} after {:#?}", w.session.status(), w.session
            );
        }
    }

    /// S1: an event told twice at once has the effect of one.
    #[test]
    fn told_twice_is_told_once(mut w in a_world(), deeds in prop::collection::vec(a_deed(), 1..40)) {
        for deed in &deeds {
            let steps = w.log.len();
            does(&mut w, deed);
            let told = matches!(deed, Deed::Tell(kind, _) if !matches!(**kind, EventKind::UserActed(_)));
            if told && w.log.len() == steps + 1 {
                let once = w.session.clone();
                let event = w.log[steps].1.clone();
                w.raw(event);
                let shown = |session: &Session| {
                    let view = wakeful_core::view::SessionView::of(session, nine());
                    (view.status, view.detail, view.waits, session.epoch, session.turns.count, view.notifications)
                };
                prop_assert_eq!(shown(&w.session), shown(&once));
            }
        }
    }

    /// Two sessions on one board never touch each other but by `/clear`.
    #[test]
    fn two_sessions_do_not_meet(deeds in prop::collection::vec((a_deed(), any::<bool>()), 1..40)) {
        let settings = Settings::default();
        let (mut board, mut now) = (Board::default(), nine());
        let mut alone = [Session::new(named("a"), now), Session::new(named("b"), now)];
        let mut seen = [false; 2];
        let w = World::unseen();
        for (deed, second) in &deeds {
            now = now.plus(Millis(500));
            let Deed::Tell(kind, how) = deed else { continue };
            if matches!(
                **kind,
                EventKind::SessionStarted { start: SessionStart::Clear, .. }
                    | EventKind::SessionEnded { end: SessionEnd::Clear }
            ) {
                continue;
            }
            let at = usize::from(*second);
            let session = named(if *second { "b" } else { "a" });
            let started = how.late.map(|late| Boot(now.boot.0.wrapping_sub(late)));
            let event = Event { session, started, ..told(&w, (**kind).clone(), how) };
            let effects = board.apply(now, &settings, |_| CLAUDE, &event);
            let one = if seen[at] { alone[at].clone() } else { Session::new(event.session.clone(), now) };
            seen[at] = true;
            let ctx = Ctx { now, settings: &settings, abilities: CLAUDE };
            let (session, expected) = step(&ctx, one, &event);
            alone[at] = session;
            let got: Vec<Effect> = effects.into_iter().map(|(_, effect)| effect).collect();
            prop_assert_eq!(got, expected);
            prop_assert_eq!(board.get(&event.session), Some(&alone[at]));
        }
    }
}

fn named(id: &str) -> SessionKey {
    SessionKey { client: Client::ClaudeCode, id: SessionId::new(id) }
}
