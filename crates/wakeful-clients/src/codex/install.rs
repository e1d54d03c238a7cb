//! Which hooks Codex gets, in `hooks.json` of its folder. Facts as seen on 0.171.0, where an unknown event name neither
//! fires nor harms. Hooks in `config.toml` run beside those of `hooks.json`, so the user's own tables there stay as
//! they are.
//!
//! All are waited for, and none has a matcher: its model calls few tools that a hook can see, under names that change
//! with the model, and what asks the user is among them.

use wakeful_core::ids::Client;

use crate::install::{EXIT_TIMEOUT, Format, HookRow, HookTable, TIMEOUT, Version};

/// Where the captures and the schemas of the payloads come from.
const SEEN: Version = Version::new(0, 171, 0);

const fn row(event: &'static str, why: &'static str) -> HookRow {
    HookRow { event, matcher: None, timeout: TIMEOUT, detached: false, since: SEEN, why }
}

/// The table.
pub(crate) const TABLE: HookTable = HookTable {
    client: Client::Codex,
    format: Format::Groups,
    rows: &[
        row("SessionStart", "a session, its process and its epoch"),
        row("UserPromptSubmit", "opens a turn"),
        row("PreToolUse", "the guard; asks; a sign of life"),
        row("PermissionRequest", "an ask, at once"),
        row("PostToolUse", "a sign of life; the answer to an ask"),
        row("SubagentStart", "a subagent lives"),
        row("SubagentStop", "a subagent has ended"),
        row("PreCompact", "a sign of life: a long compaction is no stall"),
        row("PostCompact", "the end of it"),
        row("Stop", "the turn end"),
        HookRow { timeout: EXIT_TIMEOUT, ..row("Interrupt", "the user broke the turn off; no Stop then") },
        HookRow {
            timeout: EXIT_TIMEOUT,
            ..row("SessionEnd", "the process goes; also after a failed request")
        },
    ],
    known_events: &[
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PreCompact",
        "PostCompact",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "Interrupt",
    ],
    unknown_event_voids_file: false,
};
