//! A machine of its own for each case: a home, a state folder, no client on the path.

use std::fs;
use std::path::{Path, PathBuf};

use wakeful_core::ids::Client;
use wakeful_engine::install::{
    Change, Environment, Found, InstallError, StateDir, look, plan_setup, plan_unsetup,
};

/// Where our program is on it.
pub(crate) const PROGRAM: &str = "/opt/own tools/wakeful";

pub(crate) struct Machine {
    folder: tempfile::TempDir,
    pub(crate) environment: Environment,
}

/// A folder in memory where there is one: what is made durable there costs nothing, and thousands of files are.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

impl Machine {
    pub(crate) fn new() -> Self {
        let folder = folder();
        let home = folder.path().join("home");
        fs::create_dir(&home).unwrap();
        let variables = [("WAKEFUL_STATE_DIR", folder.path().join("state"))];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        Self { environment: Environment::new(variables, home), folder }
    }

    pub(crate) fn with_settings(client: Client, bytes: &[u8]) -> Self {
        let machine = Self::new();
        machine.write(client, bytes);
        machine
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn found(&self, client: Client) -> Found {
        look(client, &self.environment).unwrap()
    }

    pub(crate) fn state(&self) -> StateDir {
        StateDir::of(&self.environment)
    }

    pub(crate) fn settings(&self, client: Client) -> PathBuf {
        self.found(client).settings
    }

    pub(crate) fn write(&self, client: Client, bytes: &[u8]) {
        let settings = self.settings(client);
        fs::create_dir_all(settings.parent().unwrap()).unwrap();
        fs::write(settings, bytes).unwrap();
    }

    pub(crate) fn read(&self, client: Client) -> Vec<u8> {
        fs::read(self.settings(client)).unwrap()
    }

    pub(crate) fn plan(&self, client: Client) -> Result<Change, InstallError> {
        plan_setup(&self.found(client), Path::new(PROGRAM), &self.state())
    }

    pub(crate) fn set_up(&self, client: Client) -> Result<(), InstallError> {
        self.plan(client)?.apply()
    }

    pub(crate) fn take_out(&self, client: Client) -> Result<(), InstallError> {
        plan_unsetup(&self.found(client), &self.state())?.apply()
    }

    pub(crate) fn lose_state(&self) {
        fs::remove_dir_all(self.state().path()).unwrap();
    }
}
