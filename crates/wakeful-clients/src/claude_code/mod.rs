//! Claude Code. Facts, with the version that they were seen on, are in the comments of [`wire`].

pub mod cron;
pub mod hook;
pub(crate) mod install;
pub(crate) mod notification;
pub(crate) mod tools;
pub(crate) mod wire;
