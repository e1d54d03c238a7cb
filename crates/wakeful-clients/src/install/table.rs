//! What a row of the hook tables is. The tables stand in the clients' own folders.

use std::fmt;

use wakeful_core::ids::Client;

use super::Version;

/// Whole seconds: the unit of `timeout` in the settings of the three clients that can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seconds(pub u32);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.0)
    }
}

/// The timeout of an ordinary hook. The longest budget of a hook is 250 ms (C1): twenty times as much is room for a
/// machine that is busy or swaps, and the most that a hook which hangs can cost the agent.
pub(crate) const TIMEOUT: Seconds = Seconds(5);

/// The timeout of a hook that runs while the client goes away. Codex cuts it at 3 s, and Claude Code holds its exit open
/// for as long as the longest one states.
pub(crate) const EXIT_TIMEOUT: Seconds = Seconds(3);

/// How a settings file holds hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Event → groups with an optional matcher → hooks (Claude Code, Codex).
    Groups,
    /// Event → hooks, which carry their own matcher; the file states `"version": 1` (Cursor).
    Flat,
}

/// One hook that is registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookRow {
    /// The client's name of the event.
    pub event: &'static str,
    /// Which tools it runs for; `None` is all, or the event has no tools.
    pub matcher: Option<&'static str>,
    /// When the client gives up on it; always stated (C2).
    pub timeout: Seconds,
    /// Does the client go on without waiting for it?
    pub detached: bool,
    /// The oldest version that is proven to know the event (C2).
    pub since: Version,
    /// What it is for.
    pub why: &'static str,
}

/// The hooks of one client.
#[derive(Debug)]
pub struct HookTable {
    /// Whose.
    pub client: Client,
    /// How its file holds them.
    pub format: Format,
    /// The rows, in the order in which they are written.
    pub rows: &'static [HookRow],
    /// Every event name that the newest version proven here knows. Where one that is not among them stands in the file,
    /// and the client minds, that is said.
    pub known_events: &'static [&'static str],
    /// Does one unknown event name make the client ignore the whole file?
    pub unknown_event_voids_file: bool,
}

impl HookTable {
    /// The oldest version for which a hook is proven. Where the installed version is not known, it counts as this one.
    pub fn oldest(&self) -> Version {
        self.rows.iter().map(|row| row.since).min().unwrap_or(Version::new(0, 0, 0))
    }

    /// The rows proven for the installed `version` (C2); none if it is older than every proof.
    pub fn rows_for(&self, version: Option<Version>) -> impl Iterator<Item = &'static HookRow> {
        let version = version.map_or_else(|| self.oldest(), |version| comparable(self.client, version));
        self.rows.iter().filter(move |row| row.since <= version)
    }
}

/// Cursor's terminal client is numbered by date, its editor is not; both read the same file.
fn comparable(client: Client, version: Version) -> Version {
    match client {
        Client::Cursor => crate::cursor::install::comparable(version),
        _ => version,
    }
}

/// The hooks of `client`; `None` where set-up is not built yet.
pub fn table(client: Client) -> Option<&'static HookTable> {
    match client {
        Client::ClaudeCode => Some(&crate::claude_code::install::TABLE),
        Client::Codex => Some(&crate::codex::install::TABLE),
        Client::Cursor => Some(&crate::cursor::install::TABLE),
        Client::Gemini | Client::Copilot | Client::Opencode => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn tables() -> impl Iterator<Item = &'static HookTable> {
        Client::ALL.into_iter().filter_map(table)
    }

    #[test]
    fn three_clients_can_be_set_up() {
        let names: Vec<_> = tables().map(|table| table.client.name()).collect();
        assert_eq!(names, ["claude-code", "codex", "cursor"]);
    }

    #[test]
    fn every_row_is_sound() {
        for table in tables() {
            let mut seen = BTreeSet::new();
            for row in table.rows {
                assert!(seen.insert(row.event), "{} twice", row.event);
                assert!(table.known_events.contains(&row.event), "{} is not an event", row.event);
                assert!(row.timeout > Seconds(0) && row.timeout <= TIMEOUT, "{}", row.event);
                assert!(!row.why.is_empty(), "{}", row.event);
            }
        }
    }

    #[test]
    fn events_that_take_over_or_run_per_text_block_are_never_registered() {
        for table in tables() {
            for row in table.rows {
                assert!(!["WorktreeCreate", "MessageDisplay", "afterAgentThought"].contains(&row.event));
            }
        }
    }

    #[test]
    fn an_unknown_version_counts_as_the_oldest_proven_one() {
        for table in tables() {
            let unknown: Vec<_> = table.rows_for(None).collect();
            let oldest: Vec<_> = table.rows_for(Some(table.oldest())).collect();
            assert_eq!(unknown, oldest);
            assert!(!unknown.is_empty());
        }
    }

    #[test]
    fn rows_by_version() {
        let count = |client, version| table(client).map_or(0, |table| table.rows_for(Some(version)).count());
        let rows = [
            (Client::ClaudeCode, Version::new(1, 0, 30), 0),
            (Client::ClaudeCode, Version::new(2, 0, 45), 10),
            (Client::ClaudeCode, Version::new(2, 1, 197), 15),
            (Client::ClaudeCode, Version::new(2, 1, 332), 17),
            (Client::Codex, Version::new(0, 150, 0), 0),
            (Client::Codex, Version::new(0, 171, 0), 12),
            (Client::Codex, Version::new(0, 200, 1), 12),
            (Client::Cursor, Version::new(1, 6, 0), 0),
            (Client::Cursor, Version::new(1, 7, 0), 3),
            (Client::Cursor, Version::new(2, 4, 1), 3),
            (Client::Cursor, Version::new(3, 0, 0), 12),
            (Client::Cursor, Version::new(2025, 11, 25), 3),
            (Client::Cursor, Version::new(2026, 5, 1), 12),
        ];
        for (client, version, expected) in rows {
            assert_eq!(count(client, version), expected, "{client} {version}");
        }
    }
}
