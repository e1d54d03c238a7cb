//! Writes prose into a view and finds where sentences end.

use super::view::{Sentence, Span, View};

/// A sentence is cut at the next space after this many bytes, and at once after twice as many: the work of a rule is
/// bounded by the length of a sentence, and no sentence that anybody reads is longer.
const LONGEST: usize = 1000;

/// What stands for something that the wait rules must not read, such as inline code.
pub(crate) const OPAQUE: char = '`';

/// Words that end in a full stop inside a sentence.
const ABBREVIATIONS: [&str; 11] =
    ["e.g.", "i.e.", "etc.", "vs.", "approx.", "ca.", "cf.", "no.", "incl.", "p. ex.", "resp."];

/// A Latin letter without its accent: people leave accents out, and borders of words are found by ASCII letters.
/// Patterns are folded in the same way when they are loaded.
pub(crate) fn fold(lower: char) -> char {
    match lower {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' => 'e',
        'ì' | 'í' | 'î' | 'ï' | 'ı' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ù' | 'ú' | 'û' | 'ü' | 'ů' => 'u',
        'ý' | 'ÿ' => 'y',
        'š' | 'ś' | 'ş' => 's',
        'ž' | 'ż' | 'ź' => 'z',
        'ł' => 'l',
        _ => lower,
    }
}

/// Whether a space after this byte cannot be the end of a sentence.
fn stays_in_sentence(last: u8) -> bool {
    last.is_ascii_alphanumeric() || last == b','
}

/// Writes characters of the original into a [`View`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Writer {
    view: View,
    block: u32,
    heading: bool,
    /// Where the sentence begins in the view, and at or after which run.
    start: usize,
    run: usize,
    space: Option<Span>,
}

impl Writer {
    /// Ends the block; the next character starts another.
    pub fn block(&mut self, heading: bool) {
        self.end_sentence();
        self.block += 1;
        self.heading = heading;
    }

    /// Writes prose: `text` starts at byte `at` of the original.
    pub fn prose(&mut self, text: &str, at: usize) {
        let bytes = text.as_bytes();
        let mut done = 0;
        while done < text.len() {
            let run = self.run(&bytes[done..]);
            if run > 0 {
                self.ascii(&text[done..done + run], at + done);
                done += run;
            } else if let Some(c) = text[done..].chars().next() {
                self.character(c, at + done..at + done + c.len_utf8());
                done += c.len_utf8();
            }
        }
    }

    /// How many bytes at the start of `bytes` can be written as they stand: a word of ASCII, and the words after it as
    /// long as only single blanks are between them at which no sentence can end.
    fn run(&self, bytes: &[u8]) -> usize {
        let word = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_graphic()).count();
        // A pending space is written too.
        let before = self.view.text.len() - self.start + 1;
        let mut run = word(0);
        while run > 0 && bytes.get(run) == Some(&b' ') && stays_in_sentence(bytes[run - 1]) {
            let next = word(run + 1);
            if next == 0 || before + run + 1 + next > LONGEST {
                break;
            }
            run += 1 + next;
        }
        run
    }

    /// Writes one sign for something opaque that covers `from`.
    pub fn opaque(&mut self, from: Span) {
        self.flush_space();
        self.view.push(OPAQUE, from);
    }

    /// Writes the border after a table cell that ends at byte `at` of the original.
    pub fn cell(&mut self, at: usize) {
        self.space.get_or_insert(at..at);
        self.write('|', at..at);
        self.space = Some(at..at);
    }

    /// Writes a space that stands for `from`, such as a soft line break.
    pub fn space(&mut self, from: Span) {
        if self.at_sentence_end() || self.view.text.len() - self.start > LONGEST {
            self.end_sentence();
        } else if self.space.is_none() {
            self.space = Some(from);
        }
    }

    /// The finished view.
    pub fn finish(mut self) -> View {
        self.end_sentence();
        self.view
    }

    fn ascii(&mut self, text: &str, at: usize) {
        let mut done = 0;
        while done < text.len() {
            self.cut_if_endless();
            let part = (text.len() - done).min(LONGEST);
            self.flush_space();
            self.view.push_ascii(&text[done..done + part], at + done);
            done += part;
        }
    }

    /// Text without a space must not make a sentence without an end.
    fn cut_if_endless(&mut self) {
        if self.view.text.len() - self.start > 2 * LONGEST {
            self.end_sentence();
        }
    }

    fn character(&mut self, c: char, from: Span) {
        if c.is_whitespace() || c == '\u{200b}' {
            self.space(from);
            return;
        }
        self.cut_if_endless();
        match c {
            '’' | '‘' | 'ʼ' | '＇' => self.write('\'', from),
            '“' | '”' | '„' | '«' | '»' => self.write('"', from),
            '–' | '—' | '―' => self.dash(from),
            '…' => self.write('.', from),
            '，' | '、' => self.write(',', from),
            '；' => self.write(';', from),
            '：' => self.write(':', from),
            '（' => self.write('(', from),
            '）' => self.write(')', from),
            '。' => self.terminal('.', from),
            '？' | '؟' | '⁇' => self.terminal('?', from),
            '！' => self.terminal('!', from),
            _ => c.to_lowercase().for_each(|lower| self.write(fold(lower), from.clone())),
        }
    }

    /// Full-width punctuation ends a sentence without a space after it.
    fn terminal(&mut self, c: char, from: Span) {
        self.write(c, from);
        self.end_sentence();
    }

    /// A long dash is a break within a sentence: it stands alone between spaces.
    fn dash(&mut self, from: Span) {
        self.space.get_or_insert(from.start..from.start);
        self.write('-', from.clone());
        self.space = Some(from.end..from.end);
    }

    fn write(&mut self, c: char, from: Span) {
        self.flush_space();
        self.view.push(c, from);
    }

    fn flush_space(&mut self) {
        if let Some(from) = self.space.take()
            && self.view.text.len() > self.start
        {
            self.view.push(' ', from);
        }
    }

    fn at_sentence_end(&self) -> bool {
        let sentence = &self.view.text[self.start..];
        if sentence.as_bytes().last().is_some_and(|&last| stays_in_sentence(last)) {
            return false; // the common case, before anything is searched
        }
        let body = sentence.trim_end_matches(['"', ')', ']', '\'', '`']);
        match body.chars().next_back() {
            Some('?' | '!') => true,
            Some('.') => {
                let word = body.rsplit(' ').next().unwrap_or(body).trim_start_matches('(');
                // A bare number with a full stop is a list mark, not a sentence.
                let list_mark = body.len() <= 3 && body[..body.len() - 1].bytes().all(|b| b.is_ascii_digit());
                !list_mark && !ABBREVIATIONS.contains(&word)
            }
            _ => false,
        }
    }

    fn end_sentence(&mut self) {
        let space = self.space.take();
        let end = self.view.text.len();
        if end == self.start {
            return;
        }
        let view = self.start..end;
        let original = self.view.original_from(self.run, &view);
        let stop = space.map_or(original.end, |s| s.start);
        self.view.push('\n', stop..stop);
        self.view.sentences.push(Sentence {
            view,
            original,
            block: self.block,
            heading: self.heading,
            run: self.run,
        });
        self.start = self.view.text.len();
        self.run = self.view.last_run(); // of the line break, which the next character may go on
    }
}
