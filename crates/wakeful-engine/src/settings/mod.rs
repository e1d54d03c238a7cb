//! The settings of Wakeful (spec 70): one TOML file, overrides by the environment, kill switches.
//!
//! Everything goes by one table of keys ([`KEYS`]): the file, the environment, `wakeful settings` and the reference.

mod current;
mod edit;
mod effective;
mod environment;
mod error;
mod keys;
mod kind;
mod load;
mod notify;
mod quiet_hours;
pub mod reference;
mod table;
mod value;

pub use current::Current;
pub use edit::{EditError, Editing, replace, set, start_editing, unset};
pub use effective::{ApiSettings, AuditSettings, Effective, StoreSettings, ViewSettings};
pub use environment::Environment;
pub use error::{Place, Problem, SettingsError};
pub use keys::{Key, key, suggestion};
pub use kind::Kind;
pub use load::{Loaded, Origin, load, parse};
pub use notify::{ChannelSettings, CommandChannel, Content, NotifySettings, UrlChannel};
pub use quiet_hours::QuietHours;
pub use table::KEYS;
pub use value::Value;
