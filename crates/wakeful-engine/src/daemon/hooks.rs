//! Where hooks hand events over: one connection an event, one line in, one word out.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

use super::handle::Handle;
use crate::spool::{Envelope, VERSION};

/// Bytes. No envelope is longer after all its cuts.
const LONGEST: u64 = 16 * 1024 * 1024;
/// A hook writes its line at once.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a hook is told once its event is in the log.
pub(super) const TAKEN: &[u8] = b"ok\n";

/// Takes connections until the listener fails for good.
pub(super) async fn listen(listener: UnixListener, handle: Handle) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) if own(&stream) => {
                let handle = handle.clone();
                tokio::spawn(async move {
                    // A hook that breaks off, or says nonsense, gets no answer; it has the spool.
                    let _ = timeout(PATIENCE, serve(stream, handle)).await;
                });
            }
            Ok(_) => {} // somebody else's process: the folder should not have let it in
            // Too many open files: those that are open end within their patience.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Does the other end run as this user?
pub(crate) fn own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::getuid().as_raw())
}

async fn serve(stream: UnixStream, handle: Handle) -> Option<()> {
    let (read, mut write) = stream.into_split();
    let mut line = Vec::new();
    BufReader::new(read.take(LONGEST)).read_until(b'\n', &mut line).await.ok()?;
    let envelope: Envelope = serde_json::from_slice(&line).ok()?;
    if envelope.v != VERSION {
        return None;
    }
    handle.hook(envelope).await.ok()?;
    write.write_all(TAKEN).await.ok()
}
