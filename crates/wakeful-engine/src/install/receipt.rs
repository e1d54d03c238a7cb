//! What set-up keeps of one settings file: a record, and the bytes of every version that it replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wakeful_clients::install::Footprint;

use super::InstallError;
use super::digest::Sha256;
use super::file::{make_private_folder, write_own};

/// The version of the record that this program writes.
const VERSION: u32 = 1;

/// The record of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Receipt {
    version: u32,
    /// The settings file, for people.
    pub(crate) path: String,
    /// The file without our entries; `None` where there was none. The bytes are among the backups.
    pub(crate) original: Option<Sha256>,
    /// The file as set-up left it.
    pub(crate) after: Sha256,
    /// What set-up made in it.
    pub(crate) footprint: Footprint,
    /// The trust that Codex was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trust: Option<TrustReceipt>,
}

/// What asking Codex for trust did to its `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TrustReceipt {
    /// The file without our trust; `None` where there was none.
    pub(crate) original: Option<Sha256>,
    /// The file as Codex left it; `None` where it made none.
    pub(crate) after: Option<Sha256>,
    /// The keys of our hooks.
    pub(crate) keys: Vec<String>,
}

impl Receipt {
    /// A new record.
    pub(crate) fn new(path: &Path, original: Option<Sha256>, after: Sha256, footprint: Footprint) -> Self {
        Self { version: VERSION, path: path.display().to_string(), original, after, footprint, trust: None }
    }
}

/// Just enough of a record to tell who wrote it.
#[derive(Deserialize)]
struct AnyVersion {
    version: u32,
}

/// Where the record and the backups of one settings file are.
#[derive(Debug, Clone)]
pub(crate) struct Slot(pub(crate) PathBuf);

impl Slot {
    fn receipt(&self) -> PathBuf {
        self.0.join("receipt.json")
    }

    fn backup(&self, digest: &Sha256) -> PathBuf {
        self.0.join("backups").join(digest.as_str())
    }

    /// The record; `None` where there is none, or none that can be read: removal does without.
    pub(crate) fn load(&self) -> Result<Option<Receipt>, InstallError> {
        let path = self.receipt();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(InstallError::io(path, "cannot read")(error)),
        };
        match serde_json::from_slice::<AnyVersion>(&bytes) {
            Ok(AnyVersion { version }) if version > VERSION => Err(InstallError::TooNew { path, version }),
            _ => Ok(serde_json::from_slice(&bytes).ok()),
        }
    }

    /// Keeps the record.
    pub(crate) fn save(&self, receipt: &Receipt) -> Result<(), InstallError> {
        make_private_folder(&self.0)?;
        let mut bytes = serde_json::to_vec_pretty(receipt)
            .map_err(|error| InstallError::io(self.receipt(), "cannot write")(error.into()))?;
        bytes.push(b'\n');
        write_own(&self.receipt(), &bytes)
    }

    /// Lets the record go; backups stay.
    pub(crate) fn forget(&self) -> Result<(), InstallError> {
        match fs::remove_file(self.receipt()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(InstallError::io(self.receipt(), "cannot remove")(error))
            }
            _ => Ok(()),
        }
    }

    /// Keeps `bytes` under their digest.
    pub(crate) fn keep(&self, bytes: &[u8]) -> Result<Sha256, InstallError> {
        let digest = Sha256::of(bytes);
        let path = self.backup(&digest);
        make_private_folder(&self.0.join("backups"))?;
        // One that is there already, and sound, is the same.
        if self.kept(&digest).is_none() {
            write_own(&path, bytes)?;
        }
        Ok(digest)
    }

    /// The bytes with this digest, if they are there and sound.
    pub(crate) fn kept(&self, digest: &Sha256) -> Option<Vec<u8>> {
        if !digest.is_sound() {
            return None;
        }
        fs::read(self.backup(digest)).ok().filter(|bytes| Sha256::of(bytes) == *digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As version 1 wrote it.
    const SAMPLE: &str = include_str!("receipt_v1.json");

    fn slot_with(text: &str) -> (tempfile::TempDir, Slot) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("receipt.json"), text).unwrap();
        let slot = Slot(folder.path().to_owned());
        (folder, slot)
    }

    #[test]
    fn the_sample_is_read_and_written_alike() {
        let (_folder, slot) = slot_with(SAMPLE);
        let receipt = slot.load().unwrap().expect("version 1 is known");
        assert_eq!(receipt.footprint.properties, ["hooks"]);
        slot.save(&receipt).unwrap();
        assert_eq!(fs::read_to_string(slot.receipt()).unwrap(), SAMPLE);
    }

    #[test]
    fn a_newer_record_is_refused_and_a_broken_one_is_none() {
        let (_folder, slot) = slot_with(r#"{"version": 2, "wholly": "other"}"#);
        assert!(matches!(slot.load(), Err(InstallError::TooNew { version: 2, .. })));
        let (_folder, slot) = slot_with("{");
        assert_eq!(slot.load().unwrap(), None);
    }

    #[test]
    fn a_damaged_backup_is_not_given_back() {
        let (_folder, slot) = slot_with("{}");
        let digest = slot.keep(b"mine").unwrap();
        assert_eq!(slot.kept(&digest).as_deref(), Some(b"mine".as_slice()));
        fs::write(slot.backup(&digest), "other").unwrap();
        assert_eq!(slot.kept(&digest), None);
        assert_eq!(slot.kept(&serde_json::from_str(r#""../receipt.json""#).unwrap()), None);
    }
}
