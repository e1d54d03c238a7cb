//! Lines of a rollout to events, one after another.
//!
//! Live, beside the hooks, only what the rollout owns is told (S3b): that a request failed. In replay it is the only
//! source and everything is told. No list of what is live is rebuilt, although commands that run on can be seen: none of
//! them will ever wake the agent, hooks do not know them either, and both sources must decide the same (A24).

mod turn;

use std::collections::HashMap;

use wakeful_core::event::{Event, EventKind, Place, Roster, SessionStart, Source, TurnHow};
use wakeful_core::ids::{Client, Digest, SessionId, SessionKey, TurnId};
use wakeful_core::time::{Millis, Now};

use self::turn::{Failure, OpenCall, Said, Turn, born, call_input, may_be_owned, tool_name};
use super::lines::{
    Attribution, Event as Message, Item, KNOWN_QUIET, Line, Meta, Response, TurnContext, TurnError,
    error_word, is_helper, is_quiet, text_of,
};
use super::tools::{Call, SHELL, is_refusal};
use super::{hook, prompt};
use crate::cut::{LABEL, SNIPPET, first_line};
use crate::json::Object;
use crate::telling::Telling;
pub use crate::translate::Mode;
use crate::turn_end::{ended, finished, said_nothing};
use crate::{Told, Translation, Unknown, Unknowns, limits, stamp};

/// The history of a fork is written in one go when the fork begins.
const COPIED_WITHIN_MS: i64 = 1000;
/// At most this many calls are kept open; a turn with more unanswered calls is a damaged file.
const MOST_CALLS: usize = 4096;
/// Items without a time of their own are told apart by this much.
const NO_TIME: Millis = Millis(1);

/// Translates the lines of one rollout, in order.
#[derive(Debug)]
pub struct RolloutTranslator {
    mode: Mode,
    session: Option<SessionId>,
    /// The first line of meta data was read.
    met: bool,
    /// The rollout is no session of a user.
    helper: bool,
    fork: bool,
    /// When the rollout began, while its lines are still copies from another one.
    copying: Option<i64>,
    last: Option<Now>,
    place: Place,
    session_told: bool,
    /// The user's messages come as events, so those among the model's items are the same once more.
    has_events: bool,
    turn: Turn,
    /// A message of the user among the model's items, until an event says the same or the agent answers it.
    tentative: Option<Said>,
    calls: HashMap<String, OpenCall>,
    damaged: u64,
    unknowns: Unknowns,
}

impl RolloutTranslator {
    /// A translator for one rollout. `session` is the id in the file's name, if it has one.
    pub fn new(mode: Mode, session: Option<SessionId>) -> Self {
        Self {
            mode,
            session,
            met: false,
            helper: false,
            fork: false,
            copying: None,
            last: None,
            place: Place::default(),
            session_told: false,
            has_events: false,
            turn: Turn::default(),
            tentative: None,
            calls: HashMap::new(),
            damaged: 0,
            unknowns: Unknowns::default(),
        }
    }

    /// Lines that are not JSON objects: damaged, or half-written.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// The rollout belongs to a subagent or to another helper: nothing in it is a session's.
    pub fn is_subagent_file(&self) -> bool {
        self.helper
    }

    /// What was unknown.
    pub fn unknowns(&self) -> &Unknowns {
        &self.unknowns
    }

