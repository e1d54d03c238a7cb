//! All checks, in the order in which they are shown.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use jiff::tz::TimeZone;
use wakeful_clients::Readers;
use wakeful_core::ids::Client;
use wakeful_core::reading::Reading;
use wakeful_core::settings::Settings;
use wakeful_core::time::{Now, Wall};

use super::clients::{Around, client};
use super::daemon::{daemon, recorded};
use super::finding::{Check, Finding, State, instant};
use super::heard::{GuardCounts, UnknownName, guard, names, unknowns};
use super::settings::{RuleFolder, rules, settings};
use super::{rights, rings, spool};
use crate::install::{Environment, StateDir, find};
use crate::live::{Fold, Found, LOOK_BACK, Live, Unread, find as find_sessions, fold};
use crate::notify::run::lately;
use crate::paths::settings_file;
use crate::spool::{Contents, Spool, last_heard, read, sizes};

/// The machine, as values.
pub struct Machine<'a> {
    /// Variables and home folder.
    pub environment: &'a Environment,
    /// This program, as set-up writes it into settings.
    pub program: &'a Path,
    /// The clocks.
    pub now: Now,
    /// The user's own rules.
    pub rules: RuleFolder,
}

/// What was found.
#[derive(Debug)]
pub struct Diagnosis {
    /// One a check and client.
    pub findings: Vec<Finding>,
    /// When each client that is here was last heard of.
    pub last_events: BTreeMap<Client, Now>,
    /// What of the last days could not be read.
    pub unread: Unread,
    /// What of the last days was unknown.
    pub unknowns: Vec<UnknownName>,
    /// What the guard said in the last days.
    pub guard: GuardCounts,
}

impl Diagnosis {
    /// Is something broken?
    pub fn is_broken(&self) -> bool {
        self.findings.iter().any(|finding| finding.state == State::Broken)
    }
}

/// Looks at everything (C9). Nothing is changed, and what cannot be looked at is a finding.
pub fn examine(machine: &Machine<'_>) -> Diagnosis {
    let (environment, now) = (machine.environment, machine.now);
    let state = StateDir::of(environment);
    let folder = Spool::of(state.path());
    let since = Wall(now.wall.0.saturating_sub_unsigned(LOOK_BACK.0));
    let (lengths, contents) = (sizes(folder.dir()), read(folder.dir(), since));
    let found = find(environment);
    let last_events = last_heard(folder.dir(), &found.iter().map(|found| found.client).collect::<Vec<_>>());
    let around = Around { environment, program: machine.program, now };

    // Of a spool that cannot be read in whole, only that is said: half of it would prove nothing.
    let (mut last_events, failure) = match last_events {
        Ok(last_events) => (last_events, None),
        Err(error) => (BTreeMap::new(), Some(error)),
    };
    // What the daemon took never stood in the spool.
    let written = recorded(state.path(), since).map_err(|error| error.to_string());
    for (client, last) in written.iter().flatten().flat_map(|written| &written.last_events) {
        let known = last_events.entry(*client).or_insert(*last);
        *known = if last.wall > known.wall { *last } else { *known };
    }
    let mut findings: Vec<Finding> = found
        .iter()
        .flat_map(|found| client(found, last_events.get(&found.client).copied(), &around))
        .collect();
    if found.is_empty() {
        findings.push(Finding::warn(
            Check::Client,
            "no client was found, neither a program on the path nor a settings folder",
            "install one and run `wakeful setup`, or name one: `wakeful setup claude-code`",
        ));
    }
    let today = instant(now.wall);
    let (contents, failure) = match contents {
        Ok(contents) => (contents, failure),
        Err(error) => (Contents::default(), Some(error)),
    };
    if failure.is_some() {
        findings.retain(|finding| finding.check != Check::Firing);
    }
    let lengths = failure.map_or(lengths, Err);
    findings.push(spool::size(lengths.as_deref().map_err(copy), today.get(..10).unwrap_or_default()));
    let to_fold = find_sessions(state.path(), since).unwrap_or_else(|_| Found {
        kept: None,
        envelopes: contents.envelopes.clone(),
        skipped: contents.skipped,
    });
    let mut counts = GuardCounts::of(to_fold.envelopes.iter().filter_map(|envelope| envelope.guard.as_ref()));
    counts.add(written.iter().flatten().flat_map(|written| &written.guard));
    let live = folded(to_fold, now);
    let unknown_names = names(&live.unknowns);
    findings.push(spool::unread(live.unread));
    findings.push(rights::rights(state.path()));
    let env = |name: &str| environment.variable(name);
    findings.push(settings(settings_file(&env).as_deref(), &env));
    findings.push(rules(&machine.rules));
    findings.push(spool::clock(&contents.envelopes, now));
    findings.push(unknowns(&unknown_names, live.unknowns.overflow()));
    findings.push(guard(counts));
    findings.push(Finding::ok(Check::Delivery, "none yet: no message reaches an idle agent"));
    findings.extend(rings::rings(lately(state.path(), now)));
    findings.push(daemon(state.path(), written.as_ref().map(Option::as_ref).map_err(String::clone)));
    Diagnosis { findings, last_events, unread: live.unread, unknowns: unknown_names, guard: counts }
}

