//! What must survive: the log of events with what followed from each, the sessions as they stand at a place in that log, and
//! what is still to be done about it. One SQLite file, written by the daemon alone; anyone of this user may read it.

mod error;
mod open;
mod outbox;
mod queries;
mod read;
mod repair;
mod retention;
mod rows;
mod schema;
mod write;

pub use error::StoreError;
pub use open::{FILE_NAME, Store};
pub use outbox::{Errand, OutboxId, OutboxRow};
pub use queries::{DecisionRow, GuardRow, LogRow};
pub use read::{Kept, Left};
pub use repair::Repair;
pub use retention::{Keep, Pruned};
pub use rows::Pos;
pub use schema::VERSION;
pub use write::{Batch, GuardVerdictRow, SettingsChange, ShownAt};
