//! Probes and places of a server's time as expressions.

use permanence_core::DelayUnit;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::values::{span, variant};
use crate::{OwnedDelay, OwnedLiteral, OwnedProbe, OwnedSegment, OwnedTarget, OwnedTest};

pub(super) fn probe(of: &OwnedProbe) -> TokenStream {
    let target = match &of.target {
        OwnedTarget::Body => quote!(permanence::Target::Body),
        OwnedTarget::ContentType => quote!(permanence::Target::ContentType),
        OwnedTarget::Header(name) => quote!(permanence::Target::Header(#name)),
        OwnedTarget::Json(pointer) => {
            let pointer = segments(pointer);
            quote!(permanence::Target::Json(#pointer))
        }
        OwnedTarget::Method => quote!(permanence::Target::Method),
        OwnedTarget::Redirect => quote!(permanence::Target::Redirect),
        OwnedTarget::RequestHeader(name) => quote!(permanence::Target::RequestHeader(#name)),
    };
    let test = match &of.test {
        OwnedTest::Equal(literals) => {
            let literals = literals.iter().map(literal);
            quote!(permanence::Test::Equal(&[#(#literals),*]))
        }
        OwnedTest::Exists => quote!(permanence::Test::Exists),
        OwnedTest::Has(texts) => quote!(permanence::Test::Has(&[#(#texts),*])),
        OwnedTest::Prefix(texts) => quote!(permanence::Test::Prefix(&[#(#texts),*])),
    };
    quote!(permanence::Probe { target: #target, test: #test })
}

pub(super) fn delay(of: &OwnedDelay) -> TokenStream {
    match of {
        OwnedDelay::Const(fixed) => {
            let fixed = span(*fixed);
            quote!(permanence::DelaySource::Const(#fixed))
        }
        OwnedDelay::Header(name, of) => {
            let unit = unit(*of);
            quote!(permanence::DelaySource::Header(#name, #unit))
        }
        OwnedDelay::Json(pointer, of) => {
            let (pointer, unit) = (segments(pointer), unit(*of));
            quote!(permanence::DelaySource::Json(#pointer, #unit))
        }
    }
}

fn unit(of: DelayUnit) -> TokenStream {
    let of = variant(of);
    quote!(permanence::DelayUnit::#of)
}

fn segments(pointer: &[OwnedSegment]) -> TokenStream {
    let segments = pointer.iter().map(|segment| match segment {
        OwnedSegment::Any => quote!(permanence::Segment::Any),
        OwnedSegment::Index(number) => {
            let number = Literal::u16_unsuffixed(*number);
            quote!(permanence::Segment::Index(#number))
        }
        OwnedSegment::Key(name) => quote!(permanence::Segment::Key(#name)),
    });
    quote!(&[#(#segments),*])
}

fn literal(of: &OwnedLiteral) -> TokenStream {
    match of {
        OwnedLiteral::Bare(text) => quote!(permanence::Literal::Bare(#text)),
        OwnedLiteral::Text(text) => quote!(permanence::Literal::Text(#text)),
    }
}
