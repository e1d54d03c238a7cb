//! What stands in the settings files, before it is laid out in every way. `@E` is an event that set-up registers, `@H` a foreign
//! hook, and `@O` an older one of ours, each as the client writes it.

use wakeful_core::ids::Client;

/// One body.
pub(crate) struct Body {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    /// There are entries of ours in it already.
    pub(crate) ours: bool,
}

const fn body(name: &'static str, text: &'static str) -> Body {
    Body { name, text, ours: false }
}

const fn with_ours(name: &'static str, text: &'static str) -> Body {
    Body { name, text, ours: true }
}

/// The bodies, with line feeds and two spaces.
pub(crate) const BODIES: [Body; 26] = [
    body("empty file", ""),
    body("white space only", "  \n\n"),
    body("a comment only", "// nothing here yet\n"),
    body("empty object", "{}\n"),
    body("empty object over lines", "{\n}\n"),
    body("empty object with a comment", "{ // later\n}\n"),
    body("no hooks", "{\n  \"model\": \"large\",\n  \"env\": { \"A\": \"1\" }\n}\n"),
    body("empty hooks", "{\n  \"hooks\": {},\n  \"model\": \"large\"\n}\n"),
    body("empty list", "{\n  \"hooks\": {\n    \"@E\": []\n  }\n}\n"),
    body("empty list with a comment", "{\n  \"hooks\": {\n    \"@E\": [ /* none */ ]\n  }\n}\n"),
    body("foreign hook of the same event", "{\n  \"hooks\": {\n    \"@E\": [\n      @H\n    ]\n  }\n}\n"),
    body(
        "two foreign hooks",
        "{\n  \"hooks\": {\n    \"@E\": [\n      @H,\n      @H\n    ],\n    \"Later\": 7\n  }\n}\n",
    ),
    body("all on one line", "{\"hooks\":{\"@E\":[@H]},\"model\":\"large\"}\n"),
    body("all on one line, spaced", "{ \"model\": \"large\", \"hooks\": { \"@E\": [ @H ] } }\n"),
    body("trailing commas", "{\n  \"hooks\": {\n    \"@E\": [\n      @H,\n    ],\n  },\n}\n"),
    body(
        "comments everywhere",
        "// head\n{ // open\n  /* before */ \"hooks\": /* value */ { // in\n    \"@E\": [ // list\n      @H // mine, \"quoted\"\n      \
         // last }\n    ] /* , */\n    // end\n  } // hooks\n  // tail ]\n} // done\n// foot\n",
    ),
    body(
        "commas before comments",
        "{\n  \"hooks\": {\n    \"@E\": [\n      @H, // mine\n      // last\n    ], // list\n  }, // all\n}\n",
    ),
    body(
        "doubled names",
        "{\n  \"hooks\": { \"@E\": [@H] },\n  \"a\": 1,\n  \"a\": 2,\n  \"hooks\": {\n    \"@E\": [@H],\n    \"@E\": [@H]\n  }\n}\n",
    ),
    body(
        "unknown fields",
        "{\n  \"hooks\": {\n    \"@E\": [\n      @H\n    ],\n    \"Tomorrow\": { \"deep\": [[], {}, null] }\n  },\n  \"n\": -1.50E+3\n}\n",
    ),
    body(
        "escaped names",
        "{\n  \"hoo\\u006bs\": {\n    \"@E\": [\n      @H\n    ]\n  },\n  \"q\\\"\\\\\": \"\\u00e9\\t/\"\n}\n",
    ),
    body(
        "our words in a foreign text",
        "{\n  \"note\": \"/opt/wakeful hook codex\",\n  \"hooks\": {\n    \"@E\": [\n      @M\n    ]\n  }\n}\n",
    ),
    body("odd indentation", "{\n \"model\": \"large\",\n         \"hooks\": {\n   \"@E\": [\n  @H]}}\n"),
    with_ours("an older one at another path", "{\n  \"hooks\": {\n    \"@E\": [\n      @O\n    ]\n  }\n}\n"),
    with_ours(
        "an older one between foreign ones",
        "{\n  \"hooks\": {\n    \"@E\": [\n      @H,\n      @O,\n      @H\n    ]\n  }\n}\n",
    ),
    with_ours(
        "older ones for events that are no more",
        "{\n  \"hooks\": {\n    \"@E\": [@H, @O, @O],\n    \"Bygone\": [@O]\n  }\n}\n",
    ),
    with_ours(
        "an older one with escapes",
        "{\n  \"hooks\": {\n    \"@E\": [\n      @U\n    ]\n  },\n  \"model\": \"large\",\n}\n",
    ),
];

/// The text of `body` as `client` writes it.
pub(crate) fn text(body: &Body, client: Client) -> String {
    let hook = |command: &str| match client {
        Client::Cursor => format!("{{ \"command\": \"{command}\", \"timeout\": 7, \"future\": true }}"),
        _ => format!(
            "{{ \"hooks\": [ {{ \"type\": \"command\", \"command\": \"{command}\", \"timeout\": 7 }} ] }}"
        ),
    };
    let event = if client == Client::Cursor { "stop" } else { "Stop" };
    body.text
        .replace("@E", event)
        .replace("@H", &hook("make lint # ] }"))
        .replace("@M", &hook("echo /opt/wakeful hook codex"))
        .replace("@O", &hook(&format!("/old/wakeful hook {client}")))
        .replace("@U", &hook(&format!("'/old place/wakef\\u0075l' hook {client}")))
}
