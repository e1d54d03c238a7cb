//! What is known of a turn while its lines come in, and small questions about lines.

use std::collections::HashSet;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::value::RawValue;
use wakeful_core::ids::{Digest, TurnId};
use wakeful_core::time::Now;

use super::super::lines::Response;
use super::super::tools::SHELL;

/// The turn that is open, or was last.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) id: Option<TurnId>,
    /// What opened it, until its first event is told.
    pub(super) trigger: Option<String>,
    pub(super) open: bool,
    /// A line said that it began, so one will say how it ended.
    pub(super) explicit: bool,
    /// An event of it was told.
    pub(super) told: bool,
    /// The agent did something since the last prompt.
    pub(super) acted: bool,
    pub(super) after_stop_hook: bool,
    pub(super) prompt: Option<Digest>,
    /// The last word so far.
    pub(super) said: Option<Said>,
    /// An error that it may have died of.
    pub(super) failure: Option<Failure>,
    /// Calls that are known by their own lines.
    pub(super) calls: HashSet<String>,
}

impl Turn {
    pub(super) fn id_str(&self) -> Option<&str> {
        self.id.as_ref().map(TurnId::as_str)
    }

    /// What is left of it for the next: that turns of this rollout are told by lines.
    pub(super) fn taken(&mut self) -> Self {
        let turn = std::mem::take(self);
        Self { explicit: turn.explicit, ..Self::default() }
    }
}

/// A text and when it was written.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) at: Now,
}

/// An error.
#[derive(Debug)]
pub(super) struct Failure {
    /// The client's word for it.
    pub(super) word: Option<String>,
    pub(super) message: Option<String>,
    pub(super) at: Now,
}

impl Failure {
    /// A limit is over after a time or a payment. Older versions had no word for it; then the message says so.
    pub(super) fn is_limit(&self) -> bool {
        let says =
            || self.message.as_ref().is_some_and(|text| text.to_ascii_lowercase().contains("usage limit"));
        self.word.as_ref().map_or_else(says, |word| word == "usage_limit_exceeded")
    }
}

#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) tool: String,
    /// Kept only of a call that asks something.
    pub(super) input: Option<Box<RawValue>>,
}

/// The name of a called tool as hooks write it.
pub(super) fn tool_name(item: &Response<'_>) -> String {
    let name = item.name.get().map(AsRef::as_ref);
    match name {
        Some("exec_command" | "shell" | "shell_command" | "container.exec" | "local_shell") => {
            SHELL.to_owned()
        }
        None if item.kind.get().is_some_and(|kind| kind == "local_shell_call") => SHELL.to_owned(),
        name => {
            format!("{}{}", item.namespace.get().map(AsRef::as_ref).unwrap_or_default(), name.unwrap_or("?"))
        }
    }
}

/// The input of a call that asks or tells the user something. Rollouts show no permission asks, so of other calls
/// nothing has to match it.
pub(super) fn call_input(tool: &str, item: &Response<'_>) -> Option<Box<RawValue>> {
    let speaks = tool.starts_with("request_user_input") || tool == "send_message_to_user_async";
    let arguments = item.arguments.get().filter(|_| speaks)?;
    serde_json::from_str::<Box<RawValue>>(arguments).ok()
}

/// When an id was made: those of Codex begin with the milliseconds since the epoch (UUID, version 7).
pub(super) fn born(id: &str) -> Option<u64> {
    let (high, rest) = id.split_once('-')?;
    let (low, rest) = rest.split_once('-')?;
    let fits = high.len() == 8 && low.len() == 4 && rest.starts_with('7');
    fits.then(|| u64::from_str_radix(&format!("{high}{low}"), 16).ok()).flatten()
}

/// Whether the line may be one that is needed to tell what the rollout owns: how turns begin, fail and end.
pub(super) fn may_be_owned(line: &[u8]) -> bool {
    static MARKS: LazyLock<[Finder<'_>; 6]> = LazyLock::new(|| {
        [
            Finder::new("session_meta"),
            Finder::new("task_started"),
            Finder::new("turn_started"),
            Finder::new("task_complete"),
            Finder::new("turn_complete"),
            Finder::new("\"error\""),
        ]
    });
    MARKS.iter().any(|mark| mark.find(line).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_when_they_were_made() {
        assert_eq!(born("01a22de5-f40e-7820-95f1-2a4852603037"), Some(0x01a2_2de5_f40e));
        for id in ["", "7", "01a22de5-f40e-4820-95f1-2a4852603037", "01a22de5", "x1a22de5-f40e-7820-1-2"] {
            assert_eq!(born(id), None, "{id}");
        }
    }
}
