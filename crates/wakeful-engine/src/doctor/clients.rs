//! One client: is it here, are our hooks in its settings, will it run them, and has it?

use std::path::{Path, PathBuf};

use wakeful_core::ids::Client;
use wakeful_core::time::Now;

use super::finding::{Check, Finding, ago, instant};
use crate::install::codex_config::{TrustSeen, trust_seen};
use crate::install::{Change, Environment, Found, InstallError, StateDir, can_run, plan_setup};

/// What the checks of a client go by.
pub(crate) struct Around<'a> {
    /// Variables and home.
    pub(crate) environment: &'a Environment,
    /// This program, as set-up would write it.
    pub(crate) program: &'a Path,
    /// The clocks.
    pub(crate) now: Now,
}

/// All that is found of one client. `last`: when it was last heard of.
pub(crate) fn client(found: &Found, last: Option<Now>, around: &Around<'_>) -> Vec<Finding> {
    let mut findings = vec![present(found)];
    let state = StateDir::of(around.environment);
    let planned = plan_setup(found, around.program, &state);
    let set_up = match &planned {
        Ok(change) => !change.programs_now().is_empty(),
        // What cannot be read may have hooks of ours.
        Err(_) => true,
    };
    findings.push(match &planned {
        Ok(change) => hooks(found, change, around),
        Err(error) => unplanned(error),
    });
    if let (Ok(change), Client::Codex, true) = (&planned, found.client, set_up) {
        findings.push(trust(trust_seen(change), last));
    }
    if set_up || last.is_some() {
        findings.push(firing(last, around.now));
    }
    findings.into_iter().map(|finding| finding.of(found.client)).collect()
}

fn present(found: &Found) -> Finding {
    let Some(program) = found.programs.first() else {
        return Finding::warn(
            Check::Client,
            format!(
                "its settings folder is here, but no program of it is on the path ({})",
                found.settings.display()
            ),
            "nothing, if it is not used any more or started from elsewhere; its version is not known",
        );
    };
    let Some(version) = found.version else {
        return Finding::warn(
            Check::Client,
            format!("{} does not say its version", program.display()),
            "run it with --version; until then it counts as the oldest that hooks are proven for",
        );
    };
    if found.table.rows_for(Some(version)).next().is_none() {
        let seen = format!("{version}: hooks are proven from {} on", found.table.oldest());
        return Finding::warn(Check::Client, seen, "update it, then run `wakeful setup`");
    }
    Finding::ok(Check::Client, format!("{version}, {}", program.display()))
}

fn unplanned(error: &InstallError) -> Finding {
    if matches!(error, InstallError::ReadOnly { .. }) {
        // Who manages such files elsewhere may have left our hooks out, or have an older set.
        let seen = format!("set-up would change them, but {error}");
        return Finding::warn(
            Check::Hooks,
            seen,
            "if they are wanted, make it writable, or add them where it comes from",
        );
    }
    Finding::broken(
        Check::Hooks,
        format!("it cannot be told whether hooks are in place: {error}"),
        error.hint(),
    )
}

/// Are our hooks there, all of them, and do they call this very program?
fn hooks(found: &Found, change: &Change, around: &Around<'_>) -> Finding {
    let (shown, setup) = (change.path().display(), format!("run `wakeful setup {}`", found.client));
    let called = change.programs_now();
    if called.is_empty() {
        return Finding::warn(Check::Hooks, format!("there are none in {shown}"), setup);
    }
    if let Some(gone) = called.iter().find(|program| !runs(program, around.environment)) {
        return Finding::broken(
            Check::Hooks,
            format!("{shown} calls {gone}, which is not there or cannot be run"),
            setup,
        );
    }
    if let Some(note) = change.notes.first() {
        // What is said of Cursor's file is what the client may do; of the others, what it does.
        let build = if found.table.unknown_event_voids_file { Finding::warn } else { Finding::broken };
        return build(Check::Hooks, format!("{shown}: {note}"), "change that in the file".to_owned());
    }
    let ours = around.program.display();
    match called.iter().find(|program| Path::new(program) != around.program) {
        Some(other) => Finding::warn(
            Check::Hooks,
            format!("{shown} calls {other}, and this program is {ours}"),
            format!("{setup} if this one is to be called"),
        ),
        None if change.is_needed() => Finding::warn(
            Check::Hooks,
            format!("those in {shown} are not the ones that this version sets up"),
            setup,
        ),
        None => Finding::ok(Check::Hooks, format!("in {shown}, calling {ours}")),
    }
}

fn runs(program: &str, environment: &Environment) -> bool {
    let path = PathBuf::from(program);
    if path.is_absolute() { can_run(&path) } else { environment.program(program).is_some() }
}

fn trust(seen: Result<TrustSeen, InstallError>, last: Option<Now>) -> Finding {
    const YOURSELF: &str = "run `wakeful setup codex`, or trust them yourself: /hooks in Codex";
    match seen {
        Ok(TrustSeen::Kept) => {
            Finding::ok(Check::Trust, "Codex's config.toml trusts the hooks that set-up asked for")
        }
        Ok(TrustSeen::Missing(some)) => Finding::broken(
            Check::Trust,
            format!(
                "trust in {some} of the hooks is gone from config.toml, and Codex skips them without a word"
            ),
            YOURSELF,
        ),
        Ok(TrustSeen::Unasked) if last.is_some() => {
            Finding::ok(Check::Trust, "set-up did not ask for trust, but Codex has run hooks of ours")
        }
        Ok(TrustSeen::Unasked) => Finding::warn(
            Check::Trust,
            "unproven: set-up has no record of trust, and Codex skips hooks without it and without a word",
            YOURSELF,
        ),
        Err(error) => Finding::broken(Check::Trust, error.to_string(), error.hint()),
    }
}

/// C7: a hook is proven by an event.
fn firing(last: Option<Now>, now: Now) -> Finding {
    match last {
        Some(at) => Finding::ok(Check::Firing, format!("last event {} ({})", ago(at, now), instant(at.wall))),
        None => Finding::warn(
            Check::Firing,
            "unproven: no event of it has ever come",
            "start a session in it and give it a prompt; sessions from before set-up may have to be started anew",
        ),
    }
}

#[cfg(test)]
mod tests;
