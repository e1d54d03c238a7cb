//! A ring to ring.

use wakeful_core::causes::Reason;
use wakeful_core::ids::{Client, SessionId, SessionKey};
use wakeful_core::time::{Boot, BootId, Now, Wall};
use wakeful_engine::notify::ring::{Ring, RingId, RingSession};
use wakeful_engine::settings::NotifySettings;

/// 15 January 2027, 08:00 in UTC.
pub const AT: Now = Now { wall: Wall(1_800_000_000_000), boot: Boot(1), boot_id: BootId(1) };

/// All channels off.
pub fn silent() -> NotifySettings {
    let mut settings = NotifySettings::default();
    settings.desktop.enabled = false;
    settings
}

/// A question of a session, with a secret in it.
pub fn ring(settings: NotifySettings) -> Ring {
    Ring {
        id: RingId::of_row(7, AT.wall),
        at: AT,
        session: RingSession {
            key: SessionKey { client: Client::Codex, id: SessionId::new("0198c2f4-77aa") },
            name: None,
            project: Some("orchard".to_owned()),
            label: Some("prune the trees".to_owned()),
        },
        reason: Reason::Question,
        detail: Some("May I run `deploy --token s3cret`?".to_owned()),
        pid: None,
        tmux_pane: None,
        settings,
    }
}
