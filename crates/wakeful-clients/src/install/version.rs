//! Versions of clients, as their `--version` prints them.

use std::fmt;

/// Three numbers; what a client writes after them (a build, a channel) plays no part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// First number; the year where a client numbers by date.
    pub major: u32,
    /// Second number.
    pub minor: u32,
    /// Third number; 0 where there is none.
    pub patch: u32,
}

impl Version {
    /// The version of these three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// The first thing in `text` that looks like a version: two or three numbers with dots between.
    pub fn find_in(text: &str) -> Option<Self> {
        text.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(Self::parse)
    }

    fn parse(word: &str) -> Option<Self> {
        let numbers: Option<Vec<u32>> = word.split('.').map(|number| number.parse().ok()).collect();
        match numbers?.as_slice() {
            [major, minor] => Some(Self::new(*major, *minor, 0)),
            [major, minor, patch, ..] => Some(Self::new(*major, *minor, *patch)),
            _ => None,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_clients_print() {
        let rows = [
            ("2.1.332 (Claude Code)\n", Some(Version::new(2, 1, 332))),
            ("codex-cli 0.171.0\n", Some(Version::new(0, 171, 0))),
            ("3.1\n0a1b2c3d4e5f\nx64\n", Some(Version::new(3, 1, 0))),
            ("2026.05.14-0a1b2c3\n", Some(Version::new(2026, 5, 14))),
            ("v1.2.3-beta.4", Some(Version::new(1, 2, 3))),
            ("command not found", None),
            ("7", None),
            ("", None),
            ("99999999999.1", None),
        ];
        for (text, expected) in rows {
            assert_eq!(Version::find_in(text), expected, "{text:?}");
        }
    }
}
