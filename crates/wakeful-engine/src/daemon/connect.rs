//! Connecting to a socket of the daemon without waiting.

use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::io::{Errno, FdFlags, fcntl_setfd, ioctl_fionbio};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};

/// Connected at once or not at all: a daemon that has stopped taking connections holds nobody up ([`Errno::AGAIN`]). Flags are set
/// one by one, since not every system can set them on opening.
///
/// # Errors
/// What the system says.
pub(crate) fn connect_at_once(path: &Path) -> Result<UnixStream, Errno> {
    let address = SocketAddrUnix::new(path)?;
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    ioctl_fionbio(&socket, true)?;
    match connect(&socket, &address) {
        Ok(()) | Err(Errno::ISCONN) => {}
        Err(error) => return Err(error),
    }
    ioctl_fionbio(&socket, false)?;
    Ok(UnixStream::from(socket))
}
