//! The outcome of a run, for people and for programs.

use permanence_core::Timestamp;
use serde::Serialize;

use super::laws::Broken;
use super::plan::Plan;
use super::tally::Tally;

/// The outcome of a run.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) days: u16,
    pub(super) ticks: u32,
    pub(super) seed: u64,
    pub(super) naive: Tally,
    pub(super) permanence: Tally,
    /// The laws that were broken; empty when all is well.
    pub(super) broken: Vec<Broken>,
    #[serde(skip)]
    pub(super) plan: Plan,
    #[serde(skip)]
    pub(super) started: Timestamp,
    #[serde(skip)]
    pub(super) naive_lines: [Option<String>; 2],
    #[serde(skip)]
    pub(super) permanence_lines: Vec<String>,
}

impl Report {
    pub(super) fn print_json(&self) {
        match serde_json::to_string(self) {
            Ok(json) => anstream::println!("{json}"),
            Err(error) => anstream::eprintln!("{error}"),
        }
    }

    pub(super) fn print_text(&self) {
        anstream::println!(
            "Two reporters PUT a status every 60 s for {}: {} ticks of a clock that is moved by hand, \
             real HTTP on 127.0.0.1.",
            days(self.days),
            grouped(u64::from(self.ticks)),
        );
        for (at, what) in self.plan.story() {
            let time = self.started.saturating_add_seconds(at.as_millis() / 1_000).civil();
            let day = at.as_millis() / 86_400_000;
            anstream::println!("  day {day} {:02}:{:02}Z  {what}", time.hour, time.minute);
        }
        anstream::println!("\nThe log of the naive reporter:");
        let [first, last] = &self.naive_lines;
        for line in first.iter() {
            anstream::println!("  {line}");
        }
        if self.naive.lines > 2 {
            anstream::println!("  ... {} more like it ...", grouped(self.naive.lines - 2));
        }
        for line in last.iter() {
            anstream::println!("  {line}");
        }
        anstream::println!("\nThe log of the reporter behind permanence:");
        for line in &self.permanence_lines {
            anstream::println!("  {line}");
        }
        self.print_table();
        for broken in &self.broken {
            let style = anstyle::AnsiColor::Red.on_default().bold();
            anstream::println!("{style}broken{style:#}: {broken}");
        }
        if self.broken.is_empty() {
            anstream::println!(
                "\nThe laws held: both ends counted the same calls, none came before its time, one line \
                 opened and one closed each episode."
            );
        }
    }

    fn print_table(&self) {
        anstream::println!("\n{:26}{:>14}{:>14}", "", "naive", "permanence");
        let (naive, permanence) = (&self.naive, &self.permanence);
        for (name, naive, permanence) in [
            ("calls", naive.calls, permanence.calls),
            ("lines", naive.lines, permanence.lines),
            ("bytes of log", naive.bytes, permanence.bytes),
            ("tokens of log, estimated", naive.tokens, permanence.tokens),
            ("lost ticks", naive.lost_ticks, permanence.lost_ticks),
        ] {
            anstream::println!("{name:26}{:>14}{:>14}", grouped(naive), grouped(permanence));
        }
        for (place, name) in
            ["first deploy noticed after", "roll-back noticed after"].into_iter().enumerate()
        {
            let noticed = |tally: &Tally| {
                tally.detect_s.get(place).map_or_else(|| "never".to_owned(), |s| span(*s))
            };
            let (naive, permanence) = (noticed(&self.naive), noticed(&self.permanence));
            anstream::println!("{name:26}{naive:>14}{permanence:>14}");
        }
    }
}

fn days(days: u16) -> String {
    if days == 1 { "1 day".to_owned() } else { format!("{days} days") }
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Seconds as hours, minutes and seconds.
fn span(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, _) => format!("{minutes}m{seconds}s"),
        _ => format!("{hours}h{minutes}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn spans_are_short() {
        assert_eq!([30, 630, 9_030].map(span), ["30s", "10m30s", "2h30m"]);
    }
}
