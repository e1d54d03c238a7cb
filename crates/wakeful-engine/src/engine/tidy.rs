//! What is no longer needed goes, from the store and from memory.

use wakeful_core::time::Now;

use super::take::Engine;
use crate::store::{Keep, Pruned, StoreError};

impl Engine {
    /// Removes what is older than is to be kept.
    ///
    /// # Errors
    /// When the store cannot be written; nothing is removed then.
    pub fn tidy(&mut self, now: Now, keep: Keep) -> Result<Pruned, StoreError> {
        let ended: Vec<_> = self
            .board
            .sessions()
            .filter(|session| session.ended.is_some())
            .map(|session| (session.key.clone(), session.last_event.wall))
            .collect();
        let pruned = self.store.prune(keep, now.wall, &ended)?;
        for key in &pruned.sessions {
            self.forget(key);
        }
        Ok(pruned)
    }
}
