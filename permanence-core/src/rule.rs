//! What a policy says about one signal: the row of its table.

use core::num::NonZeroU16;

use crate::Span;

/// The row of the table that a signal falls into.
///
/// # Examples
///
/// A route that does not exist: stop at once, look again every three hours.
///
/// ```
/// use core::num::NonZeroU16;
/// use permanence_core::{Class, Reason, Remedy, Reprobe, Retry, Rule, Scope, Span};
///
/// const ABSENT: Rule = Rule {
///     reason: Reason::RESOURCE_ABSENT,
///     class: Class::Permanent,
///     scope: Scope::Endpoint,
///     remedy: Remedy::Wait,
///     retry: Retry::Never,
///     disable_after: NonZeroU16::new(1),
///     reprobe: Reprobe::Every { interval: Span::from_secs(3 * 3600), ramp: None },
/// };
/// assert!(ABSENT.disable_after.is_some());
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Rule {
    /// The name of the row.
    pub reason: Reason,
    /// How long the condition will last.
    pub class: Class,
    /// What the condition is about.
    pub scope: Scope,
    /// What would help.
    pub remedy: Remedy,
    /// Whether the same call may be tried again at once.
    pub retry: Retry,
    /// How many of these in a row disable the endpoint; `None` for never.
    pub disable_after: Option<NonZeroU16>,
    /// When a disabled endpoint is tried again.
    pub reprobe: Reprobe,
}

impl Rule {
    /// The rule for an answer that is what was asked for.
    pub const SUCCESS: Rule = Rule {
        reason: Reason::SUCCESS,
        class: Class::Success,
        scope: Scope::Endpoint,
        remedy: Remedy::Wait,
        retry: Retry::Never,
        disable_after: None,
        reprobe: Reprobe::Never,
    };

    /// The rule for what says nothing about the endpoint: an interim answer, a caller's own cancel.
    pub const IGNORED: Rule = Rule {
        reason: Reason::IGNORED,
        class: Class::Ignored,
        scope: Scope::Endpoint,
        remedy: Remedy::Wait,
        retry: Retry::Never,
        disable_after: None,
        reprobe: Reprobe::Never,
    };

    /// Whether the rule is about an answer that is what was asked for.
    #[inline]
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self.class, Class::Success)
    }
}

/// How long a condition will last.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Class {
    /// Nobody knows what became of the request: a repeatable one is treated as transient, any other
    /// is surfaced (L5).
    Ambiguous,
    /// No evidence at all.
    Ignored,
    /// Repeating the call cannot help.
    Permanent,
    /// The call did what it should.
    Success,
    /// The condition may pass by itself.
    Transient,
}

impl Class {
    /// The name in policy files and log lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Class::Ambiguous => "ambiguous",
            Class::Ignored => "ignored",
            Class::Permanent => "permanent",
            Class::Success => "success",
            Class::Transient => "transient",
        }
    }
}

/// The name of a row, as a number that a tracker can keep.
///
/// The first sixteen are the language's own; a policy names the rest (SPEC 5.2).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Reason(u8);

impl Reason {
    /// `ok`: the call did what it should.
    pub const SUCCESS: Reason = Reason(0);
    /// `ignored`: no evidence.
    pub const IGNORED: Reason = Reason(1);
    /// `ambiguous-write`: a write of unknown fate.
    pub const AMBIGUOUS_WRITE: Reason = Reason(2);
    /// `auth-config`: the credential or the configuration is wrong.
    pub const AUTH_CONFIG: Reason = Reason(3);
    /// `conflict`: the state of the resource does not allow this request now.
    pub const CONFLICT: Reason = Reason(4);
    /// `gone`: the resource will not come back.
    pub const GONE: Reason = Reason(5);
    /// `invalid-request`: the request itself is refused.
    pub const INVALID_REQUEST: Reason = Reason(6);
    /// `network`: there was no answer.
    pub const NETWORK: Reason = Reason(7);
    /// `overload`: the peer has too much to do.
    pub const OVERLOAD: Reason = Reason(8);
    /// `redirect`: the resource is elsewhere and nobody followed.
    pub const REDIRECT: Reason = Reason(9);
    /// `resource-absent`: the route does not exist.
    pub const RESOURCE_ABSENT: Reason = Reason(10);
    /// `server-fault`: the peer failed.
    pub const SERVER_FAULT: Reason = Reason(11);
    /// `stale-context`: a session, a cursor or a token has to be renewed.
    pub const STALE_CONTEXT: Reason = Reason(12);
    /// `unusable-response`: success with content that is not what was asked for.
    pub const UNUSABLE_RESPONSE: Reason = Reason(13);

