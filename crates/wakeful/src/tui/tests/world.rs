//! Sessions made of events, and a model that shows them.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent};
use jiff::tz::TimeZone;
use wakeful_clients::Readers;
use wakeful_clients::abilities::abilities;
use wakeful_core::event::{
    AskKind, Event, EventKind, ListedWake, Opener, Place, Roster, ScheduledWake, SessionEnd, SessionStart,
    Source, Task, TaskKind, TurnEnd, TurnHow, WakeOwner,
};
use wakeful_core::ids::{AskId, Client, Digest, RuleId, SessionId, SessionKey, TaskId, WakeId};
use wakeful_core::reading::{Question, Reading, WaitWords};
use wakeful_core::settings::Settings;
use wakeful_core::time::{Boot, BootId, Millis, Now, Wall};
use wakeful_engine::live::{Fold, Found, Live, Moment, fold};

use crate::tui::app::{Command, Message, Model};
use crate::tui::snapshot::{Known, Snapshot};

/// 2027-01-15T08:00:00Z.
pub const START: Now = Now { wall: Wall(1_800_000_000_000), boot: Boot(1_000_000), boot_id: BootId(9) };

/// Sessions that events have made.
pub struct World {
    live: Live,
    history: BTreeMap<SessionKey, Vec<Moment>>,
    settings: Settings,
    prompts: u32,
}

/// A session of Claude Code.
pub fn session(id: &str) -> SessionKey {
    SessionKey { client: Client::ClaudeCode, id: SessionId::new(id) }
}

impl World {
    pub fn new() -> Self {
        let settings = Settings::default();
        let readers = Readers { read: &|_, _| Reading::default(), never_ends: &|_| None };
        let by = Fold { settings: &settings, zone: &TimeZone::UTC, readers, alive: &|_| true };
        let live = fold(Found::default(), START, &by);
        Self { live, history: BTreeMap::new(), settings, prompts: 0 }
    }

    /// Something happens, so many seconds after the start.
    pub fn event(&mut self, secs: u64, id: &str, kind: EventKind) {
        let at = self.pass(secs);
        let key = session(id);
        let (source, started) = (Source::Hook, Some(at.boot));
        let event =
            Event { session: key.clone(), source, turn: None, agent: None, epoch: None, started, kind };
        let effects = self.live.board.apply(at, &self.settings, abilities, &event);
        let own = effects.into_iter().filter(|(of, _)| *of == key).map(|(_, effect)| effect).collect();
        self.history.entry(key).or_default().push(Moment { at, event: Some(event), effects: own });
    }

    /// Time passes.
    pub fn pass(&mut self, secs: u64) -> Now {
        let to = START.plus(Millis::secs(secs));
        for (at, key, effect) in self.live.board.advance(self.live.now, to, &self.settings, abilities) {
            let moments = self.history.entry(key).or_default();
            moments.push(Moment { at, event: None, effects: vec![effect] });
        }
        self.live.now = to;
        to
    }

    pub fn start(&mut self, secs: u64, id: &str, folder: &str) {
        let place = Place {
            cwd: Some(format!("/home/eve/{folder}")),
            pid: Some(4711),
            tmux_pane: Some("%3".to_owned()),
            ..Place::default()
        };
        self.event(secs, id, EventKind::SessionStarted { start: SessionStart::Startup, place });
    }

    pub fn prompt(&mut self, secs: u64, id: &str, opener: Opener, label: &str) {
        self.prompts += 1;
        let digest = Digest(u64::from(self.prompts));
        let kind =
            EventKind::PromptSubmitted { opener, digest, reports: Vec::new(), label: label.to_owned() };
        self.event(secs, id, kind);
    }

    pub fn end(&mut self, secs: u64, id: &str, reading: Reading, roster: Roster) {
        let digest = Digest(secs);
        let how = TurnHow::Finished;
        let end = TurnEnd { reading, how, roster, digest, after_stop_hook: false };
        self.event(secs, id, EventKind::TurnEnded(Box::new(end)));
    }

