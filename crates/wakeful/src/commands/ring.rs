//! `wakeful ring`, hidden: the child that the daemon starts for one ring. Claims it, rings, says how it went, and ends.

use jiff::tz::TimeZone;
use wakeful_engine::notify::ring::Ring;
use wakeful_engine::notify::run::{Machine, ring_once};
use wakeful_engine::paths::state_dir;

use crate::clock::now;
use crate::error::{Answer, Error};
use crate::stdin::{self, Input};

/// Ring once, for the daemon; reads the ring on standard input
#[derive(Debug, clap::Args)]
pub struct Args {}

impl Args {
    /// Rings, unless someone else has.
    #[expect(clippy::unused_self, reason = "as all commands")]
    pub fn run(self) -> Result<Answer, Error> {
        // Whatever ends the daemon's session, a terminal that closes or Ctrl-C in it, must not end this between claim and bell.
        // Fails only for who leads a process group, as in a shell: then there is no daemon to outlive.
        let _ = rustix::process::setsid();
        let Input::Whole(text) = stdin::read() else { return Err(unreadable("it is too long")) };
        let ring: Ring = serde_json::from_slice(&text).map_err(|error| unreadable(&error.to_string()))?;
        let state = state()?;
        let machine = Machine { state: &state, clock: &now, zone: &TimeZone::system() };
        ring_once(&ring, machine).map_err(Error::io(format!("the claim of {}", ring.id)))?;
        Ok(Answer::Yes)
    }
}

fn unreadable(why: &str) -> Error {
    Error::Usage {
        what: format!("standard input is no ring: {why}"),
        hint: Some("the daemon runs this; to try what rings, run `wakeful notify --test`".to_owned()),
    }
}

/// The folder for state.
pub fn state() -> Result<std::path::PathBuf, Error> {
    state_dir(&|name| std::env::var_os(name)).ok_or_else(|| Error::Usage {
        what: "there is no folder for state".to_owned(),
        hint: Some("set HOME, or WAKEFUL_STATE_DIR to a folder of its own".to_owned()),
    })
}
