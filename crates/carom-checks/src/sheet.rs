//! The accuracy sheet: what was measured, its limits and the errors of other engines, as a table.

use crate::gaps::{KNOWN_GAPS, KnownGap};
use crate::peers::{MEASURED, Peers, peers_of};
use crate::validation::{Check, GROUPS};
use std::fmt::Write;

/// How to write `docs/accuracy.md` anew.
pub const REGENERATE: &str = "cargo run --release -p carom -- validate --markdown > docs/accuracy.md";

/// What a group measured.
#[derive(Clone, Debug)]
pub struct Section {
    /// Name of the group.
    pub group: &'static str,
    /// In the order of the group.
    pub checks: Vec<Check>,
}

/// Where a value stands between its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The goal is reached, or the gate passed where there is no goal beyond it.
    Good,
    /// The gate is passed, the goal is not reached.
    Passed,
    /// The gate is missed.
    Missed,
}

impl Verdict {
    /// The verdict on a check.
    pub fn of(check: &Check) -> Verdict {
        match (check.passes(), check.reaches_goal()) {
            (false, _) => Verdict::Missed,
            (true, false) => Verdict::Passed,
            (true, true) => Verdict::Good,
        }
    }

    /// The verdict in a word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Good => "good",
            Verdict::Passed => "passed",
            Verdict::Missed => "MISSED",
        }
    }
}

/// Why a check is missed, if that is known.
pub fn known_gap(check: &Check) -> Option<&'static KnownGap> {
    KNOWN_GAPS.iter().find(|gap| gap.id == check.id && !check.passes())
}

/// What the problems of each group are about, by the number or word with which the names of their checks begin: so
/// that what is asked for can be found without running all.
const PROBLEMS: &[(&str, &[(&str, &str)])] = &[
    ("integration", &[("1", "free fall"), ("2", "projectile")]),
    ("particles", &[("3", "spring"), ("5", "kepler orbit")]),
    (
        "friction",
        &[
            ("8", "incline threshold"),
            ("9", "incline slide"),
            ("10", "rolling"),
            ("11", "slip to roll"),
            ("12", "stopping distance"),
            ("13", "topple"),
            ("14", "plank with rollers"),
        ],
    ),
    ("impact", &[("15", "bounce heights"), ("16", "head-on"), ("18", "gas"), ("19", "cluster")]),
    ("stacks", &[("20", "stack"), ("21", "pyramid"), ("22", "heavy on light"), ("25", "reaction forces")]),
    ("joints", JOINT_PROBLEMS),
    ("direct", JOINT_PROBLEMS),
    ("direct", &[("22", "heavy on light")]),
    ("tunnelling", &[("26", "tunnelling"), ("fast", "seams at high speed")]),
    ("collision", &[("27", "seams"), ("28", "overlap recovery")]),
    ("symmetry", &[("29", "symmetries of a pile"), ("half", "half the step")]),
    ("invariance", &[("H", "moved turned scaled or reversed problems")]),
    ("seeds", &[("ps4", "off-centre hits"), ("p2", "energy of many circles")]),
];

const JOINT_PROBLEMS: &[(&str, &str)] = &[
    ("4", "damped spring"),
    ("6", "pendulum"),
    ("7", "double pendulum"),
    ("17", "cradle"),
    ("23", "hanging chain"),
    ("24", "catenary"),
    ("25", "reaction forces"),
];

/// Numbers of the problems of a group that a word asks for: all if it is the group's name, else the one with that
/// number or those with the word in their names.
fn problems_for(group: &str, word: &str) -> Vec<&'static str> {
    let word = word.to_lowercase();
    let of_group = PROBLEMS.iter().filter(|(name, _)| *name == group).flat_map(|(_, problems)| problems.iter());
    of_group
        .filter(|(number, name)| {
            word == group || word == number.to_lowercase() || !word.is_empty() && name.contains(&word)
        })
        .map(|(number, _)| *number)
        .collect()
}

/// Runs the groups with problems that any of the words asks for, or all if there are no words. `at` is told how many
/// groups are done and which comes next.
pub fn measure(words: &[String], mut at: impl FnMut(usize, &str)) -> Vec<Section> {
    let mut sections = Vec::new();
    for (index, &(group, run)) in GROUPS.iter().enumerate() {
        let wanted: Vec<&str> = words.iter().flat_map(|word| problems_for(group, word)).collect();
        if words.is_empty() || !wanted.is_empty() {
            at(index, group);
            let mut checks = run();
            checks.retain(|check| words.is_empty() || wanted.contains(&number(check)));
            sections.push(Section { group, checks });
        }
    }
    sections
}

