//! The report for people.

use std::collections::BTreeMap;
use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::{Decided, Interest, Report};
use crate::truth::{Label, Ratio};

/// Narrower than this a table does not fit, wider lines are hard to read.
const WIDTHS: std::ops::RangeInclusive<usize> = 80..=120;
/// How many rules are listed: more belong into `--json`.
const RULES: usize = 8;
/// Between two tables that stand side by side.
const GAP: usize = 6;

/// How the text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Columns, 80 to 120.
    pub width: usize,
    /// With colours.
    pub colour: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self { width: 100, colour: false }
    }
}

/// The report as text.
pub fn render(report: &Report, layout: Layout) -> String {
    let mut page = Page {
        text: String::new(),
        width: layout.width.clamp(*WIDTHS.start(), *WIDTHS.end()),
        colour: layout.colour,
    };
    page.headline(report);
    if report.turn_ends > 0 {
        page.verdicts(report);
        page.rules(report);
        page.truth(report);
    }
    page.skipped(report);
    page.cases(report);
    page.text
}

struct Page {
    text: String,
    width: usize,
    colour: bool,
}

const STRONG: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn heading(&mut self, text: &str) {
        let painted = self.paint(STRONG, text);
        self.line("");
        self.line(&painted);
    }

    /// Words in lines of the page's width; the first begins with `first`, the others are indented as far.
    fn wrapped(&mut self, first: &str, words: &str) {
        let indent = first.chars().count();
        let mut line = first.to_owned();
        let mut used = indent;
        for word in words.split_whitespace() {
            let length = word.chars().count();
            if used > indent && used + 1 + length > self.width {
                self.line(&line);
                line = " ".repeat(indent);
                used = indent;
            }
            if used > indent {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += length;
        }
        self.line(&line);
    }

    /// A number in a column of its own, and what it counts.
    fn count(&mut self, number: &str, what: &str) {
        self.wrapped(&format!("{number:>10}  "), what);
    }

    fn headline(&mut self, report: &Report) {
        let ends = plural(report.turn_ends, "turn end", "turn ends");
        let sessions = plural(report.sessions, "session", "sessions");
        let files = plural(report.files, "transcript", "transcripts");
        let headline = format!("{ends} in {sessions} ({files}, {}).", size(report.bytes));
        let painted = self.paint(STRONG, &headline);
        self.line(&painted);
        if report.turn_ends == 0 {
            return self.line("Nothing here ended a turn, so there is nothing to decide.");
        }
        self.line("");
        let waits = report.waits();
        let saved = if report.pings_saved == waits {
            "none of them surfaced later".to_owned()
        } else {
            format!("{} surfaced later, by a timer", number(waits - report.pings_saved))
        };
        let kept = "would have stayed out of your inbox, because something was going to wake the agent";
        self.count(&number(waits), &if waits == 0 { kept.to_owned() } else { format!("{kept}; {saved}") });
        self.count(&number(report.surfaced()), "would have gone to your inbox");
        if report.idle > 0 {
            self.count(&number(report.idle), "were interrupted by you, and open no item");
        }
        self.line("");
        let asked = "asked you something while work was still running: easy to miss";
        let rows = [
            (report.hidden_questions, asked, asked),
            (
                report.unbacked_waits,
                "said that it waits, and nothing was armed to wake it",
                "said that they wait, and nothing was armed to wake them",
            ),
            (report.lost_wakes, "waited for a wake that never came", "waited for wakes that never came"),
            (
                report.guard_refusals,
                "shell command was a hand-made waiter, which the guard would have refused",
                "shell commands were hand-made waiters, which the guard would have refused",
            ),
        ];
        for (count, one, many) in rows {
            self.count(&number(count), if count == 1 { one } else { many });
        }
        self.count(
            &hours(report.hours_waiting_unseen),
            "in which agents stood still although they looked busy",
        );
        self.count(&hours(report.hours_kept_out), "in which agents waited and did not need you");
    }

    fn verdicts(&mut self, report: &Report) {
        let waiting = table("Kept waiting, by gate", &report.waiting);
        let inbox = table("Went to the inbox, by reason", &report.needs_you);
        let later = table("Surfaced later, by reason", &report.surfaced_later);
        let tables = [waiting, inbox, later].into_iter().flatten().collect::<Vec<_>>();
        self.side_by_side(&tables);
    }

    fn rules(&mut self, report: &Report) {
        let mut rules: Vec<_> = report.rules.iter().collect();
        rules.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), name.as_str()));
        let more = rules.len().saturating_sub(RULES);
        rules.truncate(RULES);
        let rules: Vec<(String, u64)> =
            rules.into_iter().map(|(name, count)| (name.clone(), *count)).collect();
        if let Some(table) = rows("Rules that had a say", &rules) {
            self.side_by_side(&[table]);
            if more > 0 {
                self.line(&format!("  and {}", plural(more as u64, "other rule", "other rules")));
            }
        }
    }

    fn side_by_side(&mut self, tables: &[Vec<String>]) {
        let width =
            |table: &[String]| table.iter().map(|line| line.chars().count()).max().unwrap_or_default();
        let mut at = 0;
        while at < tables.len() {
            let mut upto = at + 1;
            let mut used = width(&tables[at]);
            while upto < tables.len() && used + GAP + width(&tables[upto]) <= self.width {
                used += GAP + width(&tables[upto]);
                upto += 1;
            }
            self.line("");
            let row = &tables[at..upto];
            for line in 0..row.iter().map(Vec::len).max().unwrap_or_default() {
                let mut whole = String::new();
                for table in row {
                    let cell = table.get(line).map_or("", String::as_str);
                    let pad = width(table) + GAP - cell.chars().count();
                    let painted = if line == 0 { self.paint(STRONG, cell) } else { cell.to_owned() };
                    whole.push_str(&painted);
                    whole.extend(std::iter::repeat_n(' ', pad));
                }
                self.line(&whole);
            }
            at = upto;
        }
    }

    fn truth(&mut self, report: &Report) {
        let truth = &report.truth;
        self.heading("What the transcripts themselves say about these decisions");
        let (right, wrong) = (number(truth.right), number(truth.wrong));
        self.wrapped(
            "  ",
            &format!(
                "{} right, {} wrong, {} unknown (a prompt during a wait proves nothing).",
                self.paint(GOOD, &right),
                if truth.wrong > 0 { self.paint(BAD, &wrong) } else { wrong },
                number(truth.unknown)
            ),
        );
        self.ratio("precision", truth.precision_interval, "that were kept waiting");
        self.ratio("recall", truth.recall_interval, "that only waited");
        if report.open_at_end > 0 {
            let waits = plural(report.open_at_end, "wait", "waits");
            self.line(&format!("  {waits} stood open where a transcript ends."));
        }
    }

    fn ratio(&mut self, what: &str, ratio: Option<Ratio>, which: &str) {
        let Some(ratio) = ratio else { return self.line(&format!("  {what:<10} unknown: no label")) };
        let of = format!("{} of {} {which}", number(ratio.hits), number(ratio.of));
        let interval = format!("({of}; 95 % interval {} to {})", percent(ratio.low), percent(ratio.high));
        self.wrapped(&format!("  {what:<10}{:>8}  ", percent(ratio.value)), &interval);
    }

    fn skipped(&mut self, report: &Report) {
        if report.skipped.is_empty() {
            return;
        }
        let all: Vec<_> = report
            .skipped
            .iter()
            .map(|(why, count)| format!("{} × {}", number(*count), why.replace('_', " ")))
            .collect();
        self.heading("Skipped");
        self.wrapped("  ", &all.join(", "));
    }

    fn cases(&mut self, report: &Report) {
        if report.cases.is_empty() {
            return;
        }
        let heading = match report.cases.len() {
            1 => "The most interesting case".to_owned(),
            many => format!("The {many} most interesting cases"),
        };
        self.heading(&heading);
        for (at, case) in report.cases.iter().enumerate() {
            self.case(at + 1, case);
        }
        let more = report.disagreements.len();
        if more > report.cases.len() {
            self.line("");
            self.line(&format!("All {} disagreements are in --json.", number(more as u64)));
        }
    }

    fn case(&mut self, number: usize, case: &Decided) {
        self.line("");
        let title = title(case);
        let style = if case.label == Label::Wrong { BAD } else { STRONG };
        let painted = self.paint(style, title);
        self.line(&format!("{number:>3}. {painted}"));
        let place = format!("{}:{}", case.file, case.line);
        let place = self.paint(DIM, &place);
        self.line(&format!("     {place}"));
        let reason = case.reason.map(|reason| format!(" ({})", reason.name())).unwrap_or_default();
        let mut decided = format!("{}{reason} at {}", case.verdict.replace('_', " "), case.gate.name());
        if let Some(rule) = &case.rule {
            let _ = write!(decided, ", rule {rule}");
        }
        if let Some(words) = &case.words {
            let _ = write!(decided, ": “{words}”");
        }
        self.wrapped("     decided  ", &decided);
        if !case.held.is_empty() {
            let held: Vec<_> = case.held.iter().map(|held| held.label.as_str()).collect();
            self.wrapped("     held     ", &held.join("; "));
        }
        if !case.message.is_empty() {
            self.wrapped("     said     ", &case.message);
        }
        self.wrapped("     then     ", &then(case));
        if case.label == Label::Wrong {
            self.wrapped("     so       ", &case.why);
        }
    }
}

