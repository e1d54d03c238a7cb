//! How long the built-in rules take to compile, and one reading after that (start-up of `wakeful hook`).
#![allow(clippy::print_stdout, clippy::disallowed_methods)]
fn main() {
    let start = std::time::Instant::now();
    let rules = wakeful_prose::Rules::built_in();
    let compiled = start.elapsed();
    let text = "The suite is running in the background. I'll report back when it finishes.";
    let reading = wakeful_prose::read(rules, text, &wakeful_prose::Context::default());
    let first = start.elapsed();
    println!(
        "compile {compiled:?}, first reading {:?} ({:?})",
        first - compiled,
        reading.wait.map(|w| w.rule)
    );
}
