//! Changes of the file.

use std::fs;
use std::path::PathBuf;

use wakeful_engine::settings::{EditError, key, replace, set, start_editing, unset};

struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    fn with(text: &str) -> Self {
        let home = Self { dir: tempfile::tempdir().unwrap() };
        fs::write(home.file(), text).unwrap();
        home
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("settings.toml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    fn set(&self, name: &str, value: &str) -> Result<(), EditError> {
        let key = key(name).unwrap();
        set(&self.file(), key, &key.read(value).unwrap())
    }
}

#[test]
fn a_change_moves_no_other_byte() {
    let rows = [
        // The value alone is replaced, wherever it stands.
        (
            "# mine\n[waits]\nauto_wait_minutes  =  20   # slow suite\n\n",
            "# mine\n[waits]\nauto_wait_minutes  =  45   # slow suite\n\n",
        ),
        ("waits . \"auto_wait_minutes\" = 20", "waits . \"auto_wait_minutes\" = 45"),
        (
            "waits = { overdue_minutes=3,auto_wait_minutes=20 } # x\r\n",
            "waits = { overdue_minutes=3,auto_wait_minutes=45 } # x\r\n",
        ),
        (
            "\u{feff}[waits]\r\nauto_wait_minutes = 0x14\r\n# end",
            "\u{feff}[waits]\r\nauto_wait_minutes = 45\r\n# end",
        ),
        // A new key stands below the last of its section.
        (
            "[waits]\n\n# why\noverdue_minutes = 3 # soon\n\n# about the guard\n[guard]\n",
            "[waits]\n\n# why\noverdue_minutes = 3 # soon\nauto_wait_minutes = 45\n\n# about the guard\n[guard]\n",
        ),
        (
            "[waits] # all of them\r\n[guard]\r\n",
            "[waits] # all of them\r\nauto_wait_minutes = 45\r\n[guard]\r\n",
        ),
        ("[waits]\noverdue_minutes = 3", "[waits]\noverdue_minutes = 3\nauto_wait_minutes = 45\n"),
        ("[waits]", "[waits]\nauto_wait_minutes = 45\n"),
        // A section that is not there is written below everything.
        ("", "[waits]\nauto_wait_minutes = 45\n"),
        ("# mine", "# mine\n\n[waits]\nauto_wait_minutes = 45\n"),
        (
            "[guard]\r\npolicy = \"off\"\r\n",
            "[guard]\r\npolicy = \"off\"\r\n\r\n[waits]\r\nauto_wait_minutes = 45\r\n",
        ),
        // A shape of its own is kept.
        (
            "waits = { overdue_minutes = 3 } # x\n",
            "waits = { overdue_minutes = 3 , auto_wait_minutes = 45} # x\n",
        ),
        (
            "waits.overdue_minutes = 3 # x\r\n[guard]\r\n",
            "waits.overdue_minutes = 3 # x\r\nwaits.auto_wait_minutes = 45\r\n[guard]\r\n",
        ),
    ];
    for (before, after) in rows {
        let home = Home::with(before);
        home.set("waits.auto_wait_minutes", "45").unwrap();
        let text = home.text();
        if before.contains("{ overdue_minutes = 3 }") {
            // Blanks between the braces are the library's.
            assert_eq!(text.replace(' ', ""), after.replace(' ', ""), "{before:?}");
        } else {
            assert_eq!(text, after, "{before:?}");
        }
    }
}

#[test]
fn deeper_sections_and_other_shapes() {
    for (before, name, value, after) in [
        (
            "[notify.desktop]\nenabled = false\n",
            "notify.muted",
            "done",
            "[notify.desktop]\nenabled = false\n\n[notify]\nmuted = [\"done\"]\n",
        ),
        (
            "[notify]\nenabled = true\n",
            "notify.desktop.enabled",
            "off",
            "[notify]\nenabled = true\n\n[notify.desktop]\nenabled = false\n",
        ),
        (
            "[notify]\ndesktop.enabled = true\n[guard]\n",
            "notify.muted",
            "done",
            "[notify]\ndesktop.enabled = true\nmuted = [\"done\"]\n[guard]\n",
        ),
        (
            "[notify]\nmuted = [\n  \"done\", # often\n]\n",
            "notify.muted",
            "limit,failed",
            "[notify]\nmuted = [\"limit\", \"failed\"]\n",
        ),
        ("[guard]\n", "guard.rules", "{poll-loop='off'}", "[guard]\nrules = { poll-loop = \"off\" }\n"),
        (
            "[guard.rules]\npoll-loop = \"off\"\n",
            "guard.rules",
            "{long-sleep='warn'}",
            "[guard]\nrules = { long-sleep = \"warn\" }\n",
        ),
        ("", "notify.quiet_hours", "22:00-6:00", "[notify]\nquiet_hours = \"22:00-06:00\"\n"),
    ] {
        let home = Home::with(before);
        home.set(name, value).unwrap();
        assert_eq!(home.text(), after, "{before:?}");
    }
}

