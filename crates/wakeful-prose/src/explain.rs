//! The explanation of a reading (P17): the same analysis, with everything that led to it.

use serde::Serialize;
use wakeful_core::ids::RuleId;
use wakeful_core::reading::Reading;
use wakeful_core::settings::MatchMode;

use crate::analysis::{Analysis, Found, Judged, SENTINEL, allowed, analyse};
use crate::guards::{CANDIDATE, LONG_MESSAGE, LONGEST_SINGLE, Place};
use crate::read::{Context, reading};
use crate::rules::{Kind, NameRole, Role, Rules, WaitRole};
use crate::text::Span;

/// A byte range of the original text, always on character borders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SpanView {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl From<&Span> for SpanView {
    fn from(span: &Span) -> Self {
        Self { start: span.start, end: span.end }
    }
}

/// What the message comes to, as far as the message alone decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It asks the user something.
    Question,
    /// It is a suppressible wait.
    Wait,
    /// It waits, but a guard rejected it: it can only say whose live work is.
    WaitRejected,
    /// It reports completion or hands over.
    Done,
    /// None of these: for the ladder, done.
    Neither,
}

/// The result of one guard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuardView {
    /// `length`, `shape` or `target`.
    pub guard: &'static str,
    /// Whether the message cleared it.
    pub passed: bool,
    /// Why, in words.
    pub why: String,
}

/// One part of the message that may be searched for a wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CandidateView {
    /// `final`, `first` or `second-to-last` paragraph.
    pub place: &'static str,
    /// Where it is.
    pub span: SpanView,
    /// Only its trailing sentences are searched, because it is longer than 400 characters.
    pub trimmed: bool,
    /// It holds a hand-off.
    pub hand_off: bool,
    /// It flags something for attention.
    pub alarm: bool,
    /// It was searched.
    pub searched: bool,
    /// Why or why not, in words.
    pub why: String,
}

/// One rule that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HitView {
    /// The rule.
    pub rule: RuleId,
    /// What kind of rule it is.
    pub kind: Kind,
    /// What it recognises.
    pub what: String,
    /// Where it matched.
    pub span: SpanView,
    /// What became of it, in words.
    pub note: String,
    /// It took part in the outcome.
    pub counts: bool,
}

/// The question that the message asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QuestionView {
    /// Where it is.
    pub span: SpanView,
    /// The rule that found it.
    pub rule: RuleId,
}

/// Everything about one reading.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The text that was read.
    pub text: String,
    /// The mode it was read in.
    pub mode: MatchMode,
    /// The reading itself, exactly as [`read`](crate::read()) gives it.
    pub reading: Reading,
    /// What it comes to.
    pub outcome: Outcome,
    /// Why, in one or two sentences.
    pub reason: String,
    /// Length in characters, without white space at the ends.
    pub chars: usize,
    /// The paragraphs that hold prose.
    pub paragraphs: Vec<SpanView>,
    /// Fenced code, which is not read.
    pub fences: Vec<SpanView>,
    /// Quotes and inline code, which only the vetoes see.
    pub opaque: Vec<SpanView>,
    /// The parts that may be searched for a wait.
    pub candidates: Vec<CandidateView>,
    /// The three guards.
    pub guards: Vec<GuardView>,
    /// What was taken out before the vetoes ran.
    pub exemptions: Vec<HitView>,
    /// Every rule that matched, in the order of the text.
    pub hits: Vec<HitView>,
    /// The question, if there is one.
    pub question: Option<QuestionView>,
    /// The canonical line, if there is one.
    pub sentinel: Option<SpanView>,
}

