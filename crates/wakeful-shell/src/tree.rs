//! The small tree that every rule walks: what a shell would run, and no more of the grammar than that.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// A parsed command text.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub list: List,
    /// Something was left unread or guessed: unbalanced quotes or keywords, or nesting beyond [`crate::parse::MAX_DEPTH`].
    pub damaged: bool,
    /// Bytes and words the parser touched; the linearity test counts these instead of time.
    pub steps: usize,
}

/// Jobs in the order the shell starts them.
pub(crate) type List = Vec<Job>;

/// Pipelines joined by `&&` and `||`, ended by `;`, a newline or `&`.
#[derive(Debug)]
pub(crate) struct Job {
    pub chain: Vec<Pipeline>,
    pub background: bool,
}

/// Commands joined by `|`.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub stages: Vec<Command>,
}

/// One command with its redirections.
#[derive(Debug)]
pub(crate) struct Command {
    pub node: Node,
    pub redirects: Vec<Redirect>,
    pub span: Range<usize>,
}

/// What kind of loop it is; the kinds differ in when they end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopKind {
    While,
    Until,
    /// `for x in …` and `select x in …`.
    Each,
    /// `for ((…; …; …))`.
    CStyle,
}

#[derive(Debug)]
pub(crate) enum Node {
    Simple {
        assigns: Vec<Word>,
        words: Vec<Word>,
    },
    Loop {
        kind: LoopKind,
        /// The list of a `for`/`select` (read once, before the loop).
        items: Vec<Word>,
        /// The three expressions of a C-style `for` (read again at every turn).
        exprs: Vec<Word>,
        cond: List,
        body: List,
    },
    /// `{ …; }` or `coproc …`.
    Group(List),
    /// `( … )`.
    Subshell(List),
    /// `if` and `case`: conditions and branches in reading order.
    Branch {
        words: Vec<Word>,
        parts: Vec<List>,
    },
    Function {
        name: String,
        body: List,
    },
    /// `[[ … ]]` and `(( … ))`: runs nothing but its substitutions.
    Test(Vec<Word>),
}

/// A word after quote removal. Expansions stay in `text` as they were written (`$x`, `$(cmd)`).
#[derive(Debug, Default)]
pub(crate) struct Word {
    pub text: String,
    /// No expansion in it: `text` is exactly what the program gets (globs and tildes aside).
    pub literal: bool,
    /// Some part of it was quoted or escaped.
    pub quoted: bool,
    pub span: Range<usize>,
    /// Where `text` stands byte for byte in the source, if it does.
    pub verbatim_at: Option<usize>,
    /// Command and process substitutions in it, in order.
    pub subs: Vec<List>,
}

#[derive(Debug)]
pub(crate) struct Redirect {
    pub kind: RedirectKind,
    pub target: Word,
}

#[derive(Debug)]
pub(crate) enum RedirectKind {
    /// `< file`, `<> file`.
    Input,
    /// `> file`, `>> file`, `&> file`; not `/dev/null`.
    OutputFile,
    /// A duplicated descriptor or `/dev/null`.
    Plumbing,
    HereString,
    /// The body is filled in when the line that opened it ends.
    HereDoc(Rc<OnceCell<HereDoc>>),
}

#[derive(Debug)]
pub(crate) struct HereDoc {
    pub text: String,
    /// Where the body starts in the source.
    pub at: Option<usize>,
    /// Substitutions that the outer shell runs while it builds the body (none if the delimiter was quoted).
    pub subs: Vec<List>,
}

impl Redirect {
    /// Whether standard input comes from here.
    pub fn feeds_stdin(&self) -> bool {
        matches!(self.kind, RedirectKind::Input | RedirectKind::HereString | RedirectKind::HereDoc(_))
    }
}
