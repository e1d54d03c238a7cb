//! The only place that reads a clock (S2).

use wakeful_core::time::{Boot, BootId, Now, Wall};

/// The wall clock now. Commands that decide about the past use it only to say what "today" is.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub fn now() -> Now {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let wall = Wall(i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    Now { wall, boot: Boot(0), boot_id: BootId(0) }
}
