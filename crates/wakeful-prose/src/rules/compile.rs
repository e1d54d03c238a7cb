//! Rules, compiled and in force.

use std::sync::OnceLock;

use wakeful_core::ids::Digest;

use super::automaton::{Automaton, Hit, parse};
use super::built_in::FILES;
use super::error::{RuleError, RuleErrors};
use super::file::{Lexicon, read};
use super::rule::{Kind, Role, Rule, RuleInfo, Tier};
use crate::guards::merged;
use crate::text::View;

/// A set of rules, ready to read with.
pub struct Rules {
    version: String,
    rules: Vec<Rule>,
    /// What is matched against the agent's own words.
    own: Automaton,
    /// What is matched against them only if they hold a wait: times, and names of what may wake the agent.
    of_wait: Automaton,
    /// Vetoes and exemptions, matched against the whole message.
    target: Automaton,
}

impl Rules {
    /// The rules that come with the program. Compiled on first use.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: OnceLock<Rules> = OnceLock::new();
        BUILT_IN.get_or_init(|| match Self::build(&FILES, &[]) {
            Ok(rules) => rules,
            // A test loads them; a program with a broken rule file is never shipped.
            Err(errors) => unreachable!("the built-in rules are broken: {errors}"),
        })
    }

    /// The built-in rules with the user's on top (P11): each file is its name and its text. A rule with the id of a
    /// built-in one takes its place.
    ///
    /// # Errors
    /// Every fault with file, line and reason. The caller then stays with [`Rules::built_in`].
    pub fn parse(files: &[(&str, &str)]) -> Result<Self, RuleErrors> {
        Self::build(&FILES, files)
    }

    /// Version of the built-in rules, and a digest of all rule texts in force.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// All rules, in file order.
    pub fn list(&self) -> impl Iterator<Item = RuleInfo> + '_ {
        self.rules.iter().map(|rule| RuleInfo {
            id: rule.id.clone(),
            kind: rule.kind(),
            curated: !matches!(rule.role, Role::Wait(_, Tier::Broad)),
            what: rule.what.clone(),
            matches: rule.matches.clone(),
            near_misses: rule.near_misses.clone(),
        })
    }

    pub(crate) fn rule(&self, hit: &Hit) -> &Rule {
        &self.rules[hit.rule]
    }

    /// Hits of everything but vetoes and exemptions, in the agent's own words.
    pub(crate) fn own(&self, view: &View) -> Vec<Hit> {
        let mut hits = self.own.hits(view);
        if hits.iter().any(|hit| self.rule(hit).kind() == Kind::Wait) {
            hits.extend(self.of_wait(view));
        }
        hits
    }

    fn of_wait(&self, view: &View) -> Vec<Hit> {
        self.of_wait.hits(view)
    }

    /// Exemptions in the whole message, and the vetoes after what is exempt was blanked (P6).
    pub(crate) fn target(&self, view: &View) -> (Vec<Hit>, Vec<Hit>) {
        let exempt = |hit: &Hit| self.rule(hit).kind() == Kind::Exemption;
        let (exemptions, vetoes): (Vec<_>, Vec<_>) = self.target.hits(view).into_iter().partition(exempt);
        if exemptions.is_empty() {
            return (exemptions, vetoes);
        }
        // A pattern sees one sentence: only those with something blanked can read differently.
        let mut blanked: Vec<usize> = exemptions.iter().map(|hit| hit.sentence).collect();
        blanked.dedup();
        let text = view.blanked(&merged(&exemptions));
        let again = self.target.hits_in(blanked.iter().copied(), view, &text);
        let mut vetoes: Vec<Hit> = vetoes
            .into_iter()
            .filter(|hit| blanked.binary_search(&hit.sentence).is_err())
            .chain(again.into_iter().filter(|hit| !exempt(hit)))
            .collect();
        vetoes.sort_by_key(|hit| hit.sentence); // stable: within a sentence they stay in the order of the patterns
        (exemptions, vetoes)
    }

    fn build(built_in: &[(&str, &str)], user: &[(&str, &str)]) -> Result<Self, RuleErrors> {
        let mut lexicon = Lexicon::new();
        let mut errors = Vec::new();
        let mut rules: Vec<Rule> = Vec::new();
        for file in built_in {
            rules.extend(read(*file, &mut lexicon, &mut errors).into_iter().map(|located| located.rule));
        }
        let mut lines = Vec::new();
        for file in user {
            for located in read(*file, &mut lexicon, &mut errors) {
                let fault = |reason| RuleError { file: file.0.to_owned(), line: located.line, reason };
                for pattern in located.rule.patterns.iter().chain(&located.rule.unless) {
                    errors.extend(parse(pattern).err().map(fault));
                }
                lines.push((located.rule.id.clone(), file.0, located.line));
                match rules.iter_mut().find(|rule| rule.id == located.rule.id) {
                    Some(place) => *place = located.rule,
                    None => rules.push(located.rule),
                }
            }
        }
        if !errors.is_empty() {
            return Err(RuleErrors(errors));
        }
        let rules = Self::compile(rules, version(built_in, user))?;
        rules.examples_hold(&lines)?;
        Ok(rules)
    }

    fn compile(rules: Vec<Rule>, version: String) -> Result<Self, RuleErrors> {
        let fault = |reason| RuleErrors(vec![RuleError { file: "rules".into(), line: 0, reason }]);
        let special = |rule: &Rule| matches!(rule.kind(), Kind::Veto | Kind::Exemption);
        let of_wait = |rule: &Rule| matches!(rule.kind(), Kind::Eta | Kind::Name);
        let own = Automaton::new(&rules, |rule| !special(rule) && !of_wait(rule)).map_err(fault)?;
        let of_wait = Automaton::new(&rules, of_wait).map_err(fault)?;
        let target = Automaton::new(&rules, special).map_err(fault)?;
        Ok(Self { version, rules, own, of_wait, target })
    }

    /// The examples of the user's rules are tests (P7), run when they are loaded.
    fn examples_hold(&self, user: &[(wakeful_core::ids::RuleId, &str, usize)]) -> Result<(), RuleErrors> {
        let mut errors = Vec::new();
        for (id, file, line) in user {
            let Some(index) = self.rules.iter().position(|rule| rule.id == *id) else { continue };
            errors.extend(self.broken_examples(index).into_iter().map(|reason| RuleError {
                file: (*file).to_owned(),
                line: *line,
                reason,
            }));
        }
        if errors.is_empty() { Ok(()) } else { Err(RuleErrors(errors)) }
    }

    /// What is wrong with the examples of a rule, in words.
    fn broken_examples(&self, index: usize) -> Vec<String> {
        let rule = &self.rules[index];
        let found = |text: &str| {
            let structure = crate::text::structure(text);
            let (exempt, vetoes) = self.target(&structure.whole);
            let vetoed = !vetoes.is_empty();
            let hits = match rule.kind() {
                Kind::Exemption => exempt,
                Kind::Veto => vetoes,
                Kind::Eta | Kind::Name => self.of_wait(&structure.own),
                _ => self.own(&structure.own),
            };
            (hits.iter().any(|hit| hit.rule == index), vetoed)
        };
        // A wait rule may match a wait on the user: telling that is the work of the vetoes.
        let is_wait = rule.kind() == Kind::Wait;
        let missed = rule.matches.iter().filter(|text| found(text) != (true, found(text).1 && !is_wait));
        let caught = rule
            .near_misses
            .iter()
            .filter(|text| matches!(found(text), (true, vetoed) if !(vetoed && is_wait)));
        missed
            .map(|text| format!("rule {}: does not match its example {text:?}", rule.id))
            .chain(caught.map(|text| format!("rule {}: matches its near miss {text:?}", rule.id)))
            .collect()
    }

    /// What is wrong with the examples of all rules, in words.
    #[doc(hidden)]
    pub fn check_examples(&self) -> Vec<String> {
        (0..self.rules.len()).flat_map(|index| self.broken_examples(index)).collect()
    }
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rules").field("version", &self.version).field("rules", &self.rules.len()).finish()
    }
}

