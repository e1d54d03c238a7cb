//! What the user does to a session, and how that can fail.

use wakeful_core::event::UserAction;
use wakeful_core::ids::SessionKey;

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
    fn act(&self, session: &SessionKey, action: UserAction, seen: u64) -> Result<(), Refusal>;
}

/// As long as the daemon cannot be asked, nobody can act.
pub struct NeedsDaemon;

impl Actions for NeedsDaemon {
    fn act(&self, _: &SessionKey, _: UserAction, _: u64) -> Result<(), Refusal> {
        Err(Refusal {
            why: "this needs the daemon, which cannot be asked from here yet".to_owned(),
            hint: Some("answer in the session's terminal: g goes there".to_owned()),
        })
    }
}

/// What an action has come to, for the status line.
pub fn done(action: &UserAction, keep_minutes: u16) -> String {
    match action {
        UserAction::Reply { .. } => "the reply is on its way".to_owned(),
        UserAction::KeepWaiting => format!("kept waiting for {keep_minutes} min"),
        UserAction::CheckIn => "the check-in is on its way".to_owned(),
        UserAction::Done => "taken out of the inbox".to_owned(),
        UserAction::Snooze { minutes } => format!("away for {minutes} min"),
        UserAction::StopWaiting { task: Some(_) } => "one wait less".to_owned(),
        UserAction::StopWaiting { task: None } => "waits for nothing any more".to_owned(),
        UserAction::Stop => "stopped: nothing is owed any more".to_owned(),
    }
}
