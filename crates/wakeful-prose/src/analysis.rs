//! The one code path of [`read`](crate::read()) and [`explain`](crate::explain()): everything that is found in a
//! message and what follows from it.

use wakeful_core::ids::RuleId;
use wakeful_core::reading::{Mechanism, WaitWords};
use wakeful_core::settings::MatchMode;
use wakeful_core::time::Millis;

use crate::eta;
use crate::guards::{self, Candidate};
use crate::read::Context;
use crate::rules::{CloseRole, EtaRole, Hit, NameRole, Role, Rule, Rules, Tier, WaitRole};
use crate::text::{Paragraph, Span, Structure, paragraphs, structure};

/// The id that a wait by the canonical line is reported under (P9).
pub(crate) const SENTINEL: &str = "sentinel";

/// The id under which a long message without any word of waiting or running closes (P14).
pub(crate) const REPORT_RULE: &str = "report";

/// From how many characters on: some hundred words, which nobody writes between two steps without saying what runs.
const REPORT: usize = 600;

/// A hit with its place in the original.
#[derive(Debug, Clone)]
pub(crate) struct Found<'r> {
    pub rule: &'r Rule,
    pub index: usize,
    pub original: Span,
    /// Length of the match in the view.
    pub length: usize,
    pub sentence: usize,
}

/// A candidate with its results.
#[derive(Debug)]
pub(crate) struct Judged {
    pub candidate: Candidate,
    pub hand_off: bool,
    pub alarm: bool,
    /// It may be searched.
    pub open: bool,
}

/// What a message asks.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub rule: RuleId,
    pub snippet: Span,
}

/// Everything about one message.
pub(crate) struct Analysis<'r> {
    pub structure: Structure,
    pub paragraphs: Vec<Paragraph>,
    pub chars: usize,
    pub length_passes: bool,
    /// Everything that matched in the agent's own words.
    pub found: Vec<Found<'r>>,
    pub exemptions: Vec<Found<'r>>,
    pub vetoes: Vec<Found<'r>>,
    pub candidates: Vec<Judged>,
    pub alarm: bool,
    pub asked: Option<Asked>,
    pub closes: Option<(RuleId, CloseRole)>,
    pub sentinel: Option<Span>,
    pub wait: Option<WaitWords>,
    pub somewhere: Option<WaitWords>,
    pub eta: Option<Millis>,
}

/// Reads a message.
pub(crate) fn analyse<'r>(rules: &'r Rules, text: &str, context: &Context) -> Analysis<'r> {
    let structure = structure(text);
    let paragraphs = paragraphs(text, &structure);
    let chars = text.trim().chars().count();
    let place = |hits: Vec<Hit>, view: &crate::text::View| -> Vec<Found<'r>> {
        let found = hits.into_iter().map(|hit| Found {
            rule: rules.rule(&hit),
            index: hit.rule,
            original: view.original(hit.sentence, &hit.view),
            length: hit.view.len(),
            sentence: hit.sentence,
        });
        found.collect()
    };
    let (exempt, vetoes) = rules.target(&structure.whole);
    let mut found = place(rules.own(&structure.own), &structure.own);
    found.sort_by_key(|f| f.sentence); // so that those of a sentence are found quickly
    let mut analysis = Analysis {
        found,
        vetoes: place(vetoes, &structure.whole),
        exemptions: place(exempt, &structure.whole),
        length_passes: guards::length_passes(&paragraphs, chars),
        sentinel: sentinel(text, &structure),
        paragraphs,
        chars,
        structure,
        candidates: Vec::new(),
        alarm: false,
        asked: None,
        closes: None,
        wait: None,
        somewhere: None,
        eta: None,
    };
    analysis.conclude(text, context);
    analysis
}

impl<'r> Analysis<'r> {
    fn conclude(&mut self, text: &str, context: &Context) {
        self.alarm = self.found.iter().any(|f| f.rule.role == Role::Alarm);
        self.asked = self.asks(text);
        self.closes = self.closing();
        self.candidates = guards::candidates(text, &self.paragraphs, &self.structure.own, self.chars)
            .into_iter()
            .map(|candidate| self.judge(candidate))
            .collect();
        self.somewhere = self.sentinel_words(text).or_else(|| {
            let best = best(self.waits().filter(|f| self.counts(f)))?;
            Some(self.words(text, best))
        });
        self.wait = self.sentinel_words(text).or_else(|| {
            if !self.length_passes {
                return None;
            }
            let suppressible = self
                .waits()
                .filter(|f| allowed(f, context.mode) && self.counts(f) && self.candidate_of(f).is_some());
            Some(self.words(text, best(suppressible)?))
        });
        if !self.vetoes.is_empty() {
            self.wait = None;
            self.somewhere = None;
        }
        self.eta = self.stated_eta(text, context);
    }

