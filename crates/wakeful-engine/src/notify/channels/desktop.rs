//! A notification of the desktop: freedesktop's over D-Bus on Linux, the system's own elsewhere.

use notify_rust::Notification;

use crate::notify::ring::{Did, Skip};
use crate::notify::text::Text;
use crate::paths::Env;

/// Shows it. May take long where the desktop does not answer: the caller bounds it.
pub fn ring(text: &Text, env: Env<'_>) -> Did {
    if !has_desktop(env) {
        return Did::Skipped(Skip::NoDesktop);
    }
    let body = if takes_markup() { escaped(&text.body) } else { text.body.clone() };
    let shown = Notification::new().appname("Wakeful").summary(&text.title).body(&body).show();
    match shown {
        Ok(_) => Did::Rung,
        Err(error) => failed(&error.to_string()),
    }
}

/// A bus where nobody shows notifications is one of a server, or of a login over SSH.
fn failed(why: &str) -> Did {
    // The name of the error is the only thing that tells it, and D-Bus fixes that name.
    if why.contains("org.freedesktop.DBus.Error.ServiceUnknown") {
        return Did::Skipped(Skip::NoDesktop);
    }
    Did::Failed(one_line(why))
}

/// Is there a session bus? Where there is none, as on a server, nobody sits at a desktop.
#[cfg(all(unix, not(target_os = "macos")))]
fn has_desktop(env: Env<'_>) -> bool {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    set("DBUS_SESSION_BUS_ADDRESS").is_some()
        || set("XDG_RUNTIME_DIR").is_some_and(|dir| std::path::Path::new(&dir).join("bus").exists())
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn has_desktop(_: Env<'_>) -> bool {
    true
}

/// Does the desktop read `<b>` and `&amp;` in a body? An agent's text must be seen as it is, and without being obeyed.
#[cfg(all(unix, not(target_os = "macos")))]
fn takes_markup() -> bool {
    let capabilities = notify_rust::get_capabilities().unwrap_or_default();
    capabilities.iter().any(|capability| capability == "body-markup")
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn takes_markup() -> bool {
    false
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The first line of a long story, bounded.
fn one_line(text: &str) -> String {
    /// Characters: enough for the name of the error and what it is about.
    const MOST: usize = 160;
    crate::notify::text::one_line(text).chars().take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_desktop_is_one_with_a_bus() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = |name: &str| (name == "XDG_RUNTIME_DIR").then(|| dir.path().into());
        if cfg!(all(unix, not(target_os = "macos"))) {
            assert!(!has_desktop(&|_| None) && !has_desktop(&|_| Some(std::ffi::OsString::new())));
            assert!(!has_desktop(&runtime));
            std::fs::write(dir.path().join("bus"), "").unwrap();
            assert!(has_desktop(&runtime));
        }
    }

    #[test]
    fn markup_is_seen_and_not_obeyed() {
        assert_eq!(escaped("if a < b && c > d"), "if a &lt; b &amp;&amp; c &gt; d");
    }
}
