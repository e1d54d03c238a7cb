//! Transcript lines of Claude Code to events, one line after another.
//!
//! Live, beside the hooks, only what the transcript owns is told (S3b). In replay the transcript is the only source
//! and everything is told: who opened each turn, what was folded into it, how it ended, and the client's two lists as
//! they must have been.

mod queue;
mod turn;

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use wakeful_core::event::{
    AskKind, Event, EventKind, Opener, Place, SessionStart, Source, TaskReport, ToolClass, TurnHow,
};
use wakeful_core::ids::{Client, Digest, SessionId, SessionKey, ToolUseId, TurnId};
use wakeful_core::time::Now;

use self::turn::{
    Closing, OpenCall, Opening, Turn, command_prompt, has_effects, is_local, is_local_output, may_be_owned,
    quick_ask,
};
use super::lines::{Block, KNOWN_QUIET, Line, Message, Origin, is_quiet};
use super::roster::Lists;
use super::tools::{self, Call};
use super::{cron, hook, notification};
use crate::cut::{LABEL, first_line};
use crate::json::{Field, Object};
use crate::telling::Telling;
pub use crate::translate::Mode;
use crate::{Told, Translation, Unknown, Unknowns, stamp, turn_end};

/// A line of a fork's file counts as copied when it is this much older than the line that the fork began with:
/// lines are written within some hundred milliseconds of their time, a copied turn is at least a second old.
const COPIED_BEFORE_MS: i64 = 1000;
/// At most this many calls are kept open; a turn with more unanswered calls is a damaged file.
const MOST_CALLS: usize = 4096;
/// Words of the client at the start of user lines that no person typed.
const INTERRUPTED: &str = "[Request interrupted by user";
const STOP_FEEDBACK: &str = "Stop hook feedback";
/// How the client says that a hook refused a prompt, and what stands before the prompt.
const PROMPT_REFUSED: &str = "UserPromptSubmit operation blocked by hook";
const REFUSED_PROMPT: &str = "\n\nOriginal prompt: ";
/// The model's name on messages that the client wrote itself.
const SYNTHETIC: &str = "<synthetic>";

/// What was not translated, for the report of a replay (R2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineCounts {
    /// Lines that are not JSON objects: damaged, or half-written.
    pub damaged: u64,
    /// Lines of subagents.
    pub sidechain: u64,
    /// Lines of the session itself.
    pub own: u64,
    /// Those of them that name another session than the one that was given: copied ones. If all do, the file's name
    /// is not the session's id, and the translator wants none given.
    pub foreign: u64,
}

impl LineCounts {
    /// The file belongs to a subagent: nothing in it is a session's.
    pub fn is_subagent_file(&self) -> bool {
        self.own == 0 && self.sidechain > 0
    }
}

/// Translates the lines of one transcript, in order.
#[derive(Debug)]
pub struct TranscriptTranslator {
    mode: Mode,
    session: Option<SessionId>,
    /// The session was given, so that lines of another one are copies.
    given: bool,
    /// A new process has begun and nothing has happened in it: two words of its start are one start.
    fresh: bool,
    /// Time of the last line that had one, for those that have none.
    last: Option<Now>,
    /// Time of the first line, when it is one of those that are never copied.
    began: Option<i64>,
    session_told: bool,
    turn: Turn,
    /// A prompt that opens a turn only if the model answers it.
    tentative: Option<Opening>,
    calls: HashMap<String, OpenCall>,
    queue: VecDeque<String>,
    /// Reports that came in while it was open whether the turn had ended: they belong after its end, if it has.
    delayed: Vec<(Now, TaskReport)>,
    lists: Lists,
    counts: LineCounts,
    unknowns: Unknowns,
}

impl TranscriptTranslator {
    /// A translator for one transcript. `session` is the id that the file's name says, if it says one: lines that
    /// name another were copied into the file. Without it each line is of the session that it names.
    pub fn new(mode: Mode, session: Option<SessionId>) -> Self {
        Self {
            mode,
            given: session.is_some(),
            session,
            fresh: false,
            last: None,
            began: None,
            session_told: false,
            turn: Turn::default(),
            tentative: None,
            calls: HashMap::new(),
            queue: VecDeque::new(),
            delayed: Vec::new(),
            lists: Lists::default(),
            counts: LineCounts::default(),
            unknowns: Unknowns::default(),
        }
    }

