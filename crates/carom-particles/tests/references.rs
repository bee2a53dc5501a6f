//! Every scene with a reference, against the original program: single steps, free runs and collision lists.

mod shared;

use carom_particles::{ContactKind, Scene};
use glam::{DVec2, dvec2};
use shared::{files_below, shared_folder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type Rows = BTreeMap<u64, (Vec<DVec2>, Vec<DVec2>)>;
type Collisions = BTreeMap<u64, Vec<(ContactKind, usize, usize, DVec2)>>;

fn read_rows(path: &Path) -> Rows {
    let mut rows = Rows::new();
    for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
        let fields: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let (positions, velocities) = rows.entry(fields[0] as u64).or_default();
        assert_eq!(positions.len(), fields[1] as usize);
        positions.push(dvec2(fields[2], fields[3]));
        velocities.push(dvec2(fields[4], fields[5]));
    }
    rows
}

fn read_collisions(path: &Path) -> Option<Collisions> {
    let mut collisions = Collisions::new();
    for line in std::fs::read_to_string(path).ok()?.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let kind = match fields[1] {
            "PP" => ContactKind::Particle,
            "PE" => ContactKind::Edge,
            "PH" => ContactKind::HalfPlane,
            other => panic!("{other}"),
        };
        let number = |index: usize| fields[index].parse::<f64>().unwrap();
        let n = dvec2(number(4), number(5));
        let (i, j) = (fields[2].parse().unwrap(), fields[3].parse().unwrap());
        collisions.entry(fields[0].parse().unwrap()).or_default().push((kind, i, j, n));
    }
    Some(collisions)
}

/// Milestone and scene of a reference, and its scene file.
fn scene_of(shared: &Path, reference: &Path) -> (String, PathBuf) {
    let milestone = reference.parent().unwrap().file_name().unwrap().to_str().unwrap();
    let name = reference.file_stem().unwrap().to_str().unwrap().replace("__", "/");
    let path = shared.join("fosssim/scenes").join(milestone).join(format!("{name}.xml"));
    (format!("{milestone}/{name}"), path)
}

fn worst(rows: &(Vec<DVec2>, Vec<DVec2>), positions: &[DVec2], velocities: &[DVec2]) -> f64 {
    let off = |a: &[DVec2], b: &[DVec2]| {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, |max, off| if off <= max { max } else { off })
    };
    let (x, v) = (off(&rows.0, positions), off(&rows.1, velocities));
    if x > v { x } else { v }
}

/// How far a free run may be compared, and how closely: see the README of the references.
fn free_run_limits(name: &str) -> (u64, f64) {
    match name {
        "T2M1/HalfplaneTests/test02" => (5000, 1e-8),
        "T2M1/PenaltyTests/test03" => (u64::MAX, 1e-7),
        _ => (u64::MAX, 1e-8),
    }
}

fn check(milestone: &str, expected_count: usize) {
    let Some(shared) = shared_folder(&format!("references of {milestone}")) else { return };
    let folder = shared.join("fosssim/reference").join(milestone);
    let (mut count, mut pairs, mut worst_step, mut worst_run) = (0, 0, 0.0, 0.0);
    for reference in files_below(&folder, "csv") {
        if reference.to_str().unwrap().ends_with(".collisions.csv") {
            continue;
        }
        count += 1;
        let (name, path) = scene_of(&shared, &reference);
        let scene = Scene::from_file(&path).unwrap_or_else(|error| panic!("{error}"));
        let rows = read_rows(&reference);
        let collisions = read_collisions(&reference.with_extension("collisions.csv"));
        assert_eq!(rows.keys().last(), Some(&scene.steps()), "{name}: number of steps");

        // Single steps from one row to the next.
        let mut system = scene.system.clone();
        for (&step, (positions, velocities)) in &rows {
            let Some(next) = rows.get(&(step + 1)) else { continue };
            system.set_state(positions, velocities);
            system.step(scene.dt);
            let off = worst(next, system.positions(), system.velocities());
            assert!(off <= 1e-10, "{name}, step {}: off by {off:e}", step + 1);
            worst_step = if off > worst_step { off } else { worst_step };
            pairs += 1;
            if let Some(collisions) = &collisions {
                check_contacts(&name, step + 1, &system, collisions, 1e-9);
            }
        }

        // The whole run from the start.
        let (last, tolerance) = free_run_limits(&name);
        let mut system = scene.system.clone();
        for step in 0..=scene.steps().min(last) {
            if step > 0 {
                system.step(scene.dt);
            }
            if let Some(expected) = rows.get(&step) {
                let off = worst(expected, system.positions(), system.velocities());
                assert!(off <= tolerance, "{name}, free run to step {step}: off by {off:e}");
                worst_run = if off > worst_run { off } else { worst_run };
            }
            if let Some(collisions) = &collisions {
                check_contacts(&name, step, &system, collisions, 1e-8);
            }
        }
    }
    println!(
        "{milestone}: {count} scenes, {pairs} single steps off by at most {worst_step:e}, free runs by {worst_run:e}"
    );
    assert_eq!(count, expected_count, "scenes of {milestone}");
}

fn check_contacts(
    name: &str,
    step: u64,
    system: &carom_particles::ParticleSystem,
    collisions: &Collisions,
    tolerance: f64,
) {
    let expected = collisions.get(&step).map_or(&[][..], |collisions| &collisions[..]);
    let found = system.contacts();
    let same_keys = found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| (a.kind, a.particle, a.other) == (b.0, b.1, b.2));
    assert!(same_keys, "{name}, step {step}: collisions {found:?}, expected {expected:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found.n - expected.3).length() <= tolerance, "{name}, step {step}: {found:?}, expected {expected:?}");
    }
}

#[test]
fn explicit_euler_scenes() {
    check("T1M1", 9);
}

#[test]
fn force_scenes() {
    check("T1M2", 38);
}

#[test]
fn linearized_implicit_scenes() {
    check("T1M3", 23);
}

#[test]
fn implicit_scenes() {
    check("T1M3_optional", 21);
}

#[test]
fn collision_scenes() {
    check("T2M1", 23);
}
