//! What each client can do (spec 60).

use wakeful_core::abilities::{Abilities, Delivery, SelfWake};
use wakeful_core::ids::Client;
use wakeful_core::time::Millis;

/// How long a delivery may stay without the turn that acknowledges it (C10).
const DELIVERY_TIMEOUT: Millis = Millis::secs(60);
/// Codex's queue is read only between turns (C10).
const CODEX_DELIVERY_TIMEOUT: Millis = Millis::secs(120);

/// The table of spec 60, as far as a decision needs it.
pub const fn abilities(client: Client) -> Abilities {
    let (wakes_itself, delivery, delivery_timeout) = match client {
        Client::ClaudeCode => (SelfWake::Yes, Delivery::CheckInsOnly, DELIVERY_TIMEOUT),
        Client::Codex => (SelfWake::No, Delivery::Replies, CODEX_DELIVERY_TIMEOUT),
        Client::Cursor => (SelfWake::Unknown, Delivery::None, DELIVERY_TIMEOUT),
        Client::Gemini => (SelfWake::No, Delivery::None, DELIVERY_TIMEOUT),
        Client::Copilot => (SelfWake::Yes, Delivery::None, DELIVERY_TIMEOUT),
        // It has no background tool, so nothing of it can end and wake it.
        Client::Opencode => (SelfWake::No, Delivery::Replies, DELIVERY_TIMEOUT),
    };
    Abilities { wakes_itself, delivery, delivery_timeout }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_spec_60() {
        let rows = [
            (Client::ClaudeCode, SelfWake::Yes, Delivery::CheckInsOnly, 60),
            (Client::Codex, SelfWake::No, Delivery::Replies, 120),
            (Client::Cursor, SelfWake::Unknown, Delivery::None, 60),
            (Client::Gemini, SelfWake::No, Delivery::None, 60),
            (Client::Copilot, SelfWake::Yes, Delivery::None, 60),
            (Client::Opencode, SelfWake::No, Delivery::Replies, 60),
        ];
        assert_eq!(rows.map(|row| row.0), Client::ALL);
        for (client, wakes_itself, delivery, seconds) in rows {
            let expected = Abilities { wakes_itself, delivery, delivery_timeout: Millis::secs(seconds) };
            assert_eq!(abilities(client), expected, "{client}");
        }
    }
}
