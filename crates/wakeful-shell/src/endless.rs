//! Which commands never end by themselves (spec 10, "Does anyone wait for this live work?").
//!
//! The question is asked of a whole command line: a dev server behind `&` does not keep the shell, `timeout` bounds it, a
//! pipeline ends when its reader stops. The programs are data: `rules/endless.toml`.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::early_exit::{ssh_parts, stops_early};
use crate::endless_data::{Data, data};
use crate::lexer::Origin;
use crate::parse::parse;
use crate::tree::{Command, Job, List, LoopKind, Node, Pipeline, Redirect, Word};
use crate::walk::remote_script;
use crate::wrappers::{Run, Shell, resolve, shell_script, stdin_text};

/// Why a command never ends by itself. The kebab-case name is stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndlessRule {
    /// Serves a project while it is being worked on.
    DevServer,
    /// Serves until it is stopped: a database, a web server, a worker.
    Server,
    /// Waits for files to change.
    Watcher,
    /// Follows a log or a stream of messages.
    LogFollower,
    /// Forwards ports or requests.
    Tunnel,
    /// Waits for someone to type.
    Repl,
    /// Redraws a view of the machine.
    LiveView,
    /// `sleep infinity`.
    EndlessSleep,
    /// A loop without a condition and without a way out.
    EndlessLoop,
}

impl EndlessRule {
    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DevServer => "dev-server",
            Self::Server => "server",
            Self::Watcher => "watcher",
            Self::LogFollower => "log-follower",
            Self::Tunnel => "tunnel",
            Self::Repl => "repl",
            Self::LiveView => "live-view",
            Self::EndlessSleep => "endless-sleep",
            Self::EndlessLoop => "endless-loop",
        }
    }
}

impl fmt::Display for EndlessRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Scripts, runners and functions inside each other that are followed.
const MAX_NESTING: usize = 8;

/// The rule by which this command never ends by itself; `None` if it ends, may end, or is not known.
pub fn never_ends(command: &str) -> Option<EndlessRule> {
    script(command, 0, false)
}

fn script(text: &str, nesting: usize, stdin_given: bool) -> Option<EndlessRule> {
    if nesting >= MAX_NESTING {
        return None;
    }
    let script = parse(text, &Origin::At(0), 0);
    let mut functions = HashMap::new();
    collect_functions(&script.list, &mut functions);
    Judge { data: data(), functions: &functions, nesting, stdin_given }.list(&script.list)
}

/// Functions at the top of the script; one that is defined deeper is not called from a place that matters here.
fn collect_functions<'t>(list: &'t List, found: &mut HashMap<&'t str, &'t List>) {
    for command in commands(list) {
        if let Node::Function { name, body } = &command.node {
            found.insert(name, body);
        }
    }
}

fn commands(list: &List) -> impl Iterator<Item = &Command> {
    list.iter().flat_map(job_commands)
}

fn job_commands(job: &Job) -> impl Iterator<Item = &Command> {
    job.chain.iter().flat_map(|pipeline| &pipeline.stages)
}

#[derive(Clone, Copy)]
struct Judge<'t> {
    data: &'static Data,
    functions: &'t HashMap<&'t str, &'t List>,
    nesting: usize,
    /// The script as a whole does not read from a person.
    stdin_given: bool,
}

