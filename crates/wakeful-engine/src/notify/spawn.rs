//! Starts the child that rings. It lives on when the daemon is killed.
//!
//! What the daemon does with a row of its outbox that is to ring:
//! 1. [`claims::look`](super::claims::look). `Ended`: strike the row out with the outcome's line. `Died`: strike it out and say so.
//!    `UnderWay`: look again later.
//! 2. `Free`: [`spawn`] with [`RingId::of_row`](super::ring::RingId::of_row), wait for the child, look again. A child that ended and left
//!    the claim free could not make it (exit code 3: the disk) or could not read the ring (2).
//! 3. After a restart: the same for every row that is not struck out. However often that happens, it rings once.
//! 4. Now and then: [`claims::sweep`](super::claims::sweep).

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::ring::Ring;

/// Characters of a detail that go to the child: more than any channel shows. Keeps what is written below what a pipe holds.
const DETAIL: usize = 4000;

/// This very program. On Linux also when its file has been replaced since: the child then is of the same version.
///
/// # Errors
/// When the system does not say.
pub fn this_program() -> io::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && own.exists() { Ok(own.to_owned()) } else { std::env::current_exe() }
}

/// Starts `program ring` and hands it the ring. The child leaves this process's session by itself before it claims anything. It ends
/// within some seconds and must be waited for, or it stays as a zombie.
///
/// # Errors
/// When it cannot be started, or has ended before it had read the ring. Whether it rang then, its claim tells.
pub fn spawn(program: &Path, state: &Path, ring: &Ring) -> io::Result<Child> {
    let mut ring = ring.clone();
    if let Some(detail) = &mut ring.detail
        && let Some((end, _)) = detail.char_indices().nth(DETAIL)
    {
        detail.truncate(end);
    }
    let text = serde_json::to_vec(&ring)?;
    let mut command = Command::new(program);
    command.arg("ring").env("WAKEFUL_STATE_DIR", state);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let written = child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(&text));
    if let Err(error) = written {
        // It cannot have a whole ring, so it does nothing and ends.
        let _ = child.wait();
        return Err(error);
    }
    Ok(child)
}
