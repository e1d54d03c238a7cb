//! What happens in sessions: payloads of hooks, events that are seen otherwise, and actions of the user. Mostly as clients do
//! it, and sometimes not.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wakeful_core::event::*;
use wakeful_core::ids::{Client, Digest, RuleId, SessionId, SessionKey, TaskId};
use wakeful_core::reading::{Mechanism, Question, Reading, WaitWords};
use wakeful_core::time::{Millis, Now};

use super::chance::Chance;

/// Something that happens.
#[derive(Debug, Clone)]
pub enum Happening {
    Hook(String),
    Event(Event),
    Act(SessionKey, UserAction),
}

/// One session as its client sees it.
pub struct Tale {
    pub key: SessionKey,
    turn: u64,
    open: bool,
    live: BTreeSet<u64>,
    tasks: u64,
}

impl Tale {
    pub fn new(number: u64) -> Self {
        let key = SessionKey { client: Client::ClaudeCode, id: SessionId::new(format!("s{number}")) };
        Self { key, turn: 0, open: false, live: BTreeSet::new(), tasks: 0 }
    }

    fn hook(&self, name: &str, more: Value) -> Happening {
        let mut payload = json!({"session_id": self.key.id.0, "cwd": format!("/home/eve/{}", self.key.id), "hook_event_name": name});
        let object = payload.as_object_mut().unwrap();
        if name != "SessionStart" {
            object.insert("prompt_id".into(), json!(format!("{}-p{}", self.key.id, self.turn)));
        }
        let Value::Object(more) = more else { panic!("{more}") };
        object.extend(more);
        Happening::Hook(payload.to_string())
    }

    fn event(&self, source: Source, kind: EventKind) -> Happening {
        let session = self.key.clone();
        Happening::Event(Event { session, source, turn: None, agent: None, epoch: None, started: None, kind })
    }

    pub fn start(&mut self, source: &str) -> Happening {
        if source == "resume" {
            (self.open, self.live) = (false, BTreeSet::new());
        }
        self.hook("SessionStart", json!({"source": source}))
    }

    pub fn prompt(&mut self, text: &str) -> Happening {
        (self.turn, self.open) = (self.turn + 1, true);
        self.hook("UserPromptSubmit", json!({"prompt": text}))
    }

    pub fn task(&mut self) -> Happening {
        self.tasks += 1;
        self.live.insert(self.tasks);
        let (id, call) = (format!("b{}", self.tasks), format!("{}-c{}", self.key.id, self.tasks));
        let input = json!({"command": format!("./{id}.sh"), "description": id, "run_in_background": true, "timeout": 3_600_000});
        let answer = json!({"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": id});
        self.hook(
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": input, "tool_response": answer, "tool_use_id": call}),
        )
    }

    pub fn stop(&mut self, text: &str) -> Happening {
        self.open = false;
        let live: Vec<Value> = self
            .live
            .iter()
            .map(|n| json!({"id": format!("b{n}"), "type": "shell", "status": "running", "description": format!("b{n}")}))
            .collect();
        let more = json!({"stop_hook_active": false, "last_assistant_message": text, "background_tasks": live, "session_crons": []});
        self.hook("Stop", more)
    }

    fn note(id: u64) -> String {
        format!(
            "<task-notification>\n<task-id>b{id}</task-id>\n<status>completed</status>\n\
             <summary>Background command \"b{id}\" completed (exit code 0)</summary>\n</task-notification>"
        )
    }

    /// A task is over: its report between turns, or the wake that it owes.
    fn task_over(&mut self, wake: bool) -> Option<Happening> {
        let id = *self.live.iter().next()?;
        if wake {
            self.live.remove(&id);
            return Some(self.prompt(&Self::note(id)));
        }
        let kind = EventKind::TaskFinished(TaskReport {
            task: TaskId::new(format!("b{id}")),
            outcome: Some(TaskOutcome::Completed),
            summary: String::new(),
        });
        Some(self.event(Source::Transcript, kind))
    }

