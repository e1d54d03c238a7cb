//! What a simple command really runs: through wrappers, by path, as a `-c` script or from a heredoc.

use std::ops::Range;

use crate::lexer::Origin;
use crate::tree::{Redirect, RedirectKind, Word};

/// A program that runs the command given in its own arguments.
struct Wrapper {
    names: &'static [&'static str],
    /// Options whose value is the next word.
    valued: &'static [&'static str],
    /// Words of its own before the command (a duration, a lock file).
    operands: usize,
    /// `NAME=value` words may stand before the command.
    assignments: bool,
    /// With one of these it runs nothing (`command -v x`) or leaves at once (`setsid --fork`).
    lookup: &'static [&'static str],
}

const NONE: &[&str] = &[];

/// Spec 50 "Command position" names most; the others are the same kind and as common.
const WRAPPERS: &[Wrapper] = &[
    wrapper(&["command"], NONE, 0, &["-v", "-V"]),
    wrapper(&["builtin", "nohup", "setsid", "chronic", "unbuffer", "noglob", "nocorrect"], NONE, 0, NONE),
    wrapper(&["exec"], &["-a"], 0, NONE),
    Wrapper { assignments: true, ..wrapper(&["env"], &["-u", "--unset", "-C", "--chdir"], 0, NONE) },
    wrapper(&["time"], &["-f", "--format", "-o", "--output"], 0, NONE),
    wrapper(&["nice"], &["-n", "--adjustment"], 0, NONE),
    wrapper(&["ionice"], &["-c", "--class", "-n", "--classdata", "-t"], 0, &["-p"]),
    wrapper(&["stdbuf"], &["-i", "-o", "-e", "--input", "--output", "--error"], 0, NONE),
    Wrapper {
        assignments: true,
        ..wrapper(
            &["sudo", "doas"],
            &[
                "-u", "--user", "-g", "--group", "-h", "--host", "-p", "--prompt", "-C", "-D", "--chdir",
                "-R", "-T", "-r", "-t", "-U",
            ],
            0,
            &["-l", "-v", "-k", "-K"],
        )
    },
    wrapper(&["timeout", "gtimeout"], &["-k", "--kill-after", "-s", "--signal"], 1, NONE),
    wrapper(&["flock"], &["-w", "--wait", "--timeout", "-E"], 1, &["-c"]),
    wrapper(&["caffeinate"], &["-t", "-w"], 0, NONE),
    wrapper(
        &["xargs"],
        &[
            "-n",
            "-I",
            "-P",
            "-L",
            "-d",
            "-E",
            "-a",
            "-s",
            "--max-args",
            "--max-procs",
            "--delimiter",
            "--arg-file",
        ],
        0,
        NONE,
    ),
    wrapper(&["busybox", "toybox"], NONE, 0, NONE),
];

const fn wrapper(
    names: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
    lookup: &'static [&'static str],
) -> Wrapper {
    Wrapper { names, valued, operands, assignments: false, lookup }
}

/// Shells whose scripts are inspected (spec 50).
const SHELLS: &[&str] = &["bash", "sh", "dash", "zsh", "ksh", "ash"];

/// Wrappers around wrappers that are followed; a longer chain is not written by accident.
const MAX_WRAPPERS: usize = 16;

/// A simple command after its wrappers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'t> {
    /// Program name without its directory; empty when it is not known before the shell expands it.
    pub name: &'t str,
    /// The words from the program on.
    pub words: &'t [Word],
    /// A time limit set by a wrapper, in seconds; `timeout 0` sets none.
    pub limit: Option<f64>,
    /// Called without a wrapper, so that a function of that name would run.
    pub bare: bool,
}

impl<'t> Run<'t> {
    pub fn args(&self) -> &'t [Word] {
        self.words.get(1..).unwrap_or_default()
    }

    pub fn span(&self) -> Range<usize> {
        match (self.words.first(), self.words.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end.max(first.span.end),
            _ => 0..0,
        }
    }
}

/// The program's name without its directory; empty when the name itself is an expansion (`"$BIN/vite"` is `vite`).
pub(crate) fn base_name(word: &Word) -> &str {
    let name = word.text.rsplit('/').next().unwrap_or_default();
    if !word.literal && name.contains(['$', '`', '(', '}', '<', '>']) {
        return "";
    }
    name
}

/// Strips the wrappers off a simple command.
pub(crate) fn resolve(words: &[Word]) -> Run<'_> {
    let mut run = Run { name: words.first().map_or("", base_name), words, limit: None, bare: true };
    for _ in 0..MAX_WRAPPERS {
        let Some(wrapper) = WRAPPERS.iter().find(|w| w.names.contains(&run.name)) else {
            break;
        };
        let Some(inner) = unwrap(wrapper, run.words) else {
            break;
        };
        if wrapper.operands == 1 && run.name.ends_with("timeout") {
            let limit = inner.checked_sub(1).and_then(|i| duration(&run.words[i].text));
            run.limit = match (run.limit, limit) {
                (Some(a), Some(b)) if b > 0.0 => Some(f64::min(a, b)),
                (None, Some(b)) if b > 0.0 => Some(b),
                (known, _) => known,
            };
        }
        run.words = &run.words[inner..];
        run.name = run.words.first().map_or("", base_name);
        run.bare = false;
    }
    run
}

