//! Prompts of Codex: who wrote them, and which of them are the client's own words.

use wakeful_core::event::{EventKind, Opener};
use wakeful_core::ids::Digest;

use crate::cut::{LABEL, first_line};

/// How the framing of every check-in begins (W5). Codex's queue delivers it as a prompt like any other.
const CHECK_IN: &str = "[Check-in]";
/// What an automation of the desktop app sends to its thread.
const HEARTBEAT: &str = "<heartbeat>";
/// What another agent sends.
const AGENT: [&str; 2] = ["<subagent_notification>", "<agent_message"];
/// What stands among the user's messages and nobody typed: context, instructions, news of the client itself.
const INJECTED: [&str; 15] = [
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<skills_instructions>",
    "<skill>",
    "<warning>",
    "<turn_aborted>",
    "<hook_prompt",
    "<user_shell_command>",
    "<user_action>",
    "<model_switch>",
    "<goal_context>",
];
/// Turns that the client opens by itself, by the word in `turn_trigger` (0.171.0): a schedule, or a goal that goes on.
const OWN_TRIGGERS: [&str; 4] = ["heartbeat", "automation", "schedule", "goal"];
/// Turns that another agent or a program opens.
const AGENT_TRIGGERS: [&str; 2] = ["app_tool", "agent"];

/// Who opens a turn with this prompt. `trigger` is the rollout's word for it, which hooks do not have.
pub(crate) fn opener(text: &str, trigger: Option<&str>) -> Opener {
    let head = text.trim_start();
    let is_one_of = |words: &[&str]| trigger.is_some_and(|trigger| words.iter().any(|w| trigger.contains(w)));
    match () {
        () if head.starts_with(CHECK_IN) => Opener::CheckIn,
        () if head.starts_with(HEARTBEAT) || is_one_of(&OWN_TRIGGERS) => Opener::Wake,
        () if AGENT.iter().any(|start| head.starts_with(start)) || is_one_of(&AGENT_TRIGGERS) => {
            Opener::Agent
        }
        () => Opener::User,
    }
}

/// `PromptSubmitted` for this prompt.
pub(crate) fn submitted(text: &str, trigger: Option<&str>) -> EventKind {
    EventKind::PromptSubmitted {
        opener: opener(text, trigger),
        digest: Digest::of(text.as_bytes()),
        reports: Vec::new(), // no task of Codex is ever reported (0.171.0)
        label: first_line(label(text), LABEL),
    }
}

/// The part of a prompt that says something to people.
fn label(text: &str) -> &str {
    let inner = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        rest.split_once(&format!("</{tag}>")).map(|(inner, _)| inner)
    };
    if text.trim_start().starts_with(HEARTBEAT) { inner("instructions").unwrap_or(text) } else { text }
}

/// Nobody typed it.
pub(crate) fn is_injected(text: &str) -> bool {
    let head = text.trim_start();
    INJECTED.iter().any(|start| head.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_opened() {
        let rows = [
            ("Fix the till", None, Opener::User),
            ("Fix the till", Some("user"), Opener::User),
            ("Fix the till", Some("queue"), Opener::User),
            ("Fix the till", Some("a_new_one"), Opener::User),
            ("[Check-in] Still waiting?", Some("queue"), Opener::CheckIn),
            ("what does [Check-in] mean?", None, Opener::User),
            ("<heartbeat>\n<instructions>Look at the feed</instructions></heartbeat>", None, Opener::Wake),
            ("Look at the feed", Some("automation_run"), Opener::Wake),
            ("Go on", Some("goal"), Opener::Wake),
            ("<subagent_notification>{}</subagent_notification>", None, Opener::Agent),
            ("Look at this", Some("app_tool_send_message"), Opener::Agent),
        ];
        for (text, trigger, expected) in rows {
            assert_eq!(opener(text, trigger), expected, "{text} {trigger:?}");
        }
    }

    #[test]
    fn the_label_of_a_heartbeat_is_what_it_asks_for() {
        let text = "<heartbeat>\n<automation_id>x</automation_id>\n<instructions>\nLook at the feed\n</instructions>\n</heartbeat>";
        assert_eq!(label(text).trim(), "Look at the feed");
        assert_eq!(label("<heartbeat>odd"), "<heartbeat>odd");
    }

    #[test]
    fn context_is_no_prompt() {
        for text in
            ["<environment_context>\n<cwd>/x</cwd>", " # AGENTS.md instructions for /x", "<turn_aborted>"]
        {
            assert!(is_injected(text), "{text}");
        }
        assert!(!is_injected("what is <environment_context>?"));
    }
}
