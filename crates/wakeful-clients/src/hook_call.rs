//! The few fields of a hook payload that the hook itself needs: which event, which command, whose.
//!
//! Hot path: one pass over the payload, nothing is translated here. Translation is the reader's job (C1).

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;
use wakeful_core::ids::Client;
use wakeful_shell::{is_shell_tool, shell_command};

use crate::json::Object;

/// A hook call, as far as the hook looks at it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookCall<'a> {
    /// The event's name: the payload's, or else the one of the command line.
    pub event: Cow<'a, str>,
    /// The shell command that is about to run, if that is what the event says.
    pub command: Option<String>,
    /// The client that wrote the payload, where it says so and it is not the one that the hook was installed for.
    pub foreign: Option<Client>,
    /// The folders that are open in the client (Cursor), for finding its own hooks file.
    pub roots: Vec<Cow<'a, str>>,
}

impl<'a> HookCall<'a> {
    /// Reads the payload of a hook installed for `client`; of bytes that are no object, nothing but the event's name on
    /// the command line.
    pub fn read(client: Client, event_arg: Option<&'a str>, payload: &'a [u8]) -> Self {
        let given = Cow::Borrowed(event_arg.unwrap_or_default());
        let Some(mut object) = Object::parse(payload) else {
            return Self { event: given, ..Self::default() };
        };
        let event = object.take::<Cow<str>>("hook_event_name").ok().unwrap_or(given);
        // Every payload of Cursor's has it, and nobody else's.
        let cursor = object.take::<Cow<str>>("cursor_version").ok().is_some();
        let foreign = (cursor && client != Client::Cursor).then_some(Client::Cursor);
        let command = pre_tool(&event, &mut object);
        let roots = if foreign.is_some() {
            object.take("workspace_roots").ok().unwrap_or_default()
        } else {
            Vec::new()
        };
        Self { event, command, foreign, roots }
    }
}

/// The command of a pre-tool event. Malformed input passes (G1).
fn pre_tool(event: &str, object: &mut Object<'_>) -> Option<String> {
    const CURSORS_OWN: &str = "beforeShellExecution";
    if event.eq_ignore_ascii_case(CURSORS_OWN) {
        let command: Value = serde_json::from_str(object.take::<&RawValue>("command").ok()?.get()).ok()?;
        return shell_command(
            CURSORS_OWN,
            &Value::Object([("command".to_owned(), command)].into_iter().collect()),
        );
    }
    if !event.eq_ignore_ascii_case("PreToolUse") {
        return None;
    }
    let tool = object.take::<Cow<str>>("tool_name").ok().filter(|tool| is_shell_tool(tool))?;
    let input = serde_json::from_str(object.take::<&RawValue>("tool_input").ok()?.get()).ok()?;
    shell_command(&tool, &input)
}

/// Does this event matter even when the spool is nearly full? Session starts and ends, turn ends and asks do (C1), and prompts, which
/// answer them: from these a list of who needs the user can be made. Names of all clients, in lower case; unknown ones do not.
pub fn is_essential(event: &str) -> bool {
    const ESSENTIAL: [&str; 13] = [
        "sessionstart",
        "sessionend",
        "stop",
        "stopfailure",
        "afteragent",
        "agentstop",
        "afteragentresponse",
        "permissionrequest",
        "notification",
        "elicitation",
        "elicitationresult",
        "userpromptsubmit",
        "beforesubmitprompt",
    ];
    ESSENTIAL.iter().any(|name| name.eq_ignore_ascii_case(event))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAUDE: &str = r#"{"session_id":"5e1f","transcript_path":"/home/eve/.claude/t.jsonl","cwd":"/home/eve/shop",
        "hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_use_id":"toolu_7"}"#;
    const CURSOR: &str = r#"{"conversation_id":"c1","generation_id":"g1","hook_event_name":"beforeShellExecution",
        "cursor_version":"1.0.0","workspace_roots":["/home/eve/shop"],"command":"cargo test","cwd":"/home/eve/shop"}"#;

    #[test]
    fn the_command_of_a_pre_tool_event() {
        let call = HookCall::read(Client::ClaudeCode, None, CLAUDE.as_bytes());
        assert_eq!(
            (&*call.event, call.command.as_deref(), call.foreign),
            ("PreToolUse", Some("cargo test"), None)
        );
        let after = CLAUDE.replace("PreToolUse", "PostToolUse");
        assert_eq!(HookCall::read(Client::ClaudeCode, None, after.as_bytes()).command, None);
        let call = HookCall::read(Client::Cursor, None, CURSOR.as_bytes());
        assert_eq!((call.command.as_deref(), call.foreign), (Some("cargo test"), None));
    }

    #[test]
    fn the_event_of_the_command_line_stands_in() {
        let nameless = CLAUDE.replace("\"hook_event_name\":\"PreToolUse\",", "");
        let call = HookCall::read(Client::ClaudeCode, Some("PreToolUse"), nameless.as_bytes());
        assert_eq!(call.command.as_deref(), Some("cargo test"));
        let call = HookCall::read(Client::ClaudeCode, Some("PreToolUse"), b"not json");
        assert_eq!((&*call.event, call.command), ("PreToolUse", None));
    }

    #[test]
    fn a_payload_of_cursor_is_foreign_to_others() {
        let call = HookCall::read(Client::ClaudeCode, None, CURSOR.as_bytes());
        assert_eq!((call.foreign, call.roots), (Some(Client::Cursor), vec![Cow::from("/home/eve/shop")]));
    }
}
