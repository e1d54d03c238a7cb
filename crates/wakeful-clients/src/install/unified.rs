//! The change to a file, as people read changes.

use similar::TextDiff;

/// Lines of the file around a change: what `diff -u` shows.
const CONTEXT: usize = 3;

/// The unified diff between two versions of the file `name`; empty when they are equal. `None` is no file.
pub fn unified_diff(before: Option<&[u8]>, after: Option<&[u8]>, name: &str) -> String {
    if before == after {
        return String::new();
    }
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (old, new) = (text(before), text(after));
    let header = |there: bool| if there { name } else { "/dev/null" };
    TextDiff::from_lines(&old, &new)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(header(before.is_some()), header(after.is_some()))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_changes() {
        assert_eq!(unified_diff(Some(b"a\n"), Some(b"a\n"), "f"), "");
        assert_eq!(
            unified_diff(Some(b"a\nb\n"), Some(b"a\nc\n"), "f"),
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
        );
        assert_eq!(unified_diff(None, Some(b"a\n"), "f"), "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(
            unified_diff(Some(b"a"), None, "f"),
            "--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n"
        );
    }
}
