//! What can be wrong with a rule file (P11).

use serde::Serialize;
use thiserror::Error;

/// One fault in a rule file.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
#[error("{file}:{line}: {reason}")]
pub struct RuleError {
    /// The name of the file, as the caller gave it.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong, in words.
    pub reason: String,
}

/// All faults that were found in a set of rule files. While there is one, none of the files is in force.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
#[error("{}", self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct RuleErrors(pub Vec<RuleError>);
