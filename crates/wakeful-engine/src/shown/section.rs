//! The sections of the inbox.

use utoipa::ToSchema;
use wakeful_core::session::Status;

/// Sections of the inbox (spec 70), in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// These need the user.
    NeedsYou,
    /// These wait, or were put away by the user.
    Waiting,
    /// These have an open turn.
    Working,
    /// Nothing is owed and nothing asked.
    Idle,
    /// These are over.
    Ended,
}

impl Section {
    /// The section of a status.
    pub fn of(status: Status) -> Self {
        match status {
            Status::NeedsYou(_) => Self::NeedsYou,
            Status::Waiting | Status::Snoozed => Self::Waiting,
            Status::Working => Self::Working,
            Status::Idle => Self::Idle,
            Status::Ended => Self::Ended,
        }
    }

    /// Its heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::NeedsYou => "Needs you",
            Self::Waiting => "Waiting",
            Self::Working => "Working",
            Self::Idle => "Idle",
            Self::Ended => "Ended",
        }
    }
}