/// Errors of the system cannot be had twice.
fn copy(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

/// The events through the same translation as the list's. How texts read makes nothing known or unknown, so nobody reads them.
fn folded(found: Found, now: Now) -> Live {
    let by = Fold {
        settings: &Settings::default(),
        zone: &TimeZone::UTC,
        readers: Readers { read: &|_, _| Reading::default(), never_ends: &|_| None },
        alive: &|_| true,
    };
    fold(found, now, &by)
}

#[cfg(test)]
mod tests {
    use super::super::heard::tests::NOW;
    use super::*;

    fn diagnosis(home: &Path) -> Diagnosis {
        let environment = Environment::new([], home);
        let machine = Machine {
            environment: &environment,
            program: Path::new("/opt/wakeful"),
            now: NOW,
            rules: RuleFolder::Absent,
        };
        examine(&machine)
    }

    fn state(diagnosis: &Diagnosis, check: Check) -> State {
        diagnosis.findings.iter().find(|finding| finding.check == check).unwrap().state
    }

    #[test]
    fn nothing_installed_is_not_broken_and_says_what_to_do() {
        let home = tempfile::tempdir().unwrap();
        let diagnosis = diagnosis(home.path());
        assert!(!diagnosis.is_broken(), "{diagnosis:?}");
        let first = diagnosis.findings.first().unwrap();
        assert_eq!((first.check, first.state), (Check::Client, State::Warn));
        assert!(first.advice.as_deref().unwrap().contains("wakeful setup"));
        let rest = diagnosis.findings.iter().skip(1);
        assert!(rest.clone().all(|finding| finding.state == State::Ok), "{diagnosis:?}");
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "nothing was made");
    }

    #[test]
    fn a_spool_that_cannot_be_read_is_broken() {
        let home = tempfile::tempdir().unwrap();
        let state_folder = home.path().join(".local/state/wakeful");
        std::fs::create_dir_all(&state_folder).unwrap();
        std::fs::write(state_folder.join("spool"), "").unwrap();
        let hook = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/opt/wakeful hook claude-code"}]}]}}"#;
        std::fs::create_dir(home.path().join(".claude")).unwrap();
        std::fs::write(home.path().join(".claude/settings.json"), hook).unwrap();
        let diagnosis = diagnosis(home.path());
        assert_eq!(state(&diagnosis, Check::Spool), State::Broken);
        assert!(diagnosis.is_broken());
        assert!(diagnosis.findings.iter().any(|finding| finding.check == Check::Hooks));
        let firing = |finding: &Finding| finding.check == Check::Firing;
        assert!(!diagnosis.findings.iter().any(firing), "nothing is known of that");
    }

    #[test]
    fn what_the_spool_holds_is_counted() {
        let home = tempfile::tempdir().unwrap();
        let spool = home.path().join(".local/state/wakeful/spool");
        std::fs::create_dir_all(&spool).unwrap();
        let line = r#"{"v":1,"id":"1","client":"claude-code","at":{"wall":1799999990000,"boot":1,"boot_id":7},
            "payload":{"raw":{"session_id":"s","hook_event_name":"Yawn"}},"guard":{"verdict":"undecided"}}"#;
        std::fs::write(spool.join("2027-01-15.jsonl"), format!("{}\ntorn", line.replace('\n', ""))).unwrap();
        let diagnosis = diagnosis(home.path());
        assert_eq!(diagnosis.unread.skipped.damaged, 1);
        assert_eq!(diagnosis.guard.undecided, 1);
        assert!(diagnosis.unknowns.iter().any(|unknown| unknown.what == "event"), "{diagnosis:?}");
        for check in [Check::Unread, Check::Unknowns, Check::Guard, Check::Rights] {
            assert_eq!(state(&diagnosis, check), State::Warn, "{check:?}");
        }
        assert!(!diagnosis.is_broken(), "{diagnosis:?}");
    }
}
