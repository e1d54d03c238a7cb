//! What the guard is told to do (spec 50 G7).

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A rule of the guard. The kebab-case name is stable: settings, audit and texts use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleId {
    /// An inline loop that runs `sleep` or `pgrep`.
    PollLoop,
    /// A sleep, then reading output, and nothing else.
    DelayedRead,
    /// A foreground sleep of a minute or more (`strict`).
    LongSleep,
    /// `tail -f … | grep -m1`: hangs when the match never comes (`strict`).
    HangingFollow,
    /// A delayed read on another machine over `ssh` (`strict`).
    RemoteDelayedRead,
    /// A PowerShell loop around `Start-Sleep` (`strict`).
    PowershellLoop,
    /// The same read-only command again and again in one turn (`strict`).
    RepeatedRead,
}

impl RuleId {
    /// Every rule, in the order in which the first match wins.
    pub const ALL: [Self; 7] = [
        Self::PollLoop,
        Self::DelayedRead,
        Self::RemoteDelayedRead,
        Self::PowershellLoop,
        Self::HangingFollow,
        Self::RepeatedRead,
        Self::LongSleep,
    ];

    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PollLoop => "poll-loop",
            Self::DelayedRead => "delayed-read",
            Self::LongSleep => "long-sleep",
            Self::HangingFollow => "hanging-follow",
            Self::RemoteDelayedRead => "remote-delayed-read",
            Self::PowershellLoop => "powershell-loop",
            Self::RepeatedRead => "repeated-read",
        }
    }

    /// Part of `standard`; the others come with `strict` or by switch.
    pub const fn is_standard(self) -> bool {
        matches!(self, Self::PollLoop | Self::DelayedRead)
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The policy as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyLevel {
    /// Denies poll loops and delayed reads.
    #[default]
    Standard,
    /// Denies the extras too.
    Strict,
    /// Denies nothing, tells the agent what `standard` would have denied.
    Warn,
    /// Looks at nothing.
    Off,
}

/// What one rule does, whatever the level says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleSwitch {
    /// The rule is not tried.
    Off,
    /// The rule tells the agent and lets the command run.
    Warn,
    /// The rule refuses the command.
    Deny,
}

/// Level, switches and exceptions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GuardPolicy {
    /// The policy as a whole.
    pub level: PolicyLevel,
    /// Per-rule switches; they win over the level, except over `off`.
    pub rules: BTreeMap<RuleId, RuleSwitch>,
    /// Commands that may run although a rule matches. `*` stands for any text, `?` for one character; the pattern must
    /// match the whole command, blanks at its ends aside.
    pub allow: Vec<String>,
}

impl GuardPolicy {
    /// A policy of this level without switches or exceptions.
    pub fn of(level: PolicyLevel) -> Self {
        Self { level, ..Self::default() }
    }

    /// What this policy does with a rule.
    pub fn switch(&self, rule: RuleId) -> RuleSwitch {
        if self.level == PolicyLevel::Off {
            return RuleSwitch::Off;
        }
        if let Some(switch) = self.rules.get(&rule) {
            return *switch;
        }
        match self.level {
            PolicyLevel::Strict => RuleSwitch::Deny,
            PolicyLevel::Standard if rule.is_standard() => RuleSwitch::Deny,
            PolicyLevel::Warn if rule.is_standard() => RuleSwitch::Warn,
            _ => RuleSwitch::Off,
        }
    }

    /// The first allow pattern that matches the command.
    pub(crate) fn allowed_by(&self, command: &str) -> Option<&str> {
        let command = command.trim();
        self.allow.iter().map(String::as_str).find(|pattern| glob(pattern.trim(), command))
    }
}

/// `*` and `?` over bytes. Greedy with one point of return, so the cost is bounded by the product of the lengths.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p + 1, t));
                p += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    p = after;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|b| *b == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allow_patterns_match_the_whole_command() {
        for (pattern, text, want) in [
            ("sleep 2; tail log", "sleep 2; tail log", true),
            ("sleep 2; tail log", "sleep 2; tail log; rm x", false),
            ("*wait-for-db*", "until wait-for-db; do sleep 1; done", true),
            ("until ./ready ?; do*", "until ./ready 3; do sleep 1; done", true),
            ("a*b*c", "a-b-b-d", false),
            ("", "x", false),
            ("*", "", true),
        ] {
            assert_eq!(glob(pattern, text), want, "{pattern} / {text}");
        }
    }

    #[test]
    fn levels_and_switches() {
        let mut policy = GuardPolicy::of(PolicyLevel::Standard);
        assert_eq!(policy.switch(RuleId::PollLoop), RuleSwitch::Deny);
        assert_eq!(policy.switch(RuleId::LongSleep), RuleSwitch::Off);
        policy.rules.insert(RuleId::LongSleep, RuleSwitch::Warn);
        policy.rules.insert(RuleId::PollLoop, RuleSwitch::Off);
        assert_eq!(policy.switch(RuleId::PollLoop), RuleSwitch::Off);
        assert_eq!(policy.switch(RuleId::LongSleep), RuleSwitch::Warn);
        policy.level = PolicyLevel::Off;
        assert_eq!(policy.switch(RuleId::LongSleep), RuleSwitch::Off);
        assert_eq!(GuardPolicy::of(PolicyLevel::Strict).switch(RuleId::RepeatedRead), RuleSwitch::Deny);
        assert_eq!(GuardPolicy::of(PolicyLevel::Warn).switch(RuleId::DelayedRead), RuleSwitch::Warn);
    }

    #[test]
    fn names_are_what_settings_write() {
        for rule in RuleId::ALL {
            assert_eq!(serde_json::to_value(rule).unwrap(), serde_json::Value::from(rule.as_str()));
        }
    }
}
