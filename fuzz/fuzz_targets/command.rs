//! Shell commands: the guard and the list of commands that never end (spec 50, G4, G5). No input panics or hangs, and a
//! refusal points into the command.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wakeful_shell::{GuardPolicy, guard, never_ends};

fuzz_target!(|bytes: &[u8]| {
    let command = String::from_utf8_lossy(bytes);
    if let Some(refusal) = guard(&command, &GuardPolicy::default()).denied() {
        assert!(command.get(refusal.span.clone()).is_some());
    }
    never_ends(&command);
});
