//! Problems with known answers: every measured value must pass its gate, or stand in the table of
//! known gaps and not have got worse.

use carom_checks::gaps::KNOWN_GAPS;
use carom_checks::peers::PEERS;
use carom_checks::sheet::{self, Section, Verdict};
use carom_checks::validation::{Check, DT, GROUPS, plain_world, stacks::add_pyramid};
use carom2d::prelude::*;
use std::sync::OnceLock;

/// What a group measures; it runs only once, however many tests ask.
fn measured(group: &str) -> &'static [Check] {
    static RESULTS: [OnceLock<Vec<Check>>; GROUPS.len()] = [const { OnceLock::new() }; GROUPS.len()];
    let index = GROUPS.iter().position(|(name, _)| *name == group).expect("the group exists");
    RESULTS[index].get_or_init(GROUPS[index].1)
}

/// Prints what one group measured and fails with everything that is wrong about it.
fn hold_to_gates(group: &str) {
    let mut faults = Vec::new();
    println!("{:66} {:>11} {:>11} {:>11}", "check", "value", "gate", "goal");
    for check in measured(group) {
        let goal = check.goal.map_or(String::new(), |goal| format!("{goal:.3e}"));
        println!("{:66} {:>11.3e} {:>11.3e} {goal:>11}", check.id, check.value, check.gate);
        match (check.passes(), KNOWN_GAPS.iter().find(|gap| gap.id == check.id)) {
            (true, None) => {}
            (true, Some(_)) => {
                faults.push(format!(
                    "{}: {:.3e} passes its gate now; strike it off the known gaps",
                    check.id, check.value
                ));
            }
            (false, None) => {
                faults.push(format!("{}: {:.3e}, gate {:.3e}", check.id, check.value, check.gate));
            }
            (false, Some(gap)) if check.value <= gap.bound => println!("known gap: {}: {}", gap.id, gap.why),
            (false, Some(gap)) => {
                faults.push(format!("{}: {:.3e} is worse than the known {:.3e}", check.id, check.value, gap.bound));
            }
        }
    }
    assert!(faults.is_empty(), "{group}:\n{}", faults.join("\n"));
}

/// Problems 1 and 2: flight.
#[test]
fn integration_passes_its_gates() {
    hold_to_gates("integration");
}

/// Problems 3 and 5: particles.
#[test]
fn particles_pass_their_gates() {
    hold_to_gates("particles");
}

/// Problems 8 to 14: friction and rolling.
#[test]
fn friction_passes_its_gates() {
    hold_to_gates("friction");
}

/// Problems 4, 6, 7, 17, 23, 24 and 25: springs, pendulums, chains, forces in joints.
#[test]
fn joints_pass_their_gates() {
    hold_to_gates("joints");
}

/// Problems 4, 6, 7, 17 and 22 to 25 with the direct solver, held to the stricter goals.
#[test]
fn direct_solver_passes_its_gates() {
    hold_to_gates("direct");
}

/// Problems 15 to 19: bounces and conservation.
#[test]
fn impact_passes_its_gates() {
    hold_to_gates("impact");
}

/// Problems 20 to 25: stacks and forces.
#[test]
fn stacks_pass_their_gates() {
    hold_to_gates("stacks");
}

/// Problem 26: fast bodies and thin walls.
#[test]
fn tunnelling_passes_its_gates() {
    hold_to_gates("tunnelling");
}

/// Without continuous collision the same shots go through: the problem is one.
#[test]
fn without_continuous_collision_discs_pass_thin_walls() {
    let mut through = 0;
    for phase in 0..64 {
        let mut world =
            World::new(WorldDef { gravity: Vec2::ZERO, continuous: Continuous::Off, ..WorldDef::default() });
        let wall = world.add_body(BodyDef::fixed()).unwrap();
        world.add_shape(wall, ShapeDef::rectangle(0.02, 80.0)).unwrap();
        let position = vec2(-5.0 - 100.0 * DT * phase as f32 / 64.0, 0.0);
        let disc = world.add_body(BodyDef { position, velocity: vec2(100.0, 0.0), ..BodyDef::dynamic() }).unwrap();
        world.add_shape(disc, ShapeDef::circle(0.1)).unwrap();
        for _ in 0..20 {
            world.step(DT);
        }
        through += usize::from(world.body(disc).position().x > 1.0);
    }
    assert!(through > 32, "only {through} of 64 went through");
}

