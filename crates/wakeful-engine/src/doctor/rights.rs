//! The rights of our own folder: prompts, answers and old settings of clients are in it.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::finding::{Check, Finding};

/// Folders are looked through this deep: `install/SLOT/backups/FILE` is the deepest that there is.
const DEPTH: usize = 4;

/// The state folder with what is in it: folders for the user alone (0700), files too (0600).
pub(crate) fn rights(state: &Path) -> Finding {
    let shown = state.display();
    let meta = match std::fs::metadata(state) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Finding::ok(Check::Rights, format!("no {shown} yet; it comes with the first event"));
        }
        Err(error) => {
            return Finding::broken(
                Check::Rights,
                format!("{shown}: {error}"),
                "make it a folder of your own",
            );
        }
    };
    if !meta.is_dir() {
        return Finding::broken(
            Check::Rights,
            format!("{shown} is no folder"),
            "move away what is in its place",
        );
    }
    if access(state, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let seen = format!("{shown} cannot be read and written by you, so no event is kept");
        return Finding::broken(
            Check::Rights,
            seen,
            format!("make it yours: `chown -R \"$(id -un)\" '{shown}'`"),
        );
    }
    let mut open = Vec::new();
    if let Err(error) = collect(state, &meta, DEPTH, &mut open) {
        return Finding::broken(Check::Rights, format!("{shown}: {error}"), "make what is in it your own");
    }
    match open.first() {
        None => Finding::ok(Check::Rights, format!("{shown} is for you alone")),
        Some(first) => Finding::warn(
            Check::Rights,
            format!("others may use {} of its files and folders, first {}", open.len(), first.display()),
            format!("`chmod -R go= '{shown}'`"),
        ),
    }
}

fn collect(path: &Path, meta: &Metadata, depth: usize, open: &mut Vec<PathBuf>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if meta.permissions().mode() & 0o077 != 0 {
        open.push(path.to_owned());
    }
    if !meta.is_dir() || depth == 0 {
        return Ok(());
    }
    let entries: io::Result<Vec<_>> = std::fs::read_dir(path)?.collect();
    let mut entries = entries?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        match entry.metadata() {
            // A link has no rights of its own, and what it leads to is not ours.
            Ok(meta) if meta.is_symlink() => {}
            Ok(meta) => collect(&entry.path(), &meta, depth - 1, open)?,
            // Gone in the meantime.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::super::State;
    use super::*;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn for_its_user_alone() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state");
        assert_eq!(rights(&state).state, State::Ok, "none yet");
        fs::create_dir_all(state.join("spool")).unwrap();
        let file = state.join("spool/2027-01-15.jsonl");
        fs::write(&file, "").unwrap();
        mode(&file, 0o600);
        mode(&state, 0o700);
        mode(&state.join("spool"), 0o700);
        assert_eq!(rights(&state).state, State::Ok);
        for (path, open, closed) in
            [(&file, 0o640, 0o600), (&state.join("spool"), 0o701, 0o700), (&state, 0o755, 0o700)]
        {
            mode(path, open);
            let found = rights(&state);
            assert_eq!(found.state, State::Warn);
            assert!(found.seen.contains("1 of its files and folders, first"), "{}", found.seen);
            mode(path, closed);
        }
    }

    #[test]
    fn a_file_in_its_place_is_broken() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("state"), "").unwrap();
        assert_eq!(rights(&home.path().join("state")).state, State::Broken);
    }
}
