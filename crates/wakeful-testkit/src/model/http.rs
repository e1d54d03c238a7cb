//! As much of HTTP/1.1 as two clients speak with a model: one request a connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request. Its headers say nothing that a test needs.
pub(super) struct Request {
    pub(super) method: String,
    /// Without the query.
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// An answer.
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: String,
}

impl Response {
    pub(super) fn json(status: u16, body: &serde_json::Value) -> Self {
        Self { status, kind: "application/json", body: body.to_string() }
    }

    /// Server-sent events: name and data.
    pub(super) fn events<'a>(events: impl IntoIterator<Item = &'a serde_json::Value>) -> Self {
        let line = |event: &serde_json::Value| {
            let name = event["type"].as_str().unwrap_or_default();
            format!("event: {name}\ndata: {event}\n\n")
        };
        Self { status: 200, kind: "text/event-stream", body: events.into_iter().map(line).collect() }
    }
}

/// Reads one request; `None` when the client said nothing.
pub(super) fn read(stream: &TcpStream) -> io::Result<Option<Request>> {
    /// Both clients send fewer; more is an error, not a loss.
    const HEADERS: usize = 100;
    let mut reader = BufReader::new(stream);
    let head = read_head(&mut reader)?;
    if head.is_empty() {
        return Ok(None);
    }
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    parsed.parse(&head).map_err(io::Error::other)?;
    let header = |name: &str| {
        let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.and_then(|header| std::str::from_utf8(header.value).ok())
    };
    let length = header("content-length").and_then(|length| length.trim().parse().ok());
    let chunked = header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    let mut body = Vec::new();
    match length {
        Some(length) => drop(reader.take(length).read_to_end(&mut body)?),
        None if chunked => read_chunks(&mut reader, &mut body)?,
        None => {}
    }
    let path = parsed.path.unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
    Ok(Some(Request { method: parsed.method.unwrap_or_default().to_owned(), path, body }))
}

fn read_head(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while reader.read_until(b'\n', &mut head)? > 0 && !head.ends_with(b"\r\n\r\n") {}
    Ok(head)
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = line.trim().split(';').next().unwrap_or_default();
        let size = u64::from_str_radix(size, 16).map_err(io::Error::other)?;
        reader.by_ref().take(size).read_to_end(body)?;
        reader.read_line(&mut line)?;
        if size == 0 {
            return Ok(());
        }
    }
}

/// Writes the answer and closes.
pub(super) fn write(mut stream: &TcpStream, response: &Response) -> io::Result<()> {
    let Response { status, kind, body } = response;
    let length = body.len();
    // A scripted failure is meant; a client that tries it again only costs time.
    let head = format!(
        "HTTP/1.1 {status} scripted\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nx-should-retry: false\r\n\
         connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}
