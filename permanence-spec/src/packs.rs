//! The packs that come with the crate: rules for one provider each.

use std::sync::OnceLock;

use crate::diagnostic::{Code, Finding, Findings, nearest};
use crate::layer::{Document, RuleLayer};
use crate::syntax::Section;

/// Rules for one provider or protocol, which a policy attaches with `use = ["NAME"]`.
///
/// # Examples
///
/// One endpoint speaks to OpenAI, and its own tests tell that an empty account is known:
///
/// ```
/// # fn main() -> Result<(), permanence_spec::Diagnostics> {
/// let policy = permanence_spec::load_str(
///     "policy.toml",
///     r#"
///         [error_permanence]
///         extends = "default"
///
///         [error_permanence.per_endpoint_overrides."POST /v1/chat/completions"]
///         use = ["openai"]
///     "#,
/// )?;
/// let rules = &policy.routes[0].policy.rule_set.rules;
/// assert!(rules.iter().any(|rule| rule.id == "openai.quota"));
/// assert!(policy.base.rule_set.rules.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Pack {
    /// The name in `use`.
    pub name: &'static str,
    /// The rules as they are written, with their sources and examples.
    pub text: &'static str,
}

macro_rules! packs {
    ($($name:literal,)+) => {
        /// All packs, in the order of their names.
        pub const PACKS: &[Pack] = &[$(
            Pack { name: $name, text: include_str!(concat!("../packs/", $name, ".toml")) },
        )+];
    };
}

packs! {
    "anthropic",
    "aws",
    "azure",
    "cloudflare",
    "discord",
    "gemini",
    "github",
    "google-cloud",
    "graphql",
    "html",
    "idempotency-key",
    "kubernetes",
    "mcp",
    "memfault",
    "oauth",
    "openai",
    "otlp",
    "slack",
    "stripe",
    "telegram",
}

/// Reads the list under `use`: the rules of the packs that it names, in its order.
///
/// What is wrong with them together is wrong where the pack is named. Their own tests are left out:
/// they hold for the default policy, and this one may say otherwise on purpose.
pub(crate) fn read_use(section: &mut Section<'_>, findings: &mut Findings) -> Vec<RuleLayer> {
    let Some(item) = section.take("use") else { return Vec::new() };
    let mut attached: Vec<(&str, _)> = Vec::new();
    let mut rules = Vec::new();
    for item in item.list(findings) {
        let Some(name) = item.text(findings) else { continue };
        if let Some((_, first)) = attached.iter().find(|(known, _)| *known == name) {
            let message = format!("the pack `{name}` is attached twice");
            let finding = Finding::new(Code::CodeTwice, item.place, message);
            findings.push(finding.with_label(*first, "first here"));
            continue;
        }
        let Some(own) = rules_of(name) else {
            let names = || PACKS.iter().map(|pack| pack.name);
            let message = format!("there is no pack `{name}`");
            let help = format!("the packs are {}", names().collect::<Vec<_>>().join(", "));
            let finding = Finding::new(Code::UnknownPack, item.place, message);
            findings.push(finding.with_guess(nearest(name, names()), help));
            continue;
        };
        attached.push((name, item.place));
        rules.extend(own.iter().cloned().map(|rule| rule.attached_at(item.place)));
    }
    rules
}

/// The rules of a pack; each pack is read once in a process.
fn rules_of(name: &str) -> Option<&'static [RuleLayer]> {
    static READ: [OnceLock<Vec<RuleLayer>>; PACKS.len()] = [const { OnceLock::new() }; PACKS.len()];
    let (pack, read) = PACKS.iter().zip(&READ).find(|(pack, _)| pack.name == name)?;
    let rules = read.get_or_init(|| {
        // That nothing is wrong with them is tested; nobody could mend it here.
        Document::read(pack.text, 0, &mut Findings::default()).layer.rules
    });
    Some(rules)
}
