//! What rings, where, and with how many words (spec 70 "Notifications").

use serde::{Deserialize, Serialize};
use wakeful_core::causes::Reason;
use wakeful_core::time::Millis;

use super::QuietHours;

/// The section `[notify]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NotifySettings {
    /// `notify.enabled`: off rings nowhere. The inbox shows everything all the same.
    pub enabled: bool,
    /// `notify.muted`: reasons that never ring, whatever a channel says.
    pub muted: Vec<Reason>,
    /// `notify.quiet_hours`: nothing rings in these hours of local time.
    pub quiet_hours: Option<QuietHours>,
    /// `notify.content`: how much a notification says.
    pub content: Content,
    /// `notify.settle_seconds`: how long a session must need its user before that rings. The same as in the core settings.
    #[serde(rename = "settle_seconds", with = "seconds")]
    pub settle: Millis,
    /// `notify.skip_focused`: no ring while the terminal of that session has the focus.
    pub skip_focused: bool,
    /// `notify.desktop`: notifications of the desktop.
    pub desktop: ChannelSettings,
    /// `notify.bell`: the bell of the terminal.
    pub bell: ChannelSettings,
    /// `notify.command`: a command of the user's.
    pub command: CommandChannel,
    /// `notify.webhook`: an HTTP POST of JSON.
    pub webhook: UrlChannel,
    /// `notify.ntfy`: a topic of an ntfy server.
    pub ntfy: UrlChannel,
}

/// How much a notification says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Name of the session, reason, and the question or error itself.
    #[default]
    Full,
    /// Name of the session and reason only: nothing that the agent wrote leaves this machine or shows on a locked screen.
    Name,
}

/// A channel that is on or off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelSettings {
    /// Does it ring at all?
    pub enabled: bool,
    /// The reasons that ring here; empty stands for all.
    #[serde(default)]
    pub reasons: Vec<Reason>,
}

/// A command that is run for every notification.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CommandChannel {
    /// The program and its arguments; no shell in between. Empty stands for off.
    pub run: Vec<String>,
    /// The reasons that ring here; empty stands for all.
    pub reasons: Vec<Reason>,
}

/// A channel that is an address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UrlChannel {
    /// Where to, `http://` or `https://`. None stands for off.
    pub url: Option<String>,
    /// The reasons that ring here; empty stands for all.
    pub reasons: Vec<Reason>,
}

impl NotifySettings {
    /// May this reason ring anywhere at all, the hours aside?
    pub fn allows(&self, reason: Reason) -> bool {
        self.enabled && !self.muted.contains(&reason)
    }
}

impl ChannelSettings {
    /// Does this reason ring here?
    pub fn takes(&self, reason: Reason) -> bool {
        self.enabled && listed(&self.reasons, reason)
    }
}

impl CommandChannel {
    /// Does this reason ring here?
    pub fn takes(&self, reason: Reason) -> bool {
        !self.run.is_empty() && listed(&self.reasons, reason)
    }
}

impl UrlChannel {
    /// Does this reason ring here?
    pub fn takes(&self, reason: Reason) -> bool {
        self.url.is_some() && listed(&self.reasons, reason)
    }
}

fn listed(reasons: &[Reason], reason: Reason) -> bool {
    reasons.is_empty() || reasons.contains(&reason)
}

impl Default for NotifySettings {
    fn default() -> Self {
        Self {
            enabled: true,
            muted: Vec::new(),
            quiet_hours: None,
            content: Content::Full,
            settle: wakeful_core::settings::Settings::default().settle,
            skip_focused: true,
            desktop: ChannelSettings { enabled: true, reasons: Vec::new() },
            // Rings in the middle of whatever else runs in that terminal: only for who asks for it.
            bell: ChannelSettings { enabled: false, reasons: Vec::new() },
            command: CommandChannel::default(),
            webhook: UrlChannel::default(),
            ntfy: UrlChannel::default(),
        }
    }
}

/// Lengths of time as the seconds that people write.
mod seconds {
    use serde::{Deserialize, Deserializer, Serializer};
    use wakeful_core::time::Millis;

    pub(super) fn serialize<S: Serializer>(time: &Millis, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(time.0 / 1000)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Millis, D::Error> {
        u64::deserialize(deserializer).map(|seconds| Millis(seconds.saturating_mul(1000)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_object_is_the_default_and_comes_back() {
        let settings: NotifySettings = serde_json::from_str("{}").unwrap();
        assert_eq!(settings, NotifySettings::default());
        let text = serde_json::to_string(&settings).unwrap();
        assert!(text.contains("\"settle_seconds\":3"), "{text}");
        assert_eq!(serde_json::from_str::<NotifySettings>(&text).unwrap(), settings);
        assert!(serde_json::from_str::<NotifySettings>("{\"mutd\": []}").is_err());
    }

    #[test]
    fn which_reason_rings_where() {
        let mut settings = NotifySettings { muted: vec![Reason::Done], ..NotifySettings::default() };
        assert!(!settings.allows(Reason::Done) && settings.allows(Reason::Question));
        assert!(settings.desktop.takes(Reason::Done) && !settings.bell.takes(Reason::Done));
        settings.desktop.reasons = vec![Reason::Permission];
        assert!(settings.desktop.takes(Reason::Permission) && !settings.desktop.takes(Reason::Question));
        assert!(!settings.webhook.takes(Reason::Question) && !settings.command.takes(Reason::Question));
        settings.webhook.url = Some("https://example.org/hook".to_owned());
        assert!(settings.webhook.takes(Reason::Question));
    }
}
