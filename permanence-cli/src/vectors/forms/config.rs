//! Policy files, good and bad.

use permanence_spec::load_str;

use super::super::fields::{Fields, Halt};
use super::super::observed::{Observed, count};

/// One file: whether it is accepted, and what is said where it is not.
pub(super) fn file(input: &Fields<'_>) -> Result<Observed, Halt> {
    let mut observed = Observed::default();
    match load_str("policy.toml", input.required_text("toml")?) {
        Ok(_) => {
            observed.set("result", "ok");
            observed.set_number("errors", 0);
        }
        Err(diagnostics) => {
            observed.set("result", "error");
            observed.set_number("errors", count(diagnostics.len()));
            // The messages alone: the line that is quoted below them holds every name anyway.
            let messages: Vec<&str> =
                diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
            observed.set("messages", messages.join("\n"));
            let help: Vec<&str> =
                diagnostics.iter().filter_map(|diagnostic| diagnostic.help.as_deref()).collect();
            observed.set("help", help.join("\n"));
        }
    }
    Ok(observed)
}

/// A few statements per row, each row a file of its own.
pub(super) fn rows(input: &Fields<'_>) -> Result<Observed, Halt> {
    let mut results = Vec::new();
    for row in input.required_list("rows")? {
        let row = row.as_str().ok_or_else(|| input.unfit("rows", "a list of texts", row))?;
        let statements = statements(row).join("\n");
        let text = format!("[error_permanence]\n{statements}\n");
        results.push(if load_str("policy.toml", &text).is_ok() { "ok" } else { "error" });
    }
    let mut observed = Observed::default();
    observed.set_list("results", results);
    Ok(observed)
}

/// The statements of a row; a semicolon inside quotes or behind a `#` does not part them.
fn statements(row: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote, mut in_remark) = (0, None, false);
    for (place, letter) in row.char_indices() {
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (_, Some(open)) if letter == open => quote = None,
            ('#', None) => in_remark = true,
            (';', None) if !in_remark => {
                parts.push(row[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(row[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn semicolons_part_statements_but_not_texts_and_remarks() {
        assert_eq!(statements("a = 1; b = 'x;y'  # c; d"), ["a = 1", "b = 'x;y'  # c; d"]);
    }
}
