//! The rules in force: the built-in ones, with the files of a folder on top (P11).

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::OnceLock;

use wakeful_engine::paths::rules_dir;
use wakeful_prose::Rules;

use crate::error::Error;

/// The built-in rules with those of the user's folder. Where a file of it is at fault, that is said on standard error,
/// and the built-in rules alone stay in force.
pub fn in_force() -> &'static Rules {
    static USER: OnceLock<Option<Rules>> = OnceLock::new();
    let user = USER.get_or_init(|| {
        let folder = rules_dir(&|name| std::env::var_os(name))?;
        match rules_in(&folder) {
            Ok(rules) => Some(rules),
            Err(Error::Environment { source, .. }) if source.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                // Nothing is left to tell it to if standard error is gone.
                let _ = writeln!(std::io::stderr(), "wakeful: {error}\n  the built-in rules stay in force");
                None
            }
        }
    });
    user.as_ref().unwrap_or_else(|| Rules::built_in())
}

/// The built-in rules with the `.toml` files of this folder on top.
///
/// # Errors
/// A folder or a file that cannot be read, or that is no rule file: file, line and reason.
pub fn rules_in(folder: &Path) -> Result<Rules, Error> {
    let name = folder.display().to_string();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io(&name))? {
        let path = entry.map_err(Error::io(&name))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let shown = path.display().to_string();
            files.push((shown.clone(), std::fs::read_to_string(&path).map_err(Error::io(shown))?));
        }
    }
    files.sort(); // the order of a folder's entries is nobody's choice
    let texts: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Rules::parse(&texts).map_err(|errors| Error::Usage { what: errors.to_string(), hint: None })
}
