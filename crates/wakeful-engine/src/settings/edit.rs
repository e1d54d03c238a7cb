//! Changes of the settings file that keep everything else in it as it is: comments, order, line ends, mode, links.
//!
//! As with the files of the clients (ADR 5), a change is made by place where that can be done, so that no byte beside it moves.
//! What is written in a shape of its own (inline tables, dotted keys) goes through `toml_edit`. Either way the result is read again
//! before it is written, and must say what the file said before, but for the change.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, DocumentMut, Item, Table, TableLike};

use super::error::{Place, Problem, SettingsError};
use super::{Key, Value, parse};
use crate::install::{InstallError, file::Original};

/// Why the file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It cannot be read or replaced.
    #[error(transparent)]
    File(#[from] InstallError),
    /// It is at fault, or would be.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// It is written in a way in which the change cannot be made.
    #[error("{file}: `{key}` cannot be changed in the way in which this file is written")]
    Shape {
        /// Which file.
        file: String,
        /// The key.
        key: String,
    },
}

/// A settings file that is being edited.
#[derive(Debug)]
pub struct Editing {
    original: Original,
    text: String,
}

impl Editing {
    /// What it holds; empty where there is no file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Is there a file yet?
    pub fn exists(&self) -> bool {
        self.original.bytes.is_some()
    }

    fn at_fault(&self, (place, problem): (Place, Problem)) -> EditError {
        SettingsError::Text { path: self.original.path.clone(), place, problem }.into()
    }

    /// The text, changed: the first attempt counts that says what it should.
    fn changed(&self, key: &str, to: Option<&Value>) -> Result<String, EditError> {
        // A file that is no TOML says so by itself.
        Document::parse(self.text.as_str()).map_err(|error| {
            let place = Place::at(&self.text, error.span().map_or(0, |span| span.start));
            self.at_fault((place, Problem::Syntax(error.message().trim().replace('\n', " "))))
        })?;
        let path: Vec<&str> = key.split('.').collect();
        let attempts = [by_place(&self.text, &path, to), by_document(&self.text, &path, to)];
        let right = attempts.into_iter().flatten().find(|text| says(&self.text, text, &path, to));
        right.ok_or_else(|| EditError::Shape {
            file: self.original.path.display().to_string(),
            key: key.to_owned(),
        })
    }
}

/// Reads the file, through links. None is an empty one.
///
/// # Errors
/// When it cannot be read.
pub fn start_editing(file: &Path) -> Result<Editing, EditError> {
    let original = Original::read(file)?;
    let bytes = original.bytes.clone().unwrap_or_default();
    let text = String::from_utf8(bytes).map_err(|error| {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidData, error.utf8_error());
        SettingsError::Read { path: file.to_owned(), source }
    })?;
    Ok(Editing { original, text })
}

/// Puts `text` in the place of the file, in one step; mode and owner stay.
///
/// # Errors
/// When `text` is at fault, or the file was changed since, or cannot be replaced. The file is as it was then.
pub fn replace(editing: &Editing, text: &str) -> Result<(), EditError> {
    parse(text).map_err(|fault| editing.at_fault(fault))?;
    write(editing, text)
}

fn write(editing: &Editing, text: &str) -> Result<(), EditError> {
    if editing.exists() && text == editing.text {
        return Ok(());
    }
    Ok(editing.original.replace(text.as_bytes())?)
}

/// Sets a key to a value that it has read ([`Key::read`]).
///
/// # Errors
/// When the file is at fault elsewhere, was changed in the meantime, or cannot be replaced. The file is as it was then.
pub fn set(file: &Path, key: &Key, value: &Value) -> Result<(), EditError> {
    let editing = start_editing(file)?;
    replace(&editing, &editing.changed(key.name, Some(value))?)
}

/// Takes a key out of the file, also one that nobody knows. False if it was not in it.
///
/// # Errors
/// When the file is no TOML, was changed in the meantime, or cannot be replaced.
pub fn unset(file: &Path, key: &str) -> Result<bool, EditError> {
    let editing = start_editing(file)?;
    let document = Document::parse(editing.text.as_str());
    let path: Vec<&str> = key.split('.').collect();
    if document.is_ok_and(|document| find(document.as_table(), &path).is_none()) {
        return Ok(false);
    }
    // One fault less is better, even where another is left.
    let text = editing.changed(key, None)?;
    write(&editing, &text)?;
    Ok(true)
}

fn find<'a>(table: &'a dyn TableLike, path: &[&str]) -> Option<&'a Item> {
    let (first, rest) = path.split_first()?;
    let item = table.get(first)?;
    if rest.is_empty() { Some(item) } else { find(item.as_table_like()?, rest) }
}