    /// What matched in one sentence.
    fn in_sentence(&self, sentence: usize) -> &[Found<'r>] {
        let from = self.found.partition_point(|f| f.sentence < sentence);
        let length = self.found[from..].partition_point(|f| f.sentence == sentence);
        &self.found[from..from + length]
    }

    /// All wait rules that matched.
    pub fn waits(&self) -> impl Iterator<Item = &Found<'r>> {
        self.found.iter().filter(|f| matches!(f.rule.role, Role::Wait(..)))
    }

    /// The open candidate that holds this hit.
    pub fn candidate_of(&self, found: &Found<'_>) -> Option<&Judged> {
        self.candidates.iter().find(|c| c.open && within(&found.original, &c.candidate.span))
    }

    /// Whether a hit of a wait rule is a wait, wherever it stands (P5b).
    pub fn counts(&self, found: &Found<'_>) -> bool {
        match found.rule.role {
            Role::Wait(WaitRole::Promise | WaitRole::NoPoll, _) => true,
            Role::Wait(WaitRole::Own, _) => self.closes.is_none(),
            _ => false,
        }
    }

    fn judge(&self, candidate: Candidate) -> Judged {
        let inside = |f: &&Found<'_>| within(&f.original, &candidate.span);
        let alarm = self.found.iter().filter(inside).any(|f| f.rule.role == Role::Alarm);
        let hand_off = self.found.iter().filter(inside).any(|f| match f.rule.role {
            Role::Wait(WaitRole::NoPoll, _) => true,
            Role::Wait(WaitRole::Promise, _) => !alarm,
            _ => false,
        });
        let open = (hand_off || !candidate.hand_off_needed) && !(candidate.calm_needed && self.alarm);
        Judged { candidate, hand_off, alarm, open }
    }

    /// What the message asks (P13): the last question that must be answered, else the last that only its mark gives
    /// away, else a wait that is on the user.
    fn asks(&self, text: &str) -> Option<Asked> {
        let asks = || {
            self.found.iter().filter_map(|f| match f.rule.role {
                Role::Ask { weak } if !self.excused(f, weak) => Some((f, weak)),
                _ => None,
            })
        };
        let last = |weak: bool| {
            asks()
                .filter(|(_, w)| *w == weak)
                .map(|(f, _)| f)
                .max_by_key(|f| (f.sentence, std::cmp::Reverse(f.index)))
        };
        if let Some(found) = last(false).or_else(|| last(true)) {
            let sentence = &self.structure.own.sentences[found.sentence].original;
            let snippet = snippet(text, sentence, found.original.start);
            return Some(Asked { rule: found.rule.id.clone(), snippet });
        }
        let veto = self.vetoes.iter().rfind(|f| {
            matches!(f.rule.role, Role::Veto { ask: true })
                && !self.is_opaque(&f.original)
                && !self.offered(&self.structure.whole.sentences[f.sentence].original)
        })?;
        let sentence = &self.structure.whole.sentences[veto.sentence].original;
        Some(Asked { rule: veto.rule.id.clone(), snippet: snippet(text, sentence, sentence.start) })
    }

    /// An offer, or a question that the message answers itself.
    fn excused(&self, ask: &Found<'_>, weak: bool) -> bool {
        let beside = |role: Role| self.in_sentence(ask.sentence).iter().any(|f| f.rule.role == role);
        if beside(Role::Offer) {
            return true;
        }
        if !weak || !beside(Role::Rhetorical) {
            return false;
        }
        let sentences = &self.structure.own.sentences;
        let here = &sentences[ask.sentence];
        sentences.get(ask.sentence + 1).is_some_and(|next| {
            (here.heading || next.block == here.block) && !self.structure.own.words(next).ends_with('?')
        })
    }

    /// An offer stands in this part of the original.
    fn offered(&self, part: &Span) -> bool {
        let sentences = &self.structure.own.sentences;
        let from = sentences.partition_point(|s| s.original.end <= part.start);
        let to = sentences.partition_point(|s| s.original.start < part.end);
        (from..to).any(|sentence| self.in_sentence(sentence).iter().any(|f| f.rule.role == Role::Offer))
    }

    fn is_opaque(&self, span: &Span) -> bool {
        let from = self.structure.opaque.partition_point(|o| o.start <= span.start);
        self.structure.opaque[..from].iter().rev().take(3).any(|o| within(span, o))
    }

    /// How the message closes (P14). A step that is done does not close a message that goes on to say what runs; work
    /// that is done does not close one that goes on to say that the agent waits.
    fn closing(&self) -> Option<(RuleId, CloseRole)> {
        let last = |wanted: fn(WaitRole) -> bool| {
            let waits = self.waits().filter(|f| matches!(f.rule.role, Role::Wait(role, _) if wanted(role)));
            waits.map(|f| f.original.start).max().unwrap_or(0)
        };
        let agent_waits = last(|role| role != WaitRole::Status);
        let anything_runs = last(|_| true);
        let closes = self.found.iter().filter_map(|f| match f.rule.role {
            Role::Close(role) => Some((f, role)),
            Role::Offer => Some((f, CloseRole::Done)), // P13: an offer makes the turn done
            _ => None,
        });
        closes
            .filter(|(f, role)| match role {
                CloseRole::HandsOver => true,
                CloseRole::Done => f.original.start >= agent_waits && !self.agent_waits_in(f.sentence),
                CloseRole::Step => f.original.start >= anything_runs && !self.agent_waits_in(f.sentence),
            })
            .max_by_key(|(f, role)| (*role, std::cmp::Reverse(f.index)))
            .map(|(f, role)| (f.rule.id.clone(), role))
            .or_else(|| self.report())
    }

    /// A long message in which nothing at all waits or runs hands its contents to the user.
    fn report(&self) -> Option<(RuleId, CloseRole)> {
        let reports = self.chars >= REPORT && self.waits().next().is_none() && self.sentinel.is_none();
        reports.then(|| (RuleId::new(REPORT_RULE), CloseRole::HandsOver))
    }

    /// "I'll go on when it is done" closes nothing.
    fn agent_waits_in(&self, sentence: usize) -> bool {
        self.in_sentence(sentence)
            .iter()
            .any(|f| matches!(f.rule.role, Role::Wait(role, _) if role != WaitRole::Status))
    }

    fn waits_in(&self, sentence: usize) -> bool {
        self.in_sentence(sentence).iter().any(|f| matches!(f.rule.role, Role::Wait(..)))
    }

    fn sentinel_words(&self, text: &str) -> Option<WaitWords> {
        let span = self.sentinel.clone()?;
        Some(WaitWords {
            rule: RuleId::new(SENTINEL),
            words: text[span].to_owned(),
            names_external: true, // spec 20, P9: with nothing alive its backing is external
            names_mechanism: None,
        })
    }

    fn words(&self, text: &str, found: &Found<'_>) -> WaitWords {
        WaitWords {
            rule: found.rule.id.clone(),
            words: text[found.original.clone()].to_owned(),
            names_external: self.names_external(found),
            names_mechanism: self.names_mechanism(found),
        }
    }

    /// Something external is named where the agent waits, or where it says what runs, or in the sentence before one
    /// that speaks of "it".
    fn names_external(&self, wait: &Found<'_>) -> bool {
        let refers = self.names(NameRole::Reference).any(|f| f.sentence == wait.sentence);
        let speaks = |sentence: usize| {
            let before = sentence + 1 == wait.sentence && self.same_paragraph(sentence, wait.sentence);
            sentence == wait.sentence || self.waits_in(sentence) || (refers && before)
        };
        self.names(NameRole::External).any(|f| speaks(f.sentence))
    }

    /// A mechanism is named where the agent waits or promises.
    fn names_mechanism(&self, wait: &Found<'_>) -> Option<Mechanism> {
        let speaks = |sentence: usize| sentence == wait.sentence || self.agent_waits_in(sentence);
        let order = [
            (NameRole::Wake, Mechanism::Wake),
            (NameRole::Monitor, Mechanism::Monitor),
            (NameRole::Subagent, Mechanism::Subagent),
            (NameRole::Task, Mechanism::Task),
        ];
        order
            .into_iter()
            .find(|(role, _)| self.names(*role).any(|f| speaks(f.sentence)))
            .map(|(_, mechanism)| mechanism)
    }

    fn names(&self, role: NameRole) -> impl Iterator<Item = &Found<'r>> {
        self.found.iter().filter(move |f| f.rule.role == Role::Name(role))
    }

    /// The most distant time that is stated beside a wait (P15): in its sentence or in the next one to it in the same
    /// paragraph.
    fn stated_eta(&self, text: &str, context: &Context) -> Option<Millis> {
        if self.wait.is_none() && self.somewhere.is_none() && self.waits().next().is_none() {
            return None;
        }
        let near = |sentence: usize| {
            let around = sentence.saturating_sub(1)..(sentence + 2).min(self.structure.own.sentences.len());
            around.into_iter().any(|other| self.waits_in(other) && self.same_paragraph(other, sentence))
        };
        let times = self.found.iter().filter_map(|f| match f.rule.role {
            Role::Eta(role) => Some((f, role)),
            _ => None,
        });
        // Taken away by a time in the past, or part of a longer time ("half an hour").
        let void = |f: &Found<'_>| {
            self.in_sentence(f.sentence).iter().any(|other| match other.rule.role {
                Role::Eta(EtaRole::Past) => overlap(&f.original, &other.original),
                Role::Eta(_) => other.length > f.length && within(&f.original, &other.original),
                _ => false,
            })
        };
        times
            .filter(|(f, _)| near(f.sentence) && !void(f))
            .filter_map(|(f, role)| eta::parse(&text[f.original.clone()], role, context.now))
            .max()
    }

    fn same_paragraph(&self, a: usize, b: usize) -> bool {
        let sentences = &self.structure.own.sentences;
        let paragraph =
            |i: usize| self.paragraphs.partition_point(|p| p.span.end <= sentences[i].original.start);
        a == b || paragraph(a) == paragraph(b)
    }
}