/// The number or word with which the name of a check begins.
fn number(check: &Check) -> &str {
    check.id.split(' ').next().unwrap_or_default()
}

/// Does the table of problems name every check's, and none without a check? For tests.
pub fn check_problems(section: &Section) -> Result<(), String> {
    let listed = problems_for(section.group, section.group);
    let missing = section.checks.iter().find(|check| !listed.contains(&number(check)));
    let empty = listed.iter().find(|listed| section.checks.iter().all(|check| number(check) != **listed));
    match (missing, empty) {
        (Some(check), _) => Err(format!("{}: no problem of {:?} is listed", check.id, section.group)),
        (_, Some(number)) => Err(format!("{}: problem {number} has no check", section.group)),
        (None, None) => Ok(()),
    }
}

/// Headings of the columns.
const HEADINGS: [&str; 10] =
    ["problem", "expected", "carom", "error", "gate", "goal", "verdict", "Box2D", "Rapier", "Chipmunk"];

/// The cells of a row.
fn cells(check: &Check) -> [String; HEADINGS.len()] {
    let optional = |value: Option<f64>, write: fn(f64) -> String| value.map_or(String::new(), write);
    let peer = |error: fn(&Peers) -> Option<f64>| optional(peers_of(&check.id).and_then(error), limit);
    [
        check.id.clone(),
        optional(check.expected, answer),
        optional(check.measured, answer),
        limit(check.value),
        limit(check.gate),
        optional(check.goal, limit),
        Verdict::of(check).word().to_string(),
        peer(|peers| peers.box2d),
        peer(|peers| peers.rapier),
        peer(|peers| peers.chipmunk),
    ]
}

/// A known answer or what was measured in its place, with as many digits as single precision has.
fn answer(value: f64) -> String {
    significant(value, 7)
}

/// An error or limit, with two digits.
fn limit(value: f64) -> String {
    if value == f64::INFINITY { "explodes".to_string() } else { significant(value, 2) }
}

/// A number with so many significant digits at most; very small and very large ones by powers of ten.
fn significant(value: f64, digits: usize) -> String {
    let scientific = format!("{value:.*e}", digits - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return value.to_string() };
    let trim = |number: &str| {
        if number.contains('.') {
            number.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            number.to_string()
        }
    };
    match exponent.parse::<i32>() {
        Ok(exponent) if (-3..=5).contains(&exponent) => {
            let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
            trim(&format!("{value:.decimals$}"))
        }
        _ => format!("{}e{exponent}", trim(mantissa)),
    }
}

/// How many problems got a verdict: that on the worst of their checks. Problems count, not checks: some have one, and
/// tunnelling has hundreds.
pub fn count(sections: &[Section], verdict: Verdict) -> usize {
    problem_verdicts(sections).into_iter().filter(|&worst| worst == verdict).count()
}

/// The verdict on the worst check of each problem of each group.
fn problem_verdicts(sections: &[Section]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for section in sections {
        let mut numbers: Vec<&str> = section.checks.iter().map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for problem in numbers {
            let of_problem = section.checks.iter().filter(|check| number(check) == problem).map(Verdict::of);
            verdicts.extend(of_problem.max());
        }
    }
    verdicts
}

/// How many problems reached what, in a sentence.
pub fn summary(sections: &[Section]) -> String {
    let [good, passed, missed] =
        [Verdict::Good, Verdict::Passed, Verdict::Missed].map(|verdict| count(sections, verdict));
    let problems = good + passed + missed;
    format!("{problems} problems: {good} good, {passed} passed short of their goal, {missed} missed")
}

/// The sheet for a terminal.
pub fn text(sections: &[Section]) -> String {
    let rows: Vec<_> = sections.iter().flat_map(|section| section.checks.iter().map(cells)).collect();
    let mut widths = HEADINGS.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &[&str]| {
        let mut line = String::new();
        for (column, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
            let padding = " ".repeat(width - cell.chars().count());
            // Names to the left, numbers to the right.
            line += &if column == 0 { format!("{cell}{padding}") } else { format!("  {padding}{cell}") };
        }
        line.trim_end().to_string() + "\n"
    };
    let mut text = line(&HEADINGS);
    for section in sections {
        text += &format!("\n{}\n", section.group);
        for check in &section.checks {
            text += &line(&cells(check).each_ref().map(String::as_str));
            if let Some(gap) = known_gap(check) {
                text += &format!("    known gap: {}\n", gap.why);
            }
        }
    }
    text + "\n" + &summary(sections) + "\n"
}

