//! Finding hooks in a settings file: which are ours, and whether the file has the shape that is known.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;

use super::command::is_ours;
use super::document::{Document, all, last};
use super::footprint::{HOOKS, VERSION};
use super::{Format, Refusal};

/// The only version of Cursor's file that is known.
const CURSOR_VERSION: &str = "1";

/// Is this hook one of ours?
pub(crate) fn our_hook(hook: &Value<'_>) -> bool {
    let Some(hook) = hook.as_object() else { return false };
    // What the client runs is the last one. A hook of another type may have a command that is never run.
    let text = |name| last(hook, name).and_then(|property| property.value.as_string_lit());
    let runs = last(hook, "type").is_none() || text("type").is_some_and(|kind| kind.value == "command");
    runs && text("command").is_some_and(|command| is_ours(&command.value))
}

/// The lists of hooks in a group; more than one only where the name stands twice.
pub(crate) fn lists_of<'o, 'a>(group: &'o Object<'a>) -> impl Iterator<Item = &'o Array<'a>> {
    all(group, HOOKS).filter_map(|(_, property)| property.value.as_array())
}

/// Does the group have nothing in it but what a group of ours has?
pub(crate) fn plain_group(group: &Object<'_>) -> bool {
    let names = group.properties.iter().map(|property| property.name.as_str());
    names.clone().all(|name| name == HOOKS || name == "matcher")
        && names.filter(|name| *name == HOOKS).count() == 1
}

/// The outermost object.
///
/// # Errors
/// When the outermost value is something else.
pub(crate) fn root_of<'d, 'a>(document: &'d Document<'a>) -> Result<Option<&'d Object<'a>>, Refusal> {
    match &document.root {
        None => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(other) => Err(wrong(document, other, "the file", "an object")),
    }
}

/// The hooks that count: the last property of that name.
///
/// # Errors
/// When it is no object.
pub(crate) fn hooks_of<'d, 'a>(
    document: &Document<'a>,
    root: &'d Object<'a>,
) -> Result<Option<&'d Object<'a>>, Refusal> {
    let Some(property) = last(root, HOOKS) else { return Ok(None) };
    match &property.value {
        Value::Object(object) => Ok(Some(object)),
        other => Err(wrong(document, other, "`hooks`", "an object")),
    }
}

/// The list of `event` that counts.
///
/// # Errors
/// When it, or anything in it that would be looked through, has another shape than is known.
pub(crate) fn event_of<'d, 'a>(
    document: &Document<'a>,
    hooks: &'d Object<'a>,
    event: &str,
    format: Format,
) -> Result<Option<&'d Array<'a>>, Refusal> {
    let Some(property) = last(hooks, event) else { return Ok(None) };
    let Value::Array(list) = &property.value else {
        return Err(wrong(document, &property.value, &format!("`{event}`"), "a list"));
    };
    for element in &list.elements {
        let Value::Object(element) = element else {
            return Err(wrong(document, element, &format!("an entry of `{event}`"), "an object"));
        };
        if format == Format::Flat {
            continue;
        }
        match last(element, HOOKS).map(|property| &property.value) {
            Some(Value::Array(inner)) => check_hooks(document, inner, event)?,
            Some(other) => {
                return Err(wrong(document, other, &format!("`hooks` of a group of `{event}`"), "a list"));
            }
            None => {
                return Err(document.refuse(element.start(), format!("a group of `{event}` without `hooks`")));
            }
        }
    }
    Ok(Some(list))
}

fn check_hooks(document: &Document<'_>, hooks: &Array<'_>, event: &str) -> Result<(), Refusal> {
    match hooks.elements.iter().find(|hook| hook.as_object().is_none()) {
        Some(hook) => Err(wrong(document, hook, &format!("a hook of `{event}`"), "an object")),
        None => Ok(()),
    }
}

/// Is Cursor's `version` the one that is known, if it is stated?
pub(crate) fn check_version(document: &Document<'_>, root: &Object<'_>) -> Result<(), Refusal> {
    match last(root, VERSION).map(|property| &property.value) {
        None => Ok(()),
        Some(Value::NumberLit(number)) if number.value == CURSOR_VERSION => Ok(()),
        Some(other) => Err(wrong(document, other, "`version`", CURSOR_VERSION)),
    }
}

fn wrong(document: &Document<'_>, value: &Value<'_>, what: &str, expected: &str) -> Refusal {
    let is = match value {
        Value::StringLit(_) => "a text",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a truth value",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    };
    document.refuse(value.start(), format!("{what} is {is}; expected {expected}"))
}
