//! What is known of a turn while its lines come in, and small questions about texts.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::value::RawValue;
use wakeful_core::event::{Opener, Place};
use wakeful_core::ids::{AskId, TurnId};
use wakeful_core::time::Now;

use super::INTERRUPTED;

/// Lines that stand among the user's and that no person typed: output of commands that the user ran in the client,
/// and what hooks of older versions said.
const LOCAL_OUTPUT: [&str; 6] = [
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "<bash-stdout>",
    "<bash-stderr>",
    "Operation stopped by hook:",
];

/// The turn that is open, or was last.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) id: Option<TurnId>,
    pub(super) open: bool,
    pub(super) history: bool,
    pub(super) after_stop_hook: bool,
    /// It looks ended; the next line proves it.
    pub(super) closing: Option<Closing>,
}

/// A last message that may be the end of a turn.
#[derive(Debug)]
pub(super) struct Closing {
    pub(super) message: Option<String>,
    pub(super) text: Option<String>,
    pub(super) at: Now,
    /// The client says that the model is done. Older versions say nothing.
    pub(super) definite: bool,
}

/// What opens a turn.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) text: String,
    pub(super) opener: Option<Opener>,
    pub(super) turn: Option<TurnId>,
    pub(super) at: Now,
    pub(super) history: bool,
    pub(super) place: Place,
}

#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) tool: String,
    /// Kept only where the end of the call has effects that need it.
    pub(super) input: Option<Box<RawValue>>,
}

/// Whether the line may be one of those that the transcript owns.
pub(super) fn may_be_owned(line: &[u8]) -> bool {
    static MARKS: LazyLock<[Finder<'_>; 2]> =
        LazyLock::new(|| [Finder::new("queue-operation"), Finder::new(INTERRUPTED)]);
    MARKS.iter().any(|mark| mark.find(line).is_some())
}

/// Tools whose end does something to the ledger.
pub(super) fn has_effects(tool: &str) -> bool {
    !matches!(
        tool,
        "Read"
            | "Edit"
            | "MultiEdit"
            | "Write"
            | "Grep"
            | "Glob"
            | "LS"
            | "TodoWrite"
            | "WebFetch"
            | "WebSearch"
    )
}

/// The ask of a call that asks nothing by itself. Transcripts show no permission asks, so nothing has to match it.
pub(super) fn quick_ask(id: &str) -> AskId {
    AskId::new(format!("use:{id}"))
}

/// Prompts that the client answers itself unless it says otherwise: slash commands and bash mode.
pub(super) fn is_local(text: &str) -> bool {
    text.starts_with('/') && !text[1..].split_whitespace().next().unwrap_or("/").contains('/')
        || text.starts_with("<bash-input>")
}

/// The prompt that the user typed for a slash command, as hooks show it: `/name arguments`.
pub(super) fn command_prompt(text: &str) -> Option<String> {
    let inner = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        rest.split_once(&format!("</{tag}>")).map(|(inner, _)| inner.trim())
    };
    if !text.trim_start().starts_with("<command-") {
        return None;
    }
    let name = inner("command-name")?;
    match inner("command-args").filter(|args| !args.is_empty()) {
        Some(args) => Some(format!("{name} {args}")),
        None => Some(name.to_owned()),
    }
}

/// The client's own words in the place of a prompt.
pub(super) fn is_local_output(text: &str) -> bool {
    LOCAL_OUTPUT.iter().any(|output| text.starts_with(output))
}
