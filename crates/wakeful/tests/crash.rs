//! F1: the daemon is killed at instrumented points while hooks fire, and comes back. Nothing acknowledged is lost, nothing is
//! applied twice, and every notification rings once, by the notifier's own log.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(debug_assertions)] // released programs have no such points

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use wakeful_core::ids::Digest;
use wakeful_core::time::{Boot, BootId, Millis, Now, Wall};
use wakeful_engine::daemon::{Files, holder};
use wakeful_engine::store::{Pos, Store};

/// Rounds (F1).
const ROUNDS: usize = 200;
/// Sessions of a round; each asks one question.
const SESSIONS: usize = 3;
/// Where the daemon is killed.
const PLACES: [&str; 6] =
    ["before-commit", "after-commit", "after-answer", "after-spool", "before-errand", "after-errand"];
/// Longer than anything takes on a busy machine; whoever waits so long has found a fault.
const PATIENCE: Duration = Duration::from_secs(60);

struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(world.config()).unwrap();
        let settings = format!(
            "[notify.desktop]\nenabled = false\n[notify.command]\nrun = [\"/bin/sh\", \"-c\", \"echo $WAKEFUL_ID >> {}\"]\n",
            world.rung().display()
        );
        std::fs::write(world.config().join("settings.toml"), settings).unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn config(&self) -> PathBuf {
        self.path("config")
    }

    fn state(&self) -> PathBuf {
        self.path("state")
    }

    fn rung(&self) -> PathBuf {
        self.path("rung")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wakeful"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.dir.path())
            .env("PATH", "/usr/bin:/bin")
            .env("TZ", "UTC")
            .env("WAKEFUL_STATE_DIR", self.state())
            .env("WAKEFUL_CONFIG_DIR", self.config())
            .env("WAKEFUL_NO_DAEMON", "1");
        command
    }

    /// The daemon, once it listens. One that is killed before is one, too.
    fn daemon(&self, kill: Option<&str>) -> Child {
        let clock = self.path("clock");
        let mut command = self.command(&["serve", "--clock", clock.to_str().unwrap()]);
        if let Some(kill) = kill {
            command.env("WAKEFUL_TEST_KILL", kill);
        }
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let files = Files::of(&self.state());
        wait_for("a daemon", || {
            child.try_wait().unwrap().is_some() || (holder(&files).is_some() && files.hook_socket().exists())
        });
        child
    }

    fn clock(&self, after: Millis) {
        let now = machine().plus(after);
        let (file, new) = (self.path("clock"), self.path("clock.new"));
        std::fs::write(&new, serde_json::to_vec(&now).unwrap()).unwrap();
        std::fs::rename(new, file).unwrap();
    }

    fn hook(&self, payload: &Value) {
        let mut child = self.command(&["hook", "claude-code"]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        assert!(child.wait().unwrap().success(), "a hook failed");
    }

    fn ask(&self, session: usize) {
        let id = format!("session-{session}");
        self.hook(&json!({"session_id": id, "hook_event_name": "SessionStart", "source": "startup", "cwd": "/shop"}));
        self.hook(&json!({"session_id": id, "hook_event_name": "UserPromptSubmit", "prompt_id": "p", "prompt": format!("build shop {session}")}));
        self.hook(
            &json!({"session_id": id, "hook_event_name": "Stop", "prompt_id": "p", "background_tasks": [],
            "session_crons": [], "last_assistant_message": "Which colour do you want, red or blue?"}),
        );
    }

    fn rings(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.rung()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// The clocks of this machine, as the program reads them.
fn machine() -> Now {
    #[expect(clippy::disallowed_methods, reason = "hooks of this test run on the real clock")]
    let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let boot = clock_gettime(ClockId::Boottime);
    let boot_id = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap();
    Now {
        wall: Wall(i64::try_from(wall.as_millis()).unwrap()),
        boot: Boot(
            u64::try_from(boot.tv_sec).unwrap() * 1000 + u64::try_from(boot.tv_nsec).unwrap() / 1_000_000,
        ),
        boot_id: BootId(Digest::of(boot_id.trim_ascii()).0),
    }
}

#[expect(clippy::disallowed_methods, reason = "waits for an observed event, with a time limit")]
fn wait_for(what: &str, mut happened: impl FnMut() -> bool) {
    let began = Instant::now();
    while !happened() {
        assert!(began.elapsed() < PATIENCE, "no {what} within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What the store says of the turn ends of the round.
fn facts(state: &Path) -> Option<(usize, usize, usize, usize)> {
    let store = Store::read(state).ok()??;
    let open = store.open_errands().ok()?.len();
    let decisions = store.decisions(None, 0, 1000).ok()?.len();
    let lines = store.log(None, Pos(0), 100_000).ok()?;
    let ended = lines.iter().filter(|line| {
        line.stepped
            .as_ref()
            .is_some_and(|stepped| matches!(stepped.event.kind, wakeful_core::event::EventKind::TurnEnded(_)))
    });
    let waiting = store
        .left(wakeful_clients::abilities::abilities)
        .ok()?
        .sessions
        .iter()
        .filter(|kept| kept.session.notices.sent == 0)
        .count();
    Some((open, decisions, ended.count(), waiting))
}

fn round(number: usize) {
    let world = World::new();
    // Ahead of the hooks, which run on the real clock.
    world.clock(Millis::secs(60));
    let place = PLACES[number % PLACES.len()];
    let times = if place.ends_with("errand") { 1 + number / 6 % SESSIONS } else { 1 + number / 6 % 14 };
    let mut daemon = world.daemon(Some(&format!("{place}:{times}")));
    for session in 0..SESSIONS {
        world.ask(session);
    }
    world.clock(Millis::secs(120)); // the settle windows are over
    // Killed at its point, or, where that is never passed, once everything has rung.
    wait_for("end", || daemon.try_wait().unwrap().is_some() || world.rings().len() == SESSIONS);
    let _ = daemon.kill();
    daemon.wait().unwrap();

    world.clock(Millis::secs(180));
    let mut again = world.daemon(None);
    wait_for("rings", || {
        world.rings().len() >= SESSIONS
            && facts(&world.state()).is_some_and(|(open, .., waiting)| open == 0 && waiting == 0)
    });
    let (open, decisions, ended, _) = facts(&world.state()).unwrap();
    let context = format!("round {number}, {place}:{times}");
    assert_eq!((open, decisions, ended), (0, SESSIONS, SESSIONS), "{context}");
    let rings = world.rings();
    let ids: BTreeSet<&String> = rings.iter().collect();
    assert_eq!((rings.len(), ids.len()), (SESSIONS, SESSIONS), "{context}: {rings:?}");
    // And a third start is silent.
    again.kill().unwrap();
    again.wait().unwrap();
    let mut third = world.daemon(None);
    assert_eq!(world.rings(), rings, "{context}");
    third.kill().unwrap();
    third.wait().unwrap();
}

#[test]
fn killed_at_every_point_nothing_is_lost_and_nothing_rings_twice() {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get).min(4);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= ROUNDS {
                        break;
                    }
                    round(number);
                }
            });
        }
    });
    let mut out = std::io::stderr().lock();
    writeln!(out, "F1: {ROUNDS} rounds, killed at {} places", PLACES.len()).unwrap();
}
