//! Rules as data (P7, P11, P12): how a file becomes rules, and how rules are matched.

mod automaton;
mod built_in;
mod compile;
mod error;
mod file;
mod required;
mod rule;

pub(crate) use automaton::Hit;
pub use compile::Rules;
pub use error::{RuleError, RuleErrors};
pub(crate) use rule::{CloseRole, EtaRole, NameRole, Role, Rule, Tier, WaitRole};
pub use rule::{Kind, RuleInfo};
