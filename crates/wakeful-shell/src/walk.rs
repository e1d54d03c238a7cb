//! Walks the tree for the guard: finds loops that wait, and sums up what the whole command does.

use std::collections::{BTreeMap, HashMap};

use crate::early_exit::{follows, stops_early};
use crate::guard::{Refusal, refuse_hit, refuse_pair};
use crate::lexer::Origin;
use crate::parse::parse;
use crate::policy::RuleId;
use crate::scan;
use crate::summary::{Hit, Summary, Work};
use crate::tree::{Command, List, LoopKind, Node, Pipeline, Redirect, RedirectKind, Word};
use crate::wrappers::{Fed, Run, Shell, duration, piped_text, resolve, shell_script, stdin_text};

/// Scripts inside scripts (`bash -c "bash -c …"`) that are looked into. Each level reads the text once more.
const MAX_SCRIPTS: usize = 6;

/// What reads output (spec 50). `sed` is not here: its name does not prove that it only reads.
const READERS: &[&str] = &["tail", "cat", "head", "grep", "rg", "wc"];

/// What has no effect beside waiting and reading (spec 50).
const NEUTRAL: &[&str] = &["cd", "pwd", "echo", "printf", "date"];

/// A foreground sleep from here on is long (spec 50 G7), in seconds.
const LONG_SLEEP: f64 = 60.0;

/// What was found, the first of each rule.
#[derive(Debug, Default)]
pub(crate) struct Findings(BTreeMap<RuleId, Refusal>);

impl Findings {
    pub fn add(&mut self, rule: RuleId, refusal: Refusal) {
        self.0.entry(rule).or_insert(refusal);
    }

    pub fn first(&self, rule: RuleId) -> Option<&Refusal> {
        self.0.get(&rule)
    }
}

pub(crate) struct Report<'c> {
    command: &'c str,
    pub findings: Findings,
    pub damaged: bool,
    pub steps: usize,
}

impl<'c> Report<'c> {
    pub fn new(command: &'c str) -> Self {
        Self { command, findings: Findings::default(), damaged: false, steps: 0 }
    }
}

/// Reads a script `level` scripts deep and sums it up.
pub(crate) fn walk_script(text: &str, origin: &Origin, level: usize, report: &mut Report<'_>) -> Summary {
    if level >= MAX_SCRIPTS {
        report.damaged = true;
        return Summary::work();
    }
    let script = parse(text, origin, 0);
    report.damaged |= script.damaged;
    report.steps += script.steps;
    let mut functions = HashMap::new();
    collect_functions(&script.list, &mut functions);
    let mut walker = Walker { functions, memo: HashMap::new(), level, background: false, report };
    walker.list(&script.list)
}

fn collect_functions<'t>(list: &'t List, found: &mut HashMap<&'t str, Vec<&'t List>>) {
    let commands = list.iter().flat_map(|job| &job.chain).flat_map(|pipeline| &pipeline.stages);
    for command in commands {
        match &command.node {
            Node::Function { name, body } => {
                found.entry(name).or_default().push(body);
                collect_functions(body, found);
            }
            Node::Group(list) | Node::Subshell(list) => collect_functions(list, found),
            Node::Loop { cond, body, .. } => {
                collect_functions(cond, found);
                collect_functions(body, found);
            }
            Node::Branch { parts, .. } => {
                for part in parts {
                    collect_functions(part, found);
                }
            }
            Node::Simple { .. } | Node::Test(_) => {}
        }
    }
}

struct Walker<'t, 'r, 'c> {
    functions: HashMap<&'t str, Vec<&'t List>>,
    /// Function bodies already summed up; `None` while that is being done (recursion adds nothing).
    memo: HashMap<&'t str, Option<Summary>>,
    level: usize,
    background: bool,
    report: &'r mut Report<'c>,
}

impl<'t> Walker<'t, '_, '_> {
    fn list(&mut self, list: &'t List) -> Summary {
        let mut all = Summary::default();
        for job in list {
            let outer = self.background;
            self.background |= job.background;
            let mut summary = Summary::default();
            for pipeline in &job.chain {
                summary = summary.then(self.pipeline(pipeline));
            }
            self.background = outer;
            if job.background {
                summary = summary.in_background();
            }
            all = all.then(summary);
        }
        all
    }

    fn pipeline(&mut self, pipeline: &'t Pipeline) -> Summary {
        let mut all = Summary::default();
        let mut previous: Option<&'t Command> = None;
        for command in &pipeline.stages {
            let next = self.command(command, previous);
            all = all.then(next);
            previous = Some(command);
        }
        self.hanging_follow(pipeline);
        all
    }

    /// `tail -f log | grep -m1 done`: the reader may stop, the follower only notices at its next write.
    fn hanging_follow(&mut self, pipeline: &Pipeline) {
        let runs = || {
            pipeline.stages.iter().filter_map(|c| match &c.node {
                Node::Simple { words, .. } => Some(resolve(words)),
                _ => None,
            })
        };
        let Some(follower) = runs().find(|run| run.limit.is_none() && follows(run)) else {
            return;
        };
        if let Some(stopper) = runs().find(stops_early) {
            let refusal = refuse_pair(RuleId::HangingFollow, &self.hit(&follower), &self.hit(&stopper));
            self.report.findings.add(RuleId::HangingFollow, refusal);
        }
    }

