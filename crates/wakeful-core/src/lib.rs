//! The heart of Wakeful: what a session is, what happens to it, and what is decided about it.
//!
//! Pure: no input or output, no clock, no threads, no text. Bytes become [`event::Event`]s at the edge, [`step::step`]
//! turns a session and an event into a session and effects, and [`view::SessionView`] is what every surface shows.
//!
//! Start reading at [`mod@step`]; the gates of a turn end are in `ladder.rs`.

pub mod abilities;
mod actions;
pub mod asks;
pub mod banner;
pub mod board;
pub mod causes;
mod deadlines;
pub mod decision;
pub mod effect;
pub mod event;
mod facts;
mod firing;
mod follow;
pub mod ids;
mod ladder;
pub mod ledger;
pub mod notices;
pub mod reading;
pub mod session;
pub mod settings;
pub mod step;
pub mod time;
pub mod timers;
pub mod turn;
mod turn_end;
pub mod view;
