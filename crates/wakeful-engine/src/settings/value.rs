//! The value of a setting, whatever it was read from.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

/// A value. What a key takes is said by its [`super::Kind`].
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// On or off.
    Switch(bool),
    /// A number; whole once a kind has seen it.
    Number(f64),
    /// A word or a text.
    Text(String),
    /// A list of them.
    List(Vec<String>),
    /// Words by name.
    Map(BTreeMap<String, String>),
}

impl Value {
    pub(super) fn text_of(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn number(number: impl Into<f64>) -> Self {
        Self::Number(number.into())
    }

    pub(super) fn list(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::List(words.into_iter().map(Into::into).collect())
    }

    // What a kind has let through has the form that its key asks for; the other arms are never taken.

    pub(super) fn on(&self) -> bool {
        matches!(self, Self::Switch(true))
    }

    pub(super) fn whole(&self) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast from f64 saturates, and kinds let only whole numbers of their range through"
        )]
        match self {
            Self::Number(number) => *number as u32,
            _ => 0,
        }
    }

    pub(super) fn small(&self) -> u16 {
        u16::try_from(self.whole()).unwrap_or(u16::MAX)
    }

    pub(super) fn word(&self) -> &str {
        match self {
            Self::Text(text) => text,
            _ => "",
        }
    }

    pub(super) fn words(&self) -> &[String] {
        match self {
            Self::List(words) => words,
            _ => &[],
        }
    }

    pub(super) fn map(&self) -> impl Iterator<Item = (&str, &str)> {
        let map = if let Self::Map(map) = self { Some(map) } else { None };
        map.into_iter().flatten().map(|(name, word)| (name.as_str(), word.as_str()))
    }
}

/// As TOML writes it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| toml_edit::Value::from(text).to_string();
        match self {
            Self::Switch(on) => write!(f, "{on}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::List(words) => {
                let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
                write!(f, "[{}]", words.join(", "))
            }
            Self::Map(map) if map.is_empty() => f.write_str("{}"),
            Self::Map(map) => {
                let pairs: Vec<_> = map
                    .iter()
                    .map(|(name, word)| format!("{} = {}", toml_edit::Key::new(name), quoted(word)))
                    .collect();
                write!(f, "{{ {} }}", pairs.join(", "))
            }
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Switch(on) => serializer.serialize_bool(*on),
            Self::Number(number) if number.fract() == 0.0 && *number >= 0.0 => {
                serializer.serialize_u32(self.whole())
            }
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(words) => words.serialize(serializer),
            Self::Map(map) => map.serialize(serializer),
        }
    }
}
