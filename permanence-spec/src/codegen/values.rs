//! Values of the core as expressions.

use std::fmt::Debug;

use permanence_core::{Backoff, BudgetSettings, Processed, Reason, Reprobe, Rule, Settings, Span};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

pub(super) fn rule(rule: &Rule) -> TokenStream {
    if *rule == Rule::SUCCESS {
        return quote!(permanence::Rule::SUCCESS);
    }
    if *rule == Rule::IGNORED {
        return quote!(permanence::Rule::IGNORED);
    }
    let reason = reason(rule.reason);
    let (class, scope) = (variant(rule.class), variant(rule.scope));
    let (remedy, retry) = (variant(rule.remedy), variant(rule.retry));
    let reprobe = reprobe(rule.reprobe);
    let disable_after = match rule.disable_after {
        Some(threshold) => {
            let threshold = Literal::u16_unsuffixed(threshold.get());
            quote!(::core::num::NonZeroU16::new(#threshold))
        }
        None => quote!(None),
    };
    quote! {
        permanence::Rule {
            reason: #reason,
            class: permanence::Class::#class,
            scope: permanence::Scope::#scope,
            remedy: permanence::Remedy::#remedy,
            retry: permanence::Retry::#retry,
            disable_after: #disable_after,
            reprobe: #reprobe,
        }
    }
}

/// The language's own reasons by their constants, the policy's by their numbers.
fn reason(reason: Reason) -> TokenStream {
    match reason.builtin_name() {
        Some("ok") => quote!(permanence::Reason::SUCCESS),
        Some(name) => {
            let constant = format_ident!("{}", name.replace('-', "_").to_ascii_uppercase());
            quote!(permanence::Reason::#constant)
        }
        None => {
            let number = Literal::u8_unsuffixed(reason.number());
            quote!(permanence::Reason::from_number(#number))
        }
    }
}

/// The numbers of the reasons that a policy names, in their order.
pub(super) fn custom_numbers() -> impl Iterator<Item = u8> {
    Reason::FIRST_CUSTOM..=u8::MAX
}

pub(super) fn settings(settings: &Settings) -> TokenStream {
    let Settings {
        backoff,
        budget,
        confirm_max,
        flap_window,
        mode,
        notice_after,
        pacing,
        probe_lease,
        reminder,
        reprobe_spread,
        retry_after_max,
    } = settings;
    let backoff = self::backoff(backoff);
    let budget = self::budget(budget);
    let confirm_max = at_least_one(confirm_max.get());
    let flap_window = span(*flap_window);
    let (mode, pacing) = (variant(mode), variant(pacing));
    let notice_after = at_least_one(notice_after.get());
    let probe_lease = span(*probe_lease);
    let reminder = optional_span(*reminder);
    let reprobe_spread = percent(reprobe_spread.value());
    let retry_after_max = span(*retry_after_max);
    quote! {
        permanence::Settings {
            backoff: #backoff,
            budget: #budget,
            confirm_max: #confirm_max,
            flap_window: #flap_window,
            mode: permanence::Mode::#mode,
            notice_after: #notice_after,
            pacing: permanence::Pacing::#pacing,
            probe_lease: #probe_lease,
            reminder: #reminder,
            reprobe_spread: #reprobe_spread,
            retry_after_max: #retry_after_max,
        }
    }
}

fn backoff(backoff: &Backoff) -> TokenStream {
    let Backoff { base, max, jitter } = backoff;
    let (base, max) = (span(*base), span(*max));
    let jitter = variant(jitter);
    quote! {
        permanence::Backoff { base: #base, max: #max, jitter: permanence::Jitter::#jitter }
    }
}

fn budget(budget: &BudgetSettings) -> TokenStream {
    let BudgetSettings { ttl, min_per_sec, percent } = budget;
    let ttl = span(*ttl);
    let min_per_sec = Literal::u16_unsuffixed(*min_per_sec);
    let percent = self::percent(percent.value());
    quote! {
        permanence::BudgetSettings { ttl: #ttl, min_per_sec: #min_per_sec, percent: #percent }
    }
}

/// A number above zero as one: `NonZeroU8` has no literals.
fn at_least_one(number: u8) -> TokenStream {
    let above = Literal::u8_unsuffixed(number.saturating_sub(1));
    quote!(::core::num::NonZeroU8::MIN.saturating_add(#above))
}

fn percent(value: u8) -> TokenStream {
    let value = Literal::u8_unsuffixed(value);
    quote!(permanence::Percent::saturating(#value))
}

pub(super) fn span(span: Span) -> TokenStream {
    let millis = span.as_millis();
    if millis >= 1_000 && millis.is_multiple_of(1_000) {
        let seconds = Literal::u32_unsuffixed(millis / 1_000);
        return quote!(permanence::Span::from_secs(#seconds));
    }
    let millis = Literal::u32_unsuffixed(millis);
    quote!(permanence::Span::from_millis(#millis))
}

/// A byte as it is written in RFC 7252: `0x84`.
pub(super) fn byte(number: u16) -> Literal {
    format!("{number:#04x}").parse().unwrap_or_else(|_| Literal::u16_unsuffixed(number))
}

fn optional_span(of: Option<Span>) -> TokenStream {
    match of.map(span) {
        Some(span) => quote!(Some(#span)),
        None => quote!(None),
    }
}

fn reprobe(reprobe: Reprobe) -> TokenStream {
    match reprobe {
        Reprobe::Never => quote!(permanence::Reprobe::Never),
        Reprobe::Every { interval, ramp } => {
            let (interval, ramp) = (span(interval), optional_span(ramp));
            quote!(permanence::Reprobe::Every { interval: #interval, ramp: #ramp })
        }
    }
}

pub(super) fn processed(processed: Processed) -> TokenStream {
    let variant = variant(processed);
    quote!(permanence::Processed::#variant)
}

/// The name of a variant without fields, which is what `Debug` prints.
pub(super) fn variant(of: impl Debug) -> Ident {
    format_ident!("{of:?}")
}
