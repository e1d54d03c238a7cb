//! Keys and the mouse: what they do to the model, and what they ask for.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use wakeful_core::event::{EventKind, Opener, SessionEnd, UserAction};
use wakeful_core::ids::TaskId;
use wakeful_replay::backtest::Truth;

use super::world::{World, closes, crowd, morning, nothing, press, session};
use crate::tui::actions::{Actions, Refusal};
use crate::tui::app::{Command, Message, Mode, Model, Notice, Pane, Target};
use crate::tui::jump::Went;

fn selected(model: &Model) -> &str {
    model.selected.as_ref().map_or("", |key| key.id.as_str())
}

/// The actions among the commands: session, revision, action.
fn acts(commands: &[Command]) -> Vec<(String, u64, UserAction)> {
    let act = |command: &Command| match command {
        Command::Act(target, action) => Some((target.session.id.0.clone(), target.seen, action.clone())),
        _ => None,
    };
    commands.iter().filter_map(act).collect()
}

#[test]
fn the_newest_that_needs_the_user_is_first() {
    let mut model = morning().model((80, 24));
    let mut order = vec![selected(&model).to_owned()];
    for _ in 0..6 {
        press(&mut model, "j");
        order.push(selected(&model).to_owned());
    }
    assert_eq!(order, ["permits", "done", "asks", "wakes", "waits", "works", "works"]);
    press(&mut model, "e<end>");
    assert_eq!(selected(&model), "over");
    press(&mut model, "e");
    assert_eq!(selected(&model), "permits", "what is folded away cannot stay selected");
    press(&mut model, "<down>k");
    assert_eq!(selected(&model), "permits");
}

#[test]
fn keys_become_actions_with_the_revision_that_was_seen() {
    let world = morning();
    let mut model = world.model((80, 24));
    press(&mut model, "<down><down><down><down>");
    let seen = model.row().unwrap().view.revision;
    assert!(seen > 0);
    let of = |action| vec![("waits".to_owned(), seen, action)];
    assert_eq!(acts(&press(&mut model, "K")), of(UserAction::KeepWaiting));
    assert_eq!(acts(&press(&mut model, "c")), of(UserAction::CheckIn));
    assert_eq!(acts(&press(&mut model, "d")), of(UserAction::Done));
    assert_eq!(acts(&press(&mut model, "z<enter>")), of(UserAction::Snooze { minutes: 30 }));
    assert_eq!(acts(&press(&mut model, "z<back><back>2h<enter>")), of(UserAction::Snooze { minutes: 120 }));
    // 08:16:40 by then.
    assert_eq!(acts(&press(&mut model, "z<back><back>8:30<enter>")), of(UserAction::Snooze { minutes: 14 }));
    let text = "qe?".to_owned();
    assert_eq!(acts(&press(&mut model, "rqe?<enter>")), of(UserAction::Reply { text }));
    assert_eq!(acts(&press(&mut model, "S<enter>")), []);
    assert_eq!(acts(&press(&mut model, "Sn")), []);
    assert_eq!(acts(&press(&mut model, "Sy")), of(UserAction::Stop));
    let task = Some(TaskId::new("b1"));
    assert_eq!(acts(&press(&mut model, "s<enter>")), of(UserAction::StopWaiting { task }));
    assert_eq!(acts(&press(&mut model, "s<down><enter>")), of(UserAction::StopWaiting { task: None }));
    assert_eq!(acts(&press(&mut model, "s<esc>rtext<esc>z<esc>")), []);
    assert_eq!(model.mode, Mode::Browse);
}

#[test]
fn what_is_no_time_is_said_and_asked_again() {
    let mut model = morning().model((80, 24));
    assert_eq!(press(&mut model, "zsoon<enter>"), []);
    assert!(matches!(&model.notice, Some(Notice::Bad(why)) if why.contains("30soon")), "{:?}", model.notice);
    assert!(matches!(model.mode, Mode::Typing(..)));
    assert_eq!(press(&mut model, "r<esc>r<enter>"), [], "an empty reply is none");
}

