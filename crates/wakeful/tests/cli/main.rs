//! The program as its callers see it: arguments, standard input, an environment and a home in; output, files and exit codes out.
#![allow(clippy::unwrap_used, reason = "tests; clippy.toml knows only functions marked as such")]

mod guard;
mod hook;
mod sandbox;
mod sessions;
