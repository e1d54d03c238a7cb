//! Hook payloads of Claude Code to events.

use serde_json::value::RawValue;
use wakeful_core::event::{
    AskKind, Event, EventKind, ListedWake, Place, Roster, SessionEnd, SessionStart, Source, Task, TaskKind,
    TurnHow,
};
use wakeful_core::ids::{AgentId, AskId, Client, Digest, SessionId, SessionKey, TaskId, TurnId, WakeId};
use wakeful_core::time::Boot;

use super::cron::Schedule;
use super::tools::{self, Call};
use super::{notification, wire};
use crate::cut::{LABEL, SNIPPET, first_line};
use crate::json::{Field, Object};
use crate::turn_end::{ended, finished};
use crate::{Malformed, Translation, Unknown, Unknowns, limits};

/// The agent of an event that names one in a way that cannot be read: still not the main agent's event (C4).
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
        Field::Absent => None,
        Field::Malformed => Some(AgentId::new(UNREADABLE_AGENT)),
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
            if !wire::QUIET.contains(&name) {
                seen.count(Unknown::Event, first_line(name, LABEL));
            }
            vec![EventKind::Noticed { name: first_line(name, LABEL) }]
        }
    };
    let session = SessionKey { client: Client::ClaudeCode, id: SessionId::new(session.as_ref()) };
    let turn = common.prompt_id.get().map(|id| TurnId::new(id.as_ref()));
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
    /// What happened; `None` for an event of which nothing is read.
    fn kinds(&mut self) -> Option<Vec<EventKind>> {
        let kinds = match self.name {
            "SessionStart" => vec![self.session_start()],
            "SessionEnd" => vec![self.session_end()],
            "UserPromptSubmit" => vec![self.prompt()],
            "PreToolUse" => vec![self.with_call(|call| call.started())],
            "PostToolUse" => self.tool_finished(),
            "PostToolUseFailure" | "PermissionDenied" => vec![self.with_call(|call| call.finished(false))],
            "PermissionRequest" => vec![self.permission_request()],
            "Notification" => vec![self.notification()],
            "Elicitation" => vec![self.elicitation()],
            "ElicitationResult" => vec![self.elicitation_result()],
            "Stop" => vec![self.stop()],
            "StopFailure" => vec![self.stop_failure()],
            _ => return None,
        };
        Some(kinds)
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
                // A new epoch clears nothing that is not lost anyway, and a start takes nothing along.
                SessionStart::Startup
            }
        };
        let place = Place {
            cwd: self.common.cwd.get().map(|cwd| cwd.to_string()),
            model: payload.model.get().map(|model| model.to_string()),
            ..Place::default()
        };
        EventKind::SessionStarted { start, place }
    }

    fn session_end(&mut self) -> EventKind {
        let payload = wire::SessionEnd::read(self.object);
        let end = match payload.reason.get().map(AsRef::as_ref) {
            Some("prompt_input_exit" | "logout") => SessionEnd::User,
            Some("clear") => SessionEnd::Clear,
            Some("resume" | "other") => SessionEnd::Unknown,
            other => {
                self.unknown_variant("reason", other);
                SessionEnd::Unknown
            }
        };
        EventKind::SessionEnded { end }
    }

    fn prompt(&mut self) -> EventKind {
        let payload = wire::UserPromptSubmit::read(self.object);
        prompt_submitted(payload.prompt.get().map_or("", AsRef::as_ref))
    }

    fn with_call(&mut self, make: impl FnOnce(Call<'_>) -> EventKind) -> EventKind {
        let payload = wire::Tool::read(self.object);
        make(call_of(&payload, self.agent))
    }

    fn tool_finished(&mut self) -> Vec<EventKind> {
        let payload = wire::Tool::read(self.object);
        let call = call_of(&payload, self.agent);
        let response: Option<&RawValue> = payload.tool_response.get().copied();
        let mut kinds = vec![call.finished(true)];
        kinds.extend(tools::effects(call, response, self.ctx));
        kinds
    }

    fn permission_request(&mut self) -> EventKind {
        let payload = wire::Tool::read(self.object);
        let call = call_of(&payload, self.agent);
        let ask = match call.tool {
            "AskUserQuestion" => AskKind::Question,
            "ExitPlanMode" => AskKind::Plan,
            _ => AskKind::Permission,
        };
        EventKind::AskOpened { ask, id: Some(call.ask()), snippet: call.snippet(), outlives_turn: false }
    }

    fn notification(&mut self) -> EventKind {
        let payload = wire::Notification::read(self.object);
        // One whose type cannot be read may be an ask; a ring too many is the smaller error.
        let kind = payload.kind.get().map_or("permission_prompt", AsRef::as_ref);
        let ask = match kind {
            "permission_prompt" | "agent_needs_input" | "worker_permission_prompt" => AskKind::Permission,
            "elicitation_dialog" | "elicitation_url_dialog" => AskKind::Elicitation,
            _ => return EventKind::Noticed { name: format!("Notification {kind}") },
        };
        let snippet = payload.message.get().map(|message| first_line(message, SNIPPET)).unwrap_or_default();
        EventKind::AskOpened { ask, id: None, snippet, outlives_turn: false }
    }

    fn elicitation(&mut self) -> EventKind {
        let payload = wire::Elicitation::read(self.object);
        let said = payload.message.get().or(payload.server.get()).map(|text| first_line(text, SNIPPET));
        EventKind::AskOpened {
            ask: AskKind::Elicitation,
            id: Some(elicitation_ask(&payload, self.agent)),
            snippet: said.unwrap_or_default(),
            outlives_turn: false,
        }
    }

    fn elicitation_result(&mut self) -> EventKind {
        let payload = wire::Elicitation::read(self.object);
        EventKind::AskAnswered { id: Some(elicitation_ask(&payload, self.agent)) }
    }

    fn stop(&mut self) -> EventKind {
        let payload = wire::Stop::read(self.object);
        let message = payload.last_assistant_message.get().map(AsRef::as_ref);
        let roster = Roster {
            tasks: payload.background_tasks.ok().and_then(|rows| self.tasks(rows)),
            wakes: payload.session_crons.ok().and_then(|rows| self.wakes(rows)),
            reconstructed: false,
        };
        finished(message, roster, payload.stop_hook_active.is_on(), self.ctx)
    }

    /// The list of tasks; `None` if one row has no id: a shortened list would prove an end that never was.
    fn tasks(&mut self, rows: Vec<Object<'_>>) -> Option<Vec<Task>> {
        let mut tasks = Vec::with_capacity(rows.len());
        for mut object in rows {
            let row = wire::BackgroundTask::read(&mut object);
            self.seen.count_rest("background_tasks", &object);
            let id = TaskId::new(row.id.get()?.as_ref());
            let status = row.status.get().map(AsRef::as_ref);
            if matches!(status, Some("completed" | "failed" | "killed" | "stopped")) {
                continue; // over: the client lists only live ones today
            }
            if !matches!(status, Some("running" | "pending")) {
                self.unknown_variant("background_tasks.status", status);
            }
            let kind = match row.kind.get().map(AsRef::as_ref) {
                Some("shell") => TaskKind::Command,
                Some("monitor") => TaskKind::Monitor,
                Some("subagent") => TaskKind::Subagent,
                Some("workflow") => TaskKind::Workflow,
                other => {
                    self.unknown_variant("background_tasks.type", other);
                    TaskKind::Other
                }
            };
            let command = row.command.get();
            let shell = command.filter(|_| kind == TaskKind::Command).map(AsRef::as_ref);
            tasks.push(Task {
                id,
                kind,
                label: tools::label(row.description.get().or(row.name.get()), command, "task"),
                limit: None,
                endless: tools::endless(shell, self.ctx),
                persistent: false,
            });
        }
        Some(tasks)
    }

    fn wakes(&mut self, rows: Vec<Object<'_>>) -> Option<Vec<ListedWake>> {
        let mut wakes = Vec::with_capacity(rows.len());
        for mut object in rows {
            let row = wire::SessionCron::read(&mut object);
            self.seen.count_rest("session_crons", &object);
            // Unreadable counts as recurring: a row that comes again gives less credit than a promise for once.
            let recurring = *row.recurring.get().unwrap_or(&true);
            let schedule = row.schedule.get().and_then(|text| Schedule::parse(text));
            wakes.push(ListedWake {
                id: WakeId::new(row.id.get()?.as_ref()),
                recurring,
                prompt: Digest::of(row.prompt.get()?.as_bytes()),
                due: schedule.and_then(|schedule| schedule.due(recurring, self.ctx.zone, self.ctx.now.wall)),
            });
        }
        Some(wakes)
    }

    fn stop_failure(&mut self) -> EventKind {
        let payload = wire::StopFailure::read(self.object);
        let shown = payload.last_assistant_message.get().or(payload.error_details.get());
        let error = payload.error.get().map(AsRef::as_ref).unwrap_or("unknown");
        turn_failed(error, shown.map(AsRef::as_ref), self.ctx)
    }

    fn unknown_variant(&mut self, field: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.seen.count(Unknown::Variant, format!("{}.{field}={}", self.name, first_line(value, 40)));
        }
    }
}

