//! Tables as the arms of a match: what is special first, then whole ranges, then the rest.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

/// A table over consecutive numbers.
pub(super) struct Table<'t, T> {
    pub(super) values: &'t [T],
    /// The number of the first value.
    pub(super) first: u16,
    /// How many numbers belong together, such as the hundred of an HTTP status.
    pub(super) block: usize,
    /// The value of every number that is not in the table.
    pub(super) other: T,
}

/// The arms of a match over the number: those of single codes, those of blocks, and the rest.
pub(super) fn arms<T: Copy + Eq>(
    table: &Table<'_, T>,
    literal: impl Fn(u16) -> Literal,
    value: impl Fn(T) -> TokenStream,
) -> TokenStream {
    let usual: Vec<T> = table.values.chunks(table.block).filter_map(most_common).collect();
    let mut special: Vec<(T, Vec<u16>)> = Vec::new();
    let mut numbers = table.first..;
    for (block, usual) in table.values.chunks(table.block).zip(&usual) {
        for (found, number) in block.iter().zip(numbers.by_ref()) {
            if found != usual {
                gather(&mut special, *found, number);
            }
        }
    }
    let special = special.into_iter().map(|(found, numbers)| {
        let patterns = runs(&numbers).into_iter().map(|run| pattern(run, &literal));
        let value = value(found);
        quote!(#(#patterns)|* => #value,)
    });
    let ranges = ranges(table, &usual).into_iter().map(|(run, found)| {
        let (pattern, value) = (pattern(run, &literal), value(found));
        quote!(#pattern => #value,)
    });
    let other = value(table.other);
    quote! {
        #(#special)*
        #(#ranges)*
        _ => #other,
    }
}

/// The arms of a match over what stands in no order: one for each value but `other`, which is the
/// rest.
pub(super) fn listed<T: Copy + Eq>(
    values: impl IntoIterator<Item = (impl ToTokens, T)>,
    other: T,
    value: impl Fn(T) -> TokenStream,
) -> TokenStream {
    let mut arms = Vec::new();
    for (pattern, found) in values {
        if found != other {
            gather(&mut arms, found, pattern);
        }
    }
    let arms = arms.into_iter().map(|(found, patterns)| {
        let value = value(found);
        quote!(#(#patterns)|* => #value,)
    });
    let other = value(other);
    quote! {
        #(#arms)*
        _ => #other,
    }
}

/// Adds to the group of `value`, the groups in the order of their first members.
fn gather<T: Eq, M>(groups: &mut Vec<(T, Vec<M>)>, value: T, member: M) {
    match groups.iter_mut().find(|(known, _)| *known == value) {
        Some((_, members)) => members.push(member),
        None => groups.push((value, vec![member])),
    }
}

/// Blocks whose usual value differs from the rest, neighbours of one value joined.
fn ranges<T: Copy + Eq>(table: &Table<'_, T>, usual: &[T]) -> Vec<((u16, u16), T)> {
    let mut ranges: Vec<((u16, u16), T)> = Vec::new();
    let mut start = table.first;
    for (block, found) in table.values.chunks(table.block).zip(usual) {
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        let end = start.saturating_add(length.saturating_sub(1));
        match ranges.last_mut() {
            _ if *found == table.other => {}
            Some(((_, last), value)) if value == found && last.checked_add(1) == Some(start) => {
                *last = end;
            }
            _ => ranges.push(((start, end), *found)),
        }
        start = end.saturating_add(1);
    }
    ranges
}

/// The value that most of `values` have, the earliest among equals.
pub(super) fn most_common<T: Copy + Eq>(values: &[T]) -> Option<T> {
    let count = |value: &T| values.iter().filter(|other| *other == value).count();
    values.iter().rev().max_by_key(|value| count(value)).copied()
}

/// Consecutive numbers, joined: first and last of each run.
fn runs(numbers: &[u16]) -> Vec<(u16, u16)> {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*number) => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    runs
}

fn pattern((first, last): (u16, u16), literal: &impl Fn(u16) -> Literal) -> TokenStream {
    let (start, end) = (literal(first), literal(last));
    match last.saturating_sub(first) {
        0 => quote!(#start),
        1 => quote!(#start | #end),
        _ => quote!(#start..=#end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(values: &[u8], block: usize, other: u8) -> String {
        let table = Table { values, first: 100, block, other };
        let value = |value: u8| {
            let literal = Literal::u8_unsuffixed(value);
            quote!(#literal)
        };
        arms(&table, Literal::u16_unsuffixed, value).to_string()
    }

    #[test]
    fn special_codes_come_before_their_block() {
        assert_eq!(
            text(&[7, 7, 9, 7, 8, 8, 9, 9], 4, 0),
            "102 | 106 | 107 => 9 , 100 ..= 103 => 7 , 104 ..= 107 => 8 , _ => 0 ,"
        );
    }

    #[test]
    fn neighbouring_blocks_of_one_value_are_one_range() {
        assert_eq!(text(&[7, 7, 7, 7], 2, 0), "100 ..= 103 => 7 , _ => 0 ,");
        assert_eq!(text(&[7, 7, 0, 0, 7, 7], 2, 0), "100 | 101 => 7 , 104 | 105 => 7 , _ => 0 ,");
    }

    #[test]
    fn what_is_like_the_rest_has_no_arm() {
        assert_eq!(text(&[0, 0, 0, 5], 4, 0), "103 => 5 , _ => 0 ,");
        assert_eq!(text(&[0, 0], 2, 0), "_ => 0 ,");
    }
}
