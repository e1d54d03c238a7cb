//! Files whose changes the daemon must hear of: the spool, the settings, the clock of a test.

use std::path::{Path, PathBuf};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

/// Watches until it is dropped.
pub(super) struct Watching {
    _watcher: RecommendedWatcher,
}

/// What to do when something in the folder changes.
pub(super) type OnChange = Box<dyn Fn() + Send>;

/// Calls back when a file in one of these folders changes, or the one file that is named.
///
/// # Errors
/// When the system has no more watches to give.
pub(super) fn watch(places: Vec<(PathBuf, Option<PathBuf>, OnChange)>) -> notify::Result<Watching> {
    let folders: Vec<PathBuf> = places.iter().map(|(folder, ..)| folder.clone()).collect();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let Ok(event) = event else { return };
        if event.kind.is_access() {
            return;
        }
        for (folder, file, call) in &places {
            let concerns = |path: &PathBuf| match file {
                Some(file) => path == file,
                None => path.parent() == Some(folder.as_path()),
            };
            if event.paths.iter().any(concerns) {
                call();
            }
        }
    })?;
    for folder in &folders {
        watcher.watch(Path::new(folder), RecursiveMode::NonRecursive)?;
    }
    Ok(Watching { _watcher: watcher })
}
