//! A topic of an ntfy server: the body as the message, title, priority and tags as headers.

use std::time::Duration;

use wakeful_core::causes::Reason;

use super::http::post;
use crate::notify::ring::{Did, Ring};
use crate::notify::text::Text;

/// Bytes of an encoded word (RFC 2047), its frame included.
const WORD: usize = 75;

/// Sends it.
pub fn ring(url: &str, ring: &Ring, text: &Text, limit: Duration) -> Did {
    // A message without text shows as "triggered": then the title is the message.
    let message = if text.body.is_empty() { &text.title } else { &text.body };
    let mut headers = vec![
        ("Content-Type", "text/plain; charset=utf-8".to_owned()),
        ("Priority", priority(ring.reason).to_owned()),
        ("Tags", tag(ring.reason).to_owned()),
    ];
    if !text.body.is_empty() {
        headers.push(("Title", header(&text.title)));
    }
    post(url, &headers, message.as_bytes(), limit)
}

/// High where an agent stands still in the middle of its work until its user answers; default where it has come to an end.
fn priority(reason: Reason) -> &'static str {
    match reason {
        Reason::Permission | Reason::Question | Reason::Plan | Reason::Elicitation | Reason::Orphaned => {
            "high"
        }
        Reason::Failed
        | Reason::Limit
        | Reason::WakeOverdue
        | Reason::WaitTimeout
        | Reason::Stalled
        | Reason::UnbackedWait
        | Reason::Done => "default",
    }
}

/// The short code of a picture that ntfy shows before the title.
fn tag(reason: Reason) -> &'static str {
    match reason {
        Reason::Permission => "key",
        Reason::Question | Reason::Elicitation => "question",
        Reason::Plan => "clipboard",
        Reason::Failed | Reason::Orphaned => "x",
        Reason::Limit => "no_entry",
        Reason::WakeOverdue | Reason::WaitTimeout | Reason::UnbackedWait => "hourglass",
        Reason::Stalled => "warning",
        Reason::Done => "white_check_mark",
    }
}

/// A text as the value of a header: as it is if it is ASCII, else in encoded words (RFC 2047), which ntfy reads.
fn header(text: &str) -> String {
    if text.is_ascii() && !text.contains("=?") {
        return text.to_owned();
    }
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let mut bytes = [0; 4];
        let encoded: String = c.encode_utf8(&mut bytes).bytes().map(quoted).collect();
        // A character must not be split over two words.
        if word.len() + encoded.len() > WORD - "=?UTF-8?Q??=".len() {
            words.push(std::mem::take(&mut word));
        }
        word.push_str(&encoded);
    }
    words.push(word);
    words.iter().map(|word| format!("=?UTF-8?Q?{word}?=")).collect::<Vec<_>>().join(" ")
}

fn quoted(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("={byte:02X}") }
}

#[cfg(test)]
mod tests {
    use super::header;

    #[test]
    fn titles_that_are_not_ascii() {
        assert_eq!(header("shop: is done"), "shop: is done");
        assert_eq!(header("Käse: is done"), "=?UTF-8?Q?K=C3=A4se=3A=20is=20done?=");
        let long = header(&"é".repeat(40));
        assert!(long.split(' ').all(|word| word.len() <= 75 && word.ends_with("?=")), "{long}");
        assert_eq!(long.matches("=C3=A9").count(), 40);
    }
}
