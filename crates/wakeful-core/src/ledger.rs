//! The wake ledger.
use serde::{Deserialize, Serialize};

/// The wake ledger of one session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ledger {}
