//! The queue of prompts: where reports wait while the session is idle, and what goes into the open turn.

use super::super::lines::{Attachment, Line, prompt_text};
use super::super::{hook, notification};
use super::TranscriptTranslator;
use crate::Unknown;
use crate::telling::Telling;

/// At most this many prompts are kept queued, so that a file without `dequeue` lines costs no more.
const MOST_QUEUED: usize = 1024;
/// What a resumed session says of the tasks of the process before it (capture 19b).
const PREVIOUS_SESSION: &str = "previous session ended";

impl TranscriptTranslator {
    pub(super) fn queue_operation(&mut self, line: &Line<'_>, told: &mut Telling<'_>) {
        let content = line.content.get().map(AsRef::as_ref);
        match line.operation.get().map(AsRef::as_ref) {
            Some("enqueue") => self.enqueued(content.unwrap_or_default(), told),
            Some("dequeue") => {
                self.queue.pop_front();
            }
            Some("remove") => {
                if let Some(text) = self.unqueue(content) {
                    self.folded(&text, told);
                }
            }
            // The user took it back into the input box.
            Some("popAll") => match content {
                Some(_) => drop(self.unqueue(content)),
                None => self.queue.clear(),
            },
            other => self
                .unknowns
                .count(Unknown::Variant, format!("queue-operation.operation={}", other.unwrap_or("?"))),
        }
    }

    /// A report that comes in while the session is idle stands here, and in no hook, until its wake starts.
    fn enqueued(&mut self, text: &str, told: &mut Telling<'_>) {
        if notification::is_notification(text) {
            if self.turn.closing.as_ref().is_some_and(|closing| closing.definite && closing.text.is_some()) {
                self.close(told);
            }
            if text.contains(PREVIOUS_SESSION) {
                self.resumed(told);
            }
            let at = told.ctx.now;
            self.delayed.extend(notification::reports(text).into_iter().map(|report| (at, report)));
        }
        if self.queue.len() >= MOST_QUEUED {
            self.queue.pop_front();
        }
        if self.delayed.len() >= MOST_QUEUED {
            self.close(told);
        }
        self.queue.push_back(text.to_owned());
    }

    fn unqueue(&mut self, content: Option<&str>) -> Option<String> {
        match content {
            Some(text) => {
                let at = self.queue.iter().position(|queued| queued == text)?;
                self.queue.remove(at)
            }
            None => self.queue.pop_front(),
        }
    }

    /// A queued prompt went into the open turn: it opens none, and what it reports is consumed there (A13).
    pub(super) fn folded(&mut self, text: &str, told: &mut Telling<'_>) {
        if !self.turn.open {
            return;
        }
        self.turn.closing = None;
        self.tell_delayed(told);
        let prompt = hook::prompt_submitted(text);
        let turn = self.turn.id.clone();
        self.tell(prompt, turn, told);
    }

    pub(super) fn attachment(&mut self, line: &Line<'_>, told: &mut Telling<'_>) {
        let Some(attachment) = line.attachment.get().map(|object| Attachment::read(&mut object.clone()))
        else {
            return;
        };
        if let Some(hook) = attachment.hook_name.get() {
            match hook.as_ref() {
                "SessionStart:resume" if self.session_told => self.resumed(told),
                _ => {}
            }
        }
        if attachment.kind.get().map(AsRef::as_ref) != Some("queued_command") {
            return;
        }
        // The line of the queue says the same, before or after this one: whichever comes first counts.
        if let Some(text) = attachment.prompt.get().and_then(|raw| prompt_text(raw))
            && self.unqueue(Some(&text)).is_some()
        {
            self.folded(&text, told);
        }
    }
}
