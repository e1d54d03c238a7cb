//! Kinds of files: links, modes, sizes, files that change under our hands.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use wakeful_core::ids::Client;
use wakeful_engine::install::{InstallError, plan_unsetup};

use crate::machine::{Machine, PROGRAM};
use crate::oracle;

const CLIENT: Client = Client::ClaudeCode;
const BYTES: &[u8] = b"{\n  \"model\": \"large\"\n}\n";

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_file_that_was_not_there_is_not_there_again() {
    for client in [CLIENT, Client::Codex, Client::Cursor] {
        let machine = Machine::new();
        machine.set_up(client).unwrap();
        oracle::check_set_up(b"", &machine.read(client), &machine.found(client), PROGRAM);
        assert_eq!(mode(&machine.settings(client)), 0o600);
        machine.take_out(client).unwrap();
        assert!(!machine.settings(client).exists());
    }
}

#[test]
fn a_file_that_we_made_and_someone_filled_keeps_what_they_put_in() {
    let machine = Machine::new();
    machine.set_up(CLIENT).unwrap();
    let text = String::from_utf8(machine.read(CLIENT)).unwrap();
    machine.write(CLIENT, text.replacen('{', "{\n  \"model\": \"large\",", 1).as_bytes());
    machine.take_out(CLIENT).unwrap();
    assert_eq!(machine.read(CLIENT), BYTES);
}

#[test]
fn modes_stay() {
    for kept in [0o600, 0o640, 0o644, 0o664] {
        let machine = Machine::with_settings(CLIENT, BYTES);
        set_mode(&machine.settings(CLIENT), kept);
        machine.set_up(CLIENT).unwrap();
        assert_eq!(mode(&machine.settings(CLIENT)), kept);
        machine.take_out(CLIENT).unwrap();
        assert_eq!(mode(&machine.settings(CLIENT)), kept);
    }
}

#[test]
fn links_stay_links() {
    let machine = Machine::new();
    let settings = machine.settings(CLIENT);
    let dotfiles = machine.path().join("dotfiles");
    fs::create_dir(&dotfiles).unwrap();
    fs::write(dotfiles.join("real.json"), BYTES).unwrap();
    symlink("real.json", dotfiles.join("middle.json")).unwrap();
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    symlink(dotfiles.join("middle.json"), &settings).unwrap();
    machine.set_up(CLIENT).unwrap();
    assert!(fs::symlink_metadata(&settings).unwrap().is_symlink());
    assert!(fs::symlink_metadata(dotfiles.join("middle.json")).unwrap().is_symlink());
    oracle::check_set_up(
        BYTES,
        &fs::read(dotfiles.join("real.json")).unwrap(),
        &machine.found(CLIENT),
        PROGRAM,
    );
    machine.take_out(CLIENT).unwrap();
    assert!(fs::symlink_metadata(&settings).unwrap().is_symlink());
    assert_eq!(fs::read(dotfiles.join("real.json")).unwrap(), BYTES);
    assert_eq!(fs::read_dir(&dotfiles).unwrap().count(), 2, "nothing was left lying about");
}

#[test]
fn a_settings_folder_behind_a_link() {
    let machine = Machine::new();
    let settings = machine.settings(CLIENT);
    let real = machine.path().join("elsewhere");
    fs::create_dir(&real).unwrap();
    fs::write(real.join("settings.json"), BYTES).unwrap();
    symlink(&real, settings.parent().unwrap()).unwrap();
    machine.set_up(CLIENT).unwrap();
    machine.take_out(CLIENT).unwrap();
    assert_eq!(fs::read(real.join("settings.json")).unwrap(), BYTES);
}

#[test]
fn what_is_no_file_is_left_alone() {
    let machine = Machine::new();
    let settings = machine.settings(CLIENT);
    fs::create_dir_all(&settings).unwrap();
    assert!(matches!(machine.set_up(CLIENT), Err(InstallError::NotAFile { .. })));
    fs::remove_dir(&settings).unwrap();
    symlink("nowhere.json", &settings).unwrap();
    assert!(matches!(machine.set_up(CLIENT), Err(InstallError::DanglingLink { .. })));
    fs::remove_file(&settings).unwrap();
    symlink("/dev/null", &settings).unwrap();
    assert!(matches!(machine.set_up(CLIENT), Err(InstallError::NotAFile { .. })));
}

