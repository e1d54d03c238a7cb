//! The escapes of `$'…'`.

/// The text between `$'` and `'` with its escapes decoded.
pub(crate) fn decode(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let (radix, digits) = match chars.next() {
            Some('n') => {
                out.push('\n');
                continue;
            }
            Some('t') => {
                out.push('\t');
                continue;
            }
            Some('x') => (16, 2),
            Some('u') => (16, 4),
            Some('U') => (16, 8),
            Some(d) if d.is_digit(8) => {
                out.push(coded(&mut chars, 8, 2, d.to_digit(8).unwrap_or(0)));
                continue;
            }
            Some(other) => {
                out.push(other);
                continue;
            }
            None => break,
        };
        out.push(coded(&mut chars, radix, digits, 0));
    }
    out
}

fn coded(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    digits: usize,
    first: u32,
) -> char {
    let mut value = first;
    for _ in 0..digits {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else {
            break;
        };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        chars.next();
    }
    char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes() {
        for (raw, want) in [
            ("plain", "plain"),
            ("a\\nb\\tc", "a\nb\tc"),
            ("sl\\x65\\145p", "sleep"),
            ("\\u00e9\\U0001F600", "é😀"),
            ("it\\'s \\\\", "it's \\"),
            ("\\x", "\0"),
            ("\\uD800", "\u{FFFD}"),
            ("end\\", "end"),
        ] {
            assert_eq!(decode(raw), want, "{raw}");
        }
    }
}
