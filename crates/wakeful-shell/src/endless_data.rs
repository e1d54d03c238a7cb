//! The patterns of `rules/endless.toml` and how they match parsed words.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::early_exit::is_flag;
use crate::endless::EndlessRule;
use crate::policy::glob;
use crate::tree::Word;
use crate::wrappers::{base_name, takes_next};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<RuleRow>,
    valued: BTreeMap<String, Vec<String>>,
    runners: Patterns,
    scripts: Patterns,
    script_names: ScriptNames,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleRow {
    id: EndlessRule,
    patterns: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Patterns {
    patterns: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptNames {
    watcher: Vec<String>,
    dev_server: Vec<String>,
    ends: Vec<String>,
    careful: Vec<String>,
    careful_names: Vec<String>,
}

/// One line of the file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Pattern {
    subcommands: Vec<Vec<String>>,
    needs: Vec<String>,
    forbids: Vec<String>,
    operands: Option<usize>,
}

/// Patterns by program.
type Index<T> = HashMap<String, Vec<(T, Pattern)>>;

pub(crate) struct Data {
    rules: Index<EndlessRule>,
    runners: Index<()>,
    scripts: Index<()>,
    valued: HashMap<String, Vec<String>>,
    names: ScriptNames,
}

pub(crate) fn data() -> &'static Data {
    static DATA: LazyLock<Data> = LazyLock::new(|| {
        Data::read(include_str!("../rules/endless.toml"))
            .expect("rules/endless.toml is part of the program and a test reads it")
    });
    &DATA
}

impl Data {
    fn read(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
        let mut rules = Index::new();
        for row in file.rule {
            for line in &row.patterns {
                index(&mut rules, line, row.id)?;
            }
        }
        let (mut runners, mut scripts) = (Index::new(), Index::new());
        for line in &file.runners.patterns {
            index(&mut runners, line, ())?;
        }
        for line in &file.scripts.patterns {
            index(&mut scripts, line, ())?;
        }
        Ok(Self {
            rules,
            runners,
            scripts,
            valued: file.valued.into_iter().collect(),
            names: file.script_names,
        })
    }

    /// The rule that a program with its arguments falls under.
    pub fn rule(&self, words: &[Word], stdin_given: bool) -> Option<EndlessRule> {
        let program = program_name(words.first()?);
        let found = self.rules.get(program)?.iter().find(|(rule, pattern)| {
            let reads_stdin = *rule == EndlessRule::Repl && stdin_given;
            !reads_stdin && self.matches(program, pattern, words).is_some()
        })?;
        Some(found.0)
    }

