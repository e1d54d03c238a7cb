//! What a hook prints: exactly one client's format, chosen by how the hook was installed (spec 60), never a merged answer.

use wakeful_core::ids::Client;
use wakeful_shell::{Advisee, GuardVerdict, Refusal, refusal_text};

use crate::{claude_code, codex, cursor};

/// What a guard hook of `client` prints at `event` for this verdict; `None`: nothing. Never an explicit allow (G2).
///
/// Clients whose hooks are not written yet get nothing, which is a pass everywhere.
pub fn guard_answer(client: Client, event: &str, verdict: &GuardVerdict) -> Option<String> {
    let said = match (client, verdict) {
        (Client::ClaudeCode, GuardVerdict::Deny(refusal)) => Some(claude_code::answer::deny(refusal)),
        (Client::ClaudeCode, GuardVerdict::Warn(refusal)) => Some(claude_code::answer::warn(refusal)),
        (Client::Codex, GuardVerdict::Deny(refusal)) => Some(codex::answer::deny(refusal)),
        (Client::Codex, GuardVerdict::Warn(refusal)) => Some(codex::answer::warn(refusal)),
        (Client::Cursor, GuardVerdict::Deny(refusal)) => Some(cursor::answer::deny(refusal)),
        (Client::Cursor, GuardVerdict::Warn(refusal)) => cursor::answer::warn(event, refusal),
        _ => None,
    };
    said.or_else(|| neutral(client).map(str::to_owned))
}

/// What a hook of `client` prints when it has nothing to say; `None`: nothing.
pub const fn neutral(client: Client) -> Option<&'static str> {
    match client {
        Client::Cursor => Some(cursor::answer::NEUTRAL),
        _ => None,
    }
}

/// What the agent reads when its command runs although a rule matched.
pub(crate) fn tolerated(refusal: &Refusal, advisee: Advisee) -> String {
    format!("This command is let through; do not wait like this again.\n{}", refusal_text(refusal, advisee))
}

#[cfg(test)]
mod tests {
    use wakeful_shell::{GuardPolicy, PolicyLevel, RuleSwitch, guard};

    use super::*;

    const LOOP: &str = "until test -f out/ready; do sleep 4; done";

    fn verdict(level: PolicyLevel) -> GuardVerdict {
        guard(LOOP, &GuardPolicy::of(level))
    }

    #[test]
    fn a_refusal_says_what_each_client_accepts() {
        let deny = verdict(PolicyLevel::Standard);
        insta::assert_snapshot!(
            "deny_claude_code",
            guard_answer(Client::ClaudeCode, "PreToolUse", &deny).unwrap()
        );
        insta::assert_snapshot!("deny_codex", guard_answer(Client::Codex, "PreToolUse", &deny).unwrap());
        insta::assert_snapshot!(
            "deny_cursor",
            guard_answer(Client::Cursor, "beforeShellExecution", &deny).unwrap()
        );
    }

    #[test]
    fn a_warning_tells_the_agent_where_the_client_can() {
        let warn = verdict(PolicyLevel::Warn);
        insta::assert_snapshot!(
            "warn_claude_code",
            guard_answer(Client::ClaudeCode, "PreToolUse", &warn).unwrap()
        );
        insta::assert_snapshot!("warn_codex", guard_answer(Client::Codex, "PreToolUse", &warn).unwrap());
        insta::assert_snapshot!("warn_cursor", guard_answer(Client::Cursor, "preToolUse", &warn).unwrap());
        assert_eq!(guard_answer(Client::Cursor, "beforeShellExecution", &warn).as_deref(), Some("{}"));
    }

    #[test]
    fn a_pass_is_never_an_explicit_allow() {
        let mut allowing = GuardPolicy::default();
        allowing.allow.push("until*".to_owned());
        let mut off = GuardPolicy::default();
        off.rules.insert(wakeful_shell::RuleId::PollLoop, RuleSwitch::Off);
        for verdict in [guard("make", &GuardPolicy::default()), guard(LOOP, &allowing), guard(LOOP, &off)] {
            for client in Client::ALL {
                let said = guard_answer(client, "PreToolUse", &verdict);
                let expected = if client == Client::Cursor { Some("{}") } else { None };
                assert_eq!(said.as_deref(), expected, "{client} {verdict:?}");
            }
        }
    }

    /// Codex rejects the whole answer for one key that it does not know, and the command runs.
    #[test]
    fn codex_knows_every_key() {
        for level in [PolicyLevel::Standard, PolicyLevel::Warn] {
            let said = guard_answer(Client::Codex, "PreToolUse", &verdict(level)).unwrap();
            let value: serde_json::Value = serde_json::from_str(&said).unwrap();
            let keys: Vec<_> = value.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["hookSpecificOutput"]);
            let known =
                ["hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"];
            assert!(
                value["hookSpecificOutput"]
                    .as_object()
                    .unwrap()
                    .keys()
                    .all(|key| known.contains(&key.as_str()))
            );
        }
    }
}
