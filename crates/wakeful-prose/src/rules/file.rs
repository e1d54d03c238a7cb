//! From the text of a rule file to rules (P7, P11).

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use wakeful_core::ids::RuleId;

use super::error::RuleError;
use super::rule::{CloseRole, EtaRole, Kind, NameRole, Role, Rule, Tier, WaitRole};
use crate::text::fold;

/// The words that patterns may use by name: `{ci}`.
pub(super) type Lexicon = BTreeMap<String, String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileToml {
    /// Kind of the rules that do not say their own.
    kind: Option<Kind>,
    #[serde(default)]
    lexicon: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    rule: Vec<Spanned<RuleToml>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleToml {
    id: String,
    kind: Option<Kind>,
    what: String,
    pattern: Option<Spanned<String>>,
    #[serde(default)]
    patterns: Vec<Spanned<String>>,
    /// A match that overlaps one of these is none.
    #[serde(default)]
    unless: Vec<Spanned<String>>,
    #[serde(default)]
    tier: Tier,
    /// Wait rules: own, promise, no-poll, status.
    wait: Option<WaitRole>,
    /// Close rules: step, done, hands-over.
    close: Option<CloseRole>,
    /// Eta rules: in, at, past.
    eta: Option<EtaRole>,
    /// Name rules: external, task, monitor, subagent, wake, reference.
    name: Option<NameRole>,
    /// Veto rules: the veto by itself does not say that the user is asked something.
    #[serde(default)]
    silent: bool,
    /// Ask rules: a question that the message may answer itself.
    #[serde(default)]
    weak: bool,
    matches: Vec<String>,
    near_misses: Vec<String>,
}

/// A rule with the line that it stands on.
pub(super) struct Located {
    pub rule: Rule,
    pub line: usize,
}

/// Reads one file. Its lexicon entries are added to `lexicon`, faults to `errors`.
pub(super) fn read(
    (name, text): (&str, &str),
    lexicon: &mut Lexicon,
    errors: &mut Vec<RuleError>,
) -> Vec<Located> {
    let mut fault = |at: usize, reason: String| {
        errors.push(RuleError { file: name.to_owned(), line: line(text, at), reason });
    };
    let file: FileToml = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) => {
            fault(error.span().map_or(0, |s| s.start), error.message().to_owned());
            return Vec::new();
        }
    };
    for (word, pattern) in file.lexicon {
        let at = pattern.span().start;
        match expand(pattern.get_ref(), lexicon) {
            Ok(expanded) => drop(lexicon.insert(word, expanded)),
            Err(reason) => fault(at, reason),
        }
    }
    let mut out = Vec::new();
    for rule in file.rule {
        let at = rule.span().start;
        match resolve(rule.into_inner(), file.kind, lexicon) {
            Ok(rule) => out.push(Located { rule, line: line(text, at) }),
            Err((inner, reason)) => fault(inner.unwrap_or(at), reason),
        }
    }
    out
}

/// The line of a byte, counted from 1.
fn line(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|&b| b == b'\n').count()
}

type Fault = (Option<usize>, String);

fn resolve(raw: RuleToml, kind: Option<Kind>, lexicon: &Lexicon) -> Result<Rule, Fault> {
    let role = role(&raw, kind)?;
    if raw.id.is_empty() || !raw.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    {
        return Err((None, format!("the id {:?} is not in kebab-case", raw.id)));
    }
    if raw.matches.len() < 2 || raw.near_misses.len() < 2 {
        return Err((None, format!("rule {}: give at least two matches and two near_misses", raw.id)));
    }
    let ready = |pattern: &Spanned<String>| {
        let fault = |reason| (Some(pattern.span().start), format!("rule {}: {reason}", raw.id));
        expand(pattern.get_ref(), lexicon).map_err(fault)
    };
    let patterns: Vec<String> =
        raw.pattern.iter().chain(&raw.patterns).map(ready).collect::<Result<_, _>>()?;
    let unless = raw.unless.iter().map(ready).collect::<Result<_, _>>()?;
    if patterns.is_empty() {
        return Err((None, format!("rule {} has no pattern", raw.id)));
    }
    let id = RuleId::new(raw.id);
    Ok(Rule {
        id,
        role,
        what: raw.what,
        patterns,
        unless,
        matches: raw.matches,
        near_misses: raw.near_misses,
    })
}