#[test]
fn a_paste_never_acts() {
    let mut model = morning().model((80, 24));
    assert_eq!(model.update(Message::Paste("dddSy\nq".to_owned())), []);
    press(&mut model, "r");
    model.update(Message::Paste("yes,\nboth".to_owned()));
    let commands = press(&mut model, "<enter>");
    assert!(matches!(&acts(&commands)[0].2, UserAction::Reply { text } if text == "yes, both"));
}

/// Remembers what it was asked, and refuses it.
struct Recording(std::sync::Mutex<Vec<(String, UserAction, u64)>>);

impl Actions for Recording {
    fn act(
        &self,
        session: &wakeful_core::ids::SessionKey,
        action: UserAction,
        seen: u64,
    ) -> Result<(), Refusal> {
        self.0.lock().unwrap().push((session.to_string(), action, seen));
        Err(Refusal { why: "the agent resumed 4 s ago".to_owned(), hint: Some("look again".to_owned()) })
    }
}

#[test]
fn a_conflict_is_shown() {
    let mut model = morning().model((80, 24));
    press(&mut model, "<down><down>");
    let actions = Recording(std::sync::Mutex::default());
    for command in press(&mut model, "d") {
        let Command::Act(target, action) = command else { panic!("{command:?}") };
        let acted = actions.act(&target.session, action.clone(), target.seen);
        model.update(Message::Acted(target, action, acted));
    }
    let seen = model.row().unwrap().view.revision;
    assert_eq!(*actions.0.lock().unwrap(), [("claude-code/asks".to_owned(), UserAction::Done, seen)]);
    let said = "shop · fix/cart · add a cart to the shop: the agent resumed 4 s ago — look again";
    assert_eq!(model.notice, Some(Notice::Bad(said.to_owned())));
    press(&mut model, "<down>");
    assert_eq!(model.notice, None, "it has been read");
}

#[test]
fn results_are_said_by_name() {
    let mut model = morning().model((80, 24));
    let target = Target { session: session("asks"), name: "shop · add a cart".to_owned(), seen: 3 };
    model.update(Message::Acted(target, UserAction::KeepWaiting, Ok(())));
    assert_eq!(model.notice, Some(Notice::Good("shop · add a cart: kept waiting for 60 min".to_owned())));
    model.update(Message::Labelled(Ok(Truth::Waits)));
    assert_eq!(model.notice, Some(Notice::Good("labelled: it only waited".to_owned())));
    let refusal = Refusal { why: "spool: denied".to_owned(), hint: None };
    model.update(Message::NotLoaded(refusal.clone()));
    press(&mut model, "<down>");
    assert_eq!(model.unreadable, Some(refusal), "said for as long as it is so");
    model.update(Message::Loaded(morning().snapshot()));
    assert_eq!(model.unreadable, None);
}

#[test]
fn wrong_makes_a_label_of_the_selected_decision() {
    let mut model = morning().model((120, 36));
    let commands = press(&mut model, "<down>xw");
    let [Command::Label(key, decision, Truth::Waits, 'w')] = commands.as_slice() else {
        panic!("{commands:?}")
    };
    assert_eq!((key, decision.gate.name()), (&session("done"), "done"));
    // Of a turn that was kept out; the first answer does not fit, and nothing happens.
    press(&mut model, "<down><down><down><enter><end><up>");
    let commands = press(&mut model, "xwu");
    let [Command::Label(_, decision, Truth::NeedsYou, 'u')] = commands.as_slice() else {
        panic!("{commands:?}")
    };
    assert_eq!(decision.number, 1, "the oldest turn was selected");
    let mut model = morning().model((120, 36));
    assert_eq!(press(&mut model, "x"), []);
    assert!(matches!(model.notice, Some(Notice::Info(_))), "nothing was decided there yet");
}

#[test]
fn going_to_the_terminal() {
    let mut model = morning().model((80, 24));
    let commands = press(&mut model, "g");
    assert!(matches!(commands.as_slice(), [Command::Jump(_)]));
    let went = Went::Copy { command: "claude --resume permits".to_owned(), note: None };
    model.update(Message::Jumped(Ok(went), "ops".to_owned()));
    assert!(matches!(&model.mode, Mode::Resume { command, .. } if command.contains("--resume")));
    press(&mut model, "<enter>");
    model.update(Message::Jumped(Ok(Went::There), "ops".to_owned()));
    assert_eq!(
        (&model.mode, &model.notice),
        (&Mode::Browse, &Some(Notice::Good("ops: its terminal is in front".to_owned())))
    );
}