    fn command(&mut self, command: &'t Command, previous: Option<&'t Command>) -> Summary {
        self.report.steps += 1;
        let redirected = self.redirects(&command.redirects);
        let summary = match &command.node {
            Node::Simple { assigns, words } => {
                let expanded = self.words(assigns).then(self.words(words));
                expanded.then(self.simple(words, &command.redirects, previous))
            }
            Node::Loop { kind, items, exprs, cond, body } => {
                let before = self.words(items);
                let inside = self.words(exprs).then(self.list(cond)).then(self.list(body));
                self.poll_loop(*kind, command, &inside);
                before.then(inside)
            }
            Node::Group(list) | Node::Subshell(list) => self.list(list),
            Node::Branch { words, parts } => {
                let mut all = self.words(words);
                for part in parts {
                    all = all.then(self.list(part));
                }
                all
            }
            Node::Function { name, .. } => {
                // Defining runs nothing, but a loop in the body is a loop in the command.
                self.function(name);
                Summary::default()
            }
            Node::Test(words) => {
                let expanded = self.words(words);
                expanded.then(Summary::work())
            }
        };
        redirected.then(summary)
    }

    fn function(&mut self, name: &'t str) -> Option<Summary> {
        if let Some(known) = self.memo.get(name) {
            return Some(known.clone().unwrap_or_default());
        }
        let bodies = self.functions.get(name)?.clone();
        self.memo.insert(name, None);
        let mut all = Summary::default();
        for body in bodies {
            all = all.then(self.list(body));
        }
        self.memo.insert(name, Some(all.clone()));
        Some(all)
    }

    fn poll_loop(&mut self, kind: LoopKind, command: &Command, inside: &Summary) {
        let Some(hit) = &inside.waits else { return };
        let keyword = match kind {
            LoopKind::While => "while",
            LoopKind::Until => "until",
            LoopKind::Each => "for",
            LoopKind::CStyle => "for ((",
        };
        let text = self.report.command;
        // The keyword as written (`select`, `repeat`); in a decoded script the span is wider, and the kind's own word serves.
        let written = text
            .get(command.span.clone())
            .map(|source| &source[..source.bytes().take_while(u8::is_ascii_lowercase).count()])
            .filter(|word| ["while", "until", "for", "foreach", "select", "repeat"].contains(word));
        let mut marks = Vec::new();
        if let Some(word) = written {
            marks.push(command.span.start..command.span.start + word.len());
        }
        marks.push(hit.span.clone());
        let refusal = Refusal {
            rule: RuleId::PollLoop,
            span: command.span.clone(),
            marks,
            words: format!("{} … {}", written.unwrap_or(keyword), hit.words),
            self_matching_pgrep: inside.self_match,
        };
        self.report.findings.add(RuleId::PollLoop, refusal);
    }

    fn words(&mut self, words: &'t [Word]) -> Summary {
        let mut all = Summary::default();
        for word in words {
            self.report.steps += 1;
            for sub in &word.subs {
                all = all.then(self.list(sub));
            }
        }
        all
    }

    fn redirects(&mut self, redirects: &'t [Redirect]) -> Summary {
        let mut all = Summary::default();
        for redirect in redirects {
            all = all.then(self.words(std::slice::from_ref(&redirect.target)));
            if let RedirectKind::HereDoc(slot) = &redirect.kind {
                for sub in slot.get().map_or(&[][..], |body| &body.subs) {
                    all = all.then(self.list(sub));
                }
            }
        }
        all
    }

    fn simple(
        &mut self,
        words: &'t [Word],
        redirects: &'t [Redirect],
        previous: Option<&'t Command>,
    ) -> Summary {
        let run = resolve(words);
        if run.words.is_empty() {
            // Assignments and bare redirections.
            return if redirects.iter().any(writes_file) { Summary::work() } else { Summary::default() };
        }
        if run.bare && self.functions.contains_key(run.name) {
            let name = run.name;
            return self.function(name).unwrap_or_default();
        }
        if let Some(fed) = self.script_of(&run, redirects, previous) {
            return walk_script(&fed.text, &fed.origin, self.level + 1, self.report);
        }
        match run.name {
            "sleep" => self.sleep(&run),
            "pgrep" => self.pgrep(&run),
            "ssh" => self.ssh(&run),
            "pwsh" | "powershell" | "pwsh.exe" | "powershell.exe" => self.powershell(&run),
            name if READERS.contains(&name) => self.reader(&run, redirects, previous),
            name if NEUTRAL.contains(&name) && !redirects.iter().any(writes_file) => Summary::default(),
            _ => Summary::work(),
        }
    }

    fn script_of(&self, run: &Run<'_>, redirects: &[Redirect], previous: Option<&Command>) -> Option<Fed> {
        match shell_script(run) {
            Shell::No => None,
            Shell::Text(fed) => Some(fed),
            Shell::Stdin if redirects.iter().any(Redirect::feeds_stdin) => stdin_text(redirects),
            Shell::Stdin => match &previous?.node {
                Node::Simple { words, .. } => piped_text(words, &previous?.redirects),
                _ => None,
            },
        }
    }

