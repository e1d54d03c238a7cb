//! Claude Code's hook events, one by one.
#![allow(clippy::needless_pass_by_value, reason = "payloads in short form")]

mod support;

use serde_json::{Value, json};
use support::{NOW, kind, kinds, payload, translate, translate_bytes};
use wakeful_clients::{Malformed, Unknown, translate_hook};
use wakeful_core::event::{
    AskKind, EventKind, Opener, SessionEnd, SessionStart, Source, Task, TaskKind, TaskOutcome, TaskReport,
    ToolClass, TurnEnd, TurnHow, WakeOwner,
};
use wakeful_core::ids::{AskId, Client, Digest, RuleId, TaskId, WakeId};
use wakeful_core::reading::Reading;
use wakeful_core::time::{Boot, Millis, Wall};

fn tool(event: &str, name: &str, input: &Value, more: Value) -> Value {
    let mut payload =
        payload(event, json!({"tool_name": name, "tool_input": input, "tool_use_id": "toolu_1"}));
    let Value::Object(more) = more else { panic!("an object") };
    support::as_map(&mut payload).extend(more);
    payload
}

fn post(name: &str, input: Value, response: Value) -> Vec<EventKind> {
    kinds(&tool("PostToolUse", name, &input, json!({"tool_response": response, "duration_ms": 12})))
}

fn turn_end(payload: &Value) -> TurnEnd {
    match kind(payload) {
        EventKind::TurnEnded(end) => *end,
        other => panic!("{other:?}"),
    }
}

