//! The whole table of a policy: every code of every notation, equal neighbours as one range.

use anstyle::Style;
use permanence_core::{
    GRPC_NAMES, Network, Outcome, Policy, Processed, Request, RoutePolicy, Signal, processed,
};
use permanence_spec::{CompiledRule, HTTP_FIRST, HTTP_LAST, LoadedEndpoint, LoadedPolicy, Traced};
use serde::Serialize;

use super::given::{Given, GivenError};
use super::row::Row;
use super::{rules, words};

/// The rows of one endpoint, and those in which routes differ from all other endpoints.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    #[serde(flatten)]
    rows: Rows,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    routes: Vec<RouteTable>,
}

/// A route, and the rows in which it differs.
#[derive(Debug, Serialize)]
struct RouteTable {
    route: String,
    #[serde(flatten)]
    rows: Rows,
}

/// Rows by the notation of their codes.
#[derive(Debug, Default, Serialize)]
struct Rows {
    http: Vec<Line>,
    grpc: Vec<Line>,
    coap: Vec<Line>,
    net: Vec<Line>,
    unusable: Vec<Line>,
    provider: Vec<Line>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<RuleLine>,
}

/// A rule about more than the status, which goes before all rows.
#[derive(Debug, Eq, PartialEq, Serialize)]
struct RuleLine {
    rule: String,
    codes: String,
    conditions: Vec<String>,
    /// What it says of the row; nothing where the row of the code stands.
    row: Option<Row>,
    processed: Option<&'static str>,
    delay: Option<String>,
}

/// Some codes and their row.
#[derive(Debug, Serialize)]
struct Line {
    codes: String,
    #[serde(flatten)]
    row: Row,
}

/// One code and its row.
#[derive(Debug, Eq, PartialEq)]
struct Entry {
    notation: Notation,
    code: String,
    row: Row,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Notation {
    Coap,
    Grpc,
    Http,
    Network,
    /// Statuses that are none, all in one.
    Other,
    Provider,
    Unusable,
}

impl Table {
    /// The table of the endpoint that is given, else of all that no route matches, with what every
    /// route changes.
    pub(super) fn new(traced: &Traced, given: &Given) -> Result<Self, GivenError> {
        let method = given.method("GET")?;
        let compiled = traced.compiled();
        let loaded = LoadedPolicy::new(compiled.clone());
        if let Some(endpoint) = &given.endpoint {
            let rows = Rows::of(&loaded.endpoint(method, &endpoint.path));
            let endpoint = Some(format!("{method} {}", endpoint.path));
            return Ok(Table { endpoint, rows, routes: Vec::new() });
        }
        // No route has an empty template.
        let base = loaded.endpoint("", "");
        let (base, base_rules) = (entries(&base), rule_lines(&base));
        let routes = compiled.routes.iter().map(|route| {
            let (method, template) = (route.method.as_deref(), route.template.as_str());
            let policy = loaded.endpoint(method.unwrap_or(""), template);
            let (mut own, mut rules) = (entries(&policy), rule_lines(&policy));
            own.retain(|entry| !base.contains(entry));
            rules.retain(|rule| !base_rules.contains(rule));
            let route = method.map_or(template.to_owned(), |method| format!("{method} {template}"));
            RouteTable { route, rows: Rows { rules, ..Rows::folded(own) } }
        });
        let routes = routes.collect();
        Ok(Table { endpoint: None, rows: Rows { rules: base_rules, ..Rows::folded(base) }, routes })
    }

    pub(super) fn print(&self) {
        let bold = Style::new().bold();
        if let Some(endpoint) = &self.endpoint {
            anstream::println!("{bold}{endpoint}{bold:#}\n");
        }
        self.rows.print();
        for table in &self.routes {
            anstream::println!("\n{bold}{}{bold:#}, where it differs", table.route);
            table.rows.print();
        }
    }
}

/// The row of every code.
fn entries(policy: &LoadedEndpoint) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |notation, code: String, signal: Signal<'_>| {
        // What the code proves by itself, of whatever request.
        let outcome = Outcome::new(signal, Request::Unkeyed);
        let row = Row::new(policy, policy.rule(&signal), processed(policy, &outcome));
        entries.push(Entry { notation, code, row });
    };
    for status in HTTP_FIRST..=HTTP_LAST {
        add(Notation::Http, status.to_string(), Signal::Http(status));
    }
    add(Notation::Other, "others".to_owned(), Signal::Http(0));
    for (code, name) in (0..).zip(GRPC_NAMES) {
        add(Notation::Grpc, name.to_owned(), Signal::Grpc(code));
    }
    // The classes of responses: 2.00 to 5.31 (RFC 7252 section 5.9).
    for byte in 0x40..0xc0 {
        let signal = Signal::Coap(byte);
        add(Notation::Coap, signal.code().to_string(), signal);
    }
    for network in Network::ALL {
        add(Notation::Network, network.name().to_owned(), Signal::Network(network));
    }
    add(Notation::Unusable, "200".to_owned(), Signal::Unusable { status: 200 });
    for row in &policy.tables().provider {
        let signal = Signal::Provider { status: row.status, code: &row.code };
        add(Notation::Provider, format!("{}:{}", row.status, row.code), signal);
    }
    entries
}

