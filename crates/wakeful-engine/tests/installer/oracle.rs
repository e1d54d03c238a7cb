//! A second reader of settings files, of another kind than the program's: a hand-made one that goes byte by byte, keeps doubled
//! names, and takes whatever it meets. And what it has to say about two versions of a file.

use std::collections::BTreeMap;

use wakeful_core::ids::Client;
use wakeful_engine::install::Found;

/// A value, with properties in their order and doubled names kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    /// Anything that is neither object nor list: its bytes, or the text of a string after `"`.
    Plain(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// The words of the file: brackets, commas, colons, strings, numbers, comments; no white space.
pub(crate) fn words(bytes: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(bytes).expect("cases are text");
    let chars: Vec<char> = text.trim_start_matches('\u{feff}').chars().collect();
    let mut words = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        match chars[at] {
            '"' => {
                at += 1;
                while chars[at] != '"' {
                    at += if chars[at] == '\\' { 2 } else { 1 };
                }
                at += 1;
            }
            '/' if chars.get(at + 1) == Some(&'/') => {
                while at < chars.len() && !['\n', '\r'].contains(&chars[at]) {
                    at += 1;
                }
            }
            '/' if chars.get(at + 1) == Some(&'*') => {
                while chars[at..at + 2] != ['*', '/'] {
                    at += 1;
                }
                at += 2;
            }
            '{' | '}' | '[' | ']' | ',' | ':' => at += 1,
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            _ => {
                while at < chars.len() && (chars[at].is_alphanumeric() || "+-.".contains(chars[at])) {
                    at += 1;
                }
                assert!(at > start, "an odd character: {:?}", chars[at]);
            }
        }
        words.push(chars[start..at].iter().collect());
    }
    words
}

/// What a string says: escapes undone.
fn unescaped(word: &str) -> String {
    let mut out = String::new();
    let mut chars = word[1..word.len() - 1].chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next().unwrap() {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'u' => {
                let code: String = chars.by_ref().take(4).collect();
                out.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
            }
            other => out.push(other),
        }
    }
    out
}

/// The value of the file; `None` where there is none.
pub(crate) fn read(bytes: &[u8]) -> Option<Json> {
    let words: Vec<String> = words(bytes).into_iter().filter(|word| !word.starts_with('/')).collect();
    (!words.is_empty()).then(|| value(&words, &mut 0))
}

fn value(words: &[String], at: &mut usize) -> Json {
    let word = &words[*at];
    *at += 1;
    match word.as_str() {
        "[" => Json::List(children(words, at, "]", value)),
        "{" => Json::Object(children(words, at, "}", |words, at| {
            let name = unescaped(&words[*at]);
            assert_eq!(words[*at + 1], ":");
            *at += 2;
            (name, value(words, at))
        })),
        string if string.starts_with('"') => Json::Plain(format!("\"{}", unescaped(string))),
        plain => Json::Plain(plain.to_owned()),
    }
}

fn children<T>(
    words: &[String],
    at: &mut usize,
    end: &str,
    child: impl Fn(&[String], &mut usize) -> T,
) -> Vec<T> {
    let mut children = Vec::new();
    while words[*at] != end {
        children.push(child(words, at));
        if words[*at] == "," {
            *at += 1;
        }
    }
    *at += 1;
    children
}

