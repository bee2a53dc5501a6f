//! Every built-in particle scene, run to its end and held to what it promises.

use carom_particles::Frame;
use carom_scenes::{Entry, ParticleRun, ParticleScene, Run, entries, find_entry};
use std::time::Instant;

fn scenes() -> impl Iterator<Item = &'static ParticleScene> {
    entries().filter_map(|entry| match entry {
        Entry::Particles(scene) => Some(scene),
        _ => None,
    })
}

fn scene(name: &str) -> &'static ParticleScene {
    scenes().find(|scene| scene.name == name).unwrap()
}

/// The most that the particles of a scene may have of kinetic energy, in J: about twice what they do have.
fn most_energy(name: &str) -> f64 {
    match name {
        "cloth" => 40.0,
        "jelly" => 200.0,
        "bead_curtain" => 250.0,
        "galaxy" => 10.0,
        "vortex" => 30.0,
        _ => panic!("{name} has no limit yet"),
    }
}

#[test]
fn scenes_keep_their_promises() {
    for scene in scenes() {
        let mut run = scene.build();
        let start = Instant::now();
        let mut most = 0.0;
        for step in 0..run.about().steps {
            run.step();
            let system = &run.scene.system;
            assert!(system.is_finite(), "{} lost its numbers in step {step}", scene.name);
            let kinetic = system.kinetic_energy();
            most = if kinetic > most { kinetic } else { most };
        }
        let per_step_ms = 1e3 * start.elapsed().as_secs_f64() / f64::from(run.about().steps);
        let count = run.scene.system.particle_count();
        println!("{:16} {count:5} particles {most:8.3} J at most {per_step_ms:8.3} ms/step", scene.name);
        assert!(most < most_energy(scene.name), "{} has up to {most} J of kinetic energy", scene.name);
        run.check().unwrap_or_else(|unmet| panic!("{}: {unmet}", scene.name));
    }
}

#[test]
fn scenes_are_well_formed() {
    let names: Vec<&str> = entries().map(Entry::name).collect();
    for scene in scenes() {
        assert_eq!(names.iter().filter(|&&name| name == scene.name).count(), 1, "{}", scene.name);
        assert!(scene.summary.len() <= 100 && !scene.summary.contains('\n'), "{}", scene.name);
        assert_eq!(find_entry(scene.name).unwrap().name(), scene.name);
        let run = scene.build();
        let seconds = run.about().seconds(run.about().steps);
        assert!((8.0..=12.0).contains(&seconds), "{} lasts {seconds} s", scene.name);
        let own = &run.scene;
        assert_eq!(own.particle_colors.len(), own.system.particle_count(), "{}", scene.name);
        assert_eq!(own.edge_colors.len(), own.system.edges().len(), "{}", scene.name);
        assert_eq!(own.half_plane_colors.len(), own.system.half_planes().len(), "{}", scene.name);
    }
    assert_eq!(find_entry("bead-curtin").unwrap_err().suggestion, Some("bead_curtain"));
}

#[test]
fn a_clone_goes_on_like_the_original() {
    for scene in scenes() {
        let mut run = Run::Particles(Box::new(scene.build()));
        for _ in 0..100 {
            run.step();
        }
        let mut copy = run.clone();
        for _ in 0..100 {
            run.step();
            copy.step();
        }
        assert_eq!(run.state_hash(), copy.state_hash(), "{}", scene.name);
        let (Run::Particles(run), Run::Particles(copy)) = (&run, &copy) else { panic!("a run changed its kind") };
        assert_eq!(run.trails(), copy.trails(), "{}", scene.name);
    }
}

/// How far the springs of a run are from their rest lengths at worst: 0.1 is a tenth.
fn strain(run: &ParticleRun) -> f64 {
    let positions = run.scene.system.positions();
    run.scene.system.forces().springs.iter().fold(0.0, |worst, spring| {
        let [a, b] = spring.particles;
        let strain = ((positions[b] - positions[a]).length() / spring.rest_length - 1.0).abs();
        if strain > worst { strain } else { worst }
    })
}

