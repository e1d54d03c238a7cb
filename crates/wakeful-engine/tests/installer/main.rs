//! F6: set-up and removal over settings files of every kind, judged by a reader of its own (`oracle.rs`): no byte is lost that
//! is not ours, and removal gives the original bytes back. Everything happens in temporary folders.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bodies;
mod files;
mod layouts;
mod machine;
mod oracle;
mod refusals;
