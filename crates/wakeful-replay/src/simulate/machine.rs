//! What a scenario is played on. The program plays it on its real engine and store; this crate knows neither.

use wakeful_core::event::{Event, UserAction};
use wakeful_core::ids::{Client, SessionKey};
use wakeful_core::settings::{MatchMode, Settings};
use wakeful_core::time::{Millis, Now};
use wakeful_core::view::SessionView;

/// A call of the hook: what the client writes.
#[derive(Debug, Clone, Copy)]
pub struct HookCall<'a> {
    /// The client.
    pub client: Client,
    /// The payload, byte for byte.
    pub payload: &'a str,
    /// The event's name on the command line, where the payload has none.
    pub event: Option<&'a str>,
}

/// The settings that are in force.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InForce {
    /// Those of decisions.
    pub core: Settings,
    /// How strictly messages are read.
    pub match_mode: MatchMode,
}

/// What is found at a start that hooks have not said.
#[derive(Debug, Default)]
pub struct Found {
    /// What the transcripts say beyond what had been read of them.
    pub events: Vec<Event>,
    /// Sessions whose processes are not there any more; after a restart of the machine that need not be said.
    pub gone: Vec<SessionKey>,
}

/// Wakeful on a machine whose clocks are virtual: time is what it is told. Every call but [`Machine::hook`] is made only while it runs.
pub trait Machine {
    /// Why something could not be done.
    type Error;

    /// A client calls the hook, also while Wakeful is down.
    ///
    /// # Errors
    /// When the event cannot be written down.
    fn hook(&mut self, now: Now, call: HookCall<'_>) -> Result<(), Self::Error>;

    /// Something was seen otherwise: a line of a transcript, a call of a tool of Wakeful's, the end of a process.
    ///
    /// # Errors
    /// When it cannot be written down.
    fn event(&mut self, now: Now, event: Event) -> Result<(), Self::Error>;

    /// The user acts.
    ///
    /// # Errors
    /// When that cannot be written down.
    fn act(&mut self, now: Now, session: SessionKey, action: UserAction) -> Result<(), Self::Error>;

    /// These settings hold from now on.
    ///
    /// # Errors
    /// When that cannot be written down.
    fn settings(&mut self, now: Now, settings: &InForce) -> Result<(), Self::Error>;

    /// It looks at its timers.
    ///
    /// # Errors
    /// When what follows cannot be written down.
    fn tick(&mut self, now: Now) -> Result<(), Self::Error>;

    /// Time until it wants to look at them again.
    fn next_timer(&self, now: Now) -> Option<Millis>;

    /// It is killed: it can do nothing more.
    fn kill(&mut self);

    /// It is back.
    ///
    /// # Errors
    /// When what was left cannot be read, or what is found cannot be written down.
    fn start(&mut self, now: Now, settings: &InForce, found: Found) -> Result<(), Self::Error>;

    /// The sessions that it knows.
    fn sessions(&self) -> Vec<SessionKey>;

    /// What people see of a session, notifications and check-ins that were carried out included.
    fn view(&self, key: &SessionKey, now: Now) -> Option<SessionView>;
}
