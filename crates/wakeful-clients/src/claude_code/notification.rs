//! Prompts that no person typed: reports of tasks, feedback of hooks, and Wakeful's own check-ins (spec 40, A13).

use wakeful_core::event::{Opener, TaskOutcome, TaskReport};
use wakeful_core::ids::TaskId;

use crate::cut::{LABEL, SNIPPET, first_line};

/// What opens and closes one report.
const OPEN: &str = "<task-notification>";
const CLOSE: &str = "</task-notification>";
/// What stands before the text that an `asyncRewake` hook printed (2.1.332, captures 09c, 38).
const HOOK_ERROR: &str = "Stop hook blocking error from command";
/// How the framing of every check-in begins (W5).
const CHECK_IN: &str = "[Check-in]";
/// What the client writes as a monitor's last event; the second form is that of older versions.
const MONITOR_ENDS: [&str; 2] = ["[Monitor expired", "[Monitor timed out"];
/// Prompts that another agent or a channel wrote.
const AGENT_PREFIXES: [&str; 2] = ["<teammate-message", "<cross-session-message"];
const WAKE_PREFIXES: [&str; 1] = ["<channel source="];

/// What a prompt is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// Who opened the turn with it.
    pub(crate) opener: Opener,
    /// Tasks that it reports.
    pub(crate) reports: Vec<TaskReport>,
    /// A short label for people.
    pub(crate) label: String,
}

/// Reads a prompt as the client hands it to its hooks.
pub(crate) fn read(prompt: &str) -> Prompt {
    let head = prompt.trim_start();
    let label = || first_line(prompt, LABEL);
    let is_one_of = |prefixes: &[&str]| prefixes.iter().any(|prefix| head.starts_with(prefix));
    if head.starts_with(OPEN) {
        let reports = reports(head);
        let said = reports.first().map(|report| report.summary.clone()).filter(|summary| !summary.is_empty());
        let opener = if is_check_in(head) { Opener::CheckIn } else { Opener::Wake };
        let label =
            said.or_else(|| hook_text(head).map(|text| first_line(text, LABEL))).unwrap_or_else(label);
        return Prompt { opener, reports, label: first_line(&label, LABEL) };
    }
    let opener = match () {
        () if is_one_of(&AGENT_PREFIXES) => Opener::Agent,
        () if is_one_of(&WAKE_PREFIXES) => Opener::Wake,
        () => Opener::User,
    };
    Prompt { opener, reports: Vec::new(), label: label() }
}

/// Whether this is a report or feedback that the client wrote, not a person.
pub(crate) fn is_notification(prompt: &str) -> bool {
    prompt.trim_start().starts_with(OPEN)
}

/// Whether a hook's feedback opened this turn: its end says `stop_hook_active` then.
pub(crate) fn is_hook_feedback(prompt: &str) -> bool {
    is_notification(prompt) && hook_text(prompt).is_some()
}

fn hook_text(prompt: &str) -> Option<&str> {
    let (_, rest) = prompt.split_once(HOOK_ERROR)?;
    // ` "FileChanged": <text>`; the command itself may contain quotes and colons, the event's name does not.
    rest.split_once("\": ").map(|(_, text)| text)
}

fn is_check_in(prompt: &str) -> bool {
    hook_text(prompt).is_some_and(|text| text.lines().any(|line| line.trim_start().starts_with(CHECK_IN)))
}

/// Every report in `text`, in order.
pub(crate) fn reports(text: &str) -> Vec<TaskReport> {
    let mut reports = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(OPEN) {
        let (report, tail) = block(&rest[start + OPEN.len()..]);
        reports.extend(report);
        rest = tail;
    }
    reports
}

