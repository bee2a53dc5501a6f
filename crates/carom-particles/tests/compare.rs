//! The comparison: the original's own trajectories pass, doctored ones get the original's verdict.

mod shared;

use carom_core::Rng;
use carom_particles::{
    CollisionError, Frame, FrameReader, Grader, ParticleDef, ParticleSystem, Report, Residuals, Scene, Trajectory,
    TrajectoryError, compare, compare_with, write_csv, write_trajectory,
};
use glam::dvec2;
use shared::{files_below, shared_folder};
use std::fs;
use std::num::NonZeroU64;
use std::path::Path;

fn cor_scene(shared: &Path) -> Scene {
    Scene::from_file(shared.join("fosssim/scenes/T2M1/CORTests/test00.xml")).unwrap()
}

fn messages(report: &Report) -> String {
    let names = ["Missed", "Superfluous", "wrong normal"];
    let found = names.iter().zip(report.collision_error_counts()).filter(|(_, count)| *count > 0);
    found.map(|(name, _)| *name).collect::<Vec<_>>().join("+")
}

#[test]
fn verdicts_are_those_of_the_original() {
    let Some(shared) = shared_folder("comparison cases") else { return };
    let scene = cor_scene(&shared);
    let folder = shared.join("fosssim/compare_cases");
    let verdicts = fs::read_to_string(folder.join("verdicts.csv")).unwrap();
    let mut count = 0;
    for line in verdicts.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [case, overall, collisions] = [fields[0], fields[1], fields[2]];
        let bytes = fs::read(folder.join(format!("{case}.bin"))).unwrap();
        let report = compare(&scene, &bytes[..]).unwrap();
        assert_eq!(report.passed(), overall == "PASS", "{case}:\n{report}");
        assert_eq!(report.collisions_passed(), collisions == "yes", "{case}:\n{report}");
        assert_eq!(messages(&report), fields[7], "{case}:\n{report}");
        for ((name, value, _), expected) in report.residuals.lines().into_iter().zip(&fields[3..7]) {
            let expected: f64 = expected.parse().unwrap();
            assert!((value - expected).abs() <= 1e-5 * expected + 1e-13, "{case}: {name} {value}, expected {expected}");
        }
        count += 1;
    }
    println!("{count} comparison cases");
    assert!(count >= 8);
}

#[test]
fn the_originals_trajectories_pass_and_come_out_the_same() {
    let Some(shared) = shared_folder("binary trajectories") else { return };
    let (mut count, mut identical) = (0, 0);
    for path in files_below(&shared.join("fosssim/bin"), "bin") {
        let name = path.file_stem().unwrap().to_str().unwrap().replace("__", "/");
        let scene = Scene::from_file(shared.join(format!("fosssim/scenes/{name}.xml"))).unwrap();
        let original = fs::read(&path).unwrap();
        let report = compare(&scene, &original[..]).unwrap();
        assert!(report.passed() && report.bad_steps.is_empty() && !report.has_trailing_bytes, "{name}:\n{report}");

        if !scene.integrator().is_implicit() {
            // Without linear equations to solve, every bit of every step is the original's.
            assert_eq!(report.residuals, Residuals::default(), "{name}");
        }

        let mut ours = Vec::new();
        write_trajectory(&scene, scene.steps(), &mut ours).unwrap();
        assert_eq!(ours.len(), original.len(), "{name}: length of our own trajectory");
        assert!(compare(&scene, &ours[..]).unwrap().residuals.max_x == 0.0);
        identical += usize::from(ours == original);
        count += 1;
    }
    println!("{count} trajectories of the original pass; ours are identical to the last bit in {identical}");
    assert_eq!(count, 21);
}