#[test]
fn read_only_files_and_folders_are_left_alone() {
    let machine = Machine::with_settings(CLIENT, BYTES);
    let settings = machine.settings(CLIENT);
    set_mode(&settings, 0o444);
    let error = machine.set_up(CLIENT).unwrap_err();
    assert!(matches!(&error, InstallError::ReadOnly { path } if *path == settings), "{error}");
    assert!(!error.is_conflict());
    set_mode(&settings, 0o644);
    let folder = settings.parent().unwrap();
    set_mode(folder, 0o555);
    let error = machine.set_up(CLIENT).unwrap_err();
    set_mode(folder, 0o755);
    assert!(matches!(&error, InstallError::ReadOnly { .. }), "{error}");
    assert_eq!(machine.read(CLIENT), BYTES);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

#[test]
fn a_file_of_five_megabytes() {
    let row = "    { \"rule\": \"a line of some length, with a \\\" in it\" }, // and a note\n";
    let rows = row.repeat(5 * 1024 * 1024 / row.len() + 1);
    let bytes = format!("{{\n  \"rules\": [\n{rows}    null\n  ]\n}}\n").into_bytes();
    assert!(bytes.len() > 5 * 1024 * 1024);
    let machine = Machine::with_settings(CLIENT, &bytes);
    machine.set_up(CLIENT).unwrap();
    oracle::check_set_up(&bytes, &machine.read(CLIENT), &machine.found(CLIENT), PROGRAM);
    machine.take_out(CLIENT).unwrap();
    assert!(machine.read(CLIENT) == bytes);
}

#[test]
fn a_file_that_changes_after_it_was_read_is_not_overwritten() {
    let machine = Machine::with_settings(CLIENT, BYTES);
    let change = machine.plan(CLIENT).unwrap();
    machine.write(CLIENT, b"{ \"model\": \"other\" }");
    let error = change.apply().unwrap_err();
    assert!(matches!(error, InstallError::Changed { .. }) && error.is_conflict());
    assert_eq!(machine.read(CLIENT), b"{ \"model\": \"other\" }");
    // The record of that try does not mislead removal.
    machine.take_out(CLIENT).unwrap();
    assert_eq!(machine.read(CLIENT), b"{ \"model\": \"other\" }");
}

#[test]
fn a_file_that_appears_or_goes_after_it_was_looked_for_is_not_overwritten() {
    let machine = Machine::new();
    let change = machine.plan(CLIENT).unwrap();
    machine.write(CLIENT, BYTES);
    assert!(matches!(change.apply(), Err(InstallError::Changed { .. })));
    assert_eq!(machine.read(CLIENT), BYTES);
    let change = machine.plan(CLIENT).unwrap();
    fs::remove_file(machine.settings(CLIENT)).unwrap();
    assert!(matches!(change.apply(), Err(InstallError::Changed { .. })));
    assert!(!machine.settings(CLIENT).exists());
}

#[test]
fn a_removal_that_comes_too_late_changes_nothing() {
    let machine = Machine::with_settings(CLIENT, BYTES);
    machine.set_up(CLIENT).unwrap();
    let change = plan_unsetup(&machine.found(CLIENT), &machine.state()).unwrap();
    let edited = [machine.read(CLIENT), b"\n".to_vec()].concat();
    machine.write(CLIENT, &edited);
    assert!(matches!(change.apply(), Err(InstallError::Changed { .. })));
    assert_eq!(machine.read(CLIENT), edited);
    machine.take_out(CLIENT).unwrap();
    assert_eq!(machine.read(CLIENT), [BYTES, b"\n"].concat());
}

#[test]
fn two_set_ups_do_not_run_at_once() {
    let machine = Machine::new();
    let first = machine.state().lock().unwrap();
    let error = machine.state().lock().unwrap_err();
    assert!(matches!(error, InstallError::Busy) && error.is_conflict());
    drop(first);
    machine.state().lock().unwrap();
}

#[test]
fn a_moved_program_replaces_its_entries_and_removal_still_gives_the_bytes_back() {
    let machine = Machine::with_settings(CLIENT, BYTES);
    machine.set_up(CLIENT).unwrap();
    let found = machine.found(CLIENT);
    let moved =
        wakeful_engine::install::plan_setup(&found, Path::new("/moved/wakeful"), &machine.state()).unwrap();
    assert!(moved.is_needed());
    moved.apply().unwrap();
    oracle::check_set_up(BYTES, &machine.read(CLIENT), &found, "/moved/wakeful");
    machine.take_out(CLIENT).unwrap();
    assert_eq!(machine.read(CLIENT), BYTES);
}

#[test]
fn a_damaged_backup_is_not_written_back() {
    let machine = Machine::with_settings(CLIENT, BYTES);
    machine.set_up(CLIENT).unwrap();
    for slot in fs::read_dir(machine.state().path().join("install")).unwrap().flatten() {
        let backups = slot.path().join("backups");
        for backup in fs::read_dir(backups).into_iter().flatten().flatten() {
            fs::write(backup.path(), "damaged").unwrap();
        }
    }
    machine.take_out(CLIENT).unwrap();
    assert_eq!(machine.read(CLIENT), BYTES);
}

#[test]
fn what_is_kept_is_for_its_owner_only() {
    let machine = Machine::with_settings(CLIENT, BYTES);
    machine.set_up(CLIENT).unwrap();
    let mut folders = vec![machine.state().path().join("install")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
                files += 1;
            }
        }
    }
    assert!(files >= 2);
}
