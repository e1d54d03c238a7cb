//! What holds for every value.

use proptest::prelude::*;
use wakeful_engine::settings::{Environment, KEYS, Kind, key, load, parse, set, unset};

/// The two that may be 0 (T1).
const MAY_BE_0: [&str; 2] = ["waits.unbacked_wait_minutes", "waits.external_wait_minutes"];

fn timers() -> Vec<&'static str> {
    KEYS.iter().filter(|key| matches!(key.kind, Kind::Resolved(..))).map(|key| key.name).collect()
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        -1.0..1.0,
        -300.0..300.0,
        (-300i32..300).prop_map(f64::from),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(-0.0),
        Just(f64::MIN_POSITIVE),
    ]
}

fn written(number: f64) -> String {
    let text = format!("{number:?}");
    if text == "NaN" { "nan".to_owned() } else { text }
}

proptest! {
    /// No value of file or environment arms a timer that fires at once, the two aside that allow it, and those only by 0 itself.
    #[test]
    fn no_timer_is_zero_by_accident(number in number(), at in 0..64usize, by_file in any::<bool>()) {
        let names = timers();
        let key = key(names[at % names.len()]).unwrap();
        let text = written(number);
        let loaded = if by_file {
            parse(&format!("{} = {text}", key.name)).unwrap()
        } else {
            let name = key.variable();
            let environment = Environment::read(&|asked| (asked == name).then(|| text.clone().into()));
            load(None, &environment).unwrap()
        };
        let Kind::Resolved(range, _) = key.kind else { unreachable!() };
        let got: u16 = key.of(&loaded.settings).to_string().parse().unwrap();
        prop_assert!(got <= range.max);
        if !MAY_BE_0.contains(&key.name) {
            prop_assert!(got >= range.min.max(1), "{} = {text} gave {got}", key.name);
        } else if got == 0 {
            prop_assert!(number == 0.0 || range.default == 0, "{} = {text} gave 0", key.name);
        }
    }

    /// Nothing makes the reader panic, and what it reads it can write.
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}", at in 0..64usize) {
        let key = &KEYS[at % KEYS.len()];
        if let Ok(value) = key.read(&text) {
            let line = format!("{} = {value}", key.name);
            let loaded = parse(&line).unwrap_or_else(|fault| panic!("{line}: {fault:?}"));
            prop_assert_eq!(key.of(&loaded.settings), value);
        }
        let _ = parse(&text);
        let _ = parse(&format!("[waits]\nauto_wait_minutes = {text}"));
    }

    /// One key is set and taken out again: what stood beside it is there, byte for byte.
    #[test]
    fn set_and_unset_is_nothing(lines in proptest::collection::vec(line(), 0..8), crlf in any::<bool>()) {
        let nl = if crlf { "\r\n" } else { "\n" };
        let mut text: String = lines.iter().map(|line| format!("{line}{nl}")).collect();
        text.push_str(&format!("[waits] # w{nl}overdue_minutes = 9{nl}"));
        prop_assume!(parse(&text).is_ok());
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.toml");
        std::fs::write(&file, &text).unwrap();
        let key = key("waits.auto_wait_minutes").unwrap();
        set(&file, key, &key.read("45").unwrap()).unwrap();
        prop_assert!(std::fs::read_to_string(&file).unwrap().contains("auto_wait_minutes = 45"));
        prop_assert!(unset(&file, key.name).unwrap());
        prop_assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "# [ -~]{0,12}",
        Just("[guard]".to_owned()),
        Just("  policy = 'strict' # p".to_owned()),
        Just("[notify.desktop]".to_owned()),
        Just("enabled=true".to_owned()),
        Just("store.keep_days = 0x10".to_owned()),
        Just("view = { hide_repeated_auto_waits = true }".to_owned()),
    ]
}
