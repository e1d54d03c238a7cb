//! The hook's side of the spool. Nothing here waits: not for a lock, not for a reader, not for the disk to become whole.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rustix::fs::{FlockOperation, OFlags, flock};
use wakeful_core::time::Wall;

use super::Envelope;

/// Bytes. After this much in a day only what matters most is added: a busy day of thirty sessions makes a tenth of it.
pub const DAY: u64 = 64 * 1024 * 1024;
/// Bytes. And after this much nothing at all.
pub const DAY_MOST: u64 = 2 * DAY;
/// How often the lock is tried for; a writer holds it for some 20 µs, and a hook has no time to queue.
const LOCK_TRIES: usize = 50;

/// The spool's folder.
#[derive(Debug, Clone)]
pub struct Spool {
    dir: PathBuf,
}

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is in the file of the day.
    Day,
    /// The lock could not be had; it is in a file of this process.
    Aside,
    /// The day is full.
    Full,
}

impl Spool {
    /// The spool in this state folder.
    pub fn of(state: &std::path::Path) -> Self {
        Self { dir: state.join("spool") }
    }

    /// The folder.
    pub fn dir(&self) -> &std::path::Path {
        &self.dir
    }

    /// Appends one event as one line. `essential`: also when the day is nearly full.
    ///
    /// # Errors
    /// When the folder cannot be made, or the line cannot be written in whole; nothing of it is left then.
    pub fn append(&self, envelope: &Envelope, essential: bool) -> io::Result<Appended> {
        let mut line = vec![b'\n']; // in place of the line break that a torn line before it lacks
        serde_json::to_writer(&mut line, envelope)?;
        line.push(b'\n');
        let day = day_of(envelope.at.wall);
        let file = self.open(&format!("{day}.jsonl"))?;
        if !lock(&file) {
            let aside = self.open(&format!("{day}-{}.jsonl", std::process::id()))?;
            return write(&aside, &line, essential, Appended::Aside);
        }
        write(&file, &line, essential, Appended::Day)
    }

    fn open(&self, name: &str) -> io::Result<File> {
        let path = self.dir.join(name);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        // A pipe in the file's place must not block, and a link must not lead the events elsewhere.
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
        match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new().recursive(true).mode(0o700).create(&self.dir)?;
                options.open(&path)
            }
            opened => opened,
        }
    }
}

fn lock(file: &File) -> bool {
    for _ in 0..LOCK_TRIES {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return true,
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => std::thread::yield_now(),
            // A file system without locks: `O_APPEND` and one `write` is what there is.
            Err(_) => return false,
        }
    }
    false
}

/// One `write` with `O_APPEND`; `line` begins with a line break of its own, which is left out behind a whole line.
fn write(mut file: &File, line: &[u8], essential: bool, place: Appended) -> io::Result<Appended> {
    let length = file.metadata()?.len();
    if length > DAY_MOST || (length > DAY && !essential) {
        return Ok(Appended::Full);
    }
    let mut last = [b'\n'];
    if length > 0 {
        file.read_exact_at(&mut last, length - 1)?;
    }
    let line = if last == *b"\n" { &line[1..] } else { line };
    let written = file.write(line)?;
    if written < line.len() {
        // The disk is full. We hold the lock, or the file is ours: nobody has written behind us.
        file.set_len(length)?;
        return Err(io::ErrorKind::WriteZero.into());
    }
    Ok(place)
}

/// The day of an instant, in UTC: needs no table of zones, and is the same in every process.
fn day_of(wall: Wall) -> String {
    let at = Timestamp::from_millisecond(wall.0).unwrap_or(Timestamp::UNIX_EPOCH);
    TimeZone::UTC.to_datetime(at).date().to_string()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use wakeful_core::ids::Client;
    use wakeful_core::time::Now;

    use super::super::{DeliveryId, Payload, VERSION, read};
    use super::*;

    fn envelope(n: u32) -> Envelope {
        let at = Now { wall: Wall(1_800_000_000_000), ..Now::default() };
        Envelope {
            v: VERSION,
            id: DeliveryId(format!("{n:026}")),
            client: Client::Codex,
            event: None,
            via: None,
            at,
            pid: None,
            tmux: None,
            payload: Payload::of(b"{\"a\":1}"),
            guard: None,
        }
    }

    const DAY_FILE: &str = "2027-01-15.jsonl";

    fn ids(spool: &Spool) -> Vec<String> {
        let contents = read(spool.dir(), Wall(0)).unwrap();
        contents.envelopes.into_iter().map(|envelope| envelope.id.0).collect()
    }

    #[test]
    fn private_files_one_a_day() {
        let state = tempfile::tempdir().unwrap();
        let spool = Spool::of(&state.path().join("new"));
        assert_eq!(spool.append(&envelope(1), false).unwrap(), Appended::Day);
        let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(spool.dir().to_owned()), 0o700);
        assert_eq!(mode(spool.dir().join(DAY_FILE)), 0o600);
    }

    #[test]
    fn a_torn_line_costs_itself_only() {
        let state = tempfile::tempdir().unwrap();
        let spool = Spool::of(state.path());
        spool.append(&envelope(1), false).unwrap();
        let path = spool.dir().join(DAY_FILE);
        let mut torn = std::fs::read(&path).unwrap();
        let whole = torn.clone();
        torn.extend_from_slice(&whole[..whole.len() / 2]);
        std::fs::write(&path, torn).unwrap();
        spool.append(&envelope(2), false).unwrap();
        assert_eq!(ids(&spool), [format!("{:026}", 1), format!("{:026}", 2)]);
    }

    #[test]
    fn who_cannot_have_the_lock_writes_aside() {
        let state = tempfile::tempdir().unwrap();
        let spool = Spool::of(state.path());
        spool.append(&envelope(1), false).unwrap();
        let held = File::open(spool.dir().join(DAY_FILE)).unwrap();
        flock(&held, FlockOperation::LockExclusive).unwrap();
        assert_eq!(spool.append(&envelope(2), false).unwrap(), Appended::Aside);
        assert_eq!(ids(&spool).len(), 2);
    }

    #[test]
    fn a_full_day_takes_only_what_matters() {
        let state = tempfile::tempdir().unwrap();
        let spool = Spool::of(state.path());
        spool.append(&envelope(1), false).unwrap();
        let grow = |to: u64| {
            OpenOptions::new().write(true).open(spool.dir().join(DAY_FILE)).unwrap().set_len(to).unwrap();
        };
        grow(DAY + 1);
        assert_eq!(spool.append(&envelope(2), false).unwrap(), Appended::Full);
        assert_eq!(spool.append(&envelope(3), true).unwrap(), Appended::Day);
        grow(DAY_MOST + 1);
        assert_eq!(spool.append(&envelope(4), true).unwrap(), Appended::Full);
    }

    #[test]
    fn a_pipe_or_a_link_in_its_place_is_an_error() {
        let state = tempfile::tempdir().unwrap();
        let spool = Spool::of(state.path());
        std::fs::create_dir_all(spool.dir()).unwrap();
        std::os::unix::fs::symlink("/dev/null", spool.dir().join(DAY_FILE)).unwrap();
        assert!(spool.append(&envelope(1), true).is_err());
    }
}
