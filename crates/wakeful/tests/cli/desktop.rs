//! A desktop that shows notifications, on a session bus of its own.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use zbus::OwnedVariant;

use crate::environment::World;

/// What was shown: program, title, body.
type Shown = (String, String, String);

struct Desktop {
    capabilities: Vec<String>,
    shown: Sender<Shown>,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Desktop {
    fn get_capabilities(&self) -> Vec<String> {
        self.capabilities.clone()
    }

    #[expect(clippy::too_many_arguments, reason = "the freedesktop specification has them")]
    fn notify(
        &self,
        app_name: String,
        _replaces_id: u32,
        _app_icon: String,
        summary: String,
        body: String,
        _actions: Vec<String>,
        _hints: HashMap<String, OwnedVariant>,
        _expire_timeout: i32,
    ) -> u32 {
        let _ = self.shown.send((app_name, summary, body));
        1
    }
}

/// A session bus; gone with the value.
struct Bus {
    daemon: Child,
    address: String,
}

impl Bus {
    /// `None` on a machine without D-Bus.
    fn start(world: &World) -> Option<Self> {
        let mut daemon = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address=1"])
            .env("HOME", world.root())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut address = String::new();
        BufReader::new(daemon.stdout.take()?).read_line(&mut address).unwrap();
        Some(Self { daemon, address: address.trim().to_owned() })
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// A desktop on this bus, and what it shows.
fn desktop(bus: &Bus, capabilities: &[&str]) -> Receiver<Shown> {
    let (shown, showing) = mpsc::channel();
    let (ready, is_ready) = mpsc::channel();
    let desktop =
        Desktop { capabilities: capabilities.iter().map(|name| (*name).to_owned()).collect(), shown };
    let address = bus.address.clone();
    std::thread::spawn(move || {
        zbus::block_on(async move {
            let connection = zbus::connection::Builder::address(address.as_str())
                .serve_at("/org/freedesktop/Notifications", desktop)
                .name("org.freedesktop.Notifications")
                .build()
                .await;
            let _ = ready.send(connection.is_ok());
            std::future::pending::<()>().await;
        });
    });
    assert!(is_ready.recv_timeout(Duration::from_secs(20)).unwrap());
    showing
}

/// What a test in this folder says.
fn rung(world: &World, bus: &Bus, folder: &str) -> String {
    let mut wakeful = world.command(["notify", "--test"]);
    wakeful.current_dir(world.root().join(folder)).env("DBUS_SESSION_BUS_ADDRESS", &bus.address);
    let output = wakeful.output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn it_shows_title_and_body_as_they_are() {
    for (capabilities, place) in [(&["body", "body-markup"][..], "a&amp;b"), (&["body"], "a&b")] {
        let world = World::new();
        let Some(bus) = Bus::start(&world) else { return };
        let showing = desktop(&bus, capabilities);
        std::fs::create_dir(world.root().join("a&b")).unwrap();
        let said = rung(&world, &bus, "a&b");
        assert!(said.contains("desktop  rang\n"), "{said}");
        let (program, title, body) = showing.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!((program.as_str(), title.as_str()), ("Wakeful", "Test of Wakeful: asks a question"));
        assert_eq!(body, format!("This is how it looks when a session needs you.\n{place}"));
    }
}

/// As a login over SSH has it.
#[test]
fn a_bus_where_nobody_shows_anything_is_no_failure() {
    let world = World::new();
    let Some(bus) = Bus::start(&world) else { return };
    let said = rung(&world, &bus, ".");
    assert!(said.contains("desktop  skipped: no desktop shows notifications here\n"), "{said}");
}
