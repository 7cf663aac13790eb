/// A policy that is compiled in.
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::fmt::Debug,
    ::core::default::Default,
    ::core::cmp::Eq,
    ::core::cmp::PartialEq,
)]
#[allow(unreachable_pub)]
pub struct Policy;
#[allow(unused, clippy::all, clippy::nursery, clippy::pedantic, clippy::restriction)]
const _: () = {
    use ::core::option::Option::{None, Some};
    use ::permanence_core as permanence;
    /// A row of the table.
    #[derive(::core::clone::Clone, ::core::marker::Copy)]
    enum Row {
        Ok,
        Ignored,
        ServerFault,
        Redirect,
        InvalidRequest,
        AuthConfig,
        ResourceAbsent,
        Gone,
        Overload,
        Conflict,
        Network,
        UnusableResponse,
    }
    impl Row {
        #[inline]
        const fn rule(self) -> &'static permanence::Rule {
            match self {
                Row::Ok => const { &permanence::Rule::SUCCESS }
                Row::Ignored => const { &permanence::Rule::IGNORED }
                Row::ServerFault => {
                    const {
                        &permanence::Rule {
                            reason: permanence::Reason::SERVER_FAULT,
                            class: permanence::Class::Transient,
                            scope: permanence::Scope::Endpoint,
                            remedy: permanence::Remedy::Wait,
                            retry: permanence::Retry::Backoff,
                            disable_after: None,
                            reprobe: permanence::Reprobe::Every {
                                interval: permanence::Span::from_secs(10800),
                                ramp: None,
                            },
                        }
                    }
                }
                Row::Redirect => {
                    const {
                        &permanence::Rule {
                            reason: permanence::Reason::REDIRECT,
                            class: permanence::Class::Permanent,
                            scope: permanence::Scope::Endpoint,
                            remedy: permanence::Remedy::FixConfig,
                            retry: permanence::Retry::Never,
                            disable_after: ::core::num::NonZeroU16::new(1),
                            reprobe: permanence::Reprobe::Every {
                                interval: permanence::Span::from_secs(10800),
                                ramp: None,
                            },
                        }
                    }
                }
                Row::InvalidRequest => {
                    const {
                        &permanence::Rule {
                            reason: permanence::Reason::INVALID_REQUEST,
                            class: permanence::Class::Permanent,
                            scope: permanence::Scope::Endpoint,
                            remedy: permanence::Remedy::FixConfig,
                            retry: permanence::Retry::Never,
                            disable_after: ::core::num::NonZeroU16::new(1),
                            reprobe: permanence::Reprobe::Every {
                                interval: permanence::Span::from_secs(10800),
                                ramp: None,
                            },
                        }
                    }
                }
                Row::AuthConfig => {
                    const {
                        &permanence::Rule {
                            reason: permanence::Reason::AUTH_CONFIG,
                            class: permanence::Class::Permanent,
                            scope: permanence::Scope::Endpoint,
                            remedy: permanence::Remedy::Reauth,
                            retry: permanence::Retry::Never,
                            disable_after: ::core::num::NonZeroU16::new(1),
                            reprobe: permanence::Reprobe::Every {
                                interval: permanence::Span::from_secs(10800),
                                ramp: None,
                            },
                        }
                    }
                }
                Row::ResourceAbsent => {
                    const {
                        &permanence::Rule {
                            reason: permanence::Reason::RESOURCE_ABSENT,
                            class: permanence::Class::Permanent,
                            scope: permanence::Scope::Endpoint,
                            remedy: permanence::Remedy::Wait,
                            retry: permanence::Retry::Never,
                            disable_after: ::core::num::NonZeroU16::new(1),
                            reprobe: permanence::Reprobe::Every {
                                interval: permanence::Span::from_secs(10800),
                                ramp: None,
                            },
                        }
                    }
                }
                Row::Gone => {
                    const {
                        &permanence::Rule {
                            reason: permanence::Reason::GONE,
                            class: permanence::Class::Permanent,
                            scope: permanence::Scope::Endpoint,
                            remedy: permanence::Remedy::Remove,
                            retry: permanence::Retry::Never,
                            disable_after: ::core::num::NonZeroU16::new(1),
                            reprobe: permanence::Reprobe::Every {
                                interval: permanence::Span::from_secs(10800),
                                ramp: None,
                            },
                        }
                    }
                }
                Row::Overload => {
                    const {
                        &permanence::Rule {
                            reason: permanence::Reason::OVERLOAD,
                            class: permanence::Class::Transient,
                            scope: permanence::Scope::Endpoint,
                            remedy: permanence::Remedy::Wait,
                            retry: permanence::Retry::Backoff,
                            disable_after: None,
                            reprobe: permanence::Reprobe::Every {
                                interval: permanence::Span::from_secs(10800),
                                ramp: None,
                            },
                        }
                    }
                }
                Row::Conflict => {
                    const {
                        &permanence::Rule {
                            reason: permanence::Reason::CONFLICT,
                            class: permanence::Class::Transient,
                            scope: permanence::Scope::Endpoint,
                            remedy: permanence::Remedy::Wait,
                            retry: permanence::Retry::Cadence,
                            disable_after: None,
                            reprobe: permanence::Reprobe::Every {
                                interval: permanence::Span::from_secs(10800),
                                ramp: None,
                            },
                        }
                    }
                }
                Row::Network => {
                    const {
                        &permanence::Rule {
                            reason: permanence::Reason::NETWORK,
                            class: permanence::Class::Transient,
                            scope: permanence::Scope::Endpoint,
                            remedy: permanence::Remedy::Wait,
                            retry: permanence::Retry::Backoff,
                            disable_after: None,
                            reprobe: permanence::Reprobe::Every {
                                interval: permanence::Span::from_secs(10800),
                                ramp: None,
                            },
                        }
                    }
                }
                Row::UnusableResponse => {
                    const {
                        &permanence::Rule {
                            reason: permanence::Reason::UNUSABLE_RESPONSE,
                            class: permanence::Class::Permanent,
                            scope: permanence::Scope::Endpoint,
                            remedy: permanence::Remedy::Wait,
                            retry: permanence::Retry::Never,
                            disable_after: ::core::num::NonZeroU16::new(1),
                            reprobe: permanence::Reprobe::Every {
                                interval: permanence::Span::from_secs(10800),
                                ramp: None,
                            },
                        }
                    }
                }
            }
        }
    }
    struct Base;
    impl Base {
        const SETTINGS: permanence::Settings = permanence::Settings {
            backoff: permanence::Backoff {
                base: permanence::Span::from_millis(500),
                max: permanence::Span::from_secs(30),
                jitter: permanence::Jitter::Full,
            },
            budget: permanence::BudgetSettings {
                ttl: permanence::Span::from_secs(10),
                min_per_sec: 1,
                percent: permanence::Percent::saturating(10),
            },
            confirm_max: ::core::num::NonZeroU8::MIN.saturating_add(0),
            flap_window: permanence::Span::from_millis(0),
            mode: permanence::Mode::Enforce,
            notice_after: ::core::num::NonZeroU8::MIN.saturating_add(0),
            pacing: permanence::Pacing::Advise,
            probe_lease: permanence::Span::from_secs(60),
            reminder: None,
            reprobe_spread: permanence::Percent::saturating(0),
            retry_after_max: permanence::Span::from_secs(86400),
        };
        const fn http(status: u16) -> Row {
            match status {
                401 | 403 => Row::AuthConfig,
                404 => Row::ResourceAbsent,
                410 => Row::Gone,
                429 | 503 => Row::Overload,
                100..=199 => Row::Ignored,
                200..=299 => Row::Ok,
                300..=399 => Row::Redirect,
                400..=499 => Row::InvalidRequest,
                _ => Row::ServerFault,
            }
        }
        #[inline]
        fn http_from_table(status: u16) -> Row {
            static TABLE: [Row; 500] = {
                let mut table = [Row::ServerFault; 500];
                let mut status = 100;
                while status <= 599 {
                    table[(status - 100) as usize] = Base::http(status);
                    status += 1;
                }
                table
            };
            match TABLE.get(status.wrapping_sub(100) as usize) {
                Some(row) => *row,
                None => Row::ServerFault,
            }
        }
        const fn grpc(code: u8) -> Row {
            match code {
                0 => Row::Ok,
                3 | 9 | 11 | 15 => Row::InvalidRequest,
                5 | 12 => Row::ResourceAbsent,
                6 | 10 => Row::Conflict,
                7 | 16 => Row::AuthConfig,
                8 => Row::Overload,
                _ => Row::ServerFault,
            }
        }
        const fn coap(byte: u8) -> Row {
            match byte {
                0x40..=0x5f => Row::Ok,
                0x80..=0x9f => Row::InvalidRequest,
                _ => Row::ServerFault,
            }
        }
        const fn network(error: permanence::Network) -> Row {
            match error {
                _ => Row::Network,
            }
        }
        #[inline]
        fn of_signal(signal: &permanence::Signal<'_>) -> Row {
            match *signal {
                permanence::Signal::Http(status) => Base::http_from_table(status),
                _ => Base::of_others(signal),
            }
        }
        /// Out of line, so that the way of HTTP is short where it is inlined.
        #[inline(never)]
        fn of_others(signal: &permanence::Signal<'_>) -> Row {
            match *signal {
                permanence::Signal::Provider { status, .. } => {
                    Base::http_from_table(status)
                }
                permanence::Signal::Grpc(code) => Base::grpc(code),
                permanence::Signal::Coap(byte) => Base::coap(byte),
                permanence::Signal::Network(error) => Base::network(error),
                permanence::Signal::Unusable { .. } => Row::UnusableResponse,
                _ => Row::Ignored,
            }
        }
        fn of_cause(cause: permanence::Cause) -> Row {
            Base::of_signal(&cause.signal())
        }
        fn processed(signal: &permanence::Signal<'_>) -> permanence::Processed {
            match *signal {
                permanence::Signal::Http(status)
                | permanence::Signal::Provider { status, .. } => {
                    permanence::default_processed(signal)
                }
                permanence::Signal::Grpc(code) => permanence::default_processed(signal),
                permanence::Signal::Coap(byte) => permanence::default_processed(signal),
                _ => permanence::default_processed(signal),
            }
        }
    }
    impl permanence::Policy for Policy {
        #[inline]
        fn rule(&self, signal: &permanence::Signal<'_>) -> &permanence::Rule {
            Base::of_signal(signal).rule()
        }
        fn settings(&self) -> &permanence::Settings {
            &Base::SETTINGS
        }
        fn cause_rule(&self, cause: permanence::Cause) -> &permanence::Rule {
            Base::of_cause(cause).rule()
        }
        fn answered_processed(
            &self,
            signal: &permanence::Signal<'_>,
        ) -> permanence::Processed {
            Base::processed(signal)
        }
    }
    impl permanence::RoutePolicy for Policy {
        type Endpoint = Policy;
        fn endpoint(&self, _: &str, _: &str) -> Policy {
            Policy
        }
    }
};
