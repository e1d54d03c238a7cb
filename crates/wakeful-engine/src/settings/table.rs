//! The one table of keys. From it come what the file and the environment may say, `wakeful settings`, and `docs/settings.md`.

use wakeful_core::causes::Reason;
use wakeful_core::settings::{
    AUTO_WAIT, EXTERNAL_WAIT, INBOX_MULTIPLE, KEEP_WAITING, MatchMode, Minutes, MinutesRange, OVERDUE, STALL,
    UNBACKED_WAIT,
};
use wakeful_core::time::Millis;
use wakeful_shell::{PolicyLevel, RuleId, RuleSwitch};

use super::kind::reason;
use super::value::Value;
use super::{Content, Key, Kind};

/// `notify.settle_seconds`. Never 0: a session that is woken at once would ring. Above a minute, a user who sits there waits for us.
const SETTLE: MinutesRange = MinutesRange { default: 3, min: 1, max: 60 };
/// `store.keep_days`: at least a day, so that `show` has something; ten years are for ever.
const KEEP_DAYS: Kind = Kind::Whole(1, 3650);
/// `store.keep_mb`: an empty log takes some megabytes; a terabyte is for ever.
const KEEP_MB: Kind = Kind::Whole(16, 1_048_576);

/// Every key, in the order in which they are shown.
pub const KEYS: &[Key] = &[
    Key {
        name: "detector.enabled",
        kind: Kind::Switch,
        kill_switch: Some("WAKEFUL_DISABLE_DETECTOR"),
        about: "Read waits from the words of the last message. Off, only what the client reports as alive holds a session back.",
        get: |all| Value::Switch(all.core.detector),
        put: |all, value| all.core.detector = value.on(),
    },
    Key {
        name: "detector.match_mode",
        kind: Kind::OneOf(&["precise", "full"]),
        kill_switch: None,
        about: "Match with the curated rules (`precise`) or with every rule (`full`), which finds more waits and errs more often.",
        get: |all| Value::text_of(if all.match_mode == MatchMode::Full { "full" } else { "precise" }),
        put: |all, value| {
            all.match_mode = if value.word() == "full" { MatchMode::Full } else { MatchMode::Precise }
        },
    },
    Key {
        name: "detector.second_opinion.enabled",
        kind: Kind::Switch,
        kill_switch: Some("WAKEFUL_DISABLE_SECOND_OPINION"),
        about: "Ask a language model about messages that the rules cannot tell.",
        get: |all| Value::Switch(all.second_opinion),
        put: |all, value| all.second_opinion = value.on(),
    },
    Key {
        name: "waits.auto_wait_minutes",
        kind: Kind::Resolved(AUTO_WAIT, "minutes"),
        kill_switch: None,
        about: "How long a wait stays out of the inbox when nothing ends it.",
        get: |all| Value::number(all.core.auto_wait.0),
        put: |all, value| all.core.auto_wait = Minutes(value.small()),
    },
    Key {
        name: "waits.keep_waiting_minutes",
        kind: Kind::Resolved(KEEP_WAITING, "minutes"),
        kill_switch: None,
        about: "How long *Keep waiting* keeps a session out of the inbox.",
        get: |all| Value::number(all.core.keep_waiting.0),
        put: |all, value| all.core.keep_waiting = Minutes(value.small()),
    },
    Key {
        name: "waits.unbacked_wait_minutes",
        kind: Kind::Resolved(UNBACKED_WAIT, "minutes"),
        kill_switch: None,
        about: "How long a wait is held that nothing is armed to end. 0 shows it at once.",
        get: |all| Value::number(all.core.unbacked_wait.0),
        put: |all, value| all.core.unbacked_wait = Minutes(value.small()),
    },
    Key {
        name: "waits.external_wait_minutes",
        kind: Kind::Resolved(EXTERNAL_WAIT, "minutes"),
        kill_switch: None,
        about: "How long a wait for something outside the client (a CI run) is held when the client has nothing alive. 0 shows it at once.",
        get: |all| Value::number(all.core.external_wait.0),
        put: |all, value| all.core.external_wait = Minutes(value.small()),
    },
    Key {
        name: "waits.overdue_minutes",
        kind: Kind::Resolved(OVERDUE, "minutes"),
        kill_switch: None,
        about: "Grace after a promised wake before the session needs you.",
        get: |all| Value::number(all.core.overdue.0),
        put: |all, value| all.core.overdue = Minutes(value.small()),
    },
    Key {
        name: "waits.promise_check",
        kind: Kind::Switch,
        kill_switch: Some("WAKEFUL_DISABLE_PROMISE_CHECK"),
        about: "Ask an agent that promises to come back, with nothing armed to wake it, to arm something or to end its turn otherwise.",
        get: |all| Value::Switch(all.core.promise_check),
        put: |all, value| all.core.promise_check = value.on(),
    },
    Key {
        name: "check_in.auto",
        kind: Kind::Switch,
        kill_switch: Some("WAKEFUL_DISABLE_AUTO_CHECK_IN"),
        about: "When a wait runs out, ask the agent how it stands before the session surfaces, up to 3 times in a row.",
        get: |all| Value::Switch(all.core.auto_check_in),
        put: |all, value| all.core.auto_check_in = value.on(),
    },
    Key {
        name: "check_in.from_inbox",
        kind: Kind::Switch,
        kill_switch: Some("WAKEFUL_DISABLE_INBOX_CHECK_IN"),
        about: "When a wait ran out, the session surfaced and nobody came, ask the agent how it stands, up to 3 times.",
        get: |all| Value::Switch(all.core.inbox_check_in),
        put: |all, value| all.core.inbox_check_in = value.on(),
    },
    Key {
        name: "check_in.from_inbox_multiple",
        kind: Kind::Resolved(INBOX_MULTIPLE, "times `waits.auto_wait_minutes`"),
        kill_switch: None,
        about: "After how many times `waits.auto_wait_minutes` in the inbox.",
        get: |all| Value::number(all.core.inbox_multiple),
        put: |all, value| all.core.inbox_multiple = value.small(),
    },
    Key {
        name: "watchdog.stall_minutes",
        kind: Kind::Resolved(STALL, "minutes"),
        kill_switch: None,
        about: "Silence after which an open turn counts as stalled.",
        get: |all| Value::number(all.core.stall.0),
        put: |all, value| all.core.stall = Minutes(value.small()),
    },
    Key {
        name: "view.hide_repeated_auto_waits",
        kind: Kind::Switch,
        kill_switch: None,
        about: "Show only the newest of a run of turns that were kept out of the inbox. Display only.",
        get: |all| Value::Switch(all.view.hide_repeated_auto_waits),
        put: |all, value| all.view.hide_repeated_auto_waits = value.on(),
    },
    Key {
        name: "guard.policy",
        kind: Kind::OneOf(&["standard", "strict", "warn", "off"]),
        kill_switch: Some("WAKEFUL_DISABLE_GUARD"),
        about: "Which commands the guard refuses: hand-made waiters (`standard`), more of them (`strict`), none but the agent is told (`warn`), none (`off`).",
        get: |all| {
            Value::text_of(match all.guard.level {
                PolicyLevel::Standard => "standard",
                PolicyLevel::Strict => "strict",
                PolicyLevel::Warn => "warn",
                PolicyLevel::Off => "off",
            })
        },
        put: |all, value| {
            all.guard.level = match value.word() {
                "strict" => PolicyLevel::Strict,
                "warn" => PolicyLevel::Warn,
                "off" => PolicyLevel::Off,
                _ => PolicyLevel::Standard,
            }
        },
    },
    Key {
        name: "guard.rules",
        kind: Kind::RuleSwitches,
        kill_switch: None,
        about: "Switches for single rules, such as `{ poll-loop = \"warn\" }`. They win over the policy, except over `off`.",
        get: |all| {
            let switches = all.guard.rules.iter();
            Value::Map(
                switches.map(|(rule, to)| (rule.as_str().to_owned(), switch(*to).to_owned())).collect(),
            )
        },
        put: |all, value| {
            all.guard.rules =
                value.map().filter_map(|(rule, to)| Some((rule_id(rule)?, to_switch(to)?))).collect();
        },
    },
    Key {
        name: "guard.allow",
        kind: Kind::Texts,
        kill_switch: None,
        about: "Commands that may run although a rule matches: patterns of the whole command, `*` for any text, `?` for one character.",
        get: |all| Value::list(all.guard.allow.iter()),
        put: |all, value| all.guard.allow = value.words().to_vec(),
    },
    Key {
        name: "notify.enabled",
        kind: Kind::Switch,
        kill_switch: None,
        about: "Ring when a session needs you.",
        get: |all| Value::Switch(all.notify.enabled),
        put: |all, value| all.notify.enabled = value.on(),
    },
    Key {
        name: "notify.muted",
        kind: Kind::Reasons,
        kill_switch: None,
        about: "Reasons that never ring, whatever a channel says. The inbox shows them all the same.",
        get: |all| reasons(&all.notify.muted),
        put: |all, value| all.notify.muted = to_reasons(value),
    },
    Key {
        name: "notify.quiet_hours",
        kind: Kind::Hours,
        kill_switch: None,
        about: "Nothing rings in these hours of local time, such as `22:00-07:00`.",
        get: |all| Value::text_of(all.notify.quiet_hours.map_or_else(String::new, |hours| hours.to_string())),
        put: |all, value| all.notify.quiet_hours = value.word().parse().ok(),
    },
    Key {
        name: "notify.content",
        kind: Kind::OneOf(&["full", "name"]),
        kill_switch: None,
        about: "What a notification says: everything (`full`), or only the name of the session and the reason (`name`).",
        get: |all| Value::text_of(if all.notify.content == Content::Name { "name" } else { "full" }),
        put: |all, value| {
            all.notify.content = if value.word() == "name" { Content::Name } else { Content::Full }
        },
    },
    Key {
        name: "notify.settle_seconds",
        kind: Kind::Resolved(SETTLE, "seconds"),
        kill_switch: None,
        about: "How long a session must need you before that rings, so that one which goes on at once stays silent.",
        get: |all| Value::number(u16::try_from(all.core.settle.0 / 1000).unwrap_or(u16::MAX)),
        put: |all, value| {
            all.core.settle = Millis::secs(value.whole().into());
            all.notify.settle = all.core.settle;
        },
    },
    Key {
        name: "notify.skip_focused",
        kind: Kind::Switch,
        kill_switch: None,
        about: "Do not ring while the terminal of that session has the focus.",
        get: |all| Value::Switch(all.notify.skip_focused),
        put: |all, value| all.notify.skip_focused = value.on(),
    },
    Key {
        name: "notify.desktop.enabled",
        kind: Kind::Switch,
        kill_switch: None,
        about: "Show a notification of the desktop.",
        get: |all| Value::Switch(all.notify.desktop.enabled),
        put: |all, value| all.notify.desktop.enabled = value.on(),
    },
    Key {
        name: "notify.desktop.reasons",
        kind: Kind::Reasons,
        kill_switch: None,
        about: "Only for these reasons; an empty list stands for all.",
        get: |all| reasons(&all.notify.desktop.reasons),
        put: |all, value| all.notify.desktop.reasons = to_reasons(value),
    },
    Key {
        name: "notify.bell.enabled",
        kind: Kind::Switch,
        kill_switch: None,
        about: "Ring the bell of the terminal.",
        get: |all| Value::Switch(all.notify.bell.enabled),
        put: |all, value| all.notify.bell.enabled = value.on(),
    },
    Key {
        name: "notify.bell.reasons",
        kind: Kind::Reasons,
        kill_switch: None,
        about: "Only for these reasons; an empty list stands for all.",
        get: |all| reasons(&all.notify.bell.reasons),
        put: |all, value| all.notify.bell.reasons = to_reasons(value),
    },
    Key {
        name: "notify.command.run",
        kind: Kind::Texts,
        kill_switch: None,
        about: "A program of yours and its arguments, run without a shell. An empty list runs none.",
        get: |all| Value::list(all.notify.command.run.iter()),
        put: |all, value| all.notify.command.run = value.words().to_vec(),
    },
    Key {
        name: "notify.command.reasons",
        kind: Kind::Reasons,
        kill_switch: None,
        about: "Only for these reasons; an empty list stands for all.",
        get: |all| reasons(&all.notify.command.reasons),
        put: |all, value| all.notify.command.reasons = to_reasons(value),
    },
    Key {
        name: "notify.webhook.url",
        kind: Kind::Url,
        kill_switch: None,
        about: "Send notifications there as JSON, by HTTP POST.",
        get: |all| Value::text_of(all.notify.webhook.url.as_deref().unwrap_or_default()),
        put: |all, value| all.notify.webhook.url = address(value),
    },
    Key {
        name: "notify.webhook.reasons",
        kind: Kind::Reasons,
        kill_switch: None,
        about: "Only for these reasons; an empty list stands for all.",
        get: |all| reasons(&all.notify.webhook.reasons),
        put: |all, value| all.notify.webhook.reasons = to_reasons(value),
    },
    Key {
        name: "notify.ntfy.url",
        kind: Kind::Url,
        kill_switch: None,
        about: "Send notifications to this topic of an ntfy server, such as `https://ntfy.example/topic`.",
        get: |all| Value::text_of(all.notify.ntfy.url.as_deref().unwrap_or_default()),
        put: |all, value| all.notify.ntfy.url = address(value),
    },
    Key {
        name: "notify.ntfy.reasons",
        kind: Kind::Reasons,
        kill_switch: None,
        about: "Only for these reasons; an empty list stands for all.",
        get: |all| reasons(&all.notify.ntfy.reasons),
        put: |all, value| all.notify.ntfy.reasons = to_reasons(value),
    },
    Key {
        name: "api.port",
        kind: Kind::Whole(0, 65_535),
        kill_switch: None,
        about: "TCP port of the API and the web page on the loopback address. 0 opens none: the Unix socket alone.",
        get: |all| Value::number(all.api.port),
        put: |all, value| all.api.port = value.small(),
    },
    Key {
        name: "store.keep_days",
        kind: KEEP_DAYS,
        kill_switch: None,
        about: "How many days of events and decisions are kept.",
        get: |all| Value::number(all.store.keep_days),
        put: |all, value| all.store.keep_days = value.whole(),
    },
    Key {
        name: "store.keep_mb",
        kind: KEEP_MB,
        kill_switch: None,
        about: "How many megabytes of them are kept; beyond that the oldest go.",
        get: |all| Value::number(all.store.keep_mb),
        put: |all, value| all.store.keep_mb = value.whole(),
    },
    Key {
        name: "audit.keep_text",
        kind: Kind::Switch,
        kill_switch: None,
        about: "Keep the message that a decision was read from. Off keeps only its hash, and such a decision cannot be explained later.",
        get: |all| Value::Switch(all.audit.keep_text),
        put: |all, value| all.audit.keep_text = value.on(),
    },
];

fn reasons(list: &[Reason]) -> Value {
    Value::list(list.iter().map(|reason| reason.name()))
}

fn to_reasons(value: &Value) -> Vec<Reason> {
    value.words().iter().filter_map(|word| reason(word)).collect()
}

fn address(value: &Value) -> Option<String> {
    Some(value.word().to_owned()).filter(|url| !url.is_empty())
}

fn switch(to: RuleSwitch) -> &'static str {
    match to {
        RuleSwitch::Off => "off",
        RuleSwitch::Warn => "warn",
        RuleSwitch::Deny => "deny",
    }
}

fn to_switch(word: &str) -> Option<RuleSwitch> {
    [RuleSwitch::Off, RuleSwitch::Warn, RuleSwitch::Deny].into_iter().find(|to| switch(*to) == word)
}

fn rule_id(name: &str) -> Option<RuleId> {
    RuleId::ALL.into_iter().find(|rule| rule.as_str() == name)
}
