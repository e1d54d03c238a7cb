//! Bytes in, a plan out: set-up and removal of our entries in one settings file (C6).

use std::path::Path;

use jsonc_parser::ast::{Object, Value};

use super::command::{BadPath, hook_command};
use super::document::{Container, Document, last, span};
use super::edit::Edits;
use super::footprint::{Footprint, HOOKS, RootMade, VERSION, event_path};
use super::insert::insert_children;
use super::note::notes;
use super::remove::{Goes, take_ours};
use super::render::{Piece, Style, same};
use super::shape::{check_version, event_of, hooks_of, lists_of, our_hook, root_of};
use super::{Format, HookTable, Refusal, Seconds, Version};

/// One hook to be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The client's name of the event.
    pub event: &'static str,
    /// Which tools it runs for.
    pub matcher: Option<&'static str>,
    /// When the client gives up on it.
    pub timeout: Seconds,
    /// Does the client go on without waiting for it?
    pub detached: bool,
    /// The command line.
    pub command: String,
}

/// What the file is to have of ours: these entries, and no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// How the file holds hooks.
    pub format: Format,
    /// The entries, at most one an event.
    pub entries: Vec<Entry>,
    /// The event names that the client is known to know.
    pub known_events: &'static [&'static str],
    /// Does one unknown event name make the client ignore the whole file?
    pub unknown_event_voids_file: bool,
}

impl Wanted {
    /// The entries of `table` that are proven for the installed `version`, calling the program at `path`.
    ///
    /// # Errors
    /// When the path cannot stand in a settings file.
    pub fn of(table: &HookTable, version: Option<Version>, path: &Path) -> Result<Self, BadPath> {
        let command = hook_command(path, table.client)?;
        let entries = table.rows_for(version).map(|row| Entry {
            event: row.event,
            matcher: row.matcher,
            timeout: row.timeout,
            detached: row.detached,
            command: command.clone(),
        });
        Ok(Self {
            format: table.format,
            entries: entries.collect(),
            known_events: table.known_events,
            unknown_event_voids_file: table.unknown_event_voids_file,
        })
    }
}

/// What is to be done with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// Nothing.
    Unchanged,
    /// It gets these bytes.
    Write(Vec<u8>),
    /// It goes: set-up made it, and nothing but its work is in it.
    Delete,
}

/// A plan for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What is to be done.
    pub after: After,
    /// What set-up has made in the file, this time or earlier; to be kept for removal.
    pub footprint: Footprint,
    /// What in the file keeps hooks from running, as sentences.
    pub notes: Vec<String>,
}

/// Puts the wanted entries in, in the place of older ones of ours where there are such. `before` is `None` where there
/// is no file; `earlier` is what an earlier set-up made in it.
///
/// # Errors
/// When the file does not parse or has a shape that is not known.
pub fn plan_setup(
    before: Option<&[u8]>,
    wanted: &Wanted,
    earlier: Option<&Footprint>,
) -> Result<Plan, Refusal> {
    let bytes = before.unwrap_or_default();
    let original = Document::parse(bytes)?;
    check(&original, wanted)?;
    let earlier = earlier.cloned().unwrap_or_else(|| Footprint::assumed(&original, wanted.format));
    let mut later = Footprint { file: before.is_none(), ..Footprint::default() };
    let cleaned = renew(&original, wanted, &earlier).apply(&original);
    let document = Document::parse(cleaned.as_bytes())?;
    let mut edits = Edits::default();
    add_missing(&document, &mut edits, wanted, &mut later)?;
    let text = edits.apply(&document);
    let notes = notes(&Document::parse(text.as_bytes())?, wanted);
    let after = if before.is_some() && text.as_bytes() == bytes {
        After::Unchanged
    } else {
        After::Write(text.into_bytes())
    };
    Ok(Plan { after, footprint: earlier.merged(later), notes })
}

/// Takes all our entries out, and with them what set-up made for them, as the `footprint` says.
///
/// # Errors
/// When the file does not parse, or is no object.
pub fn plan_removal(before: &[u8], format: Format, footprint: Option<&Footprint>) -> Result<Plan, Refusal> {
    let document = Document::parse(before)?;
    root_of(&document)?;
    let footprint = footprint.cloned().unwrap_or_else(|| Footprint::assumed(&document, format));
    let goes = Goes { hook: &|_, _| true, property: &|path| footprint.made(path) };
    let edits = take_ours(&document, format, &footprint, goes);
    if edits.is_empty() {
        return Ok(Plan { after: After::Unchanged, footprint: Footprint::default(), notes: Vec::new() });
    }
    let text = edits.apply(&document);
    let after = without_root(text, &footprint)?;
    Ok(Plan { after, footprint: Footprint::default(), notes: Vec::new() })
}