#[test]
fn jelly_is_squeezed_and_recovers() {
    let mut run = scene("jelly").build();
    let mut worst = 0.0;
    for _ in 0..run.about().steps {
        run.step();
        let now = strain(&run);
        worst = if now > worst { now } else { worst };
    }
    assert!(worst > 0.3, "it hardly wobbles: {worst}");
    assert!(strain(&run) < 0.2, "it has not found its shape: {}", strain(&run));
}

#[test]
fn the_curtain_keeps_its_beads_while_the_ball_passes() {
    let mut run = scene("bead_curtain").build();
    let ball = run.scene.system.radii().iter().position(|&radius| radius > 0.3).unwrap();
    let (mut left, mut right) = (0.0, 0.0);
    for step in 0..run.about().steps {
        run.step();
        if step % 16 == 0 {
            assert!(strain(&run) < 0.5, "a string is off its length by {} in step {step}", strain(&run));
        }
        let x = run.scene.system.positions()[ball].x;
        left = if x < left { x } else { left };
        right = if x > right { x } else { right };
    }
    assert!(left < -2.0 && right > 2.0, "the ball went from {left} to {right} only");
}

#[test]
fn galaxies_conserve_energy_and_momentum() {
    let mut run = scene("galaxy").build();
    let momentum = |run: &ParticleRun| {
        let system = &run.scene.system;
        system.masses().iter().zip(system.velocities()).map(|(&mass, &velocity)| mass * velocity).sum::<glam::DVec2>()
    };
    let before = momentum(&run);
    for _ in 0..run.about().steps {
        run.step();
    }
    assert!((momentum(&run) - before).length() < 1.0e-12);
}

#[test]
fn a_run_can_follow_a_trajectory() {
    let mut original = scene("vortex").build();
    let mut copy = original.clone();
    let frame = |run: &ParticleRun| Frame {
        positions: run.scene.system.positions().to_vec(),
        velocities: run.scene.system.velocities().to_vec(),
        contacts: Vec::new(),
    };
    original.step();
    copy.start_from(&frame(&original));
    assert_eq!((copy.step_index(), copy.trails()[0].len()), (0, 1), "the run starts anew");
    for _ in 0..5 {
        original.step();
        copy.follow(&frame(&original));
    }
    assert_eq!(copy.step_index(), 5);
    assert_eq!(copy.scene.system.state_hash(), original.scene.system.state_hash());
    let last = copy.trails()[0].back().copied();
    assert_eq!(last, original.trails()[0].back().copied());
}

#[test]
fn narrow_pictures_look_from_further_away() {
    for scene in scenes() {
        let run = scene.build();
        let wide = run.camera(16.0 / 9.0);
        assert_eq!(wide, run.about().camera, "{}", scene.name);
        let narrow = run.camera(9.0 / 16.0);
        assert_eq!(narrow.center, wide.center);
        assert!(narrow.half_height >= wide.half_height, "{}", scene.name);
        assert!(narrow.half_height <= wide.half_height * (16.0_f32 / 9.0) * (16.0 / 9.0) * 1.001, "{}", scene.name);
    }
}

/// A trail has as many positions as its time has steps, rounded up, the first one of the run among them.
#[test]
fn trails_are_as_long_as_the_file_says() {
    let xml = r#"<scene><duration time="2"/><integrator type="symplectic-euler" dt="0.1"/>
        <particle m="1" px="0" py="0" vx="1" vy="0" fixed="0"/>
        <particlepath i="0" duration="0.45" r="1" g="0" b="0"/></scene>"#;
    let scene = carom_particles::Scene::from_xml("trail.xml", xml.as_bytes()).unwrap();
    let mut run = ParticleRun::new("trail", "a trail", scene);
    for step in 0..10_usize {
        let trail = &run.trails()[0];
        assert_eq!(trail.len(), (step + 1).min(5), "after {step} steps");
        assert_eq!(trail.back().copied(), run.scene.system.positions().first().copied());
        assert!((trail[0].x - 0.1 * step.saturating_sub(4) as f64).abs() < 1.0e-12);
        run.step();
    }
}

