//! F3: any order of happenings, with Wakeful killed in between.

use proptest::prelude::*;
use wakeful_core::settings::{Minutes, Settings};
use wakeful_core::time::Millis;
use wakeful_engine::engine::{Input, Outcome};

use super::chance::Chance;
use super::replayed;
use super::rig::Rig;
use super::tale::{Happening, Tale};

#[derive(Debug, Clone)]
enum Deed {
    /// The next thing in one of four sessions.
    Next(u8, u64),
    Pass(u64),
    Sleep(u64),
    Clock(i64),
    Kill,
    Reboot,
    Start,
    Settings(bool, u16),
}

fn a_deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        24 => (0..4_u8, any::<u64>()).prop_map(|(who, seed)| Deed::Next(who, seed)),
        6 => (0..2_400_000_u64).prop_map(Deed::Pass),
        4 => (0..5_000_u64).prop_map(Deed::Pass),
        1 => (0..20_000_000_u64).prop_map(Deed::Sleep),
        1 => (-20_000_000..20_000_000_i64).prop_map(Deed::Clock),
        2 => Just(Deed::Kill),
        1 => Just(Deed::Reboot),
        4 => Just(Deed::Start),
        1 => (any::<bool>(), 5..60_u16).prop_map(|(auto, minutes)| Deed::Settings(auto, minutes)),
    ]
}

pub fn tales(count: u64) -> Vec<Tale> {
    (0..count).map(Tale::new).collect()
}

fn does(rig: &mut Rig, tales: &mut [Tale], deed: &Deed) {
    match deed {
        Deed::Next(who, seed) => {
            let mut chance = Chance::new(*seed);
            let what = tales[usize::from(*who)].next(rig.now, &mut chance);
            let hook = matches!(what, Happening::Hook(_));
            rig.happen(what);
            if hook {
                again(rig);
            }
        }
        Deed::Pass(millis) => rig.pass(Millis(*millis)),
        Deed::Sleep(millis) => rig.sleep(Millis(*millis)),
        Deed::Clock(by) => rig.step_clock(*by),
        Deed::Kill => rig.kill(),
        Deed::Reboot => {
            rig.kill();
            rig.reboot();
        }
        Deed::Start if rig.up() => {}
        Deed::Start => rig.start(),
        Deed::Settings(auto, minutes) if rig.up() => {
            let auto_wait = Minutes(*minutes);
            rig.configure(&Settings { auto_check_in: *auto, auto_wait, ..Settings::default() });
        }
        Deed::Settings(..) => {}
    }
}

/// The same delivery a second time changes nothing: handed over again, or found in the spool at the next start.
fn again(rig: &mut Rig) {
    let Some(last) = rig.last.clone() else { return };
    rig.spool().append(&last, true).unwrap();
    if rig.up() {
        let before = rig.sessions();
        let took = rig.take(vec![Input::Hook(Box::new(last))]);
        assert_eq!(took.outcomes, [Outcome::Again]);
        assert!(took.changed.is_empty() && took.errands.is_empty());
        assert_eq!(rig.sessions(), before);
    }
}

fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases / 2, max_shrink_iters: 2_000, failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(config())]

    /// Snapshots, record and live state agree; every law holds after every step; nothing rings, fires or counts twice.
    #[test]
    fn record_snapshots_and_live_state_agree(deeds in prop::collection::vec(a_deed(), 1..60)) {
        let (mut rig, mut tales) = (Rig::new(false), tales(4));
        for deed in &deeds {
            does(&mut rig, &mut tales, deed);
        }
        if !rig.up() {
            rig.start();
        }
        rig.count_firings();
        replayed::compare(&mut rig);
    }

    /// However it came to wait: with time alone every session that waits comes to its user, also over a restart.
    #[test]
    fn no_wait_is_unbounded(deeds in prop::collection::vec(a_deed(), 1..40), at in 0..3000_u64) {
        let (mut rig, mut tales) = (Rig::new(false), tales(4));
        for deed in &deeds {
            does(&mut rig, &mut tales, deed);
        }
        if !rig.up() {
            rig.start();
        }
        rig.configure(&Settings::default());
        rig.pass(Millis::minutes(at));
        rig.kill();
        rig.start();
        rig.pass(Millis::minutes(48 * 60));
        for session in rig.sessions().values() {
            let status = session.status().name();
            prop_assert!(!matches!(status, "waiting" | "working" | "snoozed"), "{session:#?}");
        }
    }
}
