//! The sessions of this machine for who only reads: what the daemon has written down, and what it has not taken yet, folded through
//! the same translation and the same `step`. Without a daemon that is the spool alone.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::tz::TimeZone;
use wakeful_clients::abilities::abilities;
use wakeful_clients::{ClientState, Hook, Malformed, Readers, Translation, Unknowns, translate_hook_in};
use wakeful_core::board::Board;
use wakeful_core::effect::Effect;
use wakeful_core::event::{Event, EventKind, ExitCause, Source};
use wakeful_core::ids::SessionKey;
use wakeful_core::session::Session;
use wakeful_core::settings::Settings;
use wakeful_core::time::{Millis, Now, Wall};
use wakeful_core::view::SessionView;

use crate::spool::{self, Envelope, Skipped, Spool};
use crate::store::{Left, LogRow, Pos, Store, StoreError};

/// How far back a list looks: no wait is held longer than a day without a word, and three days cover a weekend.
pub const LOOK_BACK: Millis = Millis::minutes(3 * 24 * 60);

/// So much of a session's history is shown: more than anyone reads.
pub const HISTORY: u32 = 2000;

/// What there is to fold.
#[derive(Default)]
pub struct Found {
    /// The daemon's store, and what stands in it.
    pub kept: Option<(Store, Left)>,
    /// The events that are not in it.
    pub envelopes: Vec<Envelope>,
    /// What could not be read.
    pub skipped: Skipped,
}

/// Why the sessions could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The spool.
    #[error("the spool: {0}")]
    Spool(#[from] std::io::Error),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Looks for what there is in this state folder, events since the day of `since`.
///
/// # Errors
/// When the spool or the store is there and cannot be read.
pub fn find(state: &Path, since: Wall) -> Result<Found, FindError> {
    let spool = Spool::of(state);
    let Some(store) = Store::read(state)? else {
        let contents = spool::read(spool.dir(), since)?;
        return Ok(Found { kept: None, envelopes: contents.envelopes, skipped: contents.skipped });
    };
    // The store first: what the daemon takes between the two reads is then seen twice, and known by its delivery.
    let left = store.left(abilities)?;
    let after = spool::read_after(spool.dir(), &store.spool_taken()?)?;
    let mut envelopes = after.contents.envelopes;
    let mut wrong = None;
    envelopes.retain(|envelope| match store.has_taken(&envelope.id) {
        Ok(taken) => !taken,
        Err(error) => wrong.replace(error).is_some(),
    });
    match wrong {
        Some(error) => Err(error.into()),
        None => Ok(Found { kept: Some((store, left)), envelopes, skipped: after.contents.skipped }),
    }
}

/// What folding needs beside the events.
pub struct Fold<'a> {
    /// The settings in force.
    pub settings: &'a Settings,
    /// The zone of the clients' schedules.
    pub zone: &'a TimeZone,
    /// The readers of text and of commands.
    pub readers: Readers<'a>,
    /// Does this process live?
    pub alive: &'a dyn Fn(u32) -> bool,
}

/// The sessions as they stand.
pub struct Live {
    /// The sessions.
    pub board: Board,
    /// As of when.
    pub now: Now,
    /// What happened in each that the store does not have, oldest first.
    history: BTreeMap<SessionKey, Vec<Moment>>,
    /// Where the rest of the history is.
    store: Option<Store>,
    /// The revisions that the store knows.
    revisions: BTreeMap<SessionKey, Pos>,
    /// What could not be read.
    pub unread: Unread,
    /// Unknown events and fields.
    pub unknowns: Unknowns,
}

/// Something that happened in a session.
#[derive(Debug, Clone)]
pub struct Moment {
    /// When.
    pub at: Now,
    /// The event; `None` for what a timer, or the end of the process, has led to.
    pub event: Option<Event>,
    /// What followed from it.
    pub effects: Vec<Effect>,
}

