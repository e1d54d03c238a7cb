//! What Claude Code writes into its transcripts, exactly as it writes it (2.1.332, and what older versions differ in).
//!
//! A line can be megabytes of tool output. It is walked twice: once over its own fields, once over its message; what
//! is not read is skipped without being built.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::wire::Text;
use crate::json::{FromRaw, Object, Text as Key, wire};

wire! {
    /// The fields of a line that say what it is. Lines have no fixed order of keys.
    Line<'a> {
        /// Every line.
        "type" => kind: Text<'a>,
        /// Every line but summaries of older versions.
        "sessionId" => session: Text<'a>,
        /// Most lines.
        "timestamp" => timestamp: Text<'a>,
        /// `user`, `assistant`, `system`, `attachment`.
        "uuid" => uuid: Text<'a>,
        /// The same: it belongs to a subagent.
        "isSidechain" => sidechain: bool,
        /// `user`: the turn's id. Older versions have none.
        "promptId" => prompt_id: Text<'a>,
        /// `user`: not typed by a person.
        "isMeta" => meta: bool,
        /// `user`, `system`: shown, never sent to the model.
        "isVisibleInTranscriptOnly" => transcript_only: bool,
        /// `user`: the summary after a compaction.
        "isCompactSummary" => compact_summary: bool,
        /// `user`: stands beside another prompt of the same turn.
        "turnCompanion" => companion: bool,
        /// `user`: written when the session was resumed, without a turn (capture 19b).
        "queueTranscriptOnly" => queue_transcript_only: bool,
        /// `user`: `human`, `sdk`, `task_notification`, `scheduled`. Older versions have none.
        "turnOrigin" => turn_origin: Text<'a>,
        /// `user`: `{kind}`: `human`, `task-notification`, `peer`, `channel`. Older versions have none.
        "origin" => origin: Object<'a>,
        /// `user`: the tool's full output object; a text after an error.
        "toolUseResult" => tool_use_result: &'a RawValue,
        /// `user`: the call was refused.
        "toolDenialKind" => denial: Text<'a>,
        /// `user`, `assistant`.
        "message" => message: &'a RawValue,
        /// `assistant`: an error in the place of an answer.
        "isApiErrorMessage" => api_error: bool,
        /// `assistant` with it: which (the words of `StopFailure`).
        "error" => error: Text<'a>,
        /// `assistant` copied into a fork: the session that it was written for.
        "requestSessionId" => request_session: Text<'a>,
        /// Lines copied into a branch by some versions.
        "forkedFrom" => forked_from: &'a RawValue,
        /// `queue-operation`: `enqueue`, `dequeue`, `remove`, `popAll`.
        "operation" => operation: Text<'a>,
        /// `queue-operation` (a text), `system`.
        "content" => content: Text<'a>,
        /// `system`: which.
        "subtype" => subtype: Text<'a>,
        /// `attachment`: `{type, …}`.
        "attachment" => attachment: Object<'a>,
        /// Where the session runs.
        "cwd" => cwd: Text<'a>,
    }
}

wire! {
    /// `origin` of a user line.
    Origin<'a> {
        /// Who.
        "kind" => kind: Text<'a>,
    }
}

wire! {
    /// `attachment` of an attachment line.
    Attachment<'a> {
        /// Which.
        "type" => kind: Text<'a>,
        /// `queued_command`: a text, or a list of blocks.
        "prompt" => prompt: &'a RawValue,
        /// `hook_success` and the like: `SessionStart:resume`.
        "hookName" => hook_name: Text<'a>,
    }
}

/// The message of a user or an assistant line.
#[derive(Debug, Default)]
pub(crate) struct Message<'a> {
    /// Lines with the same id are blocks of one message.
    pub(crate) id: Option<Text<'a>>,
    /// The model; `<synthetic>` where the client wrote the message itself.
    pub(crate) model: Option<Text<'a>>,
    /// `end_turn`, `tool_use`, …; null in older versions.
    pub(crate) stop_reason: Option<Text<'a>>,
    /// What it says.
    pub(crate) blocks: Vec<Block<'a>>,
}

