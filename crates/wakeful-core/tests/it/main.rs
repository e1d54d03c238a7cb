//! Tests of the core through its public face: a session, events, effects. Each test reads as a sequence (see
//! [`world`]); module names say which spec they cover.

#![allow(clippy::unwrap_used, reason = "a test that unwraps nothing fails")]

mod actions;
mod asks;
mod ladder;
mod late;
mod laws;
mod lifecycle;
mod notifications;
mod orderings;
mod properties;
mod purity;
mod timers;
mod wakes;
mod world;
