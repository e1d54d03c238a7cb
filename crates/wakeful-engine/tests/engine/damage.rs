//! Damaged snapshots, checkpoints and files; files of other versions; what retention leaves.

use std::path::PathBuf;

use rusqlite::Connection;
use wakeful_core::event::UserAction;
use wakeful_core::settings::{Minutes, Settings};
use wakeful_core::time::Millis;
use wakeful_engine::engine::{Engine, EngineSettings, Input};
use wakeful_engine::store::{FILE_NAME, Keep, Pos, Store, StoreError, VERSION};

use super::chance::Chance;
use super::random::tales;
use super::replayed;
use super::rig::{NINE, Rig, apt, senses};
use super::tale::{Happening, Tale};

/// Some hours of a few sessions, on a disk.
fn some_hours(seed: u64, events: u64) -> Rig {
    let (mut rig, mut tales, mut chance) = (Rig::new(true), tales(5), Chance::new(seed));
    for at in 0..events {
        let what = {
            let now = rig.now;
            let who = *chance.of(&[0_usize, 1, 2, 3, 4]);
            tales[who].next(now, &mut chance)
        };
        rig.happen(what);
        rig.pass(Millis(chance.below(120_000)));
        if at % 100 == 50 {
            let auto_wait = Minutes(5 + u16::try_from(chance.below(60)).unwrap());
            rig.configure(&Settings { auto_wait, auto_check_in: true, ..Settings::default() });
        }
    }
    rig
}

fn file(rig: &Rig) -> PathBuf {
    rig.folder.path().join(FILE_NAME)
}

/// Kills it, does this to the file, and gives what is read from it then.
fn damaged(rig: &mut Rig, sql: &str) -> wakeful_engine::store::Left {
    rig.kill();
    Connection::open(file(rig)).unwrap().execute_batch(sql).unwrap();
    rig.store().left(apt).unwrap()
}

/// A damaged snapshot is made anew from the last good one, or from the whole record, and is what it was.
#[test]
fn damaged_snapshots_are_made_anew() {
    let harms = [
        "UPDATE snapshots SET body = replace(body, '1', '2') WHERE session LIKE '%s1'",
        "UPDATE snapshots SET sum = sum + 1",
        "UPDATE snapshots SET body = CAST(x'ff00fe' AS TEXT)",
        "UPDATE snapshots SET body = ''; UPDATE checkpoints SET body = '{' WHERE session LIKE '%s2'",
        "UPDATE snapshots SET body = '{}'; UPDATE checkpoints SET sum = 0",
    ];
    let mut repaired = 0;
    for (seed, harm) in (0..).zip(harms) {
        let mut rig = some_hours(seed, 300);
        let live = rig.sessions();
        let left = damaged(&mut rig, harm);
        assert!(!left.repairs.is_empty(), "{harm}");
        assert!(left.repairs.iter().all(|repair| repair.lost == 0), "{:?}", left.repairs);
        repaired += left.repairs.len();
        let kept: std::collections::BTreeMap<_, _> =
            left.sessions.into_iter().map(|kept| (kept.session.key.clone(), kept.session)).collect();
        assert_eq!(kept, live, "{harm}");
    }
    eprintln!("{repaired} sessions repaired");
}

/// Lines of the log that are damaged too are counted as lost, and the rest is read.
#[test]
fn what_cannot_be_read_is_said() {
    let mut rig = some_hours(9, 100);
    let sessions = rig.sessions().len();
    let left = damaged(
        &mut rig,
        "UPDATE snapshots SET body = ''; UPDATE checkpoints SET body = '';
         UPDATE log SET body = 'gone' WHERE pos % 10 = 0 AND session IS NOT NULL",
    );
    assert_eq!((left.sessions.len(), left.repairs.len()), (sessions, sessions));
    assert!(left.repairs.iter().map(|repair| repair.lost).sum::<usize>() >= 8);
    let (mut engine, repairs) = Engine::open(rig.store(), senses(), rig.now).unwrap();
    assert_eq!(repairs.len(), sessions);
    engine.take(rig.now, Vec::new()).unwrap();
}

