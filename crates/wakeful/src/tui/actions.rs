//! What the user does to a session, and how that can fail.

use wakeful_core::event::UserAction;
use wakeful_core::ids::SessionKey;
use wakeful_engine::daemon::Files;
use wakeful_engine::store::Pos;

use crate::acting::{NotDone, act};
use crate::sessions::state_dir;

/// Why an action was not carried out: nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Refusal {
    /// Why: a conflict ("the agent resumed 4 s ago"), or what is missing.
    pub why: String,
    /// What to do instead.
    pub hint: Option<String>,
}

/// Carries out the user's actions.
pub trait Actions: Send {
    /// Carries out `action`; `seen` is the revision of the session that the user looked at.
    ///
    /// # Errors
    /// When it has moved on since, or nobody is there to act.
    fn act(&self, session: &SessionKey, action: UserAction, seen: Pos) -> Result<(), Refusal>;
}

/// The daemon carries them out; it is started if none runs.
pub struct ByDaemon;

impl Actions for ByDaemon {
    fn act(&self, session: &SessionKey, action: UserAction, seen: Pos) -> Result<(), Refusal> {
        let refusal = |why: String, hint: &str| Refusal { why, hint: Some(hint.to_owned()) };
        let state = state_dir().map_err(|error| refusal(error.to_string(), "set WAKEFUL_STATE_DIR"))?;
        act(&Files::of(&state), session, &action, seen).map_err(|not_done| match not_done {
            NotDone::Conflict(why) => refusal(why, "nothing was done; this is how it stands now"),
            NotDone::NoSession => refusal("the session is gone".to_owned(), "nothing was done"),
            NotDone::NoDaemon(why) => {
                refusal(why, "`wakeful serve` in another terminal shows why it does not start")
            }
        })
    }
}
