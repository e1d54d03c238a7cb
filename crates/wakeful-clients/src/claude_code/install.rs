//! Which hooks Claude Code gets. Facts as seen on 2.1.332; when an event came is in the client's own change log.
//!
//! Left out, and why: `WorktreeCreate` takes over the creation of worktrees, and `MessageDisplay` runs once per text
//! block and delays the text (C2). `PostToolBatch`, `TaskCreated`, `TaskCompleted` (a to-do list, not tasks),
//! `TeammateIdle`, `ConfigChange`, `CwdChanged`, `InstructionsLoaded`, `UserPromptExpansion` and the rest say nothing
//! that a decision needs. `FileChanged` comes with delivery (spec 60).
//!
//! Nearly all are waited for: a detached hook saves the agent some milliseconds, but its event may come out of order,
//! and a one-shot run may end before it.

use wakeful_core::ids::Client;

use crate::install::{EXIT_TIMEOUT, Format, HookRow, HookTable, TIMEOUT, Version};

/// The last of the events without which there is no decision came with this version (`PermissionRequest`).
const BASE: Version = Version::new(2, 0, 45);
/// `PostCompact`, `Elicitation` (2.1.76) and `StopFailure` (2.1.78) are there, and hooks can be detached.
const FULL: Version = Version::new(2, 1, 78);
/// Where the captures come from; the change log does not say when the event came.
const SEEN: Version = Version::new(2, 1, 332);

/// What the guard reads (commands), what the ledger counts (subagents), and what asks the user. Other tools are
/// noticed when they end, which halves the processes per call.
const STARTS_THAT_COUNT: &str = "Bash|PowerShell|Monitor|Agent|Task|AskUserQuestion|ExitPlanMode";

const fn row(event: &'static str, since: Version, why: &'static str) -> HookRow {
    HookRow { event, matcher: None, timeout: TIMEOUT, detached: false, since, why }
}

/// The table.
pub(crate) const TABLE: HookTable = HookTable {
    client: Client::ClaudeCode,
    format: Format::Groups,
    rows: &[
        row("SessionStart", BASE, "a session, its process and its epoch"),
        row("UserPromptSubmit", BASE, "opens a turn; carries the reports of tasks"),
        HookRow {
            matcher: Some(STARTS_THAT_COUNT),
            ..row("PreToolUse", BASE, "the guard; foreground subagents; asks")
        },
        row("PostToolUse", BASE, "tasks and wakes that a call started; a sign of life"),
        row("PostToolUseFailure", SEEN, "a call that ended badly has ended too"),
        row("PermissionRequest", BASE, "an ask, at once"),
        row("PermissionDenied", SEEN, "an ask that was refused for the user is closed"),
        HookRow {
            // Its answer is never used, and the client itself sends it seconds late.
            detached: true,
            ..row("Notification", FULL, "asks that no other event tells")
        },
        row("Elicitation", FULL, "an ask of an MCP server"),
        row("ElicitationResult", FULL, "its answer"),
        row("SubagentStart", BASE, "a subagent lives"),
        row("SubagentStop", BASE, "a subagent has ended; its list of what lives"),
        row("PreCompact", BASE, "a sign of life: a long compaction is no stall"),
        row("PostCompact", FULL, "the end of it"),
        row("Stop", BASE, "the turn end, with what lives"),
        row("StopFailure", FULL, "the turn died of an error; there is no Stop then"),
        HookRow { timeout: EXIT_TIMEOUT, ..row("SessionEnd", BASE, "the session's process goes") },
    ],
    known_events: &[
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "Notification",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "SessionStart",
        "SessionEnd",
        "Stop",
        "StopFailure",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "PreModelSwitch",
        "PostModelSwitch",
        "PermissionRequest",
        "PermissionDenied",
        "Setup",
        "TeammateIdle",
        "TaskCreated",
        "TaskCompleted",
        "Elicitation",
        "ElicitationResult",
        "ConfigChange",
        "WorktreeCreate",
        "WorktreeRemove",
        "InstructionsLoaded",
        "CwdChanged",
        "FileChanged",
        "DirectoryAdded",
        "MessageDisplay",
        "PreSkillShellCommand",
    ],
    unknown_event_voids_file: false,
};
