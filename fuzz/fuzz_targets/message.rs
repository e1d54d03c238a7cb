//! Last messages: the reading and its explanation (spec 20). No input panics or hangs; a vetoed message waits for nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wakeful_prose::{Context, Rules, explain, read};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let context = Context::default();
    let reading = read(Rules::built_in(), &text, &context);
    assert!(reading.vetoes.is_empty() || reading.wait.is_none());
    explain(Rules::built_in(), &text, &context).render(true, 80);
});