/// Retention takes nothing away that a repair needs, and of an ended session everything.
#[test]
fn retention_never_breaks_a_repair() {
    for seed in 20..24 {
        let mut rig = some_hours(seed, 500);
        let mut over = Tale::new(77);
        for what in [over.start("startup"), over.prompt("go"), over.stop("It is finished.")] {
            rig.happen(what);
        }
        let ended = over.key.clone();
        rig.happen(over.end());
        rig.pass(Millis::minutes(2));
        let (now, keep) = (rig.now, Keep { age: Millis::minutes(1), bytes: u64::MAX });
        let pruned = rig.engine().tidy(now, keep).unwrap();
        assert!(pruned.lines > 100 && pruned.sessions.contains(&ended), "{pruned:?}");
        let live = rig.sessions();
        assert!(!live.contains_key(&ended));
        let left = damaged(&mut rig, "UPDATE snapshots SET body = 'x'");
        assert_eq!(left.repairs.len(), live.len());
        assert!(left.repairs.iter().all(|repair| repair.from.is_some()));
        let kept: std::collections::BTreeMap<_, _> =
            left.sessions.into_iter().map(|kept| (kept.session.key.clone(), kept.session)).collect();
        assert_eq!(kept, live);
        // And the same delivery is still known.
        rig.start_repaired();
        let last = rig.last.clone().unwrap();
        let took = rig.take(vec![Input::Hook(Box::new(last))]);
        assert_eq!(took.outcomes, [wakeful_engine::engine::Outcome::Again]);
    }
}

/// The size counts too: what is oldest goes first, and the sessions stay as they are.
#[test]
fn a_large_record_is_cut() {
    let mut rig = some_hours(30, 600);
    let live = rig.sessions();
    let (now, keep) = (rig.now, Keep { age: Millis::minutes(1_000_000), bytes: 100_000 });
    let mut lines = 0;
    for _ in 0..8 {
        lines += rig.engine().tidy(now, keep).unwrap().lines;
    }
    assert!(lines > 100, "{lines}");
    for (key, session) in rig.sessions() {
        assert_eq!(live.get(&key), Some(&session));
    }
}

/// A file that is no database, or half of one, is said to be damaged, and can be put aside.
#[test]
fn a_damaged_file_is_told_from_other_failures() {
    let harms: [fn(Vec<u8>) -> Vec<u8>; 3] = [
        |_| b"this is no database, whatever its name says; and it is long enough to be asked".to_vec(),
        |bytes| bytes.iter().map(|byte| byte ^ 0x55).collect(),
        |mut bytes| {
            bytes[4096..].fill(0xa5);
            bytes
        },
    ];
    for harm in harms {
        let mut rig = some_hours(40, 60);
        rig.kill();
        // Everything into the one file.
        Connection::open(file(&rig)).unwrap().pragma_update(None, "journal_mode", "DELETE").unwrap();
        std::fs::write(file(&rig), harm(std::fs::read(file(&rig)).unwrap())).unwrap();
        let opened =
            Store::open(rig.folder.path()).and_then(|store| Engine::open(store, senses(), rig.now).map(drop));
        let error = opened.unwrap_err();
        assert!(error.is_damage() && !error.is_no_room(), "{error}");
        let aside = Store::put_aside(rig.folder.path(), rig.now).unwrap();
        assert!(aside.exists());
        let left = Store::open(rig.folder.path()).unwrap().left(apt).unwrap();
        assert_eq!((left.sessions.len(), left.now), (0, None));
    }
}

/// A file of a newer version is refused, and stays as it is.
#[test]
fn a_newer_file_is_refused() {
    let mut rig = some_hours(50, 20);
    rig.kill();
    let newer = VERSION + 1;
    let db = Connection::open(file(&rig)).unwrap();
    db.pragma_update(None, "journal_mode", "DELETE").unwrap();
    db.pragma_update(None, "user_version", newer).unwrap();
    drop(db);
    let bytes = std::fs::read(file(&rig)).unwrap();
    for opened in [Store::open(rig.folder.path()).err(), Store::read(rig.folder.path()).err()] {
        let error = opened.unwrap();
        assert!(
            matches!(error, StoreError::Newer { found, ours, .. } if (found, ours) == (newer, VERSION)),
            "{error}"
        );
        assert!(!error.is_damage());
    }
    assert_eq!(std::fs::read(file(&rig)).unwrap(), bytes);
}

const SAMPLE: &str = include_str!("store_v1.sql");

