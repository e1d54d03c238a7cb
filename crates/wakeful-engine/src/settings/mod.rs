//! The settings of Wakeful (spec 70): one TOML file, environment overrides, kill switches.

mod notify;
mod quiet_hours;

pub use notify::{ChannelSettings, CommandChannel, Content, NotifySettings, UrlChannel};
pub use quiet_hours::QuietHours;
