//! The closed lists of words.

use permanence_core::{Class, Jitter, Mode, Pacing, Processed, Remedy, Retry, Scope};

use crate::diagnostic::{Code, Finding, Findings, nearest};

use super::{At, Item};

macro_rules! words {
    ($($(#[doc = $doc:literal])* $read:ident, $kind:literal, $code:ident, $type:ident {
        $($name:literal = $variant:ident,)+
    })+) => {
        $(
            $(#[doc = $doc])*
            pub(crate) fn $read(item: &Item<'_>, findings: &mut Findings) -> Option<At<$type>> {
                read(item, $kind, Code::$code, &[$(($name, $type::$variant),)+], findings)
            }
        )+
    };
}

words! {
    read_class, "class", UnknownClass, Class {
        "permanent" = Permanent,
        "transient" = Transient,
        "ambiguous" = Ambiguous,
        "success" = Success,
        "ignored" = Ignored,
    }
    read_remedy, "remedy", UnknownRemedy, Remedy {
        "drop_payload" = DropPayload,
        "fix_config" = FixConfig,
        "reauth" = Reauth,
        "reinit" = Reinit,
        "remove" = Remove,
        "wait" = Wait,
    }
    read_processed, "answer", UnknownProcessed, Processed {
        "no" = No,
        "unknown" = Unknown,
        "yes" = Yes,
    }
    read_scope, "scope", UnknownScope, Scope {
        "credential" = Credential,
        "endpoint" = Endpoint,
        "origin" = Origin,
        "payload" = Payload,
    }
    read_retry, "retry rule", UnknownRetry, Retry {
        "backoff" = Backoff,
        "cadence" = Cadence,
        "never" = Never,
        "once" = Once,
        "renew" = Renew,
    }
    read_jitter, "jitter", UnknownJitter, Jitter {
        "decorrelated" = Decorrelated,
        "equal" = Equal,
        "full" = Full,
        "none" = None,
    }
    read_mode, "mode", UnknownMode, Mode {
        "enforce" = Enforce,
        "observe" = Observe,
    }
    read_pacing, "pacing", UnknownPacing, Pacing {
        "advise" = Advise,
        "hold" = Hold,
    }
}

fn read<T: Copy>(
    item: &Item<'_>,
    kind: &str,
    code: Code,
    words: &[(&str, T)],
    findings: &mut Findings,
) -> Option<At<T>> {
    let text = item.text(findings)?;
    if let Some((_, value)) = words.iter().find(|(name, _)| *name == text) {
        return Some(item.at(*value));
    }
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
    let guess = nearest(text, names.iter().copied());
    let message = format!("there is no {kind} `{text}`");
    let help = format!("it is one of {}", names.join(", "));
    findings.push(Finding::new(code, item.place, message).with_guess(guess, help));
    None
}
