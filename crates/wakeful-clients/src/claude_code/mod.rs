//! Claude Code. Facts, with the version that they were seen on, are in the comments of `wire.rs`.

pub(crate) mod answer;
pub mod cron;
pub mod hook;
pub(crate) mod install;
pub(crate) mod lines;
pub(crate) mod notification;
mod roster;
pub(crate) mod tools;
pub mod transcript;
pub(crate) mod wire;
