//! `wakeful log`: the audit log. Every event with what followed, and what the guard said.

use std::time::Duration;

use wakeful_core::effect::Effect;
use wakeful_core::ids::SessionKey;
use wakeful_core::time::Wall;
use wakeful_engine::spool::GuardRecord;
use wakeful_engine::store::{LogRow, Pos, Store};

use crate::error::{Answer, Error};
use crate::output::print;
use crate::sessions::{AsOf, named, state_dir};

/// How often a followed log is looked at: soon enough for a reader.
const LOOK: Duration = Duration::from_millis(500);
/// So many lines are read at a time.
const PAGE: u32 = 1000;

/// Show what was written down: every event, decision and verdict of the guard
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only of this session: the beginning of its id
    session: Option<String>,
    /// Only decisions
    #[arg(long, conflicts_with = "guard")]
    decisions: bool,
    /// Only decisions of this gate
    #[arg(long, requires = "decisions")]
    gate: Option<String>,
    /// Only decisions by this rule
    #[arg(long, requires = "decisions")]
    rule: Option<String>,
    /// Only what the guard refused, warned of or let pass by your patterns
    #[arg(long)]
    guard: bool,
    /// Go on with what is written from now on
    #[arg(long, short)]
    follow: bool,
    /// Print one JSON object a line (docs/json.md)
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Prints the log.
    pub fn run(self) -> Result<Answer, Error> {
        let session = match &self.session {
            Some(given) => Some(named(&AsOf::default().load()?, given)?),
            None => None,
        };
        let Some(store) = Store::read(&state_dir()?).map_err(store_error)? else {
            return Err(Error::Usage {
                what: "nothing has been written down yet: no daemon has run".to_owned(),
                hint: Some(
                    "`wakeful setup` registers the hooks; the next turn end starts the daemon".to_owned(),
                ),
            });
        };
        let mut after = 0;
        loop {
            let (lines, last) = self.page(&store, session.as_ref(), after)?;
            let more = last != after;
            after = last;
            if !lines.is_empty() {
                print(|out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?;
            }
            if !more {
                if !self.follow {
                    return Ok(Answer::Yes);
                }
                std::thread::park_timeout(LOOK); // waking early is as good
            }
        }
    }

    /// The next lines, and the number of the last row that was read.
    fn page(
        &self,
        store: &Store,
        session: Option<&SessionKey>,
        after: i64,
    ) -> Result<(Vec<String>, i64), Error> {
        let mut lines = Vec::new();
        let mut last = after;
        if self.decisions {
            for row in store.decisions(session, after, PAGE).map_err(store_error)? {
                last = row.id;
                let rule = row.decision.rule.as_ref().map(|rule| rule.as_str());
                let wanted = self.gate.as_deref().is_none_or(|gate| gate == row.decision.gate.name())
                    && self.rule.as_deref().is_none_or(|wanted| rule == Some(wanted));
                if !wanted {
                    continue;
                }
                lines.push(if self.json {
                    json(&row)
                } else {
                    let rule = rule.map(|rule| format!(", rule {rule}")).unwrap_or_default();
                    let words =
                        row.decision.words.as_deref().map(|words| format!(": {words:?}")).unwrap_or_default();
                    let verdict = if row.decision.verdict.waits() { "waits" } else { "does not wait" };
                    format!(
                        "{} {} {verdict} (gate {}{rule}{words})",
                        at(row.wall),
                        row.session,
                        row.decision.gate.name()
                    )
                });
            }
        } else if self.guard {
            for row in store.guard_log(session, after, PAGE).map_err(store_error)? {
                last = row.id;
                lines.push(if self.json {
                    json(&row)
                } else {
                    let GuardRecord { verdict, rule, words, .. } = &row.verdict;
                    let rule = rule.map(|rule| format!(" {rule}")).unwrap_or_default();
                    let words = words.as_deref().map(|words| format!(": {words:?}")).unwrap_or_default();
                    let session = row.session.as_ref().map(ToString::to_string).unwrap_or_default();
                    format!("{} {session} guard {verdict}{rule}{words}", at(row.wall))
                });
            }
        } else {
            for row in store.log(session, Pos(after), PAGE).map_err(store_error)? {
                last = row.pos.0;
                lines.push(if self.json { json(&row) } else { event(&row) });
            }
        }
        Ok((lines, last))
    }
}

fn event(row: &LogRow) -> String {
    let Some(stepped) = &row.stepped else { return "(settings came into force)".to_owned() };
    let kind = serde_json::to_value(&stepped.event.kind).ok();
    let kind = kind.as_ref().and_then(|kind| kind["event"].as_str()).unwrap_or("event");
    let followed: Vec<String> = stepped.effects.iter().filter_map(effect).collect();
    let followed = if followed.is_empty() { String::new() } else { format!(" → {}", followed.join(", ")) };
    format!("{} {} {kind}{followed}", at(stepped.now.wall), stepped.event.session)
}

fn effect(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Decide(decision) => format!("decided by {}", decision.gate.name()),
        Effect::Notify(edge) => format!("rings: {}", edge.reason.name()),
        Effect::Send(_) => "a message to the agent".to_owned(),
        Effect::Conflict { why } => format!("conflict: {why}"),
        Effect::HandOver(_) => "entries handed over".to_owned(),
        Effect::Arm(_) | Effect::Cancel { .. } | Effect::Publish { .. } => return None,
    })
}

fn json(row: &impl serde::Serialize) -> String {
    serde_json::to_string(row).unwrap_or_default() // every row came from JSON
}

fn at(wall: Wall) -> String {
    let at = jiff::Timestamp::from_millisecond(wall.0).unwrap_or_default();
    jiff::tz::TimeZone::system().to_datetime(at).strftime("%F %T").to_string()
}

fn store_error(error: wakeful_engine::store::StoreError) -> Error {
    Error::sessions(error.into())
}
