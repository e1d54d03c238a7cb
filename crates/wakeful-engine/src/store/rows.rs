//! How values stand in the tables: JSON, with a sum over what must not be read wrongly.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wakeful_core::ids::Digest;

use super::StoreError;

/// A place in the log; grows by one with every line, and is never used again.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Pos(pub i64);

/// A value as it is written down.
pub(super) fn json(value: &impl Serialize) -> Result<String, StoreError> {
    Ok(serde_json::to_string(value)?)
}

/// The sum that stands beside a snapshot.
pub(super) fn sum(body: &str) -> i64 {
    Digest::of(body.as_bytes()).0.cast_signed()
}

/// The value, if the row is as it was written.
pub(super) fn checked<T: DeserializeOwned>(body: &str, said: i64) -> Option<T> {
    (sum(body) == said).then(|| serde_json::from_str(body).ok()).flatten()
}
