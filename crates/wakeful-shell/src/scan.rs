//! Quick looks at the raw text: whether it can be refused at all, and the one foreign language that is looked into.

use std::ops::Range;

/// Whether the words `sleep` or `pgrep` can come out of this text in any way that the guard would see: quotes, backslashes
/// and line continuations inside the word are looked through.
pub(crate) fn may_wait(command: &str) -> bool {
    contains_unquoted(command, &[b"sleep", b"pgrep"]) || command.contains("$'")
}

/// Whether something in the text may follow a log.
pub(crate) fn may_follow(command: &str) -> bool {
    contains_unquoted(command, &[b"tail", b"logs", b"journalctl"]) || command.contains("$'")
}

/// One pass, the state being how many letters of each needle have just been seen. No needle here begins again inside
/// itself, so a mismatch can only fall back to its first letter.
fn contains_unquoted(text: &str, needles: &[&[u8]]) -> bool {
    const MAX: usize = 4;
    debug_assert!(needles.len() <= MAX);
    let mut seen = [0usize; MAX];
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at].to_ascii_lowercase();
        at += 1;
        match byte {
            b'"' | b'\'' => continue,
            b'\\' => {
                if bytes.get(at) == Some(&b'\n') {
                    at += 1;
                }
                continue;
            }
            _ => {}
        }
        for (needle, seen) in needles.iter().zip(&mut seen) {
            *seen = if byte == needle[*seen] { *seen + 1 } else { usize::from(byte == needle[0]) };
            if *seen == needle.len() {
                return true;
            }
        }
    }
    false
}

/// The first `Start-Sleep` (or its alias) inside the braces of a PowerShell loop.
pub(crate) fn powershell_loop(script: &str) -> Option<Range<usize>> {
    let bytes = script.as_bytes();
    let mut blocks: Vec<bool> = Vec::new();
    let mut loops = 0usize;
    let mut pending = false;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            quote @ (b'\'' | b'"') => {
                let rest = &bytes[at + 1..];
                at += 2 + rest.iter().position(|b| *b == quote).unwrap_or(rest.len());
            }
            b'#' => {
                let rest = &bytes[at..];
                at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            }
            b'{' => {
                blocks.push(pending);
                loops += usize::from(pending);
                pending = false;
                at += 1;
            }
            b'}' => {
                loops -= usize::from(blocks.pop().unwrap_or(false));
                at += 1;
            }
            b if b.is_ascii_alphabetic() => {
                let rest = &bytes[at..];
                at += rest
                    .iter()
                    .position(|b| !(b.is_ascii_alphanumeric() || *b == b'-' || *b == b'_'))
                    .unwrap_or(rest.len());
                let word = script[start..at].to_ascii_lowercase();
                match word.as_str() {
                    "while" | "do" | "for" | "foreach" | "until" => pending = true,
                    "start-sleep" | "sleep" if loops > 0 => return Some(start..at),
                    _ => {}
                }
            }
            b'$' => {
                // A variable's name is not a keyword.
                let rest = &bytes[at + 1..];
                at += 1 + rest
                    .iter()
                    .position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'))
                    .unwrap_or(rest.len());
            }
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_look_sees_through_quoting() {
        for text in [
            "sleep 1",
            "sl\\eep 1",
            "s''leep",
            "\"sle\"ep",
            "sle\\\nep",
            "/bin/sleep",
            "Start-Sleep 1",
            "ssleep",
            "pg'rep'",
            "$'sl\\x65ep'",
        ] {
            assert!(may_wait(text), "{text}");
        }
        for text in ["ls -la", "slee p", "grep p", "sle\nep", ""] {
            assert!(!may_wait(text), "{text}");
        }
    }

    #[test]
    fn powershell_loops() {
        for (text, want) in [
            ("while ($true) { Start-Sleep 5 }", true),
            ("do { start-sleep -Seconds 2 } until (Test-Path x)", true),
            ("foreach ($i in 1..9) { if ($i) { Start-Sleep 1 } }", true),
            ("Start-Sleep 5; while ($x) { Get-Item x }", false),
            ("if ($true) { Start-Sleep 5 }", false),
            ("Write-Host 'while { Start-Sleep 5 }'", false),
            ("$while = 1; { Start-Sleep 5 }", false),
        ] {
            assert_eq!(powershell_loop(text).is_some(), want, "{text}");
        }
    }
}
