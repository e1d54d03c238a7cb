//! One file a channel. Each does its own part within [`LIMIT`] and knows nothing of the others.

pub mod bell;
pub mod command;
pub mod desktop;
mod http;
pub mod ntfy;
pub mod webhook;

use std::time::Duration;

/// How long a channel may take. A healthy one needs less than a second; whoever waits for the user's server waits this long.
pub const LIMIT: Duration = Duration::from_secs(5);
