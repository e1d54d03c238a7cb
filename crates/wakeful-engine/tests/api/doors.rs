//! Who may come in.

use wakeful_engine::api::client::{Client, ClientError};

use super::world::World;

#[test]
fn the_port_wants_the_token() {
    let world = World::with_story();
    let good = world.tcp("GET", "/v1/health", &[&world.host(), &world.bearer()]);
    assert_eq!(good.status, 200);
    let shorter = format!("Authorization: Bearer {}", &world.token[1..]);
    let other = format!("Authorization: Bearer {}", "0".repeat(world.token.len()));
    let basic = format!("Authorization: Basic {}", world.token);
    for given in ["X: y", "Authorization: Bearer", "Authorization: Bearer ", &shorter, &other, &basic] {
        let answer = world.tcp("GET", "/v1/health", &[&world.host(), given]);
        assert_eq!(answer.status, 401, "{given}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        assert!(!answer.body.contains(&world.token));
    }
    // Nobody learns without it what there is.
    assert_eq!(world.tcp("GET", "/nowhere", &[&world.host()]).status, 401);
    assert_eq!(world.tcp("POST", "/v1/hook", &[&world.host()]).status, 401);
    let twice = world.tcp("GET", "/v1/health", &[&world.host(), &world.bearer(), &world.bearer()]);
    assert_eq!(twice.status, 401);
}

/// A page whose name has been pointed at this machine (DNS rebinding) names itself as the host.
#[test]
fn the_port_wants_a_loopback_host() {
    let world = World::with_story();
    let port = world.port();
    let bearer = world.bearer();
    for host in [format!("localhost:{port}"), format!("[::1]:{port}"), "127.0.0.1".to_owned()] {
        assert_eq!(
            world.tcp("GET", "/v1/health", &[&format!("Host: {host}"), &bearer]).status,
            200,
            "{host}"
        );
    }
    let foreign = [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "0.0.0.0",
        "",
        "localhost@evil.example",
    ];
    for host in foreign {
        assert_eq!(
            world.tcp("GET", "/v1/health", &[&format!("Host: {host}"), &bearer]).status,
            403,
            "{host}"
        );
    }
    assert_eq!(world.tcp("GET", "/v1/health", &[&bearer]).status, 403);
    assert_eq!(world.tcp("GET", "/v1/health", &[&world.host(), "Host: evil.example", &bearer]).status, 403);
    assert_eq!(world.tcp("GET", "http://evil.example/v1/health", &[&world.host(), &bearer]).status, 403);
}

#[test]
fn the_port_wants_no_foreign_origin() {
    let world = World::with_story();
    let (host, bearer) = (world.host(), world.bearer());
    let own = format!("Origin: http://127.0.0.1:{}", world.port());
    assert_eq!(world.tcp("GET", "/v1/health", &[&host, &bearer, &own]).status, 200);
    for origin in
        ["http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost"]
    {
        let answer = world.tcp("GET", "/v1/health", &[&host, &bearer, &format!("Origin: {origin}")]);
        assert_eq!(answer.status, 403, "{origin}");
    }
}

#[test]
fn no_answer_may_run_or_be_read_elsewhere() {
    let world = World::with_story();
    let answers = [
        world.get("/v1/health"),
        world.get("/nowhere"),
        world.tcp("GET", "/v1/health", &[&world.host()]),
        world.tcp("OPTIONS", "/v1/hook", &[&world.host(), "Origin: http://evil.example"]),
    ];
    for answer in answers {
        assert!(answer.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

/// The port opens nothing that the socket would not.
#[test]
fn another_user_is_dropped_without_a_word() {
    let world = World::admitting(|_| false);
    let client = Client::connect(&world.socket).unwrap();
    assert!(matches!(client.health(), Err(ClientError::Refused(_) | ClientError::Io(_))));
}
