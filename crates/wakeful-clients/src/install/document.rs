//! A settings file as it is read: text, where its values stand, and where its comments stand.

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::Refusal;

/// The mark that some editors put before UTF-8 text. It is no JSON, and it stays.
const BOM: &str = "\u{feff}";

/// JSON with comments and trailing commas, which the clients' own files may have; nothing looser.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A piece of the text, in bytes.
pub(crate) type Span = std::ops::Range<usize>;

/// A file that parses.
pub(crate) struct Document<'a> {
    /// All of it but the byte order mark; every offset counts in this.
    pub(crate) text: &'a str,
    /// The byte order mark, or nothing.
    pub(crate) bom: &'a str,
    /// The value; `None` in a file without one.
    pub(crate) root: Option<Value<'a>>,
    /// The comments, in order. A line comment does not have its line end in it.
    pub(crate) comments: Vec<Span>,
}

impl<'a> Document<'a> {
    /// Reads `bytes`.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Refusal> {
        let all = std::str::from_utf8(bytes).map_err(|error| {
            let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            Refusal::at(good, good.len(), "not UTF-8 text")
        })?;
        let (bom, text) = match all.strip_prefix(BOM) {
            Some(rest) => (BOM, rest),
            None => ("", all),
        };
        let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
        let parsed = parse_to_ast(text, &collect, &OPTIONS)
            .map_err(|error| Refusal::at(text, error.range().start, error.kind().to_string()))?;
        let mut comments: Vec<Span> = parsed
            .comments
            .into_iter()
            .flat_map(std::collections::HashMap::into_values)
            .flat_map(|list| list.iter().map(span).collect::<Vec<_>>())
            .collect();
        // The parser keeps each list of comments twice: by the token before and by the token after.
        comments.sort_by_key(|comment| comment.start);
        comments.dedup();
        Ok(Self { text, bom, root: parsed.value, comments })
    }

    /// The comments inside `place`.
    pub(crate) fn comments_in(&self, place: &Span) -> &[Span] {
        let first = self.comments.partition_point(|comment| comment.start < place.start);
        let last = self.comments.partition_point(|comment| comment.start < place.end);
        &self.comments[first..last.max(first)]
    }

    /// Where the white space before `offset` begins.
    pub(crate) fn space_before(&self, offset: usize) -> usize {
        // Between two tokens there is nothing but white space and comments. A comment's last character is never white
        // space to be taken for ours: a block ends in a slash, and at a line's end the comment's own end is known.
        let trimmed = self.text[..offset].trim_end().len();
        let comment = self.comments.partition_point(|comment| comment.start < offset);
        match self.comments[..comment].last() {
            Some(comment) => trimmed.max(comment.end),
            None => trimmed,
        }
    }

    /// Where the first comma between `from` and `to` stands; in between there are no tokens but that.
    pub(crate) fn comma(&self, from: usize, to: usize) -> Option<usize> {
        let mut comments = self.comments_in(&(from..to)).iter();
        let mut start = from;
        loop {
            let comment = comments.next();
            let end = comment.map_or(to, |comment| comment.start);
            if let Some(found) = self.text[start..end].find(',') {
                return Some(start + found);
            }
            start = comment?.end;
        }
    }

    /// A refusal at `offset`.
    pub(crate) fn refuse(&self, offset: usize, why: impl Into<String>) -> Refusal {
        Refusal::at(self.text, offset, why)
    }
}

/// Where `node` stands.
pub(crate) fn span(node: &impl Ranged) -> Span {
    node.start()..node.end()
}

/// Something with children between two brackets.
pub(crate) struct Container {
    /// From the opening bracket to the closing one, both included.
    pub(crate) span: Span,
    /// The elements or properties, in order.
    pub(crate) children: Vec<Span>,
}

impl Container {
    /// The place between the brackets.
    pub(crate) fn inside(&self) -> Span {
        self.span.start + 1..self.span.end - 1
    }

    /// Where what follows child `index` ends: at the next child, or at the closing bracket.
    pub(crate) fn gap_end(&self, index: usize) -> usize {
        self.children.get(index + 1).map_or(self.span.end - 1, |next| next.start)
    }
}

impl From<&Object<'_>> for Container {
    fn from(object: &Object<'_>) -> Self {
        Self { span: span(object), children: object.properties.iter().map(span).collect() }
    }
}

impl From<&Array<'_>> for Container {
    fn from(array: &Array<'_>) -> Self {
        Self { span: span(array), children: array.elements.iter().map(span).collect() }
    }
}

/// The last property of that name: the one that counts when there are several.
pub(crate) fn last<'o, 'a>(object: &'o Object<'a>, name: &str) -> Option<&'o ObjectProp<'a>> {
    object.properties.iter().rfind(|property| property.name.as_str() == name)
}

/// Every property of that name, with its place among the properties.
pub(crate) fn all<'o, 'a>(
    object: &'o Object<'a>,
    name: &'o str,
) -> impl Iterator<Item = (usize, &'o ObjectProp<'a>)> {
    object.properties.iter().enumerate().filter(move |(_, property)| property.name.as_str() == name)
}
