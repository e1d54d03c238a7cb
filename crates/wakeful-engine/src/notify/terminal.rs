//! The terminal that a process runs in.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// The terminal of a process of this user: its device. `None` without one, and where that cannot be known.
#[cfg(target_os = "linux")]
pub fn of_process(pid: u32) -> Option<PathBuf> {
    let process = PathBuf::from(format!("/proc/{pid}"));
    if std::fs::metadata(&process).ok()?.uid() != rustix::process::getuid().as_raw() {
        return None;
    }
    (0..=2).find_map(|n| {
        let device = std::fs::read_link(process.join(format!("fd/{n}"))).ok()?;
        is_terminal_name(&device).then_some(device)
    })
}

/// The terminal of a process of this user: its device. `None` without one, and where that cannot be known.
#[cfg(not(target_os = "linux"))]
pub fn of_process(pid: u32) -> Option<PathBuf> {
    use super::running::{Ran, run};
    let mut ps = std::process::Command::new("ps");
    ps.args(["-o", "tty=", "-p", &pid.to_string()]);
    let Ok(Ran::Ended(status, said)) = run(&mut ps, b"", true, std::time::Duration::from_secs(1)) else {
        return None;
    };
    let name = String::from_utf8(said).ok().filter(|_| status.success())?;
    let device = Path::new("/dev").join(name.trim());
    is_terminal_name(&device).then_some(device)
}

/// Names of terminal devices: `/dev/pts/3`, `/dev/tty1`, `/dev/ttys003`. `/dev/tty` is everyone's own.
fn is_terminal_name(device: &Path) -> bool {
    let Some(name) = device.to_str() else { return false };
    let after = |prefix: &str| {
        let rest = name.strip_prefix(prefix)?;
        Some(!rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    after("/dev/pts/").or_else(|| after("/dev/tty")).unwrap_or(false)
}

/// Opens a terminal for writing: never becomes its own, never waits for it, and only one that belongs to this user.
///
/// # Errors
/// When it is gone, belongs to someone else, or is no terminal.
pub fn open(device: &Path) -> io::Result<File> {
    let flags = OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    let file = options.open(device)?;
    let meta = file.metadata()?;
    let ours = meta.uid() == rustix::process::getuid().as_raw();
    if !meta.file_type().is_char_device() || !ours || !rustix::termios::isatty(&file) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "no terminal of this user"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["/dev/pts/0", "/dev/pts/117", "/dev/tty1", "/dev/ttys003", "/dev/ttyS0"] {
            assert!(is_terminal_name(Path::new(name)), "{name}");
        }
        for name in [
            "/dev/tty",
            "/dev/null",
            "/dev/pts/",
            "/dev/pts/../null",
            "pipe:[1]",
            "/tmp/x",
            "/dev/pts/0 (deleted)",
        ] {
            assert!(!is_terminal_name(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn what_is_no_terminal_is_not_written_to() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(open(file.path()).is_err());
        assert!(open(Path::new("/dev/null")).is_err());
        assert!(open(Path::new("/nowhere")).is_err());
    }
}
