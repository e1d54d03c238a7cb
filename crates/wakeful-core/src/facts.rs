//! What the gates of the ladder look at, built once per turn end.

use crate::abilities::{Abilities, Delivery, SelfWake};
use crate::asks::Ask;
use crate::event::{Task, TaskKind, TurnEnd};
use crate::ledger::{Backing, Ledger, TaskEntry, WakeEntry, always_holds};
use crate::reading::{Reading, WaitWords};
use crate::session::Session;
use crate::settings::{ETA_CAP_MAX, Minutes, Settings};
use crate::time::{Millis, Now};

/// The facts of one turn end. `ledger.tasks[..].holds` has been settled before (see [`settle_holds`]).
pub(crate) struct Facts<'a> {
    pub now: Now,
    pub settings: &'a Settings,
    pub end: &'a TurnEnd,
    pub ledger: &'a Ledger,
    /// The ask that stays open beyond this turn end.
    pub ask: Option<&'a Ask>,
    /// Foreground subagent calls of this turn without a result.
    pub pending_subagents: usize,
    /// Backing of a wait in the words, where there is one.
    pub backing: Option<Backing>,
    /// The session has only woken itself for a day, and has not surfaced for it yet (W4).
    pub day_alone: bool,
}

/// How long a session may wake itself without a user prompt before it surfaces once (W4).
const DAY: Millis = Millis::minutes(24 * 60);

impl<'a> Facts<'a> {
    pub(crate) fn of(
        session: &'a Session,
        end: &'a TurnEnd,
        settings: &'a Settings,
        abilities: Abilities,
        now: Now,
    ) -> Self {
        let ledger = &session.ledger;
        let lists = Lists::of(end);
        // Automatic check-ins wake it only where they arrive.
        let checked_in = settings.auto_check_in && session.start_seen && abilities.delivery != Delivery::None;
        let woken = abilities.wakes_itself == SelfWake::Yes || checked_in;
        let backing = end.reading.wait.as_ref().map(|words| backing(words, ledger, lists, woken));
        Self {
            now,
            settings,
            end,
            ledger,
            ask: session.asks.shown(),
            pending_subagents: ledger.accounting.len(),
            backing,
            day_alone: !session.day_surfaced && session.heard_user.is_some_and(|at| now.since(at) >= DAY),
        }
    }

    pub(crate) fn reading(&self) -> &'a Reading {
        &self.end.reading
    }

    /// T7: the cap's own minutes, or the stated ETA and a quarter of it where that is longer.
    pub(crate) fn cap(&self, own: Minutes) -> (Millis, bool) {
        let own = own.millis();
        let eta =
            self.reading().stated_eta.map(|eta| Millis(eta.0.saturating_add(eta.0 / 4)).min(ETA_CAP_MAX));
        match eta {
            Some(eta) if eta > own => (eta, true),
            _ => (own, false),
        }
    }
}

/// What the client's lists say about live work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    Absent,
    Empty,
    Filled,
}

impl Lists {
    fn of(end: &TurnEnd) -> Self {
        match (&end.roster.tasks, &end.roster.wakes) {
            (None, _) => Self::Absent,
            (Some(tasks), wakes) if tasks.is_empty() && wakes.as_ref().is_none_or(Vec::is_empty) => {
                Self::Empty
            }
            (Some(_), _) => Self::Filled,
        }
    }
}

/// Is there anything behind the promise? (spec 10)
fn backing(words: &WaitWords, ledger: &Ledger, lists: Lists, woken: bool) -> Backing {
    if !woken {
        return Backing::Unbacked;
    }
    if ledger.can_wake() {
        return Backing::Backed;
    }
    let mechanism_absent = words.names_mechanism.is_some() && lists != Lists::Absent;
    match lists {
        _ if words.names_external && !mechanism_absent => Backing::External,
        Lists::Absent => Backing::Unknown,
        Lists::Empty | Lists::Filled => Backing::Unbacked,
    }
}

/// Does the wait in the words get only the short external window? (spec 10: lists present and empty)
pub(crate) fn short_window(facts: &Facts<'_>) -> bool {
    facts.backing == Some(Backing::External) && Lists::of(facts.end) == Lists::Empty
}

/// Settles which entries hold, by spec 10's tables, before the ladder looks at them. Owed entries keep what the
/// turn end before their exit gave them (A9).
pub(crate) fn settle_holds(
    ledger: &mut Ledger,
    reading: &Reading,
    settings: &Settings,
    turn_opened: Now,
    now: Now,
) {
    // Without the detector the words count for nothing that holds (S4).
    let waits = settings.detector && reading.waits_somewhere.is_some();
    let closes = reading.closes.is_some();
    let mut changed = false;
    for entry in ledger.tasks.iter_mut().filter(|entry| !entry.owed()) {
        let holds = entry.awaited || someone_waits_for(&entry.task, waits, closes);
        changed |= holds != entry.holds;
        entry.overdue &= holds && entry.holds; // what holds anew has its time anew
        entry.holds = holds;
    }
    for wake in &mut ledger.wakes {
        let holds = wake_holds(wake, closes, settings, turn_opened, now);
        changed |= holds != wake.holds;
        wake.overdue &= holds && wake.holds;
        wake.holds = holds;
    }
    ledger.revision += u64::from(changed);
}

/// Spec 10, "Does anyone wait for this live work?"
fn someone_waits_for(task: &Task, waits: bool, closes: bool) -> bool {
    let speaks_for_it = match task.kind {
        TaskKind::Command => task.endless.is_none() && (waits || !closes),
        _ => waits,
    };
    always_holds(task) || speaks_for_it
}

/// The `scheduled-wake` gate's conditions for one wake.
fn wake_holds(wake: &WakeEntry, closes: bool, settings: &Settings, turn_opened: Now, now: Now) -> bool {
    if !wake.confirmed {
        return false;
    }
    if wake.one_shot() {
        let set_in_this_turn = wake.set_at.since(turn_opened) > Millis(0) || wake.set_at == turn_opened;
        return !closes || set_in_this_turn;
    }
    let soon = wake.due.is_some_and(|due| now.wall.until(due) <= settings.auto_wait.millis());
    soon && !closes
}

/// Is it awaited and alive, or owed a wake that holds? (`awaited-work`)
pub(crate) fn spans_the_gap(entry: &TaskEntry) -> bool {
    entry.holds && (entry.awaited || entry.owed())
}