/// Explains the reading of a message: one analysis, two views of it.
pub fn explain(rules: &Rules, text: &str, context: &Context) -> Explanation {
    let analysis = analyse(rules, text, context);
    let reading = reading(rules, text, &analysis);
    let mut hits: Vec<HitView> =
        analysis.found.iter().chain(&analysis.vetoes).map(|f| hit(&analysis, f, context)).collect();
    hits.sort_by_key(|hit| (hit.span.start, hit.span.end));
    hits.dedup_by(|a, b| a.rule == b.rule && a.span == b.span); // two patterns of one rule
    let outcome = outcome(&reading, &analysis);
    Explanation {
        outcome,
        reason: reason(&analysis, &reading, outcome, context),
        text: text.to_owned(),
        mode: context.mode,
        chars: analysis.chars,
        paragraphs: analysis.paragraphs.iter().map(|p| (&p.span).into()).collect(),
        fences: spans(&analysis.structure.fences),
        opaque: spans(&analysis.structure.opaque),
        candidates: analysis.candidates.iter().map(|c| candidate(&analysis, c)).collect(),
        guards: guards(&analysis),
        exemptions: analysis.exemptions.iter().map(|f| hit(&analysis, f, context)).collect(),
        hits,
        question: analysis
            .asked
            .as_ref()
            .map(|asked| QuestionView { span: (&asked.snippet).into(), rule: asked.rule.clone() }),
        sentinel: analysis.sentinel.as_ref().map(Into::into),
        reading,
    }
}

fn spans(spans: &[Span]) -> Vec<SpanView> {
    spans.iter().map(Into::into).collect()
}

fn outcome(reading: &Reading, analysis: &Analysis<'_>) -> Outcome {
    if reading.asks_user.is_some() {
        Outcome::Question
    } else if reading.wait.is_some() {
        Outcome::Wait
    } else if analysis.waits().any(|f| analysis.counts(f)) || analysis.sentinel.is_some() {
        Outcome::WaitRejected
    } else if reading.closes.is_some() {
        Outcome::Done
    } else {
        Outcome::Neither
    }
}

fn hit(analysis: &Analysis<'_>, found: &Found<'_>, context: &Context) -> HitView {
    let (counts, note) = note(analysis, found, context);
    HitView {
        rule: found.rule.id.clone(),
        kind: found.rule.kind(),
        what: found.rule.what.clone(),
        span: (&found.original).into(),
        note: note.to_owned(),
        counts,
    }
}

/// Whether a hit took part in the outcome, and what became of it.
fn note(analysis: &Analysis<'_>, found: &Found<'_>, context: &Context) -> (bool, &'static str) {
    match found.rule.role {
        Role::Wait(WaitRole::Status, _) => (false, "work that runs elsewhere is no wait by itself"),
        Role::Wait(..) if !analysis.counts(found) => {
            (false, "the message closes: only a promise to come back would count")
        }
        Role::Wait(..) if !analysis.vetoes.is_empty() => (false, "the wait is on the user"),
        Role::Wait(..) if !allowed(found, context.mode) => {
            (false, "used in full mode only; says whose live work is")
        }
        Role::Wait(..) if analysis.candidate_of(found).is_none() => {
            (false, "not in a part that is searched; says whose live work is")
        }
        Role::Wait(..) => (true, "a wait"),
        Role::Veto { .. } => (true, "a wait in this message would be on the user"),
        Role::Exemption => (true, "taken out before the vetoes"),
        Role::Ask { .. } if analysis.asked.is_none() => {
            (false, "an offer, or answered by the message itself")
        }
        Role::Ask { .. } => (true, "asks the user"),
        Role::Offer => (true, "an offer, which needs no answer"),
        Role::Rhetorical => (false, "a question that the message may answer itself"),
        Role::Close(_) => match &analysis.closes {
            Some((rule, _)) if *rule == found.rule.id => (true, "closes the message"),
            Some(_) => (false, "closes too; another rule says it better"),
            None => (false, "taken back by what the message says after it"),
        },
        Role::Alarm => (true, "flags something for attention"),
        Role::Eta(_) => (analysis.eta.is_some(), "a stated time"),
        Role::Name(NameRole::Reference) => (false, "looks back to the sentence before"),
        Role::Name(_) => (true, "names what may wake the agent"),
    }
}

