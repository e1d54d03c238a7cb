//! The cursor under the tolerant parser: blanks, words, quotes, expansions and heredoc bodies.
//!
//! It never fails. What it cannot make sense of it takes as plain characters and marks the script damaged.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use crate::ansi;
use crate::parse::MAX_DEPTH;
use crate::tree::{HereDoc, List, Word};

/// A heredoc whose body has not come yet.
struct Pending {
    delimiter: String,
    strip_tabs: bool,
    expands: bool,
    slot: Rc<OnceCell<HereDoc>>,
}

pub(crate) struct Lexer<'a> {
    pub src: &'a str,
    bytes: &'a [u8],
    pub pos: usize,
    /// The cursor stops here; spans stay those of `src`.
    end: usize,
    pub depth: usize,
    pub damaged: bool,
    pub steps: usize,
    /// Every span is this one: the text is a decoded copy of a part of the source.
    fixed: Option<Range<usize>>,
    /// Where `src` begins in the command the caller gave.
    base: usize,
    pending: Vec<Pending>,
}

/// Characters that end an unquoted word.
fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// Where the spans of a text point to.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// The text stands at this offset of the command.
    At(usize),
    /// The text was decoded from this part of the command.
    Within(Range<usize>),
}

impl<'a> Lexer<'a> {
    pub fn new(src: &'a str, range: Range<usize>, origin: &Origin, depth: usize) -> Self {
        let (base, fixed) = match origin {
            Origin::At(base) => (*base, None),
            Origin::Within(span) => (0, Some(span.clone())),
        };
        Self {
            src,
            bytes: src.as_bytes(),
            pos: range.start,
            end: range.end,
            depth,
            damaged: false,
            steps: 0,
            fixed,
            base,
            pending: Vec::new(),
        }
    }

    pub fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub fn peek_at(&self, ahead: usize) -> Option<u8> {
        let at = self.pos + ahead;
        (at < self.end).then(|| self.bytes[at])
    }

