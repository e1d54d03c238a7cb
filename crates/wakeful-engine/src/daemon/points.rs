//! Places at which tests of crashes end the process (F1). In released programs they are nothing.

use std::sync::atomic::{AtomicU32, Ordering};

/// `WAKEFUL_TEST_KILL=after-commit:3`: at the third pass of that place, the process is gone at once, as by `kill -9`.
pub(super) fn pass(place: &str) {
    static PASSES: AtomicU32 = AtomicU32::new(0);
    if !cfg!(debug_assertions) {
        return;
    }
    let Ok(wanted) = std::env::var("WAKEFUL_TEST_KILL") else { return };
    let Some((name, times)) = wanted.split_once(':') else { return };
    if name == place && Ok(PASSES.fetch_add(1, Ordering::SeqCst) + 1) == times.parse() {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}
