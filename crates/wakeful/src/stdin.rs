//! Reading a hook's standard input: once, bounded in memory, and never for ever.

use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use wakeful_clients::shorten::Shortener;

/// What is held of the input as it is. Longer than any command that a system would run (Linux: 128 KB an argument), so the guard
/// sees every command in full.
const HELD: usize = 2 * 1024 * 1024;
/// What is taken at a time.
const CHUNK: usize = 64 * 1024;
/// A client that has written nothing for this long will not: its pipe may have leaked to another process, which keeps it open.
const SILENCE: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };
/// Where draining ends. A client may be upset when its pipe is closed on it, but no client writes this much.
const DRAINED: usize = 512 * 1024 * 1024;

/// The input.
pub enum Input {
    /// All of it.
    Whole(Vec<u8>),
    /// It was too long to be held: what the shortener kept of it.
    Long(Option<Vec<u8>>),
}

/// Reads standard input to its end. A terminal, and whatever cannot be read, gives nothing.
pub fn read() -> Input {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Input::Whole(Vec::new());
    }
    let mut held = Vec::new();
    let mut shortener: Option<Shortener> = None;
    let (mut buffer, mut total) = (vec![0; CHUNK], 0);
    while let Some(count) = take(&stdin, &mut buffer).filter(|_| total < DRAINED) {
        total += count;
        let bytes = &buffer[..count];
        match &mut shortener {
            Some(shortener) => shortener.feed(bytes),
            None if held.len() + count > HELD => {
                let shortener = shortener.insert(Shortener::default());
                shortener.feed(&held);
                shortener.feed(bytes);
                held = Vec::new();
            }
            None => held.extend_from_slice(bytes),
        }
    }
    match shortener {
        Some(shortener) => Input::Long(shortener.finish()),
        None => Input::Whole(held),
    }
}

/// The next bytes; `None` at the end, after a silence, and on an error.
fn take(stdin: &io::Stdin, buffer: &mut [u8]) -> Option<usize> {
    loop {
        let mut polled = [PollFd::new(stdin, PollFlags::IN)];
        match poll(&mut polled, Some(&SILENCE)) {
            Ok(0) => return None,
            Err(rustix::io::Errno::INTR) => continue,
            Ok(_) | Err(_) => {}
        }
        match rustix::io::read(stdin.as_fd(), &mut *buffer) {
            Ok(0) => return None,
            Ok(count) => return Some(count),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}
