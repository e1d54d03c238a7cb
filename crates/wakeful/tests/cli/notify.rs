//! `wakeful notify`: what would ring, and a ring to try it.

use crate::environment::World;

fn with_settings(text: &str) -> World {
    let world = World::new();
    world.file("home/.config/wakeful/settings.toml", text);
    world
}

#[test]
fn what_would_ring() {
    let world = with_settings(
        "[notify]\nmuted = [\"done\"]\nwebhook = { url = \"https://hooks.example/k3y\", reasons = [\"failed\"] }\n",
    );
    insta::assert_snapshot!(world.run(["notify"]).out, @r"
    desktop  would ring
    bell     off
    command  off
    webhook  would not ring: not for this reason
    ntfy     off
    ");
    insta::assert_snapshot!(world.run(["notify", "--reason", "done", "--json"]).out, @r#"
    {
      "version": 1,
      "reason": "done",
      "channels": [
        {
          "channel": "desktop",
          "rings": false,
          "why": "muted"
        },
        {
          "channel": "bell",
          "rings": false,
          "why": "channel_off"
        },
        {
          "channel": "command",
          "rings": false,
          "why": "channel_off"
        },
        {
          "channel": "webhook",
          "rings": false,
          "why": "muted"
        },
        {
          "channel": "ntfy",
          "rings": false,
          "why": "channel_off"
        }
      ]
    }
    "#);
}

#[test]
fn a_test_rings_and_says_what_each_did() {
    let world = with_settings(
        "[notify]\nquiet_hours = \"00:00-24:00\"\nbell = { enabled = true }\n\
         command = { run = [\"/bin/sh\", \"-c\", \"echo $WAKEFUL_REASON >>$HOME/rung\"], reasons = [\"done\"] }\n",
    );
    let ran = world.run(["notify", "--test"]);
    insta::assert_snapshot!(ran.out, @r"
    desktop  skipped: no desktop shows notifications here
    bell     skipped: the session has no terminal of this user
    command  rang
    webhook  off
    ntfy     off
    ");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let rung = || std::fs::read_to_string(world.root().join("home/rung")).unwrap();
    assert_eq!(rung(), "question\n", "also in quiet hours, and for a reason that is not its own");
    let ran = world.run(["notify", "--test", "--reason", "done"]);
    assert!(ran.out.contains("command  skipped: quiet hours\n"), "{}", ran.out);
    assert_eq!(rung(), "question\n");
}

#[test]
fn a_channel_that_fails_is_an_exit_code() {
    let world = with_settings("[notify]\ncommand = { run = [\"/bin/sh\", \"-c\", \"exit 3\"] }\n");
    let ran = world.run(["notify", "--test", "--json"]);
    assert_eq!(ran.code, 1);
    let said: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let expected = serde_json::json!({"channel": "command", "did": "failed", "why": "exited with 3"});
    assert_eq!(said["channels"][2], expected);
}

#[test]
fn settings_that_cannot_be_read_are_said() {
    let world = with_settings("[notify]\nmutd = []\n");
    let ran = world.run(["notify", "--test"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
    assert!(ran.err.contains("settings.toml") && ran.err.contains("mutd"), "{}", ran.err);
    let ran = world.run(["notify", "--reason", "gone"]);
    assert_eq!(ran.code, 2);
}
