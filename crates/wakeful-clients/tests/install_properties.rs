//! Set-up and removal over made-up settings files: sound ones in every layout, and plain noise.

use proptest::prelude::*;
use wakeful_clients::install::probe;

/// What may stand between two tokens.
fn space() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::new()),
        3 => Just(" ".to_owned()),
        3 => Just("\n  ".to_owned()),
        2 => Just("\r\n\t".to_owned()),
        1 => Just(" // a note, \"with\" {marks}\n".to_owned()),
        1 => Just("/* a block, ] */".to_owned()),
        1 => Just("\n/* two\nlines */ ".to_owned()),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just("hooks".to_owned()),
        2 => Just("Stop".to_owned()),
        2 => Just("stop".to_owned()),
        1 => Just("PreToolUse".to_owned()),
        1 => Just("matcher".to_owned()),
        1 => Just("version".to_owned()),
        1 => Just("command".to_owned()),
        1 => Just("hoo\\u006bs".to_owned()),
        2 => "[a-c]{0,2}",
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("1".to_owned()),
        Just("-2.5e3".to_owned()),
        Just("true".to_owned()),
        Just("null".to_owned()),
        Just(r#""""#.to_owned()),
        Just(r#""Bash""#.to_owned()),
        Just(r#""echo wakeful hook codex""#.to_owned()),
        Just(r#""/old/wakeful hook codex""#.to_owned()),
        Just(r#""'/old place/wakeful' hook \u0063ursor""#.to_owned()),
        Just(r#""// no comment, }""#.to_owned()),
    ]
}

fn list(
    open: char,
    close: char,
    children: Vec<(String, String, String)>,
    end: &str,
    trailing: bool,
) -> String {
    let mut out = String::from(open);
    let count = children.len();
    for (index, (before, child, after)) in children.into_iter().enumerate() {
        out.extend([before, child, after]);
        if index + 1 < count || trailing {
            out.push(',');
        }
    }
    out.push_str(end);
    out.push(close);
    out
}

fn value() -> impl Strategy<Value = String> {
    scalar().prop_recursive(7, 60, 4, |inner| {
        let element = (space(), inner.clone(), space());
        let property = (space(), key(), space(), space(), inner, space()).prop_map(|(a, key, b, c, value, d)| {
            (a, format!("\"{key}\"{b}:{c}{value}"), d)
        });
        prop_oneof![
            1 => (prop::collection::vec(element, 0..4), space(), any::<bool>()).prop_map(|(children, end, trailing)| {
                list('[', ']', children, &end, trailing)
            }),
            2 => (prop::collection::vec(property, 0..4), space(), any::<bool>()).prop_map(
                |(children, end, trailing)| list('{', '}', children, &end, trailing)
            ),
        ]
    })
}

/// One hook, ours or not.
fn hook() -> impl Strategy<Value = String> {
    let command = prop_oneof![
        Just("make lint"),
        Just("echo 'wakeful hook codex'"),
        Just("/old/wakeful hook codex"),
        Just("'/opt/wakeful' hook claude-code"),
        Just("'/opt/wakeful' hook cursor"),
    ];
    (space(), command, space(), any::<bool>(), space()).prop_map(|(a, command, b, timeout, c)| {
        let timeout = if timeout { ", \"timeout\": 5" } else { "" };
        format!("{{{a}\"type\": \"command\",{b}\"command\": \"{command}\"{timeout}{c}}}")
    })
}

/// A settings file with the known shape, or nearly.
fn settings() -> impl Strategy<Value = String> {
    let element = prop_oneof![
        2 => hook(),
        4 => (space(), prop::collection::vec((space(), hook(), space()), 0..3), space(), any::<bool>(), any::<bool>())
            .prop_map(|(a, hooks, end, trailing, matcher)| {
                let matcher = if matcher { "\"matcher\": \"Bash\", " } else { "" };
                format!("{{{a}{matcher}\"hooks\":{}}}", list('[', ']', hooks, &end, trailing))
            }),
    ];
    let event =
        prop_oneof![Just("Stop"), Just("stop"), Just("PreToolUse"), Just("SessionEnd"), Just("Other")];
    let elements = (prop::collection::vec((space(), element, space()), 0..3), space(), any::<bool>());
    let property =
        (space(), event, space(), elements).prop_map(|(a, event, b, (children, end, trailing))| {
            (a, format!("\"{event}\":{b}{}", list('[', ']', children, &end, trailing)), String::new())
        });
    let hooks = (prop::collection::vec(property, 0..3), space(), any::<bool>());
    let other = (space(), value(), any::<bool>(), any::<bool>());
    (hooks, other, space(), space()).prop_map(|((events, end, trailing), (gap, value, first, last), c, d)| {
        let hooks = format!("\"hooks\":{}", list('{', '}', events, &end, trailing));
        let other = format!("\"other\":{value}");
        let children = if first { [hooks, other] } else { [other, hooks] };
        let children = children.map(|child| (gap.clone(), child, String::new())).to_vec();
        format!("{c}{}{d}", list('{', '}', children, &gap, last))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn settings_with_the_known_shape(text in settings(), bom in any::<bool>()) {
        let text = if bom { format!("\u{feff}{text}") } else { text };
        probe::settings(text.as_bytes());
    }

    #[test]
    fn any_json_with_comments(before in space(), text in value(), after in space()) {
        probe::settings(format!("{before}{text}{after}").as_bytes());
    }

    #[test]
    fn noise(text in r#"[\[\]{},:"\\/*\n a-c0-9]{0,60}"#) {
        probe::settings(text.as_bytes());
    }

    #[test]
    fn bytes(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        probe::settings(&bytes);
    }
}
