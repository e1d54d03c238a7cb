//! The settings: the table of keys, the file, the environment, changes, and the reference.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod edits;
mod keys;
mod loading;
mod properties;
mod reference;
