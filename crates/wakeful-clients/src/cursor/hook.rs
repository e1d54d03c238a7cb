//! Hook payloads of Cursor to events.

use std::borrow::Cow;

use wakeful_core::event::{
    Event, EventKind, Opener, Place, Roster, SessionEnd, SessionStart, Source, ToolClass, TurnHow,
};
use wakeful_core::ids::{AgentId, AskId, Client, Digest, SessionId, SessionKey, ToolUseId, TurnId};

use super::said::Said;
use super::wire;
use crate::cut::{LABEL, SNIPPET, first_line};
use crate::json::Object;
use crate::translate::Hook;
use crate::turn_end::{ended, finished};
use crate::{Malformed, Translation, Unknown, Unknowns};

/// How the framing of every check-in begins (W5).
const CHECK_IN: &str = "[Check-in]";
/// The agent of an event that is a subagent's and does not say in a readable way whose (C4).
const UNREADABLE_AGENT: &str = "unreadable";
/// What is said of an event without a readable name.
const UNREADABLE_EVENT: &str = "?";
/// The shell's name in the events that are about any tool.
const SHELL: &str = "Shell";

/// The events in one payload; see [`crate::translate_hook_in`].
///
/// # Errors
/// [`Malformed`] when the payload is not an object or names neither a conversation nor a session.
pub(crate) fn translate(
    said: &mut Said,
    hook: Hook<'_>,
    ctx: &Translation<'_>,
    seen: &mut Unknowns,
) -> Result<Vec<Event>, Malformed> {
    let mut object = Object::parse(hook.payload).ok_or(Malformed::NotAnObject)?;
    let common = wire::Common::read(&mut object);
    let named = [common.session_id.get(), common.conversation_id.get()];
    let session = named.into_iter().flatten().find(|id| !id.is_empty()).ok_or(Malformed::NoSession)?;
    let session = SessionId::new(session.as_ref());
    let turn = common.generation_id.get().map(|id| TurnId::new(id.as_ref()));
    let name = common.event.get().map(AsRef::as_ref).or(hook.event_arg).unwrap_or(UNREADABLE_EVENT);
    if common.event.get().is_none() && hook.event_arg.is_none() {
        said.forget(&session); // it may have been the agent's last word
    }
    let mut payload = Payload { name, object: &mut object, common: &common, ctx, seen, said };
    let agent = payload.agent();
    let read = payload.kind(&session, turn.as_ref());
    let kind = match read {
        Some(kind) => {
            seen.count_rest(name, &object);
            kind
        }
        None => {
            if !wire::QUIET.contains(&name) {
                seen.count(Unknown::Event, first_line(name, LABEL));
            }
            EventKind::Noticed { name: first_line(name, LABEL) }
        }
    };
    let session = SessionKey { client: Client::Cursor, id: session };
    let started = hook.started;
    Ok(vec![Event { session, source: Source::Hook, turn, agent, epoch: None, started, kind }])
}

/// One payload on its way to events.
struct Payload<'p, 'a> {
    name: &'p str,
    object: &'p mut Object<'a>,
    common: &'p wire::Common<'a>,
    ctx: &'p Translation<'p>,
    seen: &'p mut Unknowns,
    said: &'p mut Said,
}

impl Payload<'_, '_> {
    /// The subagent that it is about.
    fn agent(&mut self) -> Option<AgentId> {
        if !matches!(self.name, "subagentStart" | "subagentStop") {
            return None;
        }
        let payload = wire::Subagent::read(self.object);
        Some(AgentId::new(payload.subagent_id.get().map_or(UNREADABLE_AGENT, AsRef::as_ref)))
    }

    /// What happened; `None` for an event of which nothing is read.
    fn kind(&mut self, session: &SessionId, turn: Option<&TurnId>) -> Option<EventKind> {
        let kind = match self.name {
            "sessionStart" => self.session_start(),
            "sessionEnd" => {
                self.said.forget(session);
                self.session_end()
            }
            "beforeSubmitPrompt" => self.prompt(),
            "afterAgentResponse" => {
                let payload = wire::Response::read(self.object);
                match payload.text.get() {
                    Some(text) => self.said.put(session, turn, text),
                    // What it said is not known, so neither is what it said before the last word.
                    None => self.said.forget(session),
                }
                self.noticed()
            }
            "preToolUse" => self.tool(None),
            "postToolUse" => self.tool(Some(true)),
            "postToolUseFailure" => self.tool(Some(false)),
            "beforeShellExecution" => self.shell(turn, None),
            "afterShellExecution" => self.shell(turn, Some(true)),
            "subagentStart" | "subagentStop" => self.noticed(),
            "stop" => self.stop(session, turn),
            _ => return None,
        };
        Some(kind)
    }

