//! Where back-tests and labels are kept: in the folder for state, one file each.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use wakeful_engine::paths::state_dir;
use wakeful_replay::backtest::{Run, Truth, TurnEndKey, VERSION};

use crate::error::Error;

/// The labels that a person has given, newest last: `labels.jsonl`.
const LABELS: &str = "labels.jsonl";
/// Saved back-tests: `backtests/NAME.json`.
const SAVED: &str = "backtests";

/// One label.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Label {
    /// The turn end.
    pub turn_end: TurnEndKey,
    /// What is right.
    pub truth: Truth,
    /// The key that the person pressed: w, u or d.
    pub key: char,
    /// The end of the message, for whoever reads the file.
    pub message: String,
}

fn state() -> Result<PathBuf, Error> {
    state_dir(&|name| std::env::var_os(name)).ok_or_else(|| Error::Usage {
        what: "there is no folder for state".to_owned(),
        hint: Some("set HOME, or WAKEFUL_STATE_DIR".to_owned()),
    })
}

/// All labels; the last of a turn end counts. Without a file there are none.
///
/// # Errors
/// When the file cannot be read, or a line of it is no label.
pub fn labels() -> Result<BTreeMap<TurnEndKey, Truth>, Error> {
    let path = state()?.join(LABELS);
    let name = path.display().to_string();
    let file = match fs::File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        opened => opened.map_err(Error::io(&name))?,
    };
    let mut labels = BTreeMap::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(Error::io(&name))?;
        let label: Label = serde_json::from_str(&line).map_err(|error| Error::Usage {
            what: format!("{name}:{}: {error}", number + 1),
            hint: Some("a line is one label, as `wakeful label` writes it".to_owned()),
        })?;
        labels.insert(label.turn_end, label.truth);
    }
    Ok(labels)
}

/// Appends labels, one line each.
///
/// # Errors
/// When the file cannot be written.
pub fn append(labels: &[Label]) -> Result<PathBuf, Error> {
    let folder = state()?;
    let path = folder.join(LABELS);
    let name = path.display().to_string();
    fs::create_dir_all(&folder).map_err(Error::io(&name))?;
    let mut lines = String::new();
    for label in labels {
        lines.push_str(&serde_json::to_string(label).map_err(|error| Error::io(&name)(error.into()))?);
        lines.push('\n');
    }
    let mut file = fs::OpenOptions::new().create(true).append(true).open(&path).map_err(Error::io(&name))?;
    file.write_all(lines.as_bytes()).map_err(Error::io(&name))?;
    Ok(path)
}

/// Keeps a run under a name.
///
/// # Errors
/// When the name is no file name, or the file cannot be written.
pub fn save(name: &str, run: &Run) -> Result<PathBuf, Error> {
    let path = saved(name)?;
    let shown = path.display().to_string();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::io(&shown))?;
    }
    let json = serde_json::to_vec(run).map_err(|error| Error::io(&shown)(error.into()))?;
    fs::write(&path, json).map_err(Error::io(&shown))?;
    Ok(path)
}

/// A run that was kept.
///
/// # Errors
/// When there is none of this name, or it is of another version.
pub fn load(name: &str) -> Result<Run, Error> {
    let path = saved(name)?;
    let shown = path.display().to_string();
    let json = fs::read(&path).map_err(Error::io(&shown))?;
    let run: Run = serde_json::from_slice(&json).map_err(|error| Error::io(&shown)(error.into()))?;
    if run.version == VERSION {
        return Ok(run);
    }
    Err(Error::Usage {
        what: format!("{shown} is of version {}; this program reads {VERSION}", run.version),
        hint: Some("save it again with this program".to_owned()),
    })
}

fn saved(name: &str) -> Result<PathBuf, Error> {
    let plain = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
        && !name.starts_with('.');
    if plain {
        return Ok(state()?.join(SAVED).join(format!("{name}.json")));
    }
    Err(Error::Usage {
        what: format!("`{name}` is not a name"),
        hint: Some("letters, digits, - _ .".to_owned()),
    })
}
