//! Claude Code's transcript lines, kind by kind. Whole sessions are in the fixtures (`claude_code_parity`).

#![allow(clippy::needless_pass_by_value, reason = "lines in short form")]

mod support;

use serde_json::{Value, json};
use wakeful_clients::Told;
use wakeful_clients::claude_code::transcript::{LineCounts, Mode, TranscriptTranslator};
use wakeful_core::event::{
    AskKind, EventKind, Opener, SessionStart, TaskKind, TaskOutcome, ToolClass, TurnEnd, TurnHow, WakeOwner,
};
use wakeful_core::ids::SessionId;
use wakeful_core::time::Wall;

/// Lines of a session `s-1`, one second after another from 2027-01-04T09:00:00Z.
struct Lines {
    translator: TranscriptTranslator,
    second: u32,
    told: Vec<Told>,
}

impl Lines {
    fn new(mode: Mode) -> Self {
        let translator = TranscriptTranslator::new(mode, Some(SessionId::new("s-1")));
        Self { translator, second: 0, told: Vec::new() }
    }

    fn raw(&mut self, text: &str) -> &mut Self {
        self.told.extend(self.translator.line(text.as_bytes(), &support::ctx(support::NOW)));
        self
    }

    /// A line with the fields that every line has, and these.
    fn line(&mut self, kind: &str, fields: Value) -> &mut Self {
        self.second += 1;
        let stamp = format!("2027-01-04T09:{:02}:{:02}.000Z", self.second / 60, self.second % 60);
        let mut line = json!({
            "parentUuid": null, "isSidechain": false, "type": kind, "uuid": format!("u-{}", self.second),
            "timestamp": stamp, "sessionId": "s-1", "cwd": "/home/ada/shop", "version": "2.1.332",
        });
        let Value::Object(fields) = fields else { panic!("an object") };
        support::as_map(&mut line).extend(fields);
        self.raw(&line.to_string())
    }

    fn user(&mut self, turn: &str, text: &str) -> &mut Self {
        let message = json!({"role": "user", "content": text});
        self.line("user", json!({"message": message, "promptId": turn, "turnOrigin": "human"}))
    }

    fn assistant(&mut self, id: &str, block: Value, stop: Value) -> &mut Self {
        let message =
            json!({"id": id, "role": "assistant", "model": "m", "content": [block], "stop_reason": stop});
        self.line("assistant", json!({"message": message}))
    }

    fn says(&mut self, id: &str, text: &str, stop: Value) -> &mut Self {
        self.assistant(id, json!({"type": "text", "text": text}), stop)
    }

    fn calls(&mut self, id: &str, name: &str, input: Value) -> &mut Self {
        self.assistant(
            &format!("m-{id}"),
            json!({"type": "tool_use", "id": id, "name": name, "input": input}),
            json!("tool_use"),
        )
    }

    fn result(&mut self, id: &str, result: Value) -> &mut Self {
        let message =
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "…"}]});
        self.line("user", json!({"message": message, "toolUseResult": result}))
    }

    fn queue(&mut self, operation: &str, content: Option<&str>) -> &mut Self {
        let mut fields = json!({"operation": operation});
        if let Some(content) = content {
            fields["content"] = json!(content);
        }
        self.line("queue-operation", fields)
    }

    fn finish(&mut self) -> &mut Self {
        self.told.extend(self.translator.finish(&support::ctx(support::NOW)));
        self
    }

    fn kinds(&self) -> Vec<&EventKind> {
        self.told.iter().map(|told| &told.event.kind).collect()
    }

    fn ends(&self) -> Vec<&TurnEnd> {
        let mut ends: Vec<&TurnEnd> = Vec::new();
        for told in &self.told {
            if let EventKind::TurnEnded(end) = &told.event.kind {
                ends.push(end);
            }
        }
        ends
    }

    fn openers(&self) -> Vec<(Opener, &str)> {
        let mut openers = Vec::new();
        for told in &self.told {
            if let EventKind::PromptSubmitted { opener, .. } = &told.event.kind {
                openers.push((*opener, told.event.turn.as_ref().map_or("", |turn| turn.as_str())));
            }
        }
        openers
    }
}

