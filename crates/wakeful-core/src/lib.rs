//! The heart of Wakeful: what a session is, what happens to it, and what is decided about it.
//!
//! Pure: no input or output, no clock, no threads, no text. Bytes become [`event::Event`]s at the edge, [`step`]
//! turns a session and an event into a session and effects, and [`view::SessionView`] is what every surface shows.

pub mod abilities;
pub mod event;
pub mod ids;
pub mod ledger;
pub mod reading;
pub mod settings;
pub mod time;
