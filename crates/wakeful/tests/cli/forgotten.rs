//! No test file is forgotten: a file that nobody declares or names tests nothing, and nobody notices.

use std::path::Path;

use crate::environment::{files, scenarios, transcripts};
use crate::transcripts::DECISIONS;

#[test]
fn every_test_file_is_declared() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let main = std::fs::read_to_string(folder.join("main.rs")).unwrap();
    for file in files(&folder, ".rs") {
        let name = file.file_stem().unwrap().to_str().unwrap();
        assert!(name == "main" || main.contains(&format!("\nmod {name};")), "{name}.rs is not declared");
    }
}

#[test]
fn every_transcript_has_its_decisions() {
    let names: Vec<String> = transcripts().into_iter().map(|(name, _)| name).collect();
    let named: Vec<&str> = DECISIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, named);
}

#[test]
fn every_scenario_is_named_as_its_file_and_expects_something() {
    let all = scenarios();
    assert!(all.len() > 100, "{} scenarios", all.len());
    for file in all {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let head: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(head["scenario"], name);
        assert!(
            head["about"].as_str().is_some_and(|about| about.len() > 20),
            "{name} says nothing about itself"
        );
        assert!(text.contains("\"expect\""), "{name} expects nothing");
    }
}
