//! A few transcripts of our own that ship inside the program: what `wakeful replay --demo` plays.

use std::path::PathBuf;

use wakeful_core::ids::Client;

use crate::files::{Body, Found, Source};

macro_rules! demo {
    ($($name:literal),* $(,)?) => {
        [$((concat!("demo/", $name, ".jsonl"), include_str!(concat!("../demo/", $name, ".jsonl")))),*]
    };
}

/// One short session for each kind of outcome.
const SESSIONS: [(&str, &str); 11] = demo![
    "build-comes-back",
    "dev-server",
    "failure",
    "helper",
    "lost-wake",
    "nothing-armed",
    "pipeline-reports-back",
    "poll-loop",
    "question-behind-tests",
    "question-nobody-saw",
    "scheduled-wake",
];

/// The demo's transcripts, to be handed to [`replay`](crate::play::replay).
pub fn found() -> Found {
    let source = |(name, text): (&str, &'static str)| Source {
        client: Client::ClaudeCode,
        path: PathBuf::from(name),
        bytes: text.len() as u64,
        written: None,
        body: Body::Text(text),
    };
    Found { sources: SESSIONS.into_iter().map(source).collect(), ..Found::default() }
}
