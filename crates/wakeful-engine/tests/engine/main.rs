//! F3 and F5 on the engine and its store: whatever happens in whatever order, with Wakeful killed, the clock stepped, the machine
//! asleep or started anew in between, the store has what the sessions are, and nothing is lost or done twice.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "how much was tried is said (spec 90)")]

mod chance;
mod damage;
mod faults;
mod laws;
mod random;
mod replayed;
mod requests;
mod rig;
mod tale;
mod two_days;
