//! The reference of the command line: what `--help` says, of every command, as one snapshot.

use crate::environment::World;

/// Every command with its parents, found by what the help of each names.
pub fn commands(world: &World) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut at = 0;
    while let Some(parent) = all.get(at).cloned() {
        for name in named(&help(world, &parent)) {
            all.push(parent.iter().cloned().chain([name]).collect());
        }
        at += 1;
    }
    all
}

fn help(world: &World, command: &[String]) -> String {
    let ran = world.run(command.iter().map(String::as_str).chain(["--help"]));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{command:?}");
    ran.out
}

/// The commands that a help text names: the indented words below `Commands:`.
fn named(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
    let names = listed.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn command_line() {
    let world = World::new();
    let mut text = String::new();
    for command in commands(&world) {
        let name = [vec!["wakeful".to_owned()], command.clone()].concat().join(" ");
        text.push_str(&format!("## {name}\n\n{}\n", help(&world, &command)));
    }
    assert!(text.contains("## wakeful replay\n"), "{text}");
    insta::assert_snapshot!("cli-reference", text);
}
