//! Codex.

pub(crate) mod answer;
