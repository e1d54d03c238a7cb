//! How long the built-in rules take to compile, and the first readings after that (start-up of `wakeful hook`).
//! The least of several rounds is printed, because the machine may be busy.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::time::{Duration, Instant};

use wakeful_prose::{Context, Rules, read};

const TEXTS: [&str; 3] = [
    "The suite is running in the background. I'll report back when it finishes.",
    "The suite is running in the background. I'll report back when it finishes.",
    "All done. Should I merge it?",
];

fn main() {
    let mut least = [Duration::MAX; 1 + TEXTS.len()];
    for _ in 0..30 {
        let start = Instant::now();
        let Ok(rules) = Rules::parse(&[]) else { return };
        least[0] = least[0].min(start.elapsed());
        for (text, least) in TEXTS.iter().zip(&mut least[1..]) {
            let start = Instant::now();
            let _ = read(&rules, text, &Context::default());
            *least = (*least).min(start.elapsed());
        }
    }
    println!(
        "compile {:?}, a first reading {:?}, the same again {:?}, another {:?}",
        least[0], least[1], least[2], least[3]
    );
}
