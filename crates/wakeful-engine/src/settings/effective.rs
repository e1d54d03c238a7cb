//! The settings in force.

use serde::{Deserialize, Serialize};
use wakeful_core::settings::{MatchMode, Settings};
use wakeful_shell::GuardPolicy;

use super::NotifySettings;

/// Every setting, resolved: within its range, the environment and the kill switches taken into account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Effective {
    /// What decisions use.
    pub core: Settings,
    /// `detector.match_mode`.
    pub match_mode: MatchMode,
    /// `detector.second_opinion.enabled` (spec 80).
    pub second_opinion: bool,
    /// `guard`. The hook reads this part by itself ([`crate::guard_settings`]).
    pub guard: GuardPolicy,
    /// `notify`.
    pub notify: NotifySettings,
    /// `view`.
    pub view: ViewSettings,
    /// `api`.
    pub api: ApiSettings,
    /// `store`.
    pub store: StoreSettings,
    /// `audit`.
    pub audit: AuditSettings,
}

/// The section `[view]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewSettings {
    /// `view.hide_repeated_auto_waits`: of a run of auto-waited turns only the newest is shown. Display only.
    pub hide_repeated_auto_waits: bool,
}

/// The section `[api]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ApiSettings {
    /// `api.port`: the TCP port on the loopback address; 0 for none, the Unix socket alone.
    pub port: u16,
}

/// The section `[store]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoreSettings {
    /// `store.keep_days`: how many days of events and decisions are kept.
    pub keep_days: u32,
    /// `store.keep_mb`: how many megabytes (of 1024 × 1024 bytes) the log may take before its oldest days go.
    pub keep_mb: u32,
}

/// The section `[audit]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditSettings {
    /// `audit.keep_text`: keep the input of a reading; off keeps its hash only.
    pub keep_text: bool,
}

impl Default for Effective {
    fn default() -> Self {
        Self {
            core: Settings::default(),
            match_mode: MatchMode::Precise,
            second_opinion: false,
            guard: GuardPolicy::default(),
            notify: NotifySettings::default(),
            view: ViewSettings::default(),
            api: ApiSettings::default(),
            store: StoreSettings::default(),
            audit: AuditSettings::default(),
        }
    }
}

impl Default for StoreSettings {
    fn default() -> Self {
        // A month covers "what happened while I was away"; a busy user writes some megabytes a day.
        Self { keep_days: 30, keep_mb: 256 }
    }
}

impl Default for AuditSettings {
    fn default() -> Self {
        // Without the text no decision can be explained afterwards.
        Self { keep_text: true }
    }
}
