//! The rules of the language, numbered for good.

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $name:ident = $number:literal,)+) => {
        /// Which rule of the language is broken; a number once given keeps its meaning.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $meaning])+ $name,)+
        }

        impl Code {
            /// Every code, in the order of the numbers.
            pub const ALL: &[Code] = &[$(Code::$name,)+];

            /// The name in a diagnostic, such as `P0105`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Code::$name => $number,)+
                }
            }

            /// The rule in one sentence.
            ///
            /// # Examples
            ///
            /// ```
            /// use permanence_spec::Code;
            ///
            /// assert_eq!(Code::CodeTwice.name(), "P0105");
            /// assert_eq!(Code::CodeTwice.meaning(), "Within one layer a code stands in one list only.");
            /// ```
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Code::$name => concat!($($meaning,)+).trim_ascii(),)+
                }
            }
        }
    };
}

codes! {
    /// A policy file is TOML 1.1.
    Syntax = "P0101",
    /// Every key is one that the language knows, so that a slip of the pen is not silence.
    UnknownKey = "P0102",
    /// Every value has the type that its key asks for.
    WrongType = "P0103",
    /// An HTTP status is a number from 100 to 599, a hundred such as "4xx" or a range such as "500-599".
    BadStatus = "P0104",
    /// Within one layer a code stands in one list only.
    CodeTwice = "P0105",
    /// A gRPC code is a name such as "UNAVAILABLE" or a number from 0 to 16.
    BadGrpc = "P0106",
    /// A CoAP code is written as class, dot and two digits, such as "4.04".
    BadCoap = "P0107",
    /// A network error is one of the names that the language knows.
    BadNetwork = "P0108",
    /// A code of a provider is written as status, colon and code, such as "429:insufficient_quota".
    BadProvider = "P0109",
    /// A span is written with its units, such as "3h", "1h30m" or "500ms".
    BadSpan = "P0110",
    /// A span of no length means nothing.
    ZeroSpan = "P0111",
    /// A span is shorter than 2^31 milliseconds, so that a 32-bit counter can carry it.
    LongSpan = "P0112",
    /// A count is at least 1 and fits its range.
    BadCount = "P0113",
    /// A ramp starts no higher than the interval that it leads up to.
    LongRamp = "P0114",
    /// A percentage is at most 100.
    BadPercent = "P0115",
    /// The first pause of a back-off is no longer than its longest.
    BackoffOrder = "P0116",
    /// A class is one of permanent, transient, ambiguous, success and ignored.
    UnknownClass = "P0117",
    /// A reason is one of the language's own or a new name of lower-case letters, digits and hyphens.
    BadReason = "P0118",
    /// A remedy is one of the names that the language knows.
    UnknownRemedy = "P0119",
    /// A scope is one of the names that the language knows.
    UnknownScope = "P0120",
    /// A retry rule is one of the names that the language knows.
    UnknownRetry = "P0121",
    /// A jitter is one of the names that the language knows.
    UnknownJitter = "P0122",
    /// A mode is enforce or observe.
    UnknownMode = "P0123",
    /// A pacing is advise or hold.
    UnknownPacing = "P0124",
    /// A route is a path that starts with a slash, with or without a method before it.
    BadRoute = "P0125",
    /// Within one file a route is named once.
    RouteTwice = "P0126",
    /// Every route can be reached: none before it in the file matches all that it matches.
    UnreachableRoute = "P0127",
    /// What a file extends is default, essay, none or a readable file.
    BadExtends = "P0128",
    /// No file extends itself, however far around.
    ExtendsCycle = "P0129",
    /// A chain of files is at most eight long.
    ExtendsDepth = "P0130",
    /// A policy file is at most 1 MiB of UTF-8.
    TooLarge = "P0131",
    /// A reason that a policy names itself has a class.
    ReasonWithoutClass = "P0132",
    /// A policy names at most 64 reasons itself.
    TooManyReasons = "P0133",
    /// What keeps a law of the machine cannot be switched off.
    LawStands = "P0134",
    /// A predicate is a value, a list of values, or a table of has, prefix, exists and not.
    BadPredicate = "P0135",
    /// The reasons ok and ignored take codes and nothing else.
    FixedReason = "P0136",
    /// A reminder comes at most once a day.
    FrequentReminder = "P0137",
    /// A policy file has the table `error_permanence`.
    NoPolicy = "P0138",
    /// One endpoint has at most 256 different rows.
    TooManyRows = "P0139",
    /// A file names at most 1000 routes.
    TooManyRoutes = "P0140",
    /// A JSON pointer is steps after slashes, at most 16 of them.
    BadPointer = "P0141",
    /// What a probe looks for has 1 to 64 bytes.
    BadLiteral = "P0142",
    /// The rules of one endpoint ask at most 64 different questions.
    TooManyProbes = "P0143",
    /// All conditions of a rule can hold at once.
    Contradiction = "P0144",
    /// Every rule can be reached: none before it matches all that it matches.
    UnreachableRule = "P0145",
    /// A rule has an id of lower-case letters, digits, dots, hyphens and underscores.
    BadRuleId = "P0146",
    /// Within one list of rules each id stands once.
    RuleTwice = "P0147",
    /// A rule names a reason that the language or the policy knows.
    UnknownReason = "P0148",
    /// A server's time stands in a header, in a JSON body, or in the policy itself.
    BadDelay = "P0149",
    /// A test has one code that came back and says what to expect.
    BadExample = "P0150",
    /// One file or route has at most 256 rules.
    TooManyRules = "P0151",
    /// A rule says when it holds and what follows from it.
    BadRule = "P0152",
    /// Whether the peer acted is no, yes or unknown.
    UnknownProcessed = "P0153",
    /// A rule does what its own tests expect.
    FailedExample = "P0154",
    /// A pack is one of those that come with the language.
    UnknownPack = "P0155",
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_rise_without_a_gap() {
        for (place, code) in Code::ALL.iter().enumerate() {
            assert_eq!(code.name(), format!("P01{:02}", place + 1));
            assert!(code.meaning().ends_with('.'), "{code}");
        }
    }
}
