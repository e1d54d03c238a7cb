//! The hook's side of the handing over. Hot path: no runtime, no thread, and never longer than the budget of C1.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::connect_at_once;
use super::hooks::TAKEN;
use crate::spool::Envelope;

/// C1: an event is acknowledged within this time, or it goes to the spool.
const BUDGET: Duration = Duration::from_millis(25);

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handed {
    /// It is in the log.
    Taken,
    /// Nobody is there.
    NoDaemon,
    /// Somebody is there and has not said in time that it is taken. It may be; the delivery id tells.
    Unsaid,
}

/// Hands an event over.
pub fn hand_over(socket: &Path, envelope: &Envelope) -> Handed {
    let Ok(stream) = connect_at_once(socket) else { return Handed::NoDaemon };
    if said(stream, envelope).is_some() { Handed::Taken } else { Handed::Unsaid }
}

fn said(mut stream: UnixStream, envelope: &Envelope) -> Option<()> {
    let mut line = serde_json::to_vec(envelope).ok()?;
    line.push(b'\n');
    stream.set_write_timeout(Some(BUDGET)).ok()?;
    stream.write_all(&line).ok()?;
    stream.set_read_timeout(Some(BUDGET)).ok()?;
    let mut answer = [0; TAKEN.len()];
    stream.read_exact(&mut answer).ok()?; // it comes in one piece, so that this is one wait
    (answer == TAKEN).then_some(())
}
