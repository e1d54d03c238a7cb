//! S2: the inner crates touch nothing outside. Where the wasm target is not to be had, this says it.

use std::fs;
use std::path::{Path, PathBuf};

const BANNED: [&str; 8] = [
    "std::fs",
    "std::net",
    "std::thread",
    "std::process",
    "std::env",
    "SystemTime",
    "Instant",
    "std::io::std",
];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_inner_crate_mentions_files_network_threads_processes_or_clocks() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for name in ["wakeful-core", "wakeful-prose", "wakeful-shell", "wakeful-clients"] {
        let mut files = Vec::new();
        sources(&crates.join(name).join("src"), &mut files);
        assert!(!files.is_empty(), "{name} has sources");
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            for (number, line) in text.lines().enumerate() {
                let banned = BANNED.iter().find(|word| mentions(line, word));
                assert_eq!(banned, None, "{}:{}: {line}", file.display(), number + 1);
            }
        }
    }
}

/// As a whole word: `Instantly` is no clock.
fn mentions(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let whole = !part(line[..at].chars().next_back());
        whole && (word.ends_with("std") || !part(line[at + word.len()..].chars().next()))
    })
}

#[test]
fn a_mention_is_a_whole_word() {
    assert!(mentions("use std::fs::read;", "std::fs"));
    assert!(mentions("let now = Instant::now();", "Instant"));
    assert!(!mentions("// Instantly", "Instant"));
    assert!(mentions("std::io::stdin()", "std::io::std"));
}
