//! Figures as a table that a README can hold.

use crate::rounds::{Median, Variant, excess};

/// One line of a table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) time: Median,
    /// What it takes longer than the first row.
    pub(crate) excess: Option<Median>,
}

/// Rows of variants; the first is what the others are compared with.
pub(crate) fn rows(variants: &[Variant], times: &[Vec<f64>]) -> Vec<Row> {
    let base = &times[0];
    let rows = variants.iter().zip(times).enumerate().map(|(place, (variant, times))| Row {
        name: variant.name,
        time: Median::of(times.clone()),
        excess: (place > 0).then(|| excess(times, base)),
    });
    rows.collect()
}

/// Prints a table.
pub(crate) fn print(title: &str, rows: &[Row]) {
    println!("\n{title}\n");
    println!("| variant | us a call | us more than the first, with 95 % confidence |");
    println!("|---|---|---|");
    for row in rows {
        let excess = match row.excess {
            None => String::new(),
            Some(Median { value, low, high }) => {
                format!("{:+.2} ({:+.2} to {:+.2})", value / 1e3, low / 1e3, high / 1e3)
            }
        };
        println!("| {} | {:.2} | {excess} |", row.name, row.time.value / 1e3);
    }
}