#[test]
fn the_filter_narrows_the_list_while_it_is_typed() {
    let mut model = morning().model((80, 24));
    press(&mut model, "/CART review");
    assert_eq!(selected(&model), "waits");
    press(&mut model, "<enter>");
    assert_eq!((&model.mode, model.filter.as_str()), (&Mode::Browse, "CART review"));
    press(&mut model, "<esc>");
    assert_eq!((model.filter.as_str(), selected(&model)), ("", "waits"));
    press(&mut model, "/attic");
    assert_eq!(selected(&model), "over", "a filter looks into what is folded, too");
    press(&mut model, "<esc>");
    assert_eq!((model.filter.as_str(), selected(&model)), ("", "permits"));
    press(&mut model, "/zzz<enter>");
    assert_eq!(press(&mut model, "dKm"), []);
    assert_eq!((selected(&model), &model.mode), ("", &Mode::Browse));
    press(&mut model, "<esc>");
    assert_eq!(selected(&model), "permits");
}

#[test]
fn the_selection_follows_its_session_when_the_list_changes() {
    let mut world = morning();
    let mut model = world.model((80, 24));
    press(&mut model, "<down><down>");
    assert_eq!(selected(&model), "asks");
    world.prompt(1100, "asks", Opener::User, "the first one");
    model.update(Message::Loaded(world.snapshot()));
    assert_eq!(selected(&model), "asks", "working now, and still selected");
    // It ends: still there, although the others of its section are folded.
    world.event(1110, "asks", EventKind::SessionEnded { end: SessionEnd::User });
    model.update(Message::Loaded(world.snapshot()));
    assert_eq!((acts(&press(&mut model, "d")).len(), selected(&model)), (1, "asks"));
    press(&mut model, "<up>");
    assert_eq!(selected(&model), "works");
    press(&mut model, "<down>");
    assert_eq!(selected(&model), "works", "folded away once it is left");
}

/// A key that is on its way when a session goes must not act on another one.
#[test]
fn nothing_is_selected_in_place_of_what_is_gone() {
    let world = morning();
    let mut model = world.model((80, 24));
    press(&mut model, "<down>");
    let mut other = World::new();
    other.start(0, "one", "shop");
    model.update(Message::Loaded(other.snapshot()));
    assert_eq!(press(&mut model, "dK"), []);
    assert!(matches!(model.notice, Some(Notice::Info(_))));
    press(&mut model, "<down>");
    assert_eq!(selected(&model), "one");
    let mut empty = World::new().model((80, 24));
    empty.update(Message::Loaded(world.snapshot()));
    assert_eq!(selected(&empty), "permits", "what was never selected can be");
}

#[test]
fn opening_and_going_back() {
    let mut model = morning().model((80, 24));
    press(&mut model, "<enter>");
    assert_eq!(model.pane, Pane::Detail);
    press(&mut model, "<down>");
    assert_eq!(model.turn, Some(1), "the newest; before the first there is the start of the session");
    press(&mut model, "<up>");
    assert_eq!(model.turn, None);
    press(&mut model, "<esc>");
    assert_eq!(model.pane, Pane::List);
    press(&mut model, "<tab><tab>");
    assert_eq!(model.pane, Pane::List);
    assert_eq!(press(&mut model, "q"), [Command::Quit]);
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    press(&mut model, "r");
    assert_eq!(model.update(Message::Key(control_c)), [Command::Quit], "even while something is typed");
}

#[test]
fn a_folded_turn_is_not_selected() {
    let mut model = morning().model((80, 24));
    press(&mut model, "<down><down><down><down><enter><down><down>");
    assert_eq!(model.turn, Some(3));
    press(&mut model, "h");
    assert_eq!(model.turn, None);
    // The newest of the run, and the message of the user.
    press(&mut model, "<down>");
    assert_eq!(model.turn, Some(4));
    press(&mut model, "<down>");
    assert_eq!(model.turn, Some(1));
}

