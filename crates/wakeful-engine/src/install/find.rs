//! Which clients are on this machine, in which version, and where their settings are.

use std::path::PathBuf;

use wakeful_clients::install::{HookTable, Version, table};
use wakeful_core::ids::Client;

use super::Environment;
use super::run::version_text;

/// A client that can be set up.
#[derive(Debug, Clone)]
pub struct Found {
    /// Which.
    pub client: Client,
    /// Its hooks.
    pub table: &'static HookTable,
    /// The settings file that hooks go into.
    pub settings: PathBuf,
    /// Its programs on the path.
    pub programs: Vec<PathBuf>,
    /// The version of the program that knows the fewest hooks; `None` where none says.
    pub version: Option<Version>,
}

/// Looks for `client` whether it is there or not; `None` where it cannot be set up.
pub fn look(client: Client, environment: &Environment) -> Option<Found> {
    let table = table(client)?;
    let programs: Vec<_> = programs(client).iter().filter_map(|name| environment.program(name)).collect();
    let versions =
        programs.iter().filter_map(|program| Version::find_in(&version_text(program, environment)?));
    // Editor and terminal client of Cursor read the same file, so the one that knows less decides.
    let version = versions.min_by_key(|version| table.rows_for(Some(*version)).count());
    Some(Found { client, table, settings: settings(client, environment)?, programs, version })
}

/// The clients on this machine that can be set up: those with a program on the path, or with a settings folder.
pub fn find(environment: &Environment) -> Vec<Found> {
    let there = |found: &Found| {
        !found.programs.is_empty() || found.settings.parent().is_some_and(std::path::Path::is_dir)
    };
    Client::ALL.into_iter().filter_map(|client| look(client, environment)).filter(there).collect()
}

fn programs(client: Client) -> &'static [&'static str] {
    match client {
        Client::ClaudeCode => &["claude"],
        Client::Codex => &["codex"],
        Client::Cursor => &["cursor-agent", "cursor"],
        Client::Gemini | Client::Copilot | Client::Opencode => &[],
    }
}

fn settings(client: Client, environment: &Environment) -> Option<PathBuf> {
    match client {
        Client::ClaudeCode => Some(environment.folder("CLAUDE_CONFIG_DIR", ".claude").join("settings.json")),
        Client::Codex => Some(environment.folder("CODEX_HOME", ".codex").join("hooks.json")),
        Client::Cursor => Some(environment.home().join(".cursor/hooks.json")),
        Client::Gemini | Client::Copilot | Client::Opencode => None,
    }
}
