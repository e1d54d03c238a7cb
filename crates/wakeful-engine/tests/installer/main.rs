//! F6: set-up and removal over settings files of every kind, judged by a reader of its own (`oracle.rs`): no byte is lost that
//! is not ours, and removal gives the original bytes back. Everything happens in temporary folders.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "all of this is a test")]

mod bodies;
mod files;
mod layouts;
mod machine;
mod oracle;
mod refusals;