fn title(case: &Decided) -> &'static str {
    match case.interest() {
        Some(Interest::WronglyWaiting) if case.lost_wake => "Kept waiting, and nothing came",
        Some(Interest::WronglyWaiting) => "Kept waiting, and needed you",
        Some(Interest::WronglySurfaced) => "Sent to the inbox, and was only waiting",
        Some(Interest::HiddenQuestion) => "A question behind running work",
        Some(Interest::UnbackedWait) => "Says that it waits, and nothing will wake it",
        Some(Interest::LostWake) => "A wake that never came",
        None => "A decision",
    }
}

fn then(case: &Decided) -> String {
    let mut then = String::new();
    if let Some(surfaced) = case.surfaced {
        let _ =
            write!(then, "surfaced as {} after {}; ", surfaced.reason.name(), duration(surfaced.after_ms));
    }
    let what = match case.next.what.as_str() {
        "wake" => "a wake came",
        "prompt" => "you wrote",
        "check_in" => "a check-in came",
        "agent" => "another agent wrote",
        "went_on" => "the turn went on",
        "ended" => "the session was ended",
        _ => "the transcript ends",
    };
    then.push_str(what);
    if let Some(after) = case.next.after_ms {
        let _ = write!(then, " after {}", duration(after));
    }
    if let Some(words) = case.next.words.as_deref().filter(|words| !words.is_empty()) {
        let _ = write!(then, ": “{words}”");
    }
    then
}

