//! Cursor. Facts, with the version that they were seen on, are in the comments of `wire.rs`.

pub(crate) mod answer;
pub mod hook;
pub(crate) mod install;
pub(crate) mod said;
pub(crate) mod wire;
