//! The client's two lists, rebuilt from a transcript (R1): what is live, and what is scheduled.

use wakeful_core::event::{EventKind, ListedWake, Roster, ScheduledWake, Task, TaskReport, WakeOwner};
use wakeful_core::ids::{Digest, WakeId};
use wakeful_core::time::{Millis, Now};

use super::cron::Schedule;

/// A one-shot wake that is this long past due when another prompt opens a turn will not come: the process that
/// would have fired it is gone. The client itself is a second late at most; the minutes are for a laptop's sleep.
const GONE_AFTER: Millis = Millis::minutes(5);

/// What is live and what is scheduled.
#[derive(Debug, Default)]
pub(super) struct Lists {
    tasks: Vec<Task>,
    wakes: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    wake: ScheduledWake,
    schedule: Option<Schedule>,
}

impl Lists {
    /// Takes note of an event; `cron` is the schedule where the event is the making of a cron row.
    pub(super) fn apply(&mut self, event: &EventKind, cron: Option<Schedule>) {
        match event {
            EventKind::TaskStarted { task, .. } => {
                self.tasks.retain(|other| other.id != task.id);
                self.tasks.push(task.clone());
            }
            EventKind::TaskFinished(report) => self.finished(report),
            EventKind::WakeScheduled(wake) => self.scheduled(wake, cron),
            EventKind::WakeCancelled { id: Some(id) } => {
                self.wakes.retain(|row| row.wake.id.as_ref() != Some(id));
            }
            EventKind::WakeCancelled { id: None } => self.wakes.retain(|row| is_cron(&row.wake)),
            EventKind::PromptSubmitted { reports, .. } => {
                reports.iter().for_each(|report| self.finished(report));
            }
            _ => {}
        }
    }

    fn finished(&mut self, report: &TaskReport) {
        if report.outcome.is_some() {
            self.tasks.retain(|task| task.id != report.task);
        }
    }

    fn scheduled(&mut self, wake: &ScheduledWake, schedule: Option<Schedule>) {
        if is_cron(wake) {
            self.wakes.retain(|row| row.wake.id.is_none() || row.wake.id != wake.id);
        } else {
            self.wakes.retain(|row| is_cron(&row.wake)); // W7
        }
        self.wakes.push(Row { wake: wake.clone(), schedule });
    }

    /// A prompt opened a turn: a one-shot wake with this prompt has fired, and one long past due is gone.
    pub(super) fn turn_opened(&mut self, prompt: Digest, now: Now) {
        let fired = self.wakes.iter().position(|row| {
            row.wake.prompt == prompt
                && !is_recurring(&row.wake)
                && row.wake.due.0 <= now.wall.plus(Millis::minutes(1)).0
        });
        if let Some(fired) = fired {
            self.wakes.remove(fired);
        }
        self.wakes.retain(|row| is_recurring(&row.wake) || row.wake.due.plus(GONE_AFTER).0 > now.wall.0);
    }

    /// A wake with this prompt is armed.
    pub(super) fn has_prompt(&self, prompt: Digest) -> bool {
        self.wakes.iter().any(|row| row.wake.prompt == prompt)
    }

    /// Everything of the process is gone.
    pub(super) fn clear(&mut self) {
        self.tasks.clear();
        self.wakes.clear();
    }

    /// The lists as the client would send them now.
    pub(super) fn roster(&self, now: Now, zone: &jiff::tz::TimeZone) -> Roster {
        let listed = |row: &Row| {
            let recurring = is_recurring(&row.wake);
            let next = || row.schedule.as_ref().and_then(|schedule| schedule.next(zone, now.wall));
            ListedWake {
                id: row
                    .wake
                    .id
                    .clone()
                    .unwrap_or_else(|| WakeId::new(format!("wakeup:{:016x}", row.wake.prompt.0))),
                recurring,
                prompt: row.wake.prompt,
                due: if recurring { next() } else { Some(row.wake.due) },
            }
        };
        Roster {
            tasks: Some(self.tasks.clone()),
            wakes: Some(self.wakes.iter().map(listed).collect()),
            reconstructed: true,
        }
    }
}

fn is_cron(wake: &ScheduledWake) -> bool {
    matches!(wake.by, WakeOwner::Client { cron: true, .. })
}

fn is_recurring(wake: &ScheduledWake) -> bool {
    matches!(wake.by, WakeOwner::Client { recurring: true, .. })
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use wakeful_core::time::{Boot, BootId, Wall};

    use super::*;

    const START: i64 = 1_799_053_200_000;

    fn at(minutes: i64) -> Now {
        Now { wall: Wall(START + minutes * 60_000), boot: Boot(0), boot_id: BootId(0) }
    }

    fn wake(id: Option<&str>, prompt: &str, due: i64, recurring: bool, cron: bool) -> EventKind {
        EventKind::WakeScheduled(ScheduledWake {
            id: id.map(WakeId::new),
            due: at(due).wall,
            delay: Millis(0),
            prompt: Digest::of(prompt.as_bytes()),
            by: WakeOwner::Client { recurring, cron },
            reason: None,
        })
    }

    fn prompts(lists: &Lists, minutes: i64) -> Vec<Digest> {
        lists.roster(at(minutes), &TimeZone::UTC).wakes.unwrap().into_iter().map(|wake| wake.prompt).collect()
    }

    #[test]
    fn a_wake_leaves_when_it_fires_is_replaced_cancelled_or_gone() {
        let digest = |prompt: &str| Digest::of(prompt.as_bytes());
        let mut lists = Lists::default();
        lists.apply(&wake(None, "one", 10, false, false), None);
        lists.apply(&wake(Some("c1"), "cron", 15, true, true), Schedule::parse("*/15 * * * *"));
        lists.apply(&wake(None, "two", 20, false, false), None);
        assert_eq!(prompts(&lists, 0), [digest("cron"), digest("two")]);
        let due = lists.roster(at(16), &TimeZone::UTC).wakes.unwrap()[0].due;
        assert_eq!(due, Some(at(30).wall));
        // A user's prompt with other words; then the wake itself.
        lists.turn_opened(digest("hello"), at(18));
        assert_eq!(prompts(&lists, 18).len(), 2);
        lists.turn_opened(digest("two"), at(20));
        assert_eq!(prompts(&lists, 20), [digest("cron")]);
        lists.apply(&wake(None, "three", 30, false, false), None);
        lists.turn_opened(digest("hello"), at(90));
        assert_eq!(prompts(&lists, 90), [digest("cron")]);
        lists.apply(&wake(None, "four", 100, false, false), None);
        lists.apply(&EventKind::WakeCancelled { id: None }, None);
        assert_eq!(prompts(&lists, 91), [digest("cron")]);
        lists.apply(&EventKind::WakeCancelled { id: Some(WakeId::new("c1")) }, None);
        assert_eq!(prompts(&lists, 91), []);
    }
}