    /// The agent waits for a subagent, and is woken and waits again, so many times.
    pub fn waits(&mut self, secs: u64, id: &str, label: &str, again: u64) {
        let task = Task {
            id: TaskId::new("b1"),
            kind: TaskKind::Subagent,
            label: label.to_owned(),
            limit: None,
            endless: None,
            persistent: false,
        };
        let roster = Roster { tasks: Some(vec![task]), wakes: Some(Vec::new()), reconstructed: false };
        self.end(secs, id, words("I'll go on when it reports back"), roster.clone());
        for n in 1..=again {
            self.prompt(secs + n * 60, id, Opener::Wake, &format!("the review has looked at {n} files"));
            self.end(secs + n * 60 + 20, id, words("still waiting for the review"), roster.clone());
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        let branch = |folder: &str| folder.ends_with("shop").then(|| "fix/cart".to_owned());
        let history = |key: &SessionKey| self.history.get(key).cloned().unwrap_or_default();
        Snapshot::of(&self.live, &Known { branch: &branch, history: &history })
    }

    /// A model of this size that has read the world.
    pub fn model(&self, size: (u16, u16)) -> Model {
        let mut model = Model::new(size, true, TimeZone::UTC);
        let commands = model.update(Message::Loaded(self.snapshot()));
        // The history of what is selected, and nothing else.
        assert!(matches!(commands.as_slice(), [] | [Command::Open(Some(_))]), "{commands:?}");
        model
    }
}

/// A message that waits, by these words.
pub fn words(words: &str) -> Reading {
    let wait = WaitWords {
        rule: RuleId::new("go-on-when"),
        words: words.to_owned(),
        names_external: false,
        names_mechanism: None,
    };
    Reading { wait: Some(wait.clone()), waits_somewhere: Some(wait), ..Reading::default() }
}

/// A message that asks this.
pub fn asks(question: &str) -> Reading {
    let question = Question { snippet: question.to_owned(), rule: RuleId::new("ends-with-question") };
    Reading { asks_user: Some(question), ..Reading::default() }
}

/// A message that reports that all is done.
pub fn closes() -> Reading {
    Reading { closes: Some(RuleId::new("reports-done")), ..Reading::default() }
}

/// The client's lists, empty.
pub fn nothing() -> Roster {
    Roster { tasks: Some(Vec::new()), wakes: Some(Vec::new()), reconstructed: false }
}

/// Seven sessions, one of each kind, as they are twenty minutes after the start.
pub fn morning() -> World {
    let mut world = World::new();
    world.start(0, "asks", "shop");
    world.prompt(1, "asks", Opener::User, "add a cart to the shop");
    world.start(2, "waits", "shop");
    world.prompt(3, "waits", Opener::User, "review what is there");
    world.start(4, "works", "blog");
    world.start(6, "done", "blog");
    world.prompt(7, "done", Opener::User, "fix the typo on the front page");
    world.start(8, "over", "attic");
    world.event(9, "over", EventKind::SessionEnded { end: SessionEnd::User });
    world.start(10, "wakes", "翻訳");
    world.prompt(11, "wakes", Opener::User, "日本語の文書を全部見直して、終わったら報告してください");
    world.start(12, "permits", "ops");
    world.prompt(13, "permits", Opener::User, "roll out the\u{1b}[31m new version\u{7}");
    world.end(60, "asks", asks("There are two tables. Which one shall I use for the cart?"), nothing());
    world.waits(90, "waits", "review the cart", 3);
    world.end(320, "done", closes(), nothing());
    let due = START.wall.plus(Millis::secs(400 + 20 * 60));
    let wake = ScheduledWake {
        id: Some(WakeId::new("w1")),
        due,
        delay: Millis::minutes(20),
        prompt: Digest(99),
        by: WakeOwner::Client { recurring: false, cron: false },
        reason: Some("look at the build".to_owned()),
    };
    world.event(400, "wakes", EventKind::WakeScheduled(wake));
    let row = ListedWake { id: WakeId::new("w1"), recurring: false, prompt: Digest(99), due: Some(due) };
    let roster = Roster { tasks: Some(Vec::new()), wakes: Some(vec![row]), reconstructed: false };
    world.end(401, "wakes", words("I look again in twenty minutes"), roster);
    let ask = EventKind::AskOpened {
        ask: AskKind::Permission,
        id: Some(AskId::new("a1")),
        snippet: "Bash: kubectl rollout restart deployment/shop --namespace production".to_owned(),
        outlives_turn: false,
    };
    world.event(420, "permits", ask);
    world.prompt(900, "works", Opener::User, "write about carts");
    world.pass(1000);
    world
}

/// Forty sessions that are done, and a few that wait.
pub fn crowd() -> World {
    let mut world = World::new();
    for n in 0..40 {
        let id = format!("s{n:02}");
        world.start(n * 10, &id, &format!("project-{n:02}"));
        world.prompt(n * 10 + 1, &id, Opener::User, &format!("do the thing number {n}"));
        if n % 8 == 0 {
            world.waits(n * 10 + 2, &id, "a long review", 0);
        } else {
            world.end(n * 10 + 2, &id, closes(), nothing());
        }
    }
    world.pass(600);
    world
}

/// Presses keys: a character each, and names in `<>`. What they ask for, other than another history.
pub fn press(model: &mut Model, keys: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        let (code, after) = match named {
            Some((name, after)) => (named_key(name), after),
            None => (KeyCode::Char(c), &rest[c.len_utf8()..]),
        };
        commands.extend(model.update(Message::Key(KeyEvent::from(code))));
        rest = after;
    }
    commands.retain(|command| !matches!(command, Command::Open(_)));
    commands
}

fn named_key(name: &str) -> KeyCode {
    match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "tab" => KeyCode::Tab,
        "back" => KeyCode::Backspace,
        other => panic!("no key {other}"),
    }
}
