//! Transcript lines of Claude Code, as the only source and beside hooks, through translation and `step` (spec 80, R2).
#![no_main]

use jiff::tz::TimeZone;
use libfuzzer_sys::fuzz_target;
use wakeful_clients::abilities::abilities;
use wakeful_clients::claude_code::transcript::{Mode, TranscriptTranslator};
use wakeful_clients::{Readers, Translation};
use wakeful_core::board::Board;
use wakeful_core::settings::{MatchMode, Settings};
use wakeful_core::time::Now;
use wakeful_prose::Rules;
use wakeful_replay::readers;

fuzz_target!(|bytes: &[u8]| {
    let read = |text: &str, now: Now| readers::read(Rules::built_in(), text, MatchMode::Full, &TimeZone::UTC, now);
    let readers = Readers { read: &read, never_ends: &readers::never_ends };
    let ctx = Translation { now: Now::default(), zone: &TimeZone::UTC, readers };
    for mode in [Mode::Replay, Mode::Live] {
        let mut translator = TranscriptTranslator::new(mode, None);
        let mut board = Board::default();
        let mut told: Vec<_> =
            bytes.split(|byte| *byte == b'\n').flat_map(|line| translator.line(line, &ctx)).collect();
        told.extend(translator.finish(&ctx));
        for told in &told {
            board.apply(told.at, &Settings::default(), abilities, &told.event);
        }
    }
});
