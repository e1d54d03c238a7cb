//! The reader's side of the spool.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use wakeful_core::ids::Client;
use wakeful_core::time::{Now, Wall};

use super::{Envelope, Payload, VERSION};

/// What the spool holds.
#[derive(Debug, Default)]
pub struct Contents {
    /// Every event once, in the order in which the hooks started.
    pub envelopes: Vec<Envelope>,
    /// What could not be taken.
    pub skipped: Skipped,
}

/// What could not be taken, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Skipped {
    /// Lines that are torn or no envelopes.
    pub damaged: u64,
    /// Lines of a version that this program does not know.
    pub other_version: u64,
    /// Events that stood there twice.
    pub repeated: u64,
    /// Events whose payload could not be kept by the hook.
    pub lost: u64,
}

/// Reads the events since the day of `since`, from all files. No folder is an empty spool.
///
/// # Errors
/// When the folder or a file in it cannot be read.
pub fn read(dir: &Path, since: Wall) -> io::Result<Contents> {
    let (mut contents, mut seen) = (Contents::default(), BTreeSet::new());
    for path in files(dir, since)? {
        let mut reader = BufReader::with_capacity(256 * 1024, File::open(path)?);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            take(&line, &mut contents, &mut seen);
            line.clear();
        }
    }
    order(&mut contents.envelopes);
    Ok(contents)
}

/// What the spool holds beyond what has been taken.
#[derive(Debug, Default)]
pub struct After {
    /// The new events.
    pub contents: Contents,
    /// How far each file has been read now, in bytes: whole lines only.
    pub upto: BTreeMap<String, u64>,
}

/// Reads on from where each file was left. A file that has become shorter is another one, and read from its start.
///
/// # Errors
/// When the folder or a file in it cannot be read.
pub fn read_after(dir: &Path, taken: &BTreeMap<String, u64>) -> io::Result<After> {
    let (mut after, mut seen) = (After::default(), BTreeSet::new());
    for path in files(dir, Wall(0))? {
        let Some(name) = path.file_name().and_then(|name| name.to_str()).map(str::to_owned) else { continue };
        let mut file = File::open(&path)?;
        let length = file.metadata()?.len();
        let mut at = taken.get(&name).copied().filter(|at| *at <= length).unwrap_or(0);
        if at < length {
            file.seek(SeekFrom::Start(at))?;
            let mut reader = BufReader::with_capacity(256 * 1024, file);
            let mut line = Vec::new();
            // A line without its end is one that is being written, or torn: it is looked at again.
            while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
                take(&line, &mut after.contents, &mut seen);
                at += line.len() as u64;
                line.clear();
            }
        }
        after.upto.insert(name, at);
    }
    order(&mut after.contents.envelopes);
    Ok(after)
}

/// When each of these clients was last heard of, however long ago. Newest files first, and no further than it takes.
///
/// # Errors
/// When the folder or a file in it cannot be read.
pub fn last_heard(dir: &Path, clients: &[Client]) -> io::Result<BTreeMap<Client, Now>> {
    /// As little of an envelope as it takes.
    #[derive(Deserialize)]
    struct Heard {
        client: Client,
        at: Now,
    }
    let mut last: BTreeMap<Client, Now> = BTreeMap::new();
    let mut missing: BTreeSet<Client> = clients.iter().copied().collect();
    for path in files(dir, Wall(0))?.into_iter().rev() {
        if missing.is_empty() {
            break;
        }
        let mut reader = BufReader::new(File::open(path)?);
        let (mut line, mut found) = (Vec::new(), BTreeMap::new());
        while reader.read_until(b'\n', &mut line)? > 0 {
            if let Ok(Heard { client, at }) = serde_json::from_slice(&line)
                && missing.contains(&client)
            {
                let newest: &mut Now = found.entry(client).or_insert(at);
                *newest = if at.wall > newest.wall { at } else { *newest };
            }
            line.clear();
        }
        missing.retain(|client| !found.contains_key(client));
        last.append(&mut found);
    }
    Ok(last)
}

/// The files of all days with their lengths in bytes, oldest first.
///
/// # Errors
/// When the folder cannot be read.
pub fn sizes(dir: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let length = |path: PathBuf| Ok((path.clone(), std::fs::metadata(path)?.len()));
    files(dir, Wall(0))?.into_iter().map(length).collect()
}

/// Changes whenever the spool does: the lengths of the files of today and yesterday.
pub fn signature(dir: &Path, now: Wall) -> Vec<(PathBuf, u64)> {
    const A_DAY: i64 = 24 * 60 * 60 * 1000;
    let paths = files(dir, Wall(now.0 - A_DAY)).unwrap_or_default();
    let with_length = |path: PathBuf| std::fs::metadata(&path).ok().map(|meta| (path, meta.len()));
    paths.into_iter().filter_map(with_length).collect()
}

fn files(dir: &Path, since: Wall) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let at = Timestamp::from_millisecond(since.0).unwrap_or(Timestamp::UNIX_EPOCH);
    let first = TimeZone::UTC.to_datetime(at).date().to_string();
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.strip_suffix(".jsonl")) else { continue };
        // `2027-01-15` or `2027-01-15-4711`; days compare as texts.
        if name.get(..10).is_some_and(|day| day >= first.as_str()) && entry.file_type()?.is_file() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

