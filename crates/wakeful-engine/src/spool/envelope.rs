//! What a hook hands over (C1): the payload as the client wrote it, and what is known beside it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use wakeful_clients::shorten::shorten;
use wakeful_core::ids::Client;
use wakeful_core::time::Now;
use wakeful_shell::{GuardVerdict, RuleId};

/// Version of the envelope's format. A reader skips and counts lines of versions that it does not know.
pub const VERSION: u32 = 1;

/// Tells one delivery from every other; a retry has the same (C1). A ULID: sorts by time, and two processes never make the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeliveryId(pub String);

impl DeliveryId {
    /// A new one. `None` when the system has no randomness to give.
    pub fn new(at: Now) -> Option<Self> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).ok()?;
        let millis = u64::try_from(at.wall.0).unwrap_or(0);
        Some(Self(ulid::Ulid::from_parts(millis, u128::from_le_bytes(random)).to_string()))
    }
}

/// One event on its way from the hook to the reader.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Envelope {
    /// [`VERSION`].
    pub v: u32,
    /// Each is taken once.
    pub id: DeliveryId,
    /// The client that wrote the payload.
    pub client: Client,
    /// The event's name on the command line, where the client gives it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// How it was registered: the program as it was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// When the hook started.
    pub at: Now,
    /// The client's process, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The tmux pane that the client runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tmux: Option<String>,
    /// What the client wrote.
    pub payload: Payload,
    /// What the guard said, if it did not simply pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<GuardRecord>,
}

/// The client's payload, or why there is none.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payload {
    /// As the client wrote it, shortened; on one line.
    Raw(Box<RawValue>),
    /// It could not be kept.
    Lost(Lost),
}

/// Why a payload could not be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lost {
    /// Nothing came.
    Empty,
    /// No JSON, or it broke off, or it is longer than any payload after all cuts.
    Damaged,
}

impl Payload {
    /// Of bytes that are all here.
    pub fn of(bytes: &[u8]) -> Self {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Self::Lost(Lost::Empty);
        }
        Self::of_shortened(shorten(bytes))
    }

    /// Of what a [`wakeful_clients::shorten::Shortener`] kept.
    pub fn of_shortened(kept: Option<Vec<u8>>) -> Self {
        let Some(kept) = kept else { return Self::Lost(Lost::Damaged) };
        let text = String::from_utf8(kept)
            .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned());
        match RawValue::from_string(text) {
            // A raw line break (no JSON, but some parsers write it) would make two lines of one.
            Ok(raw) if !raw.get().contains('\n') => Self::Raw(raw),
            _ => Self::Lost(Lost::Damaged),
        }
    }

    /// The payload, if it is here.
    pub fn raw(&self) -> Option<&str> {
        match self {
            Self::Raw(raw) => Some(raw.get()),
            Self::Lost(_) => None,
        }
    }
}

/// What the guard said about a command (G7: the audit has it).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardRecord {
    /// `deny`, `warn`, `allowed`, `undecided`.
    pub verdict: String,
    /// By which rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleId>,
    /// The offending words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The pattern that allowed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_by: Option<String>,
}

impl GuardRecord {
    /// Of a verdict; `None` of a plain pass.
    pub fn of(verdict: &GuardVerdict) -> Option<Self> {
        let (name, refusal, pattern) = match verdict {
            GuardVerdict::Pass { undecided: false } => return None,
            GuardVerdict::Pass { undecided: true } => ("undecided", None, None),
            GuardVerdict::Allowed { refusal, pattern } => ("allowed", Some(refusal), Some(pattern)),
            GuardVerdict::Warn(refusal) => ("warn", Some(refusal), None),
            GuardVerdict::Deny(refusal) => ("deny", Some(refusal), None),
        };
        Some(Self {
            verdict: name.to_owned(),
            rule: refusal.map(|refusal| refusal.rule),
            words: refusal.map(|refusal| refusal.words.clone()),
            allowed_by: pattern.cloned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_one_line_or_lost() {
        assert_eq!(Payload::of(b"{\n \"a\": 1\n}").raw(), Some("{\"a\":1}"));
        assert_eq!(Payload::of(b"{\"a\":\"\xff\"}").raw(), Some("{\"a\":\"\u{fffd}\"}"));
        for (bytes, lost) in [
            (&b" \n"[..], Lost::Empty),
            (b"", Lost::Empty),
            (b"{\"a\":", Lost::Damaged),
            (b"hello", Lost::Damaged),
            (b"{\"a\":\"x\ny\"}", Lost::Damaged),
        ] {
            assert!(matches!(Payload::of(bytes), Payload::Lost(why) if why == lost), "{bytes:?}");
        }
    }

    #[test]
    fn delivery_ids_differ() {
        let (a, b) = (DeliveryId::new(Now::default()).unwrap(), DeliveryId::new(Now::default()).unwrap());
        assert_ne!(a, b);
        assert_eq!(a.0.len(), 26);
    }
}
