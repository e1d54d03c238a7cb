//! From a command text to the tree.

use crate::lexer::{Lexer, Origin};
use crate::tree::Script;

/// Nesting of lists, substitutions and expansions that is still read. Agents' commands stay below ten; every level costs
/// stack (about 2 kB here) and may look at the rest of the text once more.
pub(crate) const MAX_DEPTH: usize = 64;

/// Parses `text`, whose place in the caller's command is `origin`, `depth` levels inside it.
pub(crate) fn parse(text: &str, origin: &Origin, depth: usize) -> Script {
    tolerant(text, origin, depth)
}

fn tolerant(text: &str, origin: &Origin, depth: usize) -> Script {
    let mut lexer = Lexer::new(text, 0..text.len(), origin, depth);
    let list = lexer.list_to_end();
    Script { list, damaged: lexer.damaged, steps: lexer.steps }
}