/// A table of counts, most frequent first; none of nothing.
fn table(title: &str, counts: &BTreeMap<String, u64>) -> Option<Vec<String>> {
    let mut all: Vec<(String, u64)> = counts.iter().map(|(name, count)| (name.clone(), *count)).collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    rows(title, &all)
}

fn rows(title: &str, all: &[(String, u64)]) -> Option<Vec<String>> {
    let names = all.iter().map(|(name, _)| name.chars().count()).max()?;
    let counts = all.iter().map(|(_, count)| number(*count).len()).max()?;
    let mut lines = vec![title.to_owned()];
    lines.extend(all.iter().map(|(name, count)| format!("  {name:<names$}  {:>counts$}", number(*count))));
    Some(lines)
}

fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(count), if count == 1 { one } else { many })
}

/// With a comma every three digits.
fn number(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[expect(clippy::cast_precision_loss, reason = "a rounded size for people")]
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

fn hours(hours: f64) -> String {
    format!("{hours:.1} h")
}

fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

/// The two largest units, rounded down.
fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let two = |big: u64, unit: &str, small: u64, less: &str| {
        if small == 0 { format!("{big} {unit}") } else { format!("{big} {unit} {small} {less}") }
    };
    match () {
        () if days > 0 => two(days, "d", hours % 24, "h"),
        () if hours > 0 => two(hours, "h", minutes % 60, "min"),
        () if minutes > 0 => two(minutes, "min", seconds % 60, "s"),
        () => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
        let sizes = [12, 1_500, 2_340_000, 5_600_000_000].map(size);
        assert_eq!(sizes, ["12 bytes", "1.5 kB", "2.3 MB", "5.6 GB"]);
        let spans = [999, 61_000, 120_000, 3_660_000, 90_000_000].map(duration);
        assert_eq!(spans, ["0 s", "1 min 1 s", "2 min", "1 h 1 min", "1 d 1 h"]);
    }

    #[test]
    fn words_are_wrapped_behind_their_label() {
        let mut page = Page { text: String::new(), width: 20, colour: false };
        page.wrapped("said  ", "one two three four five extraordinarilylongword six");
        let expected = "said  one two three\n      four five\n      extraordinarilylongword\n      six\n";
        assert_eq!(page.text, expected);
    }
}
