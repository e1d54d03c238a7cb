//! F5: a disk without room, a spool with damage, clocks that are wrong.

use std::io::Write as _;

use wakeful_core::settings::{MatchMode, Settings};
use wakeful_core::time::{Millis, Now, Wall};
use wakeful_engine::engine::{EngineSettings, Input, IntakeError, Outcome};
use wakeful_engine::store::StoreError;

use super::chance::Chance;
use super::random::tales;
use super::replayed;
use super::rig::Rig;
use super::tale::{Happening, Tale};

/// Pages enough for everything here.
const ROOM: u32 = 1_000_000;

/// Without room nothing is taken: the sessions stand as before, nothing rings. With room again the same goes through, and all is as
/// if nothing had been.
#[test]
fn a_full_disk_changes_nothing() {
    let mut failures = 0;
    for seed in 0..6 {
        let (mut rig, mut even) = (Rig::new(true), Rig::new(true));
        let (mut tales, mut chance) = (tales(4), Chance::new(seed));
        for at in 0..120 {
            let what = {
                let now = rig.now;
                let who = usize::try_from(chance.below(4)).unwrap();
                tales[who].next(now, &mut chance)
            };
            if at % 10 == 9 && matches!(what, Happening::Hook(_)) {
                failures += usize::from(without_room(&mut rig, &what));
                rig.last = None;
            }
            rig.happen(what.clone());
            even.happen(what);
            let pause = Millis(chance.below(300_000));
            rig.pass(pause);
            even.pass(pause);
        }
        assert_eq!(rig.sessions(), even.sessions());
        assert_eq!((rig.bells, rig.messages), (even.bells, even.messages));
        replayed::compare(&mut rig);
    }
    eprintln!("{failures} batches without room");
    assert!(failures > 10, "{failures}");
}

/// Takes this until there is no room for it: many deliveries of it at once, none of which may stay.
fn without_room(rig: &mut Rig, what: &Happening) -> bool {
    let Happening::Hook(payload) = what else { return false };
    let before = rig.sessions();
    rig.engine().store().limit_pages(1).unwrap();
    let large = payload.replacen('{', &format!("{{\"pad\": \"{}\", ", "x".repeat(9_000)), 1);
    let mut inputs: Vec<Input> = (0..200).map(|_| Input::Hook(Box::new(rig.envelope(&large)))).collect();
    let core = Settings { auto_check_in: true, ..Settings::default() };
    inputs.push(Input::Settings(Box::new(EngineSettings { core, match_mode: MatchMode::Full })));
    let (now, settings) = (rig.now, rig.engine().settings().clone());
    let failed = rig.engine().take(now, inputs);
    rig.engine().store().limit_pages(ROOM).unwrap();
    assert_eq!(*rig.engine().settings(), settings);
    let error = failed.unwrap_err();
    assert!(error.is_no_room() && !error.is_damage(), "{error}");
    assert_eq!(rig.sessions(), before);
    true
}

/// The spool too is taken whole in the end, each event once, however often the disk was full on the way.
#[test]
fn the_spool_waits_for_room() {
    let mut rig = Rig::new(true);
    rig.kill();
    let mut tales = tales(3);
    for turn in 0..220 {
        for tale in &mut tales {
            for what in [tale.prompt(&format!("turn {turn}")), tale.stop("Which of the two?")] {
                rig.happen(what);
                rig.now = rig.now.plus(Millis::secs(2));
            }
        }
    }
    rig.start_without_spool();
    let (now, spool) = (rig.now, rig.spool());
    rig.engine().store().limit_pages(60).unwrap();
    let failed = rig.engine().take_spool(now, spool.dir()).unwrap_err();
    assert!(matches!(failed, IntakeError::Store(ref error) if error.is_no_room()), "{failed}");
    rig.engine().store().limit_pages(ROOM).unwrap();
    let intake = rig.engine().take_spool(now, spool.dir()).unwrap();
    assert!(intake.taken > 0 && intake.taken <= 1320, "{}", intake.taken);
    let turns: Vec<u64> = rig.sessions().values().map(|session| u64::from(session.turns.count)).collect();
    assert_eq!(turns, [220; 3]);
    let again = rig.engine().take_spool(now, spool.dir()).unwrap();
    assert_eq!((again.taken, again.changed.len()), (0, 0));
}

