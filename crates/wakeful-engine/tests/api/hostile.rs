//! Requests that nobody means well with. Each is answered, and the next one is, too.

use super::http::{request, send};
use super::world::World;

const JSON: &str = "Content-Type: application/json";

#[test]
fn too_long_bodies() {
    let world = World::with_story();
    let action = "/v1/sessions/claude-code/s1/actions";
    for (path, most) in [(action, 1024 * 1024), ("/v1/hook", 8 * 1024 * 1024)] {
        let headers = [JSON, "Idempotency-Key: k"];
        let at_limit = world.ask("POST", path, &headers, &" ".repeat(most));
        assert_eq!(at_limit.status, 400, "{path}: it is read, and is no JSON");
        let over = world.ask("POST", path, &headers, &" ".repeat(most + 1));
        assert_eq!(over.status, 413, "{path}");
        // Without saying how long it is.
        let mut chunked =
            request("POST", path, &["Host: x", JSON, "Idempotency-Key: k", "Transfer-Encoding: chunked"], "");
        chunked.extend(format!("{:x}\r\n", most + 1).bytes());
        chunked.extend(std::iter::repeat_n(b' ', most + 1));
        chunked.extend(b"\r\n0\r\n\r\n");
        assert_eq!(send(&mut world.unix(), &chunked).unwrap().status, 413, "{path}");
    }
    // It says that much will come, and it is not waited for.
    let huge = ["Host: x", JSON, "Idempotency-Key: k", "Content-Length: 9999999999"];
    assert_eq!(send(&mut world.unix(), &request("POST", action, &huge, "")).unwrap().status, 413);
    assert_eq!(world.get("/v1/health").status, 200);
    assert!(world.daemon.acts.lock().unwrap().is_empty());
}

#[test]
fn nonsense() {
    let world = World::with_story();
    let long = "x".repeat(1_000_000);
    let deep = "[".repeat(100_000);
    let many: Vec<String> = (0..200).map(|n| format!("X-{n}: y")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let post = |path: &str, body: &str| request("POST", path, &["Host: x", JSON, "Idempotency-Key: k"], body);
    let requests: Vec<Vec<u8>> = vec![
        b"\r\n\r\n\r\nnonsense\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"GET /v1/health HTTP/9.9\r\n\r\n".to_vec(),
        b"GET /v1/sessions/\xff\xfe/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_vec(),
        request("GET", "/v1/sessions/claude-code/%FF%FE", &["Host: x"], ""),
        request("GET", "/v1/sessions/claude-code/%", &["Host: x"], ""),
        request("GET", "/v1/sessions/claude-code/%00", &["Host: x"], ""),
        request("GET", "/v1/sessions/claude-code/..%2f..%2fapi-token", &["Host: x"], ""),
        request("GET", "/v1/log?session=%FF&limit=%00", &["Host: x"], ""),
        request("GET", "/v1/decisions/99999999999999999999", &["Host: x"], ""),
        request("GET", &format!("/{long}"), &["Host: x"], ""),
        request("GET", "/v1/health", &[&format!("X: {long}")], ""),
        request("GET", "/v1/nothing", &many, ""),
        request("GET", "/v1/events", &["Host: x", "Last-Event-ID: nonsense"], ""),
        request("GET", "/v1/events", &["Host: x", "Last-Event-ID: 99999999999999999999"], ""),
        post("/v1/sessions/claude-code/s1/actions", &deep),
        post("/v1/hook", &deep),
        post("/v1/hook", "\u{0}"),
        request(
            "POST",
            "/v1/hook",
            &["Host: x", JSON, "Content-Length: 5", "Transfer-Encoding: chunked"],
            "",
        ),
    ];
    for bytes in requests {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
        let mut stream = world.unix();
        let answer = if bytes.starts_with(b"\x16") || shown.contains("Transfer-Encoding") {
            use std::io::Write as _;
            stream.write_all(&bytes).unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            send(&mut stream, b"")
        } else {
            send(&mut stream, &bytes)
        };
        if let Some(answer) = answer {
            assert!((400..500).contains(&answer.status) || answer.status == 505, "{shown:?}: {answer:?}");
        }
        assert_eq!(world.get("/v1/health").status, 200, "{shown:?}");
    }
    assert!(world.daemon.acts.lock().unwrap().is_empty() && world.daemon.hooks.lock().unwrap().is_empty());
}

/// As many as there are places break off in the middle; the places are free again.
#[test]
fn connections_that_break_off() {
    let world = World::with_story();
    for _ in 0..200 {
        let mut stream = world.unix();
        use std::io::Write as _;
        let _ = stream.write_all(
            b"POST /v1/hook HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
        );
    }
    assert_eq!(world.get("/v1/health").status, 200);
}