/// Every built-in particle scene, its own state after some steps too, is written as XML and read back to the bit: it
/// goes on like the original, and is written the same way again.
#[test]
fn every_scene_comes_back_from_xml_to_the_bit() {
    for scene in scenes() {
        let mut run = scene.build();
        for steps in [0, 40] {
            for _ in 0..steps {
                run.step();
            }
            let text = run.scene.to_xml().unwrap_or_else(|error| panic!("{}: {error}", scene.name));
            let mut read = carom_particles::Scene::from_xml("again.xml", text.as_bytes())
                .unwrap_or_else(|error| panic!("{}: {error}", scene.name));
            assert_eq!(read.to_xml().unwrap(), text, "{}", scene.name);
            assert_eq!((read.dt, read.duration, read.steps()), (run.scene.dt, run.scene.duration, run.scene.steps()));
            assert_eq!((read.viewport, read.background), (run.scene.viewport, run.scene.background));
            assert_eq!((&read.particle_colors, &read.paths), (&run.scene.particle_colors, &run.scene.paths));
            assert_eq!(read.edge_colors, run.scene.edge_colors);
            assert_eq!(read.half_plane_colors, run.scene.half_plane_colors);
            assert_eq!(read.system.state_hash(), run.scene.system.state_hash(), "{}", scene.name);
            let mut original = run.scene.clone();
            for step in 0..30 {
                original.system.step(original.dt);
                read.system.step(read.dt);
                assert_eq!(read.system.state(), original.system.state(), "{}, step {step}", scene.name);
            }
        }
    }
}

/// An example in `scenes/`, stepped to its end.
fn example(name: &str, mut after_step: impl FnMut(&carom_particles::Scene)) -> carom_particles::Scene {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    let mut scene = carom_particles::Scene::from_file(&path).unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..scene.steps() {
        scene.system.step(scene.dt);
        after_step(&scene);
    }
    assert!(scene.system.is_finite(), "{name}");
    scene
}

/// Simple collisions of all three kinds, each with loss: the energy falls, and nothing leaves the six walls.
#[test]
fn the_kaleidoscope_bounces_and_loses_energy() {
    let energy = |scene: &carom_particles::Scene| scene.system.kinetic_energy() + scene.system.potential_energy();
    let (mut kinds, mut first, mut most) = ([0; 3], f64::NAN, 0.0);
    let end = example("kaleidoscope.xml", |scene| {
        for contact in scene.system.contacts() {
            kinds[contact.kind as usize] += 1;
        }
        let now = energy(scene);
        first = if first.is_nan() { now } else { first };
        most = if now > most { now } else { most };
        for position in scene.system.positions() {
            assert!(position.length() < 2.0 / 0.866, "{position} is outside after {} steps", scene.system.step_count());
        }
    });
    println!("contacts {kinds:?}, energy {first} J at first, {most} J at most, {} J at the end", energy(&end));
    assert!(kinds.iter().all(|&count| count > 20), "{kinds:?}");
    // Springs of 120 N/m moved by symplectic Euler at 2 ms swing by a few thousandths in energy.
    assert!(most < 1.005 * first && energy(&end) < 0.6 * first, "{first}, {most}, {}", energy(&end));
}

/// Penalty forces: every ball is thrown up again by the net, none falls through, and drag takes energy away.
#[test]
fn the_trampoline_throws_its_balls() {
    let balls = 21..24;
    let (mut lowest, mut highest) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let end = example("trampoline.xml", |scene| {
        for (k, i) in balls.clone().enumerate() {
            let y = scene.system.positions()[i].y;
            if y < lowest[k] {
                (lowest[k], highest[k]) = (y, y);
            }
            highest[k] = if y > highest[k] { y } else { highest[k] };
        }
    });
    println!("lowest {lowest:?}, highest after that {highest:?}");
    for k in 0..3 {
        assert!(lowest[k] > -1.0 && highest[k] > lowest[k] + 0.2, "ball {k}: {} to {}", lowest[k], highest[k]);
    }
    let start = carom_particles::Scene::from_file(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/trampoline.xml"),
    );
    let energy = |scene: &carom_particles::Scene| scene.system.kinetic_energy() + scene.system.potential_energy();
    assert!(energy(&end) < energy(&start.unwrap()));
}
