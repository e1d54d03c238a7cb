//! Settings files (F4): `cargo +nightly fuzz run settings`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| wakeful_clients::install::probe::settings(bytes));
