//! Screens as snapshots: what people see at three sizes, and in the corners.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;

use super::world::{World, crowd, morning, press};
use crate::text::width;
use crate::tui::app::{Message, Model};
use crate::tui::screen::draw;

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (44, 14)];

fn drawn(model: &Model) -> Terminal<TestBackend> {
    let (columns, rows) = model.size;
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(model, frame)).unwrap();
    terminal
}

/// The screen as text, without the cells that a wide character covers.
fn screen(model: &Model) -> String {
    let terminal = drawn(model);
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for row in 0..buffer.area.height {
        let (mut line, mut column) = (String::new(), 0);
        while column < buffer.area.width {
            let symbol = buffer[(column, row)].symbol();
            line.push_str(symbol);
            column += u16::try_from(width(symbol)).unwrap().max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The screen after these keys, at all three sizes.
fn at_all_sizes(name: &str, world: &World, keys: &str) {
    for (columns, rows) in SIZES {
        let mut model = world.model((columns, rows));
        press(&mut model, keys);
        insta::assert_snapshot!(format!("{name}_{columns}x{rows}"), screen(&model));
    }
}

#[test]
fn inbox() {
    at_all_sizes("inbox", &morning(), "");
}

#[test]
fn opened() {
    at_all_sizes("opened", &morning(), "<down><down><down><down><enter><down>");
}

#[test]
fn opened_with_a_scheduled_wake() {
    at_all_sizes("scheduled_wake", &morning(), "<down><down><down><enter>");
}

#[test]
fn repeated_auto_waits_hidden() {
    at_all_sizes("hidden_repeats", &morning(), "h<down><down><down><down><enter><end>");
}

#[test]
fn explained() {
    at_all_sizes("why", &morning(), "<down><down><down><down>w");
}

#[test]
fn menu() {
    at_all_sizes("menu", &morning(), "<down>m<down>");
}

#[test]
fn help() {
    at_all_sizes("help", &morning(), "?");
}

#[test]
fn empty() {
    at_all_sizes("empty", &World::new(), "");
}

#[test]
fn many() {
    at_all_sizes("many", &crowd(), "<pgdn><pgdn><down>");
}

#[test]
fn choices_and_questions() {
    let world = morning();
    let mut model = world.model((80, 24));
    press(&mut model, "<down><down><down><down>s");
    insta::assert_snapshot!("stop_waiting", screen(&model));
    press(&mut model, "<esc>x");
    insta::assert_snapshot!("wrong", screen(&model));
    press(&mut model, "<esc>S");
    insta::assert_snapshot!("confirm_stop", screen(&model));
    press(&mut model, "<esc>zx");
    insta::assert_snapshot!("snooze", screen(&model));
}

/// 40x12 is still usable: what is asked, who asks, and the way out are on the screen.
#[test]
fn small() {
    let mut model = morning().model((40, 12));
    let text = screen(&model);
    for part in ["need you", "asks for permission", "? help"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    press(&mut model, "<down><down><enter>");
    insta::assert_snapshot!("opened_40x12", screen(&model));
    for size in [(1, 1), (15, 4), (16, 5), (20, 6), (99, 5), (100, 5), (300, 90)] {
        for keys in ["", "<enter><end>", "?", "m", "w", "rsome text that is long enough", "S", "s"] {
            let mut model = morning().model(size);
            press(&mut model, keys);
            screen(&model);
        }
    }
}

#[test]
fn nothing_that_a_terminal_obeys_comes_to_it() {
    let mut model = morning().model((120, 36));
    let text = screen(&model);
    assert!(text.contains("roll out the [31m new version"), "{text}");
    press(&mut model, "r");
    model.update(Message::Paste("a\u{1b}]0;x\u{7}b".to_owned()));
    assert!(!screen(&model).contains(['\u{1b}', '\u{7}']));
}

fn colours(model: &Model) -> Vec<Color> {
    let terminal = drawn(model);
    let cells = terminal.backend().buffer().content();
    let mut colours: Vec<Color> = Vec::new();
    for colour in cells.iter().flat_map(|cell| [cell.fg, cell.bg]) {
        if !colours.contains(&colour) {
            colours.push(colour);
        }
    }
    colours
}

#[test]
fn colours_are_the_terminals_own_and_can_be_left_out() {
    let mut model = morning().model((120, 36));
    press(&mut model, "<down><down><down><down>");
    let used = colours(&model);
    assert!(used.contains(&Color::Red) && used.contains(&Color::Indexed(208)), "{used:?}");
    assert!(used.iter().all(|colour| !matches!(colour, Color::Rgb(..))), "{used:?}");
    let with = screen(&model);
    model.colour = false;
    assert_eq!(colours(&model), [Color::Reset]);
    assert_eq!(screen(&model), with, "words and symbols are the same without colour");
}

/// W2: the minutes of the banner are recomputed with every reading of the sessions.
#[test]
fn minutes_count_down() {
    let mut world = morning();
    let mut model = world.model((120, 36));
    assert!(screen(&model).contains("wake-up in 10 minutes"), "{}", screen(&model));
    world.pass(1061);
    model.update(Message::Loaded(world.snapshot()));
    assert!(screen(&model).contains("wake-up in 9 minutes"), "{}", screen(&model));
}

/// W3: after its time the banner keeps the original length, and nothing is said to be imminent.
#[test]
fn a_wake_whose_time_has_passed_is_not_announced() {
    let mut world = morning();
    world.pass(1700);
    let mut model = world.model((120, 36));
    press(&mut model, "/wake-up<enter>");
    let text = screen(&model);
    assert!(text.contains("wake-up in 20 minutes") && !text.contains("less than a minute"), "{text}");
    assert!(!text.contains(" in 0"), "{text}");
}

/// Whatever keys come, at whatever size: nothing panics, and every screen can be drawn.
#[test]
fn any_keys_at_any_size() {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    let worlds = [morning(), crowd(), World::new()];
    let letters: Vec<KeyCode> = "kjlhKcdzrsSgwxem/?q1:2y語 ".chars().map(KeyCode::Char).collect();
    let mut codes = vec![KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::Backspace, KeyCode::Delete];
    codes.extend([KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End]);
    codes.extend([KeyCode::PageUp, KeyCode::PageDown, KeyCode::Enter, KeyCode::Down, KeyCode::Esc]);
    codes.extend(letters);
    // A fixed seed: the same walk every time.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let mut model = worlds[0].model((80, 24));
    for step in 0..4000 {
        let (column, row) = (random(140) as u16, random(45) as u16);
        let message = match random(20) {
            0 => Message::Resize(column, row),
            1 => Message::Loaded(worlds[random(3)].snapshot()),
            2 => Message::Paste("two words\n".to_owned()),
            3..6 => {
                let kinds = [
                    MouseEventKind::Down(MouseButton::Left),
                    MouseEventKind::Down(MouseButton::Right),
                    MouseEventKind::ScrollDown,
                    MouseEventKind::ScrollUp,
                ];
                let kind = kinds[random(4)];
                Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
            }
            _ => Message::Key(KeyEvent::from(codes[random(codes.len())])),
        };
        model.update(message);
        if step % 4 == 0 && model.size.0 > 0 && model.size.1 > 0 {
            screen(&model);
        }
    }
}

#[test]
fn the_cursor_stands_where_text_is_typed() {
    let mut model = morning().model((44, 14));
    press(&mut model, "r日本");
    let mut terminal = drawn(&model);
    assert!(terminal.backend().cursor_visible());
    assert_eq!(terminal.get_cursor_position().unwrap(), ratatui::layout::Position { x: 12, y: 12 });
    press(&mut model, &"x".repeat(60));
    let mut terminal = drawn(&model);
    assert_eq!(terminal.get_cursor_position().unwrap(), ratatui::layout::Position { x: 43, y: 12 });
    press(&mut model, "<esc>");
    assert!(!drawn(&model).backend().cursor_visible());
}