/// Whether the mode lets this wait rule speak (P8).
pub(crate) fn allowed(found: &Found<'_>, mode: MatchMode) -> bool {
    mode == MatchMode::Full || matches!(found.rule.role, Role::Wait(_, Tier::Curated))
}

/// The hit that explains best (P10): highest tier, then longest match, then file order.
fn best<'a, 'r>(hits: impl Iterator<Item = &'a Found<'r>>) -> Option<&'a Found<'r>>
where
    'r: 'a,
{
    let tier = |f: &Found<'_>| match f.rule.role {
        Role::Wait(_, tier) => tier,
        _ => Tier::Broad,
    };
    hits.max_by_key(|f| (tier(f), f.length, std::cmp::Reverse((f.index, f.original.start))))
}

fn overlap(a: &Span, b: &Span) -> bool {
    a.start < b.end && b.start < a.end
}

fn within(inner: &Span, outer: &Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The question alone: its clause in its sentence, without what leads up to it.
fn snippet(text: &str, sentence: &Span, ask: usize) -> Span {
    let lead = &text[sentence.start..ask.clamp(sentence.start, sentence.end)];
    let start = [": ", "; ", " — ", " – ", " - "]
        .iter()
        .filter_map(|mark| lead.rfind(mark).map(|i| sentence.start + i + mark.len()))
        .max()
        .unwrap_or(sentence.start);
    let body = &text[start..sentence.end];
    let trimmed = body.trim_start_matches(|c: char| c.is_whitespace() || "*_-".contains(c));
    start + (body.len() - trimmed.len())..sentence.end
}

/// The canonical line (P9), alone on its line, outside of fences, quotes and code.
fn sentinel(text: &str, structure: &Structure) -> Option<Span> {
    if !text.contains('⏱') {
        return None;
    }
    let hidden = |at: usize| structure.fences.iter().chain(&structure.opaque).any(|s| s.contains(&at));
    let mut at = 0;
    let mut last = None;
    for line in text.split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let body = line.trim();
        let what = body
            .trim_matches('*')
            .strip_prefix('⏱')
            .map(|rest| rest.trim_start_matches('\u{fe0f}').trim_start())
            .and_then(|rest| rest.strip_prefix("WAITING FOR:"));
        if what.is_some_and(|what| !what.trim().is_empty()) && !hidden(start) {
            last = Some(start..start + body.len());
        }
    }
    last
}