#[test]
fn truncated_and_doctored_files_are_refused() {
    let Some(shared) = shared_folder("truncated trajectories") else { return };
    let scene = cor_scene(&shared);
    let ok = fs::read(shared.join("fosssim/compare_cases/ok.bin")).unwrap();
    for length in [0, 1, 64, 132, 133, ok.len() / 2, ok.len() - 1] {
        let error = compare(&scene, &ok[..length]).unwrap_err();
        assert!(matches!(error, TrajectoryError::Truncated { .. }), "{length}: {error}");
    }
    // Frame 0 is 4 particles of 32 bytes and a count.
    for (at, bytes, part) in [(128, (-1i32).to_le_bytes(), "at least 0"), (128, i32::MAX.to_le_bytes(), "")] {
        let mut bad = ok.clone();
        bad[at..at + 4].copy_from_slice(&bytes);
        assert!(compare(&scene, &bad[..]).unwrap_err().to_string().contains(part));
    }
    let longer = [&ok[..], b"more"].concat();
    assert!(compare(&scene, &longer[..]).unwrap().has_trailing_bytes);
}

#[test]
fn reports_name_steps_particles_and_normals() {
    let Some(shared) = shared_folder("reports") else { return };
    let scene = cor_scene(&shared);
    let folder = shared.join("fosssim/compare_cases");
    let missed = fs::read(folder.join("missed.bin")).unwrap();
    let report = compare(&scene, &missed[..]).unwrap();
    let text = report.to_string();
    let line = "  Missed collision: Particle 3 - Edge 0 with normal = -0.291687 0.20956";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("step 67") && text.ends_with("Overall success: Failed."), "{text}");
    assert!(matches!(report.bad_steps[0].collision_errors[0], CollisionError::Missed(_)));

    let off = fs::read(folder.join("x_off_1e-09_at_step5.bin")).unwrap();
    let mut seen = 0;
    let report = compare_with(&scene, &off[..], |frame, _| seen += frame.positions.len()).unwrap();
    assert_eq!(seen as u64, 4 * scene.steps());
    assert!(report.bad_steps.iter().any(|step| !step.marked_particles.is_empty()), "{report}");
    let mut residuals = Vec::new();
    report.write_residuals(&mut residuals).unwrap();
    assert_eq!(String::from_utf8(residuals).unwrap(), "1   2.01415e-09\n1   3.91859e-09\n0   1e-09\n0   1.95929e-09\n");
}

fn two_particles() -> Scene {
    let mut system = ParticleSystem::new();
    for (x, v) in [(0.1, 1.0), (1.0 / 3.0, -1e-300)] {
        system
            .add_particle(ParticleDef { position: dvec2(x, 0.0), velocity: dvec2(v, 0.7), ..ParticleDef::default() })
            .unwrap();
    }
    Scene::new(system, 0.1, 0.7)
}

