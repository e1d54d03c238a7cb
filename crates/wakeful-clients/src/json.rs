//! JSON objects read one field at a time, so that a damaged field costs that field and nothing else.
//!
//! `serde`'s derived structs refuse a whole payload for one retyped or repeated field, and a payload that is refused
//! is a turn end that nobody sees. Here every field is a [`Field`]: absent, malformed or a value.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// One field of a payload.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Field<T> {
    /// Not there, or `null` (clients write both for "none").
    Absent,
    /// There, but not of the type that the client documents; or there twice with different values.
    Malformed,
    /// There.
    Value(T),
}

impl<T> Field<T> {
    /// The value, if there is a good one.
    pub(crate) fn ok(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Malformed => None,
        }
    }

    /// The value, if there is a good one.
    pub(crate) fn get(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Malformed => None,
        }
    }
}

impl Field<bool> {
    /// A flag that is off unless it is clearly on.
    pub(crate) fn is_on(&self) -> bool {
        matches!(self, Self::Value(true))
    }
}

/// A value that a field can hold.
pub(crate) trait FromRaw<'a>: Sized {
    /// The value, or `None` when `raw` is of another type.
    fn from_raw(raw: &'a RawValue) -> Option<Self>;
}

impl<'a> FromRaw<'a> for Cow<'a, str> {
    fn from_raw(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str::<Text<'a>>(raw.get()).ok().map(|text| text.0)
    }
}

impl FromRaw<'_> for bool {
    fn from_raw(raw: &RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }
}

impl FromRaw<'_> for i64 {
    fn from_raw(raw: &RawValue) -> Option<Self> {
        // Clients written in JavaScript may write a whole number as `60.0` or `6e1`.
        let float =
            || serde_json::from_str::<f64>(raw.get()).ok().filter(|f| f.is_finite()).map(|f| f as i64);
        serde_json::from_str(raw.get()).ok().or_else(float)
    }
}

impl FromRaw<'_> for u64 {
    fn from_raw(raw: &RawValue) -> Option<Self> {
        i64::from_raw(raw).and_then(|n| u64::try_from(n).ok())
    }
}

impl<'a> FromRaw<'a> for &'a RawValue {
    fn from_raw(raw: &'a RawValue) -> Option<Self> {
        Some(raw)
    }
}

impl<'a> FromRaw<'a> for Object<'a> {
    fn from_raw(raw: &'a RawValue) -> Option<Self> {
        Object::parse(raw.get().as_bytes())
    }
}

impl<'a, T: FromRaw<'a>> FromRaw<'a> for Vec<T> {
    /// A list with one element of another type is no list: a shortened list would prove an end that never was.
    fn from_raw(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str::<Vec<&'a RawValue>>(raw.get()).ok()?.into_iter().map(T::from_raw).collect()
    }
}

/// A string of JSON; half a surrogate pair (a text cut by JavaScript in the middle of an emoji) becomes U+FFFD.
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Cow<'de, str>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(match std::str::from_utf8(bytes) {
                    Ok(text) => Cow::Borrowed(text),
                    Err(_) => String::from_utf8_lossy(bytes),
                })
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Cow::Owned(String::from_utf8_lossy(bytes).into_owned()))
            }
        }
        deserializer.deserialize_bytes(TextVisitor).map(Text)
    }
}

/// A JSON object whose fields are taken out one by one; what is left over is unknown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object<'a> {
    entries: Vec<Entry<'a>>,
}

#[derive(Debug, Clone)]
struct Entry<'a> {
    name: Cow<'a, str>,
    raw: &'a RawValue,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Nobody has asked for it.
    Untouched,
    /// Taken, and of the right type.
    Taken,
    /// Taken, and of the wrong type.
    Malformed,
    /// There twice with different values: nobody can say which one is meant.
    Ambiguous,
}

