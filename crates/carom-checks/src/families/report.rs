//! Reports as text and as JSON.

use super::run::{MeasureReport, PlayerReport, Report};
use super::{Measure, Standing};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// How many failing instances the text names.
const NAMED: usize = 12;

/// A family as lines of text: a table with a column per player, then what failed and how to repeat it.
pub fn text(report: &Report) -> String {
    let family = report.family;
    let verdict = if report.holds() { "holds" } else { "FAILS" };
    let mut columns: Vec<&PlayerReport> = vec![&report.carom];
    columns.extend(&report.players);
    let mut text = format!("{} {}: {verdict}, seed {}\n", family.name, family.title, report.seed);
    let mut row = |name: &str, cells: Vec<String>, gate: String, goal: String| {
        let _ = write!(text, "  {name:<52}");
        cells.iter().for_each(|cell| {
            let _ = write!(text, " {cell:>19}");
        });
        let _ = writeln!(text, " {gate:>9} {goal:>9}");
    };
    let each = |cell: &dyn Fn(&PlayerReport) -> String| columns.iter().map(|column| cell(column)).collect::<Vec<_>>();
    row("", each(&|column| column.name.to_string()), "gate".to_string(), "goal".to_string());
    row("passed", each(&|column| format!("{} of {}", column.passed, column.instances)), String::new(), String::new());
    if family.standing != Standing::NotAsked {
        row("stood", each(&|column| format!("{} of {}", column.stood, column.instances)), String::new(), String::new());
    }
    for (i, measure) in family.measures.iter().enumerate() {
        let cells = each(&|column| {
            let MeasureReport { worst, median } = column.measures[i];
            format!("{} / {}", number(worst), number(median))
        });
        let limit = |limit: Option<f64>| limit.map_or(String::new(), number);
        row(&format!("{}, worst / median", measure.name), cells, limit(measure.gate), limit(measure.goal));
    }
    if let Some(note) = judged_without_peers(report) {
        let _ = writeln!(text, "  {note}");
    }
    if report.excused > 0 {
        let _ = writeln!(text, "  {} fell in carom and, as far as they played, in every peer", report.excused);
    }
    report.missed.iter().for_each(|missed| {
        let _ = writeln!(text, "  missed: {missed}");
    });
    for failure in report.failures.iter().take(NAMED) {
        let (name, seed, instance) = (family.name, report.seed, failure.instance);
        let _ = writeln!(text, "  failed in {}: {}", failure.player, failure.note);
        let _ = writeln!(text, "    repeat with: --families {name} --seed {seed} --only {instance}");
    }
    if report.failures.len() > NAMED {
        let _ = writeln!(text, "  and {} more", report.failures.len() - NAMED);
    }
    text
}

/// What a run without peers can say about a gate that depends on them.
fn judged_without_peers(report: &Report) -> Option<&'static str> {
    match report.family.standing {
        Standing::WherePeersStand if !report.with_peers => {
            Some("\"wherever a peer stands\" needs --peers; without, statics is the rule: all must stand")
        }
        Standing::WherePeersStandOnly if !report.with_peers => {
            Some("\"wherever a peer stands\" needs --peers; without, those that fell are not judged")
        }
        _ => None,
    }
}

fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "-".to_string(),
        _ if value.is_infinite() => "inf".to_string(),
        0.0 => "0".to_string(),
        _ if (1.0e-2..1.0e4).contains(&value.abs()) => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

/// Reports as a JSON array with an object per family.
pub fn json(reports: &[Report]) -> Value {
    Value::Array(reports.iter().map(object).collect())
}

fn object(report: &Report) -> Value {
    let family = report.family;
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_string(), value);
    put("name", json!(family.name));
    put("title", json!(family.title));
    put("seed", json!(report.seed));
    player(&report.carom, family.measures, &mut |key, value| {
        put(key, value);
    });
    let first = family.measures.first();
    put("gate", json!(first.and_then(|measure| measure.gate)));
    put("goal", json!(first.and_then(|measure| measure.goal)));
    put("holds", json!(report.holds()));
    put("excused", json!(report.excused));
    if let Some(note) = judged_without_peers(report) {
        put("note", json!(note));
    }
    put("missed", json!(report.missed));
    let failures = report.failures.iter();
    let failure = |f: &super::Failure| json!({"instance": f.instance, "solver": f.player, "note": f.note});
    put("failures", failures.map(failure).collect());
    for column in &report.players {
        let mut inner = Map::new();
        player(column, family.measures, &mut |key, value| {
            inner.insert(key.to_string(), value);
        });
        put(column.name, Value::Object(inner));
    }
    Value::Object(object)
}

/// The keys that carom's own object and those of peers have in common. JSON has no infinity: null there.
fn player(report: &PlayerReport, measures: &[Measure], put: &mut dyn FnMut(&str, Value)) {
    put("instances", json!(report.instances));
    put("passed", json!(report.passed));
    put("stood", json!(report.stood));
    let first = report.measures.first();
    put("worst", json!(first.map(|measure| measure.worst)));
    put("median", json!(first.map(|measure| measure.median)));
    let each = measures.iter().zip(&report.measures);
    let measure = |(measure, value): (&Measure, &MeasureReport)| {
        json!({
            "name": measure.name, "worst": value.worst, "median": value.median,
            "gate": measure.gate, "goal": measure.goal,
        })
    };
    put("measures", each.map(measure).collect());
}