/// Lines that are torn, foreign, of another version, or whose payload is lost, cost themselves only.
#[test]
fn a_damaged_spool_costs_what_is_damaged() {
    let mut rig = Rig::new(true);
    rig.kill();
    let mut tale = Tale::new(1);
    rig.happen(tale.prompt("go"));
    let file = std::fs::read_dir(rig.spool().dir()).unwrap().next().unwrap().unwrap().path();
    let append = |bytes: &[u8]| {
        std::fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(bytes).unwrap();
    };
    append(b"\0\0\0\0\xff\xfe\n{\"v\":1}\n{\"v\":99,\"new\":true}\n[]\nnot json\n\n");
    let lost = rig.envelope("no json");
    rig.spool().append(&lost, true).unwrap();
    rig.now = rig.now.plus(Millis::secs(3));
    rig.happen(tale.stop("Which of the two?"));
    let torn = serde_json::to_vec(&rig.last.clone().unwrap()).unwrap();
    append(&torn[..40]);
    rig.start_without_spool();
    let (now, spool) = (rig.now, rig.spool());
    let intake = rig.engine().take_spool(now, spool.dir()).unwrap();
    let skipped = intake.skipped;
    assert_eq!((skipped.damaged, skipped.other_version, skipped.lost), (4, 1, 1));
    assert_eq!(rig.sessions().values().next().unwrap().status().name(), "needs_you");
    // The torn line is another writer's until it has its end; then it is one more delivery of what is known.
    append(&[&torn[40..], b"\n"].concat());
    let intake = rig.engine().take_spool(now, spool.dir()).unwrap();
    assert_eq!((intake.taken, intake.changed.len(), intake.skipped.damaged), (0, 0, 0));
}

/// The wall clock is years off in both directions: hooks are taken in the order in which they started, and timers fire once.
#[test]
fn wild_clocks() {
    const YEARS: i64 = 20 * 365 * 24 * 3_600_000;
    for by in [YEARS, -YEARS] {
        let (mut rig, mut tale) = (Rig::new(true), Tale::new(1));
        for what in [tale.start("startup"), tale.prompt("go"), tale.task()] {
            rig.happen(what);
            rig.pass(Millis::secs(1));
        }
        rig.step_clock(by);
        rig.happen(tale.stop("On it."));
        rig.kill();
        rig.step_clock(-by);
        rig.pass(Millis::minutes(10));
        rig.start();
        assert_eq!(status(&mut rig), "waiting");
        rig.step_clock(by);
        rig.pass(Millis::minutes(19));
        assert_eq!(status(&mut rig), "waiting");
        rig.pass(Millis::minutes(2));
        assert_eq!((status(&mut rig), rig.bells), ("needs_you", 1));
        rig.step_clock(-by);
        rig.pass(Millis::minutes(600));
        assert_eq!(rig.bells, 1);
        rig.count_firings();
        replayed::compare(&mut rig);
    }
}

fn status(rig: &mut Rig) -> &'static str {
    rig.sessions().values().next().unwrap().status().name()
}

/// A hook whose clock shows the future, and one of a boot that nobody has seen, are taken as of now.
#[test]
fn hooks_with_impossible_times_are_taken() {
    let (mut rig, mut tale) = (Rig::new(true), Tale::new(1));
    for (what, change) in [
        (tale.prompt("go"), (|at: Now| at.plus(Millis::minutes(60_000))) as fn(Now) -> Now),
        (tale.stop("Which of the two?"), |mut at: Now| {
            (at.boot_id.0, at.boot.0, at.wall) = (99, u64::MAX, Wall(i64::MIN));
            at
        }),
    ] {
        let Happening::Hook(payload) = what else { panic!() };
        let mut envelope = rig.envelope(&payload);
        envelope.at = change(envelope.at);
        let took = rig.take(vec![Input::Hook(Box::new(envelope))]);
        assert_eq!(took.outcomes, [Outcome::Taken]);
        rig.pass(Millis::secs(5));
    }
    assert_eq!((status(&mut rig), rig.bells), ("needs_you", 1));
    replayed::compare(&mut rig);
}

/// A folder that cannot be written is an error that says so, and no damage.
#[test]
fn a_file_in_the_place_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    std::fs::write(&state, "").unwrap();
    let error = wakeful_engine::store::Store::open(&state).err().unwrap();
    assert!(matches!(error, StoreError::File { .. }) && !error.is_damage(), "{error}");
}