fn take(line: &[u8], contents: &mut Contents, seen: &mut BTreeSet<String>) {
    #[derive(Deserialize)]
    struct Versioned {
        v: u32,
    }
    let line = line.trim_ascii();
    if line.is_empty() {
        return;
    }
    let skipped = &mut contents.skipped;
    match serde_json::from_slice::<Envelope>(line) {
        Ok(envelope) if envelope.v == VERSION => {
            if !seen.insert(envelope.id.0.clone()) {
                skipped.repeated += 1;
                return;
            }
            if matches!(envelope.payload, Payload::Lost(_)) {
                skipped.lost += 1;
            }
            contents.envelopes.push(envelope);
        }
        _ => match serde_json::from_slice::<Versioned>(line) {
            Ok(Versioned { v }) if v != VERSION => skipped.other_version += 1,
            _ => skipped.damaged += 1,
        },
    }
}

/// By the boot clock within a boot, which knows no steps; boots in the order of their first event (S3b: nobody waits for
/// stragglers, but who reads afterwards need not see them out of order).
fn order(envelopes: &mut [Envelope]) {
    let mut first: BTreeMap<u64, Wall> = BTreeMap::new();
    for envelope in &*envelopes {
        let wall = first.entry(envelope.at.boot_id.0).or_insert(envelope.at.wall);
        *wall = (*wall).min(envelope.at.wall);
    }
    envelopes.sort_by_cached_key(|envelope| {
        let boot = envelope.at.boot_id.0;
        (first.get(&boot).copied(), boot, envelope.at.boot, envelope.id.clone())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, v: u32, boot_id: u64, boot: u64, wall: i64) -> String {
        format!(
            r#"{{"v":{v},"id":"{id}","client":"codex","at":{{"wall":{wall},"boot":{boot},"boot_id":{boot_id}}},"payload":{{"raw":{{}}}}}}"#
        )
    }

    fn contents(files: &[(&str, String)], since: i64) -> Contents {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        read(dir.path(), Wall(since)).unwrap()
    }

    fn ids(contents: &Contents) -> Vec<&str> {
        contents.envelopes.iter().map(|envelope| envelope.id.0.as_str()).collect()
    }

    #[test]
    fn each_once_and_the_rest_is_counted() {
        let good = line("a", 1, 1, 1, 1);
        let newer = r#"{"v":2,"what":"ever"}"#;
        let lost = good.replace(r#"{"raw":{}}"#, r#"{"lost":"damaged"}"#).replace("\"a\"", "\"b\"");
        let text = format!("{good}\n\n{newer}\nnot json\n{good}\n{lost}\n{}", &good[..20]);
        let contents = contents(&[("2027-01-15.jsonl", text)], 0);
        assert_eq!(ids(&contents), ["a", "b"]);
        assert_eq!(contents.skipped, Skipped { damaged: 2, other_version: 1, repeated: 1, lost: 1 });
    }

    #[test]
    fn days_since_and_files_of_processes() {
        let files = [
            ("2027-01-13.jsonl", line("old", 1, 1, 1, 1)),
            ("2027-01-14.jsonl", line("b", 1, 1, 9, 9)),
            ("2027-01-14-77.jsonl", line("a", 1, 1, 5, 5)),
            ("notes.txt", "x".to_owned()),
        ];
        let since = "2027-01-14T10:00:00Z".parse::<Timestamp>().unwrap().as_millisecond();
        assert_eq!(ids(&contents(&files, since)), ["a", "b"]);
    }

    #[test]
    fn order_is_by_boot_and_then_by_the_boot_clock() {
        // The wall clock was stepped back between 1 and 2; the machine was started anew between 2 and 3.
        let lines = [line("3", 1, 20, 4, 9000), line("2", 1, 10, 8, 500), line("1", 1, 10, 7, 1000)];
        assert_eq!(ids(&contents(&[("2027-01-15.jsonl", lines.join("\n"))], 0)), ["1", "2", "3"]);
    }

    #[test]
    fn the_last_event_of_a_client_may_be_old() {
        let dir = tempfile::tempdir().unwrap();
        let cursor = line("c", 1, 1, 1, 5).replace("codex", "cursor");
        std::fs::write(dir.path().join("2027-01-13.jsonl"), format!("{cursor}\n{}", line("a", 1, 1, 1, 4)))
            .unwrap();
        std::fs::write(
            dir.path().join("2027-01-14.jsonl"),
            [line("b", 1, 1, 1, 9), line("d", 1, 1, 2, 8)].join("\n"),
        )
        .unwrap();
        let heard = last_heard(dir.path(), &Client::ALL).unwrap();
        let walls: Vec<_> = heard.iter().map(|(client, at)| (*client, at.wall.0)).collect();
        assert_eq!(walls, [(Client::Codex, 9), (Client::Cursor, 5)]);
        assert_eq!(sizes(dir.path()).unwrap().len(), 2);
    }

    #[test]
    fn no_folder_is_an_empty_spool() {
        assert!(read(Path::new("/nonexistent/spool"), Wall(0)).unwrap().envelopes.is_empty());
    }
}
