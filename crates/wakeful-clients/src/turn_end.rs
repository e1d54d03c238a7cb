//! `TurnEnded`, made the same way for every client.

use wakeful_core::event::{EventKind, Roster, TurnEnd, TurnHow};
use wakeful_core::ids::{Digest, RuleId};
use wakeful_core::reading::{Question, Reading};

use crate::Translation;

/// The rule of a turn end whose last message cannot be read. It may have been a question, so it counts as one: it
/// surfaces, and nothing that is live beside it can make a wait of it.
const UNREADABLE_MESSAGE: &str = "message-unreadable";

/// `TurnEnded` of a turn that ended by itself with this last message.
pub(crate) fn finished(
    message: Option<&str>,
    roster: Roster,
    after_stop_hook: bool,
    ctx: &Translation<'_>,
) -> EventKind {
    // A stop hook may send the agent on and get the same words again: that is another end.
    let how = if after_stop_hook { "Stop again" } else { "Stop" };
    let (reading, digest) = (reading_of(message, ctx), turn_digest(message, &roster, how));
    let end = TurnEnd { reading, how: TurnHow::Finished, roster, digest, after_stop_hook };
    EventKind::TurnEnded(Box::new(end))
}

/// `TurnEnded` of a turn that ended by itself and said nothing; the client says so.
pub(crate) fn said_nothing(after_stop_hook: bool) -> EventKind {
    let (reading, roster) = (Reading::default(), Roster::default());
    let digest = turn_digest(None, &roster, if after_stop_hook { "Stop again" } else { "Stop" });
    let end = TurnEnd { reading, how: TurnHow::Finished, roster, digest, after_stop_hook };
    EventKind::TurnEnded(Box::new(end))
}

/// The reading of a last message; of none that could be read, one that asks.
fn reading_of(message: Option<&str>, ctx: &Translation<'_>) -> Reading {
    match message {
        Some(text) => (ctx.readers.read)(text, ctx.now),
        None => Reading {
            asks_user: Some(Question {
                snippet: "The agent's last message could not be read.".to_owned(),
                rule: RuleId::new(UNREADABLE_MESSAGE),
            }),
            ..Reading::default()
        },
    }
}

/// `TurnEnded` of a turn that did not end by itself: an error, a limit, an interruption. `what` and `shown` tell it from
/// other ends of the turn.
pub(crate) fn ended(how: TurnHow, shown: Option<&str>, roster: Roster, what: &str) -> EventKind {
    let digest = turn_digest(shown, &roster, what);
    let reading = Reading::default(); // an error message says nothing about waits
    EventKind::TurnEnded(Box::new(TurnEnd { reading, how, roster, digest, after_stop_hook: false }))
}

/// Digest of what tells one turn end of a turn from another (S11).
pub(crate) fn turn_digest(message: Option<&str>, roster: &Roster, how: &str) -> Digest {
    let mut parts: Vec<&[u8]> = vec![how.as_bytes(), message.unwrap_or_default().as_bytes()];
    parts.extend(roster.tasks.iter().flatten().map(|task| task.id.as_str().as_bytes()));
    parts.push(b"|");
    parts.extend(roster.wakes.iter().flatten().map(|wake| wake.id.as_str().as_bytes()));
    Digest::of_parts(&parts)
}
