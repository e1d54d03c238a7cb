//! The reference of the settings, made from the table of keys.

use std::fmt::Write as _;

use super::{KEYS, Kind};

/// What stands above the keys in `docs/settings.md`.
const HEAD: &str = "# Settings

<!-- Made from the table of keys (crates/wakeful-engine/src/settings/table.rs) by its test; do not edit. -->

One file, `settings.toml` in `$WAKEFUL_CONFIG_DIR`, else `$XDG_CONFIG_HOME/wakeful`, else `~/.config/wakeful`. `wakeful settings path` says
where it is. Every key may be left out, and the file too.

```toml
[waits]
auto_wait_minutes = 45

[notify]
quiet_hours = \"22:00-07:00\"
muted = [\"done\"]
```

```sh
wakeful settings                                   # every key, its value, and where that comes from
wakeful settings set waits.auto_wait_minutes 45    # changes one key; comments and layout stay
wakeful settings unset waits.auto_wait_minutes     # back to the default
wakeful settings edit                              # in $VISUAL or $EDITOR; a file at fault does not replace a good one
```

- **An unknown key or a wrong type is an error.** Then nothing of the file is in force: `wakeful` says so in one line and goes on with the
  defaults, a running daemon keeps its last good settings, a hook lets the guard pass if it is `[guard]` that cannot be read, and
  `wakeful doctor` is red.
- **Numbers of minutes out of range are no error.** Zero, negative and non-finite ones stand for the default, others for the nearest end of
  the range. Fractions are rounded up. Only where the range begins at 0 does 0 stand for itself, \"at once\".
- **The environment overrides the file**, by the variable that stands with each key: words without quotes, lists with commas
  (`WAKEFUL_NOTIFY_MUTED=done,limit`) or as TOML writes them. **Kill switches** (`=1`) override both; they are for when something goes wrong.
  Both are read once, when a process starts. An empty variable counts as none.
- **`wakeful replay`, `backtest` and `label` go by the defaults**, whatever your settings say, so that the same transcripts give the same report
  everywhere; `--settings FILE` plays them under a file. `list`, `show`, `wait`, `status-line` and `explain` go by the settings in force.
";

/// `docs/settings.md`.
pub fn markdown() -> String {
    let mut text = HEAD.to_owned();
    let mut section = "";
    for key in KEYS {
        let (of, _) = key.parts();
        if of != section {
            section = of;
            // Writing to a string cannot fail.
            let _ = write!(text, "\n## `[{of}]`\n");
        }
        let _ = write!(text, "\n### `{}`\n{}\n\n", key.name, key.about);
        let _ = writeln!(text, "- takes {}", key.kind.expected());
        let _ = writeln!(text, "- default `{}`", key.default());
        let _ = writeln!(text, "- environment `{}`", key.variable());
        if let Some(kill_switch) = key.kill_switch {
            let _ = writeln!(text, "- kill switch `{kill_switch}=1`");
        }
    }
    text
}

/// A settings file in which every key stands, as a comment: what an editor opens where there is no file yet.
pub fn template() -> String {
    let mut text =
        "# Settings of Wakeful. Every key has its default here; take the `#` away to change it.\n".to_owned();
    let mut section = "";
    for key in KEYS {
        let (of, name) = key.parts();
        if of != section {
            section = of;
            let _ = write!(text, "\n[{of}]\n");
        }
        let takes = match key.kind {
            Kind::Switch => String::new(),
            kind => format!(" Takes {}.", kind.expected()),
        };
        let _ = write!(text, "# {}{takes}\n# {name} = {}\n", key.about, key.default());
    }
    text
}
