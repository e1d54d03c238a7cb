//! The branch that a folder is on: read from git's own files, since no payload has it.

use std::fs;
use std::path::{Path, PathBuf};

/// The branch of the repository around this folder; `None` outside of one, and where no branch is checked out.
pub fn branch(folder: &str) -> Option<String> {
    let git = Path::new(folder).ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let head = fs::read_to_string(folder_of(git)?.join("HEAD")).ok()?;
    Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned())
}

/// Of a worktree, `.git` is a file that says where the folder is.
fn folder_of(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
    let folder = text.trim().strip_prefix("gitdir: ")?;
    Some(git.parent()?.join(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_clone_and_of_a_worktree() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        let write = |path: &str, text: &str| {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), text).unwrap();
        };
        write("shop/.git/HEAD", "ref: refs/heads/fix/cart\n");
        write("shop/.git/worktrees/two/HEAD", "ref: refs/heads/two\n");
        write("two/.git", &format!("gitdir: {}\n", at("shop/.git/worktrees/two").display()));
        write("loose/.git/HEAD", "4b825dc642cb6eb9a060e54bf8d69288fbee4904\n");
        fs::create_dir_all(at("shop/src/deep")).unwrap();
        let branch = |path: &str| branch(at(path).to_str().unwrap());
        assert_eq!(branch("shop/src/deep").as_deref(), Some("fix/cart"));
        assert_eq!(branch("two").as_deref(), Some("two"));
        assert_eq!((branch("loose"), branch("no/such/folder")), (None, None));
    }
}
