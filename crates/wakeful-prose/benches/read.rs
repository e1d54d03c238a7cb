//! B4: how long a reading takes. The bars are in the specification; here they are only printed.

use divan::Bencher;
use divan::counter::BytesCount;
use wakeful_prose::{Context, Rules, read};

fn main() {
    divan::main();
}

/// The texts of the crate's own cases.
fn cases() -> Vec<String> {
    let files = [include_str!("../cases/seen.jsonl"), include_str!("../cases/held_out.jsonl")];
    let texts = files.iter().flat_map(|file| file.lines()).filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        line["text"].as_str().map(str::to_owned)
    });
    texts.collect()
}

/// A message of about `bytes` bytes: all cases, over and over.
fn long(bytes: usize) -> String {
    let all = cases().join("\n\n");
    let mut text = String::with_capacity(bytes + all.len());
    while text.len() < bytes {
        text.push_str(&all);
        text.push_str("\n\n");
    }
    text
}

/// One case after the other; the median is that of a case.
#[divan::bench(sample_size = 1, sample_count = 2000)]
fn one_case(bencher: Bencher<'_, '_>) {
    let cases = cases();
    let rules = Rules::built_in();
    cases.iter().for_each(|text| drop(read(rules, text, &Context::default())));
    let mut next = 0;
    bencher
        .with_inputs(|| {
            next = (next + 1) % cases.len();
            &cases[next]
        })
        .bench_local_values(|text| read(rules, text, &Context::default()));
}

/// A long report: twice the input must not take more than 2.2 times as long.
#[divan::bench(args = [125_000, 250_000, 500_000, 1_000_000], sample_count = 10)]
fn long_message(bencher: Bencher<'_, '_>, bytes: usize) {
    let text = long(bytes);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| read(Rules::built_in(), &text, &Context::default()));
}

/// The same sentence a thousand times: the worst that a message can do to rules that match.
#[divan::bench(args = ["I'll report back when CI is done. ", "Let me know if you need anything else. ", "a ", "\"", "> "], sample_count = 5)]
fn a_megabyte_of(bencher: Bencher<'_, '_>, part: &str) {
    let text = part.repeat(1_000_000 / part.len());
    bencher.bench_local(|| read(Rules::built_in(), &text, &Context::default()));
}

/// What `wakeful hook` pays before its first reading.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn compile_the_rules() -> bool {
    Rules::parse(&[]).is_ok()
}