impl<'a> Object<'a> {
    /// The object in `bytes`; `None` if they are not one JSON object.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Takes the field `name` out.
    pub(crate) fn take<T: FromRaw<'a>>(&mut self, name: &str) -> Field<T> {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.name == name) else {
            return Field::Absent;
        };
        if entry.state == State::Ambiguous {
            return Field::Malformed;
        }
        if entry.raw.get() == "null" {
            entry.state = State::Taken;
            return Field::Absent;
        }
        match T::from_raw(entry.raw) {
            Some(value) => {
                entry.state = State::Taken;
                Field::Value(value)
            }
            None => {
                entry.state = State::Malformed;
                Field::Malformed
            }
        }
    }

    /// Whether the field `name` is there and `null`: of some fields that says more than that they are missing.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.name == name && entry.raw.get() == "null" && entry.state != State::Ambiguous)
    }

    /// Names of fields that nobody took.
    pub(crate) fn untouched(&self) -> impl Iterator<Item = &str> {
        self.named(&[State::Untouched])
    }

    /// Names of fields whose value was of no use.
    pub(crate) fn damaged(&self) -> impl Iterator<Item = &str> {
        self.named(&[State::Malformed, State::Ambiguous])
    }

    fn named(&self, states: &'static [State]) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| states.contains(&entry.state)).map(|entry| entry.name.as_ref())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Vec<Entry<'de>>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries: Vec<Entry<'de>> = Vec::with_capacity(map.size_hint().unwrap_or(16));
                while let Some((Text(name), raw)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                    match entries.iter_mut().find(|entry| entry.name == name) {
                        Some(first) if first.raw.get() != raw.get() => first.state = State::Ambiguous,
                        Some(_) => {}
                        None => entries.push(Entry { name, raw, state: State::Untouched }),
                    }
                }
                Ok(entries)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
                Err(serde::de::Error::custom("a list is no object"))
            }
        }
        deserializer.deserialize_map(ObjectVisitor).map(|entries| Object { entries })
    }
}

/// Declares a wire type: a struct of [`Field`]s, with `read` to take them out of an [`Object`].
macro_rules! wire {
    ($(#[$doc:meta])* $name:ident $(<$life:lifetime>)? {
        $($(#[$field_doc:meta])* $wire:literal => $field:ident: $kind:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        #[allow(dead_code, reason = "it lists what the client writes, read or not")]
        pub(crate) struct $name $(<$life>)? {
            $($(#[$field_doc])* pub(crate) $field: $crate::json::Field<$kind>,)*
        }

        impl $(<$life>)? $name $(<$life>)? {
            /// Takes the fields out of `object`.
            pub(crate) fn read(object: &mut $crate::json::Object<$($life)?>) -> Self {
                Self { $($field: object.take($wire),)* }
            }
        }
    };
}
pub(crate) use wire;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_absent_malformed_or_a_value() {
        let mut object = Object::parse(br#"{"a":"x","b":7,"c":null,"d":[1,"2"],"e":60.0}"#).unwrap();
        assert_eq!(object.take::<Cow<str>>("a"), Field::Value("x".into()));
        assert_eq!(object.take::<Cow<str>>("b"), Field::Malformed);
        assert_eq!(object.take::<Cow<str>>("c"), Field::Absent);
        assert_eq!(object.take::<Cow<str>>("z"), Field::Absent);
        assert_eq!(object.take::<Vec<u64>>("d"), Field::Malformed);
        assert_eq!(object.damaged().collect::<Vec<_>>(), ["b", "d"]);
        assert_eq!(object.untouched().collect::<Vec<_>>(), ["e"]);
        assert_eq!(object.take::<u64>("e"), Field::Value(60));
    }

    #[test]
    fn a_field_twice_counts_only_if_both_say_the_same() {
        let mut same = Object::parse(br#"{"a":"x","a":"x"}"#).unwrap();
        assert_eq!(same.take::<Cow<str>>("a"), Field::Value("x".into()));
        let mut other = Object::parse(br#"{"a":"x","a":"y"}"#).unwrap();
        assert_eq!(other.take::<Cow<str>>("a"), Field::Malformed);
    }

    #[test]
    fn half_an_emoji_does_not_cost_the_text() {
        let mut object = Object::parse(br#"{"a":"cut \ud83d","b":"\ud83d\ude00","\u0063":"c"}"#).unwrap();
        assert!(object.take::<Cow<str>>("a").ok().unwrap().starts_with("cut "));
        assert_eq!(object.take::<Cow<str>>("b"), Field::Value("😀".into()));
        assert_eq!(object.take::<Cow<str>>("c"), Field::Value("c".into()));
    }

    #[test]
    fn only_one_object_is_an_object() {
        for bytes in [&b"[]"[..], b"7", b"", b"{", b"{} {}", b"{\"a\":\"\xff\"}", b"null"] {
            assert!(Object::parse(bytes).is_none(), "{bytes:?}");
        }
        assert!(Object::parse(b" {} ").is_some());
    }
}