fn replay() -> Lines {
    Lines::new(Mode::Replay)
}

fn note(id: &str, rest: &str) -> String {
    format!("<task-notification>\n<task-id>{id}</task-id>\n{rest}\n</task-notification>")
}

fn done(id: &str) -> String {
    note(id, "<status>completed</status>\n<summary>ready</summary>")
}

#[test]
fn a_turn_says_who_when_and_how() {
    let mut lines = replay();
    lines.user("p-1", "Bake bread").says("m-1", "Which flour?", json!("end_turn")).finish();
    let [start, prompt, end] = &lines.told[..] else { panic!("{:?}", lines.kinds()) };
    match &start.event.kind {
        EventKind::SessionStarted { start: SessionStart::Startup, place } => {
            assert_eq!(place.cwd.as_deref(), Some("/home/ada/shop"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(prompt.at.wall, Wall(1_799_053_201_000));
    assert_eq!(prompt.event.turn.as_ref().unwrap().as_str(), "p-1");
    assert_eq!(end.at.wall, Wall(1_799_053_202_000));
    assert_eq!(end.event.turn.as_ref().unwrap().as_str(), "p-1");
    let end = lines.ends()[0];
    assert!(end.reading.asks_user.is_some());
    assert!(end.roster.reconstructed);
    assert_eq!((end.roster.tasks.clone(), end.roster.wakes.clone()), (Some(vec![]), Some(vec![])));
}

#[test]
fn a_turn_ends_once_whatever_proves_it() {
    let summary = json!({"subtype": "stop_hook_summary", "hookErrors": []});
    let duration = json!({"subtype": "turn_duration", "durationMs": 7});
    for proof in [vec![], vec![&summary], vec![&duration], vec![&summary, &duration]] {
        let mut lines = replay();
        lines.user("p-1", "Bake").says("m-1", "Baked.", json!("end_turn"));
        for line in &proof {
            lines.line("system", (*line).clone());
        }
        lines.user("p-2", "Eat").finish();
        assert_eq!(lines.ends().len(), 1, "{proof:?}");
        assert_eq!(lines.openers(), [(Opener::User, "p-1"), (Opener::User, "p-2")]);
    }
}

#[test]
fn the_blocks_of_a_message_are_one_message() {
    let mut lines = replay();
    lines.user("p-1", "Bake");
    lines.assistant("m-1", json!({"type": "thinking", "thinking": "hm"}), json!("end_turn"));
    lines.says("m-1", "Is it done?", json!("end_turn"));
    lines.assistant("m-1", json!({"type": "thinking", "thinking": "hm"}), json!("end_turn")).finish();
    assert_eq!(lines.ends().len(), 1);
    assert_eq!(lines.ends()[0].reading.rules, "Is it done?");
}

#[test]
fn a_turn_that_goes_on_has_not_ended() {
    let mut lines = replay();
    lines
        .user("p-1", "Bake")
        .says("m-1", "I mix first.", json!("tool_use"))
        .calls("t-1", "Bash", json!({"command": "mix"}))
        .finish();
    assert_eq!(lines.ends().len(), 0);
    lines.result("t-1", json!({"stdout": "ok"})).finish();
    assert_eq!(lines.ends().len(), 0);
    // The same in an older version, where no line says why it stopped.
    let mut old = replay();
    old.user("p-1", "Bake").says("m-1", "I mix first.", Value::Null);
    old.assistant("m-1", json!({"type": "tool_use", "id": "t-1", "name": "Bash", "input": {}}), Value::Null);
    old.result("t-1", json!({}))
        .says("m-2", "Then I bake.", Value::Null)
        .says("m-3", "Baked.", Value::Null)
        .finish();
    assert_eq!(old.ends().iter().map(|end| end.reading.rules.as_str()).collect::<Vec<_>>(), ["Baked."]);
}

#[test]
fn a_turn_end_without_a_text_may_be_a_question() {
    let mut lines = replay();
    lines
        .user("p-1", "Bake")
        .assistant("m-1", json!({"type": "thinking", "thinking": "hm"}), json!("end_turn"))
        .finish();
    assert_eq!(lines.ends()[0].reading.asks_user.as_ref().unwrap().rule.as_str(), "message-unreadable");
}

#[test]
fn tools_start_and_finish() {
    let mut lines = replay();
    lines
        .user("p-1", "Bake")
        .calls("t-1", "Agent", json!({"description": "Count"}))
        .result("t-1", json!({"status": "completed"}));
    match lines.kinds()[2..] {
        [
            EventKind::ToolStarted { class: ToolClass::Subagent, ask: asked, .. },
            EventKind::ToolFinished { ok: true, ask, .. },
        ] => assert_eq!(asked, ask),
        ref other => panic!("{other:?}"),
    }
    let failures = [
        json!({"message": {"content": [{"type": "tool_result", "tool_use_id": "t-2", "is_error": true}]}}),
        json!({"message": {"content": [{"type": "tool_result", "tool_use_id": "t-2"}]}, "toolUseResult": "Error: no"}),
        json!({"message": {"content": [{"type": "tool_result", "tool_use_id": "t-2"}]}, "toolDenialKind": "user-rejected"}),
    ];
    for failure in failures {
        let mut lines = replay();
        lines
            .user("p-1", "Wait")
            .calls("t-2", "ScheduleWakeup", json!({"delaySeconds": 60, "prompt": "x"}))
            .line("user", failure);
        assert!(
            matches!(lines.kinds()[3..], [EventKind::ToolFinished { ok: false, .. }]),
            "{:?}",
            lines.kinds()
        );
    }
}

#[test]
fn a_question_is_open_until_its_answer() {
    let mut lines = replay();
    let input = json!({"questions": [{"question": "Rye?"}]});
    lines.user("p-1", "Bake").calls("t-1", "AskUserQuestion", input.clone());
    lines.result("t-1", json!({"questions": [], "answers": {"Rye?": "yes"}}));
    match lines.kinds()[2..] {
        [
            EventKind::ToolStarted { ask: first, .. },
            EventKind::AskOpened { ask: AskKind::Question, id: Some(id), .. },
            EventKind::ToolFinished { ask: last, .. },
        ] => assert_eq!((first, id), (last, first)),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_live_and_what_is_scheduled_stands_in_the_roster() {
    let mut lines = replay();
    lines.user("p-1", "Bake and watch");
    lines
        .calls("t-1", "Bash", json!({"command": "serve x", "run_in_background": true}))
        .result("t-1", json!({"backgroundTaskId": "b1"}));
    lines
        .calls("t-2", "Monitor", json!({"description": "m"}))
        .result("t-2", json!({"taskId": "m1", "persistent": true}));
    lines.calls("t-3", "ScheduleWakeup", json!({"delaySeconds": 600, "prompt": "look"}));
    lines.result("t-3", json!({"scheduledFor": 1_799_053_860_000_i64}));
    lines.calls("t-4", "CronCreate", json!({"cron": "*/15 * * * *", "prompt": "stir"}));
    lines.result("t-4", json!({"id": "c1", "recurring": true, "nextFireAt": 1_799_054_100_000_i64}));
    lines.says("m-9", "waiting", json!("end_turn")).finish();
    let roster = &lines.ends()[0].roster;
    let tasks: Vec<_> = roster
        .tasks
        .iter()
        .flatten()
        .map(|t| (t.id.as_str(), t.kind, t.endless.is_some(), t.persistent))
        .collect();
    assert_eq!(tasks, [("b1", TaskKind::Command, true, false), ("m1", TaskKind::Monitor, false, true)]);
    let wakes: Vec<_> = roster.wakes.iter().flatten().map(|wake| (wake.due, wake.recurring)).collect();
    assert_eq!(wakes, [(Some(Wall(1_799_053_860_000)), false), (Some(Wall(1_799_054_100_000)), true)]);
    let by = |kind: &&EventKind| match kind {
        EventKind::WakeScheduled(wake) => Some(wake.by.clone()),
        _ => None,
    };
    let owners: Vec<_> = lines.kinds().iter().filter_map(by).collect();
    assert_eq!(owners[0], WakeOwner::Client { recurring: false, cron: false });
    assert_eq!(owners[1], WakeOwner::Client { recurring: true, cron: true });
}

#[test]
fn a_report_between_turns_and_its_wake() {
    let mut lines = replay();
    lines.user("p-1", "Bake").says("m-1", "waiting", json!("end_turn"));
    lines.queue("enqueue", Some(&done("b1"))).queue("dequeue", None);
    lines.line(
        "user",
        json!({"message": {"content": done("b1")}, "promptId": "p-2", "turnOrigin": "task_notification"}),
    );
    let tail = &lines.kinds()[2..];
    match tail {
        [
            EventKind::TurnEnded(_),
            EventKind::TaskFinished(report),
            EventKind::PromptSubmitted { opener: Opener::Wake, reports, .. },
        ] => {
            assert_eq!(report.outcome, Some(TaskOutcome::Completed));
            assert_eq!(reports.len(), 1);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_report_in_the_open_turn_is_folded_into_it_once() {
    let text = done("b1");
    let attachment =
        json!({"attachment": {"type": "queued_command", "prompt": text, "commandMode": "task-notification"}});
    let as_blocks =
        json!({"attachment": {"type": "queued_command", "prompt": [{"type": "text", "text": text}]}});
    let orders: [&dyn Fn(&mut Lines); 4] = [
        &|lines| {
            lines.queue("remove", Some(&text)).line("attachment", attachment.clone());
        },
        &|lines| {
            lines.line("attachment", attachment.clone()).queue("remove", Some(&text));
        },
        &|lines| {
            lines.line("attachment", as_blocks.clone());
        },
        &|lines| {
            lines.queue("remove", None);
        },
    ];
    for (n, order) in orders.iter().enumerate() {
        let mut lines = replay();
        lines
            .user("p-1", "Bake")
            .calls("t-1", "Bash", json!({}))
            .queue("enqueue", Some(&text))
            .result("t-1", json!({}));
        order(&mut lines);
        lines.says("m-2", "Both done.", json!("end_turn")).finish();
        assert_eq!(lines.openers(), [(Opener::User, "p-1"), (Opener::Wake, "p-1")], "{n}");
        assert_eq!(lines.ends().len(), 1, "{n}");
    }
}

#[test]
fn a_prompt_that_the_user_took_back_was_never_sent() {
    let mut lines = replay();
    lines.user("p-1", "Bake").queue("enqueue", Some("and eat")).queue("popAll", Some("and eat"));
    lines.line("attachment", json!({"attachment": {"type": "queued_command", "prompt": "and eat"}}));
    assert_eq!(lines.openers().len(), 1);
}

#[test]
fn older_lines_say_less() {
    let mut lines = replay();
    let message = |text: &str| json!({"message": {"role": "user", "content": text}});
    lines.line("user", message("Bake")).says("m-1", "waiting", Value::Null);
    lines.queue("enqueue", Some(&done("b1"))).queue("dequeue", None);
    lines.line("user", message(&done("b1"))).says("m-2", "Ready.", Value::Null).finish();
    assert_eq!(lines.openers(), [(Opener::User, "u-1"), (Opener::Wake, "u-5")]);
    assert_eq!(lines.ends().len(), 2);
    assert!(matches!(lines.kinds()[2..4], [EventKind::TurnEnded(_), EventKind::TaskFinished(_)]));
}

#[test]
fn an_interruption_ends_the_turn() {
    for mode in [Mode::Live, Mode::Replay] {
        let mut lines = Lines::new(mode);
        lines.user("p-1", "Bake").says("m-1", "I sta", Value::Null);
        let text = json!([{"type": "text", "text": "[Request interrupted by user]"}]);
        lines.line("user", json!({"message": {"role": "user", "content": text}, "promptId": "p-1"})).finish();
        let ends = lines.ends();
        assert_eq!(ends.len(), 1);
        assert_eq!(ends[0].how, TurnHow::Interrupted);
        assert_eq!(ends[0].roster.tasks.is_some(), mode == Mode::Replay);
        let last = lines.told.last().unwrap();
        assert_eq!(last.event.turn.as_ref().unwrap().as_str(), "p-1");
    }
}

#[test]
fn an_error_ends_the_turn() {
    let mut lines = replay();
    let error = |kind: &str, text: &str| {
        json!({"message": {"model": "<synthetic>", "content": [{"type": "text", "text": text}], "stop_reason": "stop_sequence"},
               "isApiErrorMessage": true, "error": kind})
    };
    lines
        .user("p-1", "Bake")
        .line("system", json!({"subtype": "api_error"}))
        .line("assistant", error("server_error", "It broke"));
    lines.user("p-2", "Bake").line("assistant", error("rate_limit", "Used up · resets 3:40pm")).finish();
    let hows: Vec<_> = lines.ends().iter().map(|end| end.how.clone()).collect();
    let resets = Some(Wall(1_799_077_200_000));
    assert_eq!(
        hows,
        [
            TurnHow::Failed { message: "It broke".to_owned() },
            TurnHow::Limit { message: "Used up · resets 3:40pm".to_owned(), resets }
        ]
    );
}

#[test]
fn what_the_client_wrote_for_itself_is_no_prompt() {
    let mut lines = replay();
    let silent = [
        json!({"message": {"content": "Caveat: not for you"}, "isMeta": true}),
        json!({"message": {"content": "<local-command-stdout>ok</local-command-stdout>"}}),
        json!({"message": {"content": "<bash-stdout>ok</bash-stdout>"}}),
        json!({"message": {"content": "Summary of before. Which?"}, "isCompactSummary": true}),
        json!({"message": {"content": "seen only here"}, "isVisibleInTranscriptOnly": true}),
        json!({"message": {"content": "beside"}, "isMeta": true, "turnCompanion": true}),
        json!({"message": {"content": done("b1")}, "queueTranscriptOnly": true}),
        json!({"message": {"content": "Operation stopped by hook: no"}}),
    ];
    for line in silent {
        lines.line("user", line);
    }
    lines.line("assistant", json!({"message": {"model": "<synthetic>", "content": [{"type": "text", "text": "No response requested."}]}}));
    lines.finish();
    assert_eq!(lines.kinds(), Vec::<&EventKind>::new());
}

#[test]
fn a_command_of_the_client_opens_a_turn_only_if_the_model_answers() {
    let command = |name: &str, args: &str| {
        let text = format!(
            "<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n<command-args>{args}</command-args>"
        );
        json!({"message": {"content": text}, "promptId": "p-1"})
    };
    let mut lines = replay();
    lines
        .line("user", command("model", "big"))
        .line("user", json!({"message": {"content": "<bash-input>ls</bash-input>"}}));
    assert_eq!(lines.openers(), []);
    lines
        .line("user", command("review", "the till"))
        .line("user", json!({"message": {"content": [{"type": "text", "text": "long"}]}, "isMeta": true}));
    lines.says("m-1", "Reviewed.", json!("end_turn"));
    assert_eq!(lines.openers(), [(Opener::User, "p-1")]);
    match lines.kinds()[1] {
        EventKind::PromptSubmitted { label, .. } => assert_eq!(label, "/review the till"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_wake_of_a_schedule_is_a_wake() {
    let mut lines = replay();
    lines.line(
        "user",
        json!({"message": {"content": "look"}, "isMeta": true, "turnOrigin": "scheduled", "promptId": "p-1"}),
    );
    assert_eq!(lines.openers(), [(Opener::Wake, "p-1")]);
    // An older version: meta, and the words of an armed wake.
    let mut old = replay();
    old.user("p-1", "Watch").calls("t-1", "ScheduleWakeup", json!({"delaySeconds": 60, "prompt": "look"}));
    old.result("t-1", json!({"scheduledFor": 1_799_053_260_000_i64})).says(
        "m-1",
        "Later.",
        json!("end_turn"),
    );
    old.line("user", json!({"message": {"content": "look"}, "isMeta": true, "promptId": "p-2"}));
    assert_eq!(old.openers()[1], (Opener::Wake, "p-2"));
}

#[test]
fn who_else_opens_a_turn() {
    for (kind, opener) in [
        ("peer", Opener::Agent),
        ("channel", Opener::Wake),
        ("auto-continuation", Opener::Wake),
        ("human", Opener::User),
    ] {
        let mut lines = replay();
        lines.line(
            "user",
            json!({"message": {"content": "hello"}, "origin": {"kind": kind}, "promptId": "p-1"}),
        );
        assert_eq!(lines.openers(), [(opener, "p-1")], "{kind}");
    }
}

#[test]
fn a_stop_hook_sends_the_agent_on() {
    let mut lines = replay();
    lines.user("p-1", "Bake").says("m-1", "Done.", json!("end_turn"));
    lines.line(
        "user",
        json!({"message": {"content": "Stop hook feedback:\nTaste it."}, "isMeta": true, "promptId": "p-1"}),
    );
    lines.line("system", json!({"subtype": "stop_hook_summary", "hookErrors": ["Taste it."]}));
    lines.says("m-2", "Tasted.", json!("end_turn")).finish();
    assert_eq!(lines.ends().iter().map(|end| end.after_stop_hook).collect::<Vec<_>>(), [false, true]);
    assert_eq!(lines.openers().len(), 1);
}

#[test]
fn a_resumed_session_has_nothing_of_the_old_process() {
    let hook = json!({"attachment": {"type": "hook_success", "hookName": "SessionStart:resume"}});
    let said = note(
        "b1",
        "<status>stopped</status>\n<summary>Background shell command didn't finish before the previous session ended</summary>",
    );
    let resumes: [&dyn Fn(&mut Lines); 2] = [
        &|lines| {
            lines.line("attachment", hook.clone());
        },
        &|lines| {
            lines.queue("enqueue", Some(&said)).queue("dequeue", None);
        },
    ];
    for resume in resumes {
        let mut lines = replay();
        lines
            .user("p-1", "Bake")
            .calls("t-1", "Bash", json!({"command": "x"}))
            .result("t-1", json!({"backgroundTaskId": "b1"}));
        lines.says("m-1", "waiting", json!("end_turn"));
        resume(&mut lines);
        resume(&mut lines);
        lines.user("p-2", "And?").says("m-2", "Lost.", json!("end_turn")).finish();
        let is_resume = |kind: &&&EventKind| {
            matches!(kind, EventKind::SessionStarted { start: SessionStart::Resume, .. })
        };
        assert_eq!(lines.kinds().iter().filter(is_resume).count(), 1, "several hooks, one start");
        let live: Vec<_> = lines.ends().iter().map(|end| end.roster.tasks.as_ref().unwrap().len()).collect();
        assert_eq!(live, [1, 0]);
    }
}

#[test]
fn what_a_fork_copied_is_history() {
    let mut lines = replay();
    lines.second = 60;
    lines.queue("enqueue", Some("Three"));
    lines.second = 10;
    lines
        .user("p-3", "One")
        .calls("t-1", "Bash", json!({"command": "x"}))
        .result("t-1", json!({"backgroundTaskId": "b1"}));
    lines.says("m-1", "waiting", json!("end_turn"));
    lines.second = 61;
    lines.user("p-3", "Three").says("m-3", "Third.", json!("end_turn")).finish();
    let ends: Vec<_> = lines
        .told
        .iter()
        .filter(|told| matches!(told.event.kind, EventKind::TurnEnded(_)))
        .map(|told| told.history)
        .collect();
    assert_eq!(ends, [true, false]);
    assert_eq!(lines.ends()[1].roster.tasks, Some(vec![]), "a fork takes nothing along");
    assert_ne!(lines.openers()[0].1, lines.openers()[1].1, "copied prompts have the new prompt's id");
    // In the terminal no queue line tells; the answers do.
    let mut tui = replay();
    tui.user("p-1", "One").line("assistant", json!({"message": {"id": "m", "content": [{"type": "text", "text": "First."}], "stop_reason": "end_turn"}, "requestSessionId": "s-0"}));
    tui.finish();
    assert!(tui.told.last().unwrap().history);
}

#[test]
fn lines_of_subagents_are_not_the_sessions() {
    let mut lines = replay();
    lines.line("user", json!({"message": {"content": "count"}, "isSidechain": true}));
    lines.line("assistant", json!({"message": {"content": [{"type": "text", "text": "41"}], "stop_reason": "end_turn"}, "isSidechain": true})).finish();
    assert_eq!(lines.kinds(), Vec::<&EventKind>::new());
    assert!(lines.translator.counts().is_subagent_file());
    lines.user("p-1", "Bake");
    assert!(!lines.translator.counts().is_subagent_file());
}

#[test]
fn lines_that_name_another_session_are_copies_if_the_session_is_known() {
    let line = json!({"message": {"content": "One"}, "sessionId": "s-0", "promptId": "p-1"});
    let mut known = replay();
    known.line("user", line.clone()).says("m-1", "First.", json!("end_turn"));
    known.user("p-2", "Two").says("m-2", "Second.", json!("end_turn")).finish();
    let ends = |lines: &Lines| {
        let ends = lines.told.iter().filter(|told| matches!(told.event.kind, EventKind::TurnEnded(_)));
        ends.map(|told| (told.event.session.id.to_string(), told.history)).collect::<Vec<_>>()
    };
    assert_eq!(ends(&known), [("s-1".to_owned(), true), ("s-1".to_owned(), false)]);
    assert_eq!(known.translator.counts().foreign, 1);
    let mut unknown = replay();
    unknown.translator = TranscriptTranslator::new(Mode::Replay, None);
    unknown.line("user", line).says("m-1", "First.", json!("end_turn")).finish();
    assert_eq!(ends(&unknown), [("s-1".to_owned(), false)]);
    assert_eq!(unknown.translator.counts().foreign, 0);
}

#[test]
fn live_tells_only_what_the_transcript_owns() {
    let mut lines = Lines::new(Mode::Live);
    lines
        .user("p-1", "Bake")
        .calls("t-1", "Bash", json!({"command": "x"}))
        .result("t-1", json!({"backgroundTaskId": "b1"}));
    lines.says("m-1", "waiting", json!("end_turn")).line("system", json!({"subtype": "stop_hook_summary"}));
    assert_eq!(lines.kinds(), Vec::<&EventKind>::new());
    lines.queue("enqueue", Some(&done("b1"))).queue("dequeue", None).user("p-2", &done("b1")).finish();
    assert!(matches!(lines.kinds()[..], [EventKind::TaskFinished(_)]), "{:?}", lines.kinds());
    assert_eq!(lines.told[0].at, support::NOW, "live, it happened when it was seen");
}

#[test]
fn damaged_and_unknown_lines_are_counted() {
    let mut lines = replay();
    lines
        .raw("{\"type\":\"user\",\"mess")
        .raw("")
        .raw("[]")
        .raw("null")
        .line("brand-new", json!({}))
        .line("user", json!({"message": 7}));
    lines.line("queue-operation", json!({"operation": "shuffle"}));
    assert_eq!(lines.translator.counts(), LineCounts { damaged: 3, sidechain: 0, own: 2, foreign: 0 });
    let unknown: Vec<_> = lines.translator.unknowns().iter().map(|(_, name, _)| name.to_owned()).collect();
    assert_eq!(unknown, ["brand-new", "queue-operation.operation=shuffle", "user.message"]);
}

#[test]
fn compaction_changes_nothing() {
    let mut lines = replay();
    lines
        .user("p-1", "Bake")
        .calls("t-1", "Bash", json!({"command": "x"}))
        .result("t-1", json!({"backgroundTaskId": "b1"}));
    lines.line("system", json!({"subtype": "compact_boundary"}));
    lines.line("user", json!({"message": {"content": "Before: which flour?"}, "isCompactSummary": true}));
    lines.says("m-2", "waiting", json!("end_turn")).finish();
    assert_eq!((lines.openers().len(), lines.ends().len()), (1, 1));
    assert_eq!(lines.ends()[0].roster.tasks.as_ref().unwrap().len(), 1);
}
