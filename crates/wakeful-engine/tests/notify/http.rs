//! Webhook and ntfy.

use std::net::TcpListener;
use std::time::Duration;

use wakeful_core::causes::Reason;
use wakeful_engine::notify::channels::{LIMIT, ntfy, webhook};
use wakeful_engine::notify::ring::{Did, Ring};
use wakeful_engine::notify::text::text;
use wakeful_engine::settings::Content;

use crate::server::Server;
use crate::world::{ring, silent};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn name_only() -> Ring {
    let mut ring = ring(silent());
    ring.settings.content = Content::Name;
    ring
}

fn post(url: &str, ring: &Ring, limit: Duration) -> Did {
    webhook::ring(url, ring, &text(ring), limit)
}

#[test]
fn a_webhook_gets_json() {
    let server = Server::start(Some(OK));
    let url = format!("{}/hook?key=k3y", server.address);
    assert_eq!(post(&url, &ring(silent()), LIMIT), Did::Rung);
    let request = server.request();
    assert_eq!(request.head[0], "POST /hook?key=k3y HTTP/1.1");
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert!(request.header("user-agent").unwrap().starts_with("wakeful/"));
    let body: serde_json::Value = serde_json::from_str(&request.body).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&body).unwrap(), @r#"
    {
      "at": "2027-01-15T08:00:00Z",
      "body": "May I run `deploy --token ***`?\nprune the trees",
      "id": "ring-7-1800000000000",
      "reason": "question",
      "session": {
        "client": "codex",
        "id": "0198c2f4-77aa",
        "name": "orchard",
        "project": "orchard"
      },
      "title": "orchard: asks a question",
      "v": 1
    }
    "#);
}

#[test]
fn only_the_name_leaves_the_machine_if_that_is_wanted() {
    let server = Server::start(Some(OK));
    assert_eq!(post(&server.address, &name_only(), LIMIT), Did::Rung);
    let body: serde_json::Value = serde_json::from_str(&server.request().body).unwrap();
    insta::assert_snapshot!(body.to_string(), @r#"{"at":"2027-01-15T08:00:00Z","id":"ring-7-1800000000000","reason":"question","session":{"name":"orchard"},"title":"orchard: asks a question","v":1}"#);
    assert_eq!(ntfy::ring(&server.address, &name_only(), &text(&name_only()), LIMIT), Did::Rung);
    let request = server.request();
    assert_eq!((request.body.as_str(), request.header("title")), ("orchard: asks a question", None));
}

#[test]
fn ntfy_gets_title_priority_and_tags() {
    let server = Server::start(Some(OK));
    let mut ring = ring(silent());
    ring.session.name = Some("Köln".to_owned());
    let sent = |ring: &Ring| {
        assert_eq!(ntfy::ring(&format!("{}/agents", server.address), ring, &text(ring), LIMIT), Did::Rung);
        server.request()
    };
    let request = sent(&ring);
    assert_eq!(request.head[0], "POST /agents HTTP/1.1");
    assert_eq!(request.header("title"), Some("=?UTF-8?Q?K=C3=B6ln=3A=20asks=20a=20question?="));
    assert_eq!((request.header("priority"), request.header("tags")), (Some("high"), Some("question")));
    assert_eq!(request.body, "May I run `deploy --token ***`?\norchard · prune the trees");
    ring.reason = Reason::Done;
    let request = sent(&ring);
    assert_eq!(
        (request.header("priority"), request.header("tags")),
        (Some("default"), Some("white_check_mark"))
    );
}

#[test]
fn an_answer_that_is_no_success_is_said() {
    let server = Server::start(Some("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"));
    assert_eq!(post(&server.address, &ring(silent()), LIMIT), Did::Failed("answered 503".to_owned()));
}

#[test]
fn a_redirect_is_not_followed() {
    let server = Server::start(Some(
        "HTTP/1.1 307 Elsewhere\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    ));
    let did = post(&server.address, &ring(silent()), LIMIT);
    assert_eq!(did, Did::Failed("answered 307; redirects are not followed".to_owned()));
    server.request();
    assert!(server.is_quiet());
}

#[test]
fn who_never_answers_is_given_up() {
    let server = Server::start(None);
    let did = post(&server.address, &ring(silent()), Duration::from_secs(1));
    assert_eq!(did, Did::Failed("no answer within 1 s".to_owned()));
    server.request();
}

#[test]
fn what_went_wrong_is_said_without_the_address() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for url in [
        format!("http://{closed}/s3cret"),
        format!("https://{closed}/s3cret"),
        "ftp://h/s3cret".to_owned(),
        "s3cret".to_owned(),
        "http://s3cret:99999999/".to_owned(),
        "http://".to_owned(),
        "https:///s3cret".to_owned(),
        "http://127.0.0.1:1/s3cret \u{7f}\n".to_owned(),
    ] {
        let Did::Failed(why) = post(&url, &ring(silent()), LIMIT) else { panic!("{url} rang") };
        assert!(!why.contains("s3cret") && !why.is_empty(), "{url}: {why}");
    }
}

#[test]
fn a_server_that_is_no_tls_server_gets_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        let mut hello = Vec::new();
        let _ = stream.read_to_end(&mut hello);
        hello
    });
    assert_eq!(
        post(&url, &ring(silent()), LIMIT),
        Did::Failed("no secure connection; is the certificate valid?".to_owned())
    );
    let sent = String::from_utf8_lossy(&server.join().unwrap()).into_owned();
    assert!(!sent.contains("orchard"));
}
