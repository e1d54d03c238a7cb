//! What a file says that keeps hooks from running, for the one who sets up.

use jsonc_parser::common::Ranged;

use super::document::{Document, last};
use super::footprint::{HOOKS, VERSION};
use super::plan::Wanted;
use super::shape::root_of;
use super::{Format, Refusal};

/// Sentences, without an end stop.
pub(crate) fn notes(document: &Document<'_>, wanted: &Wanted) -> Vec<String> {
    let Ok(Some(root)) = root_of(document) else { return Vec::new() };
    let mut notes = Vec::new();
    if let Some(off) = last(root, "disableAllHooks")
        && off.value.as_boolean_lit().is_some_and(|off| off.value)
    {
        notes.push(format!("no hook runs while `disableAllHooks` is on ({})", place(document, off.start())));
    }
    let hooks = last(root, HOOKS).and_then(|hooks| hooks.value.as_object());
    if wanted.format == Format::Flat && hooks.is_some() && last(root, VERSION).is_none() {
        notes.push("the file states no `version`; Cursor may not read it".to_owned());
    }
    if wanted.unknown_event_voids_file {
        let unknown = hooks
            .into_iter()
            .flat_map(|hooks| &hooks.properties)
            .filter(|property| !wanted.known_events.contains(&property.name.as_str()));
        notes.extend(unknown.map(|property| {
            let at = place(document, property.start());
            let name = property.name.as_str();
            format!("the client may ignore the whole file because of the event `{name}` ({at})")
        }));
    }
    notes
}

fn place(document: &Document<'_>, offset: usize) -> String {
    let Refusal { line, column, .. } = document.refuse(offset, "");
    format!("line {line}, column {column}")
}
