//! What touches the machine: files, processes, sockets. What is to be done is decided in the inner crates.

pub mod install;
