//! A shell grammar that never gives up: recursive descent over [`Lexer`], bounded depth, one pass.
//!
//! It also knows what the strict grammar does not: `select`, zsh's short loops and `repeat`, unclosed quotes and keywords.

use crate::lexer::Lexer;
use crate::parse::MAX_DEPTH;
use crate::tree::{Command, Job, List, LoopKind, Node, Pipeline, Redirect, RedirectKind, Word};

/// What ends a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    End,
    /// `)`
    Parenthesis,
    /// One of these reserved words in command position.
    Words(&'static [&'static str]),
    /// `;;`, `;&`, `;;&` or `esac`.
    CaseItem,
}

/// Reserved words that no command starts with; met out of place they are skipped.
const STRAY: &[&str] = &["then", "do", "done", "fi", "elif", "else", "esac", "in", "}"];

impl Lexer<'_> {
    /// Everything up to the end.
    pub fn list_to_end(&mut self) -> List {
        self.list(Stop::End)
    }

    /// A list up to the `)` that closes it, the cursor being after the `(`.
    pub fn list_in_parentheses(&mut self) -> List {
        self.depth += 1;
        let list = self.list(Stop::Parenthesis);
        self.depth -= 1;
        if self.peek() == Some(b')') {
            self.bump();
        } else {
            self.damaged = true;
        }
        list
    }

    fn list(&mut self, stop: Stop) -> List {
        let mut list = List::new();
        loop {
            self.skip_newlines();
            if self.at_end() || self.stops(stop) {
                return list;
            }
            let before = self.pos;
            if let Some(job) = self.job() {
                list.push(job);
            }
            if self.pos == before {
                self.damaged = true;
                self.skip_stray();
            }
        }
    }

    fn skip_stray(&mut self) {
        match self.reserved() {
            Some(word) => self.pos += word.len(),
            None => {
                let c = self.src[self.pos..].chars().next();
                self.pos += c.map_or(1, char::len_utf8);
                self.steps += 1;
            }
        }
    }

    fn stops(&self, stop: Stop) -> bool {
        match stop {
            Stop::End => false,
            Stop::Parenthesis => self.peek() == Some(b')'),
            Stop::Words(words) => words.iter().any(|w| self.at_word(w)),
            Stop::CaseItem => self.starts_with(";;") || self.starts_with(";&") || self.at_word("esac"),
        }
    }

    /// The reserved word `word` stands at the cursor, whole and unquoted.
    fn at_word(&self, word: &str) -> bool {
        self.starts_with(word)
            && match self.peek_at(word.len()) {
                None => true,
                Some(b) => {
                    matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
                        || (b == b'\\' && self.peek_at(word.len() + 1) == Some(b'\n'))
                }
            }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let there = self.at_word(word);
        if there {
            self.pos += word.len();
            self.steps += 1;
        } else {
            self.damaged = true;
        }
        there
    }

    fn reserved(&self) -> Option<&'static str> {
        STRAY.iter().copied().find(|w| self.at_word(w))
    }

    fn job(&mut self) -> Option<Job> {
        let mut chain = vec![self.pipeline()?];
        loop {
            self.skip_blanks();
            if self.starts_with("&&") || self.starts_with("||") {
                self.pos += 2;
                self.skip_newlines();
                match self.pipeline() {
                    Some(next) => chain.push(next),
                    None => self.damaged = true,
                }
                continue;
            }
            let background = self.peek() == Some(b'&');
            if background || (self.peek() == Some(b';') && !self.stops(Stop::CaseItem)) {
                self.bump();
            }
            return Some(Job { chain, background });
        }
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
        self.skip_blanks();
        while self.at_word("!") {
            self.bump();
            self.skip_blanks();
        }
        self.skip_time();
        let mut stages = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                return Some(Pipeline { stages });
            }
            self.bump();
            if self.peek() == Some(b'&') {
                self.bump();
            }
            self.skip_newlines();
            match self.command() {
                Some(command) => stages.push(command),
                None => self.damaged = true,
            }
        }
    }

    /// The reserved word `time`, so that a compound command may follow. With other options it is the program of that name.
    fn skip_time(&mut self) {
        if !self.at_word("time") {
            return;
        }
        let before = self.pos;
        self.pos += "time".len();
        self.skip_blanks();
        if self.at_word("-p") {
            self.pos += "-p".len();
            self.skip_blanks();
        }
        if matches!(self.peek(), None | Some(b'-' | b'\n' | b';' | b'|' | b'&')) {
            self.pos = before;
        }
    }

    fn command(&mut self) -> Option<Command> {
        let start = self.pos;
        if self.depth >= MAX_DEPTH {
            self.damaged = true;
            return self.simple();
        }
        self.depth += 1;
        let node = self.compound();
        self.depth -= 1;
        let Some(node) = node else {
            return self.simple();
        };
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        Some(Command { node, redirects, span: self.span_from(start) })
    }

    /// A compound command, if one starts at the cursor.
    fn compound(&mut self) -> Option<Node> {
        match self.peek()? {
            b'(' => return Some(self.parentheses()),
            b'{' if self.at_word("{") => return Some(self.braces()),
            b'[' if self.at_word("[[") => return Some(self.test()),
            b'a'..=b'z' => {}
            _ => return None,
        }
        if self.at_word("if") {
            Some(self.conditional())
        } else if self.at_word("while") {
            Some(self.while_loop("while", LoopKind::While))
        } else if self.at_word("until") {
            Some(self.while_loop("until", LoopKind::Until))
        } else if self.at_word("for") {
            self.pos += "for".len();
            Some(self.each_loop())
        } else if self.at_word("foreach") {
            self.pos += "foreach".len();
            Some(self.each_loop())
        } else if self.at_word("select") {
            self.pos += "select".len();
            Some(self.each_loop())
        } else if self.at_word("repeat") {
            self.repeat_loop()
        } else if self.at_word("case") {
            Some(self.case())
        } else if self.at_word("function") {
            self.pos += "function".len();
            self.skip_blanks();
            let name = self.word().text;
            Some(self.function_body(name))
        } else if self.at_word("coproc") {
            self.pos += "coproc".len();
            self.skip_blanks();
            let stage = self.command()?;
            Some(Node::Group(vec![Job { chain: vec![Pipeline { stages: vec![stage] }], background: true }]))
        } else {
            None
        }
    }

    fn parentheses(&mut self) -> Node {
        if self.peek_at(1) == Some(b'(') {
            self.bump();
            if self.arithmetic_follows() {
                self.bump();
                return Node::Test(vec![self.arithmetic_word()]);
            }
            return Node::Subshell(self.list_in_parentheses());
        }
        self.bump();
        Node::Subshell(self.list_in_parentheses())
    }

    /// The expression up to the closing `))`, its text without them.
    fn arithmetic_word(&mut self) -> Word {
        let start = self.pos;
        let mut word = Word::default();
        self.arithmetic(&mut word);
        let text = &self.src[start..self.pos];
        word.text = text.strip_suffix("))").unwrap_or(text).to_owned();
        word.span = self.span_from(start);
        word
    }

    fn braces(&mut self) -> Node {
        self.bump();
        Node::Group(self.list_until(&["}"]))
    }

    /// A list up to one of `words`; the word itself is taken when it is the only one.
    fn list_until(&mut self, words: &'static [&'static str]) -> List {
        let list = self.list(Stop::Words(words));
        if let [word] = words {
            self.take_word(word);
        }
        list
    }

    fn test(&mut self) -> Node {
        self.pos += 2;
        let mut words = Vec::new();
        loop {
            self.skip_newlines();
            if self.at_end() {
                self.damaged = true;
                break;
            }
            if self.at_word("]]") {
                self.pos += 2;
                break;
            }
            let before = self.pos;
            let word = self.word();
            if self.pos == before {
                self.bump();
            } else {
                words.push(word);
            }
        }
        Node::Test(words)
    }

    fn conditional(&mut self) -> Node {
        self.pos += "if".len();
        let mut parts = vec![self.list_until(&["then"])];
        loop {
            parts.push(self.list_until(&["elif", "else", "fi"]));
            if self.at_word("elif") {
                self.pos += "elif".len();
                parts.push(self.list_until(&["then"]));
            } else if self.at_word("else") {
                self.pos += "else".len();
                parts.push(self.list_until(&["fi"]));
                break;
            } else {
                self.take_word("fi");
                break;
            }
        }
        Node::Branch { words: Vec::new(), parts }
    }

    fn while_loop(&mut self, word: &str, kind: LoopKind) -> Node {
        self.pos += word.len();
        let cond = self.list(Stop::Words(&["do"]));
        let body = self.loop_body();
        Node::Loop { kind, items: Vec::new(), exprs: Vec::new(), cond, body }
    }

    /// `do … done`, `{ … }`, or zsh's single command.
    fn loop_body(&mut self) -> List {
        self.skip_newlines();
        if self.peek() == Some(b';') {
            self.bump();
            self.skip_newlines();
        }
        if self.at_word("do") {
            self.pos += "do".len();
            self.list_until(&["done"])
        } else if self.at_word("{") {
            self.bump();
            self.list_until(&["}"])
        } else {
            self.damaged = true;
            self.job().into_iter().collect()
        }
    }

    /// `for`, `foreach` and `select` after the keyword.
    fn each_loop(&mut self) -> Node {
        self.skip_blanks();
        let mut items = Vec::new();
        let mut exprs = Vec::new();
        let mut kind = LoopKind::Each;
        if self.starts_with("((") {
            self.pos += 2;
            exprs.push(self.arithmetic_word());
            kind = LoopKind::CStyle;
        } else {
            self.word();
            self.skip_newlines();
            if self.at_word("in") {
                self.pos += "in".len();
                items = self.words_of_line();
            } else if self.peek() == Some(b'(') {
                self.bump();
                items = self.words_of_line();
                if self.peek() == Some(b')') {
                    self.bump();
                }
            }
        }
        let body = self.loop_body();
        Node::Loop { kind, items, exprs, cond: List::new(), body }
    }

    fn words_of_line(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            let before = self.pos;
            let word = self.word();
            if self.pos == before {
                return words;
            }
            words.push(word);
        }
    }

    /// zsh's `repeat n; do …; done`; anything else called `repeat` is a plain command.
    fn repeat_loop(&mut self) -> Option<Node> {
        let rest = &self.src[self.pos..];
        // The count and the keyword stand close together; a longer look would not be linear.
        let mut words = rest.split_whitespace().take(3);
        let (_, count, next) = (words.next(), words.next()?, words.next()?);
        let is_loop = matches!(next, "do" | "{") || count.ends_with(';') && next.starts_with("do");
        if !is_loop {
            return None;
        }
        self.pos += "repeat".len();
        self.skip_blanks();
        let items = vec![self.word()];
        let body = self.loop_body();
        Some(Node::Loop { kind: LoopKind::Each, items, exprs: Vec::new(), cond: List::new(), body })
    }

    fn case(&mut self) -> Node {
        self.pos += "case".len();
        self.skip_blanks();
        let mut words = vec![self.word()];
        let mut parts = Vec::new();
        self.skip_newlines();
        self.take_word("in");
        loop {
            self.skip_newlines();
            if self.at_end() {
                self.damaged = true;
                break;
            }
            if self.at_word("esac") {
                self.pos += "esac".len();
                break;
            }
            words.extend(self.case_pattern());
            let part = self.list(Stop::CaseItem);
            if !part.is_empty() {
                parts.push(part);
            }
            while matches!(self.peek(), Some(b';' | b'&')) {
                self.bump();
            }
        }
        Node::Branch { words, parts }
    }

    /// `[(] word [| word]… )`.
    fn case_pattern(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        if self.peek() == Some(b'(') {
            self.bump();
        }
        while let Some(byte) = self.peek() {
            match byte {
                b')' => {
                    self.bump();
                    return words;
                }
                b'|' | b' ' | b'\t' => self.bump(),
                b'\n' | b';' => break,
                _ => {
                    let before = self.pos;
                    words.push(self.word());
                    if self.pos == before {
                        self.bump();
                    }
                }
            }
        }
        self.damaged = true;
        if matches!(self.peek(), Some(b'\n' | b';')) {
            self.skip_newlines();
            if self.peek() == Some(b';') {
                self.bump();
            }
        }
        words
    }

    fn function_body(&mut self, name: String) -> Node {
        self.skip_blanks();
        if self.starts_with("(") {
            self.bump();
            self.skip_blanks();
            if self.peek() == Some(b')') {
                self.bump();
            }
        }
        self.skip_newlines();
        let body = match self.command() {
            Some(command) => vec![Job { chain: vec![Pipeline { stages: vec![command] }], background: false }],
            None => List::new(),
        };
        Node::Function { name, body }
    }

    /// `name ( )` at the cursor, which stands after the name.
    fn function_follows(&self) -> bool {
        /// Blanks that may stand between the parentheses of a definition; more is not a definition anyone writes.
        const REACH: usize = 16;
        let mut ahead = 0;
        for wanted in *b"()" {
            while matches!(self.peek_at(ahead), Some(b' ' | b'\t')) && ahead < REACH {
                ahead += 1;
            }
            if self.peek_at(ahead) != Some(wanted) {
                return false;
            }
            ahead += 1;
        }
        true
    }

    fn simple(&mut self) -> Option<Command> {
        let start = self.pos;
        let mut assigns = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut redirects = Vec::new();
        let mut end = self.pos;
        if self.reserved().is_some() {
            return None;
        }
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                end = self.pos;
                continue;
            }
            let before = self.pos;
            let word = self.word();
            if self.pos == before {
                if self.depth >= MAX_DEPTH && self.peek() == Some(b'(') {
                    self.bump();
                    continue;
                }
                break;
            }
            end = self.pos;
            if words.is_empty() && is_assignment(&word) {
                assigns.push(word);
                continue;
            }
            if words.is_empty() && self.depth < MAX_DEPTH && self.function_follows() {
                self.depth += 1;
                let node = self.function_body(word.text);
                self.depth -= 1;
                return Some(Command { node, redirects, span: self.span_from(start) });
            }
            words.push(word);
        }
        if words.is_empty() && assigns.is_empty() && redirects.is_empty() {
            return None;
        }
        let after = std::mem::replace(&mut self.pos, end);
        let span = self.span_from(start);
        self.pos = after;
        Some(Command { node: Node::Simple { assigns, words }, redirects, span })
    }

    /// A redirection at the cursor, with the descriptor before it.
    fn redirect(&mut self) -> Option<Redirect> {
        let mut ahead = 0;
        while self.peek_at(ahead).is_some_and(|b| b.is_ascii_digit()) {
            ahead += 1;
        }
        let other_input = ahead > 0 && self.peek() != Some(b'0');
        let sign = self.peek_at(ahead)?;
        let both = sign == b'&' && ahead == 0 && self.peek_at(1) == Some(b'>');
        if !(matches!(sign, b'<' | b'>') || both) {
            return None;
        }
        if !both && self.peek_at(ahead + 1) == Some(b'(') {
            return None;
        }
        self.pos += ahead;
        let rest = &self.src[self.pos..];
        let operator = ["<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">"]
            .into_iter()
            .find(|op| rest.starts_with(op))?;
        self.pos += operator.len();
        self.steps += 1;
        self.skip_blanks();
        let target = self.word();
        let kind = match operator {
            "<<" | "<<-" => {
                let body = self.expect_heredoc(&target, operator == "<<-");
                if other_input { RedirectKind::Plumbing } else { RedirectKind::HereDoc(body) }
            }
            _ if operator.starts_with('<') && other_input => RedirectKind::Plumbing,
            "<<<" => RedirectKind::HereString,
            "<" | "<>" => RedirectKind::Input,
            "<&" => RedirectKind::Plumbing,
            ">&" if is_descriptor(&target.text) => RedirectKind::Plumbing,
            _ if is_sink(&target.text) => RedirectKind::Plumbing,
            _ => RedirectKind::OutputFile,
        };
        Some(Redirect { kind, target })
    }
}

/// A place whose output nobody reads later: `/dev/null` and the terminal's own descriptors.
pub(crate) fn is_sink(target: &str) -> bool {
    matches!(target, "/dev/null" | "/dev/stderr" | "/dev/stdout" | "/dev/tty")
}

/// `1`, `2`, `-` after `>&`.
pub(crate) fn is_descriptor(target: &str) -> bool {
    target == "-" || (!target.is_empty() && target.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit()))
}

/// `NAME=value`, `NAME+=value`, `NAME[i]=value` with an unquoted name.
fn is_assignment(word: &Word) -> bool {
    let Some((name, _)) = word.text.split_once('=') else {
        return false;
    };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(n, _)| n);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
