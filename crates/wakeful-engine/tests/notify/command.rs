//! A command of the user's.

use std::time::Duration;

use wakeful_engine::notify::channels::{LIMIT, command};
use wakeful_engine::notify::ring::{Did, Ring};
use wakeful_engine::notify::text::text;
use wakeful_engine::settings::Content;

use crate::world::{ring, silent};

fn of(run: &[&str]) -> Ring {
    let mut settings = silent();
    settings.command.run = run.iter().map(|word| (*word).to_owned()).collect();
    ring(settings)
}

fn rung(ring: &Ring, limit: Duration) -> Did {
    command::ring(ring, &text(ring), limit)
}

/// What a command that prints its part of the environment, its standard input and its arguments has printed.
fn told(change: impl Fn(&mut Ring)) -> String {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("told");
    let script = "{ env | grep '^WAKEFUL_' | sort; echo \"-- $1\"; cat; } >\"$2\"";
    let mut ring = of(&["/bin/sh", "-c", script, "sh", "$(id) *", file.to_str().unwrap()]);
    change(&mut ring);
    assert_eq!(rung(&ring, LIMIT), Did::Rung);
    // What this test itself was told of Wakeful is no word of the ring.
    let inherited =
        |line: &&str| line.split_once('=').is_some_and(|(name, _)| std::env::var_os(name).is_some());
    let printed = std::fs::read_to_string(file).unwrap();
    printed.split_inclusive('\n').filter(|line| !inherited(line)).collect()
}

#[test]
fn it_learns_of_the_ring_and_no_shell_reads_its_arguments() {
    insta::assert_snapshot!(told(|_| {}), @r"
    WAKEFUL_BODY=May I run `deploy --token ***`?
    WAKEFUL_CLIENT=codex
    WAKEFUL_ID=ring-7-1800000000000
    WAKEFUL_PROJECT=orchard
    WAKEFUL_REASON=question
    WAKEFUL_SESSION=orchard
    WAKEFUL_TITLE=orchard: asks a question
    -- $(id) *
    May I run `deploy --token ***`?
    prune the trees
    ");
}

#[test]
fn only_the_name_if_that_is_wanted() {
    let told = told(|ring| {
        ring.settings.content = Content::Name;
        ring.session.name = Some("o\0r".to_owned());
    });
    assert!(told.contains("WAKEFUL_BODY=\n") && told.contains("WAKEFUL_PROJECT=\n"), "{told}");
    assert!(told.contains("WAKEFUL_TITLE=or: asks a question\n") && !told.contains("prune"), "{told}");
}

#[test]
fn how_it_fails_is_said() {
    for (run, why) in [
        (&["/bin/sh", "-c", "exit 3"][..], "exited with 3"),
        (&["/bin/sh", "-c", "kill -9 $$"], "died of signal 9"),
        (&["/nowhere/program"], "there is no such program"),
    ] {
        assert_eq!(rung(&of(run), LIMIT), Did::Failed(why.to_owned()));
    }
    let did = rung(&of(&["/bin/sh", "-c", "sleep 600"]), Duration::from_secs(1));
    assert_eq!(did, Did::Failed("had not ended after 1 s, and was killed".to_owned()));
}
