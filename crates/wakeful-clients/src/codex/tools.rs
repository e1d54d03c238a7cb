//! Calls of tools. Hooks and rollouts both come here, so that they cannot differ.
//!
//! No call starts a task of the ledger. A command may go on in the background (`Process running with session ID …`),
//! and so may a subagent, but neither ends in a wake (0.171.0, captures appserver, approval): what nobody will report
//! is no debt (A24). Wakeful may adopt it (A24b); that is read from the process table, not from a call.

use serde_json::value::RawValue;
use wakeful_core::event::{AskKind, EventKind, ToolClass};
use wakeful_core::ids::{AgentId, AskId, ToolUseId};

use super::wire::{Question, ToolInput};
use crate::Translation;
use crate::ask::call_ask_id;
use crate::cut::{SNIPPET, first_line};
use crate::json::{FromRaw, Object};

/// The shell's name in hooks.
pub(crate) const SHELL: &str = "Bash";
/// What a permission request has in its input and the call itself has not: the agent's reason (capture approval).
const REQUEST_FIELDS: [&str; 1] = ["description"];
/// Waits for the answer (plan mode).
const ASK: &str = "request_user_input";
/// Goes on: the answer comes with a later prompt.
const ASK_LATER: &str = "request_user_input_async";
/// Says something to the user in the middle of a turn, and goes on.
const TELL: &str = "send_message_to_user_async";

/// One call of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The tool's name, as hooks write it.
    pub(crate) tool: &'a str,
    /// The call's id.
    pub(crate) id: &'a str,
    /// Its input.
    pub(crate) input: Option<&'a RawValue>,
    /// The subagent that made it.
    pub(crate) agent: Option<&'a AgentId>,
}

impl<'a> Call<'a> {
    /// What kind of tool it is. One that starts a subagent returns at once, so the turn never waits for it.
    fn class(&self) -> ToolClass {
        if self.tool == ASK { ToolClass::Ask } else { ToolClass::Other }
    }

    /// The ask that stands before this call, or that it is.
    pub(crate) fn ask(&self) -> AskId {
        call_ask_id(self.agent, self.tool, self.input, &REQUEST_FIELDS)
    }

    /// The start of the call, and the question that it puts and waits for.
    pub(crate) fn started(&self) -> Vec<EventKind> {
        let question = (self.tool == ASK).then(|| self.question(self.snippet(), false));
        // The start of a question must not clear the question, also when the same hook runs twice (S1).
        let ask = if question.is_some() { self.apart() } else { self.ask() };
        let tool_use = ToolUseId::new(self.id);
        let started =
            EventKind::ToolStarted { tool_use, tool: self.tool.to_owned(), class: self.class(), ask };
        [started].into_iter().chain(question).collect()
    }

    /// The end of the call. It answers what the call asked; one that does not wait for its answer has put its question
    /// only now, because the client may refuse the call (capture codemode).
    pub(crate) fn finished(&self, ok: bool, ctx: &Translation<'_>) -> Vec<EventKind> {
        let question = if ok { self.asked_for_later(ctx) } else { None };
        let later = matches!(self.tool, ASK_LATER | TELL);
        let finished = EventKind::ToolFinished {
            tool_use: ToolUseId::new(self.id),
            tool: self.tool.to_owned(),
            class: self.class(),
            ok,
            ask: if later { self.apart() } else { self.ask() },
        };
        [finished].into_iter().chain(question).collect()
    }

    /// An ask that is nobody's.
    fn apart(&self) -> AskId {
        AskId::new(format!("use:{}", self.id))
    }

    fn asked_for_later(&self, ctx: &Translation<'_>) -> Option<EventKind> {
        let snippet = match self.tool {
            ASK_LATER => self.snippet(),
            TELL => {
                let input = self.fields();
                let asks = (ctx.readers.read)(input.message.get()?, ctx.now).asks_user?;
                first_line(&asks.snippet, SNIPPET)
            }
            _ => return None,
        };
        Some(self.question(snippet, true))
    }

    fn question(&self, snippet: String, outlives_turn: bool) -> EventKind {
        EventKind::AskOpened { ask: AskKind::Question, id: Some(self.ask()), snippet, outlives_turn }
    }

    /// What the call asks or would do, for people.
    pub(crate) fn snippet(&self) -> String {
        let input = self.fields();
        let text = match self.tool {
            ASK | ASK_LATER => questions(&input),
            _ => {
                input.command.get().map(|command| format!("{}: {}", self.tool, first_line(command, SNIPPET)))
            }
        };
        first_line(text.as_deref().unwrap_or(self.tool), SNIPPET)
    }

    /// The fields of the input; of an unreadable one, none.
    fn fields(&self) -> ToolInput<'a> {
        ToolInput::read(&mut self.input.and_then(Object::from_raw).unwrap_or_default())
    }
}

fn questions(input: &ToolInput<'_>) -> Option<String> {
    let asked: Vec<_> = input
        .questions
        .get()?
        .iter()
        .filter_map(|question| {
            let question = Question::read(&mut question.clone());
            question.question.ok().or(question.title.ok())
        })
        .collect();
    match asked.as_slice() {
        [] => None,
        [only] => Some(only.to_string()),
        [first, rest @ ..] => Some(format!("{} (and {} more)", first_line(first, SNIPPET - 20), rest.len())),
    }
}

/// Whether the client did not carry the call out, by what it answered. Whatever is not known to say so counts as done:
/// an unasked question is a needless ping, a question that nobody sees is worse.
pub(crate) fn is_refusal(output: &str) -> bool {
    const STARTS: [&str; 3] = ["failed to parse", "unsupported call", "Command blocked by"];
    STARTS.iter().any(|start| output.starts_with(start))
        || output.starts_with(ASK) && output.contains("is unavailable in")
}
