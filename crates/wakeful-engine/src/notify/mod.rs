//! How an edge that `step` let ring gets to the user, once (spec 10, spec 70 "Notifications").
//!
//! The daemon writes down that something is to ring before anything rings, and starts a child for it ([`spawn`]) that outlives it.
//! The child makes a file of the ring's id, and only who made it rings ([`claims`]): however often a daemon that was killed tries
//! again, it rings once. What each channel did is written into that file.

pub mod channels;
pub mod claims;
pub mod focus;
pub mod policy;
pub mod ring;
pub mod run;
mod running;
pub mod spawn;
pub mod terminal;
pub mod text;
pub mod words;