/// Problems 27 and 28: seams and overlaps.
#[test]
fn collision_passes_its_gates() {
    hold_to_gates("collision");
}

/// Problem 29 and section H: symmetries, and errors that shrink with the step.
#[test]
fn symmetry_passes_its_gates() {
    hold_to_gates("symmetry");
}

/// Section H: problems that are moved, turned, scaled or built in another order.
#[test]
fn invariance_passes_its_gates() {
    hold_to_gates("invariance");
}

/// Demands of the seed documents.
#[test]
fn seeds_pass_their_gates() {
    hold_to_gates("seeds");
}

/// A group without a test, or a test of a group that is gone, would go unnoticed.
#[test]
fn every_group_has_its_test() {
    let names: Vec<&str> = GROUPS.iter().map(|(name, _)| *name).collect();
    let tested = [
        "integration",
        "particles",
        "friction",
        "impact",
        "stacks",
        "joints",
        "direct",
        "tunnelling",
        "collision",
        "symmetry",
        "invariance",
        "seeds",
    ];
    assert_eq!(names, tested);
}

/// A known gap whose check was renamed or removed would excuse nothing and never be struck off.
#[test]
fn every_known_gap_names_a_check() {
    for gap in KNOWN_GAPS {
        let found = GROUPS.iter().any(|(name, _)| measured(name).iter().any(|check| check.id == gap.id));
        assert!(found, "no check is called {:?}", gap.id);
    }
}

/// Errors of other engines beside a check that was renamed or removed would not be seen.
#[test]
fn every_peer_error_is_beside_a_check() {
    for peers in PEERS {
        let found = GROUPS.iter().any(|(name, _)| measured(name).iter().any(|check| check.id == peers.id));
        assert!(found, "no check is called {:?}", peers.id);
    }
}

fn all_sections() -> Vec<Section> {
    GROUPS.iter().map(|&(group, _)| Section { group, checks: measured(group).to_vec() }).collect()
}

/// `carom validate WORD` finds every check by its number.
#[test]
fn every_check_belongs_to_a_listed_problem() {
    for section in all_sections() {
        assert_eq!(sheet::check_problems(&section), Ok(()));
    }
}

/// The page in docs/ is what the sheet says today, to the letter: results are the same bits everywhere.
#[test]
fn the_page_of_the_sheet_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/accuracy.md");
    let page = sheet::markdown(&all_sections());
    if std::env::var_os("CAROM_BLESS").is_some() {
        std::fs::write(path, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(path).expect("the page can be read").replace("\r\n", "\n");
    for (line, (written, now)) in written.lines().zip(page.lines()).enumerate() {
        assert_eq!(written, now, "docs/accuracy.md, line {}: write it anew with\n{}", line + 1, sheet::REGENERATE);
    }
    assert_eq!(written.lines().count(), page.lines().count(), "write it anew with\n{}", sheet::REGENERATE);
}

/// The README tells how many problems there are and how they end.
#[test]
fn the_readme_counts_the_problems() {
    let sections = all_sections();
    let [good, passed, missed] =
        [Verdict::Good, Verdict::Passed, Verdict::Missed].map(|verdict| sheet::count(&sections, verdict));
    let sentence = format!(
        "{} problems, of which {good} reach their goal, {passed} pass their limit short of it and {missed} miss it",
        good + passed + missed
    );
    let readme = include_str!("../../../README.md");
    assert!(readme.contains(&sentence), "README.md should say: {sentence}");
}

/// Problem 21, second half: 5050 boxes stand for a minute.
#[test]
fn pyramid_of_5050_boxes_stands_for_60_s() {
    let mut world = plain_world();
    let boxes = add_pyramid(&mut world, 100);
    assert_eq!(boxes.len(), 5050);
    let start: Vec<Vec2> = boxes.iter().map(|&id| world.body(id).position()).collect();
    for step in 1..=3600 {
        world.step(DT);
        if step % 600 == 0 {
            let mut worst = 0.0;
            for (&id, start) in boxes.iter().zip(&start) {
                let shift = (world.body(id).position() - *start).abs();
                assert!(shift.y < 0.5 && shift.x < 0.5, "after {step} steps {id:?} has moved by {shift}");
                worst = if shift.y > worst { shift.y } else { worst };
            }
            println!("after {step} steps: largest change of height {worst:.4} m");
        }
    }
}
