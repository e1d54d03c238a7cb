//! The client of the commands.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixListener;

use serde_json::Value;
use wakeful_core::event::UserAction;
use wakeful_engine::api::client::{Client, ClientError, encoded};
use wakeful_engine::engine::Outcome;
use wakeful_engine::store::Pos;

use super::world::{World, key};

#[test]
fn asks_and_acts() {
    let world = World::with_story();
    let client = Client::connect(&world.socket).unwrap();
    let health = client.health().unwrap();
    assert_eq!((health.version.as_str(), health.pos), ("1.2.3", world.pos("s2")));
    let one: Value = client.get_json("/v1/sessions/claude-code/s1").unwrap();
    assert_eq!(one["session"]["label"], "build the shop");

    let action = UserAction::Snooze { minutes: 5 };
    assert_eq!(client.act(&key("a/b ä"), &action, Pos(3), "k").unwrap(), Outcome::Taken);
    let act = world.daemon.acts.lock().unwrap().pop().unwrap();
    assert_eq!((act.session, act.action), (key("a/b ä"), action));
    assert_eq!((act.seen, act.key.as_deref()), (Some(Pos(3)), Some("k")));
    for outcome in [Outcome::Again, Outcome::NoSession, Outcome::Conflict { why: "moved".to_owned() }] {
        *world.daemon.answer.lock().unwrap() = Ok(outcome.clone());
        assert_eq!(client.act(&key("s1"), &UserAction::Done, Pos(3), "k").unwrap(), outcome);
    }
    let reply = UserAction::Reply { text: "x".repeat(1024 * 1024) };
    let error = client.act(&key("s1"), &reply, Pos(3), "k").unwrap_err();
    assert!(matches!(&error, ClientError::Problem(problem) if problem.status == 413), "{error}");
}

#[test]
fn says_why_there_is_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("s");
    assert!(matches!(Client::connect(&socket), Err(ClientError::NoDaemon)));
    let listener = UnixListener::bind(&socket).unwrap();
    let client = Client::connect(&socket).unwrap();
    assert!(matches!(client.health(), Err(ClientError::TimedOut)));
    let _silent = [listener.accept().unwrap(), listener.accept().unwrap()];
    for said in [
        "",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        "nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 500 X\r\nContent-Length: 2\r\n\r\nno",
    ] {
        let error = std::thread::scope(|scope| {
            let asking = scope.spawn(|| client.health().unwrap_err());
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1000]).unwrap();
            stream.write_all(said.as_bytes()).unwrap();
            drop(stream);
            asking.join().unwrap()
        });
        let wanted =
            if said.is_empty() { "the daemon refuses" } else { "the daemon's answer cannot be read" };
        assert!(error.to_string().starts_with(wanted), "{said:?}: {error}");
    }
    drop(listener);
    assert!(matches!(client.health(), Err(ClientError::NoDaemon)));
}

#[test]
fn nothing_slips_into_a_request() {
    let world = World::with_story();
    let client = Client::connect(&world.socket).unwrap();
    for path in ["/v1/health HTTP/1.1\r\nX: y", "/v1/ä", "/v1/a b"] {
        assert!(client.get_json::<Value>(path).is_err());
    }
    assert!(client.act(&key("s1"), &UserAction::Done, Pos(1), "k\r\nX: y").is_err());
    assert!(world.daemon.acts.lock().unwrap().is_empty());
    assert_eq!(encoded("../a?b#c%"), "%2E%2E%2Fa%3Fb%23c%25");
}
