//! Every body in every layout, for every client.

use wakeful_core::ids::Client;

use crate::bodies::{BODIES, Body, text};
use crate::machine::{Machine, PROGRAM};
use crate::oracle;

const CLIENTS: [Client; 3] = [Client::ClaudeCode, Client::Codex, Client::Cursor];

/// How a text is laid out.
struct Layout {
    name: &'static str,
    lay: fn(&str) -> String,
}

const LAYOUTS: [Layout; 6] = [
    Layout { name: "plain", lay: str::to_owned },
    Layout { name: "CRLF", lay: |text| text.replace('\n', "\r\n") },
    Layout { name: "BOM", lay: |text| format!("\u{feff}{text}") },
    Layout { name: "tabs", lay: |text| text.replace("  ", "\t") },
    Layout { name: "no line end at the end", lay: |text| text.trim_end().to_owned() },
    Layout {
        name: "BOM, CRLF, four spaces, no line end at the end",
        lay: |text| format!("\u{feff}{}", text.trim_end().replace("  ", "    ").replace('\n', "\r\n")),
    },
];

fn cases() -> impl Iterator<Item = (Client, &'static Body, String, Vec<u8>)> {
    CLIENTS.into_iter().flat_map(|client| {
        BODIES.iter().flat_map(move |body| {
            LAYOUTS.iter().map(move |layout| {
                let name = format!("{client}, {}, {}", body.name, layout.name);
                (client, body, name, (layout.lay)(&text(body, client)).into_bytes())
            })
        })
    })
}

/// Runs `check` on each case and says which one fails.
fn each(check: impl Fn(Client, &Body, &[u8]) + std::panic::RefUnwindSafe) -> usize {
    let mut count = 0;
    for (client, body, name, bytes) in cases() {
        let run = std::panic::catch_unwind(|| check(client, body, &bytes));
        assert!(run.is_ok(), "{name}:\n{}", String::from_utf8_lossy(&bytes));
        count += 1;
    }
    count
}

#[test]
fn set_up_loses_nothing_and_removal_gives_the_bytes_back_in_468_files() {
    let count = each(|client, body, bytes| {
        let machine = Machine::with_settings(client, bytes);
        let found = machine.found(client);
        machine.set_up(client).unwrap();
        let done = machine.read(client);
        if body.ours {
            oracle::check_meaning(bytes, &done, &found);
        } else {
            oracle::check_set_up(bytes, &done, &found, PROGRAM);
        }
        let again = machine.plan(client).unwrap();
        assert!(!again.is_needed(), "not idempotent:\n{}", again.diff());
        machine.take_out(client).unwrap();
        let back = machine.read(client);
        if body.ours {
            let (back, before) = (oracle::read(&back).unwrap(), oracle::read(bytes).unwrap());
            assert!(oracle::ours(&back).is_empty());
            assert_eq!(back.foreign(), before.foreign());
        } else {
            assert_eq!(String::from_utf8(back).unwrap(), String::from_utf8(bytes.to_vec()).unwrap());
        }
    });
    assert_eq!(count, 468);
}

#[test]
fn a_later_edit_by_someone_else_stays_and_all_else_is_as_before_in_468_files() {
    let count = each(|client, body, bytes| {
        let machine = Machine::with_settings(client, bytes);
        machine.set_up(client).unwrap();
        let edited = [machine.read(client), b"\n/* later */".to_vec()].concat();
        machine.write(client, &edited);
        machine.take_out(client).unwrap();
        let back = machine.read(client);
        if body.ours {
            let (back, before) = (oracle::read(&back), oracle::read(bytes).unwrap());
            assert_eq!(back.unwrap().foreign(), before.foreign());
        } else {
            let expected = [bytes, b"\n/* later */".as_slice()].concat();
            // Set-up ends a file that it fills with a line end, and a line end is what the edit began with.
            let same = back == expected || (bytes.is_empty() && back == b"/* later */");
            assert!(same, "{:?}", String::from_utf8_lossy(&back));
        }
    });
    assert_eq!(count, 468);
}

#[test]
fn removal_without_a_record_takes_ours_and_nothing_else_in_468_files() {
    let count = each(|client, _, bytes| {
        let machine = Machine::with_settings(client, bytes);
        machine.set_up(client).unwrap();
        machine.lose_state();
        machine.take_out(client).unwrap();
        let back = machine.read(client);
        let nothing = oracle::Json::Object(Vec::new());
        let (back, before) =
            (oracle::read(&back).unwrap_or(nothing.clone()), oracle::read(bytes).unwrap_or(nothing));
        assert!(oracle::ours(&back).is_empty());
        assert_eq!(back.foreign(), before.foreign());
    });
    assert_eq!(count, 468);
}
