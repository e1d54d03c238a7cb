//! Does the user look at the session right now? Only tmux says so; whatever is not known for certain is not focused, since a ring too
//! many is better than one too few.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use wakeful_core::time::{Millis, Wall};

use super::ring::Ring;
use super::running::{Ran, run};
use super::terminal;

/// tmux answers from memory.
const LIMIT: Duration = Duration::from_secs(1);
/// Who has touched no key for this long may have gone away: a screen that is locked keeps its focus, and some terminals are thought
/// to report their focus and never do.
const AWAY: Millis = Millis::minutes(5);
/// What is asked of every client: when its user last touched it, its flags, whether tmux asks terminals for their focus at all, what this terminal can do, and the
/// pane that it shows, with that pane's terminal.
const FORMAT: &str =
    "#{client_activity}\t#{client_flags}\t#{focus-events}\t#{client_termfeatures}\t#{pane_id}\t#{pane_tty}";

/// Has the terminal of the session the focus, and is its user there at the wall time `now`?
pub fn is_focused(ring: &Ring, now: Wall) -> bool {
    let (Some(pane), Some(pid)) = (&ring.tmux_pane, ring.pid) else { return false };
    let Some(device) = terminal::of_process(pid) else { return false };
    let mut tmux = Command::new("tmux");
    if let Some(socket) = socket_of(pid) {
        tmux.arg("-S").arg(socket);
    }
    tmux.args(["list-clients", "-F", FORMAT]);
    match run(&mut tmux, b"", true, LIMIT) {
        Ok(Ran::Ended(status, said)) if status.success() => {
            shows(&String::from_utf8_lossy(&said), pane, &device, now)
        }
        _ => false,
    }
}

/// Do these clients say that one of them has the focus and shows this pane? The pane's terminal must be that of the session too:
/// several tmux servers have a pane `%0`.
fn shows(clients: &str, pane: &str, device: &Path, now: Wall) -> bool {
    clients.lines().any(|client| {
        let fields: Vec<&str> = client.split('\t').collect();
        let [touched, flags, events, features, its_pane, tty] = fields[..] else { return false };
        let has = |list: &str, word: &str| list.split(',').any(|given| given == word);
        // A client is born with the flag. Only a terminal that reports its focus, and is asked to, ever takes it away.
        let reports = matches!(events, "on" | "1") && has(features, "focus");
        let touched = touched.parse::<i64>().map(|seconds| Wall(seconds.saturating_mul(1000)));
        let there = touched.is_ok_and(|touched| touched.0.abs_diff(now.0) <= AWAY.0);
        there && has(flags, "focused") && reports && its_pane == pane && Path::new(tty) == device
    })
}

/// The socket of the tmux server that a process runs in: the first part of its `TMUX`.
fn socket_of(pid: u32) -> Option<PathBuf> {
    // Absent on systems without /proc; the default server is asked then.
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    socket_in(&environment)
}

fn socket_in(environment: &[u8]) -> Option<PathBuf> {
    let tmux = environment.split(|byte| *byte == 0).find_map(|line| line.strip_prefix(b"TMUX="))?;
    let socket = std::str::from_utf8(tmux).ok()?.split(',').next()?;
    (!socket.is_empty()).then(|| PathBuf::from(socket))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: &str = "/dev/pts/4";

    fn focused(clients: &[&str]) -> bool {
        shows(&clients.join("\n"), "%3", Path::new(DEVICE), Wall(1_800_000_300_000))
    }

    #[test]
    fn a_focused_client_that_shows_the_pane() {
        let line = "1800000000\tattached,focused,UTF-8\ton\tclipboard,focus,title\t%3\t/dev/pts/4";
        assert!(focused(&[line]));
        assert!(focused(&["1800000000\tattached\ton\tfocus\t%3\t/dev/pts/4", line]), "the second one has it");
        assert!(focused(&[&line.replace("\ton\t", "\t1\t")]));
    }

    #[test]
    fn what_is_not_certain_is_not_focused() {
        let line = "1800000000\tattached,focused\ton\tfocus\t%3\t/dev/pts/4";
        for (why, line) in [
            ("another window is in front", line.replace(",focused", "")),
            ("tmux does not ask", line.replace("\ton\t", "\toff\t")),
            ("the terminal does not say", line.replace("\tfocus\t", "\ttitle\t")),
            ("nobody has touched it", line.replace("1800000000", "1799999999")),
            ("it does not say when", line.replace("1800000000", "")),
            ("another pane", line.replace("%3", "%31")),
            ("a pane of another server", line.replace("pts/4", "pts/5")),
            ("an older tmux leaves a field empty", line.replace("\tfocus\t", "\t\t")),
            ("nonsense", "focused".to_owned()),
            ("nobody", String::new()),
        ] {
            assert!(!focused(&[&line]), "{why}");
        }
    }

    #[test]
    fn the_server_of_the_session_is_asked() {
        let environment = b"A=1\0TMUX_PANE=%3\0TMUX=/tmp/tmux-1000/work,412,0\0B=2\0";
        assert_eq!(socket_in(environment), Some(PathBuf::from("/tmp/tmux-1000/work")));
        assert_eq!(socket_in(b"TMUX=\0XTMUX=/a"), None);
    }
}
