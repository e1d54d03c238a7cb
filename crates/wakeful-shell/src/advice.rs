//! What a refused agent is told (spec 50 G3): the rule, the words, why, and what its own client has instead.

use std::fmt::Write;

use crate::guard::Refusal;
use crate::policy::RuleId;

/// The client whose tools the advice names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Advisee {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    Gemini,
    /// OpenCode.
    OpenCode,
    /// Copilot CLI.
    Copilot,
    /// A client whose tools are not known.
    Other,
}

impl Advisee {
    /// By the client's name as Wakeful writes it (`claude-code`, `codex`, …); anything else is [`Advisee::Other`].
    pub fn from_client(client: &str) -> Self {
        match client {
            "claude-code" => Self::ClaudeCode,
            "codex" => Self::Codex,
            "cursor" => Self::Cursor,
            "gemini" => Self::Gemini,
            "opencode" => Self::OpenCode,
            "copilot" => Self::Copilot,
            _ => Self::Other,
        }
    }

    /// How to wait for work that has not started, or is running, in this client.
    const fn wait(self) -> &'static str {
        match self {
            Self::ClaudeCode => {
                "Start the job itself with Bash and run_in_background: true, and end your turn or go on with other work: its \
                 completion wakes you, with the exit status. If it runs already, its completion wakes you too; do not start a second waiter."
            }
            Self::Codex => {
                "Keep the job in its own exec_command session and wait on that handle: write_stdin with its session_id, empty chars and \
                 the longest yield_time_ms; in code mode, wait with its cell_id. Nothing \
                 wakes you after the turn has ended, so wait before you end it."
            }
            Self::Cursor => {
                "Start the job itself as a background shell and wait on its task: Await with its task_id, block_until_ms, and a regex \
                 for the line you need. It returns when the job exits."
            }
            Self::Gemini => {
                "Start the job itself with run_shell_command and is_background: true, then wait on its PID with read_background_output and \
                 delay_ms. A job that ends within minutes can simply run in the foreground."
            }
            Self::OpenCode => {
                "Run the job itself in the foreground, with a timeout (in milliseconds) that is long enough: bash returns when it exits."
            }
            Self::Copilot => {
                "Start the job itself with bash and mode: async: its completion wakes you. To wait within the turn, use read_bash \
                 with its shellId and a delay."
            }
            Self::Other => {
                "Run the job itself in the foreground with a time limit, or through the client's own background tool, and wait on the \
                 handle that it gives you; let the completion wake you if it can."
            }
        }
    }

    /// How to look at output now.
    const fn read_now(self) -> &'static str {
        match self {
            Self::ClaudeCode => {
                "Read the task's output file now, once, with Read; what is not there yet comes with the wake."
            }
            Self::Codex => {
                "Read the output now, without the sleep; write_stdin on the session returns what is new."
            }
            Self::Cursor => {
                "Read the terminal's output file now, once; its footer says when the job has exited."
            }
            Self::Gemini => {
                "Read the output now, without the sleep: read_background_output returns what is there."
            }
            Self::Copilot => "Read the output now, without the sleep: read_bash returns what is new.",
            Self::OpenCode | Self::Other => "Read the output now, once, without the sleep.",
        }
    }

    /// How to watch for a condition that no task of the client stands for.
    const fn watch(self) -> &'static str {
        match self {
            Self::ClaudeCode => {
                "For a condition outside (a deploy, a check on a server): Monitor with a command and a timeout_ms; each line that it \
                 prints wakes you. For a look later: ScheduleWakeup."
            }
            _ => {
                "For a condition outside (a deploy, a check on a server): the tool's own bounded wait, such as `gh run watch \
                 --exit-status` or `kubectl wait --timeout=…`."
            }
        }
    }
}

const SCRIPT: &str = "If only a script can tell: a reviewed script file that owns a deadline, exits non-zero at time-out and \
                      notices that the producer has exited.";

/// The whole text for the agent, some lines long, without colour.
pub fn refusal_text(refusal: &Refusal, advisee: Advisee) -> String {
    let mut text = format!(
        "Wakeful: this command waits by hand (rule {}: `{}`).\nWhy not: {}",
        refusal.rule,
        refusal.words,
        why(refusal.rule)
    );
    if refusal.self_matching_pgrep {
        text.push_str(
            " Here `pgrep -f` also matches the shell that runs it, because the pattern stands in its own command line: the \
             loop would never see the process gone.",
        );
    }
    text.push_str("\nInstead:");
    for line in instead(refusal.rule, advisee) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n- {line}");
    }
    text
}

