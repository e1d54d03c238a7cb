//! Cuts a payload to what is kept of it (C1): tool responses to what is used plus 4 KB, everything else at generous limits.
//!
//! Works on a stream of bytes, so that a payload of a hundred megabytes is never held. It checks nothing: what comes in as one
//! JSON object goes out as one, and whoever keeps it checks that.

/// What is kept of a tool response beside its short fields (C1).
const RESPONSE: usize = 4 * 1024;
/// Strings of a response that are always kept: ids, states and times are shorter, output is not.
const RESPONSE_STRING: usize = 256;
/// After this much of a response its own fields end too; the ones that are used come long before.
const RESPONSE_MOST: usize = 64 * 1024;
/// A string inside of an input or a list. The client itself cuts those of its lists at 1000 characters; longer commands carry
/// files.
const STRING: usize = 16 * 1024;
/// After this much of a tool's input the rest of its fields and rows is dropped.
const INPUT_MOST: usize = 256 * 1024;
/// A string of the payload itself: a prompt, a last message.
const TEXT: usize = 1024 * 1024;
/// What is longer than this after all cuts is no payload of an agent client; nothing is kept of it.
const MOST: usize = 2 * 1024 * 1024;
/// Stands where something was cut.
const ELLIPSIS: &[u8] = "…".as_bytes();

/// Part of the payload that the bytes belong to, by the field of the payload itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// What a tool gave back.
    Response,
    /// What a tool was given.
    Input,
    /// Anything else.
    Other,
}

/// The names that clients give to these parts.
fn part(field: &[u8]) -> Part {
    match field {
        b"tool_response" | b"tool_output" | b"tool_calls" | b"toolResult" | b"output" | b"result_json" => {
            Part::Response
        }
        b"tool_input" | b"toolArgs" | b"toolInput" | b"edits" | b"attachments" | b"content" => Part::Input,
        _ => Part::Other,
    }
}

/// Where in a string the scanner is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    /// Not in an escape sequence.
    No,
    /// After the backslash.
    Begun,
    /// So many hexadecimal digits are left.
    Hex(u8),
}

/// A string under way.
#[derive(Debug, Clone, Copy)]
struct InString {
    escape: Escape,
    /// Bytes that may still be kept.
    left: usize,
    cut: bool,
    /// It is the name of a field of the payload itself.
    field: bool,
}

/// The scanner. Feed it bytes, then [`finish`](Self::finish).
#[derive(Debug)]
pub struct Shortener {
    out: Vec<u8>,
    depth: u32,
    string: Option<InString>,
    /// The next string at the depth of the payload is a field's name.
    name_next: bool,
    name: Vec<u8>,
    part: Part,
    /// Bytes kept of this part.
    spent: usize,
    /// The rest of the container at this depth is dropped.
    dropping: Option<u32>,
    /// Two words of a damaged payload must not become one: everything else goes without blanks, on one line.
    blank: bool,
    /// More than [`MOST`] would have to be kept.
    overflow: bool,
}

impl Default for Shortener {
    fn default() -> Self {
        Self {
            out: Vec::new(),
            depth: 0,
            string: None,
            name_next: false,
            name: Vec::new(),
            part: Part::Other,
            spent: 0,
            dropping: None,
            blank: false,
            overflow: false,
        }
    }
}

