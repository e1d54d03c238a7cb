//! Lines of a file of any size, in memory that does not grow with the file (R3).

use std::io::{self, ErrorKind, Read};

/// The longest line that is read. Real ones with pasted images reach 50 MB; what is longer is skipped and counted.
pub const LONGEST_LINE: usize = 64 << 20;
/// What is read at once: large enough that a system call costs nothing beside the work on the bytes.
const CHUNK: usize = 256 << 10;
/// A buffer that one huge line has blown up is given back as soon as it is not needed any more.
const KEEP: usize = 4 << 20;

/// What [`Lines::next_line`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found<'a> {
    /// A line.
    Line(Line<'a>),
    /// A line that is longer than [`LONGEST_LINE`]; it was not kept.
    TooLong {
        /// Its number.
        number: u64,
    },
}

/// One line without its line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Where it begins in the file, in bytes.
    pub offset: u64,
    /// What it says: bytes, of which nothing is known.
    pub bytes: &'a [u8],
    /// A line break ended it; the last line of a file that is being written may have none yet.
    pub complete: bool,
}

/// Reads lines.
pub struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// What is in the buffer and not handed out.
    start: usize,
    end: usize,
    /// Up to here in the buffer there is no line break after `start`.
    scanned: usize,
    /// Where `buffer[start]` stands in the file.
    offset: u64,
    number: u64,
    longest: usize,
    at_end: bool,
}

impl<R: Read> Lines<R> {
    /// Lines of `source`, which has about so many bytes: a small file gets a small buffer.
    pub fn new(source: R, bytes: u64) -> Self {
        // One byte more, so that the read which finds the end does not have to make room first.
        let chunk = usize::try_from(bytes.saturating_add(1)).unwrap_or(CHUNK).min(CHUNK);
        Self::with_bounds(source, chunk, LONGEST_LINE)
    }

    fn with_bounds(source: R, chunk: usize, longest: usize) -> Self {
        let buffer = vec![0; chunk];
        Self { source, buffer, start: 0, end: 0, scanned: 0, offset: 0, number: 0, longest, at_end: false }
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// What the source says. What was read before stays good.
    pub fn next_line(&mut self) -> io::Result<Option<Found<'_>>> {
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[self.scanned..self.end]) {
                let stop = self.scanned + at;
                let too_long = stop - self.start > self.longest;
                let found = self.hand_out(stop, true);
                return Ok(Some(match found {
                    Found::Line(line) if too_long => Found::TooLong { number: line.number },
                    found => found,
                }));
            }
            self.scanned = self.end;
            if self.end - self.start > self.longest {
                return self.skip_line().map(Some);
            }
            if self.at_end {
                let rest = self.end > self.start;
                return Ok(rest.then(|| self.hand_out(self.end, false)));
            }
            self.fill()?;
        }
    }

    fn hand_out(&mut self, stop: usize, complete: bool) -> Found<'_> {
        let (from, offset) = (self.start, self.offset);
        let next = (stop + usize::from(complete)).min(self.end);
        self.offset += (next - from) as u64;
        (self.start, self.scanned) = (next, next);
        self.number += 1;
        Found::Line(Line { number: self.number, offset, bytes: &self.buffer[from..stop], complete })
    }

    /// Reads more behind what is there.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.scanned -= self.start;
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() > KEEP && self.end < CHUNK {
            self.buffer.truncate(CHUNK);
            self.buffer.shrink_to_fit();
        }
        if self.end == self.buffer.len() {
            let wanted = (self.buffer.len() * 2).min(self.longest + CHUNK);
            self.buffer.reserve_exact(wanted - self.buffer.len());
            self.buffer.resize(wanted, 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.at_end = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }

    /// Drops bytes until the line break that ends the line which is too long.
    fn skip_line(&mut self) -> io::Result<Found<'static>> {
        self.number += 1;
        loop {
            self.offset += (self.end - self.start) as u64;
            (self.start, self.end, self.scanned) = (0, 0, 0);
            if self.at_end {
                break;
            }
            self.fill()?;
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[..self.end]) {
                (self.start, self.scanned) = (at + 1, at + 1);
                self.offset += (at + 1) as u64;
                break;
            }
        }
        Ok(Found::TooLong { number: self.number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line as `number@offset:text`, `…` where it is not complete; `number!` where it is too long.
    fn all(text: &[u8], chunk: usize, longest: usize) -> Vec<String> {
        let mut lines = Lines::with_bounds(text, chunk, longest);
        let mut all = Vec::new();
        while let Some(found) = lines.next_line().unwrap() {
            all.push(match found {
                Found::TooLong { number } => format!("{number}!"),
                Found::Line(line) => {
                    let text = String::from_utf8_lossy(line.bytes);
                    format!("{}@{}:{text}{}", line.number, line.offset, if line.complete { "" } else { "…" })
                }
            });
        }
        all
    }

    #[test]
    fn lines_come_out_whatever_the_chunk() {
        for chunk in 1..9 {
            assert_eq!(
                all(b"ab\n\ncdef\ng", chunk, 100),
                ["1@0:ab", "2@3:", "3@4:cdef", "4@9:g…"],
                "{chunk}"
            );
            assert_eq!(all(b"ab\n", chunk, 100), ["1@0:ab"], "{chunk}");
            assert!(all(b"", chunk, 100).is_empty(), "{chunk}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_one_is_found() {
        for chunk in 1..9 {
            let text = b"ab\n0123456789abcdef\ncd\n0123456789abcdef";
            assert_eq!(all(text, chunk, 10), ["1@0:ab", "2!", "3@20:cd", "4!"], "{chunk}");
        }
    }

    #[test]
    fn memory_does_not_grow_with_the_file() {
        let line = [b'x'; 1000];
        let text: Vec<u8> = line.iter().copied().chain([b'\n']).cycle().take(1001 * 20_000).collect();
        let mut lines = Lines::new(&text[..], text.len() as u64);
        while lines.next_line().unwrap().is_some() {}
        assert_eq!((lines.number, lines.buffer.len()), (20_000, CHUNK));
    }

    #[test]
    fn the_memory_of_one_huge_line_is_given_back() {
        let mut text = vec![b'x'; 9 << 20];
        text.push(b'\n');
        text.extend(b"short\n".repeat(200_000));
        let mut lines = Lines::new(&text[..], text.len() as u64);
        assert!(matches!(lines.next_line().unwrap(), Some(Found::Line(line)) if line.bytes.len() == 9 << 20));
        assert!(lines.buffer.len() >= 9 << 20);
        while lines.next_line().unwrap().is_some() {}
        assert_eq!((lines.number, lines.buffer.len()), (200_001, CHUNK));
    }
}
