//! Notifications as effects: edge-triggered, once per reason and cause, after a settle window (spec 10).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::causes::Reason;
use crate::time::Now;

/// How many causes are remembered as rung. A session has few that can come back: the causes of one turn.
const REMEMBERED: usize = 64;

/// One edge into `needs_you`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// Why.
    pub reason: Reason,
    /// Which cause of that reason.
    pub cause: String,
}

/// What rang, and what will ring when its settle window is over.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Notices {
    settling: Vec<(Edge, Now)>,
    rung: VecDeque<Edge>,
    /// `done` rang since the user last wrote.
    pub done_rung: bool,
    /// How many have been sent.
    pub sent: u32,
}

impl Notices {
    /// These edges stand now (with whether each is silent): new ones start to settle, those that are gone no longer do.
    pub(crate) fn stand(&mut self, edges: &[(Edge, bool)], now: Now) {
        self.settling.retain(|(edge, _)| edges.iter().any(|(standing, _)| standing == edge));
        for (edge, silent) in edges {
            if self.rung.contains(edge) || self.settling.iter().any(|(settling, _)| settling == edge) {
                continue;
            }
            if *silent { self.remember(edge.clone()) } else { self.settling.push((edge.clone(), now)) }
        }
    }

    /// When the oldest settling edge appeared.
    pub(crate) fn oldest(&self) -> Option<Now> {
        self.settling.first().map(|(_, since)| *since)
    }

    /// The edges that have settled: they ring, once.
    pub(crate) fn ring(&mut self, settled: impl Fn(Now) -> bool) -> Vec<Edge> {
        let (ready, settling) =
            std::mem::take(&mut self.settling).into_iter().partition(|(_, since)| settled(*since));
        self.settling = settling;
        let ready: Vec<Edge> = ready.into_iter().map(|(edge, _): (Edge, Now)| edge).collect();
        for edge in &ready {
            self.done_rung |= edge.reason == Reason::Done;
            self.sent += 1;
            self.remember(edge.clone());
        }
        ready
    }

    fn remember(&mut self, edge: Edge) {
        if self.rung.len() == REMEMBERED {
            self.rung.pop_front();
        }
        self.rung.push_back(edge);
    }
}
