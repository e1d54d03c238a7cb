//! Files that are left alone: which, and where the program says the reason is.

use wakeful_core::ids::Client;
use wakeful_engine::install::InstallError;

use crate::machine::Machine;

/// Client, bytes, line, column, a part of the reason.
const REFUSED: [(Client, &[u8], usize, usize, &str); 24] = [
    (Client::ClaudeCode, b"{", 1, 1, "object"),
    (Client::ClaudeCode, b"{\n  \"a\": 1\n", 1, 1, "object"),
    (Client::ClaudeCode, b"{\n  \"a\" 1\n}", 2, 7, "colon"),
    (Client::ClaudeCode, b"{\n  \"a\": 1\n  \"b\": 2\n}", 2, 9, "omma"),
    (Client::ClaudeCode, b"{\n  'a': 1\n}", 2, 3, "ingle-quoted"),
    (Client::ClaudeCode, b"{\n  a: 1\n}", 2, 3, "roperty"),
    (Client::ClaudeCode, b"{\"a\": \"open}", 1, 7, "nterminated"),
    (Client::ClaudeCode, b"{} /* open", 1, 4, "nterminated"),
    (Client::ClaudeCode, b"{} {}", 1, 4, "more than one"),
    (Client::ClaudeCode, b"\xef\xbb\xbf{\n \xff}", 2, 2, "UTF-8"),
    (Client::ClaudeCode, b"[]", 1, 1, "the file is a list"),
    (Client::ClaudeCode, b"\n null", 2, 2, "the file is null"),
    (Client::ClaudeCode, b"{\n\t\"hooks\": []\n}", 2, 11, "`hooks` is a list"),
    (Client::ClaudeCode, b"{\"\xc3\xa9\": 1, \"hooks\": \"off\"}", 1, 19, "`hooks` is a text"),
    (Client::ClaudeCode, b"{\"hooks\": null}", 1, 11, "`hooks` is null"),
    (Client::ClaudeCode, b"{\"hooks\": {\r\n\"Stop\": {}}}", 2, 9, "`Stop` is an object"),
    (Client::Codex, b"{\"hooks\": {\"Stop\": [7]}}", 1, 21, "an entry of `Stop` is a number"),
    (Client::Codex, b"{\"hooks\": {\"Stop\": [{\"matcher\": \"\"}]}}", 1, 21, "without `hooks`"),
    (Client::Codex, b"{\"hooks\": {\"Stop\": [{\"hooks\": {}}]}}", 1, 31, "is an object"),
    (Client::Codex, b"{\"hooks\": {\"Stop\": [{\"hooks\": [true]}]}}", 1, 32, "is a truth value"),
    (Client::Cursor, b"{\"version\": 2, \"hooks\": {}}", 1, 13, "`version` is a number; expected 1"),
    (Client::Cursor, b"{\"version\": \"1\"}", 1, 13, "`version` is a text"),
    (Client::Cursor, b"{\"hooks\": {\"stop\": [\"x\"]}}", 1, 21, "an entry of `stop` is a text"),
    (Client::Cursor, b"{\"hooks\": {\"stop\": true}}", 1, 20, "`stop` is a truth value"),
];

#[test]
fn what_is_not_understood_is_left_alone_in_24_files() {
    for (client, bytes, line, column, why) in REFUSED {
        let text = String::from_utf8_lossy(bytes);
        let machine = Machine::with_settings(client, bytes);
        let error = machine.set_up(client).expect_err(&text);
        let InstallError::Refused { refusal, .. } = &error else { panic!("{text}: {error}") };
        assert_eq!((refusal.line, refusal.column), (line, column), "{text}: {refusal}");
        assert!(refusal.why.contains(why), "{text}: {refusal}");
        assert!(!error.is_conflict());
        assert_eq!(machine.read(client), bytes);
        assert!(!machine.state().path().exists(), "{text}: something was kept");
    }
}

#[test]
fn nesting_without_end_is_refused_not_followed() {
    for open in ["[", "{\"a\":"] {
        let bytes = open.repeat(200_000).into_bytes();
        let machine = Machine::with_settings(Client::ClaudeCode, &bytes);
        assert!(matches!(machine.set_up(Client::ClaudeCode), Err(InstallError::Refused { .. })));
        assert_eq!(machine.read(Client::ClaudeCode), bytes);
    }
}

#[test]
fn removal_leaves_what_it_does_not_understand() {
    for bytes in [b"{\"hooks\": {".as_slice(), b"[]"] {
        let machine = Machine::with_settings(Client::ClaudeCode, bytes);
        assert!(matches!(machine.take_out(Client::ClaudeCode), Err(InstallError::Refused { .. })));
        assert_eq!(machine.read(Client::ClaudeCode), bytes);
    }
    // Unknown shapes beside ours are passed over.
    let bytes = br#"{"hooks": {"Stop": 7, "Other": [1, {"hooks": {}}]}}"#;
    let machine = Machine::with_settings(Client::ClaudeCode, bytes);
    machine.take_out(Client::ClaudeCode).unwrap();
    assert_eq!(machine.read(Client::ClaudeCode), bytes);
}
