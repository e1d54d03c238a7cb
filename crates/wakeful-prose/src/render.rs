//! The explanation for people (P17).

use std::fmt::Write as _;

use crate::explain::{Explanation, HitView, Outcome, SpanView};
use crate::rules::Kind;

/// Below this width nothing can be laid out; a narrower terminal gets lines of this width.
const NARROWEST: usize = 40;

impl Explanation {
    /// The explanation as text for a terminal of `width` columns: first the outcome, then the message with what
    /// matched underlined, then what each rule said. With `colour`, ANSI sequences are used.
    pub fn render(&self, colour: bool, width: usize) -> String {
        let width = width.max(NARROWEST);
        let paint = Paint { colour };
        let mut out = String::new();
        self.head(&mut out, &paint);
        self.message(&mut out, &paint, width);
        self.guard_lines(&mut out, &paint);
        self.hit_lines(&mut out, &paint);
        out
    }

    fn head(&self, out: &mut String, paint: &Paint) {
        let title = match self.outcome {
            Outcome::Question => "ASKS THE USER",
            Outcome::Wait => "WAITS",
            Outcome::WaitRejected => "NO WAIT",
            Outcome::Done => "DONE",
            Outcome::Neither => "NEITHER WAITS NOR ASKS",
        };
        line(out, &format!("{}  {}", paint.bold(title), self.reason));
        if let Some(question) = &self.reading.asks_user {
            line(out, &format!("  question   {}", clean(&question.snippet)));
        }
        if let Some(wait) = self.reading.wait.as_ref().or(self.reading.waits_somewhere.as_ref()) {
            line(out, &format!("  waits for  {}", clean(&wait.words)));
            let mechanism = wait.names_mechanism.map(|m| format!("{m:?}").to_lowercase());
            let backing = match (wait.names_external, mechanism) {
                (true, None) => "something outside of the client".to_owned(),
                (true, Some(m)) => {
                    format!("something outside of the client, to be reported by a {m} of the client")
                }
                (false, Some(m)) => format!("a {m} of the client"),
                (false, None) => "nothing by name".to_owned(),
            };
            line(out, &format!("  names      {backing}"));
        }
        if let Some(eta) = self.reading.stated_eta {
            line(out, &format!("  until      about {} min from now", eta.minutes_up()));
        }
        line(out, "");
    }

    /// The message, line by line, with the spans that count underlined. Searched parts have a bar at the left.
    fn message(&self, out: &mut String, paint: &Paint, width: usize) {
        line(out, &paint.dim("The message (│ = searched for a wait, ^ = a rule matched):"));
        let marks: Vec<SpanView> = self.marks();
        let mut at = 0;
        for text in self.text.split_inclusive('\n') {
            let body = text.trim_end_matches(['\n', '\r']);
            let searched = self
                .candidates
                .iter()
                .any(|c| c.searched && c.span.start < at + body.len() && at < c.span.end);
            let bar = if searched { "│ " } else { "  " };
            for (start, part) in wrapped(body, width - 2) {
                line(out, &format!("{bar}{}", clean(part)));
                let under = underline(part, at + start, &marks);
                if !under.trim().is_empty() {
                    line(out, &format!("{bar}{}", paint.mark(under.trim_end())));
                }
            }
            at += text.len();
        }
        line(out, "");
    }

    /// What is underlined: in order, not overlapping.
    fn marks(&self) -> Vec<SpanView> {
        let hits =
            self.hits.iter().chain(&self.exemptions).filter(|hit| hit.counts && hit.kind != Kind::Name);
        let mut spans: Vec<SpanView> = hits.map(|hit| hit.span).chain(self.sentinel).collect();
        spans.sort_by_key(|span| span.start);
        let mut marks: Vec<SpanView> = Vec::new();
        for span in spans {
            match marks.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => marks.push(span),
            }
        }
        marks
    }

    fn guard_lines(&self, out: &mut String, paint: &Paint) {
        line(out, &paint.bold("Guards (a wait must clear all three)"));
        for guard in &self.guards {
            let result = if guard.passed { "passed" } else { "FAILED" };
            line(out, &format!("  {:<7} {result}  {}", guard.guard, guard.why));
        }
        for candidate in &self.candidates {
            let result = if candidate.searched { "searched" } else { "not searched" };
            let part = if candidate.trimmed { ", its last sentences" } else { "" };
            line(out, &format!("  {} paragraph{part}: {result}, {}", candidate.place, candidate.why));
        }
        line(out, "");
    }

    fn hit_lines(&self, out: &mut String, paint: &Paint) {
        if self.hits.is_empty() && self.exemptions.is_empty() {
            line(out, "No rule matched.");
            return;
        }
        line(out, &paint.bold("Rules that matched"));
        for hit in self.exemptions.iter().chain(&self.hits) {
            self.hit_line(out, paint, hit);
        }
    }

    fn hit_line(&self, out: &mut String, paint: &Paint, hit: &HitView) {
        let kind = match hit.kind {
            Kind::Wait => "wait",
            Kind::Veto => "on the user",
            Kind::Exemption => "exempt",
            Kind::Ask => "asks",
            Kind::Offer => "offer",
            Kind::Rhetorical => "rhetorical",
            Kind::Close => "closes",
            Kind::Alarm => "alarm",
            Kind::Eta => "time",
            Kind::Name => "names",
        };
        let words = clean(&self.text[hit.span.start..hit.span.end]);
        let mark = if hit.counts { "•" } else { " " };
        line(out, &format!("{mark} {kind:<11} {}  “{words}”", paint.bold(hit.rule.as_str())));
        line(out, &paint.dim(&format!("              {}: {}", hit.what, hit.note)));
    }
}

struct Paint {
    colour: bool,
}

impl Paint {
    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }

    fn mark(&self, text: &str) -> String {
        self.with("33", text)
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}", text.trim_end());
}

/// Text of a message for a terminal: control characters (an agent may print escape sequences) become blanks.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The line in parts of at most `width` columns, each with its byte offset; breaks at spaces where there are any.
fn wrapped(line: &str, width: usize) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut columns = 0;
    let mut space = None;
    for (i, c) in line.char_indices() {
        if columns + columns_of(c) > width {
            let cut = space.take().filter(|&s| s > start).unwrap_or(i);
            parts.push((start, &line[start..cut]));
            start = cut;
            columns = line[cut..i].chars().map(columns_of).sum();
        }
        columns += columns_of(c);
        if c == ' ' {
            space = Some(i + 1);
        }
    }
    parts.push((start, &line[start..]));
    parts
}

/// Carets under the characters that lie in one of the spans.
fn underline(part: &str, at: usize, marks: &[SpanView]) -> String {
    let mut out = String::new();
    for (i, c) in part.char_indices() {
        let byte = at + i;
        let hit = marks[..marks.partition_point(|m| m.start <= byte)].last().is_some_and(|m| byte < m.end);
        out.extend(std::iter::repeat_n(if hit { '^' } else { ' ' }, columns_of(c)));
    }
    out
}

/// Columns of a character: wide for East Asian scripts and pictographs. Near enough to underline.
fn columns_of(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xff60 => 2,
        0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}
