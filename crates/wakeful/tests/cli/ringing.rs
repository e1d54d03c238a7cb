//! `wakeful ring`: once, whoever is killed and when (F1).

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::sync::mpsc;
use std::time::Duration;

use wakeful_core::causes::Reason;
use wakeful_core::ids::{Client, SessionId, SessionKey};
use wakeful_core::time::{Millis, Now, Wall};
use wakeful_engine::notify::claims::{Standing, look, outcome};
use wakeful_engine::notify::ring::{Ring, RingId, RingSession};
use wakeful_engine::notify::spawn::spawn;
use wakeful_engine::settings::NotifySettings;

use crate::environment::World;
use crate::sandbox::ended;

/// A ring that only runs this script.
fn ring(number: i64, script: &str) -> Ring {
    let mut settings = NotifySettings::default();
    settings.desktop.enabled = false;
    settings.command.run = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
    Ring {
        id: RingId::of_row(number, Wall(0)),
        at: Now::default(),
        session: RingSession {
            key: SessionKey { client: Client::Codex, id: SessionId::new("0198c2f4") },
            name: None,
            project: Some("orchard".to_owned()),
            label: None,
        },
        reason: Reason::Done,
        detail: None,
        pid: None,
        tmux_pane: None,
        settings,
    }
}

/// A child with the ring on its standard input, which is still open.
fn child(state: &Path, ring: &Ring) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wakeful"));
    command
        .arg("ring")
        .env_clear()
        .env("WAKEFUL_STATE_DIR", state)
        .env("PATH", "/usr/bin:/bin")
        .env("TZ", "UTC");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let text = serde_json::to_vec(ring).unwrap();
    child.stdin.as_mut().unwrap().write_all(&text).unwrap();
    child
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn of_several_children_one_rings() {
    let world = World::new();
    let (state, rung) = (world.root().join("state"), world.root().join("rung"));
    let script = format!("echo $WAKEFUL_ID >>'{}'", rung.display());
    for round in 1..=5 {
        let (ring, barrier) = (ring(round, &script), Barrier::new(4));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut child = child(&state, &ring);
                    barrier.wait();
                    drop(child.stdin.take());
                    let output = ended(child);
                    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
                });
            }
        });
        assert_eq!(lines(&rung), usize::try_from(round).unwrap());
        assert_eq!(outcome(&state, &ring.id).unwrap().line(), "command rang");
    }
}

#[test]
fn a_ring_cut_short_is_not_claimed_and_the_next_try_rings() {
    let world = World::new();
    let (state, rung) = (world.root().join("state"), world.root().join("rung"));
    let ring = ring(1, &format!("echo >>'{}'", rung.display()));
    // The daemon was killed while it wrote.
    let text = serde_json::to_vec(&ring).unwrap();
    for end in [0, 1, text.len() / 2, text.len() - 1] {
        let mut command = world.command(["ring"]);
        let mut child = command
            .env("WAKEFUL_STATE_DIR", &state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&text[..end]).unwrap();
        assert_eq!(ended(child).status.code(), Some(2));
        assert_eq!(look(&state, &ring.id, Wall(0)).unwrap(), Standing::Free);
    }
    drop(ended(child(&state, &ring)));
    assert_eq!(lines(&rung), 1);
}

#[test]
fn a_child_that_is_killed_in_the_middle_is_reported_and_not_rung_again() {
    let world = World::new();
    let (state, rung) = (world.root().join("state"), world.root().join("rung"));
    let pipe = world.root().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let ring = ring(1, &format!("echo >>'{}'; echo rings >'{}'; sleep 600", rung.display(), pipe.display()));
    let mut first = child(&state, &ring);
    drop(first.stdin.take());
    assert_eq!(next_line(&pipe), "rings\n");
    first.kill().unwrap();
    first.wait().unwrap();
    drop(ended(child(&state, &ring)));
    assert_eq!(lines(&rung), 1, "it is not rung again");
    let written = std::fs::metadata(state.join("rings").join(ring.id.as_str())).unwrap().modified().unwrap();
    let written = written.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let written = Wall(i64::try_from(written).unwrap());
    assert_eq!(look(&state, &ring.id, written).unwrap(), Standing::UnderWay);
    assert_eq!(look(&state, &ring.id, written.plus(Millis::minutes(2))).unwrap(), Standing::Died);
}

/// What a pipe's writer says, within a time limit.
fn next_line(pipe: &Path) -> String {
    let (sender, receiver) = mpsc::channel();
    let pipe = pipe.to_owned();
    std::thread::spawn(move || {
        let mut line = String::new();
        BufReader::new(std::fs::File::open(pipe).unwrap()).read_line(&mut line).unwrap();
        sender.send(line)
    });
    receiver.recv_timeout(Duration::from_secs(60)).unwrap()
}

/// The parent and its whole process group are killed when the ring has begun: it goes on to its end all the same.
#[test]
fn it_outlives_who_started_it() {
    use std::os::unix::process::CommandExt as _;
    let world = World::new();
    let (state, file) = (world.root().join("state"), world.root().join("ring.json"));
    let (begun, go) = (world.root().join("begun"), world.root().join("go"));
    assert!(Command::new("mkfifo").args([&begun, &go]).status().unwrap().success());
    let ring = ring(1, &format!("echo begun >'{}'; cat '{}'", begun.display(), go.display()));
    std::fs::write(&file, serde_json::to_vec(&ring).unwrap()).unwrap();
    let script = format!("'{}' ring <'{}' & wait", env!("CARGO_BIN_EXE_wakeful"), file.display());
    let mut parent = Command::new("/bin/sh");
    parent.args(["-c", &script]).env("WAKEFUL_STATE_DIR", &state).process_group(0);
    let mut parent = parent.stdout(Stdio::piped()).spawn().unwrap();
    let mut held = parent.stdout.take().unwrap();
    assert_eq!(next_line(&begun), "begun\n");
    let group = format!("-{}", parent.id());
    assert!(Command::new("kill").args(["-9", "--", &group]).status().unwrap().success());
    parent.wait().unwrap();
    assert_eq!(look(&state, &ring.id, Wall(i64::MAX)).unwrap(), Standing::Died, "not yet said");
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        std::fs::write(go, "go").unwrap();
        // The child has the parent's standard output: it is closed when the child has ended.
        sender.send(std::io::copy(&mut held, &mut std::io::sink()).unwrap())
    });
    assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(0));
    assert_eq!(outcome(&state, &ring.id).unwrap().line(), "command rang");
}

#[test]
fn as_the_daemon_starts_it() {
    let world = World::new();
    let (state, rung) = (world.root().join("state"), world.root().join("rung"));
    let mut ring = ring(1, &format!("echo >>'{}'", rung.display()));
    // Longer than a pipe holds: what no channel shows is left out, or this would wait for a child that does not read.
    ring.detail = Some("é".repeat(1_000_000));
    for _ in 0..2 {
        let mut child = spawn(Path::new(env!("CARGO_BIN_EXE_wakeful")), &state, &ring).unwrap();
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(lines(&rung), 1);
    assert!(outcome(&state, &ring.id).unwrap().rang());
    assert!(spawn(Path::new("/nowhere/wakeful"), &state, &ring).is_err());
}

#[test]
fn where_it_cannot_be_claimed_it_does_not_ring() {
    let world = World::new();
    let (state, rung) = (world.file("state", "a file"), world.root().join("rung"));
    let output = ended(child(&state, &ring(1, &format!("echo >>'{}'", rung.display()))));
    assert_eq!((output.status.code(), lines(&rung)), (Some(3), 0));
}
