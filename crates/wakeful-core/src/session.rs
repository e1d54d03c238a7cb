//! A session: turn, asks, ledger, timers, and what follows from them.

use serde::{Deserialize, Serialize};

use crate::asks::Asks;
use crate::causes::{Causes, HARD, Reason, SOFT};
use crate::decision::Decision;
use crate::event::{Place, SessionEnd, SessionStart};
use crate::ids::{Epoch, SessionKey};
use crate::ledger::Ledger;
use crate::notices::Notices;
use crate::time::{Boot, Now};
use crate::timers::Timers;
use crate::turn::Turns;

/// Everything that is known of one session. Changed only by [`crate::step::step`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Whose.
    pub key: SessionKey,
    /// Where it runs.
    pub place: Place,
    /// A short label: the first prompt.
    pub label: Option<String>,
    /// Number of the process.
    pub epoch: Epoch,
    /// Its start was seen: without that there is no delivery channel (C10).
    pub start_seen: bool,
    /// How its process started, and the start of the hook that told so.
    pub process_seen: Option<(SessionStart, Boot)>,
    /// It has ended, and how.
    pub ended: Option<SessionEnd>,
    /// The turn.
    pub turns: Turns,
    /// Open dialogs.
    pub asks: Asks,
    /// The wake ledger.
    pub ledger: Ledger,
    /// Why it needs the user.
    pub causes: Causes,
    /// Armed timers.
    pub timers: Timers,
    /// Notifications.
    pub notices: Notices,
    /// Check-ins.
    pub check_ins: CheckIns,
    /// The user put it away.
    pub snoozed: bool,
    /// The last decision.
    pub decision: Option<Decision>,
    /// The last event of the client.
    pub last_event: Now,
    /// The last prompt of the user; until there is one, when the session was first seen.
    pub heard_user: Option<Now>,
    /// It surfaced for having woken itself for a day (W4).
    pub day_surfaced: bool,
    /// Wakes that Wakeful fires and that came due during a turn (W8).
    pub wake_due_in_turn: bool,
}

/// Check-ins sent, and those that may still be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CheckIns {
    /// In a row before the inbox (T9).
    pub auto: u8,
    /// In a row from the inbox (T10).
    pub inbox: u8,
    /// All that were ever sent.
    pub sent: u32,
    /// A delivery that no turn has acknowledged yet.
    pub undelivered: bool,
}

/// What a session is doing (spec 00): derived, never stored (S8b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status", content = "reason")]
pub enum Status {
    /// A turn is open.
    Working,
    /// An entry of the ledger holds.
    Waiting,
    /// It needs its user.
    NeedsYou(Reason),
    /// Nothing owed and nothing asked.
    Idle,
    /// The user put it away.
    Snoozed,
    /// It is over.
    Ended,
}

impl Status {
    /// The word of spec 00.
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::NeedsYou(_) => "needs_you",
            Self::Idle => "idle",
            Self::Snoozed => "snoozed",
            Self::Ended => "ended",
        }
    }

    /// The reason, if it needs its user.
    pub fn reason(self) -> Option<Reason> {
        if let Self::NeedsYou(reason) = self { Some(reason) } else { None }
    }
}

impl Session {
    /// A session of which nothing has been seen yet.
    pub fn new(key: SessionKey, now: Now) -> Self {
        Self {
            key,
            place: Place::default(),
            label: None,
            epoch: Epoch::default(),
            start_seen: false,
            process_seen: None,
            ended: None,
            turns: Turns::default(),
            asks: Asks::default(),
            ledger: Ledger::default(),
            causes: Causes::default(),
            timers: Timers::default(),
            notices: Notices::default(),
            check_ins: CheckIns::default(),
            snoozed: false,
            decision: None,
            last_event: now,
            heard_user: Some(now), // nothing is known of before
            day_surfaced: false,
            wake_due_in_turn: false,
        }
    }

    /// The machine started anew: hook starts of before are not comparable with those that come.
    pub(crate) fn new_boot(&mut self) {
        self.turns.new_boot();
        self.asks.new_boot();
        self.ledger.listed = Boot(0);
        self.process_seen = None;
    }

    /// S8b: ended > open ask > failed, limit, orphaned > working > snoozed > the soft causes > waiting > done > idle.
    pub fn status(&self) -> Status {
        // An orphan's loss must be said even though its process is over.
        if self.ended.is_some() {
            return Status::Ended;
        }
        if let Some(ask) = self.asks.shown() {
            return Status::NeedsYou(ask.kind.into());
        }
        if let Some(reason) = self.causes.first_of(&HARD) {
            return Status::NeedsYou(reason);
        }
        let stalled = self.causes.get(Reason::Stalled).is_some();
        if self.turns.open.is_some() && !stalled {
            return Status::Working;
        }
        if self.snoozed {
            return Status::Snoozed;
        }
        if let Some(reason) = self.causes.first_of(&SOFT) {
            return Status::NeedsYou(reason);
        }
        if self.ledger.holds() {
            return Status::Waiting;
        }
        if self.causes.get(Reason::Done).is_some() {
            return Status::NeedsYou(Reason::Done);
        }
        Status::Idle
    }
}