/// One block of a message; a message that is a text has one.
#[derive(Debug)]
pub(crate) enum Block<'a> {
    /// A text.
    Text(Text<'a>),
    /// A call of a tool.
    ToolUse {
        /// Its id.
        id: Text<'a>,
        /// The tool's name.
        name: Text<'a>,
        /// Its input.
        input: Option<&'a RawValue>,
    },
    /// The end of a call.
    ToolResult {
        /// The call's id.
        id: Text<'a>,
        /// It ended badly.
        is_error: bool,
    },
    /// Thinking, an image, or something new.
    Other,
}

impl<'a> Message<'a> {
    /// The message in `raw`; `None` if it is none.
    pub(crate) fn read(raw: &'a RawValue) -> Option<Self> {
        let mut deserializer = serde_json::Deserializer::from_str(raw.get());
        deserializer.deserialize_map(MessageVisitor).ok().or_else(|| Self::read_text(raw))
    }

    /// The message whose content is one text with half an emoji in it, which the quick way refuses.
    fn read_text(raw: &'a RawValue) -> Option<Self> {
        let content = Object::from_raw(raw)?.take::<Text<'a>>("content").ok()?;
        Some(Self { blocks: vec![Block::Text(content)], ..Self::default() })
    }

    /// Its texts, a line each.
    pub(crate) fn text(&self) -> Option<String> {
        let mut texts = self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) if !text.trim().is_empty() => Some(text.as_ref()),
            _ => None,
        });
        let mut whole = texts.next()?.to_owned();
        for text in texts {
            whole.push('\n');
            whole.push_str(text);
        }
        Some(whole)
    }
}

/// The text of a prompt that is a text or a list of blocks.
pub(crate) fn prompt_text(raw: &RawValue) -> Option<String> {
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    let blocks = ContentSeed.deserialize(&mut deserializer).ok()?;
    Message { blocks, ..Message::default() }.text()
}

struct MessageVisitor;

impl<'de> Visitor<'de> for MessageVisitor {
    type Value = Message<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut message = Message::default();
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            match key.as_ref() {
                "id" => message.id = Cow::from_raw(map.next_value()?),
                "model" => message.model = Cow::from_raw(map.next_value()?),
                "stop_reason" => message.stop_reason = Cow::from_raw(map.next_value()?),
                "content" => message.blocks = map.next_value_seed(ContentSeed)?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(message)
    }
}

struct ContentSeed;

impl<'de> DeserializeSeed<'de> for ContentSeed {
    type Value = Vec<Block<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ContentSeed {
    type Value = Vec<Block<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of blocks")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(vec![Block::Text(Cow::Borrowed(text))])
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(vec![Block::Text(Cow::Owned(text.to_owned()))])
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = seq.next_element_seed(BlockSeed)? {
            blocks.push(block);
        }
        Ok(blocks)
    }
}

struct BlockSeed;