impl Shortener {
    /// Takes the next bytes of the payload.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            let plain = self.plain(rest);
            if plain > 0 {
                rest = &rest[plain..];
                continue;
            }
            rest = &rest[1..];
            match self.string {
                Some(string) => self.in_string(string, byte),
                None => self.outside(byte),
            }
        }
    }

    /// What is kept; `None` when the payload broke off, or too much would have to be kept.
    pub fn finish(self) -> Option<Vec<u8>> {
        (self.depth == 0 && self.string.is_none() && !self.overflow).then_some(self.out)
    }

    /// Takes as many bytes as need no thought: the middle of a string that is kept or cut. Most bytes of a payload are such.
    fn plain(&mut self, bytes: &[u8]) -> usize {
        let Some(string) = &mut self.string else { return 0 };
        if string.escape != Escape::No || string.field {
            return 0;
        }
        let room = if string.cut { bytes.len() } else { string.left.min(bytes.len()) };
        let end = memchr::memchr2(b'"', b'\\', &bytes[..room]).unwrap_or(room);
        if !string.cut {
            string.left -= end;
            self.keep(&bytes[..end]);
        }
        end
    }

    fn in_string(&mut self, mut string: InString, byte: u8) {
        if byte == b'"' && string.escape == Escape::No {
            self.string = None;
            self.keep(b"\"");
            if string.field {
                self.part = part(&self.name);
                self.spent = 0;
            }
            return;
        }
        let boundary = string.escape == Escape::No && byte & 0xc0 != 0x80;
        if boundary && string.left == 0 && !string.cut {
            string.cut = true;
            self.keep(ELLIPSIS);
        }
        string.escape = match (string.escape, byte) {
            (Escape::No, b'\\') => Escape::Begun,
            (Escape::Begun, b'u') => Escape::Hex(4),
            (Escape::Hex(left), _) if left > 1 => Escape::Hex(left - 1),
            _ => Escape::No,
        };
        if !string.cut {
            string.left = string.left.saturating_sub(1);
            self.keep(&[byte]);
            if string.field && self.name.len() < 32 {
                self.name.push(byte);
            }
        }
        self.string = Some(string);
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b'"' => {
                let field = self.depth == 1 && std::mem::take(&mut self.name_next);
                if field {
                    self.name.clear();
                }
                self.string =
                    Some(InString { escape: Escape::No, left: self.limit(field), cut: false, field });
                self.keep(b"\"");
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.name_next = self.depth == 1 && byte == b'{';
                self.keep(&[byte]);
            }
            b'}' | b']' => {
                if self.dropping == Some(self.depth) {
                    self.dropping = None;
                }
                self.depth = self.depth.saturating_sub(1);
                self.keep(&[byte]);
            }
            b',' => {
                if self.depth == 1 {
                    self.name_next = true;
                    self.part = Part::Other;
                } else if self.dropping.is_none() && self.is_enough() {
                    self.dropping = Some(self.depth);
                }
                self.keep(b",");
            }
            b' ' | b'\t' | b'\r' | b'\n' => {
                self.blank = self.out.last().is_some_and(u8::is_ascii_alphanumeric);
            }
            _ => {
                if std::mem::take(&mut self.blank) && byte.is_ascii_alphanumeric() {
                    self.keep(b" ");
                }
                self.keep(&[byte]);
            }
        }
    }

    fn limit(&self, field: bool) -> usize {
        match self.part {
            _ if field => TEXT,
            Part::Response => RESPONSE.saturating_sub(self.spent).max(RESPONSE_STRING),
            Part::Input => STRING,
            Part::Other if self.depth <= 1 => TEXT,
            Part::Other => STRING,
        }
    }

    /// Has enough been kept of this part, so that the container ends here? Lists of tasks never end early: a shortened list
    /// would prove an end that never was.
    fn is_enough(&self) -> bool {
        let most = match (self.part, self.depth) {
            (Part::Other, _) => return false,
            (Part::Input, _) => INPUT_MOST,
            (Part::Response, 2) => RESPONSE_MOST,
            (Part::Response, _) => RESPONSE,
        };
        self.spent > most
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.dropping.is_some() || self.overflow {
            return;
        }
        if self.out.len() + bytes.len() > MOST {
            self.overflow = true;
            self.out = Vec::new();
            return;
        }
        self.spent += bytes.len();
        self.out.extend_from_slice(bytes);
    }
}

