//! `wakeful settings`: what is in force and where it comes from, and changes of the file that keep the rest of it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use serde::Serialize;
use wakeful_engine::settings::{
    Current, EditError, KEYS, Key, Origin, Place, Problem, Value, key, parse, reference, replace, set,
    start_editing, suggestion, unset,
};

use crate::error::{Answer, Error};
use crate::output::print;
use crate::settings::{current, file, in_force};
use wakeful_engine::shown::VERSION;

/// Show the settings, change them, or say where they are
#[derive(Debug, clap::Args)]
#[command(after_help = "Without a command: list. Every key is described in docs/settings.md.")]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show every key with its value and where that comes from
    List {
        /// Only those that are not as by default
        #[arg(long)]
        changed: bool,
        /// Print one JSON object (docs/json.md)
        #[arg(long)]
        json: bool,
    },
    /// Print the value of one key
    Get {
        /// The key, such as waits.auto_wait_minutes
        key: String,
        /// Print one JSON object (docs/json.md)
        #[arg(long)]
        json: bool,
    },
    /// Set one key in the file; comments and layout stay
    Set {
        /// The key, such as waits.auto_wait_minutes
        key: String,
        /// The value: words without quotes, lists with commas or as TOML writes them
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Take one key out of the file: the default is in force again
    Unset {
        /// The key, such as waits.auto_wait_minutes
        key: String,
    },
    /// Open a copy of the file in $VISUAL or $EDITOR, and put it in place if it can be read
    Edit,
    /// Print where the file is, or would be
    Path,
}

/// A key as `--json` prints it, version 1.
#[derive(Serialize)]
struct Row {
    key: &'static str,
    value: Value,
    default: Value,
    source: &'static str,
    variable: Option<String>,
}

impl Row {
    fn of(key: &'static Key, current: &Current) -> Self {
        let (source, variable) = match current.loaded().origin(key) {
            Origin::Default => ("default", None),
            Origin::File => ("file", None),
            Origin::Environment(variable) => ("environment", Some(variable)),
            Origin::KillSwitch(variable) => ("kill_switch", Some(variable.to_owned())),
        };
        Self { key: key.name, value: key.of(current.settings()), default: key.default(), source, variable }
    }

    fn source(&self) -> String {
        match &self.variable {
            Some(variable) => format!("{} {variable}", self.source.replace('_', " ")),
            None => self.source.to_owned(),
        }
    }
}

#[derive(Serialize)]
struct Listed {
    version: u32,
    file: Option<String>,
    problem: Option<String>,
    settings: Vec<Row>,
}

#[derive(Serialize)]
struct Got {
    version: u32,
    #[serde(flatten)]
    row: Row,
}

impl Args {
    /// Does what was asked for.
    pub fn run(self) -> Result<Answer, Error> {
        match self.command.unwrap_or(Command::List { changed: false, json: false }) {
            Command::List { changed, json } => list(changed, json),
            Command::Get { key, json } => get(known(&key)?, json),
            Command::Set { key, value } => change(known(&key)?, &value),
            Command::Unset { key } => take_out(&key),
            Command::Edit => edit(),
            Command::Path => {
                let file = file()?;
                print(|out| writeln!(out, "{}", file.display()))?;
                Ok(Answer::Yes)
            }
        }
    }
}

fn known(name: &str) -> Result<&'static Key, Error> {
    key(name).ok_or_else(|| {
        let problem = Problem::UnknownKey { key: name.to_owned(), suggestion: suggestion(name) };
        let hint = Some("`wakeful settings list` has every key".to_owned());
        Error::Usage { what: problem.to_string(), hint }
    })
}

fn list(changed: bool, json: bool) -> Result<Answer, Error> {
    let current = current();
    in_force(); // says what is wrong
    let rows: Vec<Row> = KEYS.iter().map(|key| Row::of(key, current)).collect();
    let rows: Vec<Row> = rows.into_iter().filter(|row| !changed || row.value != row.default).collect();
    print(|out| {
        if json {
            let listed = Listed {
                version: VERSION,
                file: current.file().map(|file| file.display().to_string()),
                problem: current.problem().map(ToString::to_string),
                settings: rows,
            };
            serde_json::to_writer_pretty(&mut *out, &listed)?;
            return writeln!(out);
        }
        table(out, &rows)
    })?;
    Ok(Answer::Yes)
}

/// Three columns. Values longer than a column is wide push the last one.
fn table(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    /// Wide enough for every value but lists and addresses.
    const VALUE: usize = 16;
    let width = rows.iter().map(|row| row.key.len()).max().unwrap_or_default();
    for row in rows {
        let value = row.value.to_string();
        writeln!(out, "{:<width$}  {value:<VALUE$}  {}", row.key, row.source())?;
    }
    Ok(())
}