    pub fn own_wake(&self, now: Now, minutes: u64, check_in: bool) -> Happening {
        let (prompt, delay) = (format!("look again after {minutes}"), Millis::minutes(minutes));
        self.event(
            Source::Mcp,
            EventKind::WakeScheduled(ScheduledWake {
                id: None,
                due: now.wall.plus(delay),
                delay,
                prompt: Digest::of(prompt.as_bytes()),
                by: WakeOwner::Wakeful { check_in, prompt },
                reason: None,
            }),
        )
    }

    pub fn dialog(&self, open: bool) -> Happening {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "mow --all"}});
        if open {
            return self.hook("PermissionRequest", call);
        }
        let mut done = call;
        done["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
        done["tool_use_id"] = json!(format!("{}-mow", self.key.id));
        self.hook("PostToolUse", done)
    }

    pub fn exit(&self) -> Happening {
        self.event(Source::Process, EventKind::ProcessExited { cause: ExitCause::Unknown })
    }

    pub fn act(&self, action: UserAction) -> Happening {
        Happening::Act(self.key.clone(), action)
    }

    /// The user closes the client.
    pub fn end(&mut self) -> Happening {
        self.hook("SessionEnd", json!({"reason": "prompt_input_exit"}))
    }

    fn some_act(&self, chance: &mut Chance) -> Happening {
        let actions = [
            UserAction::KeepWaiting,
            UserAction::CheckIn,
            UserAction::Done,
            UserAction::Snooze { minutes: u32::try_from(chance.below(300)).unwrap() },
            UserAction::StopWaiting { task: None },
            UserAction::StopWaiting { task: self.live.first().map(|n| TaskId::new(format!("b{n}"))) },
            UserAction::Reply { text: "go on".into() },
            UserAction::Stop,
        ];
        self.act(chance.of(&actions).clone())
    }

    /// What a session does next.
    pub fn next(&mut self, now: Now, chance: &mut Chance) -> Happening {
        const SAID: [&str; 7] = [
            "On it.",
            "I wait for the build.",
            "I wait for CI.",
            "I wait for CI, eta.",
            "It is finished.",
            "Which of the two?",
            "It broke.",
        ];
        if self.turn == 0 && self.tasks == 0 {
            self.tasks = 1;
            return self.start("startup");
        }
        match chance.below(if self.open { 14 } else { 20 }) {
            0 => self.some_act(chance),
            1 => self.own_wake(now, 1 + chance.below(240), chance.once_in(2)),
            2 if chance.once_in(6) => self.exit(),
            3 if chance.once_in(6) => self.start("resume"),
            3 if chance.once_in(12) => {
                let reason = *chance.of(&["prompt_input_exit", "clear", "other", "logout"]);
                self.hook("SessionEnd", json!({"reason": reason}))
            }
            2 | 3 => self.dialog(chance.once_in(3)),
            4 => self.task_over(false).unwrap_or_else(|| self.dialog(false)),
            5 => self.hook("Notification", json!({"notification_type": "idle_prompt", "message": "waits"})),
            6 if chance.once_in(3) => self.hook("Unheard", json!({"of": 1})),
            6 | 7 => self.task(),
            8..14 if self.open => self.stop(chance.of::<&str>(&SAID)),
            8..14 => self.task_over(true).unwrap_or_else(|| self.prompt("go on")),
            _ => self.prompt("and the next thing"),
        }
    }
}

/// A reader of messages that knows as much as the above says.
pub fn reading(text: &str) -> Reading {
    let words = || WaitWords {
        rule: RuleId::new("waits"),
        words: "I wait".into(),
        names_external: text.contains("CI"),
        names_mechanism: text.contains("build").then_some(Mechanism::Task),
    };
    let waits = text.contains("wait").then(words);
    Reading {
        rules: "test".into(),
        asks_user: text.contains('?').then(|| Question { snippet: text.into(), rule: RuleId::new("asks") }),
        wait: waits.clone(),
        waits_somewhere: waits,
        closes: text.contains("finished").then(|| RuleId::new("closes")),
        stated_eta: text.contains("eta").then_some(Millis::minutes(60)),
        vetoes: Vec::new(),
    }
}