/// The sheet as a page.
pub fn markdown(sections: &[Section]) -> String {
    let mut page = format!(
        "# Accuracy\n\n\
         Problems with known answers: what carom measures, and the errors of other engines. Written by\n\n\
         ```sh\n{REGENERATE}\n```\n\n\
         Conventions unless a problem says otherwise: 60 steps of 4 sub-steps per second, `f32`, g = 10 m/s², no \
         sleeping. Particles are `f64`. The group `direct` repeats problems with `Solver::Direct`. *error* is what is \
         held to the *gate*, by the tests; *goal* is what would beat every engine measured. Smaller is better. A problem \
         counts once, by the worst of its checks. Where the \
         gate is 0, the error counts failures, or is 1 for what does not hold. Problems are numbered as in the \
         catalogue they come from; those without a number go beyond it (*fast*), are about all of it (*half*, *H*) \
         or are demands of earlier engines (*ps4*, *p2*).\n\n\
         The errors of Box2D (its main branch), Rapier (`rapier2d-compat` 0.21.0) and Chipmunk (pymunk 7.3.1, \
         4 sub-steps, 10 iterations) come from a separate measurement, {MEASURED}; an empty cell means that no \
         number was taken. `carom validate --families --peers` plays random problems to other engines in the same \
         run.\n\n{}.\n",
        summary(sections)
    );
    for section in sections {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "\n## {}\n\n| {} |", section.group, HEADINGS.join(" | "));
        let _ = writeln!(page, "|---|{}", "---:|".repeat(HEADINGS.len() - 1));
        for check in &section.checks {
            // A bar would end the cell.
            let row = cells(check).map(|cell| cell.replace('|', "\\|"));
            let _ = writeln!(page, "| {} |", row.join(" | "));
        }
        for check in &section.checks {
            if let Some(gap) = known_gap(check) {
                let _ = writeln!(page, "\nKnown gap, {}: {}.", gap.id.replace('|', "\\|"), gap.why);
            }
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_briefly() {
        for (value, digits, expected) in [
            (0.0, 2, "0"),
            (-5.0, 7, "-5"),
            (-4.999997, 7, "-4.999997"),
            (0.020830, 2, "0.021"),
            (1.0e-4, 2, "1e-4"),
            (1.26e-6, 2, "1.3e-6"),
            (99.96, 2, "100"),
            (1.0, 2, "1"),
            (60.0, 7, "60"),
            (f64::NAN, 2, "NaN"),
            (f64::NEG_INFINITY, 2, "-inf"),
        ] {
            assert_eq!(significant(value, digits), expected, "{value} with {digits} digits");
        }
        assert_eq!(limit(f64::INFINITY), "explodes");
    }

    #[test]
    fn words_choose_problems() {
        assert_eq!(problems_for("stacks", "22"), ["22"]);
        assert_eq!(problems_for("direct", "Heavy"), ["22"]);
        assert_eq!(problems_for("joints", "pendulum"), ["6", "7"]);
        assert_eq!(problems_for("integration", "integration"), ["1", "2"]);
        assert!(
            PROBLEMS.iter().all(|(group, list)| list.iter().all(|(word, _)| problems_for(group, word).contains(word)))
        );
        for word in ["", "chainsaw", "joints"] {
            assert!(problems_for("stacks", word).is_empty(), "{word:?}");
        }
        assert!(measure(&["chainsaw".to_string()], |_, group| panic!("{group} runs")).is_empty());
    }

    #[test]
    fn a_problem_counts_once_by_its_worst_check() {
        let checks = vec![Check::new("26 a", 0.0, 1.0), Check::new("26 b", 2.0, 1.0), Check::new("27 a", 0.0, 1.0)];
        let sections = vec![Section { group: "example", checks }];
        assert_eq!([Verdict::Good, Verdict::Missed].map(|verdict| count(&sections, verdict)), [1, 1]);
    }

    fn example() -> Vec<Section> {
        let checks = vec![
            Check::with_goal("1 a|b", 0.5, 1.0, 0.1).answer(2.0, 2.5),
            Check::holds("2 holds", false),
            Check::new(KNOWN_GAPS[0].id, 1.0e9, 1.0),
        ];
        vec![Section { group: "example", checks }]
    }

    #[test]
    fn the_sheet_tells_verdicts_and_reasons() {
        let text = text(&example());
        for part in
            ["passed", "MISSED", KNOWN_GAPS[0].why, "3 problems: 0 good, 1 passed short of their goal, 2 missed"]
        {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        let page = markdown(&example());
        assert!(page.contains("| 1 a\\|b | 2 | 2.5 | 0.5 | 1 | 0.1 | passed |"), "{page}");
        assert!(page.contains(KNOWN_GAPS[0].why) && page.contains(REGENERATE), "{page}");
    }
}
