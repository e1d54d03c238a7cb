//! The way in: a client, the bytes that it wrote, and what is known beside them.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use wakeful_core::event::Event;
use wakeful_core::ids::{Client, RuleId};
use wakeful_core::reading::Reading;
use wakeful_core::time::{Boot, Now};

use crate::Unknowns;
use crate::{claude_code, codex, cursor};

/// The readers of text and of commands. They come in from outside so that a back-test can read with other rules.
#[derive(Clone, Copy)]
pub struct Readers<'a> {
    /// Reads the last message of a turn that ended at this time (spec 20).
    pub read: &'a (dyn Fn(&str, Now) -> Reading + Sync),
    /// The rule by which a command never ends by itself, if there is one (spec 10, `live-work`).
    pub never_ends: &'a (dyn Fn(&str) -> Option<RuleId> + Sync),
}

/// What is known beside the bytes.
#[derive(Clone, Copy)]
pub struct Translation<'a> {
    /// When the bytes were seen: for a hook its start, for a transcript line its own time where it has one.
    pub now: Now,
    /// The zone in which the client works out its schedules and prints its times.
    pub zone: &'a TimeZone,
    /// The readers.
    pub readers: Readers<'a>,
}

/// An event with its time, as a transcript tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// When it happened. In replay both clocks are those of the line's timestamp.
    pub at: Now,
    /// It was copied from another session (a fork): what was decided there is not decided again.
    pub history: bool,
    /// The event.
    pub event: Event,
}

/// Why bytes gave no event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Not one JSON object.
    #[error("the payload is not a JSON object")]
    NotAnObject,
    /// It does not say which session it belongs to.
    #[error("the payload has no session id")]
    NoSession,
    /// This version reads no hooks of this client yet.
    #[error("hooks of {0} are not read yet")]
    NotYet(Client),
}

/// What a translator is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The session runs and its hooks tell the rest: only what the transcript owns (S3b).
    Live,
    /// The transcript is the only source.
    Replay,
}

/// What must be remembered from one hook payload to the next, because a client tells one thing in two payloads: Cursor
/// says the last text in one and the turn's end in another. Kept by whoever keeps the sessions; small, bounded, and
/// losing it costs no more than the text of one turn end, which then counts as one that may have asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientState {
    pub(crate) cursor: cursor::said::Said,
}

/// The events in one hook payload that stands alone; of a client that needs [`ClientState`], take
/// [`translate_hook_in`].
///
/// # Errors
/// As there.
pub fn translate_hook(
    client: Client,
    event_arg: Option<&str>,
    payload: &[u8],
    started: Option<Boot>,
    ctx: &Translation<'_>,
    seen: &mut Unknowns,
) -> Result<Vec<Event>, Malformed> {
    let hook = Hook { client, event_arg, payload, started };
    translate_hook_in(&mut ClientState::default(), hook, ctx, seen)
}

/// One call of a hook.
#[derive(Debug, Clone, Copy)]
pub struct Hook<'a> {
    /// Which client called it.
    pub client: Client,
    /// The event's name, where the client gives it on the command line and not in the payload.
    pub event_arg: Option<&'a str>,
    /// What came on standard input.
    pub payload: &'a [u8],
    /// The hook's start on the boot clock (S3b).
    pub started: Option<Boot>,
}

/// The events in one hook payload (spec 60, C1). `state` is the same one for all payloads of a machine, in the order in
/// which they came.
///
/// # Errors
/// [`Malformed`] when there is nothing to hold on to. A payload whose optional parts are missing or of another type
/// gives as much as can be known, and never makes a wait out of what may have been a question.
pub fn translate_hook_in(
    state: &mut ClientState,
    hook: Hook<'_>,
    ctx: &Translation<'_>,
    seen: &mut Unknowns,
) -> Result<Vec<Event>, Malformed> {
    let Hook { client, event_arg, payload, started } = hook;
    match client {
        Client::ClaudeCode => claude_code::hook::translate(event_arg, payload, started, ctx, seen),
        Client::Codex => codex::hook::translate(event_arg, payload, started, ctx, seen),
        Client::Cursor => cursor::hook::translate(&mut state.cursor, hook, ctx, seen),
        Client::Gemini | Client::Opencode | Client::Copilot => Err(Malformed::NotYet(client)),
    }
}
