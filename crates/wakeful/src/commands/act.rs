//! The user actions (spec 30): `keep`, `check-in`, `done`, `snooze`, `reply`, `stop-waiting`, `stop`.

use jiff::SignedDuration;
use wakeful_core::event::UserAction;
use wakeful_core::ids::TaskId;
use wakeful_engine::daemon::Files;
use wakeful_engine::store::Pos;

use crate::acting::{NotDone, act, done};
use crate::error::{Answer, Error};
use crate::output::print;
use crate::sessions::{AsOf, named, state_dir};

/// A session, and nothing else.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The session: the beginning of its id
    session: String,
}

/// Put a session away for some time
#[derive(Debug, clap::Args)]
pub struct SnoozeArgs {
    /// The session: the beginning of its id
    session: String,
    /// For how long: 30m, 2h
    time: SignedDuration,
}

/// Answer the agent in its session
#[derive(Debug, clap::Args)]
pub struct ReplyArgs {
    /// The session: the beginning of its id
    session: String,
    /// What to say
    text: String,
}

/// Stop waiting for one task, or for everything
#[derive(Debug, clap::Args)]
pub struct StopWaitingArgs {
    /// The session: the beginning of its id
    session: String,
    /// The task, by the client's id; without it, all
    #[arg(long)]
    task: Option<String>,
}

impl Args {
    /// Does what is named.
    pub fn run(&self, action: &UserAction) -> Result<Answer, Error> {
        perform(&self.session, action)
    }
}

impl SnoozeArgs {
    /// Puts the session away.
    pub fn run(&self) -> Result<Answer, Error> {
        let minutes = self.time.as_secs().max(0).unsigned_abs().div_ceil(60);
        let minutes = u32::try_from(minutes).ok().filter(|minutes| *minutes > 0);
        let minutes = minutes.ok_or_else(|| Error::Usage {
            what: "a snooze lasts a minute or more".to_owned(),
            hint: Some("`wakeful done` takes a session out of the inbox for good".to_owned()),
        })?;
        perform(&self.session, &UserAction::Snooze { minutes })
    }
}

impl ReplyArgs {
    /// Answers.
    pub fn run(self) -> Result<Answer, Error> {
        perform(&self.session, &UserAction::Reply { text: self.text })
    }
}

impl StopWaitingArgs {
    /// Stops waiting.
    pub fn run(self) -> Result<Answer, Error> {
        perform(&self.session, &UserAction::StopWaiting { task: self.task.map(TaskId::new) })
    }
}

fn perform(given: &str, action: &UserAction) -> Result<Answer, Error> {
    let live = AsOf::default().load()?;
    let key = named(&live, given)?;
    let files = Files::of(&state_dir()?);
    // A session that only the spool knows looks as it does now: whatever the daemon makes of it has been seen.
    let seen = live.board.get(&key).and_then(|session| live.revision(session)).unwrap_or(Pos(i64::MAX));
    match act(&files, &key, action, seen) {
        Ok(()) => {
            let keep = crate::settings::in_force().core.keep_waiting.0;
            print(|out| writeln!(out, "{key}: {}", done(action, keep)))?;
            Ok(Answer::Yes)
        }
        Err(NotDone::Conflict(why)) => Err(Error::Conflict {
            what: why,
            hint: Some(format!("`wakeful show {given}` shows how it stands; nothing was done")),
        }),
        Err(NotDone::NoSession) => Err(Error::Usage {
            what: format!("the daemon knows no session `{given}`"),
            hint: Some("`wakeful list --all` shows all that are known".to_owned()),
        }),
        Err(NotDone::NoDaemon(why)) => Err(Error::Environment {
            what: "the daemon".to_owned(),
            source: std::io::Error::other(why),
            hint: Some("`wakeful serve` in another terminal shows why it does not start".to_owned()),
        }),
    }
}
