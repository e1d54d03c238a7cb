//! What a model is to say.

use std::sync::{Arc, Condvar, Mutex};

use serde_json::Value;

use crate::patience::PATIENCE;

/// Who asks the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The main thread of a session.
    Main,
    /// A subagent.
    Sub,
    /// The client itself: titles, classifiers, summaries. Answered without a script.
    Aux,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Text.
    Text(String),
    /// A tool call.
    Call {
        /// The tool.
        tool: String,
        /// Its input.
        input: Value,
    },
}

/// One answer. It is given once, to the first request that it fits; turns are tried in the order of the script.
#[derive(Debug, Clone)]
pub struct Turn {
    pub(super) role: Role,
    pub(super) when: Option<String>,
    pub(super) blocks: Vec<Block>,
    pub(super) gate: Option<Gate>,
    pub(super) failure: Option<u16>,
}

impl Turn {
    fn of(blocks: Vec<Block>) -> Self {
        Self { role: Role::Main, when: None, blocks, gate: None, failure: None }
    }

    /// Says `text`, which ends the turn.
    pub fn text(text: &str) -> Self {
        Self::of(vec![Block::Text(text.to_owned())])
    }

    /// Calls `tool`.
    pub fn call(tool: &str, input: Value) -> Self {
        Self::of(vec![Block::Call { tool: tool.to_owned(), input }])
    }

    /// The request fails with this HTTP status, which the client is told not to try again.
    pub fn failure(status: u16) -> Self {
        Self { failure: Some(status), ..Self::of(Vec::new()) }
    }

    /// It answers a subagent.
    pub fn by_subagent(self) -> Self {
        Self { role: Role::Sub, ..self }
    }

    /// It answers only a request that has `text` in what is new since the model's last answer.
    pub fn when(self, text: &str) -> Self {
        Self { when: Some(text.to_owned()), ..self }
    }

    /// The answer is held back until the test opens `gate`.
    pub fn held_by(self, gate: &Gate) -> Self {
        Self { gate: Some(gate.clone()), ..self }
    }

    pub(super) fn fits(&self, role: Role, new: &str) -> bool {
        self.role == role && self.when.as_deref().is_none_or(|when| new.contains(when))
    }
}

/// Holds an answer back until the test has seen what it wants to see.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// Lets the answer go.
    pub fn open(&self) {
        *self.0.0.lock().expect("no test panics here") = true;
        self.0.1.notify_all();
    }

    /// Waits until it is open, or until a test that forgot it has long failed.
    pub(super) fn pass(&self) {
        let open = self.0.0.lock().expect("no test panics here");
        drop(self.0.1.wait_timeout_while(open, PATIENCE, |open| !*open));
    }
}
