//! Codex.

pub(crate) mod install;