fn candidate(analysis: &Analysis<'_>, judged: &Judged) -> CandidateView {
    let Judged { candidate, hand_off, alarm, open } = judged;
    let why = if *open && !candidate.hand_off_needed {
        "the end of the message is always searched".to_owned()
    } else if *open {
        "it promises to come back".to_owned()
    } else if candidate.calm_needed && analysis.alarm {
        "the message flags something for attention".to_owned()
    } else if candidate.place == Place::Final {
        format!("a message of more than {LONG_MESSAGE} characters must promise to come back here")
    } else {
        "only a promise to come back counts here".to_owned()
    };
    CandidateView {
        place: match candidate.place {
            Place::Final => "final",
            Place::First => "first",
            Place::SecondToLast => "second-to-last",
        },
        span: (&candidate.span).into(),
        trimmed: candidate.trimmed,
        hand_off: *hand_off,
        alarm: *alarm,
        searched: *open,
        why,
    }
}

fn guards(analysis: &Analysis<'_>) -> Vec<GuardView> {
    let length = if analysis.length_passes {
        format!("{} paragraph(s), {} characters", analysis.paragraphs.len(), analysis.chars)
    } else {
        format!("one paragraph of {} characters; at most {LONGEST_SINGLE} are allowed", analysis.chars)
    };
    let in_place = analysis.waits().any(|f| analysis.counts(f) && analysis.candidate_of(f).is_some());
    let shape = if analysis.sentinel.is_some() {
        "the canonical line may stand anywhere".to_owned()
    } else if in_place {
        "a wait stands in a part that is searched".to_owned()
    } else if analysis.waits().any(|f| analysis.counts(f)) {
        format!(
            "the wait stands outside of the parts that are searched (ends of at most {CANDIDATE} characters)"
        )
    } else {
        "no wait was found".to_owned()
    };
    let target = match analysis.vetoes.first() {
        Some(veto) => format!("a wait would be on the user ({})", veto.rule.id),
        None => "nothing says that a wait is on the user".to_owned(),
    };
    vec![
        GuardView {
            guard: "length",
            passed: analysis.length_passes || analysis.sentinel.is_some(),
            why: length,
        },
        GuardView { guard: "shape", passed: in_place || analysis.sentinel.is_some(), why: shape },
        GuardView { guard: "target", passed: analysis.vetoes.is_empty(), why: target },
    ]
}

fn reason(analysis: &Analysis<'_>, reading: &Reading, outcome: Outcome, context: &Context) -> String {
    match outcome {
        Outcome::Question => {
            let rule = reading.asks_user.as_ref().map_or("", |q| q.rule.as_str());
            let beside =
                if reading.waits_somewhere.is_some() { " It also waits, which stays listed." } else { "" };
            format!("The message asks the user something (rule {rule}), so it surfaces.{beside}")
        }
        Outcome::Wait => {
            let rule = reading.wait.as_ref().map_or("", |w| w.rule.as_str());
            if rule == SENTINEL {
                return "The message holds the canonical line, so it is a wait.".to_owned();
            }
            format!(
                "The message is a wait (rule {rule}): it is short enough, stands where a wait stands, and is not on the user."
            )
        }
        Outcome::WaitRejected if !analysis.vetoes.is_empty() => {
            format!(
                "It reads like a wait, but the wait is on the user (rule {}).",
                analysis.vetoes[0].rule.id
            )
        }
        Outcome::WaitRejected if !analysis.length_passes => {
            "It reads like a wait, but one paragraph of that length is a report.".to_owned()
        }
        Outcome::WaitRejected if context.mode == MatchMode::Precise && only_broad(analysis, context) => {
            "It reads like a wait, but only by rules that are used in full mode.".to_owned()
        }
        Outcome::WaitRejected => {
            "It reads like a wait, but not in a part of the message that is searched for one.".to_owned()
        }
        Outcome::Done => {
            let rule = reading.closes.as_ref().map_or("", |rule| rule.as_str());
            format!("The message reports completion or hands over (rule {rule}).")
        }
        Outcome::Neither => "Nothing in it asks, waits or closes: it counts as done.".to_owned(),
    }
}

fn only_broad(analysis: &Analysis<'_>, context: &Context) -> bool {
    !analysis
        .waits()
        .any(|f| analysis.counts(f) && analysis.candidate_of(f).is_some() && allowed(f, context.mode))
}
