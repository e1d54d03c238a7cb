//! Damaged snapshots, checkpoints and files; files of other versions; what retention leaves.

use wakeful_core::settings::{Minutes, Settings};
use wakeful_core::time::Millis;
use wakeful_engine::engine::{EngineSettings, Input};

use super::replayed;
use super::rig::Rig;
use super::tale::{Happening, Tale};

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
