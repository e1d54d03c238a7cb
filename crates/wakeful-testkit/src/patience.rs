//! How long a test waits for something before it fails.

use std::time::{Duration, Instant};

/// For one thing that a real client does. It does most within a second and starts within three on an idle machine; this is room
/// for two cores that build something else meanwhile. A limit is only ever reached by a test that fails.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The end of a wait.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// [`PATIENCE`] from now.
    pub fn new() -> Self {
        Self::after(PATIENCE)
    }

    /// `length` from now.
    #[expect(
        clippy::disallowed_methods,
        reason = "limits of waits in tests; no decision of the product sees this"
    )]
    pub fn after(length: Duration) -> Self {
        Self(Instant::now() + length)
    }

    /// What is left; `None` once it is over.
    #[expect(
        clippy::disallowed_methods,
        reason = "limits of waits in tests; no decision of the product sees this"
    )]
    pub fn left(self) -> Option<Duration> {
        self.0.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }
}

impl Default for Deadline {
    fn default() -> Self {
        Self::new()
    }
}
