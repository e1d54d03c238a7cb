//! A view: the prose of a message in the form that the rules are matched against.
//!
//! Lower case, one sentence a line, no markdown marks, plain apostrophes and single spaces. So a rule is written as
//! people speak, `.` stays inside a sentence, and `^` and `$` are the ends of one. Every byte knows where it came
//! from, because spans are shown in the text as the agent wrote it.

/// A range of bytes, in whichever text the context says.
pub(crate) type Span = std::ops::Range<usize>;

/// One sentence of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// Where it is in the view.
    pub view: Span,
    /// Where it is in the original text.
    pub original: Span,
    /// Which block (paragraph, heading, list item, table row) it belongs to.
    pub block: u32,
    /// The block is a heading.
    pub heading: bool,
}

/// Prose with a map back to the original.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    /// The normalised text.
    pub text: String,
    /// For each byte of `text`, the start in the original of the character that it came from.
    at: Vec<u32>,
    /// For each byte of `text`, the end in the original of that character.
    until: Vec<u32>,
    /// In order, without gaps other than line breaks.
    pub sentences: Vec<Sentence>,
}

impl View {
    /// Appends `c`, which stands for the bytes `from` of the original.
    pub(super) fn push(&mut self, c: char, from: Span) {
        self.text.push(c);
        let (start, end) = (narrow(from.start), narrow(from.end));
        self.at.resize(self.text.len(), start);
        self.until.resize(self.text.len(), end);
    }

    /// The original bytes that a span of the view came from.
    pub fn original(&self, span: &Span) -> Span {
        if span.start >= span.end {
            let point = self.at.get(span.start).or(self.until.last()).map_or(0, |&at| at as usize);
            return point..point;
        }
        self.at[span.start] as usize..self.until[span.end - 1] as usize
    }

    /// The index of the sentence that holds this byte of the view.
    pub fn sentence_at(&self, byte: usize) -> usize {
        self.sentences.partition_point(|s| s.view.end < byte).min(self.sentences.len().saturating_sub(1))
    }

    /// The words of a sentence, normalised.
    pub fn words(&self, sentence: &Sentence) -> &str {
        &self.text[sentence.view.clone()]
    }

    /// The same view with these spans (of the view, in order, not overlapping) made blank (P6).
    pub fn blanked(&self, spans: &[Span]) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut done = 0;
        for span in spans {
            out.push_str(&self.text[done..span.start]);
            out.extend(std::iter::repeat_n('~', span.len())); // a sign that no rule speaks of
            done = span.end;
        }
        out.push_str(&self.text[done..]);
        out
    }
}

/// Messages are far below 4 GB; beyond that, spans saturate and nothing panics.
fn narrow(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