impl<'de> DeserializeSeed<'de> for BlockSeed {
    type Value = Block<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for BlockSeed {
    type Value = Block<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a block")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut kind, mut id, mut name, mut text) = (None, None, None, None);
        let (mut input, mut of, mut is_error) = (None, None, false);
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            match key.as_ref() {
                "type" => kind = Cow::<str>::from_raw(map.next_value()?),
                "id" => id = Cow::<str>::from_raw(map.next_value()?),
                "name" => name = Cow::<str>::from_raw(map.next_value()?),
                "text" => text = Cow::<str>::from_raw(map.next_value()?),
                "tool_use_id" => of = Cow::<str>::from_raw(map.next_value()?),
                "is_error" => is_error = bool::from_raw(map.next_value()?) == Some(true),
                "input" => input = Some(map.next_value::<&'de RawValue>()?),
                // The content of a tool's result: the bulk of a transcript.
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(match kind.as_deref() {
            Some("text") => text.map_or(Block::Other, Block::Text),
            Some("tool_use") => match (id, name) {
                (Some(id), Some(name)) => Block::ToolUse { id, name, input },
                _ => Block::Other,
            },
            Some("tool_result") => of.map_or(Block::Other, |id| Block::ToolResult { id, is_error }),
            _ => Block::Other,
        })
    }
}

/// Kinds of lines that are written often and carry nothing. Told by the first bytes, before anything is parsed.
pub(crate) fn is_quiet(line: &[u8]) -> bool {
    const QUIET: [&[u8]; 14] = [
        b"file-history-snapshot\"",
        b"summary\"",
        b"progress\"",
        b"last-prompt\"",
        b"api-request",
        b"atis-latch\"",
        b"tools-used\"",
        b"cost-state\"",
        b"mode\"",
        b"permission-mode\"",
        b"ai-title\"",
        b"agent-name\"",
        b"custom-title\"",
        b"tag\"",
    ];
    if is_quiet_attachment(line) {
        return true;
    }
    let Some(rest) = line.trim_ascii_start().strip_prefix(b"{\"type\":") else { return false };
    let Some(kind) = rest.trim_ascii_start().strip_prefix(b"\"") else { return false };
    QUIET.iter().any(|quiet| kind.starts_with(quiet))
}

/// An attachment that is neither a queued prompt nor the word of a hook that ran at a start. Most lines of a transcript
/// are attachments. The mark cannot stand in a text: there its quotes would be escaped.
fn is_quiet_attachment(line: &[u8]) -> bool {
    /// The mark comes after `parentUuid` and a flag or two.
    const HEAD: usize = 200;
    static MARK: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"attachment\":{\"type\":\""));
    static READ: LazyLock<[Finder<'_>; 2]> =
        LazyLock::new(|| [Finder::new("queued_command"), Finder::new("SessionStart:")]);
    let head = &line[..line.len().min(HEAD)];
    MARK.find(head).is_some() && READ.iter().all(|read| read.find(line).is_none())
}

/// Kinds of lines that are known to carry nothing.
pub(crate) const KNOWN_QUIET: [&str; 17] = [
    "file-history-snapshot",
    "summary",
    "progress",
    "last-prompt",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "tools-used",
    "cost-state",
    "mode",
    "permission-mode",
    "ai-title",
    "agent-name",
    "custom-title",
    "tag",
    "pr-link",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn message(json: &str) -> Option<String> {
        let raw: Box<RawValue> = serde_json::from_str(json).unwrap();
        Message::read(&raw).map(|message| format!("{:?} {:?}", message.text(), message.blocks.len()))
    }

    #[test]
    fn messages() {
        assert_eq!(message(r#"{"role":"user","content":"hi"}"#).unwrap(), "Some(\"hi\") 1");
        assert_eq!(
            message(r#"{"content":[{"type":"text","text":"a"},{"type":"x"},{"type":"text","text":"b"}]}"#)
                .unwrap(),
            "Some(\"a\\nb\") 3"
        );
        assert_eq!(message(r#"{"content":[{"type":"thinking","thinking":"hm"}]}"#).unwrap(), "None 1");
        assert_eq!(message(r#"{"content":null}"#).unwrap(), "None 0");
        assert_eq!(
            message(r#"{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"a":[1]}]}],"id":7}"#)
                .unwrap(),
            "None 1"
        );
        assert_eq!(message(r#"{"content":7}"#), None);
    }

    #[test]
    fn quiet_lines() {
        assert!(is_quiet(br#"{"type":"file-history-snapshot","snapshot":{}}"#));
        assert!(is_quiet(br#"{"type": "api-request-blob", "x": 1}"#));
        assert!(!is_quiet(br#"{"type":"user"}"#));
        assert!(!is_quiet(br#"{"parentUuid":null,"type":"summary"}"#));
        assert!(is_quiet(
            br#"{"parentUuid":null,"isSidechain":false,"attachment":{"type":"date"},"type":"attachment"}"#
        ));
        assert!(!is_quiet(
            br#"{"isSidechain":false,"attachment":{"type":"queued_command"},"type":"attachment"}"#
        ));
        assert!(!is_quiet(br#"{"message":{"content":"\"attachment\":{\"type\":\""},"type":"user"}"#));
    }
}
