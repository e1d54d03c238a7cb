//! User actions go to the daemon, which is started if none runs.

use std::time::Duration;

use wakeful_core::event::UserAction;
use wakeful_core::ids::SessionKey;
use wakeful_engine::api::client::{Client, ClientError};
use wakeful_engine::daemon::Files;
use wakeful_engine::engine::Outcome;
use wakeful_engine::spool::DeliveryId;
use wakeful_engine::store::Pos;

use crate::commands::serve::ensure;

/// A daemon that was just started reads its store first.
const STARTING: Duration = Duration::from_secs(10);
/// How often one that starts is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Why an action was not carried out; nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotDone {
    /// The session has moved on.
    Conflict(String),
    /// There is no such session any more.
    NoSession,
    /// The daemon cannot be asked.
    NoDaemon(String),
}

/// Carries out an action on a session that was seen at this revision.
///
/// # Errors
/// When it has not been carried out.
pub fn act(files: &Files, session: &SessionKey, action: &UserAction, seen: Pos) -> Result<(), NotDone> {
    let client = daemon(files)?;
    // The same key for both tries: a first one whose answer was lost is not done twice.
    let key = DeliveryId::new(crate::clock::now()).map(|id| id.0);
    let key = key.ok_or_else(|| NotDone::NoDaemon("the system has no randomness to give".to_owned()))?;
    let answer = match client.act(session, action, seen, &key) {
        Err(ClientError::TimedOut | ClientError::Io(_)) => client.act(session, action, seen, &key),
        answer => answer,
    };
    match answer {
        Ok(Outcome::Taken | Outcome::Again | Outcome::Unread) => Ok(()),
        Ok(Outcome::Conflict { why }) => Err(NotDone::Conflict(why)),
        Ok(Outcome::NoSession) => Err(NotDone::NoSession),
        Err(error) => Err(NotDone::NoDaemon(error.to_string())),
    }
}

/// A way to the daemon, which is started if none runs.
fn daemon(files: &Files) -> Result<Client, NotDone> {
    let no_daemon = |why: String| NotDone::NoDaemon(why);
    match Client::connect(files.api_socket()) {
        Err(ClientError::NoDaemon) => {}
        answer => return answer.map_err(|error| no_daemon(error.to_string())),
    }
    ensure(files).map_err(|error| no_daemon(error.to_string()))?;
    let mut left = STARTING;
    loop {
        match Client::connect(files.api_socket()) {
            Err(ClientError::NoDaemon) if !left.is_zero() => {
                std::thread::park_timeout(LOOK); // waking early is as good
                left = left.saturating_sub(LOOK);
            }
            answer => return answer.map_err(|error| no_daemon(error.to_string())),
        }
    }
}

/// What an action has come to, in words. `keep_minutes`: what *Keep waiting* buys.
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
