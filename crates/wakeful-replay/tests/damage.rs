//! R2 to R4: whatever is wrong with files and lines, the rest counts, and what was skipped is said.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use tempfile::TempDir;
use wakeful_core::ids::{Client, RuleId};
use wakeful_core::reading::{Question, Reading};
use wakeful_core::time::{Now, Wall};
use wakeful_replay::files::{Found, Places, find, find_in};
use wakeful_replay::play::{Options, Progress, Tools, replay};
use wakeful_replay::report::{Decided, Report};

const START: i64 = 1_767_949_200_000; // 2026-01-09T09:00:00Z

/// A reader that knows one sign: a question mark at the end.
fn read(text: &str, _: Now) -> Reading {
    let asks = text.ends_with('?');
    let question = Question { snippet: text.to_owned(), rule: RuleId::new("mark") };
    Reading { asks_user: asks.then_some(question), ..Reading::default() }
}

fn run(found: &Found, options: &Options) -> (Report, Vec<u8>) {
    let mut records = Vec::new();
    let tools =
        Tools { read: &read, never_ends: &|_| None, refuses: &|command| command.starts_with("until") };
    let report = replay(found, options, tools, &|_| {}, Some(&mut records)).unwrap();
    (report, records)
}

fn play(paths: &[&Path]) -> Report {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    run(&find_in(&paths, &[]), &Options::default()).0
}

fn skipped(rows: &[(&str, u64)]) -> BTreeMap<String, u64> {
    rows.iter().map(|(why, count)| ((*why).to_owned(), *count)).collect()
}

fn at(minutes: i64) -> String {
    jiff::Timestamp::from_millisecond(START + minutes * 60_000)
        .unwrap()
        .strftime("%Y-%m-%dT%H:%M:%S.000Z")
        .to_string()
}

fn user(session: &str, minutes: i64, text: &str) -> String {
    let time = at(minutes);
    format!(
        r#"{{"type":"user","isSidechain":false,"sessionId":"{session}","promptId":"p{minutes}","turnOrigin":"human","uuid":"u{minutes}","timestamp":"{time}","message":{{"role":"user","content":"{text}"}}}}"#
    )
}

fn agent(session: &str, minutes: i64, text: &str) -> String {
    let time = at(minutes);
    format!(
        r#"{{"type":"assistant","isSidechain":false,"sessionId":"{session}","uuid":"a{minutes}","timestamp":"{time}","message":{{"id":"m{minutes}","role":"assistant","content":[{{"type":"text","text":"{text}"}}],"stop_reason":"end_turn"}}}}"#
    )
}

/// Two turns of one session.
fn lines(session: &str) -> Vec<String> {
    vec![
        user(session, 0, "Fix the login page."),
        agent(session, 1, "Fixed."),
        user(session, 10, "And the logout page?"),
        agent(session, 11, "Which of the two?"),
    ]
}

