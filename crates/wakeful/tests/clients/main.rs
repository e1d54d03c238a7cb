//! The real clients, driven offline (docs/testing-with-real-clients.md). One binary; each test starts programs of its own, in a home of
//! its own.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod claude_ends;
mod claude_failing_hooks;
mod claude_guard;
mod claude_parity;
mod claude_sessions;
mod claude_waits;
mod codex;
mod codex_sessions;
mod machine;
