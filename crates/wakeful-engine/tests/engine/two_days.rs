//! Two days of a hundred sessions: clock steps, sleeps and restarts in between; the same seed is the same two days.

use wakeful_core::time::Millis;

use super::chance::Chance;
use super::laws;
use super::random::tales;
use super::replayed;
use super::rig::Rig;

const SESSIONS: u64 = 100;
const TWO_DAYS: u64 = 2 * 24 * 60;

/// What there was of everything.
#[derive(Debug, Default)]
struct Count {
    seeds: usize,
    events: usize,
    starts: usize,
    timers: usize,
    bells: usize,
    messages: usize,
}

fn two_days(seed: u64, on_disk: bool, events: u64, count: &mut Count) {
    let (mut rig, mut tales, mut chance) = (Rig::new(on_disk), tales(SESSIONS), Chance::new(seed));
    let pause = TWO_DAYS * 60_000 / events;
    for _ in 0..events {
        match chance.below(60) {
            0 => rig.step_clock(i64::try_from(chance.below(14_400_000)).unwrap() - 7_200_000),
            1 => rig.sleep(Millis(chance.below(7_200_000))),
            2 if rig.up() => {
                rig.kill();
                if chance.once_in(3) {
                    rig.reboot();
                }
            }
            _ => {}
        }
        if !rig.up() && chance.once_in(3) {
            rig.start();
        }
        let what = {
            let now = rig.now;
            let at = usize::try_from(chance.below(SESSIONS)).unwrap();
            tales[at].next(now, &mut chance)
        };
        rig.happen(what);
        rig.pass(Millis(chance.below(2 * pause)));
    }
    if !rig.up() {
        rig.start();
    }
    rig.sessions().values().for_each(laws::hold);
    rig.count_firings();
    replayed::compare(&mut rig);
    // And a day on which nobody does anything: what waited has come to its user.
    rig.pass(Millis::minutes(26 * 60));
    for session in rig.sessions().values() {
        assert!(!matches!(session.status().name(), "waiting" | "working" | "snoozed"), "{session:#?}");
    }
    count.seeds += 1;
    count.events += rig.events;
    count.starts += rig.starts;
    count.timers += rig.fired();
    count.bells += rig.bells;
    count.messages += rig.messages;
}

/// 200 seeds in memory, with few events each: that is 20 s of computing in a build that is not optimised. The other five have more.
#[test]
fn two_hundred_in_memory() {
    let mut count = Count::default();
    (0..200).for_each(|seed| two_days(seed, false, 80, &mut count));
    eprintln!("in memory: {count:?}");
}

#[test]
fn five_on_disk() {
    let mut count = Count::default();
    (1000..1005).for_each(|seed| two_days(seed, true, 1000, &mut count));
    eprintln!("on disk: {count:?}");
}