#[test]
fn tables_hold_every_bit() {
    let scene = two_particles();
    assert_eq!(scene.steps(), 7);
    let mut table = Vec::new();
    write_csv(&scene, scene.steps(), NonZeroU64::new(3).unwrap(), &mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("step,particle,x,y,vx,vy"));
    let mut system = scene.system.clone();
    for step in [0u64, 3, 6, 7] {
        while system.step_count() < step {
            system.step(scene.dt);
        }
        for particle in 0..2 {
            let fields: Vec<f64> = lines.next().unwrap().split(',').map(|field| field.parse().unwrap()).collect();
            let (x, v) = (system.positions()[particle], system.velocities()[particle]);
            assert_eq!(fields, [step as f64, particle as f64, x.x, x.y, v.x, v.y]);
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn frames_come_back_as_they_went() {
    let scene = two_particles();
    let mut bytes = Vec::new();
    write_trajectory(&scene, scene.steps(), &mut bytes).unwrap();
    assert_eq!(bytes.len(), 8 * 2 * 32);
    let mut reader = FrameReader::new(&scene, &bytes[..]);
    let mut frame = Frame::default();
    let mut system = scene.system.clone();
    for step in 0..=scene.steps() {
        if step > 0 {
            system.step(scene.dt);
        }
        reader.read(&mut frame).unwrap();
        assert_eq!((&frame.positions[..], &frame.velocities[..]), (system.positions(), system.velocities()));
    }
    assert!(matches!(reader.read(&mut frame), Err(TrajectoryError::Truncated { frame: 8, frames: 8 })));
}

#[test]
fn a_trajectory_is_graded_the_same_in_any_order() {
    let Some(shared) = shared_folder("grading in any order") else { return };
    let scene = cor_scene(&shared);
    let bytes = fs::read(shared.join("fosssim/compare_cases/x_off_1e-09_at_step5.bin")).unwrap();
    let mut in_order = Vec::new();
    let report = compare_with(&scene, &bytes[..], |_, step| in_order.push(step.clone())).unwrap();
    let trajectory = Trajectory::read(&scene, &bytes[..]).unwrap();
    assert_eq!((trajectory.steps(), trajectory.has_trailing_bytes()), (scene.steps(), false));
    let mut grader = Grader::new(&scene);
    for step in (1..=scene.steps()).rev() {
        assert_eq!(trajectory.grade(&mut grader, step).as_ref(), Some(&in_order[step as usize - 1]), "step {step}");
    }
    for step in [0, scene.steps() + 1, u64::MAX] {
        assert_eq!(trajectory.grade(&mut grader, step), None, "there is no step {step}");
    }
    assert_eq!(report.steps, scene.steps());
}

#[test]
fn trajectories_of_other_scenes_are_refused() {
    let scene = two_particles();
    let mut bytes = Vec::new();
    write_trajectory(&scene, scene.steps(), &mut bytes).unwrap();
    let mut more = two_particles().system;
    more.add_particle(ParticleDef::default()).unwrap();
    let more = Scene::new(more, scene.dt, scene.duration);
    let mut of_more = Vec::new();
    write_trajectory(&more, more.steps(), &mut of_more).unwrap();
    let refused = |scene: &Scene, bytes: &[u8]| Trajectory::read(scene, bytes).unwrap_err().to_string();
    assert!(refused(&more, &bytes).contains("ends at frame 5"), "{}", refused(&more, &bytes));
    // A scene of two takes the third particle's place for the first one's velocity.
    assert!(refused(&scene, &of_more).contains("another scene"), "{}", refused(&scene, &of_more));
    // What follows a run of the same scene is of no consequence.
    let longer = Trajectory::read(&scene, &[&bytes[..], b"more"].concat()[..]).unwrap();
    assert!(longer.has_trailing_bytes());
    // Frames of nothing need no bytes in the file, and are still not without end.
    let endless = Scene::new(ParticleSystem::new(), 1e-9, 1e9);
    assert!(matches!(Trajectory::read(&endless, &[][..]), Err(TrajectoryError::TooLarge)));
}

/// Trajectories with bytes changed: a verdict or an error, never a panic.
#[test]
fn mutated_trajectories_never_panic() {
    let Some(shared) = shared_folder("mutated trajectories") else { return };
    let scene = cor_scene(&shared);
    let ok = fs::read(shared.join("fosssim/compare_cases/ok.bin")).unwrap();
    let mut rng = Rng::new(9);
    let (mut passed, mut failed, mut refused) = (0, 0, 0);
    for _ in 0..1000 {
        let mut bytes = ok.clone();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(bytes.len() as u32) as usize;
            match rng.below(8) {
                0 => bytes.truncate(at + 1),
                1 => {
                    let end = (at + rng.below(40) as usize).min(bytes.len());
                    bytes.drain(at..end);
                    bytes.push(0);
                }
                _ => bytes[at] = rng.below(256) as u8,
            }
        }
        match compare(&scene, &bytes[..]) {
            Ok(report) if report.passed() => passed += 1,
            Ok(report) => {
                failed += 1;
                assert!(report.to_string().contains("Failed."));
            }
            Err(_) => refused += 1,
        }
    }
    println!("{passed} mutated trajectories passed, {failed} failed, {refused} were unreadable");
    assert!(failed > 100 && refused > 50);
}