    pub fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.pos..self.end].starts_with(text.as_bytes())
    }

    pub fn at_end(&self) -> bool {
        self.pos >= self.end
    }

    pub fn bump(&mut self) {
        self.pos += 1;
        self.steps += 1;
    }

    /// The span of `start..self.pos` in the command the caller gave.
    pub fn span_from(&self, start: usize) -> Range<usize> {
        match &self.fixed {
            Some(span) => span.clone(),
            None => self.base + start..self.base + self.pos,
        }
    }

    fn offset(&self, at: usize) -> Option<usize> {
        self.fixed.is_none().then_some(self.base + at)
    }

    fn origin_at(&self, at: usize) -> Origin {
        match &self.fixed {
            Some(span) => Origin::Within(span.clone()),
            None => Origin::At(self.base + at),
        }
    }

    /// Spaces, tabs, line continuations and comments; not newlines.
    pub fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => self.bump(),
                b'\\' if self.peek_at(1) == Some(b'\n') => self.pos += 2,
                b'\\' if self.peek_at(1) == Some(b'\r') && self.peek_at(2) == Some(b'\n') => {
                    self.pos += 3;
                }
                b'#' => {
                    let rest = &self.bytes[self.pos..self.end];
                    let length = memchr(b'\n', rest).unwrap_or(rest.len());
                    self.pos += length;
                    self.steps += length;
                }
                _ => break,
            }
        }
    }

    /// Blanks and newlines. A newline brings the bodies of the heredocs its line opened.
    pub fn skip_newlines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                break;
            }
            self.bump();
            self.read_heredocs();
        }
    }

    /// Registers a heredoc whose body starts after the current line.
    pub fn expect_heredoc(&mut self, delimiter: &Word, strip_tabs: bool) -> Rc<OnceCell<HereDoc>> {
        let slot = Rc::new(OnceCell::new());
        self.pending.push(Pending {
            delimiter: delimiter.text.clone(),
            strip_tabs,
            expands: !delimiter.quoted,
            slot: Rc::clone(&slot),
        });
        slot
    }

    fn read_heredocs(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.pos;
            let (body, next) = self.heredoc_extent(&pending);
            let mut text = self.src[start..body].to_owned();
            let mut at = self.offset(start);
            if pending.strip_tabs && text.contains('\t') {
                text = text.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect();
                at = None;
            }
            let subs = if pending.expands { self.expansions_of(start..body) } else { Vec::new() };
            self.steps += next - start;
            self.pos = next;
            // The slot was made by `expect_heredoc` and is filled only here.
            let _ = pending.slot.set(HereDoc { text, at, subs });
        }
    }

    /// End of the body and start of what follows the delimiter line.
    fn heredoc_extent(&self, pending: &Pending) -> (usize, usize) {
        let mut line = self.pos;
        while line < self.end {
            let rest = &self.bytes[line..self.end];
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            let mut content = &self.src[line..line + length];
            if pending.strip_tabs {
                content = content.trim_start_matches('\t');
            }
            let next = (line + length + 1).min(self.end);
            if content.trim_end_matches('\r') == pending.delimiter {
                return (line, next);
            }
            line = next;
        }
        (self.end, self.end)
    }

    /// The substitutions in a text that expands as if it were double-quoted.
    fn expansions_of(&mut self, range: Range<usize>) -> Vec<List> {
        let mut inner = Lexer::new(
            self.src,
            range,
            &match &self.fixed {
                Some(span) => Origin::Within(span.clone()),
                None => Origin::At(self.base),
            },
            self.depth + 1,
        );
        let subs = inner.expansions();
        self.steps += inner.steps;
        subs
    }

    /// The substitutions in the rest, read as double-quoted text.
    pub fn expansions(&mut self) -> Vec<List> {
        let mut word = Word::default();
        self.quoted_part(&mut word, None);
        word.subs
    }

    /// The whole range as one word, blanks and operators included (an array, a word that another grammar delimited).
    pub fn whole_word(&mut self) -> Word {
        let start = self.pos;
        let mut word = self.open_word();
        while !self.at_end() {
            self.word_part(&mut word, true);
        }
        self.close_word(word, start)
    }

    /// The word at the cursor; empty if there is none.
    pub fn word(&mut self) -> Word {
        let start = self.pos;
        let mut word = self.open_word();
        while let Some(byte) = self.peek() {
            match byte {
                b'<' | b'>'
                    if word.text.is_empty() && self.peek_at(1) == Some(b'(') && self.depth < MAX_DEPTH => {}
                b'(' if self.glob_or_array(&word) => {
                    self.parenthesised(&mut word);
                    continue;
                }
                _ if ends_word(byte) => break,
                _ => {}
            }
            self.word_part(&mut word, false);
        }
        self.close_word(word, start)
    }

    fn open_word(&self) -> Word {
        Word { literal: true, ..Word::default() }
    }

    fn close_word(&self, mut word: Word, start: usize) -> Word {
        word.span = self.span_from(start);
        let raw = &self.src[start..self.pos];
        let quote = usize::from(raw.starts_with(['\'', '"']));
        if raw[quote.min(raw.len())..].starts_with(word.text.as_str()) {
            word.verbatim_at = self.offset(start + quote);
        }
        word
    }

    /// `(` belongs to the word: an array after `=`, an extended glob or a zsh glob qualifier.
    fn glob_or_array(&self, word: &Word) -> bool {
        word.text.ends_with(['=', '@', '!', '+', '?', '*'])
            && (word.text.len() > 1 || self.closes_on_this_line())
    }

    fn closes_on_this_line(&self) -> bool {
        /// An extended glob that opens a word is short; looking further would make the scan superlinear.
        const REACH: usize = 64;
        let upto = (self.pos + REACH).min(self.end);
        self.bytes[self.pos..upto].iter().take_while(|b| **b != b'\n').any(|b| *b == b')')
    }

    fn parenthesised(&mut self, word: &mut Word) {
        let mut open = 0usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {
                    self.word_part(word, true);
                    continue;
                }
            }
            word.text.push(char::from(byte));
            self.bump();
            if open == 0 {
                return;
            }
        }
        self.damaged = true;
    }

    /// One character, quotation or expansion of a word. With `any`, metacharacters are plain.
    fn word_part(&mut self, word: &mut Word, any: bool) {
        let Some(byte) = self.peek() else { return };
        match byte {
            b'\\' => self.escape(word),
            b'\'' => self.single_quoted(word),
            b'"' => {
                word.quoted = true;
                self.bump();
                if !self.quoted_part(word, Some(b'"')) {
                    self.damaged = true;
                }
            }
            b'$' => self.dollar(word, false),
            b'`' => self.backquoted(word),
            b'<' | b'>' if self.peek_at(1) == Some(b'(') && self.depth < MAX_DEPTH => {
                word.literal = false;
                let start = self.pos;
                self.pos += 2;
                self.substitution(word);
                word.text.push_str(&self.src[start..self.pos]);
            }
            _ if any || !ends_word(byte) => self.take_char(word),
            _ => {}
        }
    }

    fn take_char(&mut self, word: &mut Word) {
        let Some(c) = self.src[self.pos..self.end].chars().next() else {
            return;
        };
        word.text.push(c);
        self.pos += c.len_utf8();
        self.steps += 1;
    }

    fn escape(&mut self, word: &mut Word) {
        self.bump();
        match self.peek() {
            Some(b'\n') => self.bump(),
            Some(_) => {
                word.quoted = true;
                self.take_char(word);
            }
            None => word.text.push('\\'),
        }
    }

    fn single_quoted(&mut self, word: &mut Word) {
        word.quoted = true;
        self.bump();
        let rest = &self.bytes[self.pos..self.end];
        let length = memchr(b'\'', rest).unwrap_or_else(|| {
            self.damaged = true;
            rest.len()
        });
        word.text.push_str(&self.src[self.pos..self.pos + length]);
        self.pos = (self.pos + length + 1).min(self.end);
        self.steps += length;
    }

    /// Double-quoted text up to `close` (or the end); says whether `close` was met.
    fn quoted_part(&mut self, word: &mut Word, close: Option<u8>) -> bool {
        while let Some(byte) = self.peek() {
            match byte {
                _ if Some(byte) == close => {
                    self.bump();
                    return true;
                }
                b'\\' => match self.peek_at(1) {
                    Some(b'\n') => self.pos += 2,
                    Some(b'$' | b'`' | b'"' | b'\\') => {
                        self.bump();
                        self.take_char(word);
                    }
                    _ => self.take_char(word),
                },
                b'$' => self.dollar(word, true),
                b'`' => self.backquoted(word),
                _ => self.take_char(word),
            }
        }
        close.is_none()
    }

    fn dollar(&mut self, word: &mut Word, in_quotes: bool) {
        let start = self.pos;
        match self.peek_at(1) {
            Some(b'\'') if !in_quotes => self.ansi_quoted(word),
            Some(b'"') if !in_quotes => self.bump(),
            Some(b'(') if self.depth < MAX_DEPTH => {
                word.literal = false;
                self.pos += 2;
                if self.peek() == Some(b'(') && self.arithmetic_follows() {
                    self.bump();
                    self.arithmetic(word);
                } else {
                    self.substitution(word);
                }
                word.text.push_str(&self.src[start..self.pos]);
            }
            Some(b'{') if self.depth < MAX_DEPTH => {
                word.literal = false;
                self.pos += 2;
                self.parameter(word);
                word.text.push_str(&self.src[start..self.pos]);
            }
            Some(c) => {
                if c == b'(' || c == b'{' {
                    self.damaged = true;
                }
                if !c.is_ascii_whitespace() && c != b'"' {
                    word.literal = false;
                }
                self.take_char(word);
            }
            None => self.take_char(word),
        }
    }

    /// `$'…'`.
    fn ansi_quoted(&mut self, word: &mut Word) {
        word.quoted = true;
        self.pos += 2;
        let start = self.pos;
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' => {
                    word.text.push_str(&ansi::decode(&self.src[start..self.pos]));
                    self.bump();
                    return;
                }
                b'\\' => self.pos = (self.pos + 2).min(self.end),
                _ => self.bump(),
            }
        }
        self.damaged = true;
        self.pos = self.end;
    }

    /// Whether the parentheses opened at the cursor close as `))`.
    pub fn arithmetic_follows(&self) -> bool {
        let mut open = 0usize;
        let mut quote = None;
        let mut at = self.pos;
        while at < self.end {
            let byte = self.bytes[at];
            match (quote, byte) {
                (_, b'\\') => at += 1,
                (Some(q), _) if byte == q => quote = None,
                (Some(_), _) => {}
                (None, b'\'' | b'"') => quote = Some(byte),
                (None, b'(') => open += 1,
                (None, b')') => {
                    open -= 1;
                    if open == 0 {
                        return at + 1 < self.end && self.bytes[at + 1] == b')';
                    }
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// Arithmetic up to the closing `))`, the cursor being after `((`. Only its substitutions matter.
    pub fn arithmetic(&mut self, word: &mut Word) {
        let mut open = 2usize;
        self.depth += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                b'$' => {
                    self.nested(word, |lexer, inner| lexer.dollar(inner, true));
                    continue;
                }
                b'`' => {
                    self.nested(word, Self::backquoted);
                    continue;
                }
                _ => {}
            }
            self.bump();
            if open == 0 {
                self.depth -= 1;
                return;
            }
        }
        self.damaged = true;
        self.depth -= 1;
    }

    /// Reads an expansion inside another one: its substitutions count, its text is already part of the outer text.
    fn nested(&mut self, word: &mut Word, read: impl FnOnce(&mut Self, &mut Word)) {
        let mut inner = self.open_word();
        let before = self.pos;
        read(self, &mut inner);
        if self.pos == before {
            self.bump();
        }
        word.subs.append(&mut inner.subs);
    }

    /// `${…}` after the brace.
    fn parameter(&mut self, word: &mut Word) {
        self.depth += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'}' => {
                    self.bump();
                    self.depth -= 1;
                    return;
                }
                b'\\' => self.pos = (self.pos + 2).min(self.end),
                b'\'' => self.nested(word, Self::single_quoted),
                b'"' => self.nested(word, |lexer, inner| {
                    lexer.bump();
                    lexer.quoted_part(inner, Some(b'"'));
                }),
                b'$' => self.nested(word, |lexer, inner| lexer.dollar(inner, false)),
                b'`' => self.nested(word, Self::backquoted),
                _ => self.bump(),
            }
        }
        self.damaged = true;
        self.depth -= 1;
    }

    /// `$(…)`, `<(…)` after the parenthesis: read by the grammar itself, so that heredocs and `case` inside are understood.
    fn substitution(&mut self, word: &mut Word) {
        let outer = std::mem::take(&mut self.pending);
        let list = self.list_in_parentheses();
        self.pending = outer;
        word.subs.push(list);
    }

    /// `` `…` ``: the text between is unescaped, then read on its own.
    fn backquoted(&mut self, word: &mut Word) {
        word.literal = false;
        let start = self.pos;
        self.bump();
        let mut script = String::new();
        let mut copied = self.pos;
        let mut closed = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'`' => {
                    closed = true;
                    break;
                }
                b'\\' if matches!(self.peek_at(1), Some(b'`' | b'\\' | b'$')) => {
                    script.push_str(&self.src[copied..self.pos]);
                    copied = self.pos + 1;
                    self.pos += 2;
                }
                _ => self.bump(),
            }
        }
        script.push_str(&self.src[copied..self.pos]);
        let verbatim = script.len() == self.pos - start - 1;
        if closed {
            self.bump();
        } else {
            self.damaged = true;
        }
        if self.depth < MAX_DEPTH {
            let origin =
                if verbatim { self.origin_at(start + 1) } else { Origin::Within(self.span_from(start)) };
            let mut inner = Lexer::new(&script, 0..script.len(), &origin, self.depth + 1);
            word.subs.push(inner.list_to_end());
            self.damaged |= inner.damaged;
            self.steps += inner.steps;
        } else {
            self.damaged = true;
        }
        word.text.push_str(&self.src[start..self.pos]);
    }
}

fn memchr(needle: u8, hay: &[u8]) -> Option<usize> {
    hay.iter().position(|b| *b == needle)
}
