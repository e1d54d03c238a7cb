//! Settings files: set-up and removal (spec 60, C6; spec 90, F6).
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| wakeful_clients::install::probe::settings(bytes));
