//! Why a settings file is left as it is.

/// The file does not parse, or has a shape that is not known: nothing is changed (C6). Line and column count from 1;
/// a column is a character.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {why}")]
pub struct Refusal {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
    /// What is wrong there.
    pub why: String,
}

impl Refusal {
    /// A refusal at the byte `offset` of `text`.
    pub(crate) fn at(text: &str, offset: usize, why: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Self { line, column: before[line_start..].chars().count() + 1, why: why.into() }
    }
}
