//! Where the real clients are.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// The folder that `tests/clients/install` has filled; `target/clients` without it.
const FOLDER: &str = "WAKEFUL_TEST_CLIENTS";
/// Set, it makes missing clients a failure: a machine that is to check everything must not skip.
const REQUIRED: &str = "WAKEFUL_REQUIRE_CLIENTS";

/// The installed programs.
#[derive(Debug, Clone)]
pub struct Clients {
    /// Claude Code.
    pub claude: PathBuf,
    /// Codex.
    pub codex: PathBuf,
}

/// The installed clients. `None` when there are none and nobody insists; that is said once, on the real standard error.
///
/// # Panics
/// When there are none and `WAKEFUL_REQUIRE_CLIENTS` is set.
pub fn installed() -> Option<Clients> {
    static TOLD: Once = Once::new();
    let folder = folder();
    match find(&folder) {
        Ok(clients) => Some(clients),
        Err(missing) => {
            let why = format!("{} is missing; run tests/clients/install", missing.display());
            assert!(std::env::var_os(REQUIRED).is_none_or(|value| value.is_empty()), "{why}");
            // The test harness captures what the print macros say, and shows it of failed tests only.
            TOLD.call_once(|| {
                let _ = writeln!(std::io::stderr(), "tests with the real clients are skipped: {why}");
            });
            None
        }
    }
}

fn folder() -> PathBuf {
    match std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients"),
    }
}

fn find(folder: &Path) -> Result<Clients, PathBuf> {
    // Resolved: Codex looks for its helpers beside itself.
    let program = |name: &str| {
        let path = folder.join("bin").join(name);
        path.canonicalize().map_err(|_| path)
    };
    Ok(Clients { claude: program("claude")?, codex: program("codex")? })
}
