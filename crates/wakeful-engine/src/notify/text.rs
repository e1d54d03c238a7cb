//! Title and body of a notification. Pure.

use wakeful_core::ids::SessionKey;

use super::ring::{Ring, RingSession};
use super::words::said;
use crate::mask::mask;
use crate::settings::Content;

/// Characters of a title. What a phone and a desktop show in one or two lines.
const TITLE: usize = 120;
/// Characters of the name in it, so that the reason behind it is always seen.
const NAME: usize = 60;
/// Characters of a question or an error. Desktops cut it sooner; a phone shows that much.
const DETAIL: usize = 500;
/// Characters of the line that says where.
const WHERE: usize = 120;
/// Characters of a client's id of a session that tell it from others.
const ID: usize = 8;

/// What a notification says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// What the session is called, on one line.
    pub session: String,
    /// Session and reason, on one line.
    pub title: String,
    /// The question itself, then where it comes from. Empty when only the name is wanted.
    pub body: String,
}

/// What a ring says. No control character and no secret of a command is in it.
pub fn text(ring: &Ring) -> Text {
    let session = cut(&one_line(&called(&ring.session)), NAME);
    let title = cut(&format!("{session}: {}", said(ring.reason)), TITLE);
    let body = match ring.settings.content {
        Content::Name => String::new(),
        Content::Full => body(ring, &session),
    };
    Text { session, title, body }
}

/// Project and label are no secret to who wants to know only the name if there is no name: a project is its folder, but a label is
/// what the user wrote.
fn called(session: &RingSession) -> String {
    let given =
        [&session.name, &session.project].into_iter().flatten().find(|name| !one_line(name).is_empty());
    given.map_or_else(|| by_id(&session.key), |name| mask(&clean(name)))
}

fn by_id(key: &SessionKey) -> String {
    format!("{} {}", key.client, key.id.as_str().chars().take(ID).collect::<String>())
}

fn body(ring: &Ring, session: &str) -> String {
    let detail = ring.detail.as_deref().map(|detail| cut(&mask(&clean(detail)), DETAIL));
    let parts = [&ring.session.project, &ring.session.label].into_iter().flatten();
    let parts =
        parts.map(|part| one_line(&mask(&clean(part)))).filter(|part| !part.is_empty() && part != session);
    let place = cut(&parts.collect::<Vec<_>>().join(" · "), WHERE);
    let lines = [detail.unwrap_or_default(), place];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// One line of it.
pub(super) fn one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Without what a terminal or a reader would obey: escape sequences, control characters, marks that turn the direction of a text or
/// hide in it. Lines stay lines; empty ones go.
fn clean(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => kept.push('\n'),
            '\t' => kept.push(' '),
            c if c.is_control() || is_mark(c) => {}
            c => kept.push(c),
        }
    }
    let lines = kept.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips an escape sequence behind its first character.
fn escape(chars: &mut Chars<'_>) {
    match chars.next_if(|c| !c.is_control()) {
        Some('[') => skip_csi(chars),
        // A string goes to BEL or `ESC \`; one without an end must not take the text with it, so it ends with the line.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        _ => {}
    }
}

/// Skips parameters and the final character of a control sequence.
fn skip_csi(chars: &mut Chars<'_>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    let _ = chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Marks that turn the direction of a text or are not seen. Joiners stay: scripts and emoji need them.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// At most `most` characters, cut between words where that costs little.
fn cut(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    // One character for the mark.
    let end = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    let kept = &text[..end];
    let word = kept.rfind(char::is_whitespace).filter(|at| at * 5 >= end * 4).unwrap_or(end);
    format!("{}…", kept[..word].trim_end())
}

#[cfg(test)]
mod tests {
    use wakeful_core::causes::Reason;
    use wakeful_core::ids::{Client, SessionId};
    use wakeful_core::time::{Now, Wall};

    use super::super::ring::RingId;
    use super::*;
    use crate::settings::NotifySettings;

    fn ring(detail: Option<&str>) -> Ring {
        Ring {
            id: RingId::of_row(7, Wall(0)),
            at: Now::default(),
            session: RingSession {
                key: SessionKey { client: Client::Codex, id: SessionId::new("0198c2f4-77aa") },
                name: None,
                project: Some("orchard".to_owned()),
                label: Some("prune the trees".to_owned()),
            },
            reason: Reason::Permission,
            detail: detail.map(str::to_owned),
            pid: None,
            tmux_pane: None,
            settings: NotifySettings::default(),
        }
    }

    fn shown(ring: &Ring) -> String {
        let Text { title, body, .. } = text(ring);
        format!("{title}\n{body}")
    }

    #[test]
    fn full() {
        let asked =
            ring(Some("Bash: curl -H 'Authorization: Bearer abc' https://eve:pw@a.example/\n\nMay I?"));
        insta::assert_snapshot!(shown(&asked), @r"
        orchard: asks for permission
        Bash: curl -H 'Authorization: ***' https://eve:***@a.example/
        May I?
        prune the trees
        ");
        let mut named = ring(None);
        named.session.name = Some("spring\tcleaning".to_owned());
        insta::assert_snapshot!(shown(&named), @r"
        spring cleaning: asks for permission
        orchard · prune the trees
        ");
        let mut bare = ring(None);
        (bare.session.project, bare.session.label) = (Some("\u{200b} ".to_owned()), None);
        insta::assert_snapshot!(shown(&bare), @"codex 0198c2f4: asks for permission");
    }

    #[test]
    fn only_the_name_says_nothing_of_what_was_written() {
        let mut asked = ring(Some("Drop the table of patients?"));
        asked.settings.content = Content::Name;
        asked.session.name = Some("clinic".to_owned());
        assert_eq!(
            text(&asked),
            Text {
                session: "clinic".to_owned(),
                title: "clinic: asks for permission".to_owned(),
                body: String::new()
            }
        );
    }

    #[test]
    fn nothing_that_a_terminal_would_obey() {
        for (text, cleaned) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b", "ab"),
            ("\u{1b}]never ended\nnext line", "next line"),
            ("a\u{7}b\0c\u{9b}2Jd\u{7f}", "abcd"),
            ("file\u{202e}txt.exe\u{feff}", "filetxt.exe"),
            ("a\r\nb\u{2028}c", "a\nb\nc"),
            ("\u{1b}", ""),
            ("👩‍🌾 ok", "👩‍🌾 ok"),
        ] {
            assert_eq!(clean(text), cleaned, "{text:?}");
        }
    }

    #[test]
    fn lengths_are_bounded() {
        let mut long = ring(Some(&"é word ".repeat(10_000)));
        long.session.name = Some("n".repeat(500));
        long.session.label = Some("l".repeat(500));
        let Text { session, title, body } = text(&long);
        assert_eq!(session.chars().count(), NAME);
        assert!(title.ends_with("…: asks for permission") && title.chars().count() <= TITLE, "{title}");
        assert!(body.chars().count() <= DETAIL + 1 + WHERE);
        assert!(body.lines().next().unwrap().ends_with(" é…"), "{body}");
    }

    #[test]
    fn a_secret_that_a_cut_would_go_through_is_masked_first() {
        let detail = format!("{} --token {}", "x".repeat(DETAIL - 20), "s3cret".repeat(20));
        assert!(!text(&ring(Some(&detail))).body.contains("s3"));
    }

    #[test]
    fn cut_between_words() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("one two three four", 16), "one two three…");
        assert_eq!(cut("ééééééé", 4), "ééé…");
    }
}
