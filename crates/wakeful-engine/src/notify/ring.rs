//! What is to ring, and what became of it.

use std::fmt;

use serde::{Deserialize, Serialize};
use wakeful_core::causes::Reason;
use wakeful_core::ids::SessionKey;
use wakeful_core::time::{Now, Wall};

use crate::settings::NotifySettings;

/// Names one ring for good, and the file of its claim. Letters, digits, `-` and `_` only, so that it is a file name and no path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RingId(String);

/// Characters of an id. Every file system takes a name of this length.
const LONGEST_ID: usize = 100;

/// Why a text names no ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the id of a ring is 1 to {LONGEST_ID} letters, digits, - or _")]
pub struct NoRingId;

impl RingId {
    /// The ring of a row of the outbox. The time of the row is part of it: a store that had to be made anew counts its rows from
    /// one again, and a claim of the old store must not silence a ring of the new one.
    pub fn of_row(number: i64, since: Wall) -> Self {
        Self(format!("ring-{number}-{}", since.0))
    }

    /// The id as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RingId {
    type Error = NoRingId;

    fn try_from(text: String) -> Result<Self, NoRingId> {
        let fits = (1..=LONGEST_ID).contains(&text.len());
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        if fits && plain { Ok(Self(text)) } else { Err(NoRingId) }
    }
}

impl From<RingId> for String {
    fn from(id: RingId) -> Self {
        id.0
    }
}

impl fmt::Display for RingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One ring: all that the child needs, so that it asks nobody. Goes over its standard input as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ring {
    /// Which. A second try has the same.
    pub id: RingId,
    /// When the session came to need its user.
    pub at: Now,
    /// Which session.
    pub session: RingSession,
    /// Why it needs its user.
    pub reason: Reason,
    /// The question itself, the error, what was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The client's process: its terminal gets the bell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The tmux pane that the client runs in, `%3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tmux_pane: Option<String>,
    /// What rings, where, and with how many words.
    pub settings: NotifySettings,
}

/// The session of a ring, in the words that people know it by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RingSession {
    /// Client and the client's own id.
    pub key: SessionKey,
    /// What it is called, if it was given a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The folder that it works in, without the way to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The first prompt, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Where it can ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// A notification of the desktop.
    Desktop,
    /// The bell of the session's terminal.
    Bell,
    /// A command of the user's.
    Command,
    /// An HTTP POST of JSON.
    Webhook,
    /// A topic of an ntfy server.
    Ntfy,
}

impl Channel {
    /// Every channel.
    pub const ALL: [Channel; 5] = [Self::Desktop, Self::Bell, Self::Command, Self::Webhook, Self::Ntfy];

    /// The name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Bell => "bell",
            Self::Command => "command",
            Self::Webhook => "webhook",
            Self::Ntfy => "ntfy",
        }
    }
}

/// Why a channel was not tried. Nothing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// `notify.enabled` is off.
    NotifyOff,
    /// The reason is in `notify.muted`.
    Muted,
    /// It is one of the `notify.quiet_hours`.
    QuietHours,
    /// The session's terminal has the focus: its user sees it.
    Focused,
    /// The channel is off.
    ChannelOff,
    /// The channel is not for this reason.
    Filtered,
    /// There is no desktop here, such as over SSH.
    NoDesktop,
    /// The session has no terminal, or it is not known.
    NoTerminal,
}

impl Skip {
    /// Why, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotifyOff => "notifications are off",
            Self::Muted => "this reason is muted",
            Self::QuietHours => "quiet hours",
            Self::Focused => "the session's terminal has the focus",
            Self::ChannelOff => "off",
            Self::Filtered => "not for this reason",
            Self::NoDesktop => "no desktop shows notifications here",
            Self::NoTerminal => "the session has no terminal of this user",
        }
    }
}

