//! Expected views: a subset match, set equality on the waits.

use serde::{Deserialize, Serialize};
use wakeful_core::ledger::Backing;
use wakeful_core::view::{PhaseView, SessionView, WaitKind, WaitView};

/// What a row expects of a session's view. What is not given is not compared.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The session.
    pub session: String,
    /// Its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Its reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The whole ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<Vec<WaitExpectation>>,
    /// Notifications sent so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notifications: Option<u32>,
    /// Check-ins sent so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_ins: Option<u32>,
    /// The banner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub banner: Option<String>,
}

/// One expected entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitExpectation {
    kind: WaitKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    awaited: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<PhaseView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backing: Option<Backing>,
}

/// One difference between an expectation and the view.
#[derive(Debug, Clone)]
pub struct Mismatch {
    /// What was compared.
    pub what: &'static str,
    /// What was expected.
    pub expected: String,
    /// What the view shows.
    pub got: String,
}

impl Expectation {
    /// The differences to `view`; none when it is as expected.
    pub fn compare(&self, view: &SessionView) -> Vec<Mismatch> {
        let mut found = Vec::new();
        let mut check = |what, expected: Option<String>, got: String| {
            if let Some(expected) = expected
                && expected != got
            {
                found.push(Mismatch { what, expected, got });
            }
        };
        check("status", self.status.clone(), view.status.name().to_owned());
        let reason = view.status.reason().map(|reason| reason.name().to_owned());
        check("reason", self.reason.clone(), reason.unwrap_or_else(|| "none".to_owned()));
        check("notifications", self.notifications.map(|n| n.to_string()), view.notifications.to_string());
        check("check_ins", self.check_ins.map(|n| n.to_string()), view.check_ins.to_string());
        check("banner", self.banner.clone(), view.banner.clone().unwrap_or_else(|| "none".to_owned()));
        if let Some(expected) = &self.waits
            && !same_set(expected, &view.waits)
        {
            found.push(Mismatch { what: "waits", expected: json(expected), got: json(&view.waits) });
        }
        found
    }
}

/// Every expected entry has its own entry in the view, and none is left over.
fn same_set(expected: &[WaitExpectation], got: &[WaitView]) -> bool {
    fn assign(expected: &[WaitExpectation], got: &[WaitView], taken: &mut Vec<usize>) -> bool {
        let Some((first, rest)) = expected.split_first() else { return true };
        (0..got.len()).any(|at| {
            if taken.contains(&at) || !first.fits(&got[at]) {
                return false;
            }
            taken.push(at);
            let fits = assign(rest, got, taken);
            taken.pop();
            fits
        })
    }
    expected.len() == got.len() && assign(expected, got, &mut Vec::new())
}

impl WaitExpectation {
    fn fits(&self, got: &WaitView) -> bool {
        fn given<T: PartialEq>(expected: Option<&T>, got: Option<&T>) -> bool {
            expected.is_none() || expected == got
        }
        self.kind == got.kind
            && given(self.task.as_ref(), got.task.as_ref().map(|task| &task.0))
            && given(self.awaited.as_ref(), got.awaited.as_ref())
            && given(self.phase.as_ref(), got.phase.as_ref())
            && given(self.holds.as_ref(), Some(&got.holds))
            && given(self.backing.as_ref(), got.backing.as_ref())
    }
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| error.to_string())
}
