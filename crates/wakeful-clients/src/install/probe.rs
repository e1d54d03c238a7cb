//! What the property tests and the fuzz target ask of the editor, whatever the bytes are.

use std::path::Path;

use wakeful_core::ids::Client;

use super::{After, Wanted, plan_removal, plan_setup, table};

/// Sets up and removes in `bytes`, for every client that can be set up.
///
/// # Panics
/// When set-up fails on what set-up wrote, is not idempotent, or when removal does not give the bytes back that set-up
/// without older entries of ours began with.
pub fn settings(bytes: &[u8]) {
    for table in Client::ALL.into_iter().filter_map(table) {
        let newest = super::Version::new(9999, 0, 0);
        let wanted = Wanted::of(table, Some(newest), Path::new("/opt/wakeful")).expect("an absolute path");
        let Ok(bare) = plan_removal(bytes, table.format, None) else { continue };
        let bare = match bare.after {
            After::Unchanged => bytes.to_vec(),
            After::Write(bytes) => bytes,
            After::Delete => continue,
        };
        let Ok(plan) = plan_setup(Some(&bare), &wanted, None) else { continue };
        let After::Write(done) = plan.after else {
            panic!("set-up changes nothing in a file without our entries")
        };
        assert!(survives(&bare, &done), "every byte is still there, in order");
        let again =
            plan_setup(Some(&done), &wanted, Some(&plan.footprint)).expect("set-up reads what it wrote");
        assert_eq!(again.after, After::Unchanged, "set-up is idempotent");
        let back = plan_removal(&done, table.format, Some(&plan.footprint))
            .expect("removal reads what set-up wrote");
        assert_eq!(back.after, After::Write(bare), "removal gives the bytes back");
    }
}

/// Is `before` left when some bytes of `after` are taken away?
fn survives(before: &[u8], after: &[u8]) -> bool {
    let mut after = after.iter();
    before.iter().all(|byte| after.any(|other| other == byte))
}