/// Index of the inner command's first word.
fn unwrap(wrapper: &Wrapper, words: &[Word]) -> Option<usize> {
    let mut at = 1;
    let mut operands = wrapper.operands;
    let mut options = true;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if options && text == "--" {
            options = false;
        } else if options && text.starts_with('-') && text.len() > 1 {
            if wrapper.lookup.contains(&text) {
                return None;
            }
            at += usize::from(takes_next(wrapper.valued, text));
        } else if operands > 0 {
            operands -= 1;
        } else if !(wrapper.assignments && is_assignment_text(text)) {
            return Some(at);
        } else {
            options = false;
        }
        at += 1;
    }
    None
}

fn is_assignment_text(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Whether the option takes the next word as its value: `--wait 5`, `-k 5s`, `-vk 5s`; not `--wait=5`, `-k5s`.
pub(crate) fn takes_next<S: AsRef<str>>(valued: &[S], option: &str) -> bool {
    if valued.iter().any(|v| v.as_ref() == option) {
        return true;
    }
    if option.starts_with("--") {
        return false;
    }
    let is_valued = |letter: char| {
        valued.iter().any(|v| v.as_ref().strip_prefix('-') == Some(letter.encode_utf8(&mut [0; 4])))
    };
    let mut letters = option.chars().skip(1);
    // The value is the rest of the cluster if there is any.
    letters.any(is_valued) && letters.next().is_none()
}

/// Seconds in `10`, `1.5`, `5s`, `2m`, `1h`, `1d`, `infinity`.
pub(crate) fn duration(text: &str) -> Option<f64> {
    if text.eq_ignore_ascii_case("infinity") || text.eq_ignore_ascii_case("inf") {
        return Some(f64::INFINITY);
    }
    let (number, factor) = match text.char_indices().last()? {
        (at, 's') => (&text[..at], 1.0),
        (at, 'm') => (&text[..at], 60.0),
        (at, 'h') => (&text[..at], 3600.0),
        (at, 'd') => (&text[..at], 86400.0),
        _ => (text, 1.0),
    };
    let value: f64 = number.parse().ok()?;
    (value >= 0.0).then_some(value * factor)
}

/// A script given to a shell as text.
pub(crate) struct Fed {
    pub text: String,
    pub origin: Origin,
}

/// What kind of script a command reads, if any of it can be read before it runs.
pub(crate) enum Shell {
    /// Not a shell, or a script file: outside inspection.
    No,
    Text(Fed),
    /// The script comes on standard input.
    Stdin,
}

fn fed_by_word(word: &Word) -> Fed {
    Fed {
        text: word.text.clone(),
        origin: match word.verbatim_at {
            Some(at) => Origin::At(at),
            None => Origin::Within(word.span.clone()),
        },
    }
}

/// The script that this command hands to a shell.
pub(crate) fn shell_script(run: &Run<'_>) -> Shell {
    match run.name {
        "eval" => return eval_script(run.args()),
        "source" | "." if run.args().first().is_some_and(|w| w.text == "/dev/stdin") => {
            return Shell::Stdin;
        }
        name if SHELLS.contains(&name) => {}
        _ => return Shell::No,
    }
    let mut is_script = false;
    let mut args = run.args().iter();
    while let Some(word) = args.next() {
        match word.text.as_str() {
            "--" => {}
            "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file" => {
                args.next();
            }
            "-" | "/dev/stdin" | "-s" if !is_script => return Shell::Stdin,
            text if text.starts_with("--") || text.starts_with('+') => {}
            text if text.starts_with('-') => {
                is_script |= text.contains('c');
                if text.ends_with('o') {
                    args.next();
                }
            }
            _ if is_script => return Shell::Text(fed_by_word(word)),
            _ => return Shell::No,
        }
    }
    if is_script { Shell::No } else { Shell::Stdin }
}

/// `eval` joins its words; a single one keeps its place in the source.
fn eval_script(args: &[Word]) -> Shell {
    match args {
        [] => Shell::No,
        [only] => Shell::Text(fed_by_word(only)),
        [first, .., last] => Shell::Text(Fed {
            text: args.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" "),
            origin: Origin::Within(first.span.start..last.span.end),
        }),
    }
}

/// The text on standard input when it is written in the command itself: the last heredoc or here-string.
pub(crate) fn stdin_text(redirects: &[Redirect]) -> Option<Fed> {
    redirects.iter().rev().find(|r| r.feeds_stdin()).and_then(|redirect| match &redirect.kind {
        RedirectKind::HereString => Some(fed_by_word(&redirect.target)),
        RedirectKind::HereDoc(slot) => slot.get().map(|body| Fed {
            text: body.text.clone(),
            origin: match body.at {
                Some(at) => Origin::At(at),
                None => Origin::Within(redirect.target.span.clone()),
            },
        }),
        _ => None,
    })
}

/// The text that an earlier stage of the pipeline writes, when it is written in the command: `cat <<EOF |`, `echo '…' |`.
pub(crate) fn piped_text(words: &[Word], redirects: &[Redirect]) -> Option<Fed> {
    let run = resolve(words);
    match run.name {
        "cat" if run.args().iter().all(|w| w.text == "-") => stdin_text(redirects),
        "echo" | "printf" => {
            let last = run.args().last()?;
            (run.args().iter().rev().skip(1).all(|w| w.text.starts_with('-') || w.text.starts_with('%')))
                .then(|| fed_by_word(last))
        }
        _ => None,
    }
}
