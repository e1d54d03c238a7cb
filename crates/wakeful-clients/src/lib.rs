//! What the clients write, turned into the one vocabulary of events (spec 10, spec 60).
//!
//! Pure: no input or output, no clock, no threads. Time, zone and the readers of text and of commands come in with
//! the [`Translation`]; bytes that a client wrote go in, [`Event`](wakeful_core::event::Event)s come out. One folder
//! a client, the same file names in each: `wire.rs` says what the client writes, `hook.rs` and `transcript.rs` say
//! what it means.

pub mod abilities;
pub mod answer;
mod ask;
pub mod authority;
pub mod claude_code;
pub mod codex;
pub mod cursor;
mod cut;
pub mod hook_call;
pub mod install;
mod json;
mod limits;
pub mod shorten;
mod stamp;
mod telling;
pub mod translate;
mod turn_end;
pub mod unknowns;

pub use translate::{
    ClientState, Hook, Malformed, Mode, Readers, Told, Translation, translate_hook, translate_hook_in,
};
pub use unknowns::{Unknown, Unknowns};
