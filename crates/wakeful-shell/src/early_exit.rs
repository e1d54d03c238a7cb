//! Small facts about single programs that the guard and the endless list share.

use crate::tree::Word;
use crate::wrappers::{Run, takes_next};

/// Options of `ssh` whose value is the next word.
const SSH_VALUED: &[&str] = &[
    "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q", "-R",
    "-S", "-W", "-w",
];

/// A word is this flag: `-f` alone or in a cluster, `--follow` with or without a value. `--follow=false` is not.
pub(crate) fn is_flag(word: &str, flag: &str) -> bool {
    if let Some(letter) = flag.strip_prefix('-').filter(|l| l.chars().count() == 1) {
        return word.strip_prefix('-').is_some_and(|cluster| {
            !cluster.starts_with('-')
                && cluster.contains(letter)
                && cluster.chars().all(|c| c.is_ascii_alphanumeric())
        });
    }
    match word.strip_prefix(flag) {
        Some("") => true,
        Some(rest) => {
            flag.starts_with('-') && rest.starts_with('=') && !matches!(&rest[1..], "false" | "0" | "no")
        }
        None => false,
    }
}

fn has(run: &Run<'_>, flags: &[&str]) -> bool {
    run.args().iter().take_while(|w| w.text != "--").any(|w| flags.iter().any(|f| is_flag(&w.text, f)))
}

/// Follows a growing file or a log without an end.
pub(crate) fn follows(run: &Run<'_>) -> bool {
    match run.name {
        "tail" => has(run, &["-f", "-F", "--follow"]) && !has(run, &["--pid"]),
        "journalctl" => has(run, &["-f", "--follow"]),
        "docker" | "podman" | "kubectl" | "oc" | "docker-compose" | "nerdctl" => {
            run.args().iter().any(|w| w.text == "logs") && has(run, &["-f", "--follow"])
        }
        _ => false,
    }
}

/// Ends by itself before its input does, so that what writes to it gets a broken pipe.
pub(crate) fn stops_early(run: &Run<'_>) -> bool {
    match run.name {
        "head" => !run.args().iter().any(|w| w.text.starts_with("-n-")),
        "grep" | "egrep" | "fgrep" | "rg" => has(run, &["-m", "-q", "--max-count", "--quiet", "--silent"]),
        "sed" => run.args().iter().any(|w| sed_quits(&w.text)),
        "awk" | "gawk" | "mawk" => run.args().iter().any(|w| w.text.contains("exit")),
        "fzf" | "read" => true,
        _ => run.limit.is_some(),
    }
}

/// `5q`, `/done/q`, `/x/{p;q}`.
fn sed_quits(script: &str) -> bool {
    !script.starts_with('-')
        && (script.ends_with(['q', 'Q']) && script.len() > 1
            || script.contains("q}")
            || script.contains("q;"))
}

/// Options and remote command of an `ssh` call; `None` without a host.
pub(crate) fn ssh_parts<'t>(run: &Run<'t>) -> Option<(&'t [Word], &'t [Word])> {
    let args = run.args();
    let mut at = 0;
    while let Some(word) = args.get(at) {
        if !word.text.starts_with('-') {
            return Some((&args[..at], &args[at + 1..]));
        }
        at += 1 + usize::from(takes_next(SSH_VALUED, &word.text));
    }
    None
}
