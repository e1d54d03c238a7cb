//! Writes Claude Code transcripts of a stated shape from a seed, for benchmarks: the same seed gives the same bytes.
//!
//! Shape, per session: 5 to 40 turns; a turn begins with the attachments that Claude Code 2.1.332 writes and has 1 to 12
//! tool calls: commands, reads (the result holds the file twice, as real ones do) and edits (the result holds the whole
//! file), of 0.2 to 40 kB (most small, a few large), each after a block of thinking with its signature. Every third turn
//! starts a background command that ends later and wakes the agent; one assistant line a block, with usage; bookkeeping
//! lines between them. Keys stand in the client's order.
//!
//! Usage: `generate-transcripts DIR MEGABYTES [SEED]`

use std::env;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Turn endings of every kind, in our own words.
const ENDINGS: [&str; 8] = [
    "The exporter writes both formats now, and the tests are green. Done.",
    "The soak run is going in the background; I'll pick it up when it ends.",
    "Two of the three parsers are ported. Which error type should the third one return?",
    "All call sites are renamed and the docs are rebuilt. Ready for review.",
    "Waiting for the integration suite to come back.",
    "The migration is written but not applied. Shall I run it against the copy first?",
    "Everything passes on the branch. Nothing left to do.",
    "The benchmark needs about 20 minutes. I'll compare the numbers when it has finished.",
];

const WORDS: [&str; 16] = [
    "fn", "let", "match", "error", "ok", "line", "column", "value", "test", "passed", "warning", "src",
    "module", "return", "index", "0x1f",
];

/// What the client notes at the start of a turn.
const ATTACHMENTS: [&str; 4] = ["total_tokens_reminder", "prompt_snapshot", "date", "environment"];

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let at = self.below(of.len() as u64);
        of[usize::try_from(at).unwrap_or(0)]
    }
}

struct Session<'a> {
    out: &'a mut dyn Write,
    random: &'a mut Random,
    id: String,
    /// Milliseconds since the Unix epoch.
    now: i64,
    lines: u64,
    written: u64,
}

fn main() -> io::Result<()> {
    let mut args = env::args().skip(1);
    let (Some(dir), Some(megabytes)) = (args.next(), args.next().and_then(|mb| mb.parse::<u64>().ok()))
    else {
        return Err(io::Error::other("usage: generate-transcripts DIR MEGABYTES [SEED]"));
    };
    let mut random = Random(args.next().and_then(|seed| seed.parse().ok()).unwrap_or(7));
    let mut written = 0;
    let mut number = 0;
    while written < megabytes << 20 {
        number += 1;
        written += session(Path::new(&dir), number, &mut random)?;
    }
    Ok(())
}

fn session(dir: &Path, number: u64, random: &mut Random) -> io::Result<u64> {
    let folder = dir.join("projects").join(format!("-home-dev-project-{}", number % 12));
    fs::create_dir_all(&folder)?;
    let id = format!("{:08x}-0000-4000-8000-{number:012x}", random.next() >> 32);
    let mut out = BufWriter::new(File::create(folder.join(format!("{id}.jsonl")))?);
    let turns = 5 + random.below(36);
    let now = 1_796_000_000_000 + i64::try_from(number).unwrap_or(0) * 3_600_000;
    let mut session = Session { out: &mut out, random, id, now, lines: 0, written: 0 };
    for turn in 0..turns {
        session.turn(turn)?;
    }
    let written = session.written;
    out.flush()?;
    Ok(written)
}

