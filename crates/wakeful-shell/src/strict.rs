//! The real shell grammar: `brush-parser` reads the command, this file turns its tree into ours.
//!
//! brush's parser recurses as deep as the text nests and backtracks, so it only gets texts that [`fits`] bounds beforehand.
//! Words it leaves raw; [`Lexer`] takes them apart, so that both grammars see the same words and substitutions.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use brush_parser::ast::{self, SourceLocation};
use brush_parser::{ParserOptions, SourceSpan, parse_tokens, uncached_tokenize_str};

use crate::lexer::{Lexer, Origin};
use crate::tolerant::{is_descriptor, is_sink};
use crate::tree::{
    Command, HereDoc, Job, List, LoopKind, Node, Pipeline, Redirect, RedirectKind, Script, Word,
};

/// Longer texts go to the tolerant grammar, which is ten times as fast. The longest of 16,000 real agent commands has 13 kB.
const MAX_BYTES: usize = 8 * 1024;

/// Anything that may open a level. brush takes up to 18 kB of stack a level in debug builds: 64 levels stay below 1.2 MB of
/// the 2 MB a thread has. All but 33 of 16,000 real commands have fewer.
const MAX_OPENERS: usize = 64;

/// An unclosed `(` doubles brush's time, an unclosed `case` makes it fourfold: 2^10 steps are under a millisecond.
const MAX_DOUBLINGS: usize = 10;

/// `x[` is looked ahead of to the end of the text, each time; this many cost nothing yet.
const MAX_SUBSCRIPTS: usize = 64;

/// Whether brush reads this text within bounded stack and time.
pub(crate) fn fits(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let bytes = text.as_bytes();
    let (mut openers, mut doublings, mut subscripts) = (0, 0, 0);
    let mut word = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => {
                openers += 1;
                let expands = at > 0 && matches!(bytes[at - 1], b'$' | b'<' | b'>');
                doublings += usize::from(!expands);
            }
            b'{' | b'`' | b'!' => openers += 1,
            b'[' => {
                let named =
                    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || matches!(bytes[at - 1], b'_' | b'['));
                subscripts += usize::from(named);
            }
            _ => {}
        }
        if byte.is_ascii_alphanumeric() || *byte == b'_' {
            continue;
        }
        let (is_opener, doubles) = keyword(&bytes[word..at]);
        openers += is_opener;
        doublings += doubles;
        word = at + 1;
    }
    let (is_opener, doubles) = keyword(&bytes[word.min(bytes.len())..]);
    openers + is_opener <= MAX_OPENERS && doublings + doubles <= MAX_DOUBLINGS && subscripts <= MAX_SUBSCRIPTS
}

fn keyword(word: &[u8]) -> (usize, usize) {
    match word {
        b"case" => (1, 2),
        b"if" | b"elif" | b"while" | b"until" | b"for" | b"select" | b"function" | b"coproc" | b"time" => {
            (1, 0)
        }
        _ => (0, 0),
    }
}

/// The tree, if the grammar accepts the text.
pub(crate) fn parse(text: &str, origin: &Origin, depth: usize) -> Option<Script> {
    let options = ParserOptions::default();
    let tokens = uncached_tokenize_str(text, &options.tokenizer_options()).ok()?;
    let program = parse_tokens(&tokens, &options).ok()?;
    let mut reader = Reader {
        text,
        origin,
        depth,
        offsets: char_offsets(text),
        bodies_until: 0,
        damaged: false,
        steps: text.len(),
    };
    let list = program.complete_commands.iter().flat_map(|list| reader.list(list)).collect();
    Some(Script { list, damaged: reader.damaged, steps: reader.steps })
}

/// brush counts characters; where they are not bytes, this says which byte a character starts at.
fn char_offsets(text: &str) -> Option<Vec<usize>> {
    (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).chain([text.len()]).collect())
}

struct Reader<'a> {
    text: &'a str,
    origin: &'a Origin,
    depth: usize,
    offsets: Option<Vec<usize>>,
    /// End of the last heredoc body with its delimiter line.
    bodies_until: usize,
    damaged: bool,
    steps: usize,
}

