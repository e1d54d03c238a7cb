//! Codex. Facts, with the version that they were seen on, are in the comments of `wire.rs` and `lines.rs`.

pub(crate) mod answer;
pub mod hook;
pub(crate) mod install;
pub(crate) mod lines;
pub(crate) mod prompt;
pub(crate) mod tools;
pub mod transcript;
pub(crate) mod wire;