#[test]
fn a_key_goes_with_its_line_and_nothing_else() {
    for (before, name, after) in [
        (
            "# a\n[waits] # b\nauto_wait_minutes = 20 # c\n# d\noverdue_minutes = 3\n",
            "waits.auto_wait_minutes",
            "# a\n[waits] # b\n# d\noverdue_minutes = 3\n",
        ),
        ("[waits]\r\n  auto_wait_minutes = 20", "waits.auto_wait_minutes", "[waits]\r\n"),
        (
            "waits.auto_wait_minutes = 20\nwaits.overdue_minutes = 3\n",
            "waits.auto_wait_minutes",
            "waits.overdue_minutes = 3\n",
        ),
        (
            "[notify]\nmuted = [\n \"done\",\n] # e\nenabled = true",
            "notify.muted",
            "[notify]\nenabled = true",
        ),
        ("[guard.rules]\npoll-loop = \"off\"\n[waits]\n", "guard.rules", "[waits]\n"),
        // What nobody knows can be taken out too, and that in a file with another fault.
        ("[waits]\nauto_wait_minute = 20\nx = 1\n", "waits.auto_wait_minute", "[waits]\nx = 1\n"),
        ("colour = 1\n", "colour", ""),
    ] {
        let home = Home::with(before);
        assert!(unset(&home.file(), name).unwrap(), "{before:?}");
        assert_eq!(home.text(), after, "{before:?}");
        assert!(!unset(&home.file(), name).unwrap(), "it is gone");
    }
    let inline = Home::with("waits = { overdue_minutes = 3, auto_wait_minutes = 20 } # x\n");
    assert!(unset(&inline.file(), "waits.auto_wait_minutes").unwrap());
    assert_eq!(inline.text().replace(' ', ""), "waits={overdue_minutes=3}#x\n");
}

#[test]
fn a_file_at_fault_is_left_alone() {
    for text in ["[waits", "[wait]\nx = 1\n", "guard = 7\n", "[guard]\npolicy = \"loud\"\n"] {
        let home = Home::with(text);
        let error = home.set("waits.auto_wait_minutes", "45").unwrap_err();
        assert!(matches!(error, EditError::Settings(_)), "{text}: {error}");
        assert_eq!(home.text(), text);
    }
    // The change that puts it right is let through.
    let home = Home::with("[guard]\npolicy = \"loud\" # x\n");
    home.set("guard.policy", "strict").unwrap();
    assert_eq!(home.text(), "[guard]\npolicy = \"strict\" # x\n");
}

#[test]
fn a_new_file_is_for_its_owner_and_its_folder_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config/wakeful/settings.toml");
    let key = key("waits.auto_wait_minutes").unwrap();
    assert!(!unset(&file, key.name).unwrap() && !file.exists());
    set(&file, key, &key.read("45").unwrap()).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "[waits]\nauto_wait_minutes = 45\n");
    let left = fs::read_dir(file.parent().unwrap()).unwrap().count();
    assert_eq!(left, 1, "no temporary file is left");
}

#[cfg(unix)]
#[test]
fn links_and_modes_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("dotfiles.toml");
    fs::write(&real, "[waits]\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    let link = dir.path().join("settings.toml");
    symlink(&real, &link).unwrap();
    let key = key("waits.auto_wait_minutes").unwrap();
    set(&link, key, &key.read("45").unwrap()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "[waits]\nauto_wait_minutes = 45\n");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn who_else_wrote_in_the_meantime_wins() {
    let home = Home::with("[waits]\n");
    let editing = start_editing(&home.file()).unwrap();
    fs::write(home.file(), "[guard]\n").unwrap();
    let error = replace(&editing, "[store]\n").unwrap_err();
    assert!(matches!(error, EditError::File(_)), "{error}");
    assert_eq!(home.text(), "[guard]\n");
}
