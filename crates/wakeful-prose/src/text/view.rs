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
    /// The run in which it begins, by its number: a long message has more runs than one wants to search for each hit.
    pub(super) run: usize,
}

/// Bytes of a view that came from one place of the original.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// First byte in the view.
    view: usize,
    /// Where it came from.
    start: usize,
    end: usize,
    /// Byte for byte: the end grows with the view. Otherwise all bytes of the run stand for all of `start..end`.
    plain: bool,
}

/// Prose with a map back to the original.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    /// The normalised text.
    pub text: String,
    /// In order; together they cover `text`.
    runs: Vec<Run>,
    /// In order, without gaps other than line breaks.
    pub sentences: Vec<Sentence>,
}

impl View {
    /// Appends `c`, which stands for the bytes `from` of the original.
    pub(super) fn push(&mut self, c: char, from: Span) {
        let view = self.text.len();
        self.text.push(c);
        if from.len() == c.len_utf8() {
            self.plain(view, from);
        } else {
            self.runs.push(Run { view, start: from.start, end: from.end, plain: false });
        }
    }

    /// Appends ASCII text in lower case, which stands byte for byte at `at` in the original.
    pub(super) fn push_ascii(&mut self, text: &str, at: usize) {
        let view = self.text.len();
        self.text.push_str(text);
        self.text[view..].make_ascii_lowercase();
        self.plain(view, at..at + text.len());
    }

    fn plain(&mut self, view: usize, from: Span) {
        match self.runs.last_mut() {
            Some(run) if run.plain && run.end == from.start && run.view + (run.end - run.start) == view => {
                run.end = from.end;
            }
            _ => self.runs.push(Run { view, start: from.start, end: from.end, plain: true }),
        }
    }

    /// The original bytes that a span of the view came from, which is in this sentence.
    pub fn original(&self, number: usize, span: &Span) -> Span {
        let first = self.sentences.get(number).map_or(0, |sentence| sentence.run);
        let last = self.sentences.get(number + 1).map_or(self.runs.len(), |next| next.run + 1);
        self.original_of(first..last, span)
    }

    /// The number of the last run so far.
    pub(super) fn last_run(&self) -> usize {
        self.runs.len().saturating_sub(1)
    }

    /// The original bytes that a span at the end of the view came from: from this run on.
    pub(super) fn original_from(&self, run: usize, span: &Span) -> Span {
        self.original_of(run..self.runs.len(), span)
    }

    fn original_of(&self, runs: Span, span: &Span) -> Span {
        let runs = &self.runs[runs];
        let run = |byte: usize| runs[..runs.partition_point(|run| run.view <= byte)].last();
        let start =
            run(span.start).map_or(0, |run| run.start + if run.plain { span.start - run.view } else { 0 });
        if span.start >= span.end {
            return start..start;
        }
        let last = run(span.end - 1);
        start
            ..last
                .map_or(start, |run| if run.plain { run.start + (span.end - run.view) } else { run.end })
                .max(start)
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
