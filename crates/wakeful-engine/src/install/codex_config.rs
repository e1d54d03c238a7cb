//! Codex writes trust into the user's `config.toml`. What it was before is kept, so that removal can put it back.

use std::path::Path;

use toml_edit::{DocumentMut, Item};
use wakeful_clients::install::unified_diff;

use super::codex_trust::{TrustError, Trusted, trust};
use super::digest::Sha256;
use super::file::Original;
use super::receipt::{Slot, TrustReceipt};
use super::setup::codex_config;
use super::{Change, Environment, InstallError};

/// Has Codex trust the hooks that `change` has put in place, and keeps what `config.toml` was before.
///
/// # Errors
/// The outer one when our own record cannot be kept; the inner one when Codex would not.
pub fn trust_hooks(
    change: &Change,
    program: &Path,
    environment: &Environment,
) -> Result<Result<Trusted, TrustError>, InstallError> {
    let config = codex_config(change.real_path());
    let before = Original::read(&config)?;
    let slot = change.slot();
    let mut receipt = slot.load()?;
    let trusted = trust(program, environment, change.path());
    let after = Original::read(&config)?;
    if let Some(receipt) = &mut receipt
        && before.bytes != after.bytes
    {
        let keys = trusted.as_ref().map(|trusted| trusted.keys.clone()).unwrap_or_default();
        let bare = bare(before.bytes.as_deref(), receipt.trust.as_ref(), slot);
        receipt.trust = Some(TrustReceipt {
            original: bare.map(|bare| slot.keep(&bare)).transpose()?,
            after: after.bytes.as_deref().map(Sha256::of),
            keys,
        });
        slot.save(receipt)?;
    }
    Ok(trusted)
}

/// `config.toml` without our trust.
fn bare(bytes: Option<&[u8]>, earlier: Option<&TrustReceipt>, slot: &Slot) -> Option<Vec<u8>> {
    let (bytes, Some(earlier)) = (bytes?, earlier) else { return bytes.map(<[u8]>::to_vec) };
    if earlier.after.as_ref() == Some(&Sha256::of(bytes)) {
        match &earlier.original {
            None => return None,
            Some(digest) => {
                if let Some(kept) = slot.kept(digest) {
                    return Some(kept);
                }
            }
        }
    }
    Some(without_keys(bytes, &earlier.keys).unwrap_or_else(|| bytes.to_vec()))
}

/// Has set-up asked for trust, and is `config.toml` still as Codex left it then? Then there is nothing to ask for.
///
/// # Errors
/// When the record or the file cannot be read.
pub fn is_as_trusted(change: &Change) -> Result<bool, InstallError> {
    let Some(trust) = change.slot().load()?.and_then(|receipt| receipt.trust) else { return Ok(false) };
    let now = Original::read(&codex_config(change.real_path()))?;
    Ok(!trust.keys.is_empty() && now.bytes.as_deref().map(Sha256::of) == trust.after)
}

/// What is seen of the trust that set-up asked Codex for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustSeen {
    /// Set-up has asked for none, or keeps no record of it.
    Unasked,
    /// Every key stands in `config.toml`.
    Kept,
    /// So many do not.
    Missing(usize),
}

/// Looks into the record and into `config.toml`, and asks nobody. `hooks` is the file as set-up leaves it: trust of other
/// entries would be of no use.
///
/// # Errors
/// When the record or the file cannot be read.
pub fn trust_seen(hooks: &Change) -> Result<TrustSeen, InstallError> {
    let Some(trust) = hooks.slot().load()?.and_then(|receipt| receipt.trust) else {
        return Ok(TrustSeen::Unasked);
    };
    if trust.keys.is_empty() {
        return Ok(TrustSeen::Unasked);
    }
    let now = Original::read(&codex_config(hooks.real_path()))?;
    let there = now.bytes.as_deref().map(state_keys).unwrap_or_default();
    match trust.keys.iter().filter(|key| !there.contains(key)).count() {
        0 => Ok(TrustSeen::Kept),
        missing => Ok(TrustSeen::Missing(missing)),
    }
}

