//! A ring is claimed before it rings: who makes the file `STATE/rings/ID` rings, and nobody else ever does (F1).
//!
//! The file is empty until the channels have been gone through; then it holds the [`Outcome`]. One that stays empty is of a child
//! that died in between. Whether that one rang nobody knows, so it is reported and not rung again.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rustix::fs::OFlags;
use wakeful_core::time::{Millis, Wall};

use super::ring::{Outcome, RingId};

/// A child that is alive has gone through its channels by then: each has a few seconds, and they go side by side.
pub const DIED_AFTER: Millis = Millis::minutes(1);
/// How long a claim is kept at least. A child that was held up (a machine that slept) must still find it.
pub const KEEP: Millis = Millis::minutes(24 * 60);
/// Bytes. An outcome is some hundreds.
const LONGEST: u64 = 64 * 1024;

/// How a ring stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has claimed it: a child may be started for it.
    Free,
    /// Claimed less than [`DIED_AFTER`] ago, and not yet said how it went.
    UnderWay,
    /// Claimed, and never said how it went: the child died, or the disk was full. Not to be rung again.
    Died,
    /// How it went.
    Ended(Outcome),
}

/// The right to ring. There is one of each id.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
}

/// Claims a ring. `None` when someone else has.
///
/// # Errors
/// When the file cannot be made. Nothing may ring then: whoever tries again could not know of it.
pub fn claim(state: &Path, id: &RingId) -> io::Result<Option<Claim>> {
    let (dir, path) = (folder(state), file(state, id));
    DirBuilder::new().recursive(true).mode(0o700).create(&dir)?;
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
        Ok(made) => {
            // Also after a power cut it rings once. A file system that cannot be synchronised is as good as it gets.
            let _ = made.sync_all();
            sync_folder(&dir);
            Ok(Some(Claim { path }))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error),
    }
}

impl Claim {
    /// Says how it went: the file has all of it or nothing.
    ///
    /// # Errors
    /// When it cannot be written. The claim stands all the same.
    pub fn close(self, outcome: &Outcome) -> io::Result<()> {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        // The name begins with a dot, as no id does.
        let mut file = tempfile::Builder::new().prefix(".").tempfile_in(dir)?;
        serde_json::to_writer(&mut file, outcome)?;
        file.write_all(b"\n")?;
        file.as_file().sync_data()?;
        file.persist(&self.path)?;
        Ok(())
    }
}

/// How a ring stands at the wall time `now`.
///
/// # Errors
/// When the file is there and cannot be read.
pub fn look(state: &Path, id: &RingId, now: Wall) -> io::Result<Standing> {
    let mut options = OpenOptions::new();
    // A pipe or a link in its place is not ours.
    options.read(true).custom_flags(flags(OFlags::NONBLOCK | OFlags::NOFOLLOW));
    let file = match options.open(file(state, id)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Standing::Free),
        Err(error) => return Err(error),
    };
    let made = written(&file)?;
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text)?;
    if let Ok(outcome) = serde_json::from_slice(&text) {
        return Ok(Standing::Ended(outcome));
    }
    // A claim of the future is one from before the clock was set back: as old as it is young.
    let apart = Millis(made.0.abs_diff(now.0));
    Ok(if apart > DIED_AFTER || !text.is_empty() { Standing::Died } else { Standing::UnderWay })
}

/// How a ring went, if it has ended and said so.
pub fn outcome(state: &Path, id: &RingId) -> Option<Outcome> {
    match look(state, id, Wall(0)) {
        Ok(Standing::Ended(outcome)) => Some(outcome),
        Ok(_) | Err(_) => None,
    }
}

