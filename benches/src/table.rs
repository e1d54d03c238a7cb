//! The table: bar, what was measured, and whether the bar is met.

use std::fmt::Write as _;
use std::time::Duration;

/// One bar.
struct Row {
    bar: &'static str,
    what: String,
    wanted: String,
    measured: String,
    /// `None` where there was nothing to compare with.
    met: Option<bool>,
}

/// All bars that were measured, and remarks.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    notes: Vec<String>,
}

impl Table {
    /// A measurement with its bar.
    pub(crate) fn row(
        &mut self,
        bar: &'static str,
        what: impl Into<String>,
        wanted: impl Into<String>,
        measured: impl Into<String>,
        met: impl Into<Option<bool>>,
    ) {
        let (what, wanted, measured) = (what.into(), wanted.into(), measured.into());
        self.rows.push(Row { bar, what, wanted, measured, met: met.into() });
    }

    /// What a reader of the table must know.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// For a terminal.
    pub(crate) fn text(&self) -> String {
        let width =
            |of: fn(&Row) -> &str| self.rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0);
        let (what, wanted, measured) = (width(|r| &r.what), width(|r| &r.wanted), width(|r| &r.measured));
        let mut text = String::new();
        for row in &self.rows {
            let met = verdict(row.met);
            let _ = writeln!(
                text,
                "{:3} {:what$}  {:wanted$}  {:measured$}  {met}",
                row.bar, row.what, row.wanted, row.measured
            );
        }
        for note in &self.notes {
            let _ = writeln!(text, "- {note}");
        }
        text
    }

    /// For `RESULTS.md`.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::from("# Bars, measured\n\nWritten by `benches/run --write`; do not edit.\n\n");
        text.push_str("| | what | bar | measured | met |\n|---|---|---|---|---|\n");
        for row in &self.rows {
            let met = verdict(row.met);
            let _ =
                writeln!(text, "| {} | {} | {} | {} | {met} |", row.bar, row.what, row.wanted, row.measured);
        }
        text.push('\n');
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let day: String = jiff::Timestamp::now().to_string().chars().take(10).collect();
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let _ = writeln!(text, "- {day}, {cores} cores, {os} {arch}");
        for note in &self.notes {
            let _ = writeln!(text, "- {note}");
        }
        text
    }
}

fn verdict(met: Option<bool>) -> &'static str {
    match met {
        Some(true) => "yes",
        Some(false) => "NO",
        None => "",
    }
}

/// `1.234 ms`, `17.3 µs`.
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..1e-3 => format!("{:.1} µs", seconds * 1e6),
        ..1.0 => format!("{:.2} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}