fn role(raw: &RuleToml, kind: Option<Kind>) -> Result<Role, Fault> {
    let missing = |field: &str| (None, format!("rule {}: says no {field:?}", raw.id));
    Ok(match raw.kind.or(kind).ok_or_else(|| missing("kind"))? {
        Kind::Wait => Role::Wait(raw.wait.ok_or_else(|| missing("wait"))?, raw.tier),
        Kind::Veto => Role::Veto { ask: !raw.silent },
        Kind::Exemption => Role::Exemption,
        Kind::Ask => Role::Ask { weak: raw.weak },
        Kind::Offer => Role::Offer,
        Kind::Rhetorical => Role::Rhetorical,
        Kind::Close => Role::Close(raw.close.ok_or_else(|| missing("close"))?),
        Kind::Alarm => Role::Alarm,
        Kind::Eta => Role::Eta(raw.eta.ok_or_else(|| missing("eta"))?),
        Kind::Name => Role::Name(raw.name.ok_or_else(|| missing("name"))?),
    })
}

/// Makes a pattern ready: `{word}` is the lexicon's entry, accents are folded as in a view, and everything that knows
/// of all of Unicode is replaced by what it means in a view (where white space is a space, and words are ASCII). That
/// makes the automaton an order of magnitude smaller, and borders of Unicode words cannot be matched in one pass.
fn expand(pattern: &str, lexicon: &Lexicon) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\\' => escape(rest, &mut out)?,
            '[' => class(rest, &mut out)?,
            '.' => push(&mut out, r"(?-u:[^\n])", 1),
            '{' if rest[1..].starts_with(|c: char| c.is_ascii_lowercase()) => {
                let end = rest.find('}').ok_or("has an open {")?;
                let word = &rest[1..end];
                let entry =
                    lexicon.get(word).ok_or_else(|| format!("there is no {{{word}}} in the lexicon"))?;
                out.push_str("(?:");
                out.push_str(entry);
                push(&mut out, ")", end + 1)
            }
            _ => {
                out.push(fold(c));
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Ok(out)
}

fn push(out: &mut String, text: &str, read: usize) -> usize {
    out.push_str(text);
    read
}

/// Reads an escape outside of a class; how many bytes of the pattern it took.
fn escape(rest: &str, out: &mut String) -> Result<usize, String> {
    let kind = rest[1..].chars().next().ok_or("ends in a backslash")?;
    let length = 1 + kind.len_utf8();
    Ok(match kind {
        'b' => push(out, r"(?-u:\b)", length),
        'S' => push(out, r"(?-u:[^ \n])", length),
        'w' => push(out, "[a-z0-9_]", length),
        'd' => push(out, "[0-9]", length),
        's' => push(out, " ", length),
        'p' | 'P' | 'x' | 'u' | 'U' if rest[length..].starts_with('{') => {
            let length = rest.find('}').map_or(rest.len(), |i| i + 1);
            push(out, &rest[..length], length)
        }
        _ => push(out, &rest[..length], length),
    })
}

/// Reads a class; how many bytes of the pattern it took. A negated class of ASCII characters is matched by bytes.
fn class(rest: &str, out: &mut String) -> Result<usize, String> {
    let mut body = String::new();
    let mut chars = rest.char_indices().skip(1);
    let end = loop {
        let (i, c) = chars.next().ok_or("has an open [")?;
        match c {
            ']' => break i + 1,
            '\\' => match chars.next().ok_or("ends in a backslash")?.1 {
                'w' => body.push_str("a-z0-9_"),
                'd' => body.push_str("0-9"),
                's' => body.push_str(r" \n"),
                other => body.extend(['\\', other]),
            },
            _ => body.push(fold(c)),
        }
    };
    let bytes = body.starts_with('^') && body.is_ascii();
    let (open, close) = if bytes { ("(?-u:[", "])") } else { ("[", "]") };
    out.push_str(open);
    out.push_str(&body);
    out.push_str(close);
    Ok(end)
}
