//! `wakeful explain`.

use serde_json::Value;

use crate::environment::World;

const WAIT: &str = "The glaze is drying; I'll carry on when it has set.";

fn decision(args: &[&str]) -> String {
    let ran = World::new().run(["explain"].iter().chain(args));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
    ran.out.lines().last().unwrap().to_owned()
}

#[test]
fn an_argument_for_people() {
    let ran = World::new().run(["explain", WAIT]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!(ran.out, @r"
    WAITS  The message is a wait (rule will-continue-when-once-after): it is short enough, stands where a wait stands, and is not on the user.
      waits for  I'll carry on when it has set.
      names      nothing by name

    The message (│ = searched for a wait, ^ = a rule matched):
    │ The glaze is drying; I'll carry on when it has set.
    │                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    Guards (a wait must clear all three)
      length  passed  1 paragraph(s), 51 characters
      shape   passed  a wait stands in a part that is searched
      target  passed  nothing says that a wait is on the user
      final paragraph: searched, the end of the message is always searched

    Rules that matched
    • wait        will-continue-when-once-after  “I'll carry on when it has set.”
                  I'll go on (continue, merge, review, ...) when it has finished: a wait
      names       back-reference  “it”
                  Speaks of what the sentence before named: looks back to the sentence before

    Decision, with no word from the client about what is alive: WAITING for what the message says (nobody knows what is alive), surfaces after 30 minutes, by the gate `prose-wait`.
    ");
}

#[test]
fn argument_file_and_standard_input_are_the_same() {
    let world = World::new();
    world.file("message.txt", WAIT);
    let argument = world.run(["explain", WAIT]);
    let file = world.run(["explain", "--file", "message.txt"]);
    let input = world.run_with(["explain"], WAIT.as_bytes());
    assert_eq!(argument.out, file.out);
    assert_eq!(argument.out, input.out);
}

#[test]
fn what_is_alive_decides() {
    let rows = [
        decision(&[WAIT]),
        decision(&[WAIT, "--lists"]),
        decision(&[WAIT, "--lists", "--live", "command"]),
        decision(&[WAIT, "--live", "command:npm run dev"]),
        decision(&["The glaze has set. Done.", "--live", "command"]),
        decision(&["The glaze has set. Done.", "--live", "monitor"]),
        decision(&["The glaze has set. Done.", "--live", "command", "subagent"]),
        decision(&["Blue or green?", "--live", "subagent"]),
        decision(&[WAIT, "--client", "codex", "--lists"]),
    ];
    insta::assert_snapshot!(rows.join("\n"), @r"
    Decision, with no word from the client about what is alive: WAITING for what the message says (nobody knows what is alive), surfaces after 30 minutes, by the gate `prose-wait`.
    Decision, with nothing alive, by the client's own lists: NEEDS YOU (unbacked_wait), by the gate `prose-wait`.
    Decision, with the live work given: WAITING for live work, surfaces after 30 minutes, by the gate `live-work`.
    Decision, with the live work given: NEEDS YOU (unbacked_wait), by the gate `prose-wait`.
    Decision, with the live work given: NEEDS YOU (done), by the gate `done`.
    Decision, with the live work given: WAITING for live work, surfaces after 30 minutes, by the gate `live-work`.
    Decision, with the live work given: WAITING for live work, surfaces after 30 minutes, by the gate `live-work`.
    Decision, with the live work given: NEEDS YOU (question), by the gate `question`.
    Decision, with nothing alive, by the client's own lists: NEEDS YOU (unbacked_wait), by the gate `prose-wait`.
    ");
}

#[test]
fn for_programs() {
    let ran = World::new().run(["explain", "--json", "--lists", WAIT]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let explained: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(explained["version"], 1);
    assert_eq!(explained["decision"]["gate"], "prose-wait");
    assert_eq!(explained["decision"]["verdict"]["reason"], "unbacked_wait");
    assert!(explained["explanation"].is_object());
}

#[test]
fn an_empty_message_is_read_like_any_other() {
    for message in ["", "\n"] {
        assert!(decision(&[message]).contains("NEEDS YOU (done)"), "{message:?}");
    }
    let ran = World::new().run_with(["explain"], b"");
    assert_eq!(ran.code, 0);
    let ran = World::new().run_with(["explain"], b"Half a \xff letter. Done.");
    assert_eq!(ran.code, 0);
}

#[test]
fn what_there_is_not_is_refused() {
    let world = World::new();
    let kind = world.run(["explain", WAIT, "--live", "ghost"]);
    assert_eq!((kind.code, kind.out.as_str()), (2, ""));
    insta::assert_snapshot!(kind.err, @r"
    error: invalid value 'ghost' for '--live <KIND>...': not a kind: command, monitor, subagent, workflow or other

    For more information, try '--help'.
    ");
    let client = world.run(["explain", WAIT, "--client", "typewriter"]);
    assert_eq!(client.code, 2);
    insta::assert_snapshot!(client.err, @r"
    error: invalid value 'typewriter' for '--client <CLIENT>': no such client; there are claude-code, codex, cursor, gemini, copilot, opencode

    For more information, try '--help'.
    ");
    let file = world.run(["explain", "--file", "absent.txt"]);
    assert_eq!((file.code, file.out.as_str()), (3, ""));
    assert_eq!(world.run(["explain", WAIT, "--file", "absent.txt"]).code, 2);
}
