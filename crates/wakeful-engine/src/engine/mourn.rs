//! S9: processes that are gone without a word.

use wakeful_core::event::{EventKind, ExitCause, Source};
use wakeful_core::time::Now;

use super::input::Input;
use super::take::{Engine, event};

impl Engine {
    /// The ends of processes that no longer live, as inputs. A process of an earlier boot is gone for certain.
    /// Once taken, an end is not told again before the session is heard of anew.
    pub fn gone(&self, now: Now, alive: impl Fn(u32) -> bool) -> Vec<Input> {
        let lost = self.board.sessions().filter(|session| {
            let serving = self.serving.get(&session.key);
            session.ended.is_none()
                && !self.buried.contains(&session.key)
                && match serving {
                    Some((pid, seen)) => seen.boot_id != now.boot_id || !alive(*pid),
                    None => session.last_event.boot_id != now.boot_id,
                }
        });
        let input = |session: &wakeful_core::session::Session| {
            let kind = EventKind::ProcessExited { cause: ExitCause::Unknown };
            let mut event = event(session.key.clone(), Source::Process, kind);
            event.epoch = Some(session.epoch);
            Input::Event(Box::new(event))
        };
        lost.map(input).collect()
    }
}