fn get(key: &'static Key, json: bool) -> Result<Answer, Error> {
    in_force(); // says what is wrong
    let row = Row::of(key, current());
    print(|out| {
        if json {
            serde_json::to_writer_pretty(&mut *out, &Got { version: VERSION, row })?;
            return writeln!(out);
        }
        match &row.value {
            // For scripts: without quotes.
            Value::Text(text) => writeln!(out, "{text}"),
            value => writeln!(out, "{value}"),
        }
    })?;
    Ok(Answer::Yes)
}

fn change(key: &'static Key, text: &str) -> Result<Answer, Error> {
    let value = key.read(text).map_err(|expected| Error::Usage {
        what: Problem::Value { key: key.name, expected }.to_string(),
        hint: Some("nothing was changed".to_owned()),
    })?;
    set(&file()?, key, &value)?;
    if text.trim().parse::<f64>().is_ok_and(|asked| Value::Number(asked) != value) {
        say(&format!("{text} became {value}: `{}` takes {}", key.name, key.kind.expected()));
    }
    overridden(key);
    Ok(Answer::Yes)
}

fn take_out(name: &str) -> Result<Answer, Error> {
    let key = key(name);
    if unset(&file()?, name)? {
        key.into_iter().for_each(overridden);
        return Ok(Answer::Yes);
    }
    match key {
        // As it was asked for.
        Some(_) => Ok(Answer::Yes),
        None => known(name).map(|_| Answer::Yes),
    }
}

/// What stands in the file is not in force where a variable says otherwise.
fn overridden(key: &'static Key) {
    let variable = match current().loaded().origin(key) {
        Origin::Environment(variable) => variable,
        Origin::KillSwitch(variable) => variable.to_owned(),
        Origin::Default | Origin::File => return,
    };
    say(&format!("{variable} is set and overrides the file"));
}

fn say(text: &str) {
    // Nothing is left to tell it to if standard error is gone.
    let _ = writeln!(io::stderr(), "wakeful: {text}");
}

fn edit() -> Result<Answer, Error> {
    let file = file()?;
    let editing = start_editing(&file)?;
    let seed = if editing.exists() { editing.text().to_owned() } else { reference::template() };
    let copy = tempfile::Builder::new().prefix("wakeful-settings-").suffix(".toml").tempfile();
    let copy = copy.map_err(Error::io("a copy for the editor"))?;
    // Editors write in place or put another file there: the path counts, not the handle.
    let path = copy.into_temp_path();
    let shown = path.display().to_string();
    std::fs::write(&path, &seed).map_err(Error::io(&shown))?;
    run_editor(&path)?;
    let text = std::fs::read_to_string(&path).map_err(Error::io(&shown))?;
    if text == seed {
        say("nothing was changed");
        return Ok(Answer::Yes);
    }
    let kept = |path: tempfile::TempPath| -> Option<PathBuf> { path.keep().ok() };
    if let Err((place, problem)) = parse(&text) {
        return Err(at_fault(place, &problem, kept(path)));
    }
    match replace(&editing, &text) {
        Ok(()) => Ok(Answer::Yes),
        Err(error) => {
            if let (EditError::File(_), Some(path)) = (&error, kept(path)) {
                say(&format!("your version is in {}", path.display()));
            }
            Err(error.into())
        }
    }
}

fn at_fault(place: Place, problem: &Problem, kept: Option<PathBuf>) -> Error {
    let kept = kept.map(|path| format!("; your version is in {}", path.display())).unwrap_or_default();
    Error::Usage {
        what: format!("{place}: {problem}"),
        hint: Some(format!("the settings are as they were{kept}")),
    }
}

fn run_editor(path: &Path) -> Result<(), Error> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| FALLBACK.to_owned());
    // `code --wait`: a program and its arguments.
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or(FALLBACK);
    let status =
        Process::new(program).args(words).arg(path).status().map_err(|source| Error::Environment {
            what: format!("the editor `{editor}`"),
            source,
            hint: Some("set VISUAL or EDITOR to a program of yours".to_owned()),
        })?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Environment {
        what: format!("the editor `{editor}`"),
        source: io::Error::other(status.to_string()),
        hint: Some("the settings are as they were".to_owned()),
    })
}

/// What POSIX promises, and what Windows has.
const FALLBACK: &str = if cfg!(windows) { "notepad" } else { "vi" };
