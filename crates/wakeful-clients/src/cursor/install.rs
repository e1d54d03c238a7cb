//! Which hooks Cursor gets, in `hooks.json` of its folder. The names come from the hook runner of its SDK 1.0.18.
//!
//! One unknown event name makes Cursor ignore the whole file without a word, the user's own hooks too, and versions
//! were seen in the field that refuse a documented name. So an older or unknown version gets only the events of the
//! first release with hooks.
//!
//! Left out: `preToolUse`, because the guard's `beforeShellExecution` runs for the same call; the events of single
//! files and of Tab, and `afterAgentThought`, because they run often and say nothing that a decision needs.

use wakeful_core::ids::Client;

use crate::install::{Format, HookRow, HookTable, TIMEOUT, Version};

/// The first release with hooks.
const FIRST: Version = Version::new(1, 7, 0);
/// The first editor release after every name below was documented.
const FULL: Version = Version::new(3, 0, 0);
/// The first dated release of the terminal client after that.
const FULL_DATED: Version = Version::new(2026, 5, 0);
/// The smallest year: from here on a version is a date.
const FIRST_YEAR: u32 = 2000;

const fn row(event: &'static str, since: Version, why: &'static str) -> HookRow {
    HookRow { event, matcher: None, timeout: TIMEOUT, detached: false, since, why }
}

/// The editor version that knows as much as `version`, which may be a date.
pub(crate) fn comparable(version: Version) -> Version {
    match version {
        dated if dated >= FULL_DATED => FULL,
        dated if dated.major >= FIRST_YEAR => FIRST,
        numbered => numbered,
    }
}

/// The table.
pub(crate) const TABLE: HookTable = HookTable {
    client: Client::Cursor,
    format: Format::Flat,
    rows: &[
        row("sessionStart", FULL, "a session and its epoch"),
        row("beforeSubmitPrompt", FIRST, "opens a turn"),
        row("beforeShellExecution", FIRST, "the guard"),
        row("afterShellExecution", FULL, "a command has ended"),
        row("postToolUse", FULL, "a sign of life"),
        row("postToolUseFailure", FULL, "a call that ended badly has ended too"),
        row("afterAgentResponse", FULL, "the last message, which the turn end does not carry"),
        row("subagentStart", FULL, "a subagent lives"),
        row("subagentStop", FULL, "a subagent has ended"),
        row("preCompact", FULL, "a sign of life: a long compaction is no stall"),
        row("stop", FIRST, "the turn end"),
        row("sessionEnd", FULL, "the process goes; all that a run in print mode tells"),
    ],
    known_events: &[
        "beforeShellExecution",
        "afterShellExecution",
        "beforeMCPExecution",
        "afterMCPExecution",
        "beforeReadFile",
        "afterFileEdit",
        "beforeTabFileRead",
        "afterTabFileEdit",
        "beforeSubmitPrompt",
        "afterAgentResponse",
        "afterAgentThought",
        "sessionStart",
        "sessionEnd",
        "preCompact",
        "subagentStart",
        "subagentStop",
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
        "stop",
        "workspaceOpen",
    ],
    unknown_event_voids_file: true,
};
