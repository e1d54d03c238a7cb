//! What every command has in common.

use crate::environment::World;
use crate::reference::commands;

#[test]
fn what_there_is_not_is_a_usage_error() {
    let world = World::new();
    for command in commands(&world) {
        let ran = world.run(command.iter().map(String::as_str).chain(["--no-such-option"]));
        // A hook exits 0 whatever happens: to a client, 2 is an order (C1, C2).
        let code = if command == ["hook"] { 0 } else { 2 };
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{command:?}");
        assert!(code == 0 || ran.err.contains("--no-such-option"), "{command:?}: {}", ran.err);
    }
    for args in [&["juggle"][..], &["simulate"]] {
        let ran = world.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(!ran.err.is_empty());
    }
}

#[test]
fn the_version() {
    let ran = World::new().run(["--version"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.out, format!("wakeful {}\n", env!("CARGO_PKG_VERSION")));
}