impl Session<'_> {
    fn turn(&mut self, turn: u64) -> io::Result<()> {
        let prompt = format!("p{turn:04}-{}", self.id);
        self.user(&prompt, "\"human\"", &format!("Next step, number {turn}: see to the {}.", WORDS[4]))?;
        for attachment in ATTACHMENTS {
            self.attachment(attachment)?;
        }
        for call in 0..=self.random.below(12) {
            self.call(&prompt, &format!("toolu_{turn}_{call}"))?;
        }
        let background = turn % 3 == 2;
        let task = format!("b{turn:04}x{}", self.lines);
        if background {
            self.background(&prompt, &task)?;
        }
        let ending = self.random.pick(&ENDINGS);
        self.assistant(&format!(r#"{{"type":"text","text":"{ending}"}}"#), "end_turn")?;
        self.quiet("turn_duration")?;
        if background {
            self.wake(turn, &task)?;
        }
        Ok(())
    }

    fn call(&mut self, prompt: &str, id: &str) -> io::Result<()> {
        let signature = self.signature();
        let thought = format!(r#"{{"type":"thinking","thinking":"","signature":"{signature}"}}"#);
        self.assistant(&thought, "tool_use")?;
        let size = match self.random.below(10) {
            0 => 20_000 + self.random.below(20_000),
            1 | 2 => 4_000 + self.random.below(6_000),
            _ => 200 + self.random.below(1_500),
        };
        let text = self.text(size);
        let word = self.random.pick(&WORDS);
        let file = format!("/home/dev/project/src/{word}.rs");
        let (name, input, said, result) = match self.random.below(7) {
            0..4 => (
                "Bash",
                format!(r#"{{"command":"grep -rn {word} src","description":"Look for {word}"}}"#),
                text.clone(),
                format!(r#"{{"stdout":"{text}","stderr":"","interrupted":false,"isImage":false}}"#),
            ),
            4 | 5 => (
                "Read",
                format!(r#"{{"file_path":"{file}"}}"#),
                text.clone(),
                format!(
                    r#"{{"type":"text","file":{{"filePath":"{file}","content":"{text}","numLines":90,"startLine":1,"totalLines":90}}}}"#
                ),
            ),
            _ => (
                "Edit",
                format!(
                    r#"{{"file_path":"{file}","old_string":"{word}","new_string":"{word}()","replace_all":false}}"#
                ),
                format!("The file {file} has been updated."),
                format!(
                    r#"{{"filePath":"{file}","oldString":"{word}","newString":"{word}()","originalFile":"{text}","structuredPatch":[{{"oldStart":7,"oldLines":1,"newStart":7,"newLines":1,"lines":["-{word}","+{word}()"]}}],"userModified":false,"replaceAll":false}}"#
                ),
            ),
        };
        let block = format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#);
        self.assistant(&block, "tool_use")?;
        self.result(prompt, id, &said, &result)
    }

    fn background(&mut self, prompt: &str, task: &str) -> io::Result<()> {
        let id = format!("toolu_{task}");
        let input = r#"{"command":"make soak","description":"Soak run","run_in_background":true}"#;
        self.assistant(
            &format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{input}}}"#),
            "tool_use",
        )?;
        let result =
            format!(r#"{{"stdout":"","stderr":"","interrupted":false,"backgroundTaskId":"{task}"}}"#);
        self.result(prompt, &id, &format!("Command running in background with ID: {task}."), &result)
    }

    fn wake(&mut self, turn: u64, task: &str) -> io::Result<()> {
        self.now += 240_000;
        let note = format!(
            "<task-notification>\\n<task-id>{task}</task-id>\\n<status>completed</status>\\n<summary>Background command \\\"Soak run\\\" completed (exit code 0)</summary>\\n</task-notification>"
        );
        let stamp = self.stamp();
        let id = self.id.clone();
        self.line(&format!(
            r#"{{"type":"queue-operation","operation":"enqueue","timestamp":"{stamp}","sessionId":"{id}","content":"{note}"}}"#
        ))?;
        self.line(&format!(
            r#"{{"type":"queue-operation","operation":"dequeue","timestamp":"{stamp}","sessionId":"{id}"}}"#
        ))?;
        self.user(&format!("w{turn:04}-{id}"), "\"task_notification\"", &note)?;
        self.assistant(r#"{"type":"text","text":"The soak run came back clean. Done."}"#, "end_turn")?;
        self.quiet("turn_duration")
    }

    fn text(&mut self, size: u64) -> String {
        let mut text = String::new();
        while (text.len() as u64) < size {
            text.push_str(self.random.pick(&WORDS));
            text.push_str(if self.random.below(9) == 0 { "\\n" } else { " " });
        }
        text
    }

    fn signature(&mut self) -> String {
        let length = 10 + self.random.below(40);
        (0..length).map(|_| format!("{:016x}", self.random.next())).collect()
    }

    fn user(&mut self, prompt: &str, origin: &str, text: &str) -> io::Result<()> {
        let head = format!(r#""promptId":"{prompt}","type":"user","#);
        let tail = format!(r#""permissionMode":"default","turnOrigin":{origin},"#);
        self.entry(&head, &format!(r#"{{"role":"user","content":"{text}"}}"#), &tail)
    }

    fn result(&mut self, prompt: &str, id: &str, text: &str, result: &str) -> io::Result<()> {
        let block =
            format!(r#"{{"tool_use_id":"{id}","type":"tool_result","content":"{text}","is_error":false}}"#);
        let head = format!(r#""promptId":"{prompt}","type":"user","#);
        let tail = format!(r#""toolUseResult":{result},"sourceToolAssistantUUID":"u{}","#, self.lines);
        self.entry(&head, &format!(r#"{{"role":"user","content":[{block}]}}"#), &tail)
    }

    fn assistant(&mut self, block: &str, stop: &str) -> io::Result<()> {
        let number = self.lines;
        let usage = r#"{"input_tokens":1200,"cache_creation_input_tokens":300,"cache_read_input_tokens":52000,"output_tokens":180}"#;
        let message = format!(
            r#"{{"id":"msg_{number}_{}","type":"message","role":"assistant","model":"claude-sonnet-5","content":[{block}],"stop_reason":"{stop}","stop_sequence":null,"usage":{usage}}}"#,
            self.id
        );
        self.entry(
            "",
            &message,
            &format!(r#""apiBlockIndex":0,"requestId":"req_{number}","type":"assistant","#),
        )
    }

    /// A line with a message; `head` stands before it, `tail` behind.
    fn entry(&mut self, head: &str, message: &str, tail: &str) -> io::Result<()> {
        self.now += 1_500;
        self.written_by_session(&format!(r#"{head}"message":{message},{tail}"#))
    }

    fn attachment(&mut self, kind: &str) -> io::Result<()> {
        let text = self.text(400);
        self.written_by_session(&format!(
            r#""attachment":{{"type":"{kind}","content":"{text}"}},"type":"attachment","#
        ))
    }

    /// A line with the fields that every line of the session's tree has.
    fn written_by_session(&mut self, fields: &str) -> io::Result<()> {
        let (stamp, id, number) = (self.stamp(), self.id.clone(), self.lines);
        self.line(&format!(
            r#"{{"parentUuid":"u{number}","isSidechain":false,{fields}"uuid":"u{}","timestamp":"{stamp}","userType":"external","entrypoint":"cli","cwd":"/home/dev/project","sessionId":"{id}","version":"2.1.332","gitBranch":"main"}}"#,
            number + 1
        ))
    }

    fn quiet(&mut self, subtype: &str) -> io::Result<()> {
        self.written_by_session(&format!(r#""type":"system","subtype":"{subtype}","durationMs":120,"#))?;
        let id = self.id.clone();
        self.line(&format!(r#"{{"type":"last-prompt","lastPrompt":"Next step","sessionId":"{id}"}}"#))
    }

    fn stamp(&self) -> String {
        jiff::Timestamp::from_millisecond(self.now).unwrap_or_default().to_string()
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        self.lines += 1;
        self.written += line.len() as u64 + 1;
        writeln!(self.out, "{line}")
    }
}
