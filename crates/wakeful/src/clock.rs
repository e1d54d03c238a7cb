//! The only place that reads a clock (S2).

use std::time::SystemTime;

use rustix::time::{ClockId, clock_gettime};
use wakeful_core::ids::Digest;
use wakeful_core::time::{Boot, BootId, Now, Wall};

/// Counts on while the machine sleeps, and knows no steps.
#[cfg(any(target_os = "linux", target_os = "android"))]
const BOOT_CLOCK: ClockId = ClockId::Boottime;
/// On macOS this one counts on while the machine sleeps.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const BOOT_CLOCK: ClockId = ClockId::Monotonic;

/// All clocks now.
pub fn now() -> Now {
    let since = system().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let wall = Wall(i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    let boot = clock_gettime(BOOT_CLOCK);
    let boot =
        u64::try_from(boot.tv_sec).unwrap_or(0) * 1000 + u64::try_from(boot.tv_nsec).unwrap_or(0) / 1_000_000;
    Now { wall, boot: Boot(boot), boot_id: boot_id() }
}

/// The wall clock as files are stamped with it.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub fn system() -> SystemTime {
    SystemTime::now()
}

/// Which start of the machine this is; 0 where the system does not say.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn boot_id() -> BootId {
    let id = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    if id.is_empty() { BootId(0) } else { BootId(Digest::of(id.trim_ascii()).0) }
}

/// Which start of the machine this is; 0 where the system does not say.
#[cfg(target_os = "macos")]
fn boot_id() -> BootId {
    use sysctl::Sysctl as _;
    let id = sysctl::Ctl::new("kern.bootsessionuuid").and_then(|ctl| ctl.value_string());
    id.map_or(BootId(0), |id| BootId(Digest::of(id.trim().as_bytes()).0))
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
fn boot_id() -> BootId {
    BootId(Digest::of(b"").0)
}

#[cfg(test)]
mod tests {
    use super::now;

    #[test]
    fn within_one_boot_the_boot_clock_never_goes_back() {
        let (first, second) = (now(), now());
        assert_eq!(first.boot_id, second.boot_id);
        assert!(first.boot <= second.boot && first.boot.0 > 0);
    }
}
