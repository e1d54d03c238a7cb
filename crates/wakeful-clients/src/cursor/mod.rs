//! Cursor.

pub(crate) mod install;
