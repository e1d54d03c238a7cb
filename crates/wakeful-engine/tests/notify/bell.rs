//! The bell, in a terminal of our own.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use wakeful_engine::notify::channels::bell;
use wakeful_engine::notify::ring::{Did, Skip};

#[test]
fn one_byte_to_the_terminal_of_the_process() {
    let pty = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut reader = pty.master.try_clone_reader().unwrap();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut byte = [0];
        while let Ok(1) = reader.read(&mut byte) {
            if sender.send(byte[0]).is_err() {
                return;
            }
        }
    });
    let next = || receiver.recv_timeout(Duration::from_secs(20)).unwrap();
    // Says something, so that it is known to run in the terminal; and once more behind the bell, to see that it was alone.
    let mut command = CommandBuilder::new("/bin/sh");
    command.args(["-c", "printf a; read line; printf z; exec sleep 600"]);
    let mut child = pty.slave.spawn_command(command).unwrap();
    assert_eq!(next(), b'a');
    assert_eq!(bell::ring(child.process_id()), Did::Rung);
    assert_eq!(next(), 0x07);
    let mut keys = pty.master.take_writer().unwrap();
    std::io::Write::write_all(&mut keys, b"\n").unwrap();
    let rest: Vec<u8> = std::iter::repeat_with(next).take_while(|byte| *byte != b'z').collect();
    assert_eq!(rest, b"\r\n", "the echo of the key, and nothing else");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_process_without_a_terminal() {
    let mut child = Command::new("sleep")
        .arg("600")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(bell::ring(Some(child.id())), Did::Skipped(Skip::NoTerminal));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(bell::ring(Some(child.id())), Did::Skipped(Skip::NoTerminal), "it is gone");
    assert_eq!(bell::ring(None), Did::Skipped(Skip::NoTerminal));
}