const fn why(rule: RuleId) -> &'static str {
    match rule {
        RuleId::PollLoop => {
            "a polling loop survives the failure of what it polls for, holds the shell, and each new check adds another one. A \
             counter or deadline in it does not notice that the producer is gone."
        }
        RuleId::DelayedRead => {
            "the sleep guesses how long the job takes; when it is over you know no more than before, and the job's end is missed."
        }
        RuleId::LongSleep => {
            "a foreground sleep blocks you for its whole length, also when what you wait for is ready or has failed."
        }
        RuleId::HangingFollow => {
            "the reader stops at its match, but the follower only notices at the next line; if the match never comes, both hang."
        }
        RuleId::RemoteDelayedRead => {
            "the sleep guesses how long the remote job takes and holds the connection meanwhile."
        }
        RuleId::PowershellLoop => {
            "a loop around Start-Sleep survives the failure of what it polls for and holds the shell."
        }
        RuleId::RepeatedRead => {
            "the same output was just read several times in this turn: that is polling by hand."
        }
    }
}

fn instead(rule: RuleId, advisee: Advisee) -> Vec<&'static str> {
    let (wait, read, watch) = (advisee.wait(), advisee.read_now(), advisee.watch());
    match rule {
        RuleId::PollLoop | RuleId::PowershellLoop => vec![wait, read, watch, SCRIPT],
        RuleId::DelayedRead | RuleId::RepeatedRead => vec![read, wait],
        RuleId::LongSleep => vec![wait, watch],
        RuleId::HangingFollow => vec![
            "Put a limit on the follower: `timeout 60 tail -f … | grep -m1 …`, and handle its exit status 124.",
            wait,
        ],
        RuleId::RemoteDelayedRead => vec![
            "Read the remote output now, once; or run the remote job itself over ssh, so that its exit ends the command.",
            wait,
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GuardPolicy, PolicyLevel, guard};

    const ALL: [Advisee; 7] = [
        Advisee::ClaudeCode,
        Advisee::Codex,
        Advisee::Cursor,
        Advisee::Gemini,
        Advisee::OpenCode,
        Advisee::Copilot,
        Advisee::Other,
    ];

    fn refusal(command: &str) -> Refusal {
        let policy = GuardPolicy::of(PolicyLevel::Strict);
        guard(command, &policy).denied().unwrap().clone()
    }

    #[test]
    fn texts() {
        let loops = refusal("while pgrep -f 'cargo build'; do sleep 5; done");
        let read = refusal("sleep 30; tail -n 5 build.log");
        let mut all = String::new();
        for advisee in ALL {
            for refusal in [&loops, &read] {
                let text = refusal_text(refusal, advisee);
                let _ = write!(all, "== {advisee:?}\n{text}\n\n");
            }
        }
        insta::assert_snapshot!(all);
    }

    #[test]
    fn each_text_names_rule_words_and_the_clients_own_tool() {
        for (command, rule) in [
            ("until ./ok; do sleep 1; done", RuleId::PollLoop),
            ("sleep 5; cat x", RuleId::DelayedRead),
            ("sleep 90", RuleId::LongSleep),
            ("tail -f x | grep -m1 y", RuleId::HangingFollow),
            ("ssh h 'sleep 5; cat x'", RuleId::RemoteDelayedRead),
            ("while ($true) { Start-Sleep 5 }", RuleId::PowershellLoop),
        ] {
            let refusal = refusal(command);
            assert_eq!(refusal.rule, rule, "{command}");
            for (advisee, own) in [
                (Advisee::ClaudeCode, "run_in_background"),
                (Advisee::Codex, "write_stdin"),
                (Advisee::Cursor, "Await"),
                (Advisee::Gemini, "read_background_output"),
                (Advisee::OpenCode, "foreground"),
                (Advisee::Copilot, "read_bash"),
                (Advisee::Other, "background tool"),
            ] {
                let text = refusal_text(&refusal, advisee);
                for part in [rule.as_str(), refusal.words.as_str(), own] {
                    assert!(text.contains(part), "{advisee:?} {part:?}\n{text}");
                }
            }
        }
    }

    #[test]
    fn a_self_match_is_named_only_when_it_is_one() {
        let says =
            |command: &str| refusal_text(&refusal(command), Advisee::Other).contains("matches the shell");
        assert!(says("until ! pgrep -f 'npm test'; do sleep 1; done"));
        assert!(says("while pgrep -fl worker; do sleep 1; done"));
        assert!(!says("until ! pgrep -f '[n]pm test'; do sleep 1; done"));
        assert!(!says("until ! pgrep make; do sleep 1; done"));
    }

    #[test]
    fn clients_by_name() {
        assert_eq!(Advisee::from_client("claude-code"), Advisee::ClaudeCode);
        assert_eq!(Advisee::from_client("something"), Advisee::Other);
    }
}