#[test]
fn the_menu_does_what_the_keys_do() {
    let mut model = morning().model((80, 24));
    let commands = press(&mut model, "m<down><down><enter>");
    assert_eq!(acts(&commands)[0].2, UserAction::Done);
    assert_eq!(acts(&press(&mut model, "mc"))[0].2, UserAction::CheckIn);
    press(&mut model, "mS");
    assert!(matches!(model.mode, Mode::ConfirmStop(_)));
    press(&mut model, "<esc>m<esc>");
    assert_eq!(model.mode, Mode::Browse);
}

fn mouse(model: &mut Model, kind: MouseEventKind, column: u16, row: u16) -> Vec<Command> {
    model.update(Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
}

#[test]
fn the_mouse() {
    let left = MouseEventKind::Down(MouseButton::Left);
    let right = MouseEventKind::Down(MouseButton::Right);
    let mut model = morning().model((120, 36));
    // Title, heading, then three lines of the first, and two of the next.
    mouse(&mut model, left, 5, 6);
    assert_eq!(selected(&model), "done");
    mouse(&mut model, right, 5, 7);
    assert_eq!((selected(&model), &model.mode), ("asks", &Mode::Menu(0)));
    mouse(&mut model, left, 1, 1);
    assert_eq!(model.mode, Mode::Browse, "a click beside the menu closes it");
    mouse(&mut model, MouseEventKind::ScrollDown, 5, 5);
    assert_eq!(selected(&model), "wakes");
    mouse(&mut model, left, 5, 7);
    assert_eq!((selected(&model), model.pane), ("asks", Pane::List));
    mouse(&mut model, left, 5, 7);
    assert_eq!(model.pane, Pane::Detail, "a second click opens");
    mouse(&mut model, left, 5, 7);
    assert_eq!(model.pane, Pane::List);
    mouse(&mut model, left, 90, 3);
    assert_eq!(model.pane, Pane::Detail);
    mouse(&mut model, left, 5, 0);
    mouse(&mut model, right, 5, 10);
    assert_eq!(model.mode, Mode::Browse, "nothing is there");
    // The third row of the menu is Done.
    mouse(&mut model, right, 5, 2);
    let commands: Vec<Command> = (0..36)
        .flat_map(|row| {
            let mut again = morning().model((120, 36));
            mouse(&mut again, right, 5, 2);
            mouse(&mut again, left, 60, row)
        })
        .collect();
    let done = acts(&commands).into_iter().filter(|(.., action)| *action == UserAction::Done).count();
    assert_eq!(done, 1);
}

#[test]
fn what_is_selected_is_on_the_screen() {
    let mut model = crowd().model((80, 24));
    for keys in ["<end>", "<home>", "<pgdn>", "<pgdn>", "<pgup>", "<down>"] {
        press(&mut model, keys);
        let entries = crate::tui::list::entries(&model);
        let row = model.rows().iter().position(|row| Some(&row.view.key) == model.selected.as_ref()).unwrap();
        let at = entries.iter().position(|entry| *entry == crate::tui::list::Entry::Title(row)).unwrap();
        assert!((model.list_top..model.list_top + 21).contains(&at), "{keys}: {at} from {}", model.list_top);
    }
    press(&mut model, "<home>");
    assert_eq!(model.list_top, 0, "the first heading too");
    model.update(Message::Resize(44, 8));
    press(&mut model, "<end>");
    assert!(model.list_top > 60);
    model.update(Message::Resize(120, 200));
    assert_eq!(model.list_top, 0, "nothing is scrolled away that has room");
}

#[test]
fn a_session_that_goes_while_it_is_open() {
    let mut world = World::new();
    world.start(0, "one", "shop");
    world.prompt(1, "one", Opener::User, "hello");
    world.end(2, "one", closes(), nothing());
    let mut model = world.model((80, 24));
    press(&mut model, "<enter>");
    model.update(Message::Loaded(World::new().snapshot()));
    assert_eq!((model.pane, model.row().is_none()), (Pane::List, true));
}