/// Shortens a payload that is already here.
pub fn shorten(payload: &[u8]) -> Option<Vec<u8>> {
    let mut shortener = Shortener::default();
    shortener.out.reserve(payload.len().min(STRING));
    shortener.feed(payload);
    shortener.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn kept(payload: &Value) -> Value {
        serde_json::from_slice(&shorten(payload.to_string().as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn what_is_short_stays_as_it_is_on_one_line() {
        let payload = json!({"hook_event_name": "Stop", "n": [1, -2.5e3, true, null], "text": "a \"b\" \\ \u{1f600}\n", "o": {}});
        let pretty = serde_json::to_string_pretty(&payload).unwrap();
        let kept = shorten(pretty.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(kept).unwrap(), payload.to_string());
    }

    #[test]
    fn a_response_keeps_its_short_fields_after_long_output() {
        let (stdout, stderr, rows) = ("x".repeat(100_000), "y".repeat(9000), "\"z\",".repeat(10_000));
        let payload = format!(
            r#"{{"tool_name":"Bash","tool_response":{{"stdout":"{stdout}","stderr":"{stderr}","rows":[{rows}1],
            "backgroundTaskId":"b7","timedOutAfterMs":120000}},"tool_use_id":"t1","after":"{stderr}"}}"#
        );
        let kept: Value = serde_json::from_slice(&shorten(payload.as_bytes()).unwrap()).unwrap();
        let response = &kept["tool_response"];
        let length = |text: &Value| text.as_str().unwrap().trim_end_matches('…').len();
        assert!((RESPONSE - 20..=RESPONSE).contains(&length(&response["stdout"])));
        assert_eq!(length(&response["stderr"]), RESPONSE_STRING);
        assert!(response["rows"].as_array().unwrap().len() < 10);
        assert_eq!(
            (&response["backgroundTaskId"], &response["timedOutAfterMs"]),
            (&json!("b7"), &json!(120_000))
        );
        assert_eq!((&kept["tool_use_id"], length(&kept["after"])), (&json!("t1"), 9000));
    }

    #[test]
    fn a_response_that_is_one_string_or_one_list() {
        let long = "x".repeat(50_000);
        let length = kept(&json!({"tool_response": long}))["tool_response"].as_str().unwrap().len();
        assert!((RESPONSE - 8..=RESPONSE + ELLIPSIS.len()).contains(&length), "{length}");
        let list = kept(
            &json!({"tool_response": vec![json!({"type": "text", "text": long}); 5000], "tool_use_id": "t1"}),
        );
        assert_eq!(list["tool_use_id"], "t1");
        assert!(list.to_string().len() < RESPONSE_MOST + 2 * RESPONSE, "{}", list.to_string().len());
    }

    #[test]
    fn a_list_of_tasks_is_never_shortened() {
        let rows: Vec<Value> =
            (0..3000).map(|n| json!({"id": format!("b{n}"), "description": "d".repeat(100)})).collect();
        let payload = json!({"hook_event_name": "Stop", "background_tasks": rows});
        assert_eq!(kept(&payload), payload);
    }

    #[test]
    fn a_hundred_megabytes_are_never_held() {
        let mut shortener = Shortener::default();
        shortener.feed(br#"{"tool_response":{"stdout":""#);
        let chunk = [b'x'; 64 * 1024];
        for _ in 0..1600 {
            shortener.feed(&chunk);
            assert!(shortener.out.capacity() <= 4 * RESPONSE, "{}", shortener.out.capacity());
        }
        shortener.feed(br#"","backgroundTaskId":"b7"},"tool_use_id":"t1"}"#);
        let kept: Value = serde_json::from_slice(&shortener.finish().unwrap()).unwrap();
        assert_eq!(
            (&kept["tool_response"]["backgroundTaskId"], &kept["tool_use_id"]),
            (&json!("b7"), &json!("t1"))
        );
    }

    #[test]
    fn what_breaks_off_or_never_ends_is_not_kept() {
        for broken in ["{", "{\"a", "{\"a\":\"b\\", "[1,{}"] {
            assert_eq!(shorten(broken.as_bytes()), None, "{broken}");
        }
        let list = format!("{{\"a\":[{}1]}}", "1,".repeat(MOST));
        assert_eq!(shorten(list.as_bytes()), None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let text = prop_oneof![".{0,20}", "[x\"\\\\é…😀]{0,40}", Just("long ".repeat(900))];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text.prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let name = prop_oneof![
                Just("tool_response".to_owned()),
                Just("tool_input".to_owned()),
                "[a-z\"\\\\]{0,5}"
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((name, inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn json_stays_json_however_it_arrives(value in any_json(), size in 1_usize..40) {
            let text = json!({"tool_response": value, "tool_input": value, "rest": value, "end": "last"}).to_string();
            let whole = shorten(text.as_bytes()).unwrap();
            let mut shortener = Shortener::default();
            text.as_bytes().chunks(size).for_each(|chunk| shortener.feed(chunk));
            prop_assert_eq!(shortener.finish().unwrap(), whole.clone());
            let kept: Value = serde_json::from_slice(&whole).unwrap();
            prop_assert_eq!(&kept["end"], "last");
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            shorten(&bytes);
        }
    }
}
