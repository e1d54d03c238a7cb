//! `wakeful wait`: blocks until a session reaches a state.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use jiff::SignedDuration;
use wakeful_core::ids::SessionKey;
use wakeful_core::session::Status;
use wakeful_core::time::{Boot, Millis, Now};
use wakeful_engine::live::Live;
use wakeful_engine::spool;

use crate::error::{Answer, Error};
use crate::output::print;
use crate::sessions::{AsOf, named, shown, spool};

/// How often the spool is looked at: soon enough for a script, seldom enough for a laptop.
const LOOK: Millis = Millis(500);
/// How often the sessions are worked out anew without a new event: a process may be gone.
const REFRESH: Millis = Millis::secs(5);

/// Wait until a session reaches a state
///
/// Exits with 0 when the state that --until names first is reached, 10 for the second, 11 for the third and so on, and 1 when
/// the time is up.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The sessions: the beginnings of their ids. The first to reach a state ends the waiting
    #[arg(required = true)]
    sessions: Vec<String>,
    /// The states: needs-you, ended, idle, waiting, working, snoozed
    #[arg(long, value_delimiter = ',', default_value = "needs-you,ended", value_parser = state)]
    until: Vec<&'static str>,
    /// Give up after this long: 90s, 30m, 2h
    #[arg(long, value_name = "TIME")]
    timeout: Option<SignedDuration>,
    #[command(flatten)]
    as_of: AsOf,
}

/// The status with this name on the command line.
fn state(name: &str) -> Result<&'static str, String> {
    const NAMES: [(&str, &str); 6] = [
        ("needs-you", "needs_you"),
        ("ended", "ended"),
        ("idle", "idle"),
        ("waiting", "waiting"),
        ("working", "working"),
        ("snoozed", "snoozed"),
    ];
    let found = NAMES.iter().find(|(given, _)| *given == name.replace('_', "-"));
    found
        .map(|(_, status)| *status)
        .ok_or_else(|| "there are needs-you, ended, idle, waiting, working, snoozed".to_owned())
}

impl Args {
    /// Waits.
    pub fn run(self) -> Result<Answer, Error> {
        let spool = spool()?;
        let began = crate::clock::now();
        // Before the first look, so that nothing falls between the two.
        let mut seen = spool::signature(spool.dir(), began.wall);
        let mut live = self.as_of.load()?;
        let keys = self.sessions.iter().map(|given| named(&live, given)).collect::<Result<Vec<_>, _>>()?;
        let deadline = self
            .timeout
            .map(|timeout| began.boot.plus(Millis(u64::try_from(timeout.as_millis()).unwrap_or(0))));
        let mut loaded = began.boot;
        loop {
            if let Some(answer) = self.reached(&live, &keys)? {
                return Ok(answer);
            }
            let now = crate::clock::now();
            if deadline.is_some_and(|deadline| now.boot >= deadline) {
                return Ok(Answer::No);
            }
            pause(now, deadline);
            let now = crate::clock::now();
            let signature = spool::signature(spool.dir(), now.wall);
            if signature != seen || loaded.until(now.boot) >= until_news(&live) {
                (loaded, seen) = (now.boot, signature);
                live = self.as_of.load()?;
            }
        }
    }

    /// The answer, if one of the sessions is in one of the states.
    fn reached(&self, live: &Live, keys: &[SessionKey]) -> Result<Option<Answer>, Error> {
        let all = shown(live);
        for key in keys {
            let Some(session) = all.iter().find(|shown| shown.session.key == *key) else { continue };
            let status = session.view.status;
            let Some(at) = self.until.iter().position(|name| *name == status.name()) else { continue };
            let reason = match status {
                Status::NeedsYou(reason) => format!(" ({})", reason.name()),
                _ => String::new(),
            };
            print(|out| {
                writeln!(out, "{}  {}  {}{reason}", session.prefix, session.project(), status.name())
            })?;
            return Ok(Some(answer(at)));
        }
        Ok(None)
    }
}

/// 0 for the first state, 10 and more for the others: 1 to 4 and 70 have meanings of their own (spec 70).
fn answer(at: usize) -> Answer {
    match u8::try_from(at) {
        Ok(0) => Answer::Yes,
        Ok(n) => Answer::Code(9_u8.saturating_add(n)),
        Err(_) => Answer::No,
    }
}

/// Time after which the sessions may stand otherwise without an event.
fn until_news(live: &Live) -> Millis {
    live.board.next_timer(live.now).map_or(REFRESH, |timer| timer.clamp(LOOK, REFRESH))
}

/// Lets a moment pass. Nobody signals; there is no event to wait for that every system has.
fn pause(now: Now, deadline: Option<Boot>) {
    let left = deadline.map_or(LOOK, |deadline| now.boot.until(deadline).min(LOOK));
    let (mutex, nobody) = (Mutex::new(()), Condvar::new());
    if let Ok(guard) = mutex.lock() {
        // Waking early is as good.
        let _ = nobody.wait_timeout(guard, Duration::from_millis(left.0));
    }
}
