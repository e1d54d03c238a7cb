//! What every command has in common.

use crate::environment::World;
use crate::reference::commands;

#[test]
fn what_there_is_not_is_a_usage_error() {
    let world = World::new();
    for command in commands(&world) {
        let ran = world.run(command.iter().map(String::as_str).chain(["--no-such-option"]));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{command:?}");
        assert!(ran.err.contains("--no-such-option"), "{command:?}: {}", ran.err);
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