/// The keys with a hash in `[hooks.state]`; none if the file is no TOML.
fn state_keys(bytes: &[u8]) -> Vec<String> {
    let document = std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<DocumentMut>().ok());
    let table = |item: &Item, name: &str| item.as_table_like().and_then(|table| table.get(name)).cloned();
    let state = document.and_then(|document| table(&table(document.as_item(), "hooks")?, "state"));
    let Some(state) = state else { return Vec::new() };
    let hashed = |item: &Item| item.as_table_like().is_some_and(|hook| hook.contains_key("trusted_hash"));
    let rows = state.as_table_like().into_iter().flat_map(toml_edit::TableLike::iter);
    rows.filter(|(_, hook)| hashed(hook)).map(|(key, _)| key.to_owned()).collect()
}

/// Our trust, to be taken out of Codex's `config.toml` again.
#[derive(Debug)]
pub struct Untrust {
    original: Original,
    after: Option<Vec<u8>>,
    slot: Slot,
}

impl Untrust {
    /// Works it out: the bytes of before, if nothing else has changed since, else without our keys. `None` if there is
    /// nothing to do. To be called before the record goes.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn plan(change: &Change) -> Result<Option<Self>, InstallError> {
        let slot = change.slot().clone();
        let Some(trust) = slot.load()?.and_then(|receipt| receipt.trust) else { return Ok(None) };
        let original = Original::read(&codex_config(change.real_path()))?;
        let after = bare(original.bytes.as_deref(), Some(&trust), &slot);
        let needed = after != original.bytes;
        Ok(needed.then_some(Self { original, after, slot }))
    }

    /// The exact change.
    pub fn diff(&self) -> String {
        let name = self.original.path.display().to_string();
        unified_diff(self.original.bytes.as_deref(), self.after.as_deref(), &name)
    }

    /// Makes it.
    ///
    /// # Errors
    /// When the file was changed since it was read, or cannot be written.
    pub fn apply(&self) -> Result<(), InstallError> {
        if let Some(bytes) = &self.original.bytes {
            self.slot.keep(bytes)?;
        }
        match &self.after {
            Some(bytes) => self.original.replace(bytes),
            None => self.original.delete(),
        }
    }
}

/// Takes these keys out of `[hooks.state]`, and the tables that are empty then. `None` if the file is no TOML.
fn without_keys(bytes: &[u8], keys: &[String]) -> Option<Vec<u8>> {
    let mut document: DocumentMut = std::str::from_utf8(bytes).ok()?.parse().ok()?;
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) else {
        return Some(bytes.to_vec());
    };
    let Some(state) = hooks.get_mut("state").and_then(Item::as_table_like_mut) else {
        return Some(bytes.to_vec());
    };
    let removed = keys.iter().filter(|key| state.remove(key).is_some()).count();
    if removed == 0 {
        return Some(bytes.to_vec());
    }
    if state.is_empty() {
        hooks.remove("state");
    }
    if hooks.is_empty() {
        document.remove("hooks");
    }
    Some(document.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_keys_go() {
        let text = "# mine\nmodel = \"m\" # tail\n\n[hooks.state]\n\n[hooks.state.\"a:stop:0:0\"]\ntrusted_hash = \"1\"\n\n\
                    [hooks.state.\"b:stop:0:0\"]\ntrusted_hash = \"2\"\n\n[analytics]\nenabled = false\n";
        let without = |keys: &[&str]| {
            let keys: Vec<_> = keys.iter().map(|key| (*key).to_owned()).collect();
            String::from_utf8(without_keys(text.as_bytes(), &keys).unwrap()).unwrap()
        };
        assert_eq!(without(&["none"]), text);
        let one = without(&["a:stop:0:0"]);
        assert!(one.contains("\"b:stop:0:0\"") && !one.contains("\"a:stop:0:0\""), "{one}");
        let both = without(&["a:stop:0:0", "b:stop:0:0"]);
        assert_eq!(both, "# mine\nmodel = \"m\" # tail\n\n[analytics]\nenabled = false\n");
        assert_eq!(state_keys(text.as_bytes()), ["a:stop:0:0", "b:stop:0:0"]);
        assert!(state_keys(b"[hooks.state.a]\nenabled = true").is_empty() && state_keys(b"= =").is_empty());
        assert_eq!(without_keys(b"not = = toml", &[]), None);
    }
}
