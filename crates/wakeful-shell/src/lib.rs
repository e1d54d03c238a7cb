//! Reads the shell commands of coding agents: the shell-waiter guard (spec 50) and the list of commands that never end by
//! themselves (spec 10). Pure: text in, verdict out.

mod advice;
mod ansi;
#[cfg(test)]
mod cases;
mod early_exit;
mod endless;
mod endless_data;
mod guard;
mod lexer;
mod parse;
mod policy;
#[cfg(test)]
mod properties;
mod scan;
mod strict;
mod summary;
mod tolerant;
mod tool;
mod tree;
mod walk;
mod wrappers;

pub use advice::{Advisee, refusal_text};
pub use endless::{EndlessRule, never_ends};
pub use guard::{GuardVerdict, Refusal, guard, guard_in_turn};
pub use policy::{GuardPolicy, PolicyLevel, RuleId, RuleSwitch};
pub use tool::{is_shell_tool, shell_command};