impl Reader<'_> {
    /// The bytes of `text` that a location names.
    fn range(&self, location: Option<SourceSpan>) -> Option<Range<usize>> {
        let location = location?;
        let byte = |index: usize| match &self.offsets {
            None => Some(index),
            Some(offsets) => offsets.get(index).copied(),
        };
        let range = byte(location.start.index)?..byte(location.end.index)?;
        self.text.get(range.clone()).map(|_| range)
    }

    /// The same in the command the caller gave.
    fn span(&self, location: Option<SourceSpan>) -> Range<usize> {
        match (self.origin, self.range(location)) {
            (Origin::At(base), Some(range)) => base + range.start..base + range.end,
            (Origin::At(base), None) => *base..base + self.text.len(),
            (Origin::Within(span), _) => span.clone(),
        }
    }

    fn list(&mut self, list: &ast::CompoundList) -> List {
        list.0
            .iter()
            .map(|ast::CompoundListItem(and_or, separator)| Job {
                chain: and_or.iter().map(|(_, pipeline)| self.pipeline(pipeline)).collect(),
                background: matches!(separator, ast::SeparatorOperator::Async),
            })
            .collect()
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline) -> Pipeline {
        Pipeline { stages: pipeline.seq.iter().map(|c| self.command(c)).collect() }
    }

    fn command(&mut self, command: &ast::Command) -> Command {
        self.steps += 1;
        let span = self.span(command.location());
        let (node, redirects) = match command {
            ast::Command::Simple(simple) => self.simple(simple),
            ast::Command::Compound(compound, redirects) => {
                (self.compound(compound), self.redirects(redirects.as_ref()))
            }
            ast::Command::Function(function) => (self.function(function), Vec::new()),
            ast::Command::ExtendedTest(test, redirects) => {
                let words = self.source_word(&test.loc).into_iter().collect();
                (Node::Test(words), self.redirects(redirects.as_ref()))
            }
        };
        Command { node, redirects, span }
    }

    fn function(&mut self, function: &ast::FunctionDefinition) -> Node {
        let ast::FunctionBody(body, redirects) = &function.body;
        let span = self.span(body.location());
        let command =
            Command { node: self.compound(body), redirects: self.redirects(redirects.as_ref()), span };
        Node::Function { name: function.fname.value.clone(), body: alone(command, false) }
    }

    fn compound(&mut self, compound: &ast::CompoundCommand) -> Node {
        use ast::CompoundCommand as C;
        match compound {
            C::Arithmetic(a) => Node::Test(self.expression(&a.expr, &a.loc)),
            C::ArithmeticForClause(f) => {
                let parts = [&f.initializer, &f.condition, &f.updater];
                let text = parts.map(|p| p.as_ref().map_or("", |e| e.value.as_str()));
                let joined = text.join(";");
                let mut word = self.raw_word(&joined, None);
                word.text = joined;
                Node::Loop {
                    kind: LoopKind::CStyle,
                    items: Vec::new(),
                    exprs: vec![word],
                    cond: List::new(),
                    body: self.list(&f.body.list),
                }
            }
            C::BraceGroup(group) => Node::Group(self.list(&group.list)),
            C::Subshell(subshell) => Node::Subshell(self.list(&subshell.list)),
            C::ForClause(f) => Node::Loop {
                kind: LoopKind::Each,
                items: self.words(f.values.as_deref().unwrap_or_default()),
                exprs: Vec::new(),
                cond: List::new(),
                body: self.list(&f.body.list),
            },
            C::CaseClause(case) => {
                let mut words = vec![self.word(&case.value)];
                for item in &case.cases {
                    words.extend(self.words(&item.patterns));
                }
                let bodies = case.cases.iter().filter_map(|item| item.cmd.as_ref());
                Node::Branch { words, parts: bodies.map(|body| self.list(body)).collect() }
            }
            C::IfClause(clause) => {
                let mut parts = vec![self.list(&clause.condition), self.list(&clause.then)];
                for other in clause.elses.as_deref().unwrap_or_default() {
                    if let Some(condition) = &other.condition {
                        parts.push(self.list(condition));
                    }
                    parts.push(self.list(&other.body));
                }
                Node::Branch { words: Vec::new(), parts }
            }
            C::WhileClause(clause) => self.while_loop(clause, LoopKind::While),
            C::UntilClause(clause) => self.while_loop(clause, LoopKind::Until),
            C::Coprocess(coprocess) => Node::Group(alone(self.command(&coprocess.body), true)),
        }
    }

    fn while_loop(&mut self, clause: &ast::WhileOrUntilClauseCommand, kind: LoopKind) -> Node {
        let ast::WhileOrUntilClauseCommand(cond, body, _) = clause;
        Node::Loop {
            kind,
            items: Vec::new(),
            exprs: Vec::new(),
            cond: self.list(cond),
            body: self.list(&body.list),
        }
    }

    fn expression(&mut self, expr: &ast::UnexpandedArithmeticExpr, loc: &SourceSpan) -> Vec<Word> {
        let mut word = self.source_word(loc).unwrap_or_else(|| self.raw_word(&expr.value, None));
        word.text.clone_from(&expr.value);
        vec![word]
    }

    fn simple(&mut self, simple: &ast::SimpleCommand) -> (Node, Vec<Redirect>) {
        use ast::CommandPrefixOrSuffixItem as Item;
        let (mut assigns, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        let prefix = simple.prefix.as_ref().map_or(&[][..], |p| &p.0);
        let suffix = simple.suffix.as_ref().map_or(&[][..], |s| &s.0);
        for item in prefix {
            match item {
                Item::IoRedirect(redirect) => redirects.push(self.redirect(redirect)),
                Item::AssignmentWord(_, word) | Item::Word(word) => assigns.push(self.word(word)),
                Item::ProcessSubstitution(_, shell) => assigns.push(self.process(shell)),
            }
        }
        if let Some(word) = &simple.word_or_name {
            words.push(self.word(word));
        }
        for item in suffix {
            match item {
                Item::IoRedirect(redirect) => redirects.push(self.redirect(redirect)),
                Item::AssignmentWord(_, word) | Item::Word(word) => words.push(self.word(word)),
                Item::ProcessSubstitution(_, shell) => words.push(self.process(shell)),
            }
        }
        (Node::Simple { assigns, words }, redirects)
    }

    /// `<(…)` as a word.
    fn process(&mut self, shell: &ast::SubshellCommand) -> Word {
        let range = self.range(Some(shell.loc.clone()));
        Word {
            text: range.map_or_else(String::new, |r| format!("<{}", &self.text[r])),
            span: self.span(Some(shell.loc.clone())),
            subs: vec![self.list(&shell.list)],
            ..Word::default()
        }
    }

    fn words(&mut self, words: &[ast::Word]) -> Vec<Word> {
        words.iter().map(|w| self.word(w)).collect()
    }

    fn word(&mut self, word: &ast::Word) -> Word {
        self.raw_word(&word.value, word.loc.clone())
    }

    /// A raw word, read at its place in the source if it stands there as it is.
    fn raw_word(&mut self, raw: &str, location: Option<SourceSpan>) -> Word {
        let range = self.range(location.clone());
        match range.filter(|r| self.text[r.clone()] == *raw) {
            Some(range) => self.read(self.text, range, self.origin),
            None => {
                let span = self.span(location);
                self.read(raw, 0..raw.len(), &Origin::Within(span))
            }
        }
    }

    fn source_word(&mut self, location: &SourceSpan) -> Option<Word> {
        let range = self.range(Some(location.clone()))?;
        Some(self.read(self.text, range, self.origin))
    }

    fn read(&mut self, text: &str, range: Range<usize>, origin: &Origin) -> Word {
        let mut lexer = Lexer::new(text, range, origin, self.depth + 1);
        let word = lexer.whole_word();
        self.damaged |= lexer.damaged;
        self.steps += lexer.steps;
        word
    }

    fn redirects(&mut self, redirects: Option<&ast::RedirectList>) -> Vec<Redirect> {
        let redirects = redirects.map_or(&[][..], |r| &r.0);
        redirects.iter().map(|r| self.redirect(r)).collect()
    }

    fn redirect(&mut self, redirect: &ast::IoRedirect) -> Redirect {
        use ast::IoFileRedirectKind as Kind;
        match redirect {
            ast::IoRedirect::File(fd, kind, target) => {
                let target = self.target(target);
                let kind = match kind {
                    Kind::Read | Kind::ReadAndWrite if is_stdin(*fd) => RedirectKind::Input,
                    Kind::Read | Kind::ReadAndWrite | Kind::DuplicateInput => RedirectKind::Plumbing,
                    Kind::DuplicateOutput if is_descriptor(&target.text) => RedirectKind::Plumbing,
                    _ if is_sink(&target.text) => RedirectKind::Plumbing,
                    _ => RedirectKind::OutputFile,
                };
                Redirect { kind, target }
            }
            ast::IoRedirect::HereDocument(fd, document) => {
                let slot = self.heredoc(document);
                Redirect {
                    target: self.word(&document.here_end),
                    kind: if is_stdin(*fd) { RedirectKind::HereDoc(slot) } else { RedirectKind::Plumbing },
                }
            }
            ast::IoRedirect::HereString(fd, word) => Redirect {
                kind: if is_stdin(*fd) { RedirectKind::HereString } else { RedirectKind::Plumbing },
                target: self.word(word),
            },
            ast::IoRedirect::OutputAndError(word, _) => {
                let target = self.word(word);
                let kind =
                    if is_sink(&target.text) { RedirectKind::Plumbing } else { RedirectKind::OutputFile };
                Redirect { kind, target }
            }
        }
    }

    fn target(&mut self, target: &ast::IoFileRedirectTarget) -> Word {
        use ast::IoFileRedirectTarget as Target;
        match target {
            Target::Filename(word) | Target::Duplicate(word) => self.word(word),
            Target::Fd(fd) => Word { text: fd.to_string(), literal: true, ..Word::default() },
            Target::ProcessSubstitution(_, shell) => self.process(shell),
        }
    }

    /// Where a heredoc's body stands. brush does not say, but bodies come in order, each at the start of a line.
    fn body(&mut self, document: &ast::IoHereDocument, raw: &str) -> Option<Range<usize>> {
        let opened = self.range(document.here_end.loc.clone())?.end;
        let from = self.bodies_until.max(opened);
        let line = from + self.text[from..].find('\n')? + 1;
        let start = if self.bodies_until > opened { from } else { line };
        let at = start + self.text[start..].find(raw)?;
        let range = at..at + raw.len();
        let next = self.text[range.end..].find('\n').map_or(self.text.len(), |n| range.end + n + 1);
        self.bodies_until = next;
        self.text[..at].ends_with('\n').then_some(range)
    }

    fn heredoc(&mut self, document: &ast::IoHereDocument) -> Rc<OnceCell<HereDoc>> {
        let raw = &document.doc.value;
        let range = self.body(document, raw);
        let at = match (self.origin, &range) {
            (Origin::At(base), Some(range)) => Some(base + range.start),
            _ => None,
        };
        let (text, range, origin) = match range {
            Some(range) => (self.text, range, self.origin),
            None => {
                let span = self.span(document.here_end.loc.clone());
                (raw.as_str(), 0..raw.len(), &Origin::Within(span))
            }
        };
        let subs = if document.requires_expansion {
            let mut lexer = Lexer::new(text, range, origin, self.depth + 1);
            let subs = lexer.expansions();
            self.steps += lexer.steps;
            subs
        } else {
            Vec::new()
        };
        let text = raw.clone();
        Rc::new(OnceCell::from(HereDoc { text, at, subs }))
    }
}

fn is_stdin(fd: Option<i32>) -> bool {
    fd.is_none_or(|fd| fd == 0)
}

fn alone(command: Command, background: bool) -> List {
    vec![Job { chain: vec![Pipeline { stages: vec![command] }], background }]
}
