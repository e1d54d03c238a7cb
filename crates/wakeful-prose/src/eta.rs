//! How long a stated time is (P15).

use wakeful_core::time::Millis;

use crate::rules::EtaRole;

/// Minutes of a day.
const DAY: u32 = 24 * 60;
/// A time of day that is further away than this has already passed: "started at 9:20" is not tomorrow.
const FARTHEST: u32 = 12 * 60;

/// The time from the turn end that these words state. `now` is in minutes since midnight.
pub(crate) fn parse(words: &str, role: EtaRole, now: Option<u16>) -> Option<Millis> {
    let words = words.to_lowercase();
    match role {
        EtaRole::In => length(&words),
        EtaRole::At => {
            let at = time_of_day(&words)?;
            let ahead = (at + DAY - u32::from(now?) % DAY) % DAY;
            (ahead <= FARTHEST).then(|| Millis::minutes(u64::from(ahead)))
        }
        EtaRole::Past => None,
    }
}

/// Units by the start of their name, in seconds. Longer names first.
const UNITS: [(&str, f64); 20] = [
    ("sec", 1.0),
    ("seg", 1.0),
    ("秒", 1.0),
    ("초", 1.0),
    ("hour", 3600.0),
    ("heure", 3600.0),
    ("hora", 3600.0),
    ("hr", 3600.0),
    ("小时", 3600.0),
    ("小時", 3600.0),
    ("个小时", 3600.0),
    ("時間", 3600.0),
    ("시간", 3600.0),
    ("min", 60.0),
    ("分", 60.0),
    ("분", 60.0),
    ("s", 1.0),
    ("h", 3600.0),
    ("m", 60.0),
    ("個小時", 3600.0),
];

/// Numbers that people write in words. "A few" is read as five, "a couple" as two, "several" as seven.
const NUMBERS: [(&str, f64); 34] = [
    ("a", 1.0),
    ("an", 1.0),
    ("one", 1.0),
    ("another", 1.0),
    ("couple", 2.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("few", 5.0),
    ("five", 5.0),
    ("six", 6.0),
    ("several", 7.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("fifteen", 15.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("forty-five", 45.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("ninety", 90.0),
    ("une", 1.0),
    ("uma", 1.0),
    ("dix", 10.0),
    ("quinze", 15.0),
    ("vingt", 20.0),
    ("trente", 30.0),
    ("dez", 10.0),
    ("vinte", 20.0),
    ("trinta", 30.0),
    ("quelques", 5.0),
];

/// Words that halve or quarter the unit that follows.
const PARTS: [(&str, f64); 7] = [
    ("half", 0.5),
    ("demi", 0.5),
    ("demie", 0.5),
    ("meia", 0.5),
    ("quarter", 0.25),
    ("quart", 0.25),
    ("半", 0.5),
];

/// A length of time: the sum of its parts ("1h 20m"), with the larger end of a range ("5 to 10 minutes").
fn length(words: &str) -> Option<Millis> {
    let mut seconds = 0.0;
    let mut number: Option<f64> = None;
    let mut part: Option<f64> = None;
    for token in tokens(words) {
        match token {
            Token::Number(n) => number = Some(number.map_or(n, |before: f64| before.max(n))),
            Token::Part(p) => part = Some(p),
            Token::Unit(unit) => {
                // "half an hour": the part; "an hour and a half" has its part after the unit
                let count = part.take().unwrap_or_else(|| number.unwrap_or(1.0));
                seconds += count * unit;
                number = None;
            }
        }
    }
    if let Some(part) = part {
        seconds += part * 3600.0;
    }
    // Beyond a week it is no time that anybody waits for a turn.
    (seconds > 0.0 && seconds <= 7.0 * 86_400.0).then(|| Millis::secs(seconds as u64))
}

enum Token {
    Number(f64),
    Part(f64),
    Unit(f64),
}

fn tokens(words: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = words;
    while let Some(c) = rest.chars().next() {
        let run = if c.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
            out.extend(
                rest[..end].trim_end_matches(['.', ',']).replace(',', ".").parse().ok().map(Token::Number),
            );
            end
        } else if c.is_alphabetic() {
            let end = rest.find(|c: char| !c.is_alphabetic() && c != '-').unwrap_or(rest.len());
            word(&rest[..end], &mut out)
        } else {
            c.len_utf8()
        };
        rest = &rest[run..];
    }
    out
}

/// Reads one word; how many bytes of it were read.
fn word(word: &str, out: &mut Vec<Token>) -> usize {
    if let Some((_, n)) = NUMBERS.iter().find(|(name, _)| *name == word) {
        out.push(Token::Number(*n));
    } else if let Some((name, part)) = PARTS.iter().find(|(name, _)| word.starts_with(name)) {
        out.push(Token::Part(*part));
        return name.len().max(if word.is_ascii() { word.len() } else { 0 });
    } else if let Some((name, unit)) = unit(word) {
        out.push(Token::Unit(unit));
        // "1h20m" has no border between the unit and the next number; "20分钟" has none after the unit
        return if word.is_ascii() { word.len() } else { name.len() };
    } else if !word.is_ascii() {
        return word.chars().next().map_or(1, char::len_utf8);
    }
    word.len()
}

fn unit(word: &str) -> Option<(&'static str, f64)> {
    UNITS
        .iter()
        .find(|(name, _)| if name.len() == 1 { word == *name } else { word.starts_with(name) })
        .copied()
}

/// Minutes since midnight.
fn time_of_day(words: &str) -> Option<u32> {
    if words.contains("noon") || words.contains("midday") {
        return Some(12 * 60);
    }
    if words.contains("midnight") {
        return Some(0);
    }
    let digits = words.find(|c: char| c.is_ascii_digit())?;
    let clock = &words[digits..];
    let mut numbers = clock.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty());
    let hour: u32 = numbers.next()?.parse().ok()?;
    let minute: u32 =
        if clock.contains([':', 'h']) { numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0) } else { 0 };
    let hour = match hour {
        12 if clock.contains("am") => 0,
        1..=11 if clock.contains("pm") => hour + 12,
        _ => hour,
    };
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        let rows = [
            ("about 20 minutes", 1200),
            ("half an hour", 1800),
            ("~3m", 180),
            ("5 to 10 minutes", 600),
            ("2-3 min", 180),
            ("an hour and a half", 5400),
            ("1h 20m", 4800),
            ("1.5 hours", 5400),
            ("a couple of minutes", 120),
            ("a quarter of an hour", 900),
            ("90s", 90),
            ("约20分钟", 1200),
            ("半小时", 1800),
            ("20분", 1200),
            ("une demi-heure", 1800),
            ("meia hora", 1800),
            ("20 minutos", 1200),
        ];
        for (words, seconds) in rows {
            assert_eq!(parse(words, EtaRole::In, None), Some(Millis::secs(seconds)), "{words}");
        }
    }

    #[test]
    fn times_of_day() {
        let rows = [
            ("at 14:30", 14 * 60, Some(30)),
            ("by noon", 11 * 60 + 45, Some(15)),
            ("around 3pm", 14 * 60, Some(60)),
            ("at 00:10", 23 * 60 + 50, Some(20)),
            ("at 9:20", 10 * 60, None),
            ("à 14h30", 14 * 60, Some(30)),
        ];
        for (words, now, minutes) in rows {
            assert_eq!(parse(words, EtaRole::At, Some(now)), minutes.map(Millis::minutes), "{words}");
        }
        assert_eq!(parse("at 14:30", EtaRole::At, None), None);
    }
}
