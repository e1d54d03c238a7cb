//! Scripted model servers on the loopback address.

pub mod anthropic;
mod http;
pub mod openai;
mod script;
mod server;

pub use script::{Block, Gate, Role, Turn};
pub use server::{Asked, Model};
