//! L1 to L9 of SPEC 3.1, for any policy and any history.

use std::collections::HashMap;

use permanence_core::{
    Action, Admission, EpisodeId, EventKind, Instant, LINES_PER_WINDOW, Mode, Network, Outcome,
    Permit, Policy, Processed, Request, Settings, Signal, Span, Status, Step, Tracker, processed,
};
use permanence_laws::{
    Asked, Input, Move, Told, World, any_history, any_table, forward_history, run,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// L1.
    #[test]
    fn while_disabled_nothing_is_admitted_early_and_one_probe_at_a_time(
        table in any_table(), seed: u32, history in any_history(),
    ) {
        let mut latest = Instant::ZERO;
        for moment in run(&table, seed, &history) {
            latest = latest.max(moment.now);
            let shut = matches!(moment.before.status(), Status::Disabled | Status::Probing);
            let Told::Asked(asked) = moment.told else { continue };
            match asked {
                Asked::Call => prop_assert!(!shut && moment.before.status() != Status::Gone),
                Asked::Probe => {
                    prop_assert!(shut);
                    let due_at = moment.before.wake_at().unwrap_or(Instant::ZERO);
                    // Under a clock that was set back, L2 bounds the wait anew.
                    prop_assert!(moment.now >= due_at || moment.now < latest, "{moment:?}");
                    // The next one is a whole wait away, and nobody is let in before.
                    let next_at = moment.after.wake_at().unwrap_or(Instant::ZERO);
                    let mut again = moment.after;
                    let just_before = Instant::from_millis(next_at.as_millis() - 1);
                    prop_assert!(next_at > moment.now);
                    prop_assert!(again.admit(&table, moment.now).permit().is_none());
                    prop_assert!(again.admit(&table, just_before).permit().is_none());
                }
                Asked::Skip(_) => {}
            }
        }
    }

    /// L1, L3: an answer of an older episode, or to a probe that was given up, changes nothing.
    #[test]
    fn a_late_answer_cannot_flip_the_state(
        table in any_table(), seed: u32, history in any_history(),
    ) {
        for moment in run(&table, seed, &history) {
            let Told::Answered(probe, _, _) = moment.told else { continue };
            if moment.before.status() == Status::Disabled
                || moment.before.status() == Status::Gone
                || (moment.before.status() == Status::Probing && !probe)
            {
                prop_assert_eq!(moment.before.status(), moment.after.status());
                prop_assert_eq!(moment.before.wake_at(), moment.after.wake_at());
                prop_assert_eq!(moment.before.cause(), moment.after.cause());
            }
        }
    }

    /// L2.
    #[test]
    fn every_wait_ends_and_none_is_longer_than_what_set_it(
        table in any_table(), seed: u32, history in any_history(), jump in -9_000_000_000_i64..9_000_000_000,
    ) {
        let mut world = World::new(seed);
        for what in &history {
            world.step(&table, *what);
            let mut tracker = world.tracker;
            let later = Instant::from_millis(world.now.as_millis().saturating_add_signed(jump));
            if tracker.status() == Status::Gone {
                continue;
            }
            let Admission::Skip(skip) = tracker.admit(&table, later) else { continue };
            let until = skip.until.expect("only what is gone has no end");
            prop_assert!(until.since(later) <= u64::from(table.longest_wait().as_millis()));
            prop_assert!(tracker.admit(&table, until).permit().is_some());
        }
    }

    /// L2: what is gone comes back by a recheck alone.
    #[test]
    fn gone_ends_with_a_recheck_only(table in any_table(), seed: u32, history in any_history()) {
        for moment in run(&table, seed, &history) {
            if moment.before.status() == Status::Gone && !moment.outside {
                prop_assert_eq!(moment.after.status(), Status::Gone);
            }
            if moment.after.status() == Status::Gone {
                let mut tracker = moment.after;
                tracker.recheck(moment.now);
                prop_assert!(tracker.admit(&table, moment.now).permit().is_some());
            }
        }
    }

    /// L3, undamped: every episode is one opening line, then what is news, then one closing line.
    #[test]
    fn one_line_opens_an_episode_and_one_closes_it(
        table in any_table(), seed: u32, history in forward_history(),
    ) {
        let settings = Settings { flap_window: permanence_core::Span::ZERO, ..*table.settings() };
        let table = table.with_settings(settings);
        let mut last: HashMap<EpisodeId, EventKind> = HashMap::new();
        for moment in run(&table, seed, &history) {
            let Some(event) = moment.event() else { continue };
            if matches!(event.kind, EventKind::Ambiguous | EventKind::Rejected) {
                continue;
            }
            let before = last.insert(event.episode, event.kind);
            let fits = match (before, event.kind) {
                (None, EventKind::Degraded | EventKind::Disabled | EventKind::Gone) => true,
                (Some(EventKind::Degraded), EventKind::Disabled | EventKind::Gone) => true,
                (Some(EventKind::Gone), EventKind::Gone | EventKind::Recovered | EventKind::Changed) => true,
                (
                    Some(EventKind::Disabled | EventKind::Changed | EventKind::Still),
                    EventKind::Changed | EventKind::Still | EventKind::Gone,
                ) => true,
                (Some(EventKind::Gone), EventKind::Still) => true,
                (Some(was), EventKind::Recovered) => was != EventKind::Recovered,
                _ => false,
            };
            prop_assert!(fits, "{before:?} then {:?}", event.kind);
        }
    }

    /// L3: a failed probe with the same cause is silent, but for the reminder.
    #[test]
    fn a_failed_probe_with_the_same_cause_is_silent(
        table in any_table(), seed: u32, history in forward_history(),
    ) {
        let settings = Settings {
            flap_window: permanence_core::Span::ZERO, reminder: None, ..*table.settings()
        };
        let table = table.with_settings(settings);
        for moment in run(&table, seed, &history) {
            let Told::Answered(true, outcome, step) = &moment.told else { continue };
            let same = moment.before.cause().map(|cause| cause.code()) == Some(outcome.signal.code());
            if same && outcome.request == Request::Idempotent {
                prop_assert_eq!(step.event, None);
            }
        }
    }

    /// A line about a single request is about no span, whatever episode is open beside it.
    #[test]
    fn a_line_about_a_single_request_lasts_no_time(
        table in any_table(), seed: u32, history in any_history(),
    ) {
        for event in run(&table, seed, &history).iter().filter_map(|moment| moment.event()) {
            if matches!(event.kind, EventKind::Ambiguous | EventKind::Rejected) {
                prop_assert_eq!(event.lasted_ms, 0);
            }
        }
    }

    /// L3, damped: nothing recovers that nobody was told of.
    #[test]
    fn a_recovery_is_said_only_where_trouble_was(
        table in any_table(), seed: u32, history in any_history(),
    ) {
        let mut told = false;
        for moment in run(&table, seed, &history) {
            match moment.event().map(|event| event.kind) {
                Some(EventKind::Recovered) => {
                    prop_assert!(told);
                    told = false;
                }
                Some(EventKind::Ambiguous | EventKind::Rejected) | None => {}
                Some(_) => told = true,
            }
        }
    }

    /// L4.
    #[test]
    fn however_it_flaps_four_lines_a_window(
        table in any_table(), seed: u32, history in any_history(),
    ) {
        let window = u64::from(table.settings().flap_window.as_millis());
        let lines: Vec<u64> = run(&table, seed, &history)
            .iter()
            .filter(|moment| moment.event().is_some())
            .map(|moment| moment.forward_ms)
            .collect();
        for five in lines.windows(usize::from(LINES_PER_WINDOW) + 1) {
            prop_assert!(window == 0 || five[five.len() - 1] - five[0] >= window, "{five:?}");
        }
    }

    /// L5.
    #[test]
    fn a_write_of_unknown_fate_is_never_repeated(
        table in any_table(), seed: u32, history in any_history(),
    ) {
        for moment in run(&table, seed, &history) {
            let Told::Answered(_, outcome, step) = &moment.told else { continue };
            let fate = processed(&table, outcome);
            if outcome.request == Request::Unkeyed && fate != Processed::No {
                prop_assert!(!matches!(step.action, Action::Retry(_) | Action::Renew(_)));
                let class = permanence_core::verdict(&table, outcome).class;
                if class == permanence_core::Class::Ambiguous {
                    prop_assert_eq!(&step.action, &Action::Surface);
                }
            }
        }
    }

    /// L6.
    #[test]
    fn admit_agrees_with_the_until_that_it_returned(
        table in any_table(), seed: u32, history in any_history(), share in 0_u64..1_000,
    ) {
        for moment in run(&table, seed, &history) {
            let Told::Asked(Asked::Skip(skip)) = moment.told else { continue };
            let mut tracker = moment.after;
            let Some(until) = skip.until else {
                prop_assert!(tracker.admit(&table, Instant::MAX).permit().is_none());
                continue;
            };
            let wait = until.since(moment.now);
            prop_assert!(wait > 0);
            // Asking early, any number of times, is harmless.
            for early in [wait * share / 1_000, wait - 1] {
                let at = Instant::from_millis(moment.now.as_millis() + early);
                match tracker.admit(&table, at) {
                    Admission::Skip(again) => prop_assert_eq!(again.until, Some(until)),
                    Admission::Call(_) => prop_assert!(false, "admitted early"),
                }
            }
            prop_assert!(tracker.admit(&table, until).permit().is_some());
        }
    }

    /// L7: within a call nothing is tried again while an episode is open, nor after a long wait.
    #[test]
    fn retries_are_for_blips(table in any_table(), seed: u32, history in any_history()) {
        for moment in run(&table, seed, &history) {
            let Told::Answered(_, _, step) = &moment.told else { continue };
            if let Action::Retry(offer) = &step.action {
                prop_assert_eq!(moment.before.status() == Status::Disabled, false);
                prop_assert!(matches!(moment.after.status(), Status::Healthy | Status::Deferred));
                prop_assert!(offer.after() <= table.settings().backoff.max);
            }
        }
    }

    /// L9.
    #[test]
    fn the_same_inputs_give_the_same_outputs(
        table in any_table(), seed: u32, history in any_history(),
    ) {
        prop_assert_eq!(run(&table, seed, &history), run(&table, seed, &history));
    }

    /// L9: out to bytes and back after every input changes nothing that can be seen.
    #[test]
    fn a_restart_changes_nothing_that_can_be_seen(
        table in any_table(), seed: u32, history in forward_history(),
    ) {
        let restarted: Vec<Move> = history
            .iter()
            .flat_map(|what| [*what, Move { clock: 0, input: Input::Restart }])
            .collect();
        let plain = run(&table, seed, &history);
        let told = run(&table, seed, &restarted);
        for (plain, restarted) in plain.iter().zip(told.iter().step_by(2)) {
            prop_assert_eq!(&plain.told, &restarted.told);
            prop_assert_eq!(plain.after.status(), restarted.after.status());
        }
    }

    /// An observer is never in the way.
    #[test]
    fn an_observed_endpoint_admits_everything(
        table in any_table(), seed: u32, history in any_history(),
    ) {
        let table = table.with_settings(Settings { mode: Mode::Observe, ..*table.settings() });
        for moment in run(&table, seed, &history) {
            prop_assert!(!matches!(moment.told, Told::Asked(Asked::Skip(_))));
            if let Told::Answered(_, _, step) = &moment.told {
                prop_assert!(!matches!(step.action, Action::Retry(_)));
            }
        }
    }

    /// L8: any bytes are a tracker or a typed error.
    #[test]
    fn any_bytes_restore_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let _ = Tracker::restore(&bytes, Instant::ZERO, 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// What may be admitted without a look at the tracker is what the tracker admits, and it stays as it
    /// is.
    #[test]
    fn a_calm_endpoint_admits_everybody_under_one_stamp_and_a_success_changes_nothing(
        table in any_table(), seed: u32, history in any_history(), signal in any::<u16>(),
    ) {
        for moment in run(&table, seed, &history) {
            let Some(stamp) = moment.after.calm_stamp() else { continue };
            let mut tracker = moment.after;
            prop_assert_eq!(tracker.status(), Status::Healthy);
            let permit = tracker.admit(&table, moment.now).permit().expect("it admits everybody");
            prop_assert_eq!(&permit, &Permit::with_stamp(stamp));
            let outcome = Outcome::new(Signal::Http(signal), Request::Idempotent);
            if table.outcome_rule(&outcome).is_success() {
                let step = tracker.record(&table, permit, &outcome, moment.now);
                prop_assert_eq!(step, Step::QUIET);
                prop_assert_eq!(tracker, moment.after);
            }
        }
    }

    /// A permit that was made of a stamp is a late one as soon as the episode is another.
    #[test]
    fn a_permit_of_an_old_stamp_teaches_nothing_while_calls_have_stopped(
        table in any_table(), seed: u32, history in any_history(), stamp: u16, signal in any::<u16>(),
    ) {
        for moment in run(&table, seed, &history) {
            let mut tracker = moment.after;
            if !matches!(tracker.status(), Status::Disabled | Status::Gone | Status::Probing) {
                continue;
            }
            let outcome = Outcome::new(Signal::Http(signal), Request::Idempotent);
            let _ = tracker.record(&table, Permit::with_stamp(stamp), &outcome, moment.now);
            prop_assert_eq!(tracker.status(), moment.after.status());
            prop_assert_eq!(tracker.wake_at(), moment.after.wake_at());
        }
    }

    /// A hint brings the probe of a disabled endpoint forward, never back, and changes nothing else.
    #[test]
    fn a_hint_brings_a_probe_forward_and_does_nothing_more(
        table in any_table(), seed: u32, history in any_history(), within in 0..10_000_000_u32,
    ) {
        for moment in run(&table, seed, &history) {
            let mut tracker = moment.after;
            let within = Span::from_millis(within);
            tracker.hint(moment.now, within);
            if moment.after.status() != Status::Disabled {
                prop_assert_eq!(tracker, moment.after);
                continue;
            }
            prop_assert_eq!(tracker.status(), Status::Disabled);
            prop_assert_eq!(tracker.cause(), moment.after.cause());
            prop_assert!(tracker.wake_at() <= moment.after.wake_at());
            prop_assert!(tracker.wake_at() <= Some(moment.now.saturating_add(within)));
            let mut again = tracker;
            again.hint(moment.now, within);
            prop_assert_eq!(again, tracker);
        }
    }
}

/// A healthy endpoint reads no clock: a clock that cannot be read proves it.
#[test]
fn a_healthy_endpoint_reads_no_clock_and_writes_nothing() {
    struct Plain;
    impl Policy for Plain {
        fn rule(&self, _: &Signal<'_>) -> &permanence_core::Rule {
            &permanence_core::Rule::SUCCESS
        }
        fn settings(&self) -> &Settings {
            &Settings::LITERAL
        }
    }
    let mut tracker = Tracker::new(1);
    let first = tracker.admit(&Plain, Instant::ZERO).permit().expect("a new endpoint calls");
    let success = Outcome::new(Signal::Http(204), Request::Idempotent);
    let _ = tracker.record(&Plain, first, &success, Instant::ZERO);
    let before = tracker;
    let Admission::Call(permit) = tracker.admit_with(&Plain, || panic!("read a clock")) else {
        panic!("a healthy endpoint calls")
    };
    let step = tracker.record_with(&Plain, permit, &success, || panic!("read a clock"));
    assert_eq!(step, permanence_core::Step::QUIET);
    assert_eq!(tracker, before);
    assert!(Network::Timeout.name() == "timeout" && size_of::<Tracker>() <= 48);
}
