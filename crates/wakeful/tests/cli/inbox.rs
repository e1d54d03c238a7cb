//! `wakeful` without a command, on a real terminal and without one.

use std::io::{Read as _, Write};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::{Value, json};
use vt100::Parser;

use crate::sandbox::{LIMIT, Sandbox, finish, stdout};

/// A home with two sessions that really run now: one asks, and one has a subagent to wait for.
fn home() -> Sandbox {
    let home = Sandbox::new();
    let task = json!({"id": "b1", "type": "subagent", "status": "running", "description": "review the cart"});
    told(
        &home,
        &json!({"session_id": "77aa", "hook_event_name": "SessionStart", "source": "startup", "cwd": "/home/eve/shop"}),
    );
    told(&home, &prompt("77aa", "p1", "review what is there"));
    told(&home, &stop("77aa", "p1", "The review runs. I'll go on when it reports back.", &[task]));
    told(
        &home,
        &json!({"session_id": "88bb", "hook_event_name": "SessionStart", "source": "startup", "cwd": "/home/eve/blog"}),
    );
    told(&home, &prompt("88bb", "p2", "write about carts"));
    told(&home, &stop("88bb", "p2", "There are two drafts. Which one shall I publish?", &[]));
    home
}

fn prompt(id: &str, turn: &str, text: &str) -> Value {
    json!({"session_id": id, "hook_event_name": "UserPromptSubmit", "prompt_id": turn, "prompt": text})
}

fn stop(id: &str, turn: &str, said: &str, tasks: &[Value]) -> Value {
    json!({"session_id": id, "hook_event_name": "Stop", "prompt_id": turn, "stop_hook_active": false,
        "last_assistant_message": said, "background_tasks": tasks, "session_crons": []})
}

fn told(home: &Sandbox, payload: &Value) {
    let mut command = home.wakeful(&["hook", "claude-code"]);
    command.env("CLAUDE_PID", std::process::id().to_string());
    assert_eq!(finish(command, payload.to_string().as_bytes()).status.code(), Some(0));
}

/// The program in a terminal.
struct Inside {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    screen: Parser,
}

impl Inside {
    fn start(home: &Sandbox, columns: u16, rows: u16) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_wakeful"));
        command.env_clear();
        command.env("HOME", home.home());
        command.env("TZ", "UTC");
        command.env("TERM", "xterm-256color");
        command.env("WAKEFUL_NO_DAEMON", "1");
        command.cwd(home.home());
        let child = pty.slave.spawn_command(command).unwrap();
        let mut reader = pty.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = pty.master.take_writer().unwrap();
        Self { master: pty.master, keys, child, output, screen: Parser::new(rows, columns, 0) }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn signal(&self, signal: &str) {
        let id = self.child.process_id().unwrap().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
    }

    /// Waits until the screen is as it must be.
    fn until(&mut self, what: &str, reached: impl Fn(&vt100::Screen) -> bool) {
        #[expect(
            clippy::disallowed_methods,
            reason = "an inbox redraws for ever; the whole wait has a limit"
        )]
        let (now, began) = (std::time::Instant::now, std::time::Instant::now());
        while !reached(self.screen.screen()) {
            match self.output.recv_timeout(LIMIT.saturating_sub(now() - began)) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    let _ = self.child.kill();
                    panic!("not seen: {what}\n{}", self.screen.screen().contents());
                }
            }
        }
    }

    fn shows(&mut self, text: &str) {
        self.until(text, |screen| screen.contents().contains(text));
    }

    /// Waits for the end; the exit code.
    fn ended(&mut self) -> u32 {
        self.until("the end", |screen| !screen.alternate_screen());
        let mut killer = self.child.clone_killer();
        let (sender, ended) = channel::<()>();
        let watch = std::thread::spawn(move || {
            if ended.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                let _ = killer.kill();
            }
        });
        let status = self.child.wait().unwrap();
        drop(sender);
        watch.join().unwrap();
        // What the program wrote last.
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(50)) {
            self.screen.process(&bytes);
        }
        status.exit_code()
    }

    fn is_restored(&self) {
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        let flags = self.master.get_termios().unwrap().local_flags;
        // No longer raw: lines are edited, and echoed.
        let cooked = format!("{flags:?}");
        assert!(cooked.contains("ICANON") && cooked.contains("ECHO"), "{cooked}");
    }
}

