//! Paragraphs for the length and shape guards: separated by blank lines or by a fence (P1, P3, P4).

use super::structure::Structure;
use super::view::Span;

/// One paragraph that holds prose of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paragraph {
    /// Byte range in the original.
    pub span: Span,
    /// Length in Unicode scalar values (P2).
    pub chars: usize,
}

/// The paragraphs of a message, in order. A paragraph without any prose (a rule, a comment, a quote) is none.
pub(crate) fn paragraphs(text: &str, structure: &Structure) -> Vec<Paragraph> {
    let mut out: Vec<Paragraph> = Vec::new();
    let mut open: Option<Span> = None;
    let mut at = 0;
    let mut fences = structure.fences.iter().peekable();
    let mut directives = structure.directives.iter().peekable();
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        while fences.peek().is_some_and(|f| f.end <= start) {
            fences.next();
        }
        while directives.peek().is_some_and(|d| d.end <= start) {
            directives.next();
        }
        let fenced = fences.peek().is_some_and(|f| f.start < end);
        let directive = directives.peek().is_some_and(|d| d.start <= start);
        if line.trim().is_empty() || fenced || directive {
            close(text, &mut out, open.take());
        } else {
            open = Some(open.map_or(start, |o| o.start)..end);
        }
    }
    close(text, &mut out, open);
    keep_prose(&mut out, structure);
    out
}

fn close(text: &str, out: &mut Vec<Paragraph>, span: Option<Span>) {
    let Some(span) = span else { return };
    let body = &text[span.clone()];
    let start = span.start + (body.len() - body.trim_start().len());
    let body = body.trim();
    out.push(Paragraph { span: start..start + body.len(), chars: body.chars().count() });
}

/// Drops paragraphs in which no sentence of the agent's own view starts.
fn keep_prose(out: &mut Vec<Paragraph>, structure: &Structure) {
    let sentences = &structure.own.sentences;
    out.retain(|p| {
        let from = sentences.partition_point(|s| s.original.end <= p.span.start);
        sentences.get(from).is_some_and(|s| {
            s.original.start < p.span.end
                && structure.own.words(s).chars().any(|c| c.is_alphanumeric() || c == '⏱')
        }) || sentences[from..]
            .iter()
            .take_while(|s| s.original.start < p.span.end)
            .any(|s| structure.own.words(s).chars().any(|c| c.is_alphanumeric() || c == '⏱'))
    });
}
