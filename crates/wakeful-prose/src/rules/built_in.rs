//! The rules that come with the program.

/// Name and text of every rule file, in the order in which rules of equal rank are preferred (P10).
pub(super) const FILES: [(&str, &str); 17] = [
    ("lexicon.toml", include_str!("../../rules/lexicon.toml")),
    ("waiting.toml", include_str!("../../rules/waiting.toml")),
    ("promises.toml", include_str!("../../rules/promises.toml")),
    ("status.toml", include_str!("../../rules/status.toml")),
    ("vetoes.toml", include_str!("../../rules/vetoes.toml")),
    ("exemptions.toml", include_str!("../../rules/exemptions.toml")),
    ("asks.toml", include_str!("../../rules/asks.toml")),
    ("offers.toml", include_str!("../../rules/offers.toml")),
    ("closes.toml", include_str!("../../rules/closes.toml")),
    ("alarms.toml", include_str!("../../rules/alarms.toml")),
    ("eta.toml", include_str!("../../rules/eta.toml")),
    ("names.toml", include_str!("../../rules/names.toml")),
    ("zh.toml", include_str!("../../rules/zh.toml")),
    ("ko.toml", include_str!("../../rules/ko.toml")),
    ("other.toml", include_str!("../../rules/other.toml")),
    ("fr.toml", include_str!("../../rules/fr.toml")),
    ("pt.toml", include_str!("../../rules/pt.toml")),
];
