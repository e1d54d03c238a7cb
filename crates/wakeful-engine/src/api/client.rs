//! A small client of the API for commands: blocking, over the Unix socket, one connection a request.

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wakeful_core::event::UserAction;
use wakeful_core::ids::SessionKey;

use super::Problem;
use crate::daemon::connect_at_once;
use crate::engine::Outcome;
use crate::store::Pos;

/// A daemon that says nothing for so long is not well; nobody waits longer for a list.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes of an answer. A thousand sessions make a megabyte or two.
const LONGEST: u64 = 64 * 1024 * 1024;
/// Headers of an answer: ours have about ten.
const MOST_HEADERS: usize = 64;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens there.
    #[error("no daemon runs")]
    NoDaemon,
    /// The socket, or whoever listens there, lets this process not in.
    #[error("the daemon refuses: {0}")]
    Refused(String),
    /// The daemon has said nothing, or not all, in time.
    #[error("the daemon did not answer within {} s", PATIENCE.as_secs())]
    TimedOut,
    /// It says no.
    #[error("{}: {}", .0.what, .0.why)]
    Problem(Box<Problem>),
    /// It says what this program cannot read: it is of another version.
    #[error("the daemon's answer cannot be read: {0}")]
    Unreadable(String),
    /// The connection broke off.
    #[error("the connection to the daemon: {0}")]
    Io(#[source] std::io::Error),
}

impl From<std::io::Error> for ClientError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Self::TimedOut,
            _ => Self::Io(error),
        }
    }
}

/// How the daemon is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Health {
    /// Version of its program.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// The end of the log.
    pub pos: Pos,
    /// What is wrong, for people.
    pub problems: Vec<String>,
}

/// A way to the daemon.
#[derive(Debug, Clone)]
pub struct Client {
    socket: PathBuf,
}

impl Client {
    /// To the daemon that listens on this socket.
    ///
    /// # Errors
    /// [`ClientError::NoDaemon`] where nobody does, [`ClientError::Refused`] where this process may not.
    pub fn connect(socket: impl Into<PathBuf>) -> Result<Self, ClientError> {
        let socket = socket.into();
        open(&socket)?;
        Ok(Self { socket })
    }

    /// How the daemon is.
    ///
    /// # Errors
    /// Without an answer.
    pub fn health(&self) -> Result<Health, ClientError> {
        self.get_json("/v1/health")
    }

    /// What there is at this path.
    ///
    /// # Errors
    /// Without an answer; [`ClientError::Problem`] where the daemon says no.
    pub fn get_json<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        parse(&self.ask("GET", path, None, None)?)
    }

    /// Acts on a session that was seen at this revision. The same key again is the same request again. A conflict and a session
    /// that is not there are outcomes, not errors.
    ///
    /// # Errors
    /// Without an answer; whether the action was done is not known then, and the same key may be tried again.
    pub fn act(
        &self,
        session: &SessionKey,
        action: &UserAction,
        seen: Pos,
        key: &str,
    ) -> Result<Outcome, ClientError> {
        let path = format!("/v1/sessions/{}/{}/actions", session.client.name(), encoded(session.id.as_str()));
        let answer = self.ask("POST", &path, Some(key), Some(&body(action, seen)));
        match answer {
            Ok(answer) => parse(&answer),
            Err(ClientError::Problem(problem)) => match problem.status {
                409 => Ok(Outcome::Conflict { why: problem.why }),
                404 => Ok(Outcome::NoSession),
                _ => Err(ClientError::Problem(problem)),
            },
            Err(error) => Err(error),
        }
    }

    fn ask(
        &self,
        method: &str,
        path: &str,
        key: Option<&str>,
        body: Option<&Value>,
    ) -> Result<Vec<u8>, ClientError> {
        let clean = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        if !clean(path) || !key.is_none_or(clean) {
            return Err(ClientError::Unreadable(format!("{path:?} is not a path")));
        }
        let body = body.map(ToString::to_string).unwrap_or_default();
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        if let Some(key) = key {
            request += &format!("Idempotency-Key: {key}\r\n");
        }
        if method != "GET" {
            request += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        request += "\r\n";
        request += &body;
        let mut stream = open(&self.socket)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(ClientError::Io)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(ClientError::Io)?;
        // One that refuses may have closed before it has read all; what it says comes first.
        let written = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let read = (&mut stream).take(LONGEST).read_to_end(&mut answer);
        if answer.is_empty() {
            written?;
            read?;
            return Err(ClientError::Refused("it closed the connection".to_owned()));
        }
        read?;
        answered(answer)
    }
}

/// Connected without waiting, not even for a daemon that has stopped taking connections.
fn open(path: &Path) -> Result<UnixStream, ClientError> {
    connect_at_once(path).map_err(|errno| match errno {
        Errno::NOENT | Errno::CONNREFUSED => ClientError::NoDaemon,
        Errno::ACCESS | Errno::PERM => ClientError::Refused(format!("{} is another user's", path.display())),
        Errno::AGAIN => ClientError::TimedOut, // its queue is full
        errno => ClientError::Io(errno.into()),
    })
}

/// The body of the answer; one that says no is an error.
fn answered(mut answer: Vec<u8>) -> Result<Vec<u8>, ClientError> {
    let unreadable = |why: &str| ClientError::Unreadable(why.to_owned());
    let (status, from, length) = {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut head = httparse::Response::new(&mut headers);
        let from = match head.parse(&answer) {
            Ok(httparse::Status::Complete(from)) => from,
            Ok(httparse::Status::Partial) => return Err(unreadable("it broke off")),
            Err(error) => return Err(ClientError::Unreadable(error.to_string())),
        };
        let length = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
        let length = length.and_then(|length| std::str::from_utf8(length.value).ok()?.parse::<usize>().ok());
        (head.code.unwrap_or_default(), from, length)
    };
    let body = answer.split_off(from);
    if length != Some(body.len()) {
        return Err(unreadable("it broke off"));
    }
    if (200..300).contains(&status) {
        return Ok(body);
    }
    match serde_json::from_slice(&body) {
        Ok(problem) => Err(ClientError::Problem(Box::new(problem))),
        Err(_) => Err(ClientError::Unreadable(format!("it has status {status}"))),
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ClientError> {
    serde_json::from_slice(body).map_err(|error| ClientError::Unreadable(error.to_string()))
}

fn body(action: &UserAction, seen: Pos) -> Value {
    let (name, field) = match action {
        UserAction::Reply { text } => ("reply", Some(("text", json!(text)))),
        UserAction::KeepWaiting => ("keep_waiting", None),
        UserAction::CheckIn => ("check_in", None),
        UserAction::Done => ("done", None),
        UserAction::Snooze { minutes } => ("snooze", Some(("minutes", json!(minutes)))),
        UserAction::StopWaiting { task } => {
            ("stop_waiting", task.as_ref().map(|task| ("task", json!(task.as_str()))))
        }
        UserAction::Stop => ("stop", None),
    };
    let mut body = json!({ "action": name, "revision": seen.0 });
    if let (Some((field, value)), Some(body)) = (field, body.as_object_mut()) {
        body.insert(field.to_owned(), value);
    }
    body
}

/// An id as a part of a path.
pub fn encoded(id: &str) -> String {
    let mut path = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => path.push(char::from(byte)),
            // A dot too: a part that is `.` or `..` means another folder to some.
            _ => path += &format!("%{byte:02X}"),
        }
    }
    path
}
