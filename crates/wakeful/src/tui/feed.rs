//! Where the sessions come from: read on a thread of their own, so that no key waits for a file.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use wakeful_core::ids::SessionKey;
use wakeful_core::time::{Millis, Now};
use wakeful_engine::live::Live;
use wakeful_engine::spool::{self, Spool};
use wakeful_engine::store::Store;

use super::actions::Refusal;
use super::app::Message;
use super::branch::branch;
use super::run::Input;
use super::snapshot::{Known, Snapshot};
use crate::clock;
use crate::error::Error;
use crate::sessions::{AsOf, state_dir};

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
    /// The daemon's store, where there is one.
    store: Option<Store>,
    seen: Seen,
    loaded: Option<Now>,
    /// Time after which they may stand otherwise without an event.
    due: Millis,
}

/// What changes whenever there is news: the store's version, and the lengths of the spool's files.
type Seen = (Option<i64>, Vec<(PathBuf, u64)>);

impl Feed for Sessions {
    fn load(&mut self) -> Result<Live, Error> {
        let now = clock::now();
        // Before the reading, so that nothing falls between the two.
        self.seen = self.signature(now);
        self.loaded = Some(now);
        self.due = OLDEST;
        let live = AsOf::now().load()?;
        let timer = live.board.next_timer(live.now).unwrap_or(OLDEST);
        self.due = timer.clamp(Millis::secs(1), OLDEST);
        Ok(live)
    }

    fn changed(&mut self) -> bool {
        let now = clock::now();
        self.loaded.is_none_or(|loaded| now.since(loaded) >= self.due) || self.signature(now) != self.seen
    }
}

impl Sessions {
    /// Of what cannot be read, `load` complains.
    fn signature(&mut self, now: Now) -> Seen {
        let Ok(state) = state_dir() else { return Seen::default() };
        // One that was put aside has no file any more.
        if self.store.as_ref().is_none_or(|store| !store.path().exists()) {
            self.store = Store::read(&state).ok().flatten();
        }
        let version = self.store.as_ref().and_then(|store| store.data_version().ok());
        (version, spool::signature(Spool::of(&state).dir(), now.wall))
    }
}

/// What the feed is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// The sessions as they stand now.
    Anew,
    /// The history of this session, now and from now on.
    Open(Option<SessionKey>),
}

/// Reads the sessions whenever they may have changed, and whenever `wishes` say so, until their sender is gone.
pub fn watch(feed: &mut dyn Feed, wishes: &Receiver<Wish>, out: &Sender<Input>) {
    let mut open = None;
    let mut last = None;
    loop {
        let loaded = match last.take() {
            Some(live) => Ok(live),
            None => feed.load(),
        };
        let read = loaded.and_then(|live| Ok((snapshot(&live, open.as_ref())?, live)));
        let message = match read {
            Ok((snapshot, live)) => {
                last = Some(live);
                Message::Loaded(snapshot)
            }
            Err(error) => {
                Message::NotLoaded(Refusal { why: error.to_string(), hint: error.hint().map(str::to_owned) })
            }
        };
        if out.send(Input::Message(message)).is_err() {
            return;
        }
        match next(feed, wishes, open.as_ref()) {
            None => return,
            Some(Next::Read) => last = None,
            Some(Next::Show(key)) => open = key,
        }
    }
}

/// What is to be done next.
enum Next {
    /// Everything is read anew.
    Read,
    /// Of what was read, which stays true, the history of this session is shown.
    Show(Option<SessionKey>),
}

/// Waits for news or for a wish; `None` when nobody is there any more to have one.
fn next(feed: &mut dyn Feed, wishes: &Receiver<Wish>, open: Option<&SessionKey>) -> Option<Next> {
    loop {
        let first = match wishes.recv_timeout(LOOK) {
            Ok(wish) => wish,
            Err(RecvTimeoutError::Timeout) if feed.changed() => return Some(Next::Read),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return None,
        };
        // Of those who walk through the list only the last step counts.
        let wish =
            wishes.try_iter().fold(first, |before, wish| if before == Wish::Anew { before } else { wish });
        match wish {
            Wish::Anew => return Some(Next::Read),
            Wish::Open(key) if key.as_ref() == open => {}
            Wish::Open(key) => return Some(Next::Show(key)),
        }
    }
}

fn snapshot(live: &Live, open: Option<&SessionKey>) -> Result<Snapshot, Error> {
    let moments = match open {
        Some(key) => live.history(key).map_err(|error| Error::sessions(error.into()))?,
        None => Vec::new(),
    };
    let history = |key: &SessionKey| if Some(key) == open { moments.clone() } else { Vec::new() };
    Ok(Snapshot::of(live, &Known { branch: &branch, history: &history }))
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::mpsc::channel;

    use wakeful_core::ids::{Client, SessionId};
    use wakeful_engine::live::Found;

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
                    Ok(wakeful_engine::live::fold(Found::default(), Now::default(), &by))
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
        let key = SessionKey { client: Client::Codex, id: SessionId::new("s1") };
        wanted.send(Wish::Open(Some(key))).unwrap();
        assert!(matches!(next(), Message::Loaded(_)), "of what has been read already");
        wanted.send(Wish::Anew).unwrap();
        assert!(matches!(next(), Message::NotLoaded(_)), "because it was wanted");
        drop(wanted);
        watching.join().unwrap();
    }
}
