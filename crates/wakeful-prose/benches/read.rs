//! B4: how long a reading takes.
fn main() {}
