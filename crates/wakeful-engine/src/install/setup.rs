//! A change to one client's settings: worked out first, shown, then made.

use std::path::{Path, PathBuf};

use wakeful_clients::install::{
    After, Footprint, Wanted, our_programs, plan_removal, plan_setup as plan, unified_diff,
};
use wakeful_core::ids::Client;

use super::digest::Sha256;
use super::file::Original;
use super::receipt::{Receipt, Slot};
use super::{Found, InstallError, StateDir};

/// What is to be done with one settings file.
#[derive(Debug)]
pub struct Change {
    /// Whose file it is.
    pub client: Client,
    /// Sentences for the user: what keeps hooks from running, what could not be kept.
    pub notes: Vec<String>,
    original: Original,
    after: Option<Vec<u8>>,
    slot: Slot,
    then: Then,
}

/// What becomes of the record.
#[derive(Debug)]
enum Then {
    /// Set-up: kept, with the file without our entries.
    Keep { bare: Option<Vec<u8>>, footprint: Footprint },
    /// Removal: let go.
    Forget,
}

impl Change {
    /// What the client calls the file.
    pub fn path(&self) -> &Path {
        &self.original.path
    }

    /// Where it is, behind links.
    pub fn real_path(&self) -> &Path {
        &self.original.real
    }

    /// Is there anything to do to the file?
    pub fn is_needed(&self) -> bool {
        self.original.bytes != self.after
    }

    /// The programs that entries of ours in the file call today.
    pub fn programs_now(&self) -> std::collections::BTreeSet<String> {
        self.original.bytes.as_deref().map(our_programs).unwrap_or_default()
    }

    /// The exact change; empty where there is none.
    pub fn diff(&self) -> String {
        let name = self.original.path.display().to_string();
        unified_diff(self.original.bytes.as_deref(), self.after.as_deref(), &name)
    }

    /// Makes the change: keeps what is replaced, then replaces it.
    ///
    /// # Errors
    /// When the file was changed since it was read, or cannot be written. Then it is as it was.
    pub fn apply(&self) -> Result<(), InstallError> {
        if let Then::Keep { bare, footprint } = &self.then {
            self.keep(bare.as_deref(), footprint)?;
        } else if let Some(bytes) = self.original.bytes.as_deref().filter(|_| self.is_needed()) {
            self.slot.keep(bytes)?;
        }
        match &self.after {
            _ if !self.is_needed() => {}
            Some(bytes) => self.original.replace(bytes)?,
            None => self.original.delete()?,
        }
        match self.then {
            Then::Forget => self.slot.forget(),
            Then::Keep { .. } => Ok(()),
        }
    }

    /// The record is there before the file changes: if we die in between, removal finds nothing of ours and is right.
    fn keep(&self, bare: Option<&[u8]>, footprint: &Footprint) -> Result<(), InstallError> {
        let Some(after) = &self.after else { return Ok(()) };
        self.original.check_writable()?;
        if let Some(bytes) = &self.original.bytes {
            self.slot.keep(bytes)?;
        }
        let bare = bare.map(|bare| self.slot.keep(bare)).transpose()?;
        let mut receipt = Receipt::new(&self.original.path, bare, Sha256::of(after), footprint.clone());
        receipt.trust = self.slot.load()?.and_then(|earlier| earlier.trust);
        self.slot.save(&receipt)
    }

    pub(crate) fn slot(&self) -> &Slot {
        &self.slot
    }
}

/// Works out what `wakeful setup` does to the settings of a client, for the program at `program`.
///
/// # Errors
/// When the file cannot be read or written, does not parse, or has a shape that is not known.
pub fn plan_setup(found: &Found, program: &Path, state: &StateDir) -> Result<Change, InstallError> {
    let wanted = Wanted::of(found.table, found.version, program)
        .map_err(|source| InstallError::Program { path: program.to_owned(), source })?;
    let original = Original::read(&found.settings)?;
    let slot = Slot(state.slot(found.client, &original.real));
    let refused = |refusal| InstallError::Refused { path: original.path.clone(), refusal };
    let receipt = slot.load()?;
    let (bare, earlier) = bare(&original, found, receipt, &slot).map_err(refused)?;
    let planned = plan(original.bytes.as_deref(), &wanted, earlier.as_ref()).map_err(refused)?;
    let after = match planned.after {
        After::Unchanged => original.bytes.clone(),
        After::Write(bytes) => Some(bytes),
        After::Delete => None,
    };
    let change = Change {
        client: found.client,
        notes: planned.notes,
        original,
        after,
        slot,
        then: Then::Keep { bare, footprint: planned.footprint },
    };
    if change.is_needed() {
        change.original.check_writable()?;
    }
    Ok(change)
}

/// The file without our entries, and what an earlier set-up made in it.
fn bare(
    original: &Original,
    found: &Found,
    receipt: Option<Receipt>,
    slot: &Slot,
) -> Result<(Option<Vec<u8>>, Option<Footprint>), wakeful_clients::install::Refusal> {
    let Some(bytes) = &original.bytes else { return Ok((None, None)) };
    if let Some(receipt) = &receipt
        && let Some(bare) = untouched(bytes, receipt, slot)
    {
        return Ok((bare, Some(receipt.footprint.clone())));
    }
    let footprint = receipt.map(|receipt| receipt.footprint);
    Ok(match plan_removal(bytes, found.table.format, footprint.as_ref())?.after {
        // There is nothing of ours in it, so what an earlier set-up made is gone as well.
        After::Unchanged => (Some(bytes.clone()), None),
        After::Write(bare) => (Some(bare), footprint),
        After::Delete => (None, footprint),
    })
}

/// The file before set-up, if nothing but set-up has changed it since.
#[expect(clippy::option_option, reason = "not known, no file, a file")]
fn untouched(bytes: &[u8], receipt: &Receipt, slot: &Slot) -> Option<Option<Vec<u8>>> {
    if Sha256::of(bytes) != receipt.after {
        return None;
    }
    match &receipt.original {
        None => Some(None),
        Some(digest) => slot.kept(digest).map(Some),
    }
}

/// Works out what `wakeful unsetup` does to the settings of a client.
///
/// # Errors
/// When the file cannot be read or written, or does not parse.
pub fn plan_unsetup(found: &Found, state: &StateDir) -> Result<Change, InstallError> {
    let original = Original::read(&found.settings)?;
    let slot = Slot(state.slot(found.client, &original.real));
    let receipt = slot.load()?;
    let mut notes = Vec::new();
    let after = match &original.bytes {
        None => None,
        Some(bytes) => match receipt.as_ref().and_then(|receipt| untouched(bytes, receipt, &slot)) {
            Some(bare) => bare,
            None => {
                if receipt.is_some() {
                    notes
                        .push("the file was changed since set-up: only the entries of Wakeful go".to_owned());
                }
                let footprint = receipt.as_ref().map(|receipt| &receipt.footprint);
                let planned = plan_removal(bytes, found.table.format, footprint)
                    .map_err(|refusal| InstallError::Refused { path: original.path.clone(), refusal })?;
                match planned.after {
                    After::Unchanged => {
                        notes.clear();
                        Some(bytes.clone())
                    }
                    After::Write(bytes) => Some(bytes),
                    After::Delete => None,
                }
            }
        },
    };
    let change = Change { client: found.client, notes, original, after, slot, then: Then::Forget };
    if change.is_needed() {
        change.original.check_writable()?;
    }
    Ok(change)
}

/// Where Codex keeps what it trusts: beside its hooks.
pub(crate) fn codex_config(hooks: &Path) -> PathBuf {
    hooks.with_file_name("config.toml")
}
