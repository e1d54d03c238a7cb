//! What a client can do, as far as `step` must know (spec 60). The table itself is in `wakeful-clients`.

use serde::{Deserialize, Serialize};

use crate::time::Millis;

/// Does the client start a turn by itself when one of its tasks ends?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelfWake {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// Nobody has seen it; counts as "does not" (spec 10, backing).
    Unknown,
}

/// How a message reaches an idle agent (spec 60, "Delivery").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// No safe channel.
    None,
    /// A channel that exists once the session's start was seen; check-ins only.
    CheckInsOnly,
    /// A channel where a user's reply arrives as the user's own words.
    Replies,
}

/// What `step` must know of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abilities {
    /// Native wakes on task end.
    pub wakes_itself: SelfWake,
    /// Message channel to an idle session.
    pub delivery: Delivery,
    /// How long a delivery may stay without the turn that acknowledges it (C10).
    pub delivery_timeout: Millis,
}