/// What stands where a rule leaves it to the code whether the peer acted.
const AS_THE_CODE: &str = "as the code";

/// The rules in the order in which they are tried.
fn rule_lines(policy: &LoadedEndpoint) -> Vec<RuleLine> {
    let tables = policy.tables();
    let line = |rule: &CompiledRule| {
        let own = rule.row.and_then(|place| tables.rules.get(usize::from(place)));
        let processed = rule.processed.map(words::processed);
        let row = |own| Row {
            processed: processed.unwrap_or(AS_THE_CODE),
            ..Row::new(policy, own, Processed::Unknown)
        };
        RuleLine {
            rule: rule.id.clone(),
            codes: rules::codes(&rule.codes),
            conditions: rules::conditions(&tables.rule_set, rule),
            row: own.map(row),
            processed,
            delay: rule.delay.as_ref().map(rules::delay),
        }
    };
    tables.rule_set.rules.iter().map(line).collect()
}

impl Rows {
    fn of(policy: &LoadedEndpoint) -> Self {
        Rows { rules: rule_lines(policy), ..Rows::folded(entries(policy)) }
    }

    /// Neighbours that are equal and follow each other become a range, where codes are numbers.
    fn folded(entries: Vec<Entry>) -> Self {
        let mut rows = Rows::default();
        let mut open: Option<(Entry, String)> = None;
        for entry in entries {
            match &mut open {
                Some((first, last)) if first.goes_on(last, &entry) => *last = entry.code,
                _ => {
                    let code = entry.code.clone();
                    rows.close(open.replace((entry, code)));
                }
            }
        }
        rows.close(open);
        rows
    }

    fn close(&mut self, open: Option<(Entry, String)>) {
        let Some((first, last)) = open else { return };
        let lines = match first.notation {
            Notation::Coap => &mut self.coap,
            Notation::Grpc => &mut self.grpc,
            Notation::Http | Notation::Other => &mut self.http,
            Notation::Network => &mut self.net,
            Notation::Provider => &mut self.provider,
            Notation::Unusable => &mut self.unusable,
        };
        let codes = if first.code == last { last } else { format!("{}-{last}", first.code) };
        lines.push(Line { codes, row: first.row });
    }

    fn print(&self) {
        let sections = [
            ("http", &self.http),
            ("grpc", &self.grpc),
            ("coap", &self.coap),
            ("net", &self.net),
            ("unusable", &self.unusable),
            ("provider", &self.provider),
        ];
        for (name, lines) in sections {
            if lines.is_empty() {
                continue;
            }
            let bold = Style::new().bold();
            anstream::println!(
                "{bold}{name:22}{:11}{:18}{:11}{:10}{:9}{:14}{:10}remedy{bold:#}",
                "class",
                "reason",
                "scope",
                "processed",
                "retry",
                "disable after",
                "re-probe",
            );
            for Line { codes, row } in lines {
                anstream::println!(
                    "{codes:22}{:11}{:18}{:11}{:10}{:9}{:14}{:10}{}",
                    row.class,
                    row.reason,
                    row.scope,
                    row.processed,
                    row.retry,
                    row.threshold(),
                    row.probes(),
                    row.remedy
                );
            }
        }
        if !self.rules.is_empty() {
            let bold = Style::new().bold();
            anstream::println!("{bold}rules, which go first{bold:#}");
        }
        for rule in &self.rules {
            anstream::println!("{}", rule.sentence());
        }
    }
}

impl RuleLine {
    /// `quota: 429 if header.x-left = "0": permanent, auth-config, ...`.
    fn sentence(&self) -> String {
        let conditions = match self.conditions.as_slice() {
            [] => String::new(),
            conditions => format!(" if {}", conditions.join(" and ")),
        };
        let mut says = Vec::new();
        if let Some(row) = &self.row {
            says.push(format!(
                "{}, {}, scope {}, retry {}",
                row.class, row.reason, row.scope, row.retry
            ));
            says.push(format!("disable after {}, re-probe {}", row.threshold(), row.probes()));
            says.push(format!("remedy {}", row.remedy));
        }
        says.extend(self.processed.map(|processed| format!("processed {processed}")));
        says.extend(self.delay.as_ref().map(|delay| format!("time {delay}")));
        format!("{}: {}{conditions}: {}", self.rule, self.codes, says.join(", "))
    }
}

impl Entry {
    /// Whether `next` prolongs the range from this entry to the code `last`.
    fn goes_on(&self, last: &str, next: &Entry) -> bool {
        let number = |code: &str| code.replace('.', "").parse::<u16>().ok();
        let numbered = matches!(self.notation, Notation::Coap | Notation::Http);
        numbered
            && self.notation == next.notation
            && self.row == next.row
            && number(last).map(|number| number + 1) == number(&next.code)
    }
}