fn started_task(kinds: &[EventKind]) -> &Task {
    match kinds {
        [EventKind::ToolFinished { ok: true, .. }, EventKind::TaskStarted { task, tool_use }] => {
            assert_eq!(tool_use.as_ref().map(|id| id.as_str()), Some("toolu_1"));
            task
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_event_says_whose_and_when() {
    let (events, _) = translate(&payload("PreCompact", json!({"trigger": "auto", "agent_id": "a1"})));
    let event = events.unwrap().remove(0);
    assert_eq!(event.session.client, Client::ClaudeCode);
    assert_eq!(event.session.id.as_str(), "s-1");
    assert_eq!(event.source, Source::Hook);
    assert_eq!(event.turn.unwrap().as_str(), "p-1");
    assert_eq!(event.agent.unwrap().as_str(), "a1");
    assert_eq!(event.started, Some(Boot(4_999_000)));
    assert_eq!(event.kind, EventKind::Noticed { name: "PreCompact".to_owned() });
}

#[test]
fn without_a_session_there_is_nothing_to_hold_on_to() {
    assert_eq!(translate_bytes(b"not json").0, Err(Malformed::NotAnObject));
    assert_eq!(translate_bytes(b"[]").0, Err(Malformed::NotAnObject));
    assert_eq!(translate_bytes(br#"{"hook_event_name":"Stop"}"#).0, Err(Malformed::NoSession));
    assert_eq!(translate_bytes(br#"{"session_id":7,"hook_event_name":"Stop"}"#).0, Err(Malformed::NoSession));
    assert_eq!(
        translate_bytes(br#"{"session_id":"","hook_event_name":"Stop"}"#).0,
        Err(Malformed::NoSession)
    );
}

#[test]
fn other_clients_are_refused_clearly() {
    let mut seen = wakeful_clients::Unknowns::default();
    for client in [Client::Gemini, Client::Copilot, Client::Opencode] {
        let result = translate_hook(client, None, b"{}", None, &support::ctx(NOW), &mut seen);
        assert_eq!(result, Err(Malformed::NotYet(client)));
    }
}

#[test]
fn session_starts_and_ends() {
    let starts = [
        ("startup", SessionStart::Startup),
        ("resume", SessionStart::Resume),
        ("clear", SessionStart::Clear),
        ("compact", SessionStart::Compact),
        ("fork", SessionStart::Fork),
    ];
    for (source, expected) in starts {
        match kind(&payload("SessionStart", json!({"source": source, "model": "some-model"}))) {
            EventKind::SessionStarted { start, place } => {
                assert_eq!(start, expected);
                assert_eq!(place.cwd.as_deref(), Some("/home/ada/shop"));
                assert_eq!(place.model.as_deref(), Some("some-model"));
            }
            other => panic!("{other:?}"),
        }
    }
    let ends = [
        ("prompt_input_exit", SessionEnd::User),
        ("logout", SessionEnd::User),
        ("clear", SessionEnd::Clear),
        ("resume", SessionEnd::Unknown),
        ("other", SessionEnd::Unknown),
        ("a_new_reason", SessionEnd::Unknown),
    ];
    for (reason, end) in ends {
        assert_eq!(kind(&payload("SessionEnd", json!({"reason": reason}))), EventKind::SessionEnded { end });
    }
}

#[test]
fn a_prompt_of_the_user() {
    let event = kind(&payload("UserPromptSubmit", json!({"prompt": "Ship it.\nThen rest."})));
    let expected = EventKind::PromptSubmitted {
        opener: Opener::User,
        digest: Digest::of(b"Ship it.\nThen rest."),
        reports: vec![],
        label: "Ship it.".to_owned(),
    };
    assert_eq!(event, expected);
}

#[test]
fn a_prompt_that_reports_a_task() {
    let text = "<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>\n<summary>it broke</summary>\n</task-notification>";
    match kind(&payload("UserPromptSubmit", json!({"prompt": text}))) {
        EventKind::PromptSubmitted { opener: Opener::Wake, reports, label, .. } => {
            let outcome = Some(TaskOutcome::Failed);
            assert_eq!(
                reports,
                [TaskReport { task: TaskId::new("b1"), outcome, summary: "it broke".to_owned() }]
            );
            assert_eq!(label, "it broke");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_call_has_the_same_ask_at_its_start_its_request_and_its_end() {
    let question = json!({"questions": [{"question": "Which shelf?", "header": "S", "options": [], "multiSelect": false}]});
    let mut answered = question.clone();
    answered["answers"] = json!({"Which shelf?": "top"});
    answered["annotations"] = json!({});
    let rows = [
        (
            "Bash",
            json!({"command": "rm -r build", "description": "Clean"}),
            None,
            AskKind::Permission,
            "Bash: rm -r build",
        ),
        ("AskUserQuestion", question, Some(answered), AskKind::Question, "Which shelf?"),
        ("ExitPlanMode", json!({"plan": "# Move the shop\n1. Pack"}), None, AskKind::Plan, "Move the shop"),
        (
            "WebFetch",
            json!({"prompt": "x", "url": "https://shop.example/"}),
            None,
            AskKind::Permission,
            "WebFetch: https://shop.example/",
        ),
        ("mcp__db__drop", json!({"table": "t"}), None, AskKind::Permission, "mcp__db__drop"),
    ];
    for (name, input, at_the_end, ask_kind, says) in rows {
        let class = if matches!(name, "AskUserQuestion" | "ExitPlanMode") {
            ToolClass::Ask
        } else {
            ToolClass::Other
        };
        let request = payload(
            "PermissionRequest",
            json!({"tool_name": name, "tool_input": &input, "permission_suggestions": []}),
        );
        let (ask, id) = match kind(&request) {
            EventKind::AskOpened { ask, id: Some(id), snippet, outlives_turn: false } => {
                assert_eq!(snippet, says);
                (ask, id)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(ask, ask_kind, "{name}");
        match kind(&tool("PreToolUse", name, &input, json!({}))) {
            EventKind::ToolStarted { ask, class: started, .. } => {
                assert_eq!((ask, started), (id.clone(), class));
            }
            other => panic!("{other:?}"),
        }
        let end = tool("PostToolUse", name, &at_the_end.unwrap_or(input), json!({"tool_response": {}}));
        match kind(&end) {
            EventKind::ToolFinished { ask, ok: true, .. } => assert_eq!(ask, id, "{name}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_subagents_ask_is_not_the_main_agents() {
    let ask_of = |agent: Value| {
        let mut request =
            payload("PermissionRequest", json!({"tool_name": "Bash", "tool_input": {"command": "make"}}));
        support::as_map(&mut request).extend(agent.as_object().unwrap().clone());
        match kind(&request) {
            EventKind::AskOpened { id: Some(id), .. } => id,
            other => panic!("{other:?}"),
        }
    };
    assert_ne!(ask_of(json!({})), ask_of(json!({"agent_id": "a1"})));
}

#[test]
fn a_failed_or_denied_call_has_ended_badly() {
    let input = json!({"delaySeconds": 60});
    for (event, more) in [
        ("PostToolUseFailure", json!({"error": "prompt is missing", "is_interrupt": false})),
        ("PermissionDenied", json!({"reason": "classifier"})),
    ] {
        match kind(&tool(event, "ScheduleWakeup", &input, more)) {
            EventKind::ToolFinished { ok: false, tool, .. } => assert_eq!(tool, "ScheduleWakeup"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn background_commands() {
    let plain = json!({"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "b1"});
    let moved = json!({"stdout": "", "backgroundTaskId": "b1", "timedOutAfterMs": 9000});
    let rows = [
        (
            json!({"command": "make all", "description": "Build it", "run_in_background": true}),
            &plain,
            1_800_000,
            "Build it",
        ),
        (
            json!({"command": "make all\nmake test", "timeout": 90_000, "run_in_background": true}),
            &plain,
            90_000,
            "make all",
        ),
        (
            json!({"command": "make all", "timeout": 99_000_000, "run_in_background": true}),
            &plain,
            7_200_000,
            "make all",
        ),
        (json!({"command": "make all", "timeout": 9000}), &moved, 1_800_000, "make all"),
    ];
    for (input, response, limit, label) in rows {
        let kinds = post("Bash", input.clone(), response.clone());
        let task = Task {
            id: TaskId::new("b1"),
            kind: TaskKind::Command,
            label: label.to_owned(),
            limit: Some(Millis(limit)),
            endless: None,
            persistent: false,
        };
        assert_eq!(started_task(&kinds), &task, "{input}");
    }
    let server = post("Bash", json!({"command": "serve --port 80"}), plain.clone());
    assert_eq!(started_task(&server).endless, Some(RuleId::new("test-server")));
}

#[test]
fn a_task_with_an_unreadable_call_is_a_task() {
    for input in [json!(7), json!("make"), json!([])] {
        let kinds = post("Bash", input, json!({"backgroundTaskId": "b1"}));
        assert_eq!(
            (started_task(&kinds).id.as_str(), started_task(&kinds).label.as_str()),
            ("b1", "command")
        );
    }
}

#[test]
fn a_command_that_ends_with_the_answer_is_no_task() {
    let response = json!({"backgroundTaskId": "b1", "backgroundEndsWithFinalResponse": true});
    assert_eq!(post("Bash", json!({"command": "make"}), response).len(), 1);
    assert_eq!(post("Bash", json!({"command": "make"}), json!({"stdout": "ok"})).len(), 1);
}

#[test]
fn monitors() {
    let input = json!({"description": "queue", "timeout_ms": 60_000, "command": "poll-queue"});
    let bounded =
        post("Monitor", input.clone(), json!({"taskId": "m1", "timeoutMs": 45_000, "persistent": false}));
    let task = started_task(&bounded);
    assert_eq!((task.kind, task.limit, task.persistent), (TaskKind::Monitor, Some(Millis(45_000)), false));
    assert_eq!(task.label, "queue");
    let endless = post("Monitor", input, json!({"taskId": "m1", "persistent": true}));
    assert_eq!((started_task(&endless).limit, started_task(&endless).persistent), (None, true));
}

#[test]
fn subagents() {
    let input =
        json!({"description": "Count shelves", "prompt": "count", "subagent_type": "general-purpose"});
    for name in ["Agent", "Task"] {
        let kinds =
            post(name, input.clone(), json!({"isAsync": true, "status": "async_launched", "agentId": "a1"}));
        let task = started_task(&kinds);
        assert_eq!((task.kind, task.id.as_str(), task.limit), (TaskKind::Subagent, "a1", None));
        assert_eq!(task.label, "Count shelves");
        match &post(name, input.clone(), json!({"status": "completed", "agentId": "a1"}))[..] {
            [EventKind::ToolFinished { class: ToolClass::Subagent, .. }] => {}
            other => panic!("{other:?}"),
        }
        match kind(&tool("PreToolUse", name, &input, json!({}))) {
            EventKind::ToolStarted { class: ToolClass::Subagent, .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn scheduled_wakes() {
    let due = NOW.wall.plus(Millis::minutes(11));
    let input =
        json!({"delaySeconds": 600, "reason": "the queue is slow", "prompt": "Look again.", "noop": false});
    let kinds = post(
        "ScheduleWakeup",
        input,
        json!({"scheduledFor": due.0, "clampedDelaySeconds": 600, "wasClamped": false}),
    );
    match &kinds[1] {
        EventKind::WakeScheduled(wake) => {
            assert_eq!((wake.due, wake.delay, wake.id.as_ref()), (due, Millis::minutes(11), None));
            assert_eq!(wake.prompt, Digest::of(b"Look again."));
            assert_eq!(wake.by, WakeOwner::Client { recurring: false, cron: false });
            assert_eq!(wake.reason.as_deref(), Some("the queue is slow"));
        }
        other => panic!("{other:?}"),
    }
    let cancelled = EventKind::WakeCancelled { id: None };
    assert_eq!(
        post("ScheduleWakeup", json!({"stop": true}), json!({"stopped": true, "cancelledWakeups": 1}))[1],
        cancelled
    );
    assert_eq!(post("ScheduleWakeup", json!({"stop": true}), json!({}))[1], cancelled);
    assert_eq!(post("ScheduleWakeup", json!({}), json!({"cancelledWakeups": ["w"]}))[1], cancelled);
    // Damaged answer: as much as the call says.
    match &post("ScheduleWakeup", json!({"delaySeconds": 60, "prompt": "x"}), json!({"scheduledFor": "soon"}))
        [1]
    {
        EventKind::WakeScheduled(wake) => assert_eq!(wake.due, NOW.wall.plus(Millis::minutes(1))),
        other => panic!("{other:?}"),
    }
}

#[test]
fn cron_rows() {
    let input = json!({"cron": "20 9 4 1 *", "prompt": "Renew", "recurring": false});
    match &post(
        "CronCreate",
        input,
        json!({"id": "c1", "recurring": false, "nextFireAt": 1_799_054_400_000_i64}),
    )[1]
    {
        EventKind::WakeScheduled(wake) => {
            assert_eq!(wake.id, Some(WakeId::new("c1")));
            assert_eq!(wake.due, Wall(1_799_054_400_000));
            assert_eq!(wake.by, WakeOwner::Client { recurring: false, cron: true });
        }
        other => panic!("{other:?}"),
    }
    match &post("CronCreate", json!({"cron": "*/5 * * * *", "prompt": "Renew"}), json!({"id": "c1"}))[1] {
        EventKind::WakeScheduled(wake) => {
            assert_eq!(wake.due, NOW.wall.plus(Millis::minutes(5)));
            assert_eq!(wake.by, WakeOwner::Client { recurring: true, cron: true });
        }
        other => panic!("{other:?}"),
    }
    let deleted = post("CronDelete", json!({"id": "c1"}), json!({"id": "c1"}));
    assert_eq!(deleted[1], EventKind::WakeCancelled { id: Some(WakeId::new("c1")) });
    assert_eq!(post("CronDelete", json!({}), json!({})).len(), 1);
}

#[test]
fn the_agent_stops_a_task() {
    for (name, input) in [
        ("TaskStop", json!({"task_id": "b1"})),
        ("TaskStop", json!({"shell_id": "b1"})),
        ("KillShell", json!({"shell_id": "b1"})),
        ("KillBash", json!({"shell_id": "b1"})),
    ] {
        match &post(name, input, json!({"message": "stopped"}))[1] {
            EventKind::TaskFinished(report) => {
                assert_eq!(report.task, TaskId::new("b1"));
                assert_eq!(report.outcome, Some(TaskOutcome::Stopped));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_agent_reads_the_output_of_a_task_that_has_ended() {
    let shell = post(
        "BashOutput",
        json!({"bash_id": "b1"}),
        json!({"shellId": "b1", "status": "completed", "exitCode": 0}),
    );
    match &shell[..] {
        [_, EventKind::TaskFinished(report)] => {
            assert_eq!((report.task.as_str(), report.outcome), ("b1", Some(TaskOutcome::Stopped)));
        }
        other => panic!("{other:?}"),
    }
    let task =
        post("TaskOutput", json!({"task_id": "b1"}), json!({"task": {"task_id": "b1", "status": "failed"}}));
    assert_eq!(task.len(), 2);
    let running = post("BashOutput", json!({"bash_id": "b1"}), json!({"shellId": "b1", "status": "running"}));
    assert_eq!(running.len(), 1);
}

#[test]
fn notifications_by_type() {
    let rows = [
        ("permission_prompt", Some(AskKind::Permission)),
        ("agent_needs_input", Some(AskKind::Permission)),
        ("worker_permission_prompt", Some(AskKind::Permission)),
        ("elicitation_dialog", Some(AskKind::Elicitation)),
        ("elicitation_url_dialog", Some(AskKind::Elicitation)),
        ("idle_prompt", None),
        ("agent_completed", None),
        ("auth_success", None),
        ("a_new_type", None),
    ];
    for (notification_type, expected) in rows {
        match (
            kind(&payload(
                "Notification",
                json!({"message": "Look here", "notification_type": notification_type}),
            )),
            expected,
        ) {
            (EventKind::AskOpened { ask, id: None, snippet, outlives_turn: false }, Some(kind)) => {
                assert_eq!((ask, snippet.as_str()), (kind, "Look here"));
            }
            (EventKind::Noticed { name }, None) => assert!(name.ends_with(notification_type)),
            (other, _) => panic!("{notification_type}: {other:?}"),
        }
    }
}

#[test]
fn a_notification_without_a_readable_type_may_be_an_ask() {
    for fields in [json!({"message": "m"}), json!({"message": "m", "notification_type": 7})] {
        assert!(matches!(kind(&payload("Notification", fields)), EventKind::AskOpened { id: None, .. }));
    }
}

#[test]
fn a_form_of_an_mcp_server() {
    let open = kind(&payload("Elicitation", json!({"mcp_server_name": "shop", "message": "Which till?"})));
    let answer = kind(&payload("ElicitationResult", json!({"mcp_server_name": "shop", "action": "accept"})));
    match (open, answer) {
        (
            EventKind::AskOpened { ask: AskKind::Elicitation, id, snippet, .. },
            EventKind::AskAnswered { id: answered },
        ) => {
            assert_eq!(snippet, "Which till?");
            assert!(id.is_some());
            assert_eq!(id, answered);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_turn_end() {
    let end = turn_end(&payload(
        "Stop",
        json!({
            "stop_hook_active": true,
            "last_assistant_message": "Still waiting.",
            "background_tasks": [
                {"id": "b1", "type": "shell", "status": "running", "description": "Build", "command": "serve x"},
                {"id": "m1", "type": "monitor", "status": "running", "description": "Queue", "command": "serve y"},
                {"id": "a1", "type": "subagent", "status": "pending", "description": "Count", "agent_type": "x"},
                {"id": "w1", "type": "workflow", "status": "running", "name": "ship"},
                {"id": "z1", "type": "dream", "status": "dreaming"},
                {"id": "o1", "type": "shell", "status": "completed"},
            ],
            "session_crons": [
                {"id": "c1", "schedule": "11 9 * * *", "recurring": false, "prompt": "Look again."},
                {"id": "c2", "schedule": "whenever", "recurring": true, "prompt": "Look."},
            ],
        }),
    ));
    assert_eq!(end.how, TurnHow::Finished);
    assert!(end.after_stop_hook);
    assert!(end.reading.wait.is_some());
    let tasks = end.roster.tasks.unwrap();
    let rows: Vec<_> =
        tasks.iter().map(|t| (t.id.as_str(), t.kind, t.label.as_str(), t.endless.is_some())).collect();
    let expected = [
        ("b1", TaskKind::Command, "Build", true),
        ("m1", TaskKind::Monitor, "Queue", false),
        ("a1", TaskKind::Subagent, "Count", false),
        ("w1", TaskKind::Workflow, "ship", false),
        ("z1", TaskKind::Other, "task", false),
    ];
    assert_eq!(rows, expected);
    let wakes = end.roster.wakes.unwrap();
    assert_eq!(wakes[0].due, Some(NOW.wall.plus(Millis::minutes(11))));
    assert_eq!(wakes[0].prompt, Digest::of(b"Look again."));
    assert_eq!((wakes[1].due, wakes[1].recurring), (None, true));
}

#[test]
fn no_list_is_not_an_empty_list() {
    for damaged in
        [json!("none"), json!(7), json!({}), json!([7]), json!([{"type": "shell"}]), json!([{"id": 7}])]
    {
        let end =
            turn_end(&payload("Stop", json!({"last_assistant_message": "x", "background_tasks": damaged})));
        assert_eq!(end.roster.tasks, None, "{damaged}");
    }
    let end = turn_end(&payload(
        "Stop",
        json!({"last_assistant_message": "x", "background_tasks": [], "session_crons": []}),
    ));
    assert_eq!((end.roster.tasks, end.roster.wakes), (Some(vec![]), Some(vec![])));
    let end =
        turn_end(&payload("Stop", json!({"last_assistant_message": "x", "session_crons": [{"id": "c1"}]})));
    assert_eq!((end.roster.tasks, end.roster.wakes), (None, None));
}

#[test]
fn an_unreadable_message_counts_as_a_question() {
    for fields in [json!({}), json!({"last_assistant_message": 7}), json!({"last_assistant_message": null})] {
        let reading = turn_end(&payload("Stop", fields)).reading;
        assert_eq!(reading.asks_user.unwrap().rule.as_str(), "message-unreadable");
        assert_eq!((reading.wait, reading.waits_somewhere), (None, None));
    }
}

#[test]
fn turn_ends_are_told_apart() {
    let end = |message: &str, task: &str| {
        let tasks = json!([{"id": task, "type": "shell", "status": "running"}]);
        turn_end(&payload("Stop", json!({"last_assistant_message": message, "background_tasks": tasks})))
            .digest
    };
    assert_eq!(end("a", "b1"), end("a", "b1"));
    assert_ne!(end("a", "b1"), end("b", "b1"));
    assert_ne!(end("a", "b1"), end("a", "b2"));
    let again = |active: bool| {
        turn_end(&payload("Stop", json!({"last_assistant_message": "a", "stop_hook_active": active}))).digest
    };
    assert_ne!(again(false), again(true));
}

#[test]
fn failures_and_limits() {
    let failed = |error: &str, says: &str| {
        turn_end(&payload("StopFailure", json!({"error": error, "last_assistant_message": says}))).how
    };
    let limit = |message: &str, resets| TurnHow::Limit { message: message.to_owned(), resets };
    let at_three_forty = Some(Wall(1_799_077_200_000));
    assert_eq!(
        failed("rate_limit", "All used up · resets 3:40pm"),
        limit("All used up · resets 3:40pm", at_three_forty)
    );
    assert_eq!(failed("billing_error", "No credit"), limit("No credit", None));
    for error in ["overloaded", "server_error", "unknown", "authentication_failed", "a_new_one"] {
        assert_eq!(failed(error, "It broke"), TurnHow::Failed { message: "It broke".to_owned() });
    }
    let older = failed("unknown", "Claude AI usage limit reached|1799053860");
    assert_eq!(older, limit("Claude AI usage limit reached|1799053860", Some(Wall(1_799_053_860_000))));
    let bare = turn_end(&payload("StopFailure", json!({})));
    assert_eq!(
        (bare.how, bare.reading),
        (TurnHow::Failed { message: "unknown".to_owned() }, Reading::default())
    );
}

#[test]
fn a_subagents_end_is_its_own() {
    let fields = json!({"agent_id": "a1", "last_assistant_message": "Waiting?", "background_tasks": []});
    let (events, _) = translate(&payload("SubagentStop", fields));
    let event = events.unwrap().remove(0);
    assert_eq!(event.kind, EventKind::Noticed { name: "SubagentStop".to_owned() });
    assert!(event.agent.is_some());
}

#[test]
fn an_unreadable_agent_is_still_not_the_main_agent() {
    let (events, _) =
        translate(&payload("PreToolUse", json!({"agent_id": 7, "tool_name": "Bash", "tool_input": {}})));
    assert!(events.unwrap()[0].agent.is_some());
}

#[test]
fn what_is_unknown_is_counted() {
    let (_, seen) = translate(&payload("Stop", json!({"brand_new": 1, "stop_hook_active": "yes"})));
    let counted: Vec<_> = seen.iter().collect();
    assert!(counted.contains(&(Unknown::Field, "Stop.brand_new", 1)), "{counted:?}");
    assert!(counted.contains(&(Unknown::Damaged, "Stop.stop_hook_active", 1)), "{counted:?}");
    let (events, seen) = translate(&payload("BrandNew", json!({})));
    assert_eq!(events.unwrap()[0].kind, EventKind::Noticed { name: "BrandNew".to_owned() });
    assert!(seen.iter().any(|row| row == (Unknown::Event, "BrandNew", 1)));
    let (_, seen) = translate(&payload("SessionEnd", json!({"reason": "boredom"})));
    assert!(seen.iter().any(|row| row == (Unknown::Variant, "SessionEnd.reason=boredom", 1)));
}

#[test]
fn known_payloads_count_nothing() {
    for known in [
        payload(
            "SessionStart",
            json!({"source": "resume", "seconds_since_last_response": 1, "context_tokens": 15}),
        ),
        payload(
            "Stop",
            json!({"stop_hook_active": false, "effort": {"level": "high"}, "last_assistant_message": "x"}),
        ),
        tool(
            "PostToolUse",
            "Bash",
            &json!({"command": "x"}),
            json!({"tool_response": {"stdout": ""}, "duration_ms": 1}),
        ),
    ] {
        let (_, seen) = translate(&known);
        assert_eq!(seen.iter().count(), 0, "{seen:?}");
    }
}

#[test]
fn a_call_without_an_input_is_a_call() {
    let (events, _) = translate(&payload("PreToolUse", json!({"tool_name": "Bash"})));
    match &events.unwrap()[0].kind {
        EventKind::ToolStarted { tool, ask, .. } => {
            assert_eq!(tool, "Bash");
            assert_ne!(ask, &AskId::new(""));
        }
        other => panic!("{other:?}"),
    }
}