/// What one channel did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "did", content = "why", rename_all = "snake_case")]
pub enum Did {
    /// It rang.
    Rung,
    /// It was not tried.
    Skipped(Skip),
    /// It was tried and did not ring. The text has no address and no secret in it.
    Failed(String),
}

/// What became of a ring in one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Which channel.
    pub channel: Channel,
    /// What it did.
    #[serde(flatten)]
    pub did: Did,
}

/// What became of a ring: what the file of its claim says. No text of the session is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// [`Outcome::VERSION`].
    pub v: u32,
    /// Why it rang.
    pub reason: Reason,
    /// When the channels had been gone through.
    pub at: Now,
    /// What each channel did.
    pub channels: Vec<Report>,
}

impl Outcome {
    /// Version of what is written into a claim.
    pub const VERSION: u32 = 1;

    /// Did it ring anywhere?
    pub fn rang(&self) -> bool {
        self.channels.iter().any(|report| report.did == Did::Rung)
    }

    /// What went wrong, where.
    pub fn failures(&self) -> impl Iterator<Item = (Channel, &str)> {
        self.channels.iter().filter_map(|report| match &report.did {
            Did::Failed(why) => Some((report.channel, why.as_str())),
            Did::Rung | Did::Skipped(_) => None,
        })
    }

    /// One line for the audit log: `desktop rang; webhook failed: answered 500`. Channels that are off are left out.
    pub fn line(&self) -> String {
        let told: Vec<String> = self
            .channels
            .iter()
            .filter_map(|report| {
                let channel = report.channel.name();
                match &report.did {
                    Did::Rung => Some(format!("{channel} rang")),
                    Did::Skipped(Skip::ChannelOff) => None,
                    Did::Skipped(skip) => Some(format!("{channel} skipped: {}", skip.words())),
                    Did::Failed(why) => Some(format!("{channel} failed: {why}")),
                }
            })
            .collect();
        if told.is_empty() { "no channel is on".to_owned() } else { told.join("; ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_file_name_and_no_path() {
        for text in ["ring-1-0", "a", &"x".repeat(100)] {
            assert!(RingId::try_from(text.to_owned()).is_ok(), "{text}");
        }
        for text in ["", "..", "a/b", "a.b", ".x", "a\0", "é", &"x".repeat(101)] {
            assert!(RingId::try_from(text.to_owned()).is_err(), "{text}");
        }
        let id = RingId::of_row(i64::MAX, Wall(-5));
        assert_eq!(RingId::try_from(id.as_str().to_owned()), Ok(id));
    }

    #[test]
    fn an_outcome_comes_back_and_reads_as_a_line() {
        let outcome = Outcome {
            v: Outcome::VERSION,
            reason: Reason::Done,
            at: Now::default(),
            channels: vec![
                Report { channel: Channel::Desktop, did: Did::Rung },
                Report { channel: Channel::Bell, did: Did::Skipped(Skip::ChannelOff) },
                Report { channel: Channel::Command, did: Did::Skipped(Skip::Filtered) },
                Report { channel: Channel::Webhook, did: Did::Failed("answered 500".to_owned()) },
            ],
        };
        let text = serde_json::to_string(&outcome).unwrap();
        let known = concat!(
            r#"{"v":1,"reason":"done","at":{"wall":0,"boot":0,"boot_id":0},"channels":[{"channel":"desktop","did":"rung"},"#,
            r#"{"channel":"bell","did":"skipped","why":"channel_off"},{"channel":"command","did":"skipped","why":"filtered"},"#,
            r#"{"channel":"webhook","did":"failed","why":"answered 500"}]}"#
        );
        assert_eq!(text, known);
        assert_eq!(serde_json::from_str::<Outcome>(known).unwrap(), outcome);
        assert_eq!(
            outcome.line(),
            "desktop rang; command skipped: not for this reason; webhook failed: answered 500"
        );
        assert!(outcome.rang());
        assert_eq!(outcome.failures().collect::<Vec<_>>(), [(Channel::Webhook, "answered 500")]);
    }
}
