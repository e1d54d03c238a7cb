//! The document that is checked in is the one that is served.

use std::path::Path;

use serde_json::Value;
use wakeful_engine::api::document;

use super::world::World;

/// `UPDATE_REFERENCE=1 cargo test -p wakeful-engine --test api` writes it anew.
#[test]
fn the_document_that_is_checked_in_is_what_the_routes_give() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&file, document()).unwrap();
    }
    let checked_in = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(checked_in == document(), "docs/openapi.json is out of date; UPDATE_REFERENCE=1 writes it anew");
}

#[test]
fn it_is_served_and_says_what_there_is() {
    let world = World::new();
    let served = world.get("/v1/openapi.json").json();
    assert_eq!(served, serde_json::from_str::<Value>(&document()).unwrap());
    assert!(served["openapi"].as_str().unwrap().starts_with("3.1."));
    for (path, operations) in served["paths"].as_object().unwrap() {
        let path = path.replace("{client}", "claude-code").replace("{id}", "1");
        for method in operations.as_object().unwrap().keys().filter(|_| path != "/v1/events") {
            let status = world.ask(&method.to_uppercase(), &path, &[], "").status;
            assert_ne!(status, 405, "{method} {path}");
        }
    }
    // Everything that is referred to is there.
    let text = served.to_string();
    for name in text.split("#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(served["components"]["schemas"][name].is_object(), "{name}");
    }
}
