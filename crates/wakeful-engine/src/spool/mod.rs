//! The spool: what hooks leave for whoever reads it (C1). One folder, one file a day, one line an event.

mod envelope;
mod read;
mod write;

pub use envelope::{DeliveryId, Envelope, GuardRecord, Lost, Payload, VERSION};
pub use read::{Contents, Skipped, last_heard, read, signature, sizes};
pub use write::{Appended, DAY, DAY_MOST, Spool};
