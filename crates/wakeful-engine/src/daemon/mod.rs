//! The daemon: one per user, started when it is needed. It keeps the sessions, fires their timers, and does what follows.

mod connect;
mod dispatch;
mod errands;
mod files;
mod handle;
mod handoff;
mod hooks;
mod lock;
mod points;
mod serve;
mod start;
mod watch;

pub(crate) use connect::connect_at_once;
pub use errands::{Done, Errands};
pub use files::Files;
pub use handle::{Closed, Handle, Published, PublishedSession};
pub use handoff::{Handed, hand_over};
pub(crate) use hooks::own;
pub use lock::{Holder, Lock, LockError, holder};
pub(crate) use serve::bind;
pub use serve::{Clock, ServeError, Serving, serve};
pub use start::{Start, start_if_due, start_now, stop};