fn transcript(session: &str) -> String {
    lines(session).join("\n") + "\n"
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_whole_transcript_counts_and_nothing_is_skipped() {
    let dir = folder();
    let path = dir.path().join("a.jsonl");
    write(&path, transcript("s1"));
    let report = play(&[&path]);
    assert_eq!((report.files, report.sessions, report.turn_ends), (1, 1, 2));
    assert_eq!(report.bytes, transcript("s1").len() as u64);
    assert_eq!(report.needs_you, skipped(&[("done", 1), ("question", 1)]));
    assert_eq!((report.truth.right, report.truth.unknown), (1, 1));
    assert!(report.skipped.is_empty());
}

#[test]
fn damaged_lines_are_counted_and_cost_only_themselves() {
    let dir = folder();
    let path = dir.path().join("a.jsonl");
    let [first, second, third, fourth] = <[String; 4]>::try_from(lines("s1")).unwrap();
    let parts: [&[u8]; 9] = [
        b"\xef\xbb\xbf",
        first.as_bytes(),
        b"\n{\"type\":\"user\",\"message\":\n\x00\x00\x00\n\xff\xfe\x01binary\n[1,2]\n\n",
        second.as_bytes(),
        b"\n\x00\x00\x00\x00",
        third.as_bytes(),
        b"\r\n",
        fourth.as_bytes(),
        b"\n",
    ];
    write(&path, parts.concat());
    let report = play(&[&path]);
    assert_eq!(report.turn_ends, 2);
    assert_eq!(report.skipped, skipped(&[("damaged_line", 4)]));
}

#[test]
fn unknown_kinds_of_lines_are_counted_by_name() {
    let dir = folder();
    let path = dir.path().join("a.jsonl");
    let new = r#"{"type":"hologram","sessionId":"s1"}"#;
    write(&path, format!("{new}\n{}{new}\n", transcript("s1")));
    let report = play(&[&path]);
    assert_eq!(report.turn_ends, 2);
    assert_eq!(report.skipped, skipped(&[("unknown_line", 2)]));
    assert_eq!(report.unknown.get("line hologram"), Some(&2));
}

#[test]
fn a_half_written_last_line_is_no_damage() {
    let dir = folder();
    let path = dir.path().join("a.jsonl");
    let whole = transcript("s1");
    write(&path, &whole[..whole.len() - 20]);
    let report = play(&[&path]);
    assert_eq!(report.turn_ends, 1);
    assert_eq!(report.skipped, skipped(&[("truncated_line", 1)]));
    // The last line is there, and only its line break is not written yet.
    write(&path, whole.trim_end());
    let report = play(&[&path]);
    assert_eq!((report.turn_ends, report.skipped.len()), (2, 0));
}

#[test]
fn a_line_of_50_megabytes_is_read_and_one_over_64_is_skipped() {
    let dir = folder();
    let path = dir.path().join("a.jsonl");
    let mut file = fs::File::create(&path).unwrap();
    let [first, second, third, fourth] = <[String; 4]>::try_from(lines("s1")).unwrap();
    let huge = |megabytes: usize| user("s1", 10, &"x".repeat(megabytes << 20));
    writeln!(file, "{first}\n{second}\n{}\n{third}\n{fourth}", huge(65)).unwrap();
    assert_eq!(play(&[&path]).skipped, skipped(&[("line_too_long", 1)]));
    let mut file = fs::File::create(&path).unwrap();
    writeln!(file, "{first}\n{second}\n{}\n{fourth}", huge(50)).unwrap();
    let report = play(&[&path]);
    assert_eq!((report.turn_ends, report.skipped.len()), (2, 0));
    assert!(report.bytes > 50 << 20);
}

#[test]
fn files_of_subagents_are_skipped_by_name_and_by_content() {
    let dir = folder();
    write(&dir.path().join("s1.jsonl"), transcript("s1"));
    write(&dir.path().join("s1/subagents/agent-a1.jsonl"), transcript("s1"));
    let sidechain = transcript("s1").replace("\"isSidechain\":false", "\"isSidechain\":true");
    write(&dir.path().join("copy.jsonl"), sidechain);
    let report = play(&[dir.path()]);
    assert_eq!((report.files, report.turn_ends), (1, 2));
    assert_eq!(report.skipped, skipped(&[("subagent", 2)]));
}

#[test]
fn files_that_are_no_transcripts_are_skipped() {
    let dir = folder();
    write(&dir.path().join("empty.jsonl"), "");
    write(&dir.path().join("other.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
    write(&dir.path().join("rollout-1.jsonl"), "{}\n");
    write(&dir.path().join("notes.txt"), "not looked at");
    let report = play(&[dir.path(), &dir.path().join("gone.jsonl")]);
    assert_eq!((report.files, report.bytes, report.turn_ends), (0, 0, 0));
    assert_eq!(report.skipped, skipped(&[("missing", 1), ("not_a_transcript", 3)]));
}

#[test]
fn a_file_that_grows_is_read_up_to_the_size_at_its_opening() {
    let dir = folder();
    let path = dir.path().join("a.jsonl");
    write(&path, transcript("s1"));
    let found = find_in(std::slice::from_ref(&path), &[]);
    // Written after it was found and before it is opened: it counts. What a reader appends while it reads does not.
    let later = [user("s1", 20, "Both."), agent("s1", 21, "Fixed both.")].join("\n") + "\n";
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(later.as_bytes()).unwrap();
    let grow = |text: &str, now: Now| {
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        writeln!(file, "{}\n{}", user("s1", 30, "More."), agent("s1", 31, "More done.")).unwrap();
        read(text, now)
    };
    let tools = Tools { read: &grow, never_ends: &|_| None, refuses: &|_| false };
    let report = replay(&found, &Options::default(), tools, &|_| {}, None).unwrap();
    assert_eq!((report.turn_ends, report.skipped.len()), (3, 0));
    assert_eq!(report.bytes, (transcript("s1").len() + later.len()) as u64);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_fifo_and_a_socket_are_never_opened() {
        let dir = folder();
        write(&dir.path().join("a.jsonl"), transcript("s1"));
        let fifo = dir.path().join("pipe.jsonl");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        let _socket = UnixListener::bind(dir.path().join("socket.jsonl")).unwrap();
        // Opening the FIFO would block for ever.
        let report = play(&[dir.path(), &fifo]);
        assert_eq!((report.files, report.turn_ends), (1, 2));
        assert_eq!(report.skipped, skipped(&[("special_file", 3)]));
    }

    #[test]
    fn a_fifo_in_the_place_of_a_file_that_was_found_is_not_opened() {
        let dir = folder();
        let path = dir.path().join("a.jsonl");
        write(&path, transcript("s1"));
        let found = find_in(std::slice::from_ref(&path), &[]);
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(run(&found, &Options::default()).0.skipped, skipped(&[("special_file", 1)]));
        fs::remove_file(&path).unwrap();
        assert_eq!(run(&found, &Options::default()).0.skipped, skipped(&[("missing", 1)]));
    }

    #[test]
    fn unreadable_folders_and_files_are_counted() {
        let dir = folder();
        write(&dir.path().join("a.jsonl"), transcript("s1"));
        let (closed, file) = (dir.path().join("closed"), dir.path().join("b.jsonl"));
        write(&closed.join("c.jsonl"), transcript("s2"));
        write(&file, transcript("s3"));
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
        let report = play(&[dir.path()]);
        let root_reads_all = fs::read(&file).is_ok();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
        if root_reads_all {
            assert_eq!((report.files, report.skipped.len()), (3, 0)); // nothing is unreadable to this user
        } else {
            assert_eq!(report.files, 1);
            assert_eq!(report.skipped, skipped(&[("unreadable_file", 1), ("unreadable_folder", 1)]));
        }
    }

    #[test]
    fn links_are_followed_once_and_loops_end() {
        let dir = folder();
        let real = dir.path().join("real");
        write(&real.join("a.jsonl"), transcript("s1"));
        symlink(dir.path(), real.join("up")).unwrap();
        symlink(&real, dir.path().join("again")).unwrap();
        symlink(real.join("a.jsonl"), dir.path().join("b.jsonl")).unwrap();
        symlink("nowhere", dir.path().join("c.jsonl")).unwrap();
        let report = play(&[dir.path(), dir.path(), &real]);
        assert_eq!((report.files, report.turn_ends), (1, 2));
        assert_eq!(report.skipped, skipped(&[("missing", 1)]));
    }

    #[test]
    fn nothing_is_ever_written() {
        let dir = folder();
        let path = dir.path().join("p/a.jsonl");
        write(&path, transcript("s1"));
        let state = |path: &Path| {
            let metadata = fs::metadata(path).unwrap();
            (metadata.len(), metadata.modified().unwrap(), metadata.permissions().mode())
        };
        let before = (state(&path), state(path.parent().unwrap()), state(dir.path()));
        play(&[dir.path()]);
        assert_eq!((state(&path), state(path.parent().unwrap()), state(dir.path())), before);
    }
}

/// Many sessions, among them damaged ones.
fn many(dir: &Path) {
    for n in 0..40 {
        let mut text = transcript(&format!("session-{n:02}"));
        if n % 3 == 0 {
            text.push_str("{damaged\n");
        }
        if n % 5 == 0 {
            text = text.replace("Which of the two?", &"long words ".repeat(3000 * (n + 1)));
        }
        write(&dir.join(format!("{}/{n:02}.jsonl", n % 4)), text);
    }
}

#[test]
fn the_same_bytes_come_out_whatever_the_number_of_threads() {
    let dir = folder();
    many(dir.path());
    let found = find_in(&[dir.path().to_path_buf()], &[]);
    let out = |threads| {
        let threads = NonZeroUsize::new(threads).unwrap();
        let (report, records) = run(&found, &Options { threads, ..Options::default() });
        (serde_json::to_string(&report).unwrap(), records)
    };
    let one = out(1);
    for threads in [2, 3, 8] {
        assert!(out(threads) == one, "{threads} threads differ");
    }
    let records: Vec<Decided> = one
        .1
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(records.len(), 80);
    assert!(records.is_sorted_by(|a, b| (&a.file, a.line) < (&b.file, b.line)));
    let report: Report = serde_json::from_str(&one.0).unwrap();
    assert_eq!((report.files, report.sessions, report.turn_ends), (40, 40, 80));
    assert_eq!(report.skipped, skipped(&[("damaged_line", 14)]));
}

#[test]
fn a_decision_says_where_it_stands() {
    let dir = folder();
    let path = dir.path().join("a.jsonl");
    write(&path, transcript("s1"));
    let (_, records) = run(&find_in(std::slice::from_ref(&path), &[]), &Options::default());
    let records: Vec<Decided> = records
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let text = transcript("s1");
    let places: Vec<u64> = records.iter().map(|record| record.line).collect();
    assert_eq!(places, [2, 4]);
    for record in &records {
        let line = text[usize::try_from(record.offset).unwrap()..].lines().next().unwrap();
        assert!(line.contains(&record.message), "{record:?}");
    }
    assert_eq!(
        (records[0].at.as_str(), records[0].next.what.as_str()),
        ("2026-01-09T09:01:00+00:00", "prompt")
    );
    assert_eq!(records[0].next.after_ms, Some(9 * 60_000));
    assert_eq!(records[1].next.what, "end");
}

#[test]
fn filters() {
    let dir = folder();
    let uuid = "5f0c1d7e-93ab-4c52-8f21-0a64be1c77d9";
    write(&dir.path().join(format!("{uuid}.jsonl")), transcript(uuid));
    write(&dir.path().join("b.jsonl"), transcript("other"));
    let found = find_in(&[dir.path().to_path_buf()], &[]);
    let with = |options: Options| run(&found, &options).0;
    assert_eq!(with(Options::default()).turn_ends, 4);

    let report = with(Options { session: Some("5f0c".to_owned()), ..Options::default() });
    assert_eq!((report.files, report.sessions, report.turn_ends), (1, 1, 2));
    assert_eq!(report.skipped, skipped(&[("other_session", 1)]));
    let report = with(Options { session: Some("oth".to_owned()), ..Options::default() });
    assert_eq!((report.files, report.turn_ends), (1, 2));
    assert_eq!(report.skipped, skipped(&[("other_session", 1)]));

    // Turn ends from then on; the state before is played.
    let since = |minutes: i64| Options { since: Some(Wall(START + minutes * 60_000)), ..Options::default() };
    let report = with(since(5));
    assert_eq!((report.turn_ends, report.needs_you), (2, skipped(&[("question", 2)])));
    // A file that was last written before cannot have any.
    let report = with(since(60 * 24 * 365 * 200));
    assert_eq!(report.skipped, skipped(&[("before_since", 2)]));

    assert_eq!(with(Options { clients: vec![Client::Codex], ..Options::default() }).turn_ends, 0);
    assert!(find_in(&[dir.path().to_path_buf()], &[Client::Codex]).sources.is_empty());
}

#[test]
fn times_are_shown_in_the_zone_of_the_replay() {
    let dir = folder();
    let path = dir.path().join("a.jsonl");
    write(&path, transcript("s1"));
    let zone = TimeZone::fixed(jiff::tz::offset(5));
    let (_, records) = run(&find_in(&[path], &[]), &Options { zone, ..Options::default() });
    assert!(String::from_utf8(records).unwrap().contains("\"at\":\"2026-01-09T14:01:00+05:00\""));
}

#[test]
fn the_clients_own_folders_are_found() {
    let dir = folder();
    write(&dir.path().join(".claude/projects/-p/a.jsonl"), transcript("s1"));
    write(&dir.path().join("moved/projects/-p/b.jsonl"), transcript("s2"));
    let home = dir.path().to_path_buf();
    let names = |env: &dyn Fn(&str) -> Option<std::ffi::OsString>, clients: &[Client]| -> Vec<String> {
        let found = find(&Places { home: Some(&home), env }, clients);
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        found.sources.iter().map(|source| name(&source.path)).collect()
    };
    assert_eq!(names(&|_| None, &[]), ["a.jsonl"]);
    let moved = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| dir.path().join("moved").into_os_string());
    assert_eq!(names(&moved, &[]), ["b.jsonl"]);
    assert_eq!(names(&|_| Some(std::ffi::OsString::new()), &[Client::ClaudeCode]), ["a.jsonl"]);
    assert!(names(&|_| None, &[Client::Codex]).is_empty());
}

#[test]
fn progress_ends_at_the_end() {
    let dir = folder();
    many(dir.path());
    let found = find_in(&[dir.path().to_path_buf()], &[]);
    let seen = std::cell::RefCell::new(Vec::new());
    let tools = Tools { read: &read, never_ends: &|_| None, refuses: &|_| false };
    replay(&found, &Options::default(), tools, &|progress: Progress| seen.borrow_mut().push(progress), None)
        .unwrap();
    let seen = seen.into_inner();
    let last = seen.last().unwrap();
    assert_eq!((last.files, last.of_files, last.bytes), (40, 40, last.of_bytes));
    assert!(seen.is_sorted_by_key(|progress| (progress.files, progress.bytes)));
}

#[test]
fn a_writer_that_fails_ends_the_replay() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let dir = folder();
    many(dir.path());
    let found = find_in(&[dir.path().to_path_buf()], &[]);
    let tools = Tools { read: &read, never_ends: &|_| None, refuses: &|_| false };
    let threads = NonZeroUsize::new(2).unwrap();
    let result = replay(&found, &Options { threads, ..Options::default() }, tools, &|_| {}, Some(&mut Full));
    assert!(result.is_err());
}
