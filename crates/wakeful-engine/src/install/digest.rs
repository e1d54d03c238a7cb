//! SHA-256 of a file's bytes: says whether it is still what it was.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// The digest, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Sha256(String);

impl Sha256 {
    /// Of `bytes`.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let digest = sha2::Sha256::digest(bytes);
        Self(digest.iter().fold(String::with_capacity(64), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }

    /// The digest as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Could it be a digest? What is read from a file may be anything, and becomes a part of a path.
    pub(crate) fn is_sound(&self) -> bool {
        self.0.len() == 64 && self.0.bytes().all(|byte| byte.is_ascii_hexdigit())
    }
}