impl Judge<'_> {
    fn deeper(self) -> Option<Self> {
        let nesting = self.nesting + 1;
        (nesting < MAX_NESTING).then_some(Self { nesting, ..self })
    }

    /// The shell stays at the first foreground job that never ends, or where it waits for one in the background.
    fn list(self, list: &List) -> Option<EndlessRule> {
        let mut behind = None;
        for job in list {
            let rule = job.chain.iter().find_map(|p| self.pipeline(p));
            if job.background {
                behind = behind.or(rule);
                continue;
            }
            if rule.is_some() {
                return rule;
            }
            for name in job_commands(job).filter_map(program) {
                match name {
                    "kill" | "pkill" | "killall" => behind = None,
                    "wait" | "fg" if behind.is_some() => return behind,
                    _ => {}
                }
            }
        }
        None
    }

    /// What feeds a stage that stops early gets a broken pipe and ends too.
    fn pipeline(self, pipeline: &Pipeline) -> Option<EndlessRule> {
        let stages = &pipeline.stages;
        let from = stages.iter().rposition(ends_early).unwrap_or(0);
        stages.iter().enumerate().skip(from).find_map(|(at, command)| self.command(command, at > 0))
    }

    fn command(self, command: &Command, piped: bool) -> Option<EndlessRule> {
        let judge = self.deeper()?;
        let from_input = command
            .redirects
            .iter()
            .filter(|_| !ends_early(command))
            .find_map(|r| judge.words(std::slice::from_ref(&r.target)));
        if from_input.is_some() {
            return from_input;
        }
        match &command.node {
            Node::Simple { assigns, words } => {
                let substituted = || judge.words(assigns).or_else(|| judge.words(words));
                let stdin_given =
                    piped || self.stdin_given || command.redirects.iter().any(Redirect::feeds_stdin);
                judge
                    .simple(words, &command.redirects, stdin_given)
                    .or_else(|| (!ends_early(command)).then(substituted).flatten())
            }
            Node::Loop { kind, items, exprs, cond, body } => {
                judge.words(items).or_else(|| judge.list(cond)).or_else(|| judge.list(body)).or_else(|| {
                    (always(*kind, exprs, cond) && !leaves(body) && !leaves(cond))
                        .then_some(EndlessRule::EndlessLoop)
                })
            }
            Node::Group(list) | Node::Subshell(list) => judge.list(list),
            Node::Branch { words, parts } => {
                judge.words(words).or_else(|| parts.iter().find_map(|part| judge.list(part)))
            }
            Node::Function { .. } => None,
            Node::Test(words) => judge.words(words),
        }
    }

    fn words(self, words: &[Word]) -> Option<EndlessRule> {
        words.iter().flat_map(|word| &word.subs).find_map(|list| self.list(list))
    }

    fn simple(self, words: &[Word], redirects: &[Redirect], stdin_given: bool) -> Option<EndlessRule> {
        let judge = self.deeper()?;
        let run = resolve(words);
        if run.limit.is_some() || run.words.is_empty() {
            return None;
        }
        if run.bare
            && let Some(body) = self.functions.get(run.name)
        {
            return judge.list(body);
        }
        match shell_script(&run) {
            Shell::Text(fed) => return script(&fed.text, judge.nesting, stdin_given),
            Shell::Stdin => {
                if let Some(fed) = stdin_text(redirects) {
                    return script(&fed.text, judge.nesting, stdin_given);
                }
            }
            Shell::No => {}
        }
        let asks_only = |w: &Word| matches!(w.text.as_str(), "--help" | "--version");
        if run.words.iter().any(asks_only) {
            return None;
        }
        if let Some(inner) = self.data.inner_command(run.words) {
            // `pnpm dev` may be a program or a script of that name.
            let rule = judge.simple(inner, redirects, stdin_given);
            if rule.is_some() {
                return rule;
            }
        }
        match run.name {
            "ssh" => match ssh_parts(&run) {
                // Without a host it prints its usage.
                None => return None,
                Some((_, [])) => {}
                Some(_) => {
                    return remote_script(&run).and_then(|fed| script(&fed.text, judge.nesting, stdin_given));
                }
            },
            "concurrently" => return judge.concurrently(&run),
            "npm-run-all" | "run-p" | "run-s" => {
                return run.args().iter().find_map(|w| self.data.script_name(&w.text, "npm"));
            }
            _ => {}
        }
        self.data.rule(run.words, stdin_given).or_else(|| self.data.script_rule(run.words))
    }

    /// Its arguments are commands; `npm:dev` is short for `npm run dev`. With `--kill-others` the first to end ends all.
    fn concurrently(self, run: &Run<'_>) -> Option<EndlessRule> {
        let kills = |w: &Word| {
            matches!(w.text.as_str(), "-k" | "-s" | "--success") || w.text.starts_with("--kill-others")
        };
        if run.args().iter().any(kills) {
            return None;
        }
        run.args().iter().find_map(|word| match word.text.strip_prefix("npm:") {
            Some(name) => self.data.script_name(name, "npm"),
            None if word.text.starts_with('-') => None,
            None => script(&word.text, self.nesting, true),
        })
    }
}

fn program(command: &Command) -> Option<&str> {
    match &command.node {
        Node::Simple { words, .. } => Some(resolve(words).name),
        _ => None,
    }
}

fn ends_early(command: &Command) -> bool {
    match &command.node {
        Node::Simple { words, .. } => stops_early(&resolve(words)),
        Node::Loop { body, .. } => leaves(body),
        Node::Group(list) | Node::Subshell(list) => leaves(list),
        _ => false,
    }
}

/// A loop that only `break` and its like can leave.
fn always(kind: LoopKind, exprs: &[Word], cond: &List) -> bool {
    match kind {
        LoopKind::Each => false,
        LoopKind::CStyle => {
            exprs.first().is_some_and(|e| e.text.split(';').nth(1).is_some_and(|c| c.trim().is_empty()))
        }
        LoopKind::While | LoopKind::Until => {
            let mut commands = commands(cond);
            let (Some(last), None) = (commands.next(), commands.next()) else {
                return false;
            };
            let truth = match &last.node {
                Node::Simple { words, .. } => truth(words),
                Node::Test(words) => match words.as_slice() {
                    [only] if only.text.trim() == "1" || only.text.trim() == "true" => Some(true),
                    [only] if only.text.trim() == "0" => Some(false),
                    _ => None,
                },
                _ => None,
            };
            truth == Some(kind == LoopKind::While)
        }
    }
}

fn truth(words: &[Word]) -> Option<bool> {
    let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    match texts.as_slice() {
        ["true" | ":" | "/bin/true" | "/usr/bin/true"]
        | ["sleep", ..]
        | ["[", "1" | "true", "]"]
        | ["test", "1"] => Some(true),
        ["false" | "/bin/false"] => Some(false),
        _ => None,
    }
}

/// Something in the list may leave the loop or the shell.
fn leaves(list: &List) -> bool {
    commands(list).any(|command| match &command.node {
        Node::Simple { words, .. } => {
            matches!(resolve(words).name, "break" | "exit" | "return" | "exec")
                || words.iter().any(|w| w.text == "$$")
        }
        Node::Loop { body, .. } => leaves(body),
        Node::Group(list) | Node::Subshell(list) => leaves(list),
        Node::Branch { parts, .. } => parts.iter().any(leaves),
        Node::Function { .. } | Node::Test(_) => false,
    })
}
