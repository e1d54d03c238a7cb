//! A session as the command line, the API and the inbox show it: which section, under which name, and as which JSON.

mod json;
mod moment;
mod section;
mod session;

pub use json::{DecisionJson, SessionJson, UntilJson, VERSION, WaitJson, instant, wall};
pub use moment::{MomentJson, TURN_ENDED, decision, notified, what, word};
pub use section::Section;
pub use session::{ENDED_SHOWN, Prefixes, Shown, in_order};