/// Takes away an outermost object that set-up made, once nothing is left in it.
fn without_root(text: String, footprint: &Footprint) -> Result<After, Refusal> {
    let Some(made) = &footprint.root else { return Ok(After::Write(text.into_bytes())) };
    let document = Document::parse(text.as_bytes())?;
    let Some(root) = root_of(&document)? else { return Ok(After::Write(text.into_bytes())) };
    let container = Container::from(root);
    if !document.text[container.inside()].trim().is_empty() {
        return Ok(After::Write(text.into_bytes()));
    }
    let (before, behind) = (&document.text[..container.span.start], &document.text[container.span.end..]);
    let before = before.strip_suffix(made.before.as_str()).unwrap_or(before);
    let behind = behind.strip_prefix(made.after.as_str()).unwrap_or(behind);
    if footprint.file && before.is_empty() && behind.is_empty() && document.bom.is_empty() {
        return Ok(After::Delete);
    }
    Ok(After::Write([document.bom, before, behind].concat().into_bytes()))
}

/// Has everything that will be looked at the shape that is known?
fn check(document: &Document<'_>, wanted: &Wanted) -> Result<(), Refusal> {
    let Some(root) = root_of(document)? else { return Ok(()) };
    if wanted.format == Format::Flat {
        check_version(document, root)?;
    }
    let Some(hooks) = hooks_of(document, root)? else { return Ok(()) };
    for entry in &wanted.entries {
        event_of(document, hooks, entry.event, wanted.format)?;
    }
    Ok(())
}

/// Replaces one older entry of ours an event by the wanted one, in its place, and takes the others away.
fn renew(document: &Document<'_>, wanted: &Wanted, footprint: &Footprint) -> Edits {
    let kept: Vec<(usize, Option<(super::document::Span, String)>)> = kept(document, wanted);
    let goes = Goes {
        hook: &|_, at| !kept.iter().any(|(kept, _)| *kept == at),
        // A list that is about to be filled again stays where it is.
        property: &|path| {
            path != HOOKS
                && footprint.made(path)
                && !wanted.entries.iter().any(|entry| path == event_path(entry.event))
        },
    };
    let mut edits = take_ours(document, wanted.format, footprint, goes);
    for (_, change) in kept.iter() {
        if let Some((place, text)) = change {
            edits.replace(place.clone(), text.clone());
        }
    }
    edits
}

/// Our hooks that stay, by where they stand, with what is to be written in their place if they differ.
fn kept(document: &Document<'_>, wanted: &Wanted) -> Vec<(usize, Option<(super::document::Span, String)>)> {
    let Ok(Some(root)) = root_of(document) else { return Vec::new() };
    let Ok(Some(hooks)) = hooks_of(document, root) else { return Vec::new() };
    let style = Style::of(document, Some(root));
    let stays = |entry: &Entry| {
        let hook = first_of(document, hooks, entry, wanted.format)?;
        let piece = entry.hook(wanted.format);
        let place = span(hook);
        let line = document.text[..place.start].rfind('\n').map_or(0, |newline| newline + 1);
        let many_lines = document.text[place.clone()].contains('\n');
        let indent: String =
            document.text[line..place.start].chars().take_while(|c| *c == ' ' || *c == '\t').collect();
        let text = || style.render(&piece, many_lines.then_some(&indent));
        let change = (!same(hook, &piece)).then(|| (place.clone(), text()));
        Some((place.start, change))
    };
    wanted.entries.iter().filter_map(stays).collect()
}

