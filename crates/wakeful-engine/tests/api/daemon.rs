//! The API of a real daemon.

use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use wakeful_core::event::UserAction;
use wakeful_core::time::Millis;
use wakeful_engine::api::client::{Client, ClientError};
use wakeful_engine::api::run;
use wakeful_engine::daemon::{Done, Errands, Files, Serving, hand_over, serve};
use wakeful_engine::engine::{EngineSettings, Outcome};
use wakeful_engine::store::{Keep, OutboxRow, Pos};

use super::http::{LONG, request, send};
use super::world::{START, envelope, key, senses};

struct None_;

impl Errands for None_ {
    fn start(
        &mut self,
        _: &OutboxRow,
        _: Option<&wakeful_core::session::Session>,
        _: wakeful_core::time::Now,
        done: Done,
    ) {
        done.say("not in this test");
    }
}

/// Tries until it works; the daemon needs a moment to start.
fn soon<T>(mut what: impl FnMut() -> Option<T>) -> T {
    let (_quiet, tick) = channel::<()>();
    for _ in 0..3000 {
        if let Some(found) = what() {
            return found;
        }
        let _ = tick.recv_timeout(Duration::from_millis(10));
    }
    panic!("not within 30 s");
}

#[test]
fn from_the_first_request_to_the_last() {
    let dir = tempfile::tempdir().unwrap();
    let files = Files::of(dir.path());
    let (set_port, port) = watch::channel(0);
    let (stop, stopped) = oneshot::channel::<()>();
    let daemon = std::thread::spawn({
        let files = files.clone();
        move || {
            let serving = Serving {
                files: files.clone(),
                version: "1.2.3",
                clock: Arc::new(|| START),
                clock_file: None,
                senses: senses(),
                settings: EngineSettings::default(),
                keep: Keep { age: Millis::minutes(60 * 24), bytes: 1 << 30 },
                errands: Box::new(None_),
                alive: Box::new(|_| true),
                settings_file: None,
                reload: Box::new(|_| {}),
            };
            let until = async { _ = stopped.await };
            serve(serving, |handle| run(handle, files, "1.2.3", port), until).unwrap();
        }
    });
    let client = soon(|| Client::connect(files.api_socket()).ok());
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(soon(|| Some(mode(files.api_socket())).filter(|mode| *mode == 0o600)), 0o600);
    assert_eq!(mode(files.api_socket().parent().unwrap().to_owned()), 0o700);

    let hooks = [
        r#"{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt_id":"p","prompt":"build the shop"}"#,
        r#"{"session_id":"s1","hook_event_name":"Stop","prompt_id":"p","last_assistant_message":"Built.","background_tasks":[],"session_crons":[]}"#,
    ];
    for (at, payload) in hooks.iter().enumerate() {
        let mut envelope = envelope(START, payload);
        envelope.id.0 = format!("d{at}");
        let _ = hand_over(&files.hook_socket(), &envelope); // it may be slow to say so
    }
    let session = soon(|| {
        let all: Value = client.get_json("/v1/sessions").ok()?;
        all["sessions"].get(0).filter(|session| session["status"] == "needs_you").cloned()
    });
    let seen = Pos(session["revision"].as_i64().unwrap());
    assert_eq!(client.health().unwrap().version, "1.2.3");

    // One that has seen an older face, one that has seen this one, and that one again.
    let old = client.act(&key("s1"), &UserAction::Done, Pos(seen.0 - 1), "k0").unwrap();
    assert!(matches!(old, Outcome::Conflict { .. }), "{old:?}");
    assert_eq!(client.act(&key("s1"), &UserAction::Done, seen, "k1").unwrap(), Outcome::Taken);
    assert_eq!(client.act(&key("s1"), &UserAction::Done, seen, "k1").unwrap(), Outcome::Taken);
    assert_eq!(client.act(&key("none"), &UserAction::Done, seen, "k2").unwrap(), Outcome::NoSession);
    let one: Value = client.get_json("/v1/sessions/claude-code/s1").unwrap();
    assert_eq!(one["session"]["status"], json!("idle"));

    // The port opens and closes with the setting.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    assert!(!dir.path().join("api-token").exists());
    set_port.send_replace(free);
    let mut stream = soon(|| TcpStream::connect(("127.0.0.1", free)).ok());
    stream.set_read_timeout(Some(LONG)).unwrap();
    let token = std::fs::read_to_string(dir.path().join("api-token")).unwrap();
    let (host, bearer) =
        (format!("Host: localhost:{free}"), format!("Authorization: Bearer {}", token.trim()));
    assert_eq!(send(&mut stream, &request("GET", "/v1/health", &[&host, &bearer], "")).unwrap().status, 200);
    set_port.send_replace(0);
    soon(|| TcpStream::connect(("127.0.0.1", free)).is_err().then_some(()));

    // A port that cannot be had is said.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    set_port.send_replace(taken.local_addr().unwrap().port());
    soon(|| client.health().ok()?.problems.iter().find(|said| said.contains("the API's port")).cloned());
    set_port.send_replace(0);
    soon(|| client.health().ok()?.problems.is_empty().then_some(()));

    stop.send(()).unwrap();
    daemon.join().unwrap();
    assert!(matches!(client.health(), Err(ClientError::NoDaemon)));
}