fn call_of<'a>(payload: &'a wire::Tool<'_>, agent: Option<&'a AgentId>) -> Call<'a> {
    Call {
        tool: payload.tool_name.get().map(AsRef::as_ref).unwrap_or(UNREADABLE_EVENT),
        id: payload.tool_use_id.get().map(AsRef::as_ref).unwrap_or_default(),
        input: payload.tool_input.get().copied(),
        agent,
    }
}

fn elicitation_ask(payload: &wire::Elicitation<'_>, agent: Option<&AgentId>) -> AskId {
    let agent = agent.map_or("", AgentId::as_str);
    let which = payload.id.get().or(payload.server.get()).map_or("", AsRef::as_ref);
    AskId::new(format!("elicitation:{agent}:{which}"))
}

/// `PromptSubmitted` for this prompt.
pub(super) fn prompt_submitted(text: &str) -> EventKind {
    let prompt = notification::read(text);
    EventKind::PromptSubmitted {
        opener: prompt.opener,
        digest: Digest::of(text.as_bytes()),
        reports: prompt.reports,
        label: prompt.label,
    }
}

/// `TurnEnded` for an error of this kind, shown to the user in these words.
pub(super) fn turn_failed(error: &str, shown: Option<&str>, ctx: &Translation<'_>) -> EventKind {
    let message = first_line(shown.unwrap_or(error), SNIPPET);
    let how = if is_limit(error, &message) {
        let resets = limits::resets(&message, ctx.zone, ctx.now.wall);
        TurnHow::Limit { message, resets }
    } else {
        TurnHow::Failed { message }
    };
    ended(how, shown, Roster::default(), error)
}

/// A limit is over after a time or a payment; anything else (`overloaded` too: it is over in a moment) has failed.
/// Older versions did not say which error it was; then the words do.
fn is_limit(error: &str, message: &str) -> bool {
    const WORDS: [&str; 3] = ["usage limit", "limit reached", "hit your limit"];
    let says = || WORDS.iter().any(|words| message.to_ascii_lowercase().contains(words));
    matches!(error, "rate_limit" | "billing_error") || (error == "unknown" && says())
}
