//! One turn end by itself: a message, what is alive, what the client's lists say. For `explain` and for cases with a
//! right answer. It goes through the same `step` as a live turn end.

use wakeful_clients::abilities::abilities;
use wakeful_core::decision::Decision;
use wakeful_core::effect::Effect;
use wakeful_core::event::{
    Event, EventKind, ListedWake, Opener, Roster, ScheduledWake, Source, Task, TaskKind, TurnEnd, TurnHow,
    WakeOwner,
};
use wakeful_core::ids::{Client, Digest, SessionId, SessionKey, TaskId, TurnId, WakeId};
use wakeful_core::reading::Reading;
use wakeful_core::session::Session;
use wakeful_core::settings::Settings;
use wakeful_core::step::{Ctx, step};
use wakeful_core::time::{Millis, Now, Wall};

use crate::readers::never_ends;

/// Something that is alive at the turn end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// What kind.
    pub kind: TaskKind,
    /// The command line, where it is known.
    pub command: Option<String>,
}

impl Live {
    /// `command`, `shell`, `monitor`, `subagent`, `workflow`, `other`; with a command line after a colon.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, command) = match text.split_once(':') {
            Some((kind, command)) => (kind, Some(command.trim().to_owned())),
            None => (text, None),
        };
        let kind = match kind.trim() {
            "command" | "shell" | "local_bash" => TaskKind::Command,
            "monitor" => TaskKind::Monitor,
            "subagent" | "agent" => TaskKind::Subagent,
            "workflow" => TaskKind::Workflow,
            "other" => TaskKind::Other,
            _ => return None,
        };
        Some(Self { kind, command })
    }
}

/// One turn end.
#[derive(Debug, Clone)]
pub struct Case {
    /// The client.
    pub client: Client,
    /// The reading of the message.
    pub reading: Reading,
    /// What is alive.
    pub live: Vec<Live>,
    /// The client's lists are known, so that nothing else is alive.
    pub lists: bool,
    /// A one-shot wake was scheduled in this turn, and the client's list has it.
    pub scheduled_wake: bool,
}

/// Decides one case.
pub fn decide(case: &Case, settings: &Settings) -> Option<Decision> {
    let key = SessionKey { client: case.client, id: SessionId::new("case") };
    let event = |kind| Event {
        session: key.clone(),
        source: Source::Hook,
        turn: Some(TurnId::new("turn")),
        agent: None,
        epoch: None,
        started: None,
        kind,
    };
    let mut events = vec![event(EventKind::PromptSubmitted {
        opener: Opener::User,
        digest: Digest(0),
        reports: Vec::new(),
        label: String::new(),
    })];
    let tasks: Vec<Task> = case.live.iter().enumerate().map(|(at, live)| task(at, live)).collect();
    events.extend(
        tasks.iter().map(|task| event(EventKind::TaskStarted { task: task.clone(), tool_use: None })),
    );
    if case.scheduled_wake {
        events.push(event(EventKind::WakeScheduled(wake())));
    }
    let listed = case.lists || !case.live.is_empty() || case.scheduled_wake;
    let rows = if case.scheduled_wake { vec![row()] } else { Vec::new() };
    let roster =
        Roster { tasks: listed.then_some(tasks), wakes: listed.then_some(rows), reconstructed: false };
    events.push(event(EventKind::TurnEnded(Box::new(TurnEnd {
        reading: case.reading.clone(),
        how: TurnHow::Finished,
        roster,
        digest: Digest(1),
        after_stop_hook: false,
    }))));
    let mut session = Session::new(key.clone(), Now::default());
    let mut decision = None;
    for (second, event) in events.iter().enumerate() {
        let ctx = Ctx { now: at(second as u64), settings, abilities: abilities(case.client) };
        let (next, effects) = step(&ctx, session, event);
        session = next;
        decision = effects.into_iter().find_map(|effect| match effect {
            Effect::Decide(decision) => Some(*decision),
            _ => None,
        });
    }
    decision
}

/// One second apart, so that nothing happens at once.
fn at(second: u64) -> Now {
    Now::default().plus(Millis::secs(second + 1))
}

/// When the case's scheduled wake is due: some minutes after the turn end.
const DUE: Wall = Wall(20 * 60_000);

fn task(at: usize, live: &Live) -> Task {
    Task {
        id: TaskId::new(format!("task-{at}")),
        kind: live.kind,
        label: live.command.clone().unwrap_or_default(),
        limit: None,
        endless: live.command.as_deref().and_then(never_ends),
        persistent: false,
    }
}

fn wake() -> ScheduledWake {
    ScheduledWake {
        id: Some(WakeId::new("row")),
        due: DUE,
        delay: Millis::minutes(20),
        prompt: Digest(2),
        by: WakeOwner::Client { recurring: false, cron: false },
        reason: None,
    }
}

fn row() -> ListedWake {
    ListedWake { id: WakeId::new("row"), recurring: false, prompt: Digest(2), due: Some(DUE) }
}
