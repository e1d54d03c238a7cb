//! Puts the daemon together, and runs it until it is told to stop.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::UnixListener;
use tokio::sync::watch;
use wakeful_core::time::Now;

use super::dispatch::Dispatcher;
use super::errands::Errands;
use super::handle::{Handle, Published, Request};
use super::watch::watch as watch_files;
use super::{Files, Lock, LockError, hooks};
use crate::engine::{Engine, EngineSettings, Senses};
use crate::spool::Spool;
use crate::store::{Keep, Store, StoreError};

/// Reads all clocks. A test's clock is set from outside.
pub type Clock = Arc<dyn Fn() -> Now + Send + Sync>;

/// What the daemon needs from outside.
pub struct Serving {
    /// Where its files are.
    pub files: Files,
    /// Its version.
    pub version: &'static str,
    /// The clocks.
    pub clock: Clock,
    /// A file whose change means that the clock was set (tests).
    pub clock_file: Option<PathBuf>,
    /// The readers.
    pub senses: Senses,
    /// The settings at the start.
    pub settings: EngineSettings,
    /// What is kept for how long.
    pub keep: Keep,
    /// Does errands.
    pub errands: Box<dyn Errands>,
    /// Does this process live?
    pub alive: Box<dyn Fn(u32) -> bool + Send>,
    /// The settings file.
    pub settings_file: Option<PathBuf>,
    /// Called when the settings file has changed.
    pub reload: Box<dyn Fn(&Handle) + Send>,
}

/// Why the daemon could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another one runs.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Files, sockets, threads.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        error: std::io::Error,
    },
}

fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> ServeError {
    let what = what.into();
    move |error| ServeError::Io { what, error }
}

/// Runs the daemon. `more` runs beside it (the API) and gets the handle; `until` ends it.
///
/// # Errors
/// When it cannot start.
pub fn serve<M, U>(serving: Serving, more: impl FnOnce(Handle) -> M, until: U) -> Result<(), ServeError>
where
    M: Future<Output = ()> + Send + 'static,
    U: Future<Output = ()>,
{
    let files = serving.files;
    files.make().map_err(io(files.dir.display().to_string()))?;
    let _lock = Lock::take(&files, serving.version)?;
    let spool = Spool::of(&files.state);
    make_private(spool.dir())?;
    let (store, mut problems) = open_store(&files.state, (serving.clock)())?;
    let (mut engine, repairs) = Engine::open(store, serving.senses, (serving.clock)())?;
    if !repairs.is_empty() {
        let sessions: Vec<String> = repairs.iter().map(|repair| repair.session.to_string()).collect();
        problems.push(("repaired", format!("made anew from the log: {}", sessions.join(", "))));
    }
    engine.use_settings(serving.settings)?;

    let (requests, queue) = std::sync::mpsc::channel();
    let (publish, published) = watch::channel(Arc::new(Published::default()));
    let handle = Handle { requests: requests.clone(), published: Arc::new(published) };
    let dispatcher = Dispatcher {
        engine,
        requests: queue,
        own: requests.clone(),
        clock: serving.clock,
        spool: spool.dir().to_owned(),
        errands: serving.errands,
        alive: serving.alive,
        published: publish,
        keep: serving.keep,
        problems: problems.into_iter().collect(),
    };
    let (spool_seen, settings_seen, clock_seen) = (requests.clone(), handle.clone(), requests);
    let mut places: Vec<(PathBuf, Option<PathBuf>, super::watch::OnChange)> =
        vec![(spool.dir().to_owned(), None, Box::new(move || _ = spool_seen.send(Request::Spool)))];
    let reload = serving.reload;
    places.extend(in_folder(serving.settings_file, Box::new(move || reload(&settings_seen))));
    places.extend(in_folder(serving.clock_file, Box::new(move || _ = clock_seen.send(Request::Tick))));
    // Without watches the slices of a minute find what is new.
    let _watching = watch_files(places);

    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(io("the runtime"))?;
    runtime.block_on(async {
        let listener = bind(&files.hook_socket())?;
        let thread = std::thread::Builder::new().name("dispatch".to_owned());
        let dispatching = thread.spawn(move || dispatcher.run()).map_err(io("the dispatcher"))?;
        tokio::spawn(hooks::listen(listener, handle.clone()));
        tokio::spawn(more(handle.clone()));
        until.await;
        let _ = std::fs::remove_file(files.hook_socket()); // from here on hooks go to the spool
        let _ = std::fs::remove_file(files.api_socket());
        handle.stop();
        let _ = dispatching.join();
        Ok(())
    })
}

/// The folder of a file, if it is there to be watched.
fn in_folder(
    file: Option<PathBuf>,
    call: super::watch::OnChange,
) -> Option<(PathBuf, Option<PathBuf>, super::watch::OnChange)> {
    let file = file?;
    let folder = file.parent().filter(|folder| folder.is_dir())?.to_owned();
    Some((folder, Some(file), call))
}

fn make_private(dir: &Path) -> Result<(), ServeError> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(io(dir.display().to_string()))
}

/// Binds a socket. Whoever holds the lock is the only daemon, so one that is there is a dead one's.
///
/// # Errors
/// When it cannot be bound.
pub(crate) fn bind(path: &Path) -> Result<UnixListener, ServeError> {
    use std::os::unix::fs::PermissionsExt as _;
    let wrong = || io(path.display().to_string());
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(wrong()(error)),
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(wrong())?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(wrong())?;
    Ok(listener)
}

/// What is wrong, by kind, for people.
type Problems = Vec<(&'static str, String)>;

/// The store; a damaged file is put aside and said.
fn open_store(state: &Path, now: Now) -> Result<(Store, Problems), ServeError> {
    let opened = Store::open(state).and_then(|store| {
        let wrong = store.integrity()?;
        Ok((store, wrong))
    });
    match opened {
        Ok((store, wrong)) if wrong.is_empty() => Ok((store, Vec::new())),
        Ok((store, wrong)) => {
            let said = format!("the store is damaged ({}); what can be read of it goes on", wrong.join("; "));
            Ok((store, vec![("damage", said)]))
        }
        Err(error) if error.is_damage() => {
            let aside = Store::put_aside(state, now)?;
            let said = format!("the store could not be read ({error}); it is in {} now", aside.display());
            Ok((Store::open(state)?, vec![("damage", said)]))
        }
        Err(error) => Err(error.into()),
    }
}
