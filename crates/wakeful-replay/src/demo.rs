//! A few transcripts of our own that ship inside the program: what `wakeful replay --demo` plays.
use crate::files::Found;
/// The demo transcripts.
pub fn found() -> Found {
    Found::default()
}
