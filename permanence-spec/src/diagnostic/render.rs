//! A diagnostic as text: plain, and the same on every terminal and in every log.

use std::fmt::{self, Write};

use super::{Diagnostic, Label};

pub(super) fn diagnostic(of: &Diagnostic, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(out, "error[{}]: {}", of.code, of.message)?;
    let widest = of.labels.iter().map(|label| label.line).max().unwrap_or(0);
    let margin = widest.to_string().len();
    for (place, label) in of.labels.iter().enumerate() {
        let (arrow, mark) = if place == 0 { ("-->", '^') } else { (":::", '-') };
        self::label(label, Look { margin, arrow, mark }, out)?;
    }
    match &of.help {
        Some(help) => writeln!(out, "{:margin$} = help: {help}", ""),
        None => Ok(()),
    }
}

#[derive(Clone, Copy)]
struct Look {
    margin: usize,
    arrow: &'static str,
    mark: char,
}

fn label(of: &Label, look: Look, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Look { margin, arrow, mark } = look;
    writeln!(out, "{:margin$}{arrow} {}:{}:{}", "", of.path, of.line, of.column)?;
    if of.text.trim().is_empty() || of.text.chars().count() > LONGEST_LINE {
        return Ok(());
    }
    writeln!(out, "{:margin$} |", "")?;
    writeln!(out, "{:margin$} | {}", of.line, of.text.trim_end())?;
    write!(out, "{:margin$} | ", "")?;
    for letter in of.text.chars().take(of.column.saturating_sub(1)) {
        // A tab stays a tab, so that the marks stand below what they mean.
        out.write_char(if letter == '\t' { '\t' } else { ' ' })?;
    }
    for _ in 0..of.width {
        out.write_char(mark)?;
    }
    if !of.message.is_empty() {
        write!(out, " {}", of.message)?;
    }
    writeln!(out)
}

/// Longer lines help nobody; their place is named all the same.
const LONGEST_LINE: usize = 400;
