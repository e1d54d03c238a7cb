//! Where the sessions come from: read on a thread of their own, so that no key waits for a file.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use wakeful_core::time::{Millis, Now};
use wakeful_engine::live::Live;
use wakeful_engine::spool;

use super::actions::Refusal;
use super::app::Message;
use super::branch::branch;
use super::run::Input;
use super::snapshot::Snapshot;
use crate::clock;
use crate::error::Error;
use crate::sessions::AsOf;

/// How often it is looked whether something has changed: soon enough to seem at once, seldom enough for a laptop.
const LOOK: Duration = Duration::from_millis(500);
/// How old what is shown may become without news: countdowns are recomputed at least this often (W2).
const OLDEST: Millis = Millis::secs(30);

/// Where the sessions come from.
pub trait Feed: Send {
    /// The sessions as they stand.
    ///
    /// # Errors
    /// When they cannot be read.
    fn load(&mut self) -> Result<Live, Error>;

    /// Is there, or may there be, something new since the last [`load`](Self::load)?
    fn changed(&mut self) -> bool;
}

/// What the commands `list` and `show` read, too.
#[derive(Default)]
pub struct Sessions {
    seen: Vec<(PathBuf, u64)>,
    loaded: Option<Now>,
    /// Time after which they may stand otherwise without an event.
    due: Millis,
}

impl Feed for Sessions {
    fn load(&mut self) -> Result<Live, Error> {
        let now = clock::now();
        // Before the reading, so that nothing falls between the two.
        self.seen = signature(now);
        self.loaded = Some(now);
        self.due = OLDEST;
        let live = AsOf::now().load()?;
        let timer = live.board.next_timer(live.now).unwrap_or(OLDEST);
        self.due = timer.clamp(Millis::secs(1), OLDEST);
        Ok(live)
    }

    fn changed(&mut self) -> bool {
        let now = clock::now();
        self.loaded.is_none_or(|loaded| now.since(loaded) >= self.due) || signature(now) != self.seen
    }
}

/// Changes whenever the spool does; of a missing state folder `load` complains.
fn signature(now: Now) -> Vec<(PathBuf, u64)> {
    crate::sessions::spool().map(|spool| spool::signature(spool.dir(), now.wall)).unwrap_or_default()
}

/// Reads the sessions whenever they may have changed, and whenever `wanted` says so, until its sender is gone.
pub fn watch(feed: &mut dyn Feed, wanted: &Receiver<()>, out: &Sender<Input>) {
    loop {
        let message = match feed.load() {
            Ok(live) => Message::Loaded(Snapshot::of(&live, &branch)),
            Err(error) => {
                Message::NotLoaded(Refusal { why: error.to_string(), hint: error.hint().map(str::to_owned) })
            }
        };
        if out.send(Input::Message(message)).is_err() {
            return;
        }
        loop {
            match wanted.recv_timeout(LOOK) {
                Ok(()) => break,
                Err(RecvTimeoutError::Timeout) if feed.changed() => break,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::mpsc::channel;

    use super::*;

    /// Nothing here takes that long.
    const LIMIT: Duration = Duration::from_secs(60);

    /// Fails at first; then there are sessions, which change once.
    struct Scripted(VecDeque<bool>);

    impl Feed for Scripted {
        fn load(&mut self) -> Result<Live, Error> {
            match self.0.pop_front() {
                Some(true) => {
                    let settings = wakeful_core::settings::Settings::default();
                    let readers = wakeful_clients::Readers {
                        read: &|_, _| wakeful_core::reading::Reading::default(),
                        never_ends: &|_| None,
                    };
                    let zone = jiff::tz::TimeZone::UTC;
                    let by = wakeful_engine::live::Fold {
                        settings: &settings,
                        zone: &zone,
                        readers,
                        alive: &|_| true,
                    };
                    Ok(wakeful_engine::live::fold(&[], spool::Skipped::default(), Now::default(), &by))
                }
                _ => Err(Error::Usage { what: "no folder".to_owned(), hint: Some("make one".to_owned()) }),
            }
        }

        fn changed(&mut self) -> bool {
            !self.0.is_empty()
        }
    }

    #[test]
    fn loads_at_the_start_when_wanted_and_when_something_has_changed() {
        let (sender, inputs) = channel();
        let (wanted, wishes) = channel();
        let watching = std::thread::spawn(move || {
            watch(&mut Scripted([false, true].into()), &wishes, &sender);
        });
        let next = || match inputs.recv_timeout(LIMIT) {
            Ok(Input::Message(message)) => message,
            _ => panic!("nothing came"),
        };
        assert!(matches!(next(), Message::NotLoaded(refusal) if refusal.hint.as_deref() == Some("make one")));
        assert!(matches!(next(), Message::Loaded(_)), "because it has changed");
        wanted.send(()).unwrap();
        assert!(matches!(next(), Message::NotLoaded(_)), "because it was wanted");
        drop(wanted);
        watching.join().unwrap();
    }
}