/// One report and what follows it. Fields are read one after another and whole, so that a result which quotes a
/// report is not taken for one.
fn block(text: &str) -> (Option<TaskReport>, &str) {
    let mut rest = text.trim_start();
    let (mut id, mut status, mut summary, mut event) = (None, None, None, None);
    while !rest.starts_with(CLOSE) {
        let Some((name, content, tail)) = element(rest) else {
            // Something else stands here: skip to the end of the report.
            rest = rest.find(CLOSE).map_or("", |at| &rest[at..]);
            break;
        };
        match name {
            "task-id" => id = id.or(Some(content)),
            "status" => status = status.or(Some(content)),
            "summary" => summary = summary.or(Some(content)),
            "event" => event = event.or(Some(content)),
            _ => {}
        }
        rest = tail.trim_start();
    }
    let report = id.map(str::trim).filter(|id| !id.is_empty()).map(|id| {
        let summary = summary.unwrap_or_default();
        TaskReport {
            task: TaskId::new(id),
            outcome: outcome(status.map(str::trim), summary, event.map(str::trim)),
            summary: first_line(
                if summary.is_empty() { event.unwrap_or_default() } else { summary },
                SNIPPET,
            ),
        }
    });
    (report, rest.strip_prefix(CLOSE).unwrap_or(rest))
}

/// `<name>content</name>` at the start of `text`, and what follows.
fn element(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'_')
    {
        return None;
    }
    let close = format!("</{name}>");
    let (content, tail) = rest.split_once(close.as_str())?;
    Some((name, content, tail))
}

/// The outcome that a report means; `None`: the task goes on (A19).
fn outcome(status: Option<&str>, summary: &str, event: Option<&str>) -> Option<TaskOutcome> {
    match status {
        Some("completed") => Some(TaskOutcome::Completed),
        Some("failed" | "error") => Some(TaskOutcome::Failed),
        Some("killed" | "stopped" | "cancelled") => Some(stopped(summary)),
        Some("timed_out" | "timeout") => Some(TaskOutcome::TimedOut),
        Some(_) => None,
        // The expiry line of a monitor is its end and its wake.
        None if event.is_some_and(|event| MONITOR_ENDS.iter().any(|end| event.starts_with(end))) => {
            Some(TaskOutcome::TimedOut)
        }
        None => None,
    }
}

