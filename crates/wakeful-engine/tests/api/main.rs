//! The API, asked over real sockets.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod actions;
mod client;
mod daemon;
mod doors;
mod events;
mod hostile;
mod http;
mod openapi;
mod routes;
mod world;