impl Moment {
    /// Of a line of the log; `None` where settings came into force.
    pub fn of_log(row: LogRow) -> Option<Self> {
        let stepped = row.stepped?;
        let event = (stepped.event.source != Source::Timer).then_some(stepped.event);
        Some(Self { at: stepped.now, event, effects: stepped.effects })
    }
}

/// What could not be read, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Unread {
    /// What the spool itself skipped.
    #[serde(flatten)]
    pub skipped: Skipped,
    /// Payloads without a session, or no objects.
    pub malformed: u64,
    /// Payloads of clients that this version does not read.
    pub not_yet: u64,
}

/// Plays the events and lets time pass until `now`.
pub fn fold(found: Found, now: Now, by: &Fold<'_>) -> Live {
    let Found { kept, envelopes, skipped } = found;
    let (store, left) = kept.map_or((None, Left::default()), |(store, left)| (Some(store), left));
    let serving = left.sessions.iter().filter_map(|kept| {
        let session = &kept.session;
        Some((session.key.clone(), (session.place.pid?, session.last_event)))
    });
    let revisions = left.sessions.iter().map(|kept| (kept.session.key.clone(), kept.shown)).collect();
    let mut folding = Folding {
        by,
        serving: serving.collect(),
        cursor: left.now.or(envelopes.first().map(|envelope| envelope.at)).unwrap_or(now),
        said: left.said,
        live: Live {
            board: Board::restore(left.sessions.into_iter().map(|kept| kept.session), left.clearings),
            now,
            history: BTreeMap::new(),
            store,
            revisions,
            unread: Unread { skipped, ..Unread::default() },
            unknowns: left.unknowns,
        },
    };
    // An event of the future is one of before the wall clock was set back; it is not for this reader to drop it.
    envelopes.iter().for_each(|envelope| folding.take(envelope));
    folding.pass_until(now);
    folding.bury_the_dead(now);
    folding.live.board.take_journal();
    folding.live
}

impl Live {
    /// What happened in a session, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn history(&self, key: &SessionKey) -> Result<Vec<Moment>, StoreError> {
        let rows = self.store.as_ref().map(|store| store.history(key, HISTORY)).transpose()?;
        let kept = rows.into_iter().flatten().filter_map(Moment::of_log);
        Ok(kept.chain(self.history.get(key).into_iter().flatten().cloned()).collect())
    }

    /// What an action on the session must name. `None` where nobody has written it down, or where something has happened since.
    pub fn revision(&self, session: &Session) -> Option<Pos> {
        let since = self.history.contains_key(&session.key);
        self.revisions.get(&session.key).copied().filter(|_| !since)
    }

    /// The views of all sessions.
    pub fn views(&self) -> impl Iterator<Item = SessionView> {
        self.board.sessions().map(|session| SessionView::of(session, self.now))
    }
}

struct Folding<'a> {
    by: &'a Fold<'a>,
    live: Live,
    /// What a client has said in one payload and means with the next (Cursor's last message).
    said: ClientState,
    /// The process that serves each session, and the boot in which its id means something.
    serving: BTreeMap<SessionKey, (u32, Now)>,
    cursor: Now,
}

