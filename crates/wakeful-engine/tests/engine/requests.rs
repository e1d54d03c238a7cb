//! User requests by their idempotency keys (spec 70).

use wakeful_core::event::{Event, EventKind, Opener, Source, UserAction};
use wakeful_core::ids::{Client, Digest, SessionId, SessionKey};
use wakeful_core::session::Status;
use wakeful_engine::engine::{Act, Input, Outcome};

use super::rig::Rig;

fn session() -> SessionKey {
    SessionKey { client: Client::ClaudeCode, id: SessionId::new("one") }
}

fn act(action: UserAction) -> Input {
    Input::Act(Box::new(Act { session: session(), action, seen: None, key: Some("key".to_owned()) }))
}

/// A session that nobody has put away.
fn rig() -> Rig {
    let mut rig = Rig::new(false);
    let now = rig.now;
    let kind = EventKind::PromptSubmitted {
        opener: Opener::User,
        digest: Digest(1),
        reports: Vec::new(),
        label: "go".to_owned(),
    };
    let event = Event {
        session: session(),
        source: Source::Hook,
        turn: None,
        agent: None,
        epoch: None,
        started: None,
        kind,
    };
    rig.engine().take(now, vec![Input::Event(Box::new(event))]).unwrap();
    rig
}

fn steps(rig: &mut Rig) -> usize {
    let lines = rig.engine().store().log(Some(&session()), wakeful_engine::store::Pos(0), 1000).unwrap();
    lines.len()
}

#[test]
fn the_same_request_again_is_answered_and_not_done_again() {
    let mut rig = rig();
    let now = rig.now;
    let snooze = || act(UserAction::Snooze { minutes: 30 });
    // Twice in one batch, and once more after it.
    let took = rig.engine().take(now, vec![snooze(), snooze()]).unwrap();
    assert_eq!(took.outcomes, [Outcome::Taken, Outcome::Taken]);
    let after = steps(&mut rig);
    assert_eq!(rig.engine().take(now, vec![snooze()]).unwrap().outcomes, [Outcome::Taken]);
    assert_eq!((steps(&mut rig), after), (2, 2));
}

#[test]
fn a_key_used_for_something_else_is_another_request() {
    let mut rig = rig();
    let now = rig.now;
    rig.engine().take(now, vec![act(UserAction::Snooze { minutes: 30 })]).unwrap();
    assert_eq!(rig.engine().take(now, vec![act(UserAction::Stop)]).unwrap().outcomes, [Outcome::Taken]);
    assert_eq!(steps(&mut rig), 3);
    assert_ne!(rig.engine().session(&session()).unwrap().status(), Status::Snoozed);
}
