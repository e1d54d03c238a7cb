//! Scheduled wakes on the ledger (spec 30, W1 to W11).

use serde::{Deserialize, Serialize};

use super::Ledger;
use crate::event::{ListedWake, ScheduledWake, WakeOwner};
use crate::ids::{Digest, WakeId};
use crate::time::{Boot, Millis, Now, Wall};

/// How early a client may fire a schedule and still be recognised by its prompt. Clients fire on whole minutes.
const EARLY: Millis = Millis::minutes(1);

/// The same call told by two registrations of one hook: its due time is worked out from the moment of each.
const TWIN: Millis = Millis::secs(1);

/// One scheduled wake or cron row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeEntry {
    /// The schedule row's id, once known.
    pub id: Option<WakeId>,
    /// When it is due (the next time, for a recurring row); `None` where the schedule says nothing usable.
    pub due: Option<Wall>,
    /// When it was set.
    pub set_at: Now,
    /// From setting to due, as first announced: what the banner freezes at (W3).
    pub delay: Millis,
    /// Digest of the prompt that it will open a turn with.
    pub prompt: Digest,
    /// What kind.
    pub kind: WakeKind,
    /// The client's own list has it, or Wakeful fires it (W9).
    pub confirmed: bool,
    /// It keeps the session out of the inbox.
    pub holds: bool,
    /// Its time has come, and Wakeful has seen to it.
    pub fired: bool,
    /// Wakeful has delivered it: the next turn that is opened by the client's notice is its own, also when the user's
    /// prompt came in between.
    pub sent: bool,
    /// Past its time plus the overdue minutes.
    pub overdue: bool,
    /// Why, in the agent's words.
    pub reason: Option<String>,
}

/// Kinds of scheduled wakes. Only Wakeful's own has a check-in mode (W1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WakeKind {
    /// The pending wake of the session, fired by the client.
    Native,
    /// A one-shot cron row of the client.
    Cron,
    /// A cron row that fires again and again.
    Recurring,
    /// Fired by Wakeful.
    Own {
        /// A question to itself, not a fresh instruction.
        check_in: bool,
        /// The agent's prompt, verbatim.
        prompt: String,
    },
}

impl WakeEntry {
    /// Fires once.
    pub fn one_shot(&self) -> bool {
        self.kind != WakeKind::Recurring
    }

    /// A question of the agent to itself.
    pub fn is_check_in(&self) -> bool {
        matches!(self.kind, WakeKind::Own { check_in: true, .. })
    }

    /// Fired by Wakeful.
    pub fn own(&self) -> bool {
        matches!(self.kind, WakeKind::Own { .. })
    }

    /// Time until it is due, by the clock that fires it: the client's own follow the wall clock, one of Wakeful's own is
    /// re-based on what was left when the clock was stepped, like its timer (T4, T5).
    pub fn left(&self, now: Now) -> Option<Millis> {
        let due = self.due?;
        if self.own() {
            let length = self.set_at.wall.until(due);
            return Some(Millis(length.0.saturating_sub(now.since(self.set_at).0)));
        }
        Some(now.wall.until(due))
    }

    /// When it is due by the wall clock of `now`; once that has passed, as it was set.
    pub fn due_at(&self, now: Now) -> Option<Wall> {
        let left = self.left(now)?;
        if left == Millis(0) { self.due } else { Some(now.wall.plus(left)) }
    }

    /// Is it this very wake? A list knows a pending wake as a one-shot row, and says its time to the minute.
    fn is_same(&self, kind: &WakeKind, wake: &ScheduledWake) -> bool {
        let listed = self.kind == WakeKind::Cron && *kind == WakeKind::Native;
        let unlike = self.id.is_some() && wake.id.is_some() && self.id != wake.id;
        let near =
            self.due.is_some_and(|due| due.0.abs_diff(wake.due.0) <= if listed { EARLY.0 } else { TWIN.0 });
        (self.kind == *kind || listed) && !unlike && self.prompt == wake.prompt && near
    }

    fn replaced_by(&self, kind: &WakeKind) -> bool {
        let pending = |kind: &WakeKind| matches!(kind, WakeKind::Native | WakeKind::Own { .. });
        pending(&self.kind) && pending(kind)
    }
}

