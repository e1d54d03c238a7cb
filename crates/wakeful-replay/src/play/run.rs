//! Plays many files, in parallel, into one report.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use jiff::tz::TimeZone;
use wakeful_core::ids::{Client, RuleId};
use wakeful_core::reading::Reading;
use wakeful_core::settings::Settings;
use wakeful_core::time::{Now, Wall};

use super::file::{Job, Played, play};
use crate::files::Found;
use crate::report::{Report, Tally};

/// Files of at least this size are begun first: a large one that is begun last would leave the other threads idle.
const LARGE: u64 = 64 << 20;
/// How often progress is told while large files are read: as often as a progress bar is drawn.
const TICK: Duration = Duration::from_millis(100);

/// The readers of text and of commands that the live code uses. They come in from outside, so that a back-test can
/// read with other rules.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// Reads the last message of a turn that ended at this time (spec 20).
    pub read: &'a (dyn Fn(&str, Now) -> Reading + Sync),
    /// The rule by which a command never ends by itself, if there is one (spec 10).
    pub never_ends: &'a (dyn Fn(&str) -> Option<RuleId> + Sync),
    /// Does the guard refuse this command under the standard policy? (spec 50)
    pub refuses: &'a (dyn Fn(&str) -> bool + Sync),
}

/// How to replay.
#[derive(Debug, Clone)]
pub struct Options {
    /// The settings in force.
    pub settings: Settings,
    /// The zone in which schedules are worked out and times are shown (R4).
    pub zone: TimeZone,
    /// `--since`: earlier turn ends are played, but not counted.
    pub since: Option<Wall>,
    /// `--session`: only sessions whose id starts with this.
    pub session: Option<String>,
    /// `--client`: only these; all, if empty.
    pub clients: Vec<Client>,
    /// Transcripts are complete up to this time: timers run on until then after the last line. Without it nothing
    /// is concluded from where a transcript ends, because the session may still go on, and the report depends on
    /// nothing but the files.
    pub as_of: Option<Wall>,
    /// How many threads read files.
    pub threads: NonZeroUsize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            zone: TimeZone::UTC,
            since: None,
            session: None,
            clients: Vec::new(),
            as_of: None,
            threads: NonZeroUsize::MIN,
        }
    }
}

/// How far a replay is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Files that are done.
    pub files: u64,
    /// Files in all.
    pub of_files: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes in all, by the sizes that the files had when they were found.
    pub of_bytes: u64,
}

/// Why a replay broke off.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The caller's writer for decisions failed.
    #[error("the decisions could not be written")]
    Write(#[from] io::Error),
}

/// Plays all files and returns the report. `records` gets every decision as a line of JSON, in the order of files and
/// lines. The same files, options and tools give the same report and the same records, byte for byte, whatever the
/// number of threads (R4).
///
/// # Errors
/// [`ReplayError::Write`] if `records` fails. Whatever is wrong with files is counted in the report.
pub fn replay(
    found: &Found,
    options: &Options,
    tools: Tools<'_>,
    progress: &dyn Fn(Progress),
    mut records: Option<&mut dyn Write>,
) -> Result<Report, ReplayError> {
    let read = AtomicU64::new(0);
    let job = Job { options, tools, wants_records: records.is_some(), read: &read };
    let sources: Vec<_> = found
        .sources
        .iter()
        .filter(|source| options.clients.is_empty() || options.clients.contains(&source.client))
        .collect();
    let order = order(sources.iter().map(|source| source.bytes));
    let of_bytes = sources.iter().map(|source| source.bytes).sum();
    let (next, stop) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut sum = Sum::default();
    // Threads take files one by one and hand their counts to this thread, which adds them up in the order of files.
    // Not rayon: it would hold this thread, which has progress to tell and records to write, and it splits a list
    // in halves, so that half of the records would have to be kept.
    thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel::<(usize, Played)>(options.threads.get() * 2);
        for _ in 0..options.threads.get().min(sources.len()) {
            let (send, order, sources, next, stop) = (send.clone(), &order, &sources, &next, &stop);
            scope.spawn(move || {
                while let Some(at) = order.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
                    let stopped = stop.load(Ordering::Relaxed) > 0;
                    if stopped || send.send((at, play(sources[at], job))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut files = 0;
        loop {
            let got = receive.recv_timeout(TICK);
            if let Ok((at, played)) = got {
                files += 1;
                if let Err(error) = sum.take(at, played, &mut records) {
                    stop.store(1, Ordering::Relaxed);
                    return Err(error);
                }
            } else if got.is_err_and(|error| error == mpsc::RecvTimeoutError::Disconnected) {
                return Ok(());
            }
            let (of_files, bytes) = (sources.len() as u64, read.load(Ordering::Relaxed));
            progress(Progress { files, of_files, bytes, of_bytes });
        }
    })?;
    for (why, times) in &found.skipped {
        sum.tally.skip(*why, *times);
    }
    Ok(sum.tally.report())
}

/// Large files first, the rest in its order.
fn order(sizes: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = sizes.enumerate().map(|(at, size)| (size, at)).collect();
    order.sort_by_key(|(size, at)| (std::cmp::Reverse(if *size >= LARGE { *size } else { 0 }), *at));
    order.into_iter().map(|(_, at)| at).collect()
}

/// The sum so far, and the files that came out of turn.
#[derive(Default)]
struct Sum {
    tally: Tally,
    next: usize,
    early: BTreeMap<usize, Played>,
}

impl Sum {
    fn take(&mut self, at: usize, played: Played, out: &mut Option<&mut dyn Write>) -> io::Result<()> {
        self.early.insert(at, played);
        while let Some(played) = self.early.remove(&self.next) {
            self.next += 1;
            if let Some(out) = out {
                out.write_all(&played.records)?;
            }
            self.tally.add(played.tally);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_begun_first() {
        let sizes = [1, LARGE, 5, 3 * LARGE, 2];
        assert_eq!(order(sizes.into_iter()), [3, 1, 0, 2, 4]);
    }
}