/// A store of version 1 as its program left it: three sessions, of which one waits, one asks, and one has ended.
#[test]
fn the_sample_of_version_1_is_read() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join(FILE_NAME)).unwrap().execute_batch(SAMPLE).unwrap();
    let store = Store::open(folder.path()).unwrap();
    let left = store.left(apt).unwrap();
    assert!(left.repairs.is_empty());
    let shown: Vec<_> = left.sessions.iter().map(|kept| kept.session.status().name()).collect();
    assert_eq!(shown, ["waiting", "needs_you", "ended"]);
    assert_eq!(left.settings.unwrap().auto_wait, Minutes(45));
    assert_eq!(store.decisions(None, 0, 100).unwrap().len(), 3);
    assert!(store.log(None, Pos(0), 1000).unwrap().iter().filter(|row| row.stepped.is_none()).count() == 1);
    let (mut engine, _) = Engine::open(store, senses(), NINE.plus(Millis::minutes(10))).unwrap();
    let took = engine.take(NINE.plus(Millis::minutes(60)), Vec::new()).unwrap();
    assert_eq!(took.changed.len(), 1, "the cap of the one that waits is due");
}

/// Today's program makes the tables of the sample. With the next version this becomes a test of the way there.
#[test]
fn the_sample_has_the_tables_of_today() {
    let tables = |db: &Connection| -> Vec<String> {
        let mut all = db
            .prepare(
                "SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY name",
            )
            .unwrap();
        let rows = all.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(|sql| sql.unwrap().split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let sample = Connection::open(old.path().join(FILE_NAME)).unwrap();
    sample.execute_batch(SAMPLE).unwrap();
    drop(Store::open(new.path()).unwrap());
    assert_eq!(tables(&sample), tables(&Connection::open(new.path().join(FILE_NAME)).unwrap()));
}

/// Writes the database that the sample was made of; its path is printed.
#[test]
#[ignore = "makes a new sample; see the note in store_v1.sql"]
fn make_the_sample() {
    let mut rig = Rig::new(true);
    rig.configure(&Settings { auto_wait: Minutes(45), ..Settings::default() });
    let (mut waits, mut asks, mut over) = (Tale::new(1), Tale::new(2), Tale::new(3));
    for tale in [&mut waits, &mut asks, &mut over] {
        let start = tale.start("startup");
        rig.happen(start);
        rig.pass(Millis::secs(1));
        let prompt = tale.prompt("pick the plums");
        rig.happen(prompt);
        rig.pass(Millis::secs(1));
    }
    for what in
        [waits.task(), waits.stop("On it."), asks.stop("Which of the two?"), over.stop("It is finished.")]
    {
        rig.happen(what);
        rig.pass(Millis::secs(5));
    }
    rig.happen(waits.act(UserAction::CheckIn));
    rig.happen(over.end());
    rig.kill();
    let path = std::env::temp_dir().join("wakeful-sample.db");
    Connection::open(file(&rig)).unwrap().pragma_update(None, "journal_mode", "DELETE").unwrap();
    std::fs::copy(file(&rig), &path).unwrap();
    eprintln!("{}", path.display());
}

fn input(rig: &mut Rig, what: Happening) -> Input {
    let Happening::Hook(payload) = what else { panic!("{what:?}") };
    rig.now = rig.now.plus(Millis(10));
    Input::Hook(Box::new(rig.envelope(&payload)))
}

/// What came before new settings in one batch was decided by the old ones, and the record says so.
#[test]
fn settings_in_the_middle_of_a_batch_have_their_place_in_the_record() {
    let (mut rig, mut first, mut second) = (Rig::new(false), Tale::new(1), Tale::new(2));
    let mut inputs = Vec::new();
    for minutes in [90, 7] {
        for tale in [&mut first, &mut second] {
            for what in [tale.prompt("go"), tale.task(), tale.stop("On it.")] {
                inputs.push(input(&mut rig, what));
            }
        }
        let core = Settings { auto_wait: Minutes(minutes), ..Settings::default() };
        rig.settings.push(core.clone());
        inputs.push(Input::Settings(Box::new(EngineSettings { core, ..EngineSettings::default() })));
    }
    rig.take(inputs);
    let caps: Vec<_> = rig
        .sessions()
        .into_values()
        .map(|session| session.timers.iter().map(|timer| timer.after).max())
        .collect();
    assert_eq!(caps, [Some(Millis::minutes(90)); 2]);
    replayed::compare(&mut rig);
}
