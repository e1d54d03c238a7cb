//! Hook payloads of every client, through translation and `step` (spec 60, C1). The first byte picks the client.
#![no_main]

use jiff::tz::TimeZone;
use libfuzzer_sys::fuzz_target;
use wakeful_clients::abilities::abilities;
use wakeful_clients::{ClientState, Hook, Readers, Translation, Unknowns, translate_hook_in};
use wakeful_core::board::Board;
use wakeful_core::ids::Client;
use wakeful_core::settings::{MatchMode, Settings};
use wakeful_core::time::Now;
use wakeful_prose::Rules;
use wakeful_replay::readers;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, lines)) = bytes.split_first() else { return };
    let client = Client::ALL[usize::from(*first) % Client::ALL.len()];
    let read = |text: &str, now: Now| readers::read(Rules::built_in(), text, MatchMode::Full, &TimeZone::UTC, now);
    let readers = Readers { read: &read, never_ends: &readers::never_ends };
    let ctx = Translation { now: Now::default(), zone: &TimeZone::UTC, readers };
    let (mut state, mut unknowns, mut board) = (ClientState::default(), Unknowns::default(), Board::default());
    for payload in lines.split(|byte| *byte == b'\n') {
        let hook = Hook { client, event_arg: None, payload, started: None };
        for event in translate_hook_in(&mut state, hook, &ctx, &mut unknowns).unwrap_or_default() {
            board.apply(ctx.now, &Settings::default(), abilities, &event);
        }
    }
});
