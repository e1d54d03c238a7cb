//! Reading a settings file, and putting another one in its place in one step.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::InstallError;

/// A settings file as it was read.
#[derive(Debug, Clone)]
pub(crate) struct Original {
    /// What the client calls it.
    pub(crate) path: PathBuf,
    /// Where it is, behind links.
    pub(crate) real: PathBuf,
    /// What it holds; `None` where there is no file.
    pub(crate) bytes: Option<Vec<u8>>,
}

impl Original {
    /// Reads `path`, through links.
    pub(crate) fn read(path: &Path) -> Result<Self, InstallError> {
        let linked = fs::symlink_metadata(path).is_ok();
        match path.canonicalize() {
            Ok(real) if !real.is_file() => Err(InstallError::NotAFile { path: path.to_owned() }),
            Ok(real) => {
                let bytes = fs::read(&real).map_err(InstallError::io(path, "cannot read"))?;
                Ok(Self { path: path.to_owned(), real, bytes: Some(bytes) })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && linked => {
                Err(InstallError::DanglingLink { path: path.to_owned() })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { path: path.to_owned(), real: real_if_made(path), bytes: None })
            }
            Err(error) => Err(InstallError::io(path, "cannot read")(error)),
        }
    }

    /// Can it be replaced? The rename that replaces it would not ask the file itself.
    pub(crate) fn check_writable(&self) -> Result<(), InstallError> {
        if fs::metadata(&self.real).is_ok_and(|meta| meta.permissions().readonly()) {
            return Err(InstallError::ReadOnly { path: self.path.clone() });
        }
        let folder = self.folder();
        match fs::metadata(folder) {
            Ok(meta) if meta.permissions().readonly() => {
                Err(InstallError::ReadOnly { path: folder.to_owned() })
            }
            _ => Ok(()),
        }
    }

    fn folder(&self) -> &Path {
        self.real.parent().unwrap_or(&self.real)
    }

    /// Is it still what was read?
    fn check_unchanged(&self) -> Result<(), InstallError> {
        let now = Self::read(&self.path)?;
        if now.real == self.real && now.bytes == self.bytes {
            Ok(())
        } else {
            Err(InstallError::Changed { path: self.path.clone() })
        }
    }

    /// Puts `bytes` in its place: written beside it, made durable, renamed. Mode and owner stay.
    pub(crate) fn replace(&self, bytes: &[u8]) -> Result<(), InstallError> {
        self.check_writable()?;
        self.check_unchanged()?;
        let folder = self.folder();
        make_private_folder(folder)?;
        let cannot = |what| InstallError::io(&self.path, what);
        let mut temporary = tempfile::Builder::new()
            .prefix(".wakeful-")
            .tempfile_in(folder)
            .map_err(InstallError::io(folder, "cannot write in the folder"))?;
        temporary.write_all(bytes).map_err(cannot("cannot write"))?;
        if self.bytes.is_some() {
            keep_mode_and_owner(&self.real, temporary.as_file())
                .map_err(cannot("cannot keep mode and owner"))?;
        }
        temporary.as_file().sync_all().map_err(cannot("cannot write"))?;
        // As late as can be: what happens between this and the rename is not seen.
        self.check_unchanged()?;
        if self.bytes.is_some() {
            temporary.persist(&self.real).map_err(|error| cannot("cannot replace")(error.error))?;
        } else {
            temporary.persist_noclobber(&self.real).map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => InstallError::Changed { path: self.path.clone() },
                _ => cannot("cannot create")(error.error),
            })?;
        }
        sync_folder(folder);
        Ok(())
    }

    /// Takes the file away.
    pub(crate) fn delete(&self) -> Result<(), InstallError> {
        self.check_writable()?;
        self.check_unchanged()?;
        fs::remove_file(&self.real).map_err(InstallError::io(&self.path, "cannot remove"))?;
        sync_folder(self.folder());
        Ok(())
    }
}

/// Where a file would be that is not there yet.
fn real_if_made(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Makes a folder that only its owner can look into: settings may hold secrets.
pub(crate) fn make_private_folder(folder: &Path) -> Result<(), InstallError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(InstallError::io(folder, "cannot make the folder"))
}

/// Writes one of our own files in one step, for its owner only.
pub(crate) fn write_own(path: &Path, bytes: &[u8]) -> Result<(), InstallError> {
    let folder = path.parent().unwrap_or(path);
    let cannot = || InstallError::io(path, "cannot write");
    // A temporary file is made for its owner only.
    let mut temporary = tempfile::NamedTempFile::new_in(folder).map_err(cannot())?;
    temporary.write_all(bytes).map_err(cannot())?;
    temporary.as_file().sync_all().map_err(cannot())?;
    temporary.persist(path).map_err(|error| cannot()(error.error))?;
    sync_folder(folder);
    Ok(())
}

/// Makes a rename durable, where folders can be opened. A failure loses no byte: at worst the old file is back after a
/// power cut.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(unix)]
fn keep_mode_and_owner(real: &Path, file: &File) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let (old, new) = (fs::metadata(real)?, file.metadata()?);
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()))?;
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn keep_mode_and_owner(_: &Path, _: &File) -> io::Result<()> {
    Ok(())
}
