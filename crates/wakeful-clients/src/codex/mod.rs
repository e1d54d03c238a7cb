//! Codex.

pub(crate) mod answer;
pub(crate) mod install;
