//! Plays one transcript from its first to its last byte.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memmem;
use serde::de::IgnoredAny;
use wakeful_clients::{Readers, Translation};
use wakeful_core::event::EventKind;
use wakeful_core::time::Now;

use super::commands::{SHELL_TOOL, ShellCalls};
use super::player::{Heard, Place, Player};
use super::run::{Options, Tools};
use super::translator::{Translator, table_of};
use crate::files::{Body, Skip, Source};
use crate::lines::{Found, Line, Lines};
use crate::report::Tally;

/// What every file is played with.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) options: &'a Options,
    pub(super) tools: Tools<'a>,
    /// Decisions are wanted one by one, not only counted.
    pub(super) wants_records: bool,
    /// Bytes read so far by all threads, for the progress bar.
    pub(super) read: &'a AtomicU64,
}

/// What one file gave.
#[derive(Default)]
pub(super) struct Played {
    pub(super) tally: Tally,
    /// Its decisions as JSON lines, if they are wanted.
    pub(super) records: Vec<u8>,
}

impl Played {
    fn skipped(why: Skip) -> Self {
        let mut played = Self::default();
        played.tally.skip(why, 1);
        played
    }
}

/// Plays one file.
pub(super) fn play(source: &Source, job: Job<'_>) -> Played {
    if let Some(why) = unwanted(source, job.options) {
        return Played::skipped(why);
    }
    match source.body {
        Body::Text(text) => play_bytes(source, text.as_bytes(), job),
        Body::File => match open(source) {
            Ok(file) => play_bytes(source, file, job),
            Err(why) => Played::skipped(why),
        },
    }
}

/// Whether a filter leaves the file out before it is opened.
fn unwanted(source: &Source, options: &Options) -> Option<Skip> {
    let before = |since| source.written.is_some_and(|written| written < since);
    if options.since.is_some_and(before) {
        return Some(Skip::BeforeSince);
    }
    let session = table_of(source.client).and_then(|row| (row.session_of)(&source.path));
    let other = |wanted: &String| session.is_some_and(|id| !id.starts_with(wanted));
    options.session.as_ref().is_some_and(other).then_some(Skip::OtherSession)
}

/// Opens the file, up to its size of now: what is written while it is read belongs to the next replay (R2).
fn open(source: &Source) -> Result<io::Take<File>, Skip> {
    // Opening a FIFO would block, so what it is comes first.
    let metadata = fs::metadata(&source.path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Skip::Missing,
        _ => Skip::UnreadableFile,
    })?;
    if !metadata.is_file() {
        return Err(Skip::SpecialFile);
    }
    let file = File::open(&source.path).map_err(|_| Skip::UnreadableFile)?;
    let bytes = file.metadata().map_err(|_| Skip::UnreadableFile)?.len();
    Ok(file.take(bytes))
}

fn play_bytes(source: &Source, bytes: impl Read, job: Job<'_>) -> Played {
    let Some(row) = table_of(source.client) else { return Played::skipped(Skip::ClientNotRead) };
    let heard = Mutex::new(VecDeque::new());
    let read = |text: &str, now: Now| {
        if let Ok(mut heard) = heard.lock() {
            heard.push_back(Heard::of(text));
        }
        (job.tools.read)(text, now)
    };
    let readers = Readers { read: &read, never_ends: job.tools.never_ends };
    let file = Playing {
        job,
        ctx: Translation { now: Now::default(), zone: &job.options.zone, readers },
        translator: row.of_past(&source.path),
        shell_calls: row.shell_calls,
        player: Player::new(source, job),
        heard: &heard,
        last_said: None,
        told_any: false,
    };
    let mut counted = Counted { source: bytes, here: 0, all: job.read };
    let mut lines = Lines::new(&mut counted, source.bytes);
    let mut played = file.play(&mut lines);
    drop(lines);
    if played.tally.files > 0 {
        played.tally.bytes = counted.here; // of files that count, like everything else
    }
    played
}

/// A file that is being played.
struct Playing<'a> {
    job: Job<'a>,
    ctx: Translation<'a>,
    translator: Box<dyn Translator>,
    shell_calls: ShellCalls,
    player: Player<'a>,
    heard: &'a Mutex<VecDeque<Heard>>,
    /// Where the agent spoke last: a turn end is told by a later line.
    last_said: Option<Place>,
    told_any: bool,
}

