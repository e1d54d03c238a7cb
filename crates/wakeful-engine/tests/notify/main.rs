//! Channels against what they talk to: a server, a script, a terminal. And the way of one ring as the child goes it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bell;
mod command;
mod http;
mod once;
mod server;
mod world;
