//! "This was wrong": a label, as `wakeful label` writes it, which outweighs what transcripts say.

use serde::Deserialize;
use wakeful_core::decision::{Decision, Verdict};
use wakeful_core::ids::SessionKey;
use wakeful_core::time::Wall;
use wakeful_engine::spool;
use wakeful_replay::backtest::{Truth, TurnEndKey};

use super::actions::Refusal;
use crate::error::Error;
use crate::labels::{Label, append};

/// What can have been right instead: letter (those of `wakeful label`), truth, words.
pub fn answers(decision: &Decision) -> Vec<(char, Truth, &'static str)> {
    let waited = ('w', Truth::Waits, "it only waited");
    let needed = ('u', Truth::NeedsYou, "it needed me");
    let done = ('d', Truth::NeedsYou, "it was done");
    match decision.verdict {
        Verdict::Waiting { .. } => vec![needed, done],
        Verdict::NeedsYou { .. } => vec![waited],
        Verdict::Idle => vec![waited, needed, done],
    }
}

/// Writes labels.
pub trait Labels: Send {
    /// Writes that `truth` was right where `decision` was made; `letter` is what the user pressed.
    ///
    /// # Errors
    /// When the turn end cannot be found any more, or the file cannot be written.
    fn label(
        &self,
        session: &SessionKey,
        decision: &Decision,
        truth: Truth,
        letter: char,
    ) -> Result<(), Refusal>;
}

/// Writes them where `wakeful label` does; the message of the turn end is looked up in the spool.
pub struct InFile;

impl Labels for InFile {
    fn label(
        &self,
        session: &SessionKey,
        decision: &Decision,
        truth: Truth,
        letter: char,
    ) -> Result<(), Refusal> {
        let refused =
            |error: &Error| Refusal { why: error.to_string(), hint: error.hint().map(str::to_owned) };
        let message = last_message(session, decision).map_err(|error| refused(&error))?;
        let message = message.ok_or_else(|| Refusal {
            why: "the message of this turn end is no longer kept".to_owned(),
            hint: Some("`wakeful label` reads the transcripts".to_owned()),
        })?;
        let (turn_end, message) = TurnEndKey::of_message(session, decision.number, &message);
        append(&[Label { turn_end, truth, key: letter, message }]).map_err(|error| refused(&error))?;
        Ok(())
    }
}

/// The last message of the turn that ended at the time of `decision`.
fn last_message(session: &SessionKey, decision: &Decision) -> Result<Option<String>, Error> {
    /// What clients that say the message at a turn end call it, and their session.
    #[derive(Deserialize)]
    struct Ended {
        session_id: String,
        last_assistant_message: String,
    }
    let spool = crate::sessions::spool()?;
    let name = spool.dir().display().to_string();
    let contents = spool::read(spool.dir(), shortly_before(decision.at.wall)).map_err(Error::io(name))?;
    let there = contents
        .envelopes
        .iter()
        .filter(|envelope| envelope.at == decision.at && envelope.client == session.client);
    let mut ended = there.filter_map(|envelope| serde_json::from_str::<Ended>(envelope.payload.raw()?).ok());
    let of_session = ended.find(|ended| ended.session_id == session.id.as_str());
    Ok(of_session.map(|ended| ended.last_assistant_message))
}

/// The file of a day may have what was told a little before it began, and the other way round.
fn shortly_before(at: Wall) -> Wall {
    const HOUR: i64 = 60 * 60 * 1000;
    Wall(at.0 - HOUR)
}
