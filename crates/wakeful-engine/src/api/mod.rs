//! HTTP and JSON for programs: on a Unix socket, and on a loopback port where the settings name one (spec 70, "API").

mod actions;
mod backend;
mod body;
pub mod client;
mod doors;
mod events;
mod hook;
mod listen;
mod openapi;
mod problem;
mod query;
mod record;
mod router;
mod run;
mod sessions;
mod token;

pub use backend::{Answer, Backend};
pub use listen::{listen_tcp, listen_unix};
pub use openapi::document;
pub use problem::Problem;
pub use router::{Api, local, loopback};
pub use run::run;
pub use token::{Token, TokenError};
