//! Taking our entries out of a file, with what set-up made for them.

use jsonc_parser::ast::{Array, Object, Value};

use super::Format;
use super::document::{Container, Document, all, last};
use super::edit::{Edits, take_children};
use super::footprint::{Footprint, HOOKS, VERSION, event_path};
use super::shape::{lists_of, our_hook, plain_group, root_of};

/// Which of our hooks go.
#[derive(Clone, Copy)]
pub(crate) struct Goes<'f> {
    /// Given the event and where the hook stands in the text.
    pub(crate) hook: &'f dyn Fn(&str, usize) -> bool,
    /// Given the path of a property that held nothing but what goes: does it go too?
    pub(crate) property: &'f dyn Fn(&str) -> bool,
}

/// The edits that take our hooks out. Places whose shape is not known hold none of ours and are passed over.
pub(crate) fn take_ours(
    document: &Document<'_>,
    format: Format,
    footprint: &Footprint,
    goes: Goes<'_>,
) -> Edits {
    let mut edits = Edits::default();
    let Ok(Some(root)) = root_of(document) else { return edits };
    let mut gone = Vec::new();
    for (index, property) in all(root, HOOKS) {
        let Value::Object(hooks) = &property.value else { continue };
        if take_from_hooks(document, &mut edits, hooks, format, footprint, goes) {
            gone.push(index);
        }
    }
    if !gone.is_empty() && footprint.made(VERSION) {
        gone.extend(all(root, VERSION).map(|(index, _)| index));
        gone.sort_unstable();
    }
    take_children(document, &mut edits, &root.into(), &gone, footprint.tail(""));
    edits
}

/// Says whether the whole property goes; then there are no edits in it.
fn take_from_hooks(
    document: &Document<'_>,
    edits: &mut Edits,
    hooks: &Object<'_>,
    format: Format,
    footprint: &Footprint,
    goes: Goes<'_>,
) -> bool {
    let mut gone = Vec::new();
    let mut inner = Vec::new();
    for (index, property) in hooks.properties.iter().enumerate() {
        let Value::Array(list) = &property.value else { continue };
        let event = property.name.as_str();
        let found = gone_from(list, format, &|at| (goes.hook)(event, at));
        let empties = !found.elements.is_empty() && found.elements.len() == list.elements.len();
        if empties && (goes.property)(&event_path(event)) {
            gone.push(index);
        } else {
            inner.push((list, found, event_path(event)));
        }
    }
    if !gone.is_empty() && gone.len() == hooks.properties.len() && (goes.property)(HOOKS) {
        return true;
    }
    take_children(document, edits, &hooks.into(), &gone, footprint.tail(HOOKS));
    for (list, found, path) in inner {
        take_children(document, edits, &list.into(), &found.elements, footprint.tail(&path));
        for (hooks, some) in found.parts {
            take_children(document, edits, &hooks, &some, None);
        }
    }
    false
}

/// What goes from one event's list.
#[derive(Default)]
struct Gone {
    /// Whole elements.
    elements: Vec<usize>,
    /// Some hooks of groups that stay.
    parts: Vec<(Container, Vec<usize>)>,
}

fn gone_from(list: &Array<'_>, format: Format, goes: &dyn Fn(usize) -> bool) -> Gone {
    let mut gone = Gone::default();
    let hook_goes = |hook: &Value<'_>| our_hook(hook) && goes(super::document::span(hook).start);
    for (index, element) in list.elements.iter().enumerate() {
        match (format, element) {
            (Format::Flat, element) => {
                if hook_goes(element) {
                    gone.elements.push(index);
                }
            }
            (Format::Groups, Value::Object(group)) => {
                let lists: Vec<(&Array<'_>, Vec<usize>)> = lists_of(group)
                    .map(|hooks| {
                        let some = hooks.elements.iter().enumerate().filter(|(_, hook)| hook_goes(hook));
                        (hooks, some.map(|(index, _)| index).collect())
                    })
                    .collect();
                let all_go =
                    lists.iter().all(|(hooks, some)| !some.is_empty() && some.len() == hooks.elements.len());
                if !lists.is_empty() && all_go && plain_group(group) {
                    gone.elements.push(index);
                } else {
                    gone.parts.extend(lists.into_iter().map(|(hooks, some)| (hooks.into(), some)));
                }
            }
            (Format::Groups, _) => {}
        }
    }
    gone
}

impl Footprint {
    /// What set-up would have made if everything that holds nothing but our entries is its work. Used where it is not
    /// known; an empty list or object that is left behind would mean nothing to any client.
    pub(crate) fn assumed(document: &Document<'_>, format: Format) -> Self {
        let mut footprint = Self::default();
        let Ok(Some(root)) = root_of(document) else { return footprint };
        let Some(Value::Object(hooks)) = last(root, HOOKS).map(|property| &property.value) else {
            return footprint;
        };
        let mut all_ours = !hooks.properties.is_empty();
        for property in &hooks.properties {
            let only_ours = property.value.as_array().is_some_and(|list| {
                !list.elements.is_empty()
                    && gone_from(list, format, &|_| true).elements.len() == list.elements.len()
            });
            if only_ours {
                footprint.properties.push(event_path(property.name.as_str()));
            }
            all_ours &= only_ours;
        }
        if all_ours {
            footprint.properties.push(HOOKS.to_owned());
        }
        footprint
    }
}