/// The first hook of ours for the event and matcher of `entry`, among those that count.
fn first_of<'d, 'a>(
    document: &Document<'a>,
    hooks: &'d Object<'a>,
    entry: &Entry,
    format: Format,
) -> Option<&'d Value<'a>> {
    let list = event_of(document, hooks, entry.event, format).ok()??;
    if format == Format::Flat {
        return list.elements.iter().find(|hook| our_hook(hook));
    }
    list.elements
        .iter()
        .filter_map(Value::as_object)
        .filter(|group| has_matcher(group, entry.matcher))
        .find_map(|group| {
            // Where a name stands twice, only the last one runs.
            lists_of(group).last()?.elements.iter().find(|hook| our_hook(hook))
        })
}

fn has_matcher(group: &Object<'_>, matcher: Option<&str>) -> bool {
    match (last(group, "matcher").map(|property| &property.value), matcher) {
        (None, None) => true,
        (Some(Value::StringLit(has)), Some(wanted)) => has.value == wanted,
        _ => false,
    }
}

/// Puts in what is not there: the outermost object, `hooks`, events, entries.
fn add_missing(
    document: &Document<'_>,
    edits: &mut Edits,
    wanted: &Wanted,
    footprint: &mut Footprint,
) -> Result<(), Refusal> {
    let root = root_of(document)?;
    let style = Style::of(document, root);
    let Some(root) = root else {
        new_root(document, edits, wanted, footprint, &style);
        return Ok(());
    };
    let Some(hooks) = hooks_of(document, root)? else {
        let mut new = Vec::new();
        if wanted.format == Format::Flat && last(root, VERSION).is_none() {
            new.push((VERSION, Piece::Number(1)));
        }
        new.push((HOOKS, all_events(wanted, footprint)));
        footprint.properties.extend(new.iter().map(|(name, _)| (*name).to_owned()));
        insert_children(
            document,
            edits,
            footprint,
            &style,
            (&root.into(), ""),
            &new,
            |(name, piece), indent| style.property(name, piece, indent),
        );
        return Ok(());
    };
    add_to_hooks(document, edits, wanted, footprint, &style, hooks)
}

fn add_to_hooks(
    document: &Document<'_>,
    edits: &mut Edits,
    wanted: &Wanted,
    footprint: &mut Footprint,
    style: &Style,
    hooks: &Object<'_>,
) -> Result<(), Refusal> {
    let mut new = Vec::new();
    for entry in &wanted.entries {
        let Some(list) = event_of(document, hooks, entry.event, wanted.format)? else {
            footprint.properties.push(event_path(entry.event));
            new.push((entry.event, Piece::Array(vec![entry.element(wanted.format)])));
            continue;
        };
        if first_of(document, hooks, entry, wanted.format).is_none() {
            let path = event_path(entry.event);
            let element = [entry.element(wanted.format)];
            insert_children(
                document,
                edits,
                footprint,
                style,
                (&list.into(), &path),
                &element,
                |piece, indent| style.render(piece, indent),
            );
        }
    }
    insert_children(
        document,
        edits,
        footprint,
        style,
        (&hooks.into(), HOOKS),
        &new,
        |(name, piece), indent| style.property(name, piece, indent),
    );
    Ok(())
}

fn all_events(wanted: &Wanted, footprint: &mut Footprint) -> Piece {
    footprint.properties.extend(wanted.entries.iter().map(|entry| event_path(entry.event)));
    let events = wanted.entries.iter();
    Piece::Object(
        events.map(|entry| (entry.event, Piece::Array(vec![entry.element(wanted.format)]))).collect(),
    )
}

/// A file with no value in it: no file, an empty one, white space, comments.
fn new_root(
    document: &Document<'_>,
    edits: &mut Edits,
    wanted: &Wanted,
    footprint: &mut Footprint,
    style: &Style,
) {
    let mut properties = Vec::new();
    if wanted.format == Format::Flat {
        properties.push((VERSION, Piece::Number(1)));
    }
    properties.push((HOOKS, all_events(wanted, footprint)));
    footprint.properties.extend(properties.iter().map(|(name, _)| (*name).to_owned()));
    let object = style.render(&Piece::Object(properties), Some(""));
    let at = document.comments.last().map_or(0, |comment| comment.end);
    let before = if at > 0 { style.newline } else { "" };
    let after = if document.text[at..].is_empty() { style.newline } else { "" };
    edits.insert(at, format!("{before}{object}{after}"));
    footprint.root = Some(RootMade { before: before.to_owned(), after: after.to_owned() });
    // Our own object was written with a line end before its closing bracket.
    footprint.tails.push((String::new(), style.newline.to_owned()));
}