fn version(built_in: &[(&str, &str)], user: &[(&str, &str)]) -> String {
    let parts: Vec<&[u8]> =
        built_in.iter().chain(user).flat_map(|(n, t)| [n.as_bytes(), t.as_bytes()]).collect();
    format!("{}+{:016x}", env!("CARGO_PKG_VERSION"), Digest::of_parts(&parts).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::structure;

    /// After what is exempt was blanked only the sentences with something blanked are read again. Over all cases that
    /// says the same as to read everything again.
    #[test]
    fn vetoes_beside_exemptions_are_those_of_a_second_reading() {
        let rules = Rules::built_in();
        let cases = [include_str!("../../cases/seen.jsonl"), include_str!("../../cases/held_out.jsonl")];
        let mut texts: Vec<String> = cases
            .iter()
            .flat_map(|lines| lines.lines())
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter_map(|case| case["text"].as_str().map(str::to_owned))
            .collect();
        // The rules' own examples have what is exempt, alone and beside what is not.
        texts.extend(rules.list().flat_map(|rule| rule.matches.into_iter().chain(rule.near_misses)));
        let mut exempted = 0;
        for text in texts.iter().cloned().chain(texts.chunks(30).map(|some| some.join("\n\n"))) {
            let view = structure(&text).whole;
            let (exemptions, vetoes) = rules.target(&view);
            let blanked = view.blanked(&merged(&exemptions));
            let mut again = rules.target.hits_in(0..view.sentences.len(), &view, &blanked);
            again.retain(|hit| rules.rule(hit).kind() != Kind::Exemption);
            assert_eq!(vetoes, again, "{text}");
            exempted += exemptions.len();
        }
        assert!(exempted > 0, "no case has an exemption");
    }
}