impl Ledger {
    /// The agent scheduled a wake. It replaces the pending one, crons aside (W7).
    pub(crate) fn schedule(&mut self, wake: ScheduledWake, now: Now) {
        let (kind, confirmed) = match wake.by.clone() {
            WakeOwner::Client { recurring: true, .. } => (WakeKind::Recurring, false),
            WakeOwner::Client { cron: true, .. } => (WakeKind::Cron, false),
            WakeOwner::Client { .. } => (WakeKind::Native, false),
            WakeOwner::Wakeful { check_in, prompt } => (WakeKind::Own { check_in, prompt }, true),
        };
        if self.wakes.iter().any(|old| old.is_same(&kind, &wake)) {
            return; // told twice, or after the list that has it already (S1)
        }
        self.wakes.retain(|old| !old.replaced_by(&kind) && (old.id.is_none() || old.id != wake.id));
        self.wakes.push(WakeEntry {
            id: wake.id,
            due: Some(wake.due),
            set_at: now,
            delay: wake.delay,
            prompt: wake.prompt,
            kind,
            confirmed,
            holds: false,
            fired: false,
            sent: false,
            overdue: false,
            reason: wake.reason,
        });
        self.changed();
    }

    /// A wake was cancelled: the named row, or the pending wake (W9a).
    pub(crate) fn cancel_wake(&mut self, id: Option<&WakeId>) {
        match id {
            Some(id) => self.wakes.retain(|wake| wake.id.as_ref() != Some(id)),
            None => self.wakes.retain(|wake| !wake.replaced_by(&WakeKind::Native)),
        }
        self.changed();
    }

    /// The client's list of schedules. Confirms wakes of its own, adds rows that nobody announced, and takes away
    /// what it no longer has (W9); says whether a confirmed one-shot wake went before its time.
    pub(super) fn list_wakes(&mut self, rows: &[ListedWake], seen: Boot, now: Now) -> bool {
        let mut unclaimed: Vec<&ListedWake> = rows.iter().collect();
        let mut gone_early = false;
        self.wakes.retain_mut(|wake| {
            if wake.own() {
                return true;
            }
            let same = |row: &&ListedWake| {
                row.id == *wake.id.as_ref().unwrap_or(&row.id)
                    && (wake.id.is_some() || row.prompt == wake.prompt)
                    && row.recurring != wake.one_shot()
            };
            if let Some(at) = unclaimed.iter().position(same) {
                let row = unclaimed.remove(at);
                wake.confirmed = true;
                wake.id = Some(row.id.clone());
                if (wake.kind == WakeKind::Recurring && wake.due != row.due) || wake.due.is_none() {
                    wake.due = row.due;
                    wake.overdue = false;
                }
                return true;
            }
            if wake.set_at.after(seen, now) {
                return true; // the list was made before it
            }
            let early = wake.due.is_some_and(|due| due > now.wall);
            gone_early |= wake.confirmed && wake.one_shot() && early;
            false
        });
        for row in unclaimed {
            self.wakes.push(WakeEntry {
                id: Some(row.id.clone()),
                due: row.due,
                set_at: now,
                delay: row.due.map(|due| now.wall.until(due)).unwrap_or_default(),
                prompt: row.prompt,
                kind: if row.recurring { WakeKind::Recurring } else { WakeKind::Cron },
                confirmed: true,
                holds: false,
                fired: false,
                sent: false,
                overdue: false,
                reason: None,
            });
        }
        gone_early
    }

    /// A prompt with this digest came: is it a wake of the client that fires now? (W9a) A one-shot wake is discharged.
    pub(crate) fn fire_by_prompt(&mut self, prompt: Digest, now: Now) -> bool {
        let fires = |wake: &WakeEntry| {
            wake.prompt == prompt && wake.due.is_none_or(|due| due <= now.wall.plus(EARLY))
        };
        let Some(at) = self.wakes.iter().position(|wake| !wake.own() && fires(wake)) else { return false };
        if self.wakes[at].one_shot() {
            self.wakes.remove(at);
        } else {
            self.wakes[at].due = None; // the client's next list says when it fires again
            self.wakes[at].holds = false;
            self.wakes[at].overdue = false;
        }
        self.changed();
        true
    }

    /// The time of a wake that Wakeful fires has come.
    pub(crate) fn own_wake_due(&mut self) {
        self.wakes.iter_mut().filter(|wake| wake.own()).for_each(|wake| wake.fired = true);
        self.changed();
    }

    /// The due wake of Wakeful's own has been delivered.
    pub(crate) fn own_wake_sent(&mut self) {
        self.wakes.iter_mut().filter(|wake| wake.own() && wake.fired).for_each(|wake| wake.sent = true);
    }

    /// The turn of a wake that Wakeful delivered has begun: one that was sent, and whose prompt opened it, where
    /// the client shows that prompt (`None`: it shows another).
    pub(crate) fn own_wake_started(&mut self, prompt: Option<Digest>) -> bool {
        let before = self.wakes.len();
        self.wakes
            .retain(|wake| !(wake.own() && wake.sent && prompt.is_none_or(|prompt| prompt == wake.prompt)));
        if self.wakes.len() < before {
            self.changed();
            return true;
        }
        false
    }
}
