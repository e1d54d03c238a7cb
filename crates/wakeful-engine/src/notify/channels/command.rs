//! A command of the user's: run as it stands, without a shell.

use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use crate::notify::ring::{Did, Ring, Skip};
use crate::notify::running::{Ran, run};
use crate::notify::text::{Text, one_line};
use crate::settings::Content;

/// Runs it. It learns of the ring by its environment (docs/notifications.md), and gets the body on standard input.
pub fn ring(ring: &Ring, text: &Text, limit: Duration) -> Did {
    let Some((program, arguments)) = ring.settings.command.run.split_first() else {
        return Did::Skipped(Skip::ChannelOff);
    };
    let full = ring.settings.content == Content::Full;
    let project = ring.session.project.as_deref().filter(|_| full).map(one_line).unwrap_or_default();
    let mut command = Command::new(program);
    command.args(arguments).envs([
        ("WAKEFUL_ID", ring.id.as_str()),
        ("WAKEFUL_SESSION", text.session.as_str()),
        ("WAKEFUL_PROJECT", project.as_str()),
        ("WAKEFUL_CLIENT", ring.session.key.client.name()),
        ("WAKEFUL_REASON", ring.reason.name()),
        ("WAKEFUL_TITLE", text.title.as_str()),
        ("WAKEFUL_BODY", text.body.as_str()),
    ]);
    match run(&mut command, text.body.as_bytes(), false, limit) {
        Ok(Ran::Ended(status, _)) if status.success() => Did::Rung,
        Ok(Ran::Ended(status, _)) => Did::Failed(ended(status)),
        Ok(Ran::Late) => Did::Failed(format!("had not ended after {} s, and was killed", limit.as_secs())),
        Err(error) => Did::Failed(match error.kind() {
            ErrorKind::NotFound => "there is no such program".to_owned(),
            _ => error.to_string(),
        }),
    }
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with {code}"),
        (None, Some(signal)) => format!("died of signal {signal}"),
        (None, None) => "did not end well".to_owned(),
    }
}