    /// The command that a runner (`npx`, `poetry run`) runs.
    pub fn inner_command<'t>(&self, words: &'t [Word]) -> Option<&'t [Word]> {
        let at = self.first_match(&self.runners, words)?;
        let program = program_name(words.first()?);
        let start = self.skip_options(program, words, at);
        let is_setting = |w: &Word| w.text.contains('=') && !w.text.starts_with('-');
        let settings = words[start..].iter().take_while(|w| is_setting(w)).count();
        words.get(start + settings..).filter(|w| !w.is_empty())
    }

    /// The rule of a project script run by name (`npm run dev`).
    pub fn script_rule(&self, words: &[Word]) -> Option<EndlessRule> {
        let program = program_name(words.first()?);
        if words.len() == 2 && program == "npm" && words[1].text == "start" {
            return Some(EndlessRule::DevServer);
        }
        let at = self.first_match(&self.scripts, words)?;
        let name = words.get(self.skip_options(program, words, at))?;
        self.script_name(&name.text, program)
    }

    /// What a script's name says.
    pub fn script_name(&self, name: &str, runner: &str) -> Option<EndlessRule> {
        if name.contains(['/', '.']) {
            // A file, whose path says nothing.
            return None;
        }
        let has = |list: &[String], part: &str| list.iter().any(|known| known == part);
        let parts: Vec<&str> = name.split([':', '-', '_']).collect();
        let careful = has(&self.names.careful, runner);
        if careful && !has(&self.names.careful_names, name) {
            return None;
        }
        if parts.iter().any(|p| has(&self.names.watcher, p)) {
            return Some(EndlessRule::Watcher);
        }
        let serves = parts.iter().any(|p| has(&self.names.dev_server, p));
        let ends = parts.iter().any(|p| has(&self.names.ends, p));
        (serves && !ends).then_some(EndlessRule::DevServer)
    }

    fn first_match(&self, index: &Index<()>, words: &[Word]) -> Option<usize> {
        let program = program_name(words.first()?);
        index.get(program)?.iter().find_map(|((), pattern)| self.matches(program, pattern, words))
    }

    /// Index of the first word after the subcommands, if the pattern matches.
    fn matches(&self, program: &str, pattern: &Pattern, words: &[Word]) -> Option<usize> {
        let mut at = 1;
        for alternatives in &pattern.subcommands {
            let is_it = |w: &Word| {
                let named = |a: &String| glob(a, &w.text) && (a.starts_with('-') || !is_option(&w.text));
                alternatives.iter().any(named)
            };
            // `python -m flask`: an option can itself be what the pattern names.
            if !words.get(at).is_some_and(is_it) {
                at = self.skip_options(program, words, at);
                words.get(at).filter(|w| is_it(w))?;
            }
            at += 1;
        }
        let rest = &words[at..];
        let has = |wanted: &String| rest.iter().any(|w| carries(&w.text, wanted));
        let fits = (pattern.needs.is_empty() || pattern.needs.iter().any(has))
            && !pattern.forbids.iter().any(has)
            && pattern.operands.is_none_or(|most| self.operands(program, rest) <= most);
        fits.then_some(at)
    }

    fn skip_options(&self, program: &str, words: &[Word], mut at: usize) -> usize {
        let valued = self.valued.get(program).map_or(&[][..], Vec::as_slice);
        while let Some(word) = words.get(at) {
            if !is_option(&word.text) {
                break;
            }
            at += 1 + usize::from(takes_next(valued, &word.text));
        }
        at.min(words.len())
    }

    fn operands(&self, program: &str, rest: &[Word]) -> usize {
        let mut count = 0;
        let mut at = 0;
        loop {
            at = self.skip_options(program, rest, at);
            if at >= rest.len() {
                return count;
            }
            count += 1;
            at += 1;
        }
    }
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}

/// A word is the wanted flag, or the wanted operand.
fn carries(word: &str, wanted: &str) -> bool {
    if wanted.starts_with('-') { is_flag(word, wanted) } else { glob(wanted, word) }
}

/// `vite@latest` is `vite`, `@scope/tool@1` is `@scope/tool`.
fn program_name(word: &Word) -> &str {
    let name = if word.text.starts_with('@') { word.text.as_str() } else { base_name(word) };
    match name.char_indices().skip(1).find(|(_, c)| *c == '@') {
        Some((at, _)) => &name[..at],
        None => name,
    }
}

fn index<T: Copy>(index: &mut Index<T>, line: &str, value: T) -> Result<(), String> {
    let mut words = line.split_whitespace();
    let programs = words.next().ok_or("empty pattern")?;
    for program in programs.split('|') {
        let pattern = pattern(words.clone()).map_err(|e| format!("{line}: {e}"))?;
        index.entry(program.to_owned()).or_default().push((value, pattern));
    }
    Ok(())
}

fn pattern<'a>(words: impl Iterator<Item = &'a str>) -> Result<Pattern, String> {
    let mut pattern = Pattern::default();
    let split = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
    for word in words {
        if let Some(flags) = word.strip_prefix('+') {
            pattern.needs = split(flags);
        } else if let Some(flags) = word.strip_prefix('!') {
            pattern.forbids = split(flags);
        } else if let Some(most) = word.strip_prefix('<') {
            pattern.operands = Some(most.parse().map_err(|_| "`<` wants a number")?);
        } else if !(pattern.needs.is_empty() && pattern.forbids.is_empty() && pattern.operands.is_none()) {
            return Err("subcommands stand before `+`, `!` and `<`".to_owned());
        } else {
            pattern.subcommands.push(split(word));
        }
    }
    Ok(pattern)
}
