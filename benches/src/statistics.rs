//! Order statistics.

use std::time::Duration;

/// Times of one thing, sorted.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// The time that so many of a hundred do not exceed.
    pub(crate) fn percentile(&self, of_hundred: usize) -> Duration {
        let at = (self.0.len() * of_hundred).div_ceil(100).clamp(1, self.0.len().max(1));
        self.0.get(at - 1).copied().unwrap_or_default()
    }

    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }
}

/// How many times `b` fits into `a`.
pub(crate) fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

/// The least time of `tries` calls: what the code costs, not what else the machine did.
pub(crate) fn least(tries: usize, mut call: impl FnMut()) -> Duration {
    let once = |_| {
        let began = std::time::Instant::now();
        call();
        began.elapsed()
    };
    (0..tries).map(once).min().unwrap_or_default()
}