#[test]
fn a_walk_through_the_inbox() {
    let home = home();
    let mut inside = Inside::start(&home, 120, 36);
    inside.shows("1 needs you, 1 waiting");
    inside.shows("Which one shall I publish?");
    assert!(inside.screen.screen().alternate_screen() && inside.screen.screen().hide_cursor());
    inside.press("j\r");
    inside.shows("[⏱ Auto-waited]");
    inside.press("w");
    inside.shows("It was kept out of your inbox");
    inside.press("\x1b");
    inside.until("the explanation is closed", |screen| !screen.contents().contains("kept out of your inbox"));
    inside.press("K");
    inside.shows("WAKEFUL_NO_DAEMON");
    // The list is live.
    told(&home, &prompt("88bb", "p3", "the second one"));
    inside.shows("0 need you, 1 waiting, 1 working");
    inside.press("q");
    assert_eq!(inside.ended(), 0);
    inside.is_restored();
}

#[test]
fn another_size_is_another_screen() {
    let home = home();
    let mut inside = Inside::start(&home, 120, 36);
    inside.shows("Last decision");
    let size = PtySize { rows: 14, cols: 44, pixel_width: 0, pixel_height: 0 };
    inside.screen.screen_mut().set_size(14, 44);
    inside.master.resize(size).unwrap();
    inside.until("the list alone, in the new width", |screen| {
        // The last row is the new one's: a screen that is only cut off has its foot elsewhere.
        let foot = screen.rows(0, 44).nth(13).unwrap_or_default();
        foot.contains("? help") && !screen.contents().contains("Last decision")
    });
    inside.press("\r");
    inside.shows("NEEDS YOU");
    inside.press("\x03");
    assert_eq!(inside.ended(), 0);
    inside.is_restored();
}

#[test]
fn a_signal_ends_it_and_the_terminal_is_given_back() {
    let home = home();
    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        let mut inside = Inside::start(&home, 80, 24);
        inside.shows("Which one shall I publish?");
        let id = inside.child.process_id().unwrap().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
        assert_eq!(inside.ended(), code, "{signal}");
        inside.is_restored();
    }
}

#[test]
fn who_is_continued_takes_the_terminal_again() {
    let home = home();
    let mut inside = Inside::start(&home, 80, 24);
    inside.shows("Which one shall I publish?");
    inside.signal("STOP");
    // What the shell has made of the screen meanwhile.
    inside.screen.process(b"\x1bc$ fg\r\n");
    inside.signal("CONT");
    inside.shows("Which one shall I publish?");
    assert!(inside.screen.screen().alternate_screen());
    inside.screen.process(b"\x1b[2J\x1b[Hsome other program wrote this");
    inside.press("\x0c");
    inside.shows("Which one shall I publish?");
    inside.until("nothing of the other", |screen| !screen.contents().contains("some other program"));
    inside.press("q");
    assert_eq!(inside.ended(), 0);
    inside.is_restored();
}

#[test]
fn a_wrong_decision_becomes_a_label() {
    let home = home();
    let mut inside = Inside::start(&home, 80, 24);
    inside.shows("Which one shall I publish?");
    inside.press("x");
    inside.shows("what was right?");
    inside.press("w");
    inside.shows("labelled: it only waited");
    inside.press("q");
    assert_eq!(inside.ended(), 0);
    let text = std::fs::read_to_string(home.home().join(".local/state/wakeful/labels.jsonl")).unwrap();
    let label: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&label["truth"], &label["key"]), (&"waits".into(), &"w".into()));
    assert!(label["turn_end"].as_str().unwrap().starts_with("claude-code/88bb/1/"), "{label}");
    assert_eq!(label["message"], "There are two drafts. Which one shall I publish?");
}

#[test]
fn without_a_terminal_it_is_the_list() {
    let home = home();
    let output = finish(home.wakeful(&[]), b"");
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.starts_with("Needs you (1)\n") && text.contains("Which one shall I publish?"), "{text}");
    assert!(!text.contains('\x1b'));
}

#[test]
fn colours_follow_the_option() {
    let home = home();
    let text = |args: &[&str]| stdout(&finish(home.wakeful(args), b""));
    assert!(text(&["--color", "always"]).contains("\x1b[1mNeeds you"));
    assert!(text(&["list", "--color=always"]).contains("\x1b[1mNeeds you"));
    assert!(!text(&["--color", "never"]).contains('\x1b'));
    let output = finish(home.wakeful(&["--color", "pink"]), b"");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn it_ends_with_its_terminal() {
    let home = home();
    let Inside { master, keys, mut child, output, screen } = {
        let mut inside = Inside::start(&home, 80, 24);
        inside.shows("Which one shall I publish?");
        inside
    };
    drop((master, keys, output, screen));
    let mut killer = child.clone_killer();
    let (sender, ended) = channel::<()>();
    let watch = std::thread::spawn(move || {
        let late = ended.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout);
        if late {
            let _ = killer.kill();
        }
        late
    });
    child.wait().unwrap();
    drop(sender);
    assert!(!watch.join().unwrap(), "it outlived its terminal");
}