    /// The events in the next line. A line without a time happened just after the line before it, or at `ctx.now`.
    pub fn line(&mut self, bytes: &[u8], ctx: &Translation<'_>) -> Vec<Told> {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() || is_quiet(bytes) || (self.mode == Mode::Live && !may_be_owned(bytes)) {
            return Vec::new();
        }
        let Some(mut object) = Object::parse(bytes) else {
            self.damaged += 1;
            return Vec::new();
        };
        let line = Line::read(&mut object);
        let stated = line.timestamp.get().and_then(|text| stamp::now_at(text));
        let at = stated.or(self.last.map(|last| last.plus(NO_TIME))).unwrap_or(ctx.now);
        self.last = Some(at);
        let mut told = Telling { ctx: Translation { now: at, ..*ctx }, out: Vec::new() };
        self.one(line, object, &mut told);
        if self.mode == Mode::Live {
            told.keep_owned(Client::Codex, ctx.now);
        }
        told.out
    }

    /// The events that the end of the file proves.
    pub fn finish(&mut self, ctx: &Translation<'_>) -> Vec<Told> {
        let mut told =
            Telling { ctx: Translation { now: self.last.unwrap_or(ctx.now), ..*ctx }, out: Vec::new() };
        if self.mode == Mode::Replay {
            self.close(&mut told);
        }
        told.out
    }

    fn one<'a>(&mut self, line: Line<'a>, mut object: Object<'a>, told: &mut Telling<'_>) {
        let kind = line.kind.get().map(|kind| kind.to_string()).unwrap_or_default();
        let bare = line.payload.get().is_none();
        let mut payload = line.payload.ok().unwrap_or_default();
        if kind == "session_meta" || (kind.is_empty() && !self.met) {
            let meta = Meta::read(if bare { &mut object } else { &mut payload });
            return self.meta(&meta, told);
        }
        if self.helper {
            return;
        }
        self.end_of_copies(told.ctx.now.wall.0);
        match kind.as_str() {
            "event_msg" => self.event(payload, told),
            "response_item" => self.response(&Response::read(&mut payload), told),
            "turn_context" => self.context(&TurnContext::read(&mut payload)),
            "message"
            | "function_call"
            | "function_call_output"
            | "custom_tool_call"
            | "custom_tool_call_output"
            | "local_shell_call"
                if bare =>
            {
                let mut response = Response::read(&mut object);
                response.kind = crate::json::Field::Value(kind.as_str().into());
                self.response(&response, told);
            }
            "" => {} // the first versions write their state between the items
            other => self.unknown(other),
        }
    }

    fn meta(&mut self, meta: &Meta<'_>, told: &mut Telling<'_>) {
        let id = meta.id.get().filter(|id| !id.is_empty());
        if !std::mem::replace(&mut self.met, true) {
            self.helper = is_helper(meta);
            self.fork = meta.forked_from.get().is_some();
            self.place.cwd = meta.cwd.get().map(ToString::to_string);
            if self.session.is_none() {
                self.session = id.map(|id| SessionId::new(id.as_ref()));
            }
            self.copying = self.fork.then_some(told.ctx.now.wall.0);
        } else if id.is_some_and(|id| self.session.as_ref().is_some_and(|own| own.as_str() != id)) {
            self.copying = self.copying.or(Some(told.ctx.now.wall.0));
        }
    }

    fn context(&mut self, context: &TurnContext<'_>) {
        if let Some(model) = context.model.get() {
            self.place.model = Some(model.to_string());
        }
        if let Some(cwd) = context.cwd.get() {
            self.place.cwd = Some(cwd.to_string());
        }
    }

    /// Copies end where time goes on; see also [`Self::task_started`].
    fn end_of_copies(&mut self, now: i64) {
        if self.copying.is_some_and(|began| now > began.saturating_add(COPIED_WITHIN_MS)) {
            self.own_from_here();
        }
    }

    fn own_from_here(&mut self) {
        if self.copying.take().is_some() {
            self.turn = Turn::default(); // a fork takes nothing along
            self.tentative = None;
            self.calls.clear();
        }
    }

    fn event(&mut self, mut payload: Object<'_>, told: &mut Telling<'_>) {
        let null = payload.is_null("last_agent_message");
        let event = Message::read(&mut payload);
        match event.kind.get().map(AsRef::as_ref).unwrap_or_default() {
            "task_started" | "turn_started" => self.task_started(&event, told),
            "task_complete" | "turn_complete" => self.task_complete(&event, null, told),
            "turn_aborted" => self.aborted(&event, told),
            "item_completed" => self.item(&event, told),
            "user_message" => {
                if let Some(text) = event.message.get() {
                    self.user(text, told);
                }
            }
            "agent_message" => {
                if let Some(text) = event.message.get() {
                    self.said(text.to_string(), told);
                }
            }
            "error" => {
                let info = event.error_info.get().and_then(|info| error_word(info));
                let message = event.message.get().map(ToString::to_string);
                self.turn.failure = Some(Failure { word: info, message, at: told.ctx.now });
            }
            // The client tries again: a sign of life.
            "stream_error" | "warning" => self.tell(EventKind::Noticed { name: "stream_error".into() }, told),
            other => self.unknown(other),
        }
    }

    fn task_started(&mut self, event: &Message<'_>, told: &mut Telling<'_>) {
        let id = event.turn_id.get().map(|id| TurnId::new(id.as_ref()));
        let newer = |id: &TurnId| Some(born(id.as_str())? >= born(self.session.as_ref()?.as_str())?);
        if id.as_ref().and_then(newer) == Some(true) {
            self.own_from_here();
        }
        let cut_off = self.turn.open && self.turn.explicit && self.turn.told && self.turn.failure.is_none();
        self.close(told);
        if cut_off {
            // Turns follow one another within a process: another one has taken over.
            let start = SessionStart::Resume;
            self.turn = Turn::default();
            self.tell(EventKind::SessionStarted { start, place: self.place.clone() }, told);
        }
        let attribution = event.attribution.get().map(|object| Attribution::read(&mut object.clone()));
        let trigger = attribution.and_then(|attribution| attribution.trigger.ok());
        self.turn = Turn {
            id,
            trigger: trigger.map(|trigger| trigger.to_string()),
            open: true,
            explicit: true,
            ..Turn::default()
        };
        self.tentative = None;
        self.calls.clear();
    }

    fn item(&mut self, event: &Message<'_>, told: &mut Telling<'_>) {
        let Some(item) = event.item.get().map(|object| Item::read(&mut object.clone())) else {
            return self.unknowns.count(Unknown::Damaged, "item_completed.item");
        };
        let text = || item.content.get().and_then(|content| text_of(content));
        match item.kind.get().map(AsRef::as_ref) {
            Some("UserMessage") => {
                // One that is only an image has no text, and opens a turn all the same.
                self.user(&text().unwrap_or_default(), told);
            }
            Some("AgentMessage") if item.delivery.get().is_none() => {
                if let Some(text) = text() {
                    self.said(text, told);
                }
            }
            Some("HookPrompt") => self.sent_on(told),
            Some("CommandExecution") => self.command(&item, event, told),
            _ => {}
        }
    }

    /// A message of the user: it opens a turn, or is steered into the open one.
    fn user(&mut self, text: &str, told: &mut Telling<'_>) {
        if text.trim_start().starts_with("<hook_prompt") {
            return self.sent_on(told);
        }
        if prompt::is_injected(text) {
            return;
        }
        self.has_events = true;
        self.tentative = None;
        let digest = Digest::of(text.as_bytes());
        if self.turn.open && self.turn.prompt == Some(digest) && !self.turn.acted {
            return; // versions that write both the event and the item
        }
        self.open(text, told);
    }

    fn open(&mut self, text: &str, told: &mut Telling<'_>) {
        if !(self.turn.open && self.turn.explicit) {
            self.close(told);
            self.turn = Turn { open: true, ..Turn::default() };
            self.calls.clear();
        }
        self.turn.prompt = Some(Digest::of(text.as_bytes()));
        (self.turn.said, self.turn.acted) = (None, false);
        let trigger = self.turn.trigger.take().filter(|_| !self.turn.told);
        self.tell(prompt::submitted(text, trigger.as_deref()), told);
    }

    /// The agent does something: whatever waited for that is decided.
    fn acts(&mut self, told: &mut Telling<'_>) {
        if let Some(asked) = self.tentative.take() {
            let now = std::mem::replace(&mut told.ctx.now, asked.at);
            self.open(&asked.text, told);
            told.ctx.now = now;
        }
        if self.turn.prompt.is_none()
            && let (true, false, Some(trigger)) = (self.turn.open, self.turn.told, self.turn.trigger.take())
            && prompt::opener("", Some(&trigger)) != wakeful_core::event::Opener::User
        {
            // The client opened it by itself, and without words of its own.
            self.tell(prompt::submitted(&trigger, Some(&trigger)), told);
        }
        if !self.turn.open && !self.turn.explicit {
            self.turn.open = true; // it goes on
        }
        self.turn.acted = true;
        if !self.turn.explicit {
            self.turn.failure = None; // it was tried again
        }
    }

    fn said(&mut self, text: String, told: &mut Telling<'_>) {
        self.acts(told);
        self.turn.said = Some(Said { text, at: told.ctx.now });
    }

    /// A stop hook sent the agent on: the turn has ended and goes on.
    fn sent_on(&mut self, told: &mut Telling<'_>) {
        if let Some(said) = self.turn.said.take() {
            self.finished(Some(&said.text), said.at, told);
            self.turn.open = true;
            self.turn.after_stop_hook = true;
        }
    }

    /// A command that ran. In code mode there is no other sign of it.
    fn command(&mut self, item: &Item<'_>, event: &Message<'_>, told: &mut Telling<'_>) {
        let id = item.id.get().map(AsRef::as_ref).unwrap_or_default();
        let of_turn = self.turn.open && event.turn_id.get().map(AsRef::as_ref) == self.turn.id_str();
        if !of_turn || self.turn.calls.contains(id) {
            return; // it ended in the background, or its call is known
        }
        self.acts(told);
        let call = Call { tool: SHELL, id, input: None, agent: None };
        let ok = item.exit_code.get() == Some(&0);
        for kind in call.started().into_iter().chain(call.finished(ok, &told.ctx)) {
            self.tell(kind, told);
        }
    }

    fn response(&mut self, item: &Response<'_>, told: &mut Telling<'_>) {
        match item.kind.get().map(AsRef::as_ref).unwrap_or_default() {
            "message" => self.message(item, told),
            "function_call" | "custom_tool_call" | "local_shell_call" => self.call(item, told),
            "function_call_output" | "custom_tool_call_output" => self.output(item, told),
            other => self.unknown(other),
        }
    }

    fn message(&mut self, item: &Response<'_>, told: &mut Telling<'_>) {
        let Some(text) = item.content.get().and_then(|content| text_of(content)) else { return };
        match item.role.get().map(AsRef::as_ref) {
            Some("user") if !self.has_events && !prompt::is_injected(&text) => {
                self.tentative = Some(Said { text, at: told.ctx.now });
            }
            Some("assistant") => self.said(text, told),
            _ => {}
        }
    }

    fn call(&mut self, item: &Response<'_>, told: &mut Telling<'_>) {
        self.acts(told);
        self.turn.said = None; // it was no last word
        let id = item.call_id.get().map(AsRef::as_ref).unwrap_or_default();
        let tool = tool_name(item);
        let input = call_input(&tool, item);
        let call = Call { tool: &tool, id, input: input.as_deref(), agent: None };
        for kind in call.started() {
            self.tell(kind, told);
        }
        if self.calls.len() < MOST_CALLS {
            self.turn.calls.insert(id.to_owned());
            self.calls.insert(id.to_owned(), OpenCall { tool, input });
        }
    }

    fn output(&mut self, item: &Response<'_>, told: &mut Telling<'_>) {
        let id = item.call_id.get().map(AsRef::as_ref).unwrap_or_default();
        let Some(open) = self.calls.remove(id) else { return };
        let call = Call { tool: &open.tool, id, input: open.input.as_deref(), agent: None };
        let refused = item.output.get().is_some_and(|output| is_refusal(output));
        for kind in call.finished(!refused, &told.ctx) {
            self.tell(kind, told);
        }
    }

    fn task_complete(&mut self, event: &Message<'_>, null: bool, told: &mut Telling<'_>) {
        let id = event.turn_id.get().map(|id| TurnId::new(id.as_ref()));
        if id.is_some() && id != self.turn.id {
            if self.turn.explicit && self.turn.open {
                return; // of another turn than the open one
            }
            self.turn = Turn { id, open: true, explicit: true, acted: true, ..self.turn.taken() };
        }
        let error = event.error.get().map(|object| TurnError::read(&mut object.clone()));
        let error = error.map(|error| Failure {
            word: error.error_info.get().and_then(|info| error_word(info)),
            message: error.message.ok().map(|message| message.into_owned()),
            at: told.ctx.now,
        });
        let message = event.last_agent_message.get().map(AsRef::as_ref);
        let before = self.turn.failure.take().filter(|_| message.is_none());
        let said = self.turn.said.take();
        if let Some(failure) = error.or(before) {
            return self.failed(&failure, told.ctx.now, told);
        }
        let nothing = null || event.last_agent_message == crate::json::Field::Absent;
        match (message, said) {
            // A compaction is no turn.
            (None, None) if nothing && !self.turn.told && !self.turn.acted => self.turn.open = false,
            (None, None) if nothing => {
                let end = said_nothing(self.turn.after_stop_hook);
                self.tell(end, told);
                self.turn.open = false;
            }
            (None, Some(said)) if nothing => self.finished(Some(&said.text), told.ctx.now, told),
            (message, _) => self.finished(message, told.ctx.now, told),
        }
    }

    fn aborted(&mut self, event: &Message<'_>, told: &mut Telling<'_>) {
        if let Some(id) = event.turn_id.get() {
            self.turn.id = Some(TurnId::new(id.as_ref()));
        }
        self.acts(told);
        let end = match event.reason.get().map(AsRef::as_ref) {
            Some("budget_limited") => {
                let message = "the turn's budget is used up".to_owned();
                ended(TurnHow::Limit { message, resets: None }, None, Roster::default(), "budget")
            }
            // `replaced`, `review_ended`: another turn follows at once.
            _ => hook::interrupted(self.turn.id_str()),
        };
        self.tell(end, told);
        self.turn = self.turn.taken();
    }

    /// Ends a turn of which no line says that it ended: one of an older version, or one that died of an error.
    fn close(&mut self, told: &mut Telling<'_>) {
        if !self.turn.open {
            return;
        }
        if let Some(failure) = self.turn.failure.take() {
            let at = failure.at;
            return self.failed(&failure, at, told);
        }
        if let (false, Some(said)) = (self.turn.explicit, self.turn.said.take()) {
            self.finished(Some(&said.text), said.at, told);
        }
    }

    fn finished(&mut self, message: Option<&str>, at: Now, told: &mut Telling<'_>) {
        let now = std::mem::replace(&mut told.ctx.now, at);
        let end = finished(message, Roster::default(), self.turn.after_stop_hook, &told.ctx);
        self.tell(end, told);
        self.turn.open = false;
        told.ctx.now = now;
    }

    fn failed(&mut self, failure: &Failure, at: Now, told: &mut Telling<'_>) {
        let now = std::mem::replace(&mut told.ctx.now, at);
        let shown = failure.message.as_deref();
        let word = failure.word.as_deref().unwrap_or("error");
        let message = first_line(shown.unwrap_or(word), SNIPPET);
        let how = if failure.is_limit() {
            let resets = limits::resets(&message, told.ctx.zone, told.ctx.now.wall);
            TurnHow::Limit { message, resets }
        } else {
            TurnHow::Failed { message }
        };
        self.tell(ended(how, shown, Roster::default(), word), told);
        self.turn.open = false;
        told.ctx.now = now;
    }

    fn unknown(&mut self, kind: &str) {
        if !KNOWN_QUIET.contains(&kind) && !kind.is_empty() {
            self.unknowns.count(Unknown::Event, first_line(kind, LABEL));
        }
    }

    fn tell(&mut self, kind: EventKind, told: &mut Telling<'_>) {
        let Some(id) = self.session.clone() else { return };
        let session = SessionKey { client: Client::Codex, id };
        let history = self.copying.is_some();
        let mut event = |kind, turn| {
            let event = Event {
                session: session.clone(),
                source: Source::Transcript,
                turn,
                agent: None,
                epoch: None,
                started: None,
                kind,
            };
            told.out.push(Told { at: told.ctx.now, history, event });
        };
        if !history && !std::mem::replace(&mut self.session_told, true) {
            let start = if self.fork { SessionStart::Fork } else { SessionStart::Startup };
            event(EventKind::SessionStarted { start, place: self.place.clone() }, None);
        }
        event(kind, self.turn.id.clone());
        self.turn.told = true;
    }
}
