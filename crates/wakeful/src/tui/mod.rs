//! The inbox in the terminal (spec 70, "Inbox"): a pure model with one update function, a pure drawing of it, and around them what touches
//! the machine: where sessions come from, what acts, the terminal itself.

mod actions;
mod app;
mod branch;
mod browse;
mod detail;
mod dialogs;
mod feed;
mod input;
mod jump;
mod keys;
mod list;
mod mouse;
mod overlays;
mod paint;
mod run;
mod screen;
mod snapshot;
mod snooze;
mod terminal;
#[cfg(test)]
mod tests;
mod wrong;

pub use run::run;
