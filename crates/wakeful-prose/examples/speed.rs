#![allow(clippy::print_stdout, clippy::disallowed_methods)]
//! temp
use std::time::Instant;
use wakeful_prose::{Context, Rules, read};
fn main() {
    let rules = Rules::built_in();
    let mut texts = Vec::new();
    for p in std::env::args().skip(1) {
        for l in std::fs::read_to_string(p).unwrap_or_default().lines() {
            let v: serde_json::Value = serde_json::from_str(l).unwrap_or_default();
            texts.push(v["text"].as_str().unwrap_or_default().to_owned());
        }
    }
    let mut least = vec![std::time::Duration::MAX; texts.len()];
    for round in 0..8 {
        for (x, l) in texts.iter().zip(&mut least) {
            let s = Instant::now();
            let _ = read(rules, x, &Context::default());
            let e = s.elapsed();
            *l = (*l).min(e);
        }
        if round == 0 || round == 7 {
            let mut t = least.clone();
            t.sort();
            let sum: std::time::Duration = t.iter().sum();
            let bytes: usize = texts.iter().map(String::len).sum();
            println!(
                "round {round} sum {sum:?} for {bytes} bytes, median {:?} p90 {:?} max {:?}",
                t[t.len() / 2],
                t[t.len() * 9 / 10],
                t[t.len() - 1]
            );
        }
    }
    let all: String = texts.join("\n\n");
    for n in [125_000usize, 250_000, 500_000, 1_000_000] {
        let mut n2 = n.min(all.len());
        while !all.is_char_boundary(n2) {
            n2 -= 1;
        }
        let best = (0..6)
            .map(|_| {
                let s = Instant::now();
                let _ = read(rules, &all[..n2], &Context::default());
                s.elapsed()
            })
            .min();
        println!("{n2} {best:?}");
    }
}