/// Takes a claim away. Only for a ring whose row in the outbox is struck out, and whose claim is [`KEEP`] old: a ring without a
/// claim can ring again.
///
/// # Errors
/// When the file is there and cannot be taken away.
pub fn forget(state: &Path, id: &RingId) -> io::Result<()> {
    match std::fs::remove_file(file(state, id)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A ring that was claimed, with the time of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// Which.
    pub id: RingId,
    /// When its file was last written.
    pub written: Wall,
}

/// Every ring that was claimed and not forgotten, oldest first. Files that are not claims are passed over.
///
/// # Errors
/// When the folder is there and cannot be read.
pub fn all(state: &Path) -> io::Result<Vec<Claimed>> {
    let entries = match std::fs::read_dir(folder(state)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let claimed = |entry: std::fs::DirEntry| {
        let id = RingId::try_from(entry.file_name().into_string().ok()?).ok()?;
        Some(Claimed { id, written: modified(&entry.metadata().ok()?)? })
    };
    let mut all: Vec<Claimed> = entries.flatten().filter_map(claimed).collect();
    all.sort_by(|a, b| (a.written, &a.id).cmp(&(b.written, &b.id)));
    Ok(all)
}

/// Takes away the claims that are [`KEEP`] old and not `open` (their row in the outbox is struck out or gone). Gives how many.
///
/// # Errors
/// When the folder cannot be read; a file that cannot be taken away stays.
pub fn sweep(state: &Path, now: Wall, open: &dyn Fn(&RingId) -> bool) -> io::Result<usize> {
    let old = |claimed: &Claimed| claimed.written.until(now) >= KEEP && !open(&claimed.id);
    let swept = all(state)?.into_iter().filter(|claimed| old(claimed) && forget(state, &claimed.id).is_ok());
    Ok(swept.count())
}

fn folder(state: &Path) -> PathBuf {
    state.join("rings")
}

fn file(state: &Path, id: &RingId) -> PathBuf {
    folder(state).join(id.as_str())
}

fn flags(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).unwrap_or_default()
}

fn sync_folder(dir: &Path) {
    if let Ok(dir) = File::open(dir) {
        let _ = dir.sync_all();
    }
}

fn written(file: &File) -> io::Result<Wall> {
    Ok(modified(&file.metadata()?).unwrap_or_default())
}

fn modified(meta: &std::fs::Metadata) -> Option<Wall> {
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok().map(Wall)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::Barrier;
    use std::time::{Duration, SystemTime};

    use wakeful_core::causes::Reason;
    use wakeful_core::time::Now;

    use super::*;

    fn id(text: &str) -> RingId {
        RingId::try_from(text.to_owned()).unwrap()
    }

    fn outcome_of_nothing() -> Outcome {
        Outcome { v: Outcome::VERSION, reason: Reason::Done, at: Now::default(), channels: Vec::new() }
    }

    /// When the file of a claim was written.
    fn time(state: &Path, id: &RingId) -> Wall {
        modified(&std::fs::metadata(file(state, id)).unwrap()).unwrap()
    }

    #[test]
    fn of_many_at_once_one_gets_it() {
        let state = tempfile::tempdir().unwrap();
        for round in 0..50 {
            let (id, barrier) = (id(&format!("ring-{round}")), Barrier::new(8));
            let try_it = || {
                barrier.wait();
                claim(state.path(), &id).unwrap().is_some()
            };
            let won = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(try_it)).collect();
                threads
                    .into_iter()
                    .filter(|_| true)
                    .map(|thread| thread.join().unwrap())
                    .filter(|won| *won)
                    .count()
            });
            assert_eq!(won, 1, "round {round}");
        }
    }

    #[test]
    fn it_is_private_and_says_how_it_went() {
        let state = tempfile::tempdir().unwrap();
        let id = id("ring-1");
        assert_eq!(look(state.path(), &id, Wall(0)).unwrap(), Standing::Free);
        let claim = claim(state.path(), &id).unwrap().unwrap();
        let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(folder(state.path())), mode(file(state.path(), &id))), (0o700, 0o600));
        let made = time(state.path(), &id);
        assert_eq!(look(state.path(), &id, made.plus(Millis::secs(59))).unwrap(), Standing::UnderWay);
        assert_eq!(outcome(state.path(), &id), None);
        claim.close(&outcome_of_nothing()).unwrap();
        assert_eq!(mode(file(state.path(), &id)), 0o600);
        assert_eq!(outcome(state.path(), &id), Some(outcome_of_nothing()));
        assert!(super::claim(state.path(), &id).unwrap().is_none(), "an ended ring is claimed for good");
        assert_eq!(std::fs::read_dir(folder(state.path())).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_claim_that_stays_empty_is_of_a_child_that_died() {
        let state = tempfile::tempdir().unwrap();
        let id = id("ring-1");
        drop(claim(state.path(), &id).unwrap().unwrap());
        let made = time(state.path(), &id);
        let at = |wall: i64| look(state.path(), &id, Wall(wall)).unwrap();
        assert_eq!(at(made.0 + 60_001), Standing::Died);
        assert_eq!(at(made.0 - 60_001), Standing::Died, "the clock was set back");
        assert!(claim(state.path(), &id).unwrap().is_none());
        std::fs::write(file(state.path(), &id), "{\"v\":").unwrap();
        assert_eq!(look(state.path(), &id, time(state.path(), &id)).unwrap(), Standing::Died, "torn");
    }

    #[test]
    fn what_is_old_and_done_with_is_swept() {
        let state = tempfile::tempdir().unwrap();
        let ids = [id("old"), id("old-open"), id("young")];
        for id in &ids {
            drop(claim(state.path(), id).unwrap().unwrap());
        }
        std::fs::write(folder(state.path()).join(".half"), "").unwrap();
        let now = time(state.path(), &ids[2]);
        let day_ago = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(now.0).unwrap() - KEEP.0);
        for id in &ids[..2] {
            File::options().write(true).open(file(state.path(), id)).unwrap().set_modified(day_ago).unwrap();
        }
        assert_eq!(sweep(state.path(), now, &|id| id.as_str() == "old-open").unwrap(), 1);
        let mut left: Vec<_> = all(state.path()).unwrap().into_iter().map(|claimed| claimed.id).collect();
        left.sort();
        assert_eq!(left, [ids[1].clone(), ids[2].clone()]);
        forget(state.path(), &ids[1]).unwrap();
        forget(state.path(), &ids[1]).unwrap();
    }

    #[test]
    fn where_nothing_can_be_written_nothing_may_ring() {
        let state = tempfile::tempdir().unwrap();
        std::fs::write(state.path().join("rings"), "a file").unwrap();
        assert!(claim(state.path(), &id("ring-1")).is_err());
    }
}