    /// The number of the first reason that a policy may name itself.
    pub const FIRST_CUSTOM: u8 = 16;

    /// Makes a reason from its number.
    #[inline]
    #[must_use]
    pub const fn from_number(number: u8) -> Self {
        Reason(number)
    }

    /// The number.
    #[inline]
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The name of one of the language's own reasons.
    ///
    /// # Examples
    ///
    /// ```
    /// use permanence_core::Reason;
    ///
    /// assert_eq!(Reason::RESOURCE_ABSENT.builtin_name(), Some("resource-absent"));
    /// assert_eq!(Reason::from_builtin_name("gone"), Some(Reason::GONE));
    /// ```
    #[must_use]
    pub fn builtin_name(self) -> Option<&'static str> {
        BUILTIN_REASONS.get(usize::from(self.0)).copied()
    }

    /// The language's own reason with this name.
    #[must_use]
    pub fn from_builtin_name(name: &str) -> Option<Self> {
        let place = BUILTIN_REASONS.iter().position(|known| *known == name)?;
        u8::try_from(place).ok().map(Reason)
    }
}

/// The names of the language's own reasons, in the order of their numbers.
pub const BUILTIN_REASONS: [&str; 14] = [
    "ok",
    "ignored",
    "ambiguous-write",
    "auth-config",
    "conflict",
    "gone",
    "invalid-request",
    "network",
    "overload",
    "redirect",
    "resource-absent",
    "server-fault",
    "stale-context",
    "unusable-response",
];

/// What a condition is about, and so which tracker learns of it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Scope {
    /// Every endpoint that uses the same credential.
    Credential,
    /// This endpoint.
    Endpoint,
    /// Every endpoint of the same host and port.
    Origin,
    /// This request only; the endpoint is disabled only after several different payloads in a row.
    Payload,
}

impl Scope {
    /// The name in policy files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Credential => "credential",
            Scope::Endpoint => "endpoint",
            Scope::Origin => "origin",
            Scope::Payload => "payload",
        }
    }
}

/// What would help.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Remedy {
    /// Drop this payload and go on with the next.
    DropPayload,
    /// Mend the configuration.
    FixConfig,
    /// Renew the credential.
    Reauth,
    /// Start over: a new session, a new cursor.
    Reinit,
    /// Remove the endpoint from the configuration.
    Remove,
    /// Time alone.
    Wait,
}

impl Remedy {
    /// The name in policy files and log lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Remedy::DropPayload => "drop_payload",
            Remedy::FixConfig => "fix_config",
            Remedy::Reauth => "reauth",
            Remedy::Reinit => "reinit",
            Remedy::Remove => "remove",
            Remedy::Wait => "wait",
        }
    }
}

/// Whether the same call may be tried again at once; the guard of unkeyed writes (L5), the notice
/// threshold and the budget (L7) stand above it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Retry {
    /// After a back-off.
    Backoff,
    /// Not now: the caller's own cadence is the retry.
    Cadence,
    /// No.
    Never,
    /// Once and without delay, on a fresh connection; then after a back-off.
    Once,
    /// Once, after the remedy has been applied; a second failure in a row disables.
    Renew,
}

impl Retry {
    /// The name in policy files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Retry::Backoff => "backoff",
            Retry::Cadence => "cadence",
            Retry::Never => "never",
            Retry::Once => "once",
            Retry::Renew => "renew",
        }
    }
}

/// When a disabled endpoint is tried again.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Reprobe {
    /// After each interval.
    Every {
        /// The interval; above zero and below 2^31 ms.
        interval: Span,
        /// The first wait of an endpoint that has succeeded before; it doubles up to the interval.
        ramp: Option<Span>,
    },
    /// Not until a reload or a recheck.
    Never,
}
