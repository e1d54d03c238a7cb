//! Hook payloads of Codex to events.

use wakeful_core::event::{
    AskKind, Event, EventKind, Place, Roster, SessionEnd, SessionStart, Source, TurnHow,
};
use wakeful_core::ids::{AgentId, Client, SessionId, SessionKey, TurnId};
use wakeful_core::time::Boot;

use super::tools::Call;
use super::{prompt, wire};
use crate::cut::{LABEL, first_line};
use crate::json::{Field, Object};
use crate::turn_end::{ended, finished, said_nothing};
use crate::{Malformed, Translation, Unknown, Unknowns};

/// The agent of an event that is a subagent's and does not say in a readable way whose (C4).
const UNREADABLE_AGENT: &str = "unreadable";
/// What is said of an event without a readable name.
const UNREADABLE_EVENT: &str = "?";

/// The events in one payload; see [`crate::translate_hook`].
///
/// # Errors
/// [`Malformed`] when the payload is not an object or has no session id.
pub fn translate(
    event_arg: Option<&str>,
    payload: &[u8],
    started: Option<Boot>,
    ctx: &Translation<'_>,
    seen: &mut Unknowns,
) -> Result<Vec<Event>, Malformed> {
    let mut object = Object::parse(payload).ok_or(Malformed::NotAnObject)?;
    let common = wire::Common::read(&mut object);
    let session = common.session_id.get().filter(|id| !id.is_empty()).ok_or(Malformed::NoSession)?;
    let name = common.event.get().map(AsRef::as_ref).or(event_arg).unwrap_or(UNREADABLE_EVENT);
    let agent = match &common.agent_id {
        Field::Absent if !matches!(name, "SubagentStart" | "SubagentStop") => None,
        Field::Absent | Field::Malformed => Some(AgentId::new(UNREADABLE_AGENT)),
        Field::Value(id) => Some(AgentId::new(id.as_ref())),
    };
    let read =
        Payload { name, object: &mut object, common: &common, agent: agent.as_ref(), ctx, seen }.kinds();
    let kinds = match read {
        Some(kinds) => {
            seen.count_rest(name, &object);
            kinds
        }
        None => {
            seen.count(Unknown::Event, first_line(name, LABEL));
            vec![EventKind::Noticed { name: first_line(name, LABEL) }]
        }
    };
    let session = SessionKey { client: Client::Codex, id: SessionId::new(session.as_ref()) };
    let turn = common.turn_id.get().map(|id| TurnId::new(id.as_ref()));
    let event = |kind| Event {
        session: session.clone(),
        source: Source::Hook,
        turn: turn.clone(),
        agent: agent.clone(),
        epoch: None,
        started,
        kind,
    };
    Ok(kinds.into_iter().map(event).collect())
}

/// One payload on its way to events.
struct Payload<'p, 'a> {
    name: &'p str,
    object: &'p mut Object<'a>,
    common: &'p wire::Common<'a>,
    agent: Option<&'p AgentId>,
    ctx: &'p Translation<'p>,
    seen: &'p mut Unknowns,
}

impl Payload<'_, '_> {
    /// What happened; `None` for an event of which nothing is known.
    fn kinds(&mut self) -> Option<Vec<EventKind>> {
        let kinds = match self.name {
            "SessionStart" => vec![self.session_start()],
            "SessionEnd" => vec![self.session_end()],
            "UserPromptSubmit" => vec![self.prompt()],
            "PreToolUse" => self.with_call(|call, _| call.started()),
            "PostToolUse" => self.with_call(|call, ctx| call.finished(true, ctx)),
            "PermissionRequest" => self.with_call(|call, _| {
                let (id, snippet) = (Some(call.ask()), call.snippet());
                vec![EventKind::AskOpened { ask: AskKind::Permission, id, snippet, outlives_turn: false }]
            }),
            "Stop" | "SubagentStop" => vec![self.stop()],
            "Interrupt" => vec![interrupted(self.common.turn_id.get().map(AsRef::as_ref))],
            "PreCompact" | "PostCompact" => {
                wire::Compact::read(self.object);
                vec![self.noticed()]
            }
            "SubagentStart" => vec![self.noticed()],
            _ => return None,
        };
        Some(kinds)
    }

    fn noticed(&self) -> EventKind {
        EventKind::Noticed { name: self.name.to_owned() }
    }

    fn session_start(&mut self) -> EventKind {
        let payload = wire::SessionStart::read(self.object);
        let start = match payload.source.get().map(AsRef::as_ref) {
            Some("startup") => SessionStart::Startup,
            Some("resume") => SessionStart::Resume,
            Some("clear") => SessionStart::Clear,
            Some("compact") => SessionStart::Compact,
            Some("fork") => SessionStart::Fork,
            other => {
                self.unknown_variant("source", other);
                SessionStart::Startup // it clears nothing and takes nothing along
            }
        };
        let place = Place {
            cwd: self.common.cwd.get().map(|cwd| cwd.to_string()),
            model: self.common.model.get().map(|model| model.to_string()),
            ..Place::default()
        };
        EventKind::SessionStarted { start, place }
    }

    /// A failed request ends the process without `Stop`, with the one reason that there is: in an open turn it has failed
    /// (C5). Whether one is open is for the session to say.
    fn session_end(&mut self) -> EventKind {
        let payload = wire::SessionEnd::read(self.object);
        match payload.reason.get().map(AsRef::as_ref) {
            Some("other") => {}
            other => self.unknown_variant("reason", other),
        }
        EventKind::SessionEnded { end: SessionEnd::Failed }
    }

    fn prompt(&mut self) -> EventKind {
        let payload = wire::UserPromptSubmit::read(self.object);
        prompt::submitted(payload.prompt.get().map_or("", AsRef::as_ref), None)
    }

    fn with_call(
        &mut self,
        make: impl FnOnce(Call<'_>, &Translation<'_>) -> Vec<EventKind>,
    ) -> Vec<EventKind> {
        let payload = wire::Tool::read(self.object);
        let call = Call {
            tool: payload.tool_name.get().map(AsRef::as_ref).unwrap_or(UNREADABLE_EVENT),
            id: payload.tool_use_id.get().map(AsRef::as_ref).unwrap_or_default(),
            input: payload.tool_input.get().copied(),
            agent: self.agent,
        };
        make(call, self.ctx)
    }

    /// No list comes with it: that proves nothing. A subagent's end closes its dialogs and nothing else (C4).
    fn stop(&mut self) -> EventKind {
        let null = self.object.is_null("last_assistant_message");
        let payload = wire::Stop::read(self.object);
        let after_stop_hook = payload.stop_hook_active.is_on();
        match payload.last_assistant_message.get() {
            None if null => said_nothing(after_stop_hook),
            message => finished(message.map(AsRef::as_ref), Roster::default(), after_stop_hook, self.ctx),
        }
    }

    fn unknown_variant(&mut self, field: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.seen.count(Unknown::Variant, format!("{}.{field}={}", self.name, first_line(value, 40)));
        }
    }
}

/// The user interrupted this turn. The same from the hook and from the rollout, so that it is one (S1).
pub(super) fn interrupted(turn: Option<&str>) -> EventKind {
    ended(TurnHow::Interrupted, turn, Roster::default(), "interrupted")
}
