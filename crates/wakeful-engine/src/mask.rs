//! Secrets in commands and addresses, made unreadable before a text leaves this program (spec 90 "Security").
//!
//! It errs on the side of masking, but a sentence stays a sentence: a word like `token` alone masks nothing, only what is given
//! to it is.

/// What stands in place of a secret.
const MASK: &str = "***";
/// Beginnings of tokens that are recognised wherever they stand.
const PREFIXES: &[&str] = &[
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_live_",
    "rk_live_",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "pypi-",
    "hf_",
    "eyJ",
    "tk_",
];
/// Characters. Shorter ones are words that only begin like a token.
const TOKEN: usize = 16;
/// Headers whose whole value is secret.
const HEADERS: &[&str] =
    &["authorization", "proxyauthorization", "cookie", "setcookie", "xapikey", "xauthtoken"];
/// Parts of names whose value is secret.
const PARTS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
    "authorization",
];
/// Names, or ends of names, whose value is secret.
const ENDS: &[&str] = &["pwd", "pass", "auth"];
/// Names with a secret word in them whose value is none.
const HARMLESS: &[&str] = &["tokens", "tokenizer", "file", "path", "stdin", "count", "limit"];

/// The text with its secrets masked.
pub fn mask(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let taken = if let Some(key) = private_key(rest) {
            masked.push_str(MASK);
            key
        } else if let Some(login) = rest.strip_prefix("://") {
            masked.push_str("://");
            3 + user_info(login, &mut masked)
        } else if is_word(first) && !before.is_some_and(is_word) {
            word(rest, &mut masked)
        } else {
            masked.push(first);
            first.len_utf8()
        };
        before = rest[..taken].chars().next_back();
        rest = &rest[taken..];
    }
    masked
}

/// Takes one word and what it says is secret behind it. Gives the bytes that were taken.
fn word(text: &str, masked: &mut String) -> usize {
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    if word.len() >= TOKEN && PREFIXES.iter().any(|prefix| word.starts_with(prefix)) {
        masked.push_str(MASK);
        return end;
    }
    masked.push_str(word);
    let name = plain(word);
    let given = if name == "bearer" {
        after_space(rest).filter(|(_, value)| looks_random(value))
    } else if HEADERS.contains(&name.as_str()) {
        return end + header(rest, masked).unwrap_or(0);
    } else if is_secret(&name) {
        given(word, rest)
    } else if word == "-u" || word == "--user" {
        return end + login(rest, masked).unwrap_or(0);
    } else {
        None
    };
    let Some((between, value)) = given else { return end };
    masked.push_str(&rest[..between]);
    end + between + hide(value, masked)
}

/// What is given to a secret name: bytes until it, and the rest of the text from there on.
fn given<'a>(word: &str, rest: &'a str) -> Option<(usize, &'a str)> {
    if let Some(value) = rest.strip_prefix('=') {
        return (!value.is_empty()).then_some((1, value));
    }
    // `"token": "…"`, `token: …`
    let quote = usize::from(rest.starts_with(['"', '\'']));
    if let Some(value) = rest[quote..].strip_prefix(':') {
        let trimmed = value.trim_start_matches(' ');
        let between = rest.len() - trimmed.len();
        let certain = trimmed.starts_with(['"', '\'']) || looks_random(trimmed);
        return certain.then_some((between, trimmed));
    }
    // `--token …`
    after_space(rest).filter(|(_, value)| word.starts_with('-') && !value.starts_with('-'))
}

fn after_space(rest: &str) -> Option<(usize, &str)> {
    let value = rest.trim_start_matches(' ');
    let between = rest.len() - value.len();
    (between > 0 && !value.is_empty() && !value.starts_with('\n')).then_some((between, value))
}

/// Masks one value, quoted or not. Gives the bytes that it has.
fn hide(value: &str, masked: &mut String) -> usize {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        let inside = value[1..].find(quote).map_or(value.len(), |at| at + 2);
        masked.push(quote);
        masked.push_str(MASK);
        masked.push(quote);
        return inside;
    }
    masked.push_str(MASK);
    value.find(|c: char| c.is_whitespace() || "&;,'\")}`".contains(c)).unwrap_or(value.len())
}

/// `: Bearer …` behind the name of a header: all of it up to the quote or the line's end.
fn header(rest: &str, masked: &mut String) -> Option<usize> {
    let colon = rest.find([':', '=']).filter(|at| *at <= 1)?;
    let value = rest[colon + 1..].trim_start_matches(' ');
    let quoted = value.starts_with(['"', '\'']);
    let between = rest.len() - value.len();
    masked.push_str(&rest[..between]);
    if quoted {
        return Some(between + hide(value, masked));
    }
    masked.push_str(MASK);
    Some(between + value.find(['"', '\'', '\n']).unwrap_or(value.len()))
}

