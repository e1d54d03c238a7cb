//! The terminal is given back by a program that panics: this test binary runs itself in a terminal of its own.

use std::io::Read as _;
use std::sync::mpsc::channel;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::tui::terminal::Screen;

/// Nothing here takes that long; what is not back by then hangs.
const LIMIT: Duration = Duration::from_secs(60);

#[test]
#[ignore = "run by the test below, in a terminal"]
fn panics_on_the_alternate_screen() {
    let mut screen = Screen::enter().unwrap();
    screen.terminal.draw(|frame| frame.render_widget("drawn", frame.area())).unwrap();
    panic!("on purpose");
}

#[test]
fn a_panic_gives_the_terminal_back_and_can_be_read() {
    let pty =
        native_pty_system().openpty(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }).unwrap();
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "tui::tests::restored::panics_on_the_alternate_screen",
        "--ignored",
        "--nocapture",
    ]);
    let before = pty.master.get_termios().unwrap();
    let mut child = pty.slave.spawn_command(command).unwrap();
    let mut reader = pty.master.try_clone_reader().unwrap();
    drop(pty.slave);
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let (mut all, mut bytes) = (Vec::new(), [0; 4096]);
        // The end of a pty is an error on Linux.
        while let Ok(read @ 1..) = reader.read(&mut bytes) {
            all.extend_from_slice(&bytes[..read]);
        }
        sender.send(all)
    });
    let Ok(output) = receiver.recv_timeout(LIMIT) else {
        child.kill().unwrap();
        panic!("still running after {LIMIT:?}");
    };
    assert_ne!(child.wait().unwrap().exit_code(), 0);
    let text = String::from_utf8_lossy(&output);
    let (inside, after) = text.rsplit_once("\u{1b}[?1049l").expect("left the alternate screen");
    assert!(inside.contains("\u{1b}[?1049h") && inside.contains("drawn"), "{text}");
    assert!(after.contains("\u{1b}[?25h") && after.contains("on purpose"), "{text}");
    assert_eq!(pty.master.get_termios().unwrap().local_flags, before.local_flags, "no longer raw");
}
