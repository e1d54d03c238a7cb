//! From a command text to the tree.

use crate::lexer::{Lexer, Origin};
use crate::strict;
use crate::tree::Script;

/// Nesting of lists, substitutions and expansions that is still read. Agents' commands stay below ten; every level costs
/// stack (about 2 kB here) and may look at the rest of the text once more.
pub(crate) const MAX_DEPTH: usize = 40;

/// Parses `text`, whose place in the caller's command is `origin`, `depth` levels inside it (G4): by the real grammar where that
/// is safe and succeeds, else by the tolerant one.
pub(crate) fn parse(text: &str, origin: &Origin, depth: usize) -> Script {
    let strict = strict::fits(text).then(|| strict::parse(text, origin, depth));
    strict.flatten().unwrap_or_else(|| tolerant(text, origin, depth))
}

fn tolerant(text: &str, origin: &Origin, depth: usize) -> Script {
    let mut lexer = Lexer::new(text, 0..text.len(), origin, depth);
    let list = lexer.list_to_end();
    Script { list, damaged: lexer.damaged, steps: lexer.steps }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::tree::{Command, List, Node, Redirect, RedirectKind, Word};
    use std::fmt::Write;

    /// The tree as one line, without spans.
    pub(crate) fn dump(list: &List) -> String {
        let mut out = String::new();
        for job in list {
            for (at, pipeline) in job.chain.iter().enumerate() {
                out.push_str(if at > 0 { " &| " } else { "" });
                for (at, command) in pipeline.stages.iter().enumerate() {
                    out.push_str(if at > 0 { " | " } else { "" });
                    dump_command(command, &mut out);
                }
            }
            out.push_str(if job.background { " & " } else { " ; " });
        }
        out
    }

    fn dump_words(words: &[Word], out: &mut String) {
        for word in words {
            write!(out, "{:?}", word.text).unwrap();
            dump_subs(&word.subs, out);
            out.push(' ');
        }
    }

    fn dump_subs(subs: &[List], out: &mut String) {
        for sub in subs {
            write!(out, "$({})", dump(sub)).unwrap();
        }
    }

    fn dump_redirect(redirect: &Redirect, out: &mut String) {
        match &redirect.kind {
            RedirectKind::HereDoc(slot) => {
                let body = slot.get().unwrap();
                write!(out, "<<{:?}", body.text).unwrap();
                dump_subs(&body.subs, out);
            }
            kind => {
                write!(out, "{kind:?}>").unwrap();
                dump_words(std::slice::from_ref(&redirect.target), out);
            }
        }
    }

    fn dump_command(command: &Command, out: &mut String) {
        match &command.node {
            Node::Simple { assigns, words } => {
                dump_words(assigns, out);
                out.push(':');
                dump_words(words, out);
            }
            Node::Loop { kind, items, cond, body, .. } => {
                write!(out, "{kind:?}[").unwrap();
                dump_words(items, out);
                write!(out, "]({})({})", dump(cond), dump(body)).unwrap();
            }
            Node::Group(list) => write!(out, "{{{}}}", dump(list)).unwrap(),
            Node::Subshell(list) => write!(out, "({})", dump(list)).unwrap(),
            Node::Branch { words, parts } => {
                out.push_str("branch ");
                dump_words(words, out);
                for part in parts {
                    write!(out, "({})", dump(part)).unwrap();
                }
            }
            Node::Function { name, body } => write!(out, "{name}()({})", dump(body)).unwrap(),
            Node::Test(words) => {
                out.push_str("test ");
                for word in words {
                    dump_subs(&word.subs, out);
                }
            }
        }
        for redirect in &command.redirects {
            dump_redirect(redirect, out);
        }
    }

    fn differential(commands: impl Iterator<Item = String>) -> (usize, Vec<String>) {
        let mut both = 0;
        let mut differ = Vec::new();
        for command in commands {
            if !strict::fits(&command) {
                continue;
            }
            let Some(strict) = strict::parse(&command, &Origin::At(0), 0) else {
                continue;
            };
            both += 1;
            let tolerant = tolerant(&command, &Origin::At(0), 0);
            let (a, b) = (dump(&strict.list), dump(&tolerant.list));
            if a != b || tolerant.damaged != strict.damaged {
                differ.push(format!(
                    "{command:?}\n  strict   {} {a}\n  tolerant {} {b}",
                    strict.damaged, tolerant.damaged
                ));
            }
        }
        (both, differ)
    }

    /// Both grammars see the same in whatever both can read.
    #[test]
    fn the_two_grammars_agree() {
        let cases = crate::cases::commands();
        let wanted = cases.len() / 2;
        let (both, differ) = differential(cases.into_iter());
        assert!(both > wanted, "only {both} are read by both");
        assert!(differ.is_empty(), "{}", differ.join("\n"));
    }
}