/// `-u name:password`.
fn login(rest: &str, masked: &mut String) -> Option<usize> {
    let (between, value) = after_space(rest)?;
    let end = value.find(char::is_whitespace).unwrap_or(value.len());
    let colon = value[..end].find(':')?;
    masked.push_str(&rest[..between + colon + 1]);
    Some(between + colon + 1 + hide(&value[colon + 1..], masked))
}

/// `name:password@` behind `://`; a name alone is a token if it is as long as one.
fn user_info(text: &str, masked: &mut String) -> usize {
    let end = text.find(|c: char| c.is_whitespace() || "/?#\"'".contains(c)).unwrap_or(text.len());
    let Some(at) = text[..end].rfind('@') else { return 0 };
    let info = &text[..at];
    match info.split_once(':') {
        Some((name, _)) => {
            masked.push_str(name);
            masked.push(':');
            masked.push_str(MASK);
        }
        None if info.len() >= TOKEN => masked.push_str(MASK),
        None => masked.push_str(info),
    }
    at
}

/// Bytes of a private key in PEM that the text begins with; one that is cut off goes to the end.
fn private_key(text: &str) -> Option<usize> {
    let head = text.strip_prefix("-----BEGIN ")?;
    let (kind, _) = head.split_once("-----")?;
    if !kind.ends_with("PRIVATE KEY") {
        return None;
    }
    let foot = format!("-----END {kind}-----");
    Some(text.find(&foot).map_or(text.len(), |at| at + foot.len()))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// A name without case, hyphens and the like.
fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

fn is_secret(name: &str) -> bool {
    (PARTS.iter().any(|part| name.contains(part)) || ENDS.iter().any(|end| name.ends_with(end)))
        && !HARMLESS.iter().any(|end| name.ends_with(end))
}

/// Is the first word of this rather a secret than a word of a sentence?
fn looks_random(text: &str) -> bool {
    let end = text.find(|c: char| c.is_whitespace() || "'\",;".contains(c)).unwrap_or(text.len());
    let word = &text[..end];
    word.len() >= 8 && word.chars().any(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn what_is_given_to_a_secret_name_is_masked() {
        for (text, masked) in [
            ("deploy --token abc123", "deploy --token ***"),
            ("deploy --token=abc123 --to prod", "deploy --token=*** --to prod"),
            ("mysql --password 'a b' shop", "mysql --password '***' shop"),
            ("PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"),
            ("export AWS_SECRET_ACCESS_KEY=\"x/y+z\"; ls", "export AWS_SECRET_ACCESS_KEY=\"***\"; ls"),
            (
                "curl -H 'Authorization: Bearer abc.def' https://a.example",
                "curl -H 'Authorization: ***' https://a.example",
            ),
            ("curl -H \"X-Api-Key: k\" x", "curl -H \"X-Api-Key: ***\" x"),
            ("curl -u eve:hunter2 x", "curl -u eve:*** x"),
            ("git push https://eve:pw@git.example/shop", "git push https://eve:***@git.example/shop"),
            ("git push https://abcdefghijklmnop@git.example/s", "git push https://***@git.example/s"),
            ("GET /a?token=abc&b=2", "GET /a?token=***&b=2"),
            ("{\"api_key\": \"k\", \"n\": 1}", "{\"api_key\": \"***\", \"n\": 1}"),
            ("password: hunter22", "password: ***"),
            ("echo ghp_0123456789abcdef0123 | gh auth login", "echo *** | gh auth login"),
            ("sent Bearer 0123456789ab to it", "sent Bearer *** to it"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nok", "***\nok"),
            ("--secret=", "--secret="),
            ("--token é…", "--token ***"),
        ] {
            assert_eq!(mask(text), masked, "{text}");
        }
    }

    /// Wherever a text is cut and whatever stands in it, nothing panics, and what is masked stays masked.
    #[test]
    fn any_part_of_any_text() {
        let pieces = [
            "--token ",
            "token=",
            "\"password\": ",
            "Authorization: ",
            "Bearer ",
            "-u ",
            "a:b",
            "://",
            "é@",
            "'",
            "\"",
            "=",
            ":",
            "\n",
            "-----BEGIN ",
            "PRIVATE KEY",
            "-----",
            "ghp_0123456789abcdef",
            "ü",
            " ",
        ];
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let once = mask(&format!("{first}{second}{third}"));
                    let _ = mask(&once);
                }
            }
        }
        let secret = mask("curl -H 'Authorization: Bearer abc.def' --token=abc https://eve:pw@h/");
        assert_eq!(mask(&secret), secret);
    }

    #[test]
    fn sentences_and_ordinary_commands_stay() {
        for text in [
            "Shall I rotate the token: yes or no?",
            "The password is wrong. What now?",
            "cargo test -- --nocapture",
            "claude --max-tokens 100 max_tokens=100",
            "docker run --password-stdin",
            "git clone https://git.example/shop.git",
            "mail eve@shop.example: it is done",
            "ssh -u x",
            "Authorization is needed for this. Allow it?",
            "a: b = c; sk-learn",
            "",
        ] {
            assert_eq!(mask(text), text);
        }
    }
}
