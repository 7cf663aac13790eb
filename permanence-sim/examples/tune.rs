use core::num::*;
use permanence_core::*;
use permanence_sim::*;
struct P {
    s: Settings,
    absent: Rule,
    auth: Rule,
    gone: Rule,
    over: Rule,
    net: Rule,
}
impl Policy for P {
    fn rule(&self, s: &Signal<'_>) -> &Rule {
        match *s {
            Signal::Http(404) => &self.absent,
            Signal::Http(401) => &self.auth,
            Signal::Http(410) => &self.gone,
            Signal::Http(503) => &self.over,
            Signal::Network(_) => &self.net,
            _ => &Rule::SUCCESS,
        }
    }
    fn settings(&self) -> &Settings {
        &self.s
    }
}
fn default(ramp: bool, confirm: u8) -> P {
    let every = Reprobe::Every {
        interval: Span::from_secs(10800),
        ramp: ramp.then_some(Span::from_secs(60)),
    };
    let absent = Rule {
        reason: Reason::RESOURCE_ABSENT,
        class: Class::Permanent,
        scope: Scope::Endpoint,
        remedy: Remedy::Wait,
        retry: Retry::Never,
        disable_after: NonZeroU16::new(1),
        reprobe: every,
    };
    let mut s = Settings::LITERAL;
    if ramp {
        s.notice_after = NonZeroU8::new(3).unwrap();
        s.flap_window = Span::from_secs(3600);
        s.confirm_max = NonZeroU8::new(confirm).unwrap();
        s.reprobe_spread = Percent::saturating(10);
    }
    P {
        s,
        absent,
        auth: Rule { reason: Reason::AUTH_CONFIG, reprobe: every, ..absent },
        gone: Rule { reason: Reason::GONE, reprobe: Reprobe::Never, ..absent },
        over: Rule {
            reason: Reason::OVERLOAD,
            class: Class::Transient,
            retry: Retry::Backoff,
            disable_after: None,
            ..absent
        },
        net: Rule {
            reason: Reason::NETWORK,
            class: Class::Transient,
            retry: Retry::Cadence,
            disable_after: NonZeroU16::new(50),
            reprobe: Reprobe::Every { interval: Span::from_secs(10800), ramp: None },
            ..absent
        },
    }
}
fn main() {
    for sc in SCENARIOS {
        for (name, f) in [("essay", false), ("default", true)] {
            for c in if f { vec![1u8, 3, 5, 8] } else { vec![1] } {
                let scores: Vec<Score> = (0..101)
                    .map(|seed| {
                        simulate(&mut Permanence::new(default(f, c), seed as u32), &sc.server(seed))
                            .score
                    })
                    .collect();
                let m = median_of(&scores);
                let maxlost = scores.iter().map(|s| s.lost_ticks).max().unwrap();
                let maxl = scores.iter().map(|s| s.lines).max().unwrap();
                println!(
                    "{:18} {:8} c={c} tok {} calls {} lines {} (max {maxl}) lost {} (max {maxlost}) detect {:?}",
                    sc.name,
                    name,
                    m.tokens,
                    m.calls,
                    m.lines,
                    m.lost_ticks,
                    &m.detect_s[..m.detect_s.len().min(3)]
                );
            }
        }
    }
    for line in simulate(
        &mut Permanence::new(default(true, 5), 3),
        &scenario(std::env::args().nth(1).as_deref().unwrap_or("404-deploy-break"))
            .unwrap()
            .server(3),
    )
    .lines
    {
        println!("{}", line.text);
    }
}
