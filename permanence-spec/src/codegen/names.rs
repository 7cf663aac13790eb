//! Names for generated items: camel case, and none twice.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};

/// The names that are taken.
#[derive(Debug)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    pub(super) fn new<'n>(taken: impl IntoIterator<Item = &'n str>) -> Self {
        let mut taken: HashSet<String> = taken.into_iter().map(str::to_owned).collect();
        taken.insert(String::from("Self"));
        Names { taken }
    }

    /// The name of a type or a variant made from `words`: `resource-absent` gives `ResourceAbsent`,
    /// and the second time `ResourceAbsent2`.
    pub(super) fn type_of(&mut self, words: &str) -> Ident {
        let wanted = camel_case(words);
        let mut name = wanted.clone();
        let mut count = 2_u32;
        while !self.taken.insert(name.clone()) {
            name = format!("{wanted}{count}");
            count = count.saturating_add(1);
        }
        Ident::new(&name, Span::call_site())
    }
}

fn camel_case(words: &str) -> String {
    let pieces = words.split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut name = String::new();
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        let is_shouted = piece.chars().all(|letter| !letter.is_ascii_lowercase());
        let rest = piece.get(1..).unwrap_or("");
        name.extend(piece.chars().next().map(|first| first.to_ascii_uppercase()));
        name.push_str(&if is_shouted { rest.to_ascii_lowercase() } else { rest.to_owned() });
    }
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert_str(0, "Route");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_camel_case_and_none_comes_twice() {
        let mut names = Names::new(["Policy"]);
        assert_eq!(names.type_of("resource-absent"), "ResourceAbsent");
        assert_eq!(names.type_of("resource-absent"), "ResourceAbsent2");
        assert_eq!(names.type_of("PUT /api/agents/{id}/status"), "PutApiAgentsIdStatus");
        assert_eq!(names.type_of("policy"), "Policy2");
    }

    #[test]
    fn every_name_is_one_that_rust_takes() {
        let mut names = Names::new([]);
        assert_eq!(names.type_of("self"), "Self2");
        assert_eq!(names.type_of("/"), "Route");
        assert_eq!(names.type_of("/{\u{e4}}"), "Route2");
        assert_eq!(names.type_of("/2/x"), "Route2X");
    }
}
