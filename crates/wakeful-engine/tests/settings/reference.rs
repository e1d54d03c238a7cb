//! The reference says what the table says.

use std::path::Path;

use wakeful_engine::settings::reference::{markdown, template};
use wakeful_engine::settings::{Effective, KEYS, parse};

/// `UPDATE_REFERENCE=1 cargo test -p wakeful-engine --test settings` writes it anew.
#[test]
fn the_reference_that_is_checked_in_is_what_the_table_gives() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&file, markdown()).unwrap();
    }
    let checked_in = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(checked_in == markdown(), "docs/settings.md is out of date; UPDATE_REFERENCE=1 writes it anew");
}

#[test]
fn the_template_changes_nothing_and_every_line_of_it_may_be_uncommented() {
    assert_eq!(parse(&template()).unwrap().settings, Effective::default());
    let lines = template().lines().map(str::to_owned).collect::<Vec<_>>();
    let named = |line: &str| {
        let name =
            line.strip_prefix("# ").and_then(|line| line.split_once(" = ")).map(|(name, _)| name.to_owned());
        name.is_some_and(|name| KEYS.iter().any(|key| key.name.rsplit('.').next() == Some(name.as_str())))
    };
    assert_eq!(lines.iter().filter(|line| named(line)).count(), KEYS.len());
    let text: Vec<_> = lines.iter().map(|line| if named(line) { &line[2..] } else { line }).collect();
    assert_eq!(parse(&text.join("\n")).unwrap().settings, Effective::default());
}
