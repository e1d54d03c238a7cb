//! What the agent said last: Cursor tells the text in `afterAgentResponse` and the turn's end in `stop`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use wakeful_core::ids::{SessionId, TurnId};

/// At most this many sessions are kept, the longest silent one goes first: more than anyone has open, and a bound on what
/// a stream of made-up ids can cost.
const MOST_SESSIONS: usize = 64;

/// The last text of each session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Said(VecDeque<Last>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Last {
    session: SessionId,
    turn: Option<TurnId>,
    text: String,
}

impl Said {
    /// The agent said this. It takes the place of what the session said before.
    pub(super) fn put(&mut self, session: &SessionId, turn: Option<&TurnId>, text: &str) {
        self.forget(session);
        if self.0.len() == MOST_SESSIONS {
            self.0.pop_front();
        }
        self.0.push_back(Last { session: session.clone(), turn: turn.cloned(), text: text.to_owned() });
    }

    /// What it said last in this turn. It stays: a turn end that comes twice says the same twice (S11).
    pub(super) fn get(&self, session: &SessionId, turn: Option<&TurnId>) -> Option<&str> {
        let last = self.0.iter().find(|last| last.session == *session)?;
        (last.turn.as_ref() == turn).then_some(last.text.as_str())
    }

    /// The session is over.
    pub(super) fn forget(&mut self, session: &SessionId) {
        self.0.retain(|last| last.session != *session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_text_of_the_turn_counts() {
        let (session, turn) = (SessionId::new("s"), TurnId::new("g1"));
        let mut said = Said::default();
        said.put(&session, Some(&turn), "one");
        said.put(&session, Some(&turn), "two");
        said.put(&SessionId::new("other"), Some(&turn), "three");
        assert_eq!(said.get(&session, Some(&turn)), Some("two"));
        assert_eq!(said.get(&session, Some(&turn)), Some("two"));
        assert_eq!(said.get(&session, Some(&TurnId::new("g2"))), None);
        assert_eq!(said.get(&session, None), None);
        said.forget(&session);
        assert_eq!(said.get(&session, Some(&turn)), None);
    }

    #[test]
    fn made_up_sessions_cost_a_bounded_amount() {
        let mut said = Said::default();
        for n in 0..MOST_SESSIONS + 5 {
            said.put(&SessionId::new(format!("s{n}")), None, "x");
        }
        assert_eq!(said.0.len(), MOST_SESSIONS);
        assert_eq!(said.get(&SessionId::new("s0"), None), None);
        assert_eq!(said.get(&SessionId::new(format!("s{}", MOST_SESSIONS + 4)), None), Some("x"));
    }
}
