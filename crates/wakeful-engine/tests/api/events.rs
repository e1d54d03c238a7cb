//! Server-sent events.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;

use serde_json::Value;
use wakeful_core::time::Millis;

use super::world::World;

struct Stream(BufReader<UnixStream>);

#[derive(Debug)]
struct Event {
    name: String,
    id: Option<i64>,
    data: Value,
}

impl Event {
    fn session(&self) -> &str {
        self.data["id"].as_str().unwrap()
    }
}

impl Stream {
    /// Of HTTP/1.0, where the body is the stream itself.
    fn open(world: &World, path: &str, headers: &str) -> Self {
        let mut stream = world.unix();
        write!(stream, "GET {path} HTTP/1.0\r\nHost: x\r\n{headers}\r\n").unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert!(line.contains("200"), "{line}");
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).unwrap();
        }
        Self(reader)
    }

    fn next(&mut self) -> Event {
        let mut fields = BTreeMap::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "the stream has ended");
            match line.trim_end().split_once(": ") {
                Some((name, value)) if !name.is_empty() => {
                    _ = fields.insert(name.to_owned(), value.to_owned());
                }
                _ if fields.contains_key("event") => break,
                _ => {}
            }
        }
        Event {
            name: fields["event"].clone(),
            id: fields.get("id").map(|id| id.parse().unwrap()),
            data: serde_json::from_str(&fields["data"]).unwrap(),
        }
    }
}

#[test]
fn first_what_there_is_then_what_changes() {
    let mut world = World::with_story();
    let mut stream = Stream::open(&world, "/v1/events", "");
    let keys = stream.next();
    assert_eq!((keys.name.as_str(), keys.id), ("keys", None));
    assert_eq!(keys.data["sessions"], serde_json::json!(["claude-code/s1", "claude-code/s2"]));
    let (one, two) = (stream.next(), stream.next());
    assert_eq!((one.name.as_str(), one.session(), one.id), ("session", "s1", Some(world.pos("s1").0)));
    assert_eq!((two.session(), two.id), ("s2", Some(world.pos("s2").0)));
    assert_eq!(one.data, world.get("/v1/sessions").json()["sessions"][0]);

    world.prompt("s1", "and now the till");
    let changed = stream.next();
    assert_eq!((changed.session(), &changed.data["status"]), ("s1", &Value::from("working")));
    assert_eq!(changed.id, Some(world.pos("s1").0));

    world.prompt("s3", "something else");
    assert_eq!(stream.next().session(), "s3");
    world.forget("s2");
    let gone = stream.next();
    assert_eq!(
        (gone.name.as_str(), gone.session(), &gone.data["client"]),
        ("gone", "s2", &Value::from("claude-code"))
    );
}

#[test]
fn who_was_away_hears_what_it_missed() {
    let mut world = World::with_story();
    let mut stream = Stream::open(&world, "/v1/events", "");
    stream.next();
    let last = [stream.next(), stream.next()].iter().filter_map(|event| event.id).max().unwrap();
    drop(stream);
    world.prompt("s1", "and now the till");
    for (path, headers) in [
        ("/v1/events".to_owned(), format!("Last-Event-ID: {last}\r\n")),
        (format!("/v1/events?after={last}"), String::new()),
    ] {
        let mut stream = Stream::open(&world, &path, &headers);
        assert_eq!(stream.next().name, "keys");
        assert_eq!(stream.next().session(), "s1", "and not s2, which has not changed");
        world.prompt("s3", "something else");
        assert_eq!(stream.next().session(), "s3");
        world.forget("s3");
    }
}

/// A damaged store was put aside, and its places are counted anew.
#[test]
fn an_id_of_another_log_counts_for_nothing() {
    let world = World::with_story();
    let mut stream = Stream::open(&world, "/v1/events", "Last-Event-ID: 999999\r\n");
    assert_eq!(stream.next().name, "keys");
    assert_eq!([stream.next().session(), stream.next().session()], ["s1", "s2"]);
}

/// Who breaks off between two that one commit has touched must be told of the second.
#[test]
fn of_one_commit_only_the_last_gives_the_id() {
    let mut world = World::with_story();
    world.same_pos(["s1", "s2"]);
    let mut stream = Stream::open(&world, "/v1/events", "");
    stream.next();
    assert_eq!([stream.next().id, stream.next().id], [None, Some(world.pos("s2").0)]);
}

#[test]
fn what_ended_long_ago_is_told_on_request() {
    let mut world = World::with_story();
    world.say(r#"{"session_id":"s1","hook_event_name":"SessionEnd","reason":"prompt_input_exit"}"#, None);
    world.pass(Millis::minutes(61));
    let mut stream = Stream::open(&world, "/v1/events", "");
    assert_eq!(stream.next().data["sessions"].as_array().unwrap().len(), 2);
    assert_eq!(stream.next().session(), "s2");
    let mut all = Stream::open(&world, "/v1/events?all=true", "");
    all.next();
    assert_eq!([all.next().session(), all.next().session()], ["s2", "s1"]);
}