impl Folding<'_> {
    fn take(&mut self, envelope: &Envelope) {
        let Some(payload) = envelope.payload.raw() else { return };
        self.pass_until(envelope.at);
        let ctx = Translation { now: envelope.at, zone: self.by.zone, readers: self.by.readers };
        let hook = Hook {
            client: envelope.client,
            event_arg: envelope.event.as_deref(),
            payload: payload.as_bytes(),
            started: Some(envelope.at.boot),
        };
        let events = translate_hook_in(&mut self.said, hook, &ctx, &mut self.live.unknowns);
        match events {
            Ok(events) => events.into_iter().for_each(|event| self.apply(envelope, event)),
            Err(Malformed::NotYet(_)) => self.live.unread.not_yet += 1,
            Err(_) => self.live.unread.malformed += 1,
        }
    }

    fn apply(&mut self, envelope: &Envelope, mut event: Event) {
        if let EventKind::SessionStarted { place, .. } = &mut event.kind {
            place.pid = envelope.pid;
            place.tmux_pane.clone_from(&envelope.tmux);
        }
        if let Some(pid) = envelope.pid {
            self.serving.insert(event.session.clone(), (pid, envelope.at));
        }
        self.step(envelope.at, event);
    }

    fn step(&mut self, at: Now, event: Event) {
        let effects = self.live.board.apply(at, self.by.settings, abilities, &event);
        let mut of_others = Vec::new();
        let mut own = Vec::new();
        for (key, effect) in effects {
            if key == event.session { own.push(effect) } else { of_others.push((at, key, effect)) }
        }
        let key = event.session.clone();
        self.live.history.entry(key).or_default().push(Moment { at, event: Some(event), effects: own });
        self.note(of_others);
    }

    fn pass_until(&mut self, to: Now) {
        let fired = self.live.board.advance(self.cursor, to, self.by.settings, abilities);
        self.cursor = to;
        self.note(fired);
    }

    fn note(&mut self, effects: Vec<(Now, SessionKey, Effect)>) {
        for (at, key, effect) in effects {
            let moments = self.live.history.entry(key).or_default();
            match moments.last_mut() {
                Some(last) if last.event.is_none() && last.at == at => last.effects.push(effect),
                _ => moments.push(Moment { at, event: None, effects: vec![effect] }),
            }
        }
    }

    /// S9: a process that is gone without a word. One of an earlier boot is gone for certain.
    fn bury_the_dead(&mut self, now: Now) {
        let serving = std::mem::take(&mut self.serving);
        for (session, (pid, seen)) in serving {
            let ended = self.live.board.get(&session).is_none_or(|session| session.ended.is_some());
            if ended || (seen.boot_id == now.boot_id && (self.by.alive)(pid)) {
                continue;
            }
            let kind = EventKind::ProcessExited { cause: ExitCause::Unknown };
            let source = Source::Process;
            self.step(
                now,
                Event { session, source, turn: None, agent: None, epoch: None, started: None, kind },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use wakeful_core::causes::Reason;
    use wakeful_core::ids::Client;
    use wakeful_core::reading::Reading;
    use wakeful_core::session::Status;
    use wakeful_core::time::{Boot, BootId, Wall};

    use super::*;
    use crate::spool::{DeliveryId, Payload, VERSION};

    const START: Now = Now { wall: Wall(1_800_000_000_000), boot: Boot(5000), boot_id: BootId(7) };

    fn envelope(secs: u64, payload: &str) -> Envelope {
        Envelope {
            v: VERSION,
            id: DeliveryId(secs.to_string()),
            client: Client::ClaudeCode,
            event: None,
            via: None,
            at: START.plus(Millis::secs(secs)),
            pid: Some(4711),
            tmux: Some("%3".to_owned()),
            payload: Payload::of(payload.as_bytes()),
            guard: None,
        }
    }

    fn story() -> Vec<Envelope> {
        [
            (0, r#"{"session_id":"s1","hook_event_name":"SessionStart","source":"startup","cwd":"/home/eve/shop"}"#),
            (1, r#"{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt_id":"p1","prompt":"build the shop"}"#),
            (
                9,
                r#"{"session_id":"s1","hook_event_name":"Stop","prompt_id":"p1","last_assistant_message":"Built.",
                "background_tasks":[{"id":"b1","type":"subagent","status":"running","description":"review"}],"session_crons":[]}"#,
            ),
        ]
        .map(|(secs, payload)| envelope(secs, payload))
        .to_vec()
    }

    fn view(envelopes: &[Envelope], minutes: u64, alive: bool) -> SessionView {
        let readers = Readers { read: &|_, _| Reading::default(), never_ends: &|_| None };
        let (settings, zone, alive) = (Settings::default(), TimeZone::UTC, |_| alive);
        let by = Fold { settings: &settings, zone: &zone, readers, alive: &alive };
        let found = Found { envelopes: envelopes.to_vec(), ..Found::default() };
        fold(found, START.plus(Millis::minutes(minutes)), &by).views().next().unwrap()
    }

    #[test]
    fn the_list_is_what_step_makes_of_the_spool() {
        let view = view(&story(), 5, true);
        assert_eq!((view.status, view.label.as_deref()), (Status::Waiting, Some("build the shop")));
        assert_eq!((view.waits.len(), view.cwd.as_deref()), (1, Some("/home/eve/shop")));
        assert_eq!(view.until.unwrap().left, Millis::secs(25 * 60 + 9));
    }

    /// C8: registered in the settings and in a plugin, every hook runs twice.
    #[test]
    fn the_same_hook_registered_twice_acts_once() {
        let twice: Vec<Envelope> = story()
            .into_iter()
            .flat_map(|envelope| {
                let mut again = envelope.clone();
                again.id = DeliveryId(format!("{}-again", envelope.id.0));
                again.at = envelope.at.plus(Millis(3));
                [envelope, again]
            })
            .collect();
        assert_eq!(view(&twice, 5, true), view(&story(), 5, true));
    }

    /// Cursor says its last message in one payload and ends the turn with the next.
    #[test]
    fn what_cursor_said_is_read_when_its_turn_ends() {
        let payloads = [
            r#"{"conversation_id":"c1","generation_id":"g1","hook_event_name":"beforeSubmitPrompt","prompt":"tidy up"}"#,
            r#"{"conversation_id":"c1","generation_id":"g1","hook_event_name":"afterAgentResponse","text":"Tidied."}"#,
            r#"{"conversation_id":"c1","generation_id":"g1","hook_event_name":"stop","status":"completed","loop_count":0}"#,
        ];
        let cursor = |(at, payload): (usize, &&str)| Envelope {
            client: Client::Cursor,
            pid: None,
            ..envelope(at as u64, payload)
        };
        let envelopes: Vec<Envelope> = payloads.iter().enumerate().map(cursor).collect();
        assert_eq!(view(&envelopes, 5, true).status, Status::NeedsYou(Reason::Done));
    }

    #[test]
    fn timers_fire_up_to_now() {
        assert_eq!(view(&story(), 29, true).status, Status::Waiting);
        assert_eq!(view(&story(), 31, true).status, Status::NeedsYou(Reason::WaitTimeout));
    }

    #[test]
    fn a_process_that_is_gone_is_an_orphan() {
        assert_eq!(view(&story(), 5, false).status, Status::NeedsYou(Reason::Orphaned));
        let mut other_boot = story();
        other_boot.iter_mut().for_each(|envelope| envelope.at.boot_id = BootId(6));
        assert_eq!(view(&other_boot, 5, true).status, Status::NeedsYou(Reason::Orphaned));
        let mut ended = story();
        ended.push(envelope(
            20,
            r#"{"session_id":"s1","hook_event_name":"SessionEnd","reason":"prompt_input_exit"}"#,
        ));
        assert_eq!(view(&ended, 5, false).status, Status::Ended);
    }

    #[test]
    fn what_cannot_be_read_is_counted() {
        let mut envelopes = story();
        envelopes.push(envelope(21, r#"{"hook_event_name":"Stop"}"#));
        let mut other = envelope(22, r#"{"session_id":"x"}"#);
        other.client = Client::Gemini;
        envelopes.push(other);
        let readers = Readers { read: &|_, _| Reading::default(), never_ends: &|_| None };
        let by = Fold { settings: &Settings::default(), zone: &TimeZone::UTC, readers, alive: &|_| true };
        let live = fold(Found { envelopes, ..Found::default() }, START.plus(Millis::minutes(1)), &by);
        assert_eq!((live.unread.malformed, live.unread.not_yet), (1, 1));
        assert_eq!(live.history.len(), 1);
    }
}