impl Json {
    fn property(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(properties) => {
                properties.iter().rfind(|(has, _)| has == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    fn list(&self) -> &[Json] {
        match self {
            Json::List(children) => children,
            _ => &[],
        }
    }

    /// A hook of ours: the last words of its command are those of our program.
    fn is_ours(&self) -> bool {
        let Some(Json::Plain(command)) = self.property("command") else { return false };
        let plain = command.trim_start_matches('"').replace(['\'', '"'], "");
        let Some((program, client)) = plain.rsplit_once(" hook ") else { return false };
        program.ends_with("/wakeful") && !program.contains("echo") && Client::from_name(client).is_some()
    }

    /// Without our hooks, and without what would be empty then or was before: lists and objects under `hooks`, and Cursor's
    /// version.
    pub(crate) fn foreign(&self) -> Json {
        let Json::Object(properties) = self else { return self.clone() };
        let kept = properties.iter().filter_map(|(name, value)| match name.as_str() {
            "hooks" => value.without_ours().map(|value| (name.clone(), value)),
            "version" => None,
            _ => Some((name.clone(), value.clone())),
        });
        Json::Object(kept.collect())
    }

    fn without_ours(&self) -> Option<Json> {
        match self {
            Json::Plain(_) => Some(self.clone()),
            Json::Object(_) if self.is_ours() => None,
            Json::List(children) => {
                let kept: Vec<Json> = children.iter().filter_map(Json::without_ours).collect();
                (!kept.is_empty()).then_some(Json::List(kept))
            }
            Json::Object(properties) => {
                let kept: Vec<(String, Json)> = properties
                    .iter()
                    .filter_map(|(name, value)| Some((name.clone(), value.without_ours()?)))
                    .collect();
                // A group with a matcher and no hooks left says nothing.
                let says_something = kept.iter().any(|(name, _)| name != "matcher");
                says_something.then_some(Json::Object(kept))
            }
        }
    }
}

/// Our hooks by event, in the objects that count.
pub(crate) fn ours(file: &Json) -> BTreeMap<String, Vec<Json>> {
    let mut ours: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    let Some(Json::Object(events)) = file.property("hooks") else { return ours };
    for (event, _) in events {
        let elements =
            file.property("hooks").and_then(|hooks| hooks.property(event)).map_or(&[][..], Json::list);
        let hooks = elements.iter().flat_map(|element| match element.property("hooks") {
            Some(hooks) => hooks.list().to_vec(),
            None => vec![element.clone()],
        });
        let found: Vec<Json> = hooks.filter(Json::is_ours).collect();
        if !found.is_empty() {
            ours.insert(event.clone(), found);
        }
    }
    ours
}

/// Is every byte of `before` in `after`, in order?
pub(crate) fn survives(before: &[u8], after: &[u8]) -> bool {
    let mut after = after.iter();
    before.iter().all(|byte| after.any(|other| other == byte))
}

/// The line ends, in order.
fn line_ends(bytes: &[u8]) -> Vec<&[u8]> {
    let newlines = (0..bytes.len()).filter(|at| bytes[*at] == b'\n');
    newlines
        .map(|at| if at > 0 && bytes[at - 1] == b'\r' { &bytes[at - 1..=at] } else { &bytes[at..=at] })
        .collect()
}

/// The words that `after` has more of than `before`; none may be fewer.
fn added(before: &[u8], after: &[u8]) -> Vec<String> {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    words(after).into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    words(before).into_iter().for_each(|word| *counts.entry(word).or_default() -= 1);
    assert!(counts.values().all(|count| *count >= 0), "words were lost: {counts:?}");
    counts.into_iter().filter(|(_, count)| *count > 0).map(|(word, _)| word).collect()
}

/// Set-up of a file without entries of ours: every byte is there, in order; every word that is new is one of ours; what is not
/// ours means what it meant; and of ours there is what the table says.
pub(crate) fn check_set_up(before: &[u8], after: &[u8], found: &Found, program: &str) {
    assert!(survives(before, after), "a byte was lost");
    let mut allowed: Vec<String> =
        ["{", "}", "[", "]", ",", ":", "1", "3", "5", "true"].map(str::to_owned).to_vec();
    allowed.extend(
        ["hooks", "version", "matcher", "type", "command", "timeout", "async"]
            .map(|name| format!("\"{name}\"")),
    );
    allowed.push(format!("\"'{program}' hook {}\"", found.client));
    for row in found.table.rows {
        allowed.push(format!("\"{}\"", row.event));
        allowed.extend(row.matcher.map(|matcher| format!("\"{matcher}\"")));
    }
    if let Some(first) = line_ends(before).first() {
        assert!(line_ends(after).iter().all(|end| end == first), "another line end than the file's");
    }
    for word in added(before, after) {
        assert!(allowed.contains(&word), "{word} is not ours");
    }
    check_meaning(before, after, found);
}

/// What is not ours means what it meant, and of ours there is one hook for each row of the table.
pub(crate) fn check_meaning(before: &[u8], after: &[u8], found: &Found) {
    let file = read(after).unwrap();
    let foreign = read(before).unwrap_or(Json::Object(Vec::new())).foreign();
    assert_eq!(file.foreign(), foreign, "what is not ours has changed");
    let ours = ours(&file);
    let rows: Vec<_> = found.table.rows_for(found.version).collect();
    assert_eq!(ours.len(), rows.len(), "{:?}", ours.keys());
    for row in rows {
        let [hook] = ours[row.event].as_slice() else { panic!("not one hook for {}", row.event) };
        assert_eq!(hook.property("timeout"), Some(&Json::Plain(row.timeout.0.to_string())), "{}", row.event);
    }
}