fn line_end(text: &str) -> &'static str {
    let first = text.find('\n').and_then(|at| text.get(..at));
    if first.is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }
}

fn splice(text: &str, range: Range<usize>, with: &str) -> Option<String> {
    Some([text.get(..range.start)?, with, text.get(range.end..)?].concat())
}

/// The byte after the line in which `at` is.
fn next_line(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| at + length + 1)
}

fn by_place(text: &str, path: &[&str], to: Option<&Value>) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let (leaf, parents) = path.split_last()?;
    let there = find(document.as_table(), path);
    let Some(value) = to else {
        let end = there?.as_value()?.span()?.end;
        let parent = match parents {
            [] => Some(document.as_table() as &dyn TableLike),
            _ => find(document.as_table(), parents)?.as_table().map(|table| table as &dyn TableLike),
        };
        // Outside of inline tables a line has one key.
        let key = parent?.key(leaf)?.span()?.start;
        let start = text.get(..key)?.rfind('\n').map_or(0, |at| at + 1);
        return splice(text, start..next_line(text, end), "");
    };
    if let Some(item) = there {
        return splice(text, item.as_value()?.span()?, &value.to_string());
    }
    let nl = line_end(text);
    let line = format!("{leaf} = {value}{nl}");
    match find(document.as_table(), parents) {
        None => Some(with_section(text, parents, &line, nl)),
        Some(Item::Table(table)) if table.is_implicit() => Some(with_section(text, parents, &line, nl)),
        Some(Item::Table(table)) if !table.is_dotted() => {
            let after = next_line(text, last_value(table).or_else(|| Some(table.span()?.end))?);
            let torn = !text.get(..after)?.ends_with('\n');
            splice(text, after..after, &if torn { format!("{nl}{line}") } else { line })
        }
        Some(_) => None,
    }
}

/// The end of the last value that stands below a table's own header.
fn last_value(table: &Table) -> Option<usize> {
    let ends = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(inner) if inner.is_dotted() => last_value(inner),
        _ => None,
    });
    ends.max()
}

fn with_section(text: &str, section: &[&str], line: &str, nl: &str) -> String {
    let gap = match text {
        "" => String::new(),
        _ if text.ends_with('\n') => nl.to_owned(),
        _ => nl.repeat(2),
    };
    format!("{text}{gap}[{}]{nl}{line}", section.join("."))
}

fn by_document(text: &str, path: &[&str], to: Option<&Value>) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let (leaf, parents) = path.split_last()?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in parents {
        if to.is_none() && table.get(name).is_none() {
            return None;
        }
        table = table.entry(name).or_insert_with(toml_edit::table).as_table_like_mut()?;
    }
    match to {
        Some(value) => {
            let value: toml_edit::Value = value.to_string().parse().ok()?;
            table.insert(leaf, Item::Value(value));
        }
        None => drop(table.remove(leaf)?),
    }
    let text_now = document.to_string();
    // It prints line feeds only.
    Some(match line_end(text) {
        "\r\n" => text_now.replace("\r\n", "\n").replace('\n', "\r\n"),
        _ => text_now,
    })
}

/// Does `new` say what `old` says, but for the change?
fn says(old: &str, new: &str, path: &[&str], to: Option<&Value>) -> bool {
    let read = |text: &str| toml::from_str::<toml::Table>(text).ok();
    let (Some(mut wanted), Some(mut got)) = (read(old), read(new)) else { return false };
    let to = match to.map(|value| read(&format!("v = {value}")).and_then(|mut table| table.remove("v"))) {
        Some(None) => return false,
        Some(value) => value,
        None => None,
    };
    change(&mut wanted, path, to);
    prune(&mut wanted);
    prune(&mut got);
    // As texts: a `nan` of the user's is not equal to itself.
    format!("{wanted:?}") == format!("{got:?}")
}

fn change(table: &mut toml::Table, path: &[&str], to: Option<toml::Value>) {
    match path {
        [] => {}
        [leaf] => match to {
            Some(value) => drop(table.insert((*leaf).to_owned(), value)),
            None => drop(table.remove(*leaf)),
        },
        [first, rest @ ..] => {
            let empty = || toml::Value::Table(toml::Table::new());
            if let Some(inner) = table.entry(*first).or_insert_with(empty).as_table_mut() {
                change(inner, rest, to);
            }
        }
    }
}

/// Sections without keys say nothing.
fn prune(table: &mut toml::Table) {
    table.retain(|_, value| match value.as_table_mut() {
        Some(inner) => {
            prune(inner);
            !inner.is_empty()
        }
        None => true,
    });
}
