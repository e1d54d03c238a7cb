//! From a file and the environment to settings in force.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use toml_edit::{Document, TableLike};

use super::error::{Place, Problem, SettingsError};
use super::keys::{Key, is_section, key, suggestion};
use super::{Effective, Environment, KEYS, Value};

/// Larger files are no settings.
const MOST: u64 = 1024 * 1024;

/// Where the value of a key came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said anything.
    Default,
    /// The file.
    File,
    /// This variable.
    Environment(String),
    /// This kill switch.
    KillSwitch(&'static str),
}

/// Settings with where they came from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loaded {
    /// The settings.
    pub settings: Effective,
    origins: BTreeMap<&'static str, Origin>,
}

impl Loaded {
    /// Where the value of a key came from.
    pub fn origin(&self, key: &Key) -> Origin {
        self.origins.get(key.name).cloned().unwrap_or(Origin::Default)
    }

    /// What is left where the file or a variable is at fault: the defaults, with those variables that are in order, and with the
    /// kill switches, which must work above all when something is wrong.
    pub fn fallback(environment: &Environment) -> Self {
        let mut loaded = Self::default();
        for key in KEYS {
            if let Some(Ok(value)) = variable(key, environment) {
                loaded.put(key, &value, Origin::Environment(key.variable()));
            }
        }
        loaded.kill(environment);
        loaded
    }

    fn put(&mut self, key: &'static Key, value: &Value, origin: Origin) {
        (key.put)(&mut self.settings, value);
        self.origins.insert(key.name, origin);
    }

    fn overrule(&mut self, environment: &Environment) -> Result<(), SettingsError> {
        for key in KEYS {
            if let Some(value) = variable(key, environment) {
                self.put(key, &value?, Origin::Environment(key.variable()));
            }
        }
        self.kill(environment);
        Ok(())
    }

    fn kill(&mut self, environment: &Environment) {
        for key in KEYS {
            if let Some(kill_switch) = key.kill_switch.filter(|name| environment.is_on(name)) {
                self.put(key, &key.off(), Origin::KillSwitch(kill_switch));
            }
        }
    }
}

fn variable(key: &'static Key, environment: &Environment) -> Option<Result<Value, SettingsError>> {
    let variable = key.variable();
    let value = key.kind.of_text(environment.get(&variable)?);
    let problem = || Problem::Value { key: key.name, expected: key.kind.expected() };
    Some(value.ok_or_else(|| SettingsError::Variable { variable, problem: problem() }))
}

/// The settings in this file, the environment on top. Without a file there are the defaults.
///
/// # Errors
/// The first thing that is wrong, with line and column. Unknown keys and wrong types are errors; numbers of minutes out of range
/// are not (T1).
pub fn load(file: Option<&Path>, environment: &Environment) -> Result<Loaded, SettingsError> {
    let text = file.map(text_of).transpose()?.flatten();
    let mut loaded = match (file, text) {
        (Some(path), Some(text)) => parse(&text).map_err(|(place, problem)| SettingsError::Text {
            path: path.to_owned(),
            place,
            problem,
        })?,
        _ => Loaded::default(),
    };
    loaded.overrule(environment)?;
    Ok(loaded)
}

/// The text of a settings file; `None` where there is no file.
pub(super) fn text_of(file: &Path) -> Result<Option<String>, SettingsError> {
    let meta = match std::fs::metadata(file) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(SettingsError::read(file)(error)),
    };
    // A pipe in its place would never end.
    if !meta.is_file() || meta.len() > MOST {
        return Err(SettingsError::NotSettings { path: file.to_owned() });
    }
    std::fs::read_to_string(file).map(Some).map_err(SettingsError::read(file))
}

/// The settings in this text, without any environment.
///
/// # Errors
/// The first thing that is wrong, and where.
pub fn parse(text: &str) -> Result<Loaded, (Place, Problem)> {
    let document = Document::parse(text).map_err(|error| {
        let place = Place::at(text, error.span().map_or(0, |span| span.start));
        (place, Problem::Syntax(one_line(error.message())))
    })?;
    let mut loaded = Loaded::default();
    section(document.as_table(), "", text, &mut loaded)?;
    Ok(loaded)
}

fn section(
    table: &dyn TableLike,
    parent: &str,
    text: &str,
    loaded: &mut Loaded,
) -> Result<(), (Place, Problem)> {
    for (name, item) in table.iter() {
        let full = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        let span = table.key(name).and_then(toml_edit::Key::span);
        let place = |span: Option<std::ops::Range<usize>>| Place::at(text, span.map_or(0, |span| span.start));
        if let Some(key) = key(&full) {
            let Some(value) = key.kind.of_item(item) else {
                let problem = Problem::Value { key: key.name, expected: key.kind.expected() };
                // The value itself; a table's own place is its header's.
                return Err((place(item.span().or(span)), problem));
            };
            loaded.put(key, &value, Origin::File);
        } else if !is_section(&full) {
            let suggestion = suggestion(&full);
            return Err((place(span), Problem::UnknownKey { key: full, suggestion }));
        } else if let Some(inner) = item.as_table_like() {
            section(inner, &full, text, loaded)?;
        } else {
            return Err((place(span), Problem::Section(full)));
        }
    }
    Ok(())
}

/// The parser answers with several lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
