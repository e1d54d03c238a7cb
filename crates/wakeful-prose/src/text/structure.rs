//! Markdown to views: what is prose, what is quoted, what is code (P1).

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::sentences::Writer;
use super::view::{Span, View};

/// How far a quoted string may reach; longer ones are more likely an unmatched mark.
const LONGEST_QUOTE: usize = 300;

/// A line at least this long may have been wrapped by an editor; a shorter one was broken on purpose.
const WRAPPED: usize = 60;

/// The two views of a message and what is hidden from the first.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    /// What the agent itself says: without fences, quoted lines, quoted strings and inline code.
    pub own: View,
    /// The whole message after fences are removed (P5).
    pub whole: View,
    /// Fenced code, byte ranges of the original, in order.
    pub fences: Vec<Span>,
    /// Quoted lines, quoted strings and inline code, byte ranges of the original, in order.
    pub opaque: Vec<Span>,
    /// Lines that a machine reads (`::name{…}`), in order.
    pub directives: Vec<Span>,
}

/// Reads the structure of a message. Linear in its length.
pub(crate) fn structure(text: &str) -> Structure {
    let mut walk = Walk { text, directives: directives(text), ..Walk::default() };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        walk.event(&event, range);
    }
    let own = walk.own.finish();
    Structure {
        whole: walk.whole.map_or_else(|| own.clone(), Writer::finish),
        own,
        fences: walk.fences,
        opaque: walk.opaque,
        directives: walk.directives,
    }
}

/// Lines of the form `::name{…}`, which some clients let the agent write for their own window.
fn directives(text: &str) -> Vec<Span> {
    let mut at = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        if body.starts_with("::") && body.ends_with('}') && body.contains('{') {
            found.push(at..at + line.len());
        }
        at += line.len();
    }
    found
}

#[derive(Default)]
struct Walk<'t> {
    text: &'t str,
    own: Writer,
    /// From the first opaque thing on; until then the two views are the same.
    whole: Option<Writer>,
    fences: Vec<Span>,
    opaque: Vec<Span>,
    directives: Vec<Span>,
    /// How many block quotes we are in.
    quotes: usize,
    /// Inside a closed fence.
    fenced: bool,
    /// End of the block that is being read, which a quoted string does not cross.
    block_end: usize,
    /// End of the quoted string that is being skipped in `own`.
    quoted_until: usize,
    next_directive: usize,
}