    /// How many lines were and were not translated.
    pub fn counts(&self) -> LineCounts {
        self.counts
    }

    /// What was unknown.
    pub fn unknowns(&self) -> &Unknowns {
        &self.unknowns
    }

    /// The events in the next line. A line without a time happened at the time of the line before it, or at `ctx.now`.
    pub fn line(&mut self, bytes: &[u8], ctx: &Translation<'_>) -> Vec<Told> {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() || is_quiet(bytes) || (self.mode == Mode::Live && !may_be_owned(bytes)) {
            return Vec::new();
        }
        let Some(mut object) = Object::parse(bytes) else {
            self.counts.damaged += 1;
            return Vec::new();
        };
        let line = Line::read(&mut object);
        if line.sidechain.is_on() {
            self.counts.sidechain += 1;
            return Vec::new();
        }
        if let (false, Some(id)) = (self.given, line.session.get())
            && self.session.as_ref().is_none_or(|own| own.as_str() != id)
        {
            self.session = Some(SessionId::new(id.as_ref()));
        }
        let at = line.timestamp.get().and_then(|text| stamp::now_at(text)).or(self.last).unwrap_or(ctx.now);
        self.last = Some(at);
        let mut told = Telling { ctx: Translation { now: at, ..*ctx }, out: Vec::new() };
        self.one(&line, &mut told);
        if self.mode == Mode::Live {
            told.keep_owned(Client::ClaudeCode, ctx.now);
        }
        told.out
    }

    /// The events that the end of the file proves.
    pub fn finish(&mut self, ctx: &Translation<'_>) -> Vec<Told> {
        let mut told =
            Telling { ctx: Translation { now: self.last.unwrap_or(ctx.now), ..*ctx }, out: Vec::new() };
        if self.mode == Mode::Replay {
            self.close(&mut told);
            self.tell_delayed(&mut told);
        }
        told.out
    }

    fn one(&mut self, line: &Line<'_>, told: &mut Telling<'_>) {
        let kind = line.kind.get().map(AsRef::as_ref).unwrap_or_default();
        if !matches!(kind, "user" | "assistant" | "system" | "queue-operation" | "attachment") {
            if !KNOWN_QUIET.contains(&kind) {
                self.unknowns.count(Unknown::Event, first_line(kind, LABEL));
            }
            return;
        }
        self.counts.own += 1;
        self.counts.foreign += u64::from(self.is_foreign(&line.session));
        if self.began.is_none() {
            // A queue line is written when the process takes its first prompt and is never copied.
            self.began = Some(if kind == "queue-operation" { told.ctx.now.wall.0 } else { i64::MIN });
        }
        match kind {
            "queue-operation" => self.queue_operation(line, told),
            "user" => self.user(line, told),
            "assistant" => self.assistant(line, told),
            "attachment" => self.attachment(line, told),
            _ => self.system(line, told),
        }
        if self.turn.closing.is_none() {
            self.tell_delayed(told);
        }
    }

    fn user(&mut self, line: &Line<'_>, told: &mut Telling<'_>) {
        let silent =
            [&line.compact_summary, &line.transcript_only, &line.companion, &line.queue_transcript_only];
        if silent.into_iter().any(Field::is_on) {
            return;
        }
        let Some(message) = line.message.get().and_then(|raw| Message::read(raw)) else {
            self.unknowns.count(Unknown::Damaged, "user.message");
            return;
        };
        let mut results = false;
        for block in &message.blocks {
            if let Block::ToolResult { id, is_error } = block {
                results = true;
                self.tool_result(id, *is_error, line, told);
            }
        }
        let Some(text) = message.text().filter(|_| !results) else { return };
        let head = text.trim_start();
        if head.starts_with(INTERRUPTED) {
            self.interrupted(line, told);
        } else if head.starts_with(STOP_FEEDBACK) && line.meta.is_on() {
            // A stop hook sent the agent on: the turn has ended and goes on.
            self.close(told);
            self.turn.open = true;
            self.turn.after_stop_hook = true;
        } else if !is_local_output(head) {
            self.prompt(line, text, told);
        }
    }

    fn prompt(&mut self, line: &Line<'_>, text: String, told: &mut Telling<'_>) {
        let origin = line.turn_origin.get().map(AsRef::as_ref);
        let said = line.origin.get().and_then(|object| Origin::read(&mut object.clone()).kind.ok());
        // Older versions do not say it: a meta line with the stored prompt of an armed wake is that wake.
        let armed = || line.meta.is_on() && self.lists.has_prompt(Digest::of(text.as_bytes()));
        let scheduled = origin == Some("scheduled") || (origin.is_none() && armed());
        let report = notification::is_notification(&text);
        // Skill texts, caveats and the like stand beside a prompt. What wakes a session is meta too.
        if line.meta.is_on() && !scheduled && !report {
            return;
        }
        let history = self.is_history(line, told);
        let opener = match said.as_deref() {
            _ if scheduled => Some(Opener::Wake),
            Some("peer") => Some(Opener::Agent),
            Some("channel" | "auto-continuation") => Some(Opener::Wake),
            _ => None,
        };
        let uuid = line.uuid.get().filter(|_| history || line.prompt_id.get().is_none());
        let opening = Opening {
            opener,
            turn: uuid.or(line.prompt_id.get()).map(|id| TurnId::new(id.as_ref())),
            at: told.ctx.now,
            history,
            place: Place { cwd: line.cwd.get().map(ToString::to_string), ..Place::default() },
            text: command_prompt(&text).unwrap_or(text),
        };
        if self.turn.closing.as_ref().is_some_and(|closing| closing.definite) {
            self.close(told);
        }
        let folds = report && self.turn.open && self.turn.closing.is_none() && line.prompt_id.get().is_none();
        let same_turn = self.turn.open && opening.turn.is_some() && opening.turn == self.turn.id;
        if folds || same_turn {
            self.folded(&opening.text, told);
        } else if is_local(&opening.text) && !scheduled {
            self.close(told);
            self.tentative = Some(opening);
        } else {
            self.close(told);
            self.open(opening, told);
        }
    }

    fn open(&mut self, opening: Opening, told: &mut Telling<'_>) {
        if self.turn.history && !opening.history {
            self.lists.clear(); // a fork takes nothing along
        }
        let at = told.ctx.now;
        told.ctx.now = opening.at;
        self.tentative = None;
        self.fresh = false;
        self.calls.clear();
        self.turn = Turn {
            id: opening.turn.clone(),
            open: true,
            history: opening.history,
            after_stop_hook: notification::is_hook_feedback(&opening.text),
            closing: None,
        };
        self.tell_session(opening.place, told);
        self.lists.turn_opened(Digest::of(opening.text.as_bytes()), opening.at);
        let mut prompt = hook::prompt_submitted(&opening.text);
        if let (Some(known), EventKind::PromptSubmitted { opener, .. }) = (opening.opener, &mut prompt) {
            *opener = known;
        }
        self.tell(prompt, opening.turn, told);
        told.ctx.now = at;
    }

    fn interrupted(&mut self, line: &Line<'_>, told: &mut Telling<'_>) {
        self.turn.closing = None;
        self.turn.open = false;
        self.calls.clear();
        let roster = match self.mode {
            Mode::Replay => self.lists.roster(told.ctx.now, told.ctx.zone),
            Mode::Live => wakeful_core::event::Roster::default(),
        };
        let shown = line.uuid.get().map(AsRef::as_ref);
        let end = turn_end::ended(TurnHow::Interrupted, shown, roster, "interrupted");
        let turn = line.prompt_id.get().map(|id| TurnId::new(id.as_ref())).or_else(|| self.turn.id.clone());
        self.tell(end, turn, told);
    }

    fn tool_result(&mut self, id: &str, is_error: bool, line: &Line<'_>, told: &mut Telling<'_>) {
        let Some(open) = self.calls.remove(id) else { return };
        self.turn.closing = None;
        let response = line.tool_use_result.get().copied();
        // After an error the result is a text in the place of an object.
        let refused =
            line.denial.get().is_some() || response.is_some_and(|raw| raw.get().starts_with("\"Error"));
        let ok = !is_error && !refused;
        let input = open.input.as_deref();
        let call = Call { tool: &open.tool, id, input, agent: None };
        let ask = if call.class() == ToolClass::Ask { call.ask() } else { quick_ask(id) };
        let turn = self.turn.id.clone();
        let finished = EventKind::ToolFinished {
            tool_use: ToolUseId::new(id),
            tool: open.tool.clone(),
            class: call.class(),
            ok,
            ask,
        };
        self.tell(finished, turn.clone(), told);
        if !ok {
            return;
        }
        let schedule = call.fields().cron.get().and_then(|text| cron::Schedule::parse(text));
        for effect in tools::effects(call, response, &told.ctx) {
            self.lists.apply(&effect, schedule.clone());
            self.tell_only(effect, turn.clone(), told);
        }
    }

    fn assistant(&mut self, line: &Line<'_>, told: &mut Telling<'_>) {
        let Some(message) = line.message.get().and_then(|raw| Message::read(raw)) else {
            self.unknowns.count(Unknown::Damaged, "assistant.message");
            return;
        };
        if line.api_error.is_on() {
            return self.failed(line, &message, told);
        }
        if message.model.as_deref() == Some(SYNTHETIC) {
            return;
        }
        if let Some(opening) = self.tentative.take() {
            self.open(opening, told);
        }
        self.turn.history |= self.is_history(line, told);
        let same = |closing: &Closing| {
            closing.message.is_some() && closing.message.as_deref() == message.id.as_deref()
        };
        let before = self.turn.closing.take();
        let earlier_text = match before {
            Some(closing) if same(&closing) => closing.text,
            Some(closing) if closing.definite => {
                self.turn.closing = Some(closing);
                self.close(told);
                None
            }
            _ => None,
        };
        if !self.turn.open {
            // No prompt opened it again: a stop hook sent the agent on (capture 09b).
            self.turn.open = true;
            self.turn.after_stop_hook = true;
        }
        self.tell_session(Place { cwd: line.cwd.get().map(ToString::to_string), ..Place::default() }, told);
        let mut calls = false;
        for block in &message.blocks {
            if let Block::ToolUse { id, name, input } = block {
                calls = true;
                self.tool_use(id, name, *input, told);
            }
        }
        let reason = message.stop_reason.as_deref();
        if !calls && !matches!(reason, Some("tool_use" | "pause_turn")) {
            self.turn.closing = Some(Closing {
                text: message.text().or(earlier_text),
                message: message.id.map(|id| id.into_owned()),
                at: told.ctx.now,
                definite: matches!(reason, Some("end_turn" | "stop_sequence" | "refusal")),
            });
        }
    }

    fn tool_use(
        &mut self,
        id: &str,
        name: &str,
        input: Option<&serde_json::value::RawValue>,
        told: &mut Telling<'_>,
    ) {
        let call = Call { tool: name, id, input, agent: None };
        let class = call.class();
        let ask = if class == ToolClass::Ask { call.ask() } else { quick_ask(id) };
        let turn = self.turn.id.clone();
        let tool = name.to_owned();
        self.tell(
            EventKind::ToolStarted { tool_use: ToolUseId::new(id), tool, class, ask: ask.clone() },
            turn.clone(),
            told,
        );
        if class == ToolClass::Ask {
            let kind = if name == "ExitPlanMode" { AskKind::Plan } else { AskKind::Question };
            let opened = EventKind::AskOpened {
                ask: kind,
                id: Some(ask),
                snippet: call.snippet(),
                outlives_turn: false,
            };
            self.tell(opened, turn, told);
        }
        if self.calls.len() < MOST_CALLS {
            let input = input.filter(|_| has_effects(name)).map(ToOwned::to_owned);
            self.calls.insert(id.to_owned(), OpenCall { tool: name.to_owned(), input });
        }
    }

    fn failed(&mut self, line: &Line<'_>, message: &Message<'_>, told: &mut Telling<'_>) {
        if let Some(opening) = self.tentative.take() {
            self.open(opening, told);
        }
        self.turn.history |= self.is_history(line, told);
        self.turn.closing = None;
        self.turn.open = false;
        let error = line.error.get().map(AsRef::as_ref).unwrap_or("unknown");
        let mut kind = hook::turn_failed(error, message.text().as_deref(), &told.ctx);
        if let EventKind::TurnEnded(end) = &mut kind {
            end.roster = self.lists.roster(told.ctx.now, told.ctx.zone);
        }
        let turn = self.turn.id.clone();
        self.tell(kind, turn, told);
    }

    fn system(&mut self, line: &Line<'_>, told: &mut Telling<'_>) {
        match line.subtype.get().map(AsRef::as_ref) {
            Some("stop_hook_summary" | "turn_duration") => self.close(told),
            Some("informational") => self.prompt_refused(line, told),
            // The client tries again: a sign of life.
            Some("api_error" | "compact_boundary") => {
                let name = line.subtype.get().map(ToString::to_string).unwrap_or_default();
                let turn = self.turn.id.clone();
                self.tell(EventKind::Noticed { name }, turn, told);
            }
            _ => {}
        }
    }

    /// A hook of somebody refused a prompt: it stands only in this message, but every other hook has seen it open a
    /// turn (capture 33). So it does here.
    fn prompt_refused(&mut self, line: &Line<'_>, told: &mut Telling<'_>) {
        let content = line.content.get().map(AsRef::as_ref).unwrap_or_default();
        let refused = content.strip_prefix(PROMPT_REFUSED).and_then(|rest| rest.split_once(REFUSED_PROMPT));
        let Some((_, text)) = refused else { return };
        self.close(told);
        let opening = Opening {
            text: text.to_owned(),
            opener: None,
            turn: line.uuid.get().map(|id| TurnId::new(id.as_ref())),
            at: told.ctx.now,
            history: self.is_history(line, told),
            place: Place::default(),
        };
        self.open(opening, told);
    }

    /// Ends the turn if it looks ended.
    fn close(&mut self, told: &mut Telling<'_>) {
        let Some(closing) = self.turn.closing.take() else { return };
        let now = told.ctx.now;
        told.ctx.now = closing.at;
        let roster = self.lists.roster(closing.at, told.ctx.zone);
        let end = turn_end::finished(closing.text.as_deref(), roster, self.turn.after_stop_hook, &told.ctx);
        self.turn.open = false;
        let turn = self.turn.id.clone();
        self.tell(end, turn, told);
        told.ctx.now = now;
        self.tell_delayed(told);
    }

    fn tell_delayed(&mut self, told: &mut Telling<'_>) {
        let now = told.ctx.now;
        for (at, report) in std::mem::take(&mut self.delayed) {
            told.ctx.now = at;
            self.tell(EventKind::TaskFinished(report), None, told);
        }
        told.ctx.now = now;
    }

    /// A new process serves the session: what the old one had is gone.
    fn resumed(&mut self, told: &mut Telling<'_>) {
        if std::mem::replace(&mut self.fresh, true) {
            return;
        }
        self.close(told);
        self.lists.clear();
        self.calls.clear();
        self.turn.open = false;
        self.session_told = true;
        self.tell(
            EventKind::SessionStarted { start: SessionStart::Resume, place: Place::default() },
            None,
            told,
        );
    }

    fn tell_session(&mut self, place: Place, told: &mut Telling<'_>) {
        if !self.session_told {
            self.session_told = true;
            self.tell(EventKind::SessionStarted { start: SessionStart::Startup, place }, None, told);
        }
    }

    fn tell(&mut self, kind: EventKind, turn: Option<TurnId>, told: &mut Telling<'_>) {
        self.lists.apply(&kind, None);
        self.tell_only(kind, turn, told);
    }

    fn tell_only(&self, kind: EventKind, turn: Option<TurnId>, told: &mut Telling<'_>) {
        let Some(id) = self.session.clone() else { return };
        let event = Event {
            session: SessionKey { client: Client::ClaudeCode, id },
            source: Source::Transcript,
            turn,
            agent: None,
            epoch: None,
            started: None,
            kind,
        };
        told.out.push(Told { at: told.ctx.now, history: self.turn.history, event });
    }

    fn is_foreign(&self, session: &Field<Cow<'_, str>>) -> bool {
        let own = self.session.as_ref().map(SessionId::as_str);
        own.is_some() && session.get().is_some_and(|id| own != Some(id.as_ref()))
    }

    /// The line was copied from another session.
    fn is_history(&self, line: &Line<'_>, told: &Telling<'_>) -> bool {
        let foreign = self.is_foreign(&line.session) || self.is_foreign(&line.request_session);
        let older =
            self.began.is_some_and(|began| told.ctx.now.wall.0.saturating_add(COPIED_BEFORE_MS) < began);
        foreign || older || line.forked_from.get().is_some()
    }
}