/// Who stopped a task, by what the client says of it (A17).
fn stopped(summary: &str) -> TaskOutcome {
    // The description of the task stands in quotes and may say anything.
    let said = match (summary.find('"'), summary.rfind('"')) {
        (Some(from), Some(to)) if from < to => format!("{}{}", &summary[..from], &summary[to + 1..]),
        _ => summary.to_owned(),
    }
    .to_ascii_lowercase();
    if ["time limit", "timed out", "timeout"].iter().any(|words| said.contains(words)) {
        TaskOutcome::TimedOut
    } else if ["by the user", "by user", "previous session ended"].iter().any(|words| said.contains(words)) {
        TaskOutcome::Stopped
    } else {
        TaskOutcome::StoppedByUnknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(id: &str, rest: &str) -> String {
        format!("<task-notification>\n<task-id>{id}</task-id>\n{rest}\n</task-notification>")
    }

    fn outcome_of(rest: &str) -> Option<TaskOutcome> {
        let prompt = read(&note("b1", rest));
        assert_eq!(prompt.opener, Opener::Wake);
        assert_eq!(prompt.reports.len(), 1);
        prompt.reports[0].outcome
    }

    #[test]
    fn outcomes() {
        use TaskOutcome::{Completed, Failed, Stopped, StoppedByUnknown, TimedOut};
        let rows = [
            (
                "<status>completed</status>\n<summary>Background command \"Lint\" completed (exit code 0)</summary>",
                Some(Completed),
            ),
            (
                "<status>failed</status>\n<summary>Background command \"Lint\" failed with exit code 2</summary>",
                Some(Failed),
            ),
            (
                "<status>killed</status>\n<summary>Background command \"Lint\" was stopped after reaching its background time limit</summary>",
                Some(TimedOut),
            ),
            (
                "<status>killed</status>\n<summary>Task \"Lint\" was stopped by the user or by the app connected to this session</summary>",
                Some(Stopped),
            ),
            (
                "<status>stopped</status>\n<summary>Background shell command didn't finish before the previous session ended</summary>",
                Some(Stopped),
            ),
            (
                "<status>killed</status>\n<summary>Background command \"Lint\" was stopped</summary>",
                Some(StoppedByUnknown),
            ),
            // What the task is called says nothing of who stopped it.
            (
                "<status>killed</status>\n<summary>Background command \"Raise the timeout\" was stopped</summary>",
                Some(StoppedByUnknown),
            ),
            ("<summary>Monitor event: \"ticks\"</summary>\n<event>tick 3</event>", None),
            (
                "<summary>Monitor event: \"ticks\"</summary>\n<event>[Monitor expired after 9s with no events.]</event>",
                Some(TimedOut),
            ),
            (
                "<status>completed</status>\n<summary>Monitor \"ticks\" stream ended</summary>",
                Some(Completed),
            ),
            ("<status>paused</status>\n<summary>x</summary>", None),
        ];
        for (rest, expected) in rows {
            assert_eq!(outcome_of(rest), expected, "{rest}");
        }
    }

    #[test]
    fn several_reports_in_one_prompt() {
        let text = format!(
            "{}\n{}",
            note("b1", "<status>completed</status>\n<summary>one</summary>"),
            note("b2", "<status>failed</status>\n<summary>two</summary>")
        );
        let ids: Vec<_> = read(&text).reports.into_iter().map(|report| report.task.0).collect();
        assert_eq!(ids, ["b1", "b2"]);
    }

    #[test]
    fn a_result_that_quotes_a_report_is_no_report() {
        let quoted = note("other", "<status>completed</status>");
        let text =
            note("a1", &format!("<status>completed</status>\n<result>It prints {quoted} here.</result>"));
        let reports = read(&text).reports;
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0].task.as_str(), "a1");
    }

    #[test]
    fn damaged_reports_do_not_break() {
        for text in [
            "<task-notification>",
            "<task-notification><task-id>b1",
            "<task-notification></task-notification>",
        ] {
            assert_eq!(read(text).opener, Opener::Wake, "{text}");
            assert_eq!(read(text).reports, [], "{text}");
        }
        assert_eq!(read(&note("b1", "loose words <status>failed</status>")).reports[0].outcome, None);
    }

    #[test]
    fn hook_feedback_is_a_wake_and_a_check_in_is_a_check_in() {
        let feedback = |text: &str| {
            format!(
                "<task-notification>\n<summary>Stop hook feedback</summary>\n</task-notification>\n<system-reminder>\n\
                 Stop hook blocking error from command \"FileChanged\": {text}\n\n</system-reminder>"
            )
        };
        let rows = [
            ("the deploy is through", Opener::Wake),
            ("[Check-in] Still waiting?", Opener::CheckIn),
            ("\n  [Check-in] Still waiting?", Opener::CheckIn),
            ("no [Check-in] at the start", Opener::Wake),
        ];
        for (text, opener) in rows {
            assert_eq!(read(&feedback(text)).opener, opener, "{text}");
            assert_eq!(read(&feedback(text)).reports, [], "{text}");
        }
        assert_eq!(read(&feedback("the deploy is through")).label, "the deploy is through");
        // A person may type the marker: it is their prompt all the same.
        assert_eq!(read("[Check-in] what does this mean?").opener, Opener::User);
    }

    #[test]
    fn who_opened() {
        assert_eq!(read("fix the login page\nand the tests").opener, Opener::User);
        assert_eq!(read("fix the login page\nand the tests").label, "fix the login page");
        assert_eq!(read("<teammate-message teammate_id=\"x\">hi</teammate-message>").opener, Opener::Agent);
        assert_eq!(read("<channel source=\"ci\">green</channel>").opener, Opener::Wake);
        assert!(!is_notification("what is a <task-notification>?"));
    }
}