    fn hit(&self, run: &Run<'_>) -> Hit {
        let words: Vec<&str> = run.words.iter().map(|w| w.text.as_str()).collect();
        Hit { span: run.span(), words: shorten(&words.join(" ")), self_matching_pgrep: false }
    }

    fn sleep(&mut self, run: &Run<'_>) -> Summary {
        let hit = self.hit(run);
        let asked: f64 = run.args().iter().filter_map(|w| duration(&w.text)).sum();
        let seconds = run.limit.map_or(asked, |limit| asked.min(limit));
        if seconds >= LONG_SLEEP && !self.background {
            let refusal = refuse_hit(RuleId::LongSleep, &hit);
            self.report.findings.add(RuleId::LongSleep, refusal);
        }
        Summary { waits: Some(hit.clone()), sleeps: Some(hit), ..Summary::default() }
    }

    fn pgrep(&mut self, run: &Run<'_>) -> Summary {
        let flag = |letter: char, long: &str| {
            run.args().iter().any(|w| {
                w.text == long
                    || (w.text.starts_with('-') && !w.text.starts_with("--") && w.text.contains(letter))
            })
        };
        let pattern = run.args().iter().rev().find(|w| !w.text.starts_with('-'));
        // `[c]argo` is the well-known way not to match oneself, and `-x` wants the whole command line.
        let self_matching_pgrep =
            flag('f', "--full") && !flag('x', "--exact") && pattern.is_some_and(|p| !p.text.contains('['));
        let hit = Hit { self_matching_pgrep, ..self.hit(run) };
        Summary { work: Work::Real, waits: Some(hit), self_match: self_matching_pgrep, ..Summary::default() }
    }

    fn reader(&mut self, run: &Run<'_>, redirects: &[Redirect], previous: Option<&Command>) -> Summary {
        let own_text =
            redirects.iter().any(|r| matches!(r.kind, RedirectKind::HereDoc(_) | RedirectKind::HereString));
        if own_text {
            // `cat > file <<EOF` writes; without the file it only prints.
            return if redirects.iter().any(writes_file) { Summary::work() } else { Summary::default() };
        }
        let filters = previous.is_some_and(|p| !is_sleep(p));
        if filters {
            return Summary::default();
        }
        Summary::read(self.hit(run))
    }

    /// Remote strings are outside inspection in `standard`; only the `strict` rule looks at what they read.
    fn ssh(&mut self, run: &Run<'_>) -> Summary {
        let Some(remote) = remote_script(run) else {
            return Summary::work();
        };
        let mut aside = Report::new(self.report.command);
        let summary = walk_script(&remote.text, &remote.origin, self.level + 1, &mut aside);
        self.report.steps += aside.steps;
        if summary.work != Work::None {
            return Summary::work();
        }
        if let Some((sleep, read)) = &summary.delayed {
            let refusal = refuse_pair(RuleId::RemoteDelayedRead, sleep, read);
            self.report.findings.add(RuleId::RemoteDelayedRead, refusal);
            return Summary::work();
        }
        match summary.reads {
            Some(hit) => Summary::remote_read(hit),
            None => Summary::work(),
        }
    }

    fn powershell(&mut self, run: &Run<'_>) -> Summary {
        let script = run
            .args()
            .iter()
            .skip_while(|w| !matches!(w.text.to_ascii_lowercase().as_str(), "-c" | "-command" | "/c"))
            .nth(1);
        if let Some(word) = script
            && scan::powershell_loop(&word.text).is_some()
        {
            let hit = Hit { span: word.span.clone(), words: shorten(&word.text), self_matching_pgrep: false };
            let refusal = refuse_hit(RuleId::PowershellLoop, &hit);
            self.report.findings.add(RuleId::PowershellLoop, refusal);
        }
        Summary::work()
    }
}

fn writes_file(redirect: &Redirect) -> bool {
    matches!(redirect.kind, RedirectKind::OutputFile)
}

fn is_sleep(command: &Command) -> bool {
    matches!(&command.node, Node::Simple { words, .. } if resolve(words).name == "sleep")
}

/// The command string that `ssh` runs on the other side.
pub(crate) fn remote_script(run: &Run<'_>) -> Option<Fed> {
    let (_, command) = crate::early_exit::ssh_parts(run)?;
    let (first, last) = (command.first()?, command.last()?);
    let single = command.len() == 1;
    Some(Fed {
        text: command.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" "),
        origin: match first.verbatim_at {
            Some(at) if single => Origin::At(at),
            _ => Origin::Within(first.span.start..last.span.end),
        },
    })
}

/// Words shown to people and agents; a long pattern adds nothing.
fn shorten(text: &str) -> String {
    const SHOWN: usize = 80;
    let line = text.lines().next().unwrap_or_default();
    if line.len() == text.len() && text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let mut short: String = line.chars().take(SHOWN).collect();
    short.push('…');
    short
}