impl Playing<'_> {
    fn play<R: Read>(mut self, lines: &mut Lines<R>) -> Played {
        let mut skips = Tally::default();
        loop {
            match lines.next_line() {
                Ok(Some(Found::Line(line))) => {
                    if let Some(why) = self.line(&line) {
                        skips.skip(why, 1);
                    }
                }
                Ok(Some(Found::TooLong { .. })) => skips.skip(Skip::LineTooLong, 1),
                Ok(None) => break,
                Err(_) => {
                    skips.skip(Skip::UnreadableFile, 1); // what came before the error counts
                    break;
                }
            }
        }
        let told = self.translator.finish(&self.ctx);
        self.tell(told, self.last_said.unwrap_or_default());
        self.player.finish();
        skips.skip(Skip::DamagedLine, self.translator.damaged());
        let mut played = self.player.played();
        if !self.told_any {
            let subagent = self.translator.is_subagent();
            return Played::skipped(if subagent { Skip::Subagent } else { Skip::NotATranscript });
        }
        if self.job.options.session.is_some() && played.tally.sessions.is_empty() {
            return Played::skipped(Skip::OtherSession);
        }
        skips.unknown(self.translator.unknowns());
        played.tally.files = 1;
        played.tally.add(skips);
        played
    }

    fn line(&mut self, line: &Line<'_>) -> Option<Skip> {
        // Files that a crash cut off have runs of zeros in them; some editors write a mark at the start.
        let bytes = line.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line.bytes);
        let bytes = trim(bytes);
        if bytes.is_empty() {
            return (!line.bytes.trim_ascii().is_empty()).then_some(Skip::DamagedLine);
        }
        if !line.complete && serde_json::from_slice::<IgnoredAny>(bytes).is_err() {
            return Some(Skip::TruncatedLine);
        }
        let place = Place { line: line.number, offset: line.offset };
        self.ctx.now = self.player.now();
        let told = self.translator.line(bytes, &self.ctx);
        let calls: Vec<String> = told
            .iter()
            .filter(|told| !told.history && self.player.counts(&told.event.session, told.at))
            .filter_map(|told| match &told.event.kind {
                EventKind::ToolStarted { tool_use, tool, .. } if tool == SHELL_TOOL => {
                    Some(tool_use.0.clone())
                }
                _ => None,
            })
            .collect();
        if !calls.is_empty() {
            let refuses = self.job.tools.refuses;
            let mut refused = 0;
            (self.shell_calls)(bytes, &|id| calls.iter().any(|call| call == id), &mut |command| {
                refused += u64::from(refuses(command));
            });
            self.player.refused(refused);
        }
        self.tell(told, place);
        if memmem::find(bytes, b"\"assistant\"").is_some() {
            self.last_said = Some(place);
        }
        None
    }

    fn tell(&mut self, told: Vec<wakeful_clients::Told>, place: Place) {
        self.told_any |= !told.is_empty();
        for told in told {
            let mut heard = None;
            let mut said = place;
            if let EventKind::TurnEnded(end) = &told.event.kind
                && end.how == wakeful_core::event::TurnHow::Finished
            {
                heard = self.heard.lock().ok().and_then(|mut heard| heard.pop_front());
                said = self.last_said.take().unwrap_or(place);
            }
            if !told.history {
                self.player.event(told.at, &told.event, heard.as_ref(), said);
            }
        }
        if let Ok(mut heard) = self.heard.lock() {
            heard.clear();
        }
    }
}

/// Without white space and zeros at both ends.
fn trim(bytes: &[u8]) -> &[u8] {
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let Some(from) = bytes.iter().position(|byte| !blank(byte)) else { return &[] };
    let to = bytes.iter().rposition(|byte| !blank(byte)).unwrap_or(from);
    &bytes[from..=to]
}

/// Counts what is read, here and for the progress bar.
struct Counted<'a, R> {
    source: R,
    here: u64,
    all: &'a AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.here += read as u64;
        self.all.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