impl<'t> Walk<'t> {
    fn event(&mut self, event: &Event<'_>, range: Span) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(*tag, range.end),
            Event::Text(_) if !self.fenced => self.prose(range),
            Event::Code(_) => self.code(range),
            Event::SoftBreak if self.deliberate(&range) => self.block(false),
            Event::SoftBreak => self.space(range),
            Event::HardBreak | Event::Rule => self.block(false),
            Event::Html(_) | Event::InlineHtml(_) => self.html(range),
            Event::TaskListMarker(_) | Event::Text(_) => {}
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    /// Whether a line break that markdown takes for a space was meant as the end of a sentence: the line is short and
    /// the next one begins like a sentence.
    fn deliberate(&self, range: &Span) -> bool {
        let before = &self.text.as_bytes()[range.start.saturating_sub(WRAPPED)..range.start];
        let short = before.len() < WRAPPED || before.contains(&b'\n');
        let next = self.text[range.end..].chars().next();
        short && next.is_some_and(|c| c.is_uppercase() || c == '⏱') || next == Some('⏱')
    }

    fn start(&mut self, tag: &Tag<'_>, range: Span) {
        match tag {
            Tag::Paragraph | Tag::Item | Tag::TableHead | Tag::TableRow => {
                self.block_end = range.end;
                self.block(false);
            }
            Tag::Heading { .. } => {
                self.block_end = range.end;
                self.block(true);
            }
            Tag::BlockQuote(_) => {
                self.block(false);
                self.fork();
                self.quotes += 1;
                if self.quotes == 1 {
                    self.opaque.push(range);
                }
            }
            Tag::CodeBlock(kind) => {
                self.block(false);
                self.block_end = range.end;
                // A fence that was never closed swallows the rest of the message, and with it perhaps a question:
                // it is read as prose.
                if matches!(kind, CodeBlockKind::Fenced(_)) && is_closed(&self.text[range.clone()]) {
                    self.fenced = true;
                    self.fences.push(range);
                }
            }
            Tag::HtmlBlock => self.block(false),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, at: usize) {
        match tag {
            TagEnd::BlockQuote(_) => {
                self.block(false);
                self.quotes -= 1;
            }
            TagEnd::CodeBlock => {
                self.fenced = false;
                self.block(false);
            }
            TagEnd::TableCell => {
                self.cell(at);
            }
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::TableRow | TagEnd::HtmlBlock => {
                self.block(false);
            }
            _ => {}
        }
    }

    /// From here on the views differ.
    fn fork(&mut self) {
        self.whole.get_or_insert_with(|| self.own.clone());
    }

    fn whole(&mut self, write: impl Fn(&mut Writer)) {
        if let Some(whole) = &mut self.whole {
            write(whole);
        }
    }

    fn block(&mut self, heading: bool) {
        self.own.block(heading);
        self.whole(|whole| whole.block(heading));
    }

    fn cell(&mut self, at: usize) {
        if self.quotes == 0 {
            self.own.cell(at);
        }
        self.whole(|whole| whole.cell(at));
    }

    fn space(&mut self, range: Span) {
        self.whole(|whole| whole.space(range.clone()));
        if self.quotes == 0 && range.start >= self.quoted_until {
            self.own.space(range);
        }
    }

    fn code(&mut self, range: Span) {
        let source = &self.text[range.clone()];
        let body = source.trim_matches('`');
        let at = range.start + (source.len() - source.trim_start_matches('`').len());
        self.fork();
        self.whole(|whole| whole.prose(body, at));
        if self.quotes == 0 && range.start >= self.quoted_until {
            self.own.opaque(range.clone());
            self.opaque.push(range);
        }
    }

    /// Tags and comments are dropped, what stands between them is prose.
    fn html(&mut self, range: Span) {
        let mut at = range.start;
        while at < range.end {
            let rest = &self.text[at..range.end];
            let open = rest.find('<').unwrap_or(rest.len());
            if open > 0 {
                self.lines(at..at + open);
            }
            let close = if rest[open..].starts_with("<!--") { "-->" } else { ">" };
            let Some(length) = rest[open..].find(close) else { break };
            at += open + length + close.len();
        }
    }

    fn prose(&mut self, range: Span) {
        while self.directives.get(self.next_directive).is_some_and(|d| d.end <= range.start) {
            self.next_directive += 1;
        }
        if self.directives.get(self.next_directive).is_some_and(|d| d.start <= range.start) {
            return;
        }
        self.lines(range);
    }

    /// Writes prose that may hold line breaks, each of which is the end of a sentence.
    fn lines(&mut self, range: Span) {
        let mut at = range.start;
        for line in self.text[range.clone()].split_inclusive('\n') {
            self.line(at, line);
            if line.ends_with('\n') {
                self.block(false);
            }
            at += line.len();
        }
    }

    fn line(&mut self, at: usize, line: &str) {
        if self.quotes > 0 {
            self.whole(|whole| whole.prose(line, at));
            return;
        }
        let mut forked = at;
        let end = at + line.len();
        let mut at = at.max(self.quoted_until.min(end));
        while at < end {
            let Some(quote) = self.next_quote(at, end) else { break };
            self.own.prose(&self.text[at..quote.start], at);
            if self.whole.is_none() {
                self.fork();
                forked = quote.start;
            }
            self.own.opaque(quote.clone());
            self.quoted_until = quote.end;
            at = quote.end.min(end);
            self.opaque.push(quote);
        }
        self.own.prose(&self.text[at..end], at);
        let text = self.text;
        self.whole(|whole| whole.prose(&text[forked..end], forked));
    }

    /// The next quoted string that opens in `at..end`; it may close later in the block.
    fn next_quote(&self, at: usize, end: usize) -> Option<Span> {
        // Only a plain mark or a character that begins with one of these bytes can open one.
        let opens = |byte: &u8| matches!(byte, b'"' | 0xe2 | 0xe3);
        let at = at + self.text.as_bytes()[at..end].iter().position(opens)?;
        for (i, c) in self.text[at..end].char_indices() {
            let close = match c {
                '"' => '"',
                '“' | '„' => '”',
                '「' => '」',
                _ => continue,
            };
            let open = at + i;
            let before = self.text[..open].chars().next_back();
            if c == '"'
                && before.is_some_and(|b| b.is_alphanumeric() || matches!(b, '"' | '.' | ',' | '?' | '!'))
            {
                continue;
            }
            let inner = open + c.len_utf8();
            if let Some(length) = self.closing(inner, close) {
                return Some(open..inner + length + close.len_utf8());
            }
        }
        None
    }

    fn closing(&self, inner: usize, close: char) -> Option<usize> {
        let stop = self.block_end.max(inner).min(inner + LONGEST_QUOTE);
        let stop = (inner..=stop.min(self.text.len())).rev().find(|&i| self.text.is_char_boundary(i))?;
        let body = &self.text[inner..stop];
        let length = body.find(close)?;
        (length > 0 && !body.starts_with(char::is_whitespace)).then_some(length)
    }
}

/// Whether a fenced block has its closing line.
fn is_closed(block: &str) -> bool {
    let mut lines = block.trim_end().lines();
    let first = lines.next().unwrap_or_default().trim_start_matches(['>', ' ', '\t']);
    let mark = if first.starts_with('~') { '~' } else { '`' };
    let opened = first.chars().take_while(|&c| c == mark).count();
    lines.next_back().is_some_and(|last| {
        let last = last.trim_matches(['>', ' ', '\t']);
        last.chars().count() >= opened && last.chars().all(|c| c == mark)
    })
}
