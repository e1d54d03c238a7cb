//! What a key takes.

use std::collections::BTreeMap;

use toml_edit::Item;
use wakeful_core::causes::Reason;
use wakeful_core::settings::MinutesRange;
use wakeful_shell::RuleId;

use super::{QuietHours, Value};

/// What a key takes.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// `true` or `false`.
    Switch,
    /// A number that goes through the one resolver of T1: out of range is no error. The second field is the unit.
    Resolved(MinutesRange, &'static str),
    /// A whole number from the first to the second; out of range is an error.
    Whole(u32, u32),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Reasons by name.
    Reasons,
    /// Any texts.
    Texts,
    /// A span of hours, or an empty text for none.
    Hours,
    /// `http://` or `https://`, or an empty text for none.
    Url,
    /// `off`, `warn` or `deny` by rule of the guard.
    RuleSwitches,
}

/// What a rule of the guard can be switched to.
const SWITCHES: [&str; 3] = ["off", "warn", "deny"];

impl Kind {
    /// What is expected, for people: "a whole number from 1 to 9".
    pub fn expected(self) -> String {
        let words = |words: &[&str]| {
            let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
            quoted.join(", ")
        };
        match self {
            Self::Switch => "`true` or `false`".to_owned(),
            Self::Resolved(range, unit) => {
                let zero = if range.min == 0 { "" } else { "; 0 and below stand for the default" };
                format!("a number of {unit} from {} to {}{zero}", range.min, range.max)
            }
            Self::Whole(min, max) => format!("a whole number from {min} to {max}"),
            Self::OneOf(choices) => format!("one of {}", words(choices)),
            Self::Reasons => format!("a list of reasons: {}", words(&Reason::ALL.map(Reason::name))),
            Self::Texts => "a list of texts".to_owned(),
            Self::Hours => "two times of day such as `22:00-07:00`, or an empty text for none".to_owned(),
            Self::Url => "an address with `http://` or `https://`, or an empty text for none".to_owned(),
            Self::RuleSwitches => format!(
                "a table with {} for each rule, of {}",
                words(&SWITCHES),
                words(&RuleId::ALL.map(RuleId::as_str))
            ),
        }
    }

    /// Takes what stands in a file. `None` if that is not what is expected.
    pub(super) fn of_item(self, item: &Item) -> Option<Value> {
        let value = match self {
            Self::Switch => Value::Switch(item.as_bool()?),
            Self::Resolved(..) | Self::Whole(..) => {
                #[expect(clippy::cast_precision_loss, reason = "numbers that large are out of every range")]
                let whole = item.as_integer().map(|number| number as f64);
                Value::Number(whole.or_else(|| item.as_float())?)
            }
            Self::OneOf(_) | Self::Hours | Self::Url => Value::text_of(item.as_str()?),
            Self::Reasons | Self::Texts => {
                let words = item.as_array()?.iter().map(|word| word.as_str().map(str::to_owned));
                Value::List(words.collect::<Option<_>>()?)
            }
            Self::RuleSwitches => {
                let pairs = item.as_table_like()?.iter();
                let pairs = pairs.map(|(name, word)| Some((name.to_owned(), word.as_str()?.to_owned())));
                Value::Map(pairs.collect::<Option<_>>()?)
            }
        };
        self.check(value)
    }

    /// Takes what a command line or a variable says: words without quotes, lists with commas or as TOML writes them.
    pub(super) fn of_text(self, text: &str) -> Option<Value> {
        let text = text.trim();
        let value = match self {
            Self::Switch => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "on" | "yes" => Value::Switch(true),
                "false" | "0" | "off" | "no" => Value::Switch(false),
                _ => return None,
            },
            Self::Resolved(..) | Self::Whole(..) => Value::Number(text.parse().ok()?),
            Self::OneOf(_) | Self::Hours | Self::Url => Value::text_of(text),
            Self::Reasons | Self::Texts if !text.starts_with('[') => {
                Value::list(text.split(',').map(str::trim).filter(|word| !word.is_empty()))
            }
            Self::Reasons | Self::Texts | Self::RuleSwitches => {
                return self.of_item(&Item::Value(text.parse().ok()?));
            }
        };
        self.check(value)
    }

    /// Brings a value of the right type into range. `None` if it cannot be.
    fn check(self, value: Value) -> Option<Value> {
        match (self, &value) {
            (Self::Resolved(range, _), Value::Number(number)) => {
                return Some(Value::number(range.resolve(Some(*number)).0));
            }
            (Self::Whole(min, max), Value::Number(number)) => {
                let within = (f64::from(min)..=f64::from(max)).contains(number) && number.fract() == 0.0;
                return within.then_some(value);
            }
            (Self::OneOf(choices), Value::Text(word)) => choices.contains(&word.as_str()),
            (Self::Reasons, Value::List(words)) => words.iter().all(|word| reason(word).is_some()),
            (Self::Hours, Value::Text(text)) if !text.is_empty() => {
                return Some(Value::text_of(text.parse::<QuietHours>().ok()?));
            }
            (Self::Url, Value::Text(text)) => text.is_empty() || is_url(text),
            (Self::RuleSwitches, Value::Map(map)) => known(map),
            _ => true,
        }
        .then_some(value)
    }
}

/// The reason of this name.
pub(super) fn reason(name: &str) -> Option<Reason> {
    Reason::ALL.into_iter().find(|reason| reason.name() == name)
}

fn known(map: &BTreeMap<String, String>) -> bool {
    map.iter().all(|(rule, switch)| {
        RuleId::ALL.iter().any(|id| id.as_str() == rule) && SWITCHES.contains(&switch.as_str())
    })
}

/// A scheme and a host; what is wrong with the rest is said by who connects.
fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = !text.contains(|c: char| c.is_whitespace() || c.is_control());
    plain && rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#', ':']))
}
