//! The spool: what hooks leave for whoever reads it (C1). One folder, one file a day, one line an event.

mod envelope;
mod read;
mod write;

pub use envelope::{DeliveryId, Envelope, GuardRecord, Lost, Payload, VERSION};
pub use read::{After, Contents, Skipped, last_heard, read, read_after, signature, sizes};
pub use write::{Appended, DAY, DAY_MOST, Spool};