    fn noticed(&self) -> EventKind {
        EventKind::Noticed { name: self.name.to_owned() }
    }

    fn session_start(&mut self) -> EventKind {
        wire::SessionStart::read(self.object);
        let root = self.common.workspace_roots.get().and_then(|roots| roots.first());
        let place = Place {
            cwd: root.map(Cow::to_string),
            model: self.common.model.get().map(Cow::to_string),
            ..Place::default()
        };
        EventKind::SessionStarted { start: SessionStart::Startup, place }
    }

    /// `completed` is what a run without a terminal says when it has done its work: nothing of it is lost.
    fn session_end(&mut self) -> EventKind {
        let payload = wire::SessionEnd::read(self.object);
        let end = match payload.reason.get().map(AsRef::as_ref) {
            Some("completed" | "aborted" | "window_close" | "user_close") => SessionEnd::User,
            Some("error") => SessionEnd::Failed,
            other => {
                self.unknown_variant("reason", other);
                SessionEnd::Unknown
            }
        };
        EventKind::SessionEnded { end }
    }

    fn prompt(&mut self) -> EventKind {
        let payload = wire::Prompt::read(self.object);
        let text = payload.prompt.get().map_or("", AsRef::as_ref);
        let check_in = text.trim_start().starts_with(CHECK_IN);
        EventKind::PromptSubmitted {
            opener: if check_in { Opener::CheckIn } else { Opener::User },
            digest: Digest::of(text.as_bytes()),
            reports: Vec::new(),
            label: first_line(text, LABEL),
        }
    }

    fn tool(&mut self, ended: Option<bool>) -> EventKind {
        let payload = wire::Tool::read(self.object);
        let tool = payload.tool_name.get().map(AsRef::as_ref).unwrap_or(UNREADABLE_EVENT);
        let id = payload.tool_use_id.get().map(AsRef::as_ref).unwrap_or_default();
        call(ToolUseId::new(id), tool, ended)
    }

    /// The shell's own events have no id of the call: the command stands for it. Beside the events about any tool they are
    /// a second call of the same command, which changes nothing.
    fn shell(&mut self, turn: Option<&TurnId>, ended: Option<bool>) -> EventKind {
        let payload = wire::Shell::read(self.object);
        let turn = turn.map_or("", TurnId::as_str);
        let command = payload.command.get().map(AsRef::as_ref).unwrap_or_default();
        let digest = Digest::of_parts(&[turn.as_bytes(), command.as_bytes()]);
        call(ToolUseId::new(format!("shell:{:016x}", digest.0)), SHELL, ended)
    }

    fn stop(&mut self, session: &SessionId, turn: Option<&TurnId>) -> EventKind {
        let payload = wire::Stop::read(self.object);
        let loops = payload.loop_count.get().copied().unwrap_or_default();
        let text = self.said.get(session, turn);
        let id = turn.map(TurnId::as_str);
        match payload.status.get().map(AsRef::as_ref) {
            Some("aborted") => ended(TurnHow::Interrupted, id, Roster::default(), "aborted"),
            Some("error") => {
                let shown = payload.error_message.get().map(AsRef::as_ref);
                let message = first_line(shown.unwrap_or("the turn failed"), SNIPPET);
                ended(TurnHow::Failed { message }, id, Roster::default(), "error")
            }
            status => {
                let end = finished(text, Roster::default(), loops > 0, self.ctx);
                if status != Some("completed") {
                    self.unknown_variant("status", status);
                }
                end
            }
        }
    }

    fn unknown_variant(&mut self, field: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.seen.count(Unknown::Variant, format!("{}.{field}={}", self.name, first_line(value, 40)));
        }
    }
}

/// A call. No event of Cursor asks for a permission, so no ask has to match it.
fn call(tool_use: ToolUseId, tool: &str, ended: Option<bool>) -> EventKind {
    let (tool, class) = (tool.to_owned(), ToolClass::Other);
    let ask = AskId::new(format!("use:{tool_use}"));
    match ended {
        None => EventKind::ToolStarted { tool_use, tool, class, ask },
        Some(ok) => EventKind::ToolFinished { tool_use, tool, class, ok, ask },
    }
}
