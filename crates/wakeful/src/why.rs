//! Why a decision came out as it did, in plain words.

use wakeful_core::decision::{Decision, Gate, TaskEvidence, Verdict};
use wakeful_core::event::TaskKind;
use wakeful_core::ids::TaskId;
use wakeful_core::ledger::Backing;

use crate::words::{said, until, waiting_for};

/// The explanation of a decision, one sentence or two each. `named` gives the label of a task that is still known.
pub fn why(decision: &Decision, named: &dyn Fn(&TaskId) -> Option<String>) -> Vec<String> {
    let mut lines =
        vec![verdict(decision), format!("Gate {}: {}.", decision.gate.name(), gate(decision.gate))];
    match (&decision.rule, &decision.words) {
        (Some(rule), Some(words)) => lines.push(format!("The rule {rule} matched the words “{words}”.")),
        (Some(rule), None) => lines.push(format!("The rule {rule} matched in the last message.")),
        (None, Some(words)) => lines.push(format!("The words that counted: “{words}”.")),
        (None, None) => {}
    }
    lines.extend(decision.evidence.backing.map(|backing| format!("Behind the words: {}.", behind(backing))));
    lines.push(lists(decision));
    lines.extend(decision.evidence.tasks.iter().map(|task| one_task(task, named)));
    lines.extend(
        decision
            .evidence
            .closes
            .as_ref()
            .map(|rule| format!("The message closes: it reports completion or hands over (rule {rule}).")),
    );
    lines.extend(
        decision
            .evidence
            .vetoes
            .iter()
            .map(|rule| format!("A wait in the words did not count, because it is on you (rule {rule}).")),
    );
    lines
}

fn verdict(decision: &Decision) -> String {
    match &decision.verdict {
        Verdict::NeedsYou { reason, .. } => format!("It came to your inbox: the session {}.", said(*reason)),
        Verdict::Waiting { on, bound } => {
            format!("It was kept out of your inbox: it waits for {}; {}.", waiting_for(on), until(*bound))
        }
        Verdict::Idle => "It was not put into your inbox: you interrupted the turn yourself.".to_owned(),
    }
}

fn gate(gate: Gate) -> &'static str {
    match gate {
        Gate::OpenAsk => "a dialog or a question is open, and only you can answer it",
        Gate::Failure => "the turn failed, hit a limit, or was interrupted",
        Gate::Question => "the last message asks you something; that counts whatever else is alive",
        Gate::ScheduledWake => "the agent has set itself a timer that the client confirms",
        Gate::AwaitedWork => {
            "work that the agent declared to wait for is alive, or has ended and still owes its wake"
        }
        Gate::LiveWork => "background work is alive, and someone waits for it",
        Gate::PendingSubagents => "subagents that the turn called have not reported yet",
        Gate::ProseWait => "nothing but the last message says that the agent waits",
        Gate::Done => "nothing is asked, nothing is owed, nothing that anyone waits for is alive",
    }
}

fn behind(backing: Backing) -> &'static str {
    match backing {
        Backing::Backed => "something on the ledger can wake the agent",
        Backing::External => "something outside the client that may come back",
        Backing::Unknown => "nobody knows, the client does not say what is alive",
        Backing::Unbacked => "nothing; nothing is armed to wake the agent",
    }
}

fn lists(decision: &Decision) -> String {
    let evidence = &decision.evidence;
    let tasks = match evidence.tasks.len() {
        0 => "no background task".to_owned(),
        1 => "one background task".to_owned(),
        n => format!("{n} background tasks"),
    };
    let wakes = match evidence.wakes {
        0 => String::new(),
        1 => " and a scheduled wake".to_owned(),
        n => format!(" and {n} scheduled wakes"),
    };
    let source = match (evidence.lists, evidence.reconstructed) {
        (true, true) => "rebuilt from the transcript",
        (true, false) => "by the client's own lists",
        (false, _) => "as far as is known, for the client sent no lists",
    };
    format!("On the ledger then: {tasks}{wakes}, {source}.")
}

fn one_task(task: &TaskEvidence, named: &dyn Fn(&TaskId) -> Option<String>) -> String {
    let kind = match task.kind {
        TaskKind::Command => "command",
        TaskKind::Monitor => "monitor",
        TaskKind::Subagent => "subagent",
        TaskKind::Workflow => "workflow",
        TaskKind::Other => "task of an unknown kind",
    };
    let name = named(&task.id).map(|label| format!(" “{label}”")).unwrap_or_default();
    let alive = if task.owed { "has ended and owes its wake" } else { "alive" };
    let awaited = if task.awaited { ", declared as awaited" } else { "" };
    let holds = match (task.holds, &task.endless) {
        (true, _) => "it holds the session out of the inbox".to_owned(),
        (false, Some(rule)) => format!("it holds nothing, for it never ends by itself (rule {rule})"),
        (false, None) => "it holds nothing, for nobody waits for it".to_owned(),
    };
    format!("• {kind}{name}, {alive}{awaited}: {holds}.")
}
