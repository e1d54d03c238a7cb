//! temp
use wakeful_prose::{Context, Rules, read};
fn main() {
    let n: usize = std::env::args().nth(2).and_then(|x| x.parse().ok()).unwrap_or(1);
    let texts: Vec<String> = std::fs::read_to_string(std::env::args().nth(1).unwrap_or_default())
        .unwrap_or_default()
        .lines()
        .map(|l| {
            let v: serde_json::Value = serde_json::from_str(l).unwrap_or_default();
            v["text"].as_str().unwrap_or_default().to_owned()
        })
        .collect();
    for _ in 0..n {
        for t in &texts {
            let _ = read(Rules::built_in(), t, &Context::default());
        }
    }
}
