//! How the notifications of the past day went.

use std::io;

use super::finding::{Check, Finding, count};
use crate::notify::run::Lately;

/// Says which channels failed. `None` where nothing was to ring: there is nothing to say of it.
pub(crate) fn rings(lately: io::Result<Lately>) -> Option<Finding> {
    let lately = match lately {
        Ok(lately) => lately,
        Err(error) => {
            return Some(Finding::broken(
                Check::Rings,
                format!("how the rings went cannot be read: {error}"),
                "make the folder `rings` in the state folder your own again; until then nothing can ring",
            ));
        }
    };
    let total = (lately.ended + lately.died) as u64;
    if total == 0 {
        return None;
    }
    let mut seen = vec![format!("{} in the past day, {} heard", count(total, "ring"), lately.rang)];
    for (channel, times, why) in &lately.failed {
        seen.push(format!("{} failed {}, the last time: {why}", channel.name(), times_of(*times)));
    }
    if lately.died > 0 {
        seen.push(format!("{} cut short, and whether it was heard nobody knows", lately.died));
    }
    let seen = seen.join("; ");
    if lately.failed.is_empty() && lately.died == 0 {
        return Some(Finding::ok(Check::Rings, seen));
    }
    Some(Finding::warn(Check::Rings, seen, "try the channels: `wakeful notify --test`"))
}

fn times_of(times: usize) -> String {
    if times == 1 { "once".to_owned() } else { format!("{times} times") }
}

#[cfg(test)]
mod tests {
    use super::super::finding::State;
    use super::*;
    use crate::notify::ring::Channel;

    #[test]
    fn nothing_to_say_well_and_badly() {
        assert_eq!(rings(Ok(Lately::default())), None);
        let well = rings(Ok(Lately { ended: 3, rang: 2, ..Lately::default() })).unwrap();
        assert_eq!((well.state, well.seen.as_str()), (State::Ok, "3 rings in the past day, 2 heard"));
        let failed = vec![(Channel::Webhook, 2, "answered 500".to_owned())];
        let badly = rings(Ok(Lately { ended: 3, rang: 1, died: 1, failed })).unwrap();
        assert_eq!(badly.state, State::Warn);
        insta::assert_snapshot!(badly.seen, @"4 rings in the past day, 1 heard; webhook failed 2 times, the last time: answered 500; 1 cut short, and whether it was heard nobody knows");
        assert_eq!(rings(Err(io::ErrorKind::PermissionDenied.into())).unwrap().state, State::Broken);
    }
}
