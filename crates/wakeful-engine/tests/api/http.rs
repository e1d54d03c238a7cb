//! Requests as bytes.

use std::io::{Read, Write};
use std::time::Duration;

use serde_json::Value;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// No answer takes so long on the busiest machine.
pub const LONG: Duration = Duration::from_secs(30);

/// Sends these bytes and reads to the end; `None`: it was closed without a word.
pub fn send(stream: &mut (impl Read + Write), request: &[u8]) -> Option<Answer> {
    let _ = stream.write_all(request); // who refuses may have closed already
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer); // nor need it have read all
    if answer.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(Answer { status, head: head.to_owned(), body: body.to_owned() })
}

/// A request with these header lines.
pub fn request(method: &str, path: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    for header in headers {
        text += &format!("{header}\r\n");
    }
    if !body.is_empty() {
        text += &format!("Content-Length: {}\r\n", body.len());
    }
    text += &format!("\r\n{body}");
    text.into_bytes()
}
