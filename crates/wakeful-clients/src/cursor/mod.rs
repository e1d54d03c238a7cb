//! Cursor.

pub(crate) mod answer;
