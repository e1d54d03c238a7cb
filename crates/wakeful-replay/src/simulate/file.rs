//! The format of scenario files, version 1: one JSON object a line, `docs/scenarios.md` describes it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use wakeful_core::ids::Client;

use super::expect::Expectation;

/// One scenario.
#[derive(Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub about: String,
    /// Its client.
    pub client: Client,
    /// The instant of `at` 0, milliseconds since the Unix epoch.
    pub start_ms: i64,
    /// The rows, in file order.
    pub rows: Vec<Row>,
}

/// One row.
#[derive(Debug)]
pub struct Row {
    /// Line in the file, from 1.
    pub line: usize,
    /// Milliseconds since the start.
    pub at_ms: u64,
    /// What happens.
    pub kind: RowKind,
}

/// What a row says.
#[derive(Debug)]
pub enum RowKind {
    /// Settings from here on.
    Settings(BTreeMap<String, Value>),
    /// What a client writes to the hook's standard input.
    Payload {
        /// The client.
        client: Client,
        /// The payload, byte for byte.
        payload: Box<RawValue>,
        /// The event's name, where the payload has none.
        event: Option<String>,
    },
    /// A line that the client appends to its transcript.
    Transcript {
        /// The session.
        session: String,
        /// The line, byte for byte.
        line: Box<RawValue>,
    },
    /// A call of Wakeful's MCP tool by the agent.
    Mcp(McpCall),
    /// The client's process ends.
    Process(ProcessRow),
    /// The user acts.
    Act(ActRow),
    /// Wakeful is killed and comes back after so many milliseconds.
    Daemon(u64),
    /// The wall clock is stepped by so many milliseconds.
    Clock(i64),
    /// The host sleeps for so many milliseconds.
    Sleep(u64),
    /// The view is compared.
    Expect(Expectation),
}

/// A call of Wakeful's MCP tools.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpCall {
    /// The calling session.
    pub session: String,
    /// The tool.
    pub tool: String,
    /// Its input.
    pub input: Value,
}

/// The end of a client's process.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessRow {
    /// The session that it served.
    pub session: String,
    /// Always `exit`.
    pub event: String,
    /// `killed`, `crash` or `user`.
    pub cause: String,
}

/// What the user does.
#[derive(Debug)]
pub struct ActRow {
    /// The session, or a unique prefix of its id.
    pub session: String,
    /// The action's name.
    pub act: String,
    /// Minutes of a snooze.
    pub minutes: Option<u32>,
    /// The task of `stop_waiting`.
    pub task: Option<String>,
    /// The text of a reply.
    pub text: Option<String>,
}

/// Why a scenario file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct FileError {
    /// Line, from 1.
    pub line: usize,
    /// Why.
    pub why: String,
}

#[derive(Deserialize)]
struct HeadLine {
    scenario: String,
    about: String,
    client: String,
    start: Option<String>,
    version: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    at: f64,
    settings: Option<BTreeMap<String, Value>>,
    client: Option<String>,
    payload: Option<Box<RawValue>>,
    event: Option<String>,
    transcript: Option<TranscriptRow>,
    mcp: Option<McpCall>,
    process: Option<ProcessRow>,
    act: Option<String>,
    session: Option<String>,
    minutes: Option<u32>,
    task: Option<String>,
    text: Option<String>,
    daemon: Option<String>,
    down_s: Option<f64>,
    clock: Option<ClockRow>,
    host: Option<HostRow>,
    expect: Option<Expectation>,
}

#[derive(Deserialize)]
struct TranscriptRow {
    session: String,
    line: Box<RawValue>,
}

#[derive(Deserialize)]
struct ClockRow {
    jump_s: f64,
}

#[derive(Deserialize)]
struct HostRow {
    sleep_s: f64,
}

/// The format's version.
const VERSION: u32 = 1;
/// Where `start` is missing.
const DEFAULT_START: &str = "2027-01-04T09:00:00Z";

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// The first line that is not of the format.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(at, line)| (at + 1, line))
            .filter(|(_, line)| !line.trim().is_empty());
        let (_, head) =
            lines.next().ok_or_else(|| FileError { line: 1, why: "the file is empty".to_owned() })?;
        let wrong = |line: usize| move |why: String| FileError { line, why };
        let head: HeadLine = serde_json::from_str(head).map_err(|e| wrong(1)(e.to_string()))?;
        if let Some(version) = head.version.filter(|version| *version != VERSION) {
            return Err(wrong(1)(format!("version {version} of the format; this program reads {VERSION}")));
        }
        let client = Client::from_name(&head.client)
            .ok_or_else(|| wrong(1)(format!("no client `{}`", head.client)))?;
        let start: jiff::Timestamp = head
            .start
            .as_deref()
            .unwrap_or(DEFAULT_START)
            .parse()
            .map_err(|e: jiff::Error| wrong(1)(e.to_string()))?;
        let mut rows: Vec<Row> = Vec::new();
        for (number, line) in lines {
            let line: Line = serde_json::from_str(line).map_err(|e| wrong(number)(e.to_string()))?;
            let row = row(number, line).map_err(wrong(number))?;
            if rows.last().is_some_and(|before| before.at_ms > row.at_ms) {
                return Err(wrong(number)("time goes back".to_owned()));
            }
            rows.push(row);
        }
        Ok(Self { name: head.scenario, about: head.about, client, start_ms: start.as_millisecond(), rows })
    }
}

fn row(number: usize, line: Line) -> Result<Row, String> {
    let at_ms = millis(line.at).filter(|ms| *ms >= 0).ok_or("`at` is not a time")?.unsigned_abs();
    let kind = if let Some(settings) = line.settings {
        RowKind::Settings(settings)
    } else if let Some(payload) = line.payload {
        let name = line.client.ok_or("a payload needs its client")?;
        let client = Client::from_name(&name).ok_or_else(|| format!("no client `{name}`"))?;
        RowKind::Payload { client, payload, event: line.event }
    } else if let Some(row) = line.transcript {
        RowKind::Transcript { session: row.session, line: row.line }
    } else if let Some(call) = line.mcp {
        RowKind::Mcp(call)
    } else if let Some(process) = line.process {
        RowKind::Process(process)
    } else if let Some(act) = line.act {
        let session = line.session.ok_or("an action needs its session")?;
        RowKind::Act(ActRow { session, act, minutes: line.minutes, task: line.task, text: line.text })
    } else if let Some(what) = line.daemon {
        let down = millis(line.down_s.unwrap_or_default()).filter(|ms| *ms >= 0);
        match down {
            Some(down) if what == "restart" => RowKind::Daemon(down.unsigned_abs()),
            _ => return Err("the daemon can only `restart`, after `down_s` seconds".to_owned()),
        }
    } else if let Some(clock) = line.clock {
        RowKind::Clock(millis(clock.jump_s).ok_or("`jump_s` is not a time")?)
    } else if let Some(host) = line.host {
        RowKind::Sleep(
            millis(host.sleep_s).filter(|ms| *ms >= 0).ok_or("`sleep_s` is not a time")?.unsigned_abs(),
        )
    } else if let Some(expect) = line.expect {
        RowKind::Expect(expect)
    } else {
        return Err("the row says nothing".to_owned());
    };
    Ok(Row { line: number, at_ms, kind })
}

/// Seconds as written, in milliseconds.
fn millis(seconds: f64) -> Option<i64> {
    let ms = (seconds * 1000.0).round();
    #[expect(clippy::cast_possible_truncation, reason = "bounded on the line above")]
    (ms.is_finite() && ms.abs() < 1e15).then_some(ms as i64)
}
