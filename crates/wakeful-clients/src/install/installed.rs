//! Which programs the entries in a settings file call, for `doctor` (C9).

use std::collections::BTreeSet;

use jsonc_parser::ast::Value;

use super::command::program_of;
use super::document::{Document, last};
use super::shape::our_hook;

/// The programs that our entries in this settings file call, as they are written there. None where the file does not parse.
pub fn our_programs(bytes: &[u8]) -> BTreeSet<String> {
    let mut programs = BTreeSet::new();
    if let Ok(document) = Document::parse(bytes)
        && let Some(root) = &document.root
    {
        collect(root, &mut programs);
    }
    programs
}

fn collect(value: &Value<'_>, programs: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            if our_hook(value)
                && let Some(command) = last(object, "command").and_then(|found| found.value.as_string_lit())
            {
                programs.extend(program_of(&command.value));
            }
            object.properties.iter().for_each(|property| collect(&property.value, programs));
        }
        Value::Array(list) => list.elements.iter().for_each(|element| collect(element, programs)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_in_groups_and_flat_and_no_others() {
        let text = r#"{ // mine
            "hooks": {"Stop": [{"hooks": [
                {"type": "command", "command": "'/opt/my tools/wakeful' hook claude-code"},
                {"type": "command", "command": "beep"}]}],
              "stop": [{"command": "wakeful hook cursor"}]}}"#;
        let expected = BTreeSet::from(["/opt/my tools/wakeful".to_owned(), "wakeful".to_owned()]);
        assert_eq!(our_programs(text.as_bytes()), expected);
        assert!(our_programs(b"{").is_empty() && our_programs(b"").is_empty());
    }
}
