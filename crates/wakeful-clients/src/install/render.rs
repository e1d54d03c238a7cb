//! Our entries as text, in the style of the file that they go into.

use jsonc_parser::ast::{Object, Value};

use super::document::{Container, Document};
use super::footprint::HOOKS;
use super::plan::Entry;
use super::{Format, Seconds};

/// A piece of JSON to be written.
pub(crate) enum Piece {
    Object(Vec<(&'static str, Piece)>),
    Array(Vec<Piece>),
    Text(String),
    Number(u32),
    Yes,
}

/// How a file is laid out.
pub(crate) struct Style {
    /// Its line end.
    pub(crate) newline: &'static str,
    /// One step of indentation.
    pub(crate) unit: String,
    /// Is the whole object on one line?
    pub(crate) one_line: bool,
    /// Is there a space after colons and commas, on one line?
    spaced: bool,
}

impl Style {
    /// The style of `document`; two spaces and line feeds where nothing shows it.
    pub(crate) fn of(document: &Document<'_>, root: Option<&Object<'_>>) -> Self {
        let text = document.text;
        let first_newline = text.find('\n');
        let crlf = first_newline.is_some_and(|at| text[..at].ends_with('\r'));
        let container = root.map(Container::from);
        let unit =
            container.as_ref().and_then(|root| indentation(document, root)).filter(|unit| !unit.is_empty());
        let one_line = container
            .as_ref()
            .is_some_and(|root| !root.children.is_empty() && !text[root.span.clone()].contains('\n'));
        let spaced = root.and_then(|root| root.properties.first()).is_none_or(|first| {
            let between =
                &text[super::document::span(&first.name).end..super::document::span(&first.value).start];
            between.ends_with([' ', '\n', '\t'])
        });
        let unit = unit.unwrap_or_else(|| "  ".to_owned());
        Self { newline: if crlf { "\r\n" } else { "\n" }, unit, one_line, spaced }
    }

    /// A line end and `depth` steps of indentation after `indent`.
    pub(crate) fn line(&self, indent: &str, depth: usize) -> String {
        format!("{}{indent}{}", self.newline, self.unit.repeat(depth))
    }

    /// Between two children on one line.
    pub(crate) fn comma(&self) -> &'static str {
        if self.spaced { ", " } else { "," }
    }

    fn colon(&self) -> &'static str {
        if self.spaced { ": " } else { ":" }
    }

    /// `piece` as text; `indent` is that of the line on which it begins, `None` is all on one line.
    pub(crate) fn render(&self, piece: &Piece, indent: Option<&str>) -> String {
        let mut out = String::new();
        self.write(&mut out, piece, indent, 0);
        out
    }

    /// A property with `piece` as its value.
    pub(crate) fn property(&self, name: &str, piece: &Piece, indent: Option<&str>) -> String {
        let colon = if indent.is_some() { ": " } else { self.colon() };
        format!("{}{colon}{}", json_text(name), self.render(piece, indent))
    }

    fn write(&self, out: &mut String, piece: &Piece, indent: Option<&str>, depth: usize) {
        match piece {
            Piece::Text(text) => out.push_str(&json_text(text)),
            Piece::Number(number) => out.push_str(&number.to_string()),
            Piece::Yes => out.push_str("true"),
            Piece::Array(elements) => {
                self.write_children(out, '[', ']', elements.iter(), indent, depth, |out, element| {
                    self.write(out, element, indent, depth + 1);
                });
            }
            Piece::Object(properties) => {
                self.write_children(out, '{', '}', properties.iter(), indent, depth, |out, (name, value)| {
                    out.push_str(&json_text(name));
                    out.push_str(if indent.is_some() { ": " } else { self.colon() });
                    self.write(out, value, indent, depth + 1);
                });
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one place that lays out brackets, for both kinds of them")]
    fn write_children<T>(
        &self,
        out: &mut String,
        open: char,
        close: char,
        children: impl Iterator<Item = T>,
        indent: Option<&str>,
        depth: usize,
        child: impl Fn(&mut String, T),
    ) {
        out.push(open);
        for (index, item) in children.enumerate() {
            match (indent, index) {
                (Some(indent), 0) => out.push_str(&self.line(indent, depth + 1)),
                (Some(indent), _) => {
                    out.push(',');
                    out.push_str(&self.line(indent, depth + 1));
                }
                (None, 0) => {}
                (None, _) => out.push_str(self.comma()),
            }
            child(out, item);
        }
        if let Some(indent) = indent {
            out.push_str(&self.line(indent, depth));
        }
        out.push(close);
    }
}

/// The indentation of the children of `container`: that of the last one that begins a line.
pub(crate) fn indentation(document: &Document<'_>, container: &Container) -> Option<String> {
    let own_line = container.children.iter().rev().find_map(|child| {
        let line = document.text[..child.start].rfind('\n')? + 1;
        let before = &document.text[line..child.start];
        (line > container.span.start && before.chars().all(|c| c == ' ' || c == '\t')).then_some(before)
    });
    own_line.map(str::to_owned)
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Entry {
    /// The hook itself.
    pub(crate) fn hook(&self, format: Format) -> Piece {
        let mut properties = Vec::new();
        if format == Format::Groups {
            properties.push(("type", Piece::Text("command".to_owned())));
        }
        properties.push(("command", Piece::Text(self.command.clone())));
        if let (Format::Flat, Some(matcher)) = (format, self.matcher) {
            properties.push(("matcher", Piece::Text(matcher.to_owned())));
        }
        let Seconds(timeout) = self.timeout;
        properties.push(("timeout", Piece::Number(timeout)));
        if self.detached {
            properties.push(("async", Piece::Yes));
        }
        Piece::Object(properties)
    }

    /// What goes into the list of the event.
    pub(crate) fn element(&self, format: Format) -> Piece {
        if format == Format::Flat {
            return self.hook(format);
        }
        let mut group = Vec::new();
        if let Some(matcher) = self.matcher {
            group.push(("matcher", Piece::Text(matcher.to_owned())));
        }
        group.push((HOOKS, Piece::Array(vec![self.hook(format)])));
        Piece::Object(group)
    }
}

/// Does `value` say the same as `piece`?
pub(crate) fn same(value: &Value<'_>, piece: &Piece) -> bool {
    match (value, piece) {
        (Value::StringLit(value), Piece::Text(text)) => value.value == text.as_str(),
        (Value::NumberLit(value), Piece::Number(number)) => value.value == number.to_string(),
        (Value::BooleanLit(value), Piece::Yes) => value.value,
        (Value::Array(value), Piece::Array(pieces)) => {
            value.elements.len() == pieces.len()
                && value.elements.iter().zip(pieces).all(|(value, piece)| same(value, piece))
        }
        (Value::Object(value), Piece::Object(pieces)) => {
            value.properties.len() == pieces.len()
                && pieces.iter().all(|(name, piece)| {
                    super::document::last(value, name).is_some_and(|property| same(&property.value, piece))
                })
        }
        _ => false,
    }
}
