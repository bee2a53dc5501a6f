//! Boxes and capsules: laws they must keep and problems with known answers.
#![allow(clippy::disallowed_methods, reason = "tests may use the platform's functions")]

use carom_core::Rng;
use carom_core::math::sin_cos64 as sin_cos;
use carom3d::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

const G: f64 = 9.8;
const DT: f64 = 1.0 / 120.0;

fn surface(friction: f64, restitution: f64) -> Material {
    Material { friction, restitution, ..Material::default() }
}

fn weightless() -> World {
    World::new(WorldDef { gravity: DVec3::ZERO, sleeping: false, ..WorldDef::default() })
}

/// A world on a plane, with gravity tilted by an angle towards x.
fn on_slope(angle: f64, material: Material) -> World {
    let (sin, cos) = sin_cos(angle);
    let mut world =
        World::new(WorldDef { gravity: dvec3(G * sin, -G * cos, 0.0), sleeping: false, ..WorldDef::default() });
    world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
    world
}

fn run(world: &mut World, seconds: f64, dt: f64) {
    for _ in 0..(seconds / dt).round() as u32 {
        world.step(dt);
    }
}

/// Angular momentum of all bodies about the origin.
fn angular_momentum(world: &World) -> DVec3 {
    world.bodies().filter(|&id| world.body(id).kind() == BodyKind::Dynamic).fold(DVec3::ZERO, |sum, id| {
        let body = world.body(id);
        sum + body.position().cross(body.velocity()) * body.mass() + body.spin()
    })
}

/// The Dzhanibekov effect: spun about its middle axis, a box turns over again and again.
#[test]
fn a_box_spun_about_its_middle_axis_flips() {
    let mut world = weightless();
    let spin = dvec3(0.0, 5.0, 1.0e-3);
    let def = BodyDef { angular_velocity: spin, ..BodyDef::cuboid(dvec3(0.5, 1.0, 1.5)) };
    let id = world.add_body(def).unwrap();
    let (momentum, energy) = (world.body(id).spin(), world.kinetic_energy());
    let (mut flips, mut is_up, mut highest) = (0, true, energy);
    for _ in 0..6000 {
        world.step(0.01);
        let body = world.body(id);
        let up = body.orientation().rotate(DVec3::Y).y;
        if up.abs() > 0.9 && (up > 0.0) != is_up {
            (is_up, flips) = (!is_up, flips + 1);
        }
        highest = highest.max(world.kinetic_energy());
    }
    let last = world.kinetic_energy();
    let off = (world.body(id).spin() - momentum).length() / momentum.length();
    let (lost, gained) = (1.0 - last / energy, highest / energy - 1.0);
    println!("{flips} flips in 60 s; |dL|/L {off:e}, energy lost {lost:e}, gained at most {gained:e}");
    assert!(flips >= 6, "only {flips} flips");
    assert!(off < 1.0e-5, "angular momentum off by {off}");
    assert!(lost.abs() < 1.0e-12 && gained < 1.0e-12, "lost {lost:e}, gained {gained:e}");
}

#[test]
fn spins_about_the_longest_and_the_shortest_axis_are_steady() {
    for axis in [DVec3::X, DVec3::Z] {
        let mut world = weightless();
        let def = BodyDef { angular_velocity: axis * 5.0 + DVec3::Y * 1.0e-3, ..BodyDef::cuboid(dvec3(0.5, 1.0, 1.5)) };
        let id = world.add_body(def).unwrap();
        for _ in 0..6000 {
            world.step(0.01);
            assert!(world.body(id).orientation().rotate(axis).dot(axis) > 0.999_99);
        }
    }
}

/// A heavy top with its axis level precesses at `m g r / (I_3 w_3)`.
#[test]
fn a_heavy_top_precesses() {
    let mut world = World::new(WorldDef { gravity: dvec3(0.0, -G, 0.0), sleeping: false, ..WorldDef::default() });
    let far = world.add_body(BodyDef { position: dvec3(0.0, -100.0, 0.0), ..BodyDef::plane(DVec3::Y) }).unwrap();
    let half = dvec3(0.3, 0.05, 0.3);
    let (arm, spin) = (0.5, 100.0);
    let moment = 2.0 / 3.0 * 0.3 * 0.3;
    let rate = G * arm / (moment * spin);
    // The axis along x: the body's y turned to x.
    let orientation = Quat::from_axis_angle(DVec3::Z, -FRAC_PI_2);
    let top = world
        .add_body(BodyDef {
            position: dvec3(arm, 0.0, 0.0),
            orientation,
            velocity: dvec3(0.0, 0.0, -arm * rate),
            angular_velocity: dvec3(spin, rate, 0.0),
            ..BodyDef::cuboid(half)
        })
        .unwrap();
    // Held at its foot by a stiff spring of no length.
    let offsets = [dvec3(0.0, 100.0, 0.0), dvec3(0.0, -arm, 0.0)];
    let spring = SpringDef { offsets, rest_length: 0.0, stiffness: 1.0e6, ..SpringDef::between(far, top) };
    world.add_spring(spring).unwrap();
    run(&mut world, 2.0, 1.0e-4);
    let place = world.body(top).position();
    // Right-handed about y: from x towards -z.
    let turned = (-place.z).atan2(place.x);
    let expected = rate * 2.0;
    println!("precessed {turned} rad, expected {expected}");
    assert!((turned / expected - 1.0).abs() < 0.02, "{turned} and not {expected}");
    assert!(place.y.abs() < 0.02, "the top stays level: {}", place.y);
}

#[test]
fn friction_holds_a_box_up_to_its_angle() {
    for mu in [0.3_f64, 0.5, 0.7] {
        let critical = mu.atan();
        for (angle, slides) in [(critical * 0.99, false), (critical * 1.01, true)] {
            let material = surface(mu, 0.0);
            let mut world = on_slope(angle, material);
            let def = BodyDef { position: dvec3(0.0, 0.5, 0.0), material, ..BodyDef::cuboid(dvec3(1.0, 0.5, 1.0)) };
            let id = world.add_body(def).unwrap();
            // Forces are found in the first few steps; it may not creep after that.
            run(&mut world, 0.5, DT);
            let (settled, first) = (world.body(id).position().x, world.body(id).velocity().x);
            run(&mut world, 1.5, DT);
            let (x, v) = (world.body(id).position().x, world.body(id).velocity().x);
            if slides {
                let (sin, cos) = sin_cos(angle);
                let expected = G * (sin - mu * cos);
                let found = (v - first) / 1.5;
                assert!((found - expected).abs() < 1.0e-4, "mu {mu}: {found} and not {expected} m/s^2");
            } else {
                assert!(x.abs() < 2.0e-5 && (x - settled).abs() < 1.0e-6, "mu {mu}: crept {x} m, {settled} m at first");
            }
        }
    }
}

#[test]
fn a_tall_box_topples_past_its_angle() {
    for (angle, topples) in [(0.5_f64.atan() * 0.97, false), (0.5_f64.atan() * 1.03, true)] {
        let material = surface(2.0, 0.0);
        let mut world = on_slope(angle, material);
        let def = BodyDef { position: dvec3(0.0, 1.0, 0.0), material, ..BodyDef::cuboid(dvec3(0.5, 1.0, 0.5)) };
        let id = world.add_body(def).unwrap();
        run(&mut world, 4.0, DT);
        let up = world.body(id).orientation().rotate(DVec3::Y).y;
        assert_eq!(up < 0.9, topples, "at {angle} rad it leans by {up}");
    }
}

/// Down a slope a capsule rolls at `g sin / (1 + I/(m r^2))`.
#[test]
fn a_capsule_rolls_down_a_slope() {
    let material = surface(1.0, 0.0);
    let mut world = on_slope(PI / 6.0, material);
    let (half_length, radius) = (0.5, 0.2);
    let orientation = Quat::from_axis_angle(DVec3::X, FRAC_PI_2);
    let def =
        BodyDef { position: dvec3(0.0, radius, 0.0), orientation, material, ..BodyDef::capsule(half_length, radius) };
    let id = world.add_body(def).unwrap();
    let expected = 0.5 * G / (1.0 + world.body(id).inertia().y / (radius * radius));
    run(&mut world, 2.0, DT);
    let state = world.body(id).state();
    assert!((state.velocity.x / 2.0 / expected - 1.0).abs() < 2.0e-3, "{} and not {expected}", state.velocity.x / 2.0);
    assert!((state.velocity.x + state.angular_velocity.z * radius).abs() < 0.01, "it does not slip: {state:?}");
    assert!(state.position.z.abs() < 1.0e-3 && (state.position.y - radius).abs() < 1.0e-3);
}

#[test]
fn a_stack_of_boxes_stands_and_sleeps() {
    let mut world = World::new(WorldDef::default());
    let material = surface(0.5, 0.0);
    world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
    let half = DVec3::splat(0.5);
    let ids: Vec<BodyId> = (0..5)
        .map(|i| {
            let position = dvec3(0.0, 0.5 + f64::from(i), 0.0);
            world.add_body(BodyDef { position, material, ..BodyDef::cuboid(half) }).unwrap()
        })
        .collect();
    for step in 0..600 {
        world.step(1.0 / 60.0);
        if step == 25 {
            for (i, &id) in ids.iter().enumerate() {
                let net = world.body(id).contact_force();
                assert!((net - dvec3(0.0, G, 0.0)).length() < 0.02 * G, "box {i} feels {net}");
            }
        }
    }
    assert_eq!(world.awake_count(), 0, "all sleep");
    for (i, &id) in ids.iter().enumerate() {
        let place = world.body(id).position();
        let expected = dvec3(0.0, 0.5 + i as f64, 0.0);
        assert!((place - expected).length() < 5.0e-3, "box {i} is at {place}");
    }
    world.remove_body(ids[0]).unwrap();
    run(&mut world, 3.0, 1.0 / 60.0);
    assert!((world.body(ids[4]).position().y - 3.5).abs() < 0.02, "the rest fell by one box and stands");
}

#[test]
fn bodies_of_all_shapes_come_to_rest_in_a_heap() {
    let mut rng = Rng::new(3);
    let mut world = World::new(WorldDef::default());
    let material = Material { friction: 0.6, restitution: 0.2, rolling_resistance: 0.05 };
    world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
    for (position, normal) in [
        (dvec3(2.0, 0.0, 0.0), -DVec3::X),
        (dvec3(-2.0, 0.0, 0.0), DVec3::X),
        (dvec3(0.0, 0.0, 2.0), -DVec3::Z),
        (dvec3(0.0, 0.0, -2.0), DVec3::Z),
    ] {
        world.add_body(BodyDef { position, material, ..BodyDef::plane(normal) }).unwrap();
    }
    let mut ids = Vec::new();
    for i in 0..45 {
        let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
        let def = match i % 3 {
            0 => BodyDef::sphere(0.3),
            1 => BodyDef::cuboid(dvec3(0.2, 0.3, 0.25)),
            _ => BodyDef::capsule(0.25, 0.2),
        };
        let position = dvec3(f64::from(i % 3) - 1.0, 1.0 + 0.8 * f64::from(i / 9), f64::from(i / 3 % 3) - 1.0);
        let orientation = Quat::from_rotation_vector(random() * 3.0);
        ids.push(world.add_body(BodyDef { position, orientation, material, ..def }).unwrap());
    }
    let start = world.kinetic_energy() + world.potential_energy();
    for step in 0..1200 {
        world.step(1.0 / 120.0);
        let energy = world.kinetic_energy() + world.potential_energy();
        assert!(energy < start * 1.02, "step {step}: energy {energy} of {start}");
    }
    for &id in &ids {
        let place = world.body(id).position();
        assert!(place.y > 0.15 && place.x.abs() < 1.9 && place.z.abs() < 1.9, "one left: {place}");
    }
    println!("awake {}, {} J", world.awake_count(), world.kinetic_energy());
    assert!(world.kinetic_energy() < 0.05, "still {} J", world.kinetic_energy());
}

/// Boxes and capsules that meet in empty space, and stay jammed together for a while, keep momentum and angular momentum,
/// and gain no energy.
#[test]
fn meetings_conserve_momentum() {
    for seed in 0..30 {
        let mut rng = Rng::new(seed);
        let mut world = weightless();
        for i in 0..8 {
            let corner = dvec3(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - DVec3::splat(0.5);
            let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
            let def = match i % 3 {
                0 => BodyDef::sphere(0.4),
                1 => BodyDef::cuboid(dvec3(0.2, 0.5, 0.3)),
                _ => BodyDef::capsule(0.4, 0.2),
            };
            let def = BodyDef {
                position: corner * 3.0 + random() * 0.3,
                velocity: corner * -3.0 + random(),
                angular_velocity: random() * 4.0,
                orientation: Quat::from_rotation_vector(random() * 3.0),
                mass: 1.0 + rng.f64() * 3.0,
                material: surface(0.3, 0.5),
                ..def
            };
            world.add_body(def).unwrap();
        }
        let (momentum, spin, energy) = (world.momentum(), angular_momentum(&world), world.kinetic_energy());
        let mut last = energy;
        for step in 0..360 {
            world.step(DT);
            let now = world.kinetic_energy();
            assert!(now < last * (1.0 + 1.0e-6), "seed {seed}, step {step}: energy rose from {last} to {now}");
            last = now;
        }
        assert!(last < energy * 0.95, "seed {seed}: they met and lost energy: {last} of {energy}");
        assert!((world.momentum() - momentum).length() < 1.0e-11, "seed {seed}");
        let off = (angular_momentum(&world) - spin).length() / spin.length();
        // What the integrator makes of free rotation, 1e-9 in a step.
        assert!(off < 1.0e-6, "seed {seed}: angular momentum off by {off}");
    }
}

/// Two boxes that meet in empty space keep their angular momentum, even where the many little impacts of one that comes to
/// lie on the other are handed over to forces, and overlaps are undone.
#[test]
fn single_collisions_keep_angular_momentum() {
    let (mut hits, mut rests) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut world = weightless();
        for side in [-1.0, 1.0] {
            let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
            let def = BodyDef {
                position: dvec3(1.2 * side, 0.0, 0.0) + random() * 0.5,
                velocity: dvec3(-2.0 * side, 0.0, 0.0) + random(),
                angular_velocity: random() * 4.0,
                orientation: Quat::from_rotation_vector(random() * 3.0),
                mass: 1.0 + rng.f64() * 3.0,
                material: surface(0.3, 0.5),
                ..BodyDef::cuboid(dvec3(0.2, 0.5, 0.3))
            };
            world.add_body(def).unwrap();
        }
        for step in 0..90 {
            let before = angular_momentum(&world);
            world.step(DT);
            hits += world.events().impacts.len();
            rests += world.events().contact_begin.len();
            // What the integrator makes of free rotation.
            let off = (angular_momentum(&world) - before).length() / before.length();
            assert!(off < 2.0e-8, "seed {seed}, step {step}: angular momentum off by {off}");
        }
    }
    assert!(hits >= 300 && rests > 0, "{hits} impacts, {rests} came to rest");
}

/// Painlevé's rod: slides on its end with so much friction that no finite force would do.
#[test]
fn the_rod_of_painleve_stays_finite() {
    for mu in [0.5, 1.4, 2.5, 5.0] {
        let material = surface(mu, 0.0);
        let mut world = on_slope(0.0, material);
        let (half_length, radius) = (0.99, 0.01);
        let angle: f64 = 63.435_f64.to_radians();
        let (sin, cos) = sin_cos(angle);
        // The lower end is ahead: the rod is pushed into the floor.
        let orientation = Quat::from_axis_angle(DVec3::Z, angle - FRAC_PI_2);
        let position = dvec3(0.0, half_length * sin + radius, 0.0);
        let def = BodyDef {
            position,
            orientation,
            velocity: dvec3(-4.0 * cos.signum(), 0.0, 0.0),
            material,
            ..BodyDef::capsule(half_length, radius)
        };
        let id = world.add_body(def).unwrap();
        let energy = world.kinetic_energy() + world.potential_energy();
        for step in 0..600 {
            world.step(1.0 / 600.0);
            let now = world.kinetic_energy() + world.potential_energy();
            assert!(now.is_finite() && now < energy * (1.0 + 1.0e-3), "mu {mu}, step {step}: {now} J of {energy}");
        }
        assert!(world.body(id).position().y > -0.01);
    }
}

#[test]
fn dominoes_fall_one_after_the_other() {
    let mut world = World::new(WorldDef::default());
    let material = surface(0.4, 0.1);
    world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
    let half = dvec3(0.06, 0.5, 0.25);
    let mut ids = Vec::new();
    for i in 0..12 {
        let angular_velocity = if i == 0 { dvec3(0.0, 0.0, -2.5) } else { DVec3::ZERO };
        let velocity = if i == 0 { dvec3(1.25, 0.0, 0.0) } else { DVec3::ZERO };
        let position = dvec3(0.5 * f64::from(i), 0.5, 0.0);
        let def = BodyDef { position, velocity, angular_velocity, material, ..BodyDef::cuboid(half) };
        ids.push(world.add_body(def).unwrap());
    }
    run(&mut world, 0.2, DT);
    assert!(world.body(ids[11]).orientation().rotate(DVec3::Y).y > 0.999_9, "the last still stands");
    run(&mut world, 6.0, DT);
    for (i, &id) in ids.iter().enumerate() {
        let up = world.body(id).orientation().rotate(DVec3::Y);
        assert!(up.y < 0.7, "domino {i} stands: {up}");
        assert!(up.z.abs() < 0.05, "domino {i} fell sideways: {up}");
    }
}

#[test]
fn a_box_bounces_by_its_restitution() {
    for restitution in [0.0, 0.5, 1.0] {
        let material = surface(0.3, restitution);
        let mut world = on_slope(0.0, material);
        let def = BodyDef { position: dvec3(0.0, 2.5, 0.0), material, ..BodyDef::cuboid(DVec3::splat(0.5)) };
        let id = world.add_body(def).unwrap();
        let (mut highest, mut has_fallen) = (0.0_f64, false);
        for _ in 0..200 {
            world.step(DT);
            has_fallen |= !world.events().impacts.is_empty();
            if has_fallen && world.body(id).velocity().y <= 0.0 {
                highest = highest.max(world.body(id).position().y - 0.5);
            }
        }
        let expected = restitution * restitution * 2.0;
        // Heights are looked at once per step: the highest is up to g dt^2/8 above.
        assert!((highest - expected).abs() < 2.0e-4, "restitution {restitution}: {highest} m and not {expected}");
    }
}

#[test]
fn fast_boxes_do_not_pass_through_a_triangle() {
    for speed in [5.0, 50.0, 400.0] {
        let mut world = weightless();
        let wall = [dvec3(0.0, -5.0, -5.0), dvec3(0.0, 5.0, -5.0), dvec3(0.0, 0.0, 9.0)];
        world
            .add_body(BodyDef { material: surface(0.2, 0.3), ..BodyDef::triangle(wall[0], wall[1], wall[2]) })
            .unwrap();
        let def = BodyDef {
            position: dvec3(-3.0, 0.1, 0.2),
            velocity: dvec3(speed, 0.0, 0.0),
            angular_velocity: dvec3(1.0, 2.0, 3.0),
            material: surface(0.2, 0.3),
            ..BodyDef::cuboid(dvec3(0.1, 0.2, 0.15))
        };
        let id = world.add_body(def).unwrap();
        run(&mut world, 2.0, 1.0 / 60.0);
        assert!(world.body(id).position().x < 0.0, "at {speed} m/s it went through: {}", world.body(id).position());
    }
}

/// Walls and floors that one body meets head-on: it arrives when the distance says so, and leaves by its restitution.
#[test]
fn fast_boxes_and_capsules_meet_at_their_time() {
    let lying = Quat::from_axis_angle(DVec3::Z, FRAC_PI_2);
    let corners = [dvec3(0.0, -50.0, -50.0), dvec3(0.0, 50.0, -50.0), dvec3(0.0, 0.0, 90.0)];
    let walls = [
        BodyDef::plane(DVec3::X),
        BodyDef::triangle(corners[0], corners[1], corners[2]),
        BodyDef { kind: BodyKind::Fixed, position: dvec3(0.01, 0.0, 0.0), ..BodyDef::cuboid(dvec3(0.01, 5.0, 5.0)) },
    ];
    let bodies = [
        (BodyDef::cuboid(dvec3(0.1, 0.2, 0.15)), 0.1),
        (BodyDef::capsule(0.3, 0.05), 0.05),
        (BodyDef { orientation: lying, ..BodyDef::capsule(0.3, 0.05) }, 0.35),
    ];
    for speed in [5.0, 50.0, 400.0] {
        for wall in walls {
            for (body, half) in bodies {
                let mut world = weightless();
                let material = surface(0.3, 0.5);
                world.add_body(BodyDef { material, ..wall }).unwrap();
                let start = dvec3(-1.7, 0.1, 0.2);
                let def = BodyDef { position: start, velocity: dvec3(speed, 0.0, 0.0), material, ..body };
                let id = world.add_body(def).unwrap();
                let mut impacts = Vec::new();
                for _ in 0..60 {
                    world.step(1.0 / 60.0);
                    impacts.extend_from_slice(&world.events().impacts);
                }
                let expected = (1.7 - half) / speed;
                assert_eq!(impacts.len(), 1, "{wall:?} {body:?} {speed}");
                let off = (impacts[0].time_s - expected) * speed;
                assert!(off.abs() < 1.0e-5, "{wall:?} {body:?} {speed}: {off} m off");
                let state = world.body(id).state();
                assert!(
                    (state.velocity - dvec3(-0.5 * speed, 0.0, 0.0)).length() < 1.0e-9 * speed,
                    "{wall:?} {body:?} {speed} {state:?}"
                );
                assert!(state.angular_velocity.length() < 1.0e-9 * speed, "{state:?}");
                let place = -half - 0.5 * speed * (1.0 - expected);
                assert!((state.position.x - place).abs() < 1.0e-4, "{} and not {place}", state.position.x);
            }
        }
    }
}

/// Spinning and not, at many offsets from the grid of steps, through walls of two centimetres and of none.
#[test]
fn nothing_tunnels() {
    let thin = BodyDef { kind: BodyKind::Fixed, ..BodyDef::cuboid(dvec3(0.01, 9.0, 9.0)) };
    let corners = [dvec3(0.0, -50.0, -50.0), dvec3(0.0, 50.0, -50.0), dvec3(0.0, 0.0, 90.0)];
    let flat = BodyDef::triangle(corners[0], corners[1], corners[2]);
    let mut rng = Rng::new(26);
    for speed in [50.0, 100.0, 200.0, 399.0] {
        for phase in 0..64 {
            for (body, spin) in [
                (BodyDef::sphere(0.1), 0.0),
                (BodyDef::cuboid(DVec3::splat(0.1)), 0.0),
                (BodyDef::capsule(0.1, 0.05), 0.0),
                (BodyDef::cuboid(dvec3(0.5, 0.02, 0.02)), 50.0),
                (BodyDef::capsule(0.5, 0.01), 50.0),
            ] {
                let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
                let mut world = weightless();
                let material = surface(0.3, 0.2);
                let wall = if phase % 2 == 0 { thin } else { flat };
                world.add_body(BodyDef { material, ..wall }).unwrap();
                let x = -1.0 - speed / 60.0 * f64::from(phase) / 64.0;
                let def = BodyDef {
                    position: dvec3(x, 0.0, 0.0),
                    velocity: dvec3(speed, 0.0, 0.0),
                    angular_velocity: random() * (2.0 * spin),
                    orientation: Quat::from_rotation_vector(random() * 3.0),
                    material,
                    ..body
                };
                let id = world.add_body(def).unwrap();
                run(&mut world, 0.2, 1.0 / 60.0);
                let state = world.body(id).state();
                assert!(state.position.x < 0.0 && state.velocity.x < 1.0, "{speed} m/s, phase {phase}: {state:?}");
            }
        }
    }
}

/// What is not in the way is not met, however fast and near: a box past the edge of a wall, and a turning rod past a ball.
#[test]
fn fast_boxes_pass_what_they_do_not_touch() {
    for speed in [50.0, 400.0] {
        let mut world = weightless();
        let wall = [dvec3(0.0, -5.0, -5.0), dvec3(0.0, 5.0, -5.0), dvec3(0.0, 0.0, 5.0)];
        world.add_body(BodyDef::triangle(wall[0], wall[1], wall[2])).unwrap();
        let velocity = dvec3(speed, 0.0, 0.0);
        let def = BodyDef { position: dvec3(-3.0, 0.0, 5.11), velocity, ..BodyDef::cuboid(DVec3::splat(0.1)) };
        let id = world.add_body(def).unwrap();
        run(&mut world, 0.1, 1.0 / 60.0);
        assert_eq!(world.body(id).velocity(), velocity, "the edge is a centimetre away");
        assert!(world.body(id).position().x > 0.0);
    }
}

#[test]
fn springs_turn_boxes_and_keep_energy() {
    let mut world = weightless();
    let a = world.add_body(BodyDef::cuboid(dvec3(0.1, 0.3, 0.5))).unwrap();
    let b = world.add_body(BodyDef { position: dvec3(2.0, 0.0, 0.0), ..BodyDef::capsule(0.4, 0.1) }).unwrap();
    let offsets = [dvec3(0.1, 0.3, 0.5), dvec3(0.0, 0.4, 0.1)];
    world.add_spring(SpringDef { offsets, stiffness: 40.0, ..SpringDef::between(a, b) }).unwrap();
    let energy = world.potential_energy();
    let mut fastest = 0.0_f64;
    for _ in 0..2400 {
        world.step(1.0 / 1200.0);
        fastest = fastest.max(world.body(a).angular_velocity().length());
        if world.contact_count() > 0 && !world.events().impacts.is_empty() {
            return;
        }
        let now = world.kinetic_energy() + world.potential_energy();
        assert!((now / energy - 1.0).abs() < 1.0e-6, "{now} J of {energy}");
        assert!(world.momentum().length() < 1.0e-12 && angular_momentum(&world).length() < 1.0e-8);
    }
    assert!(fastest > 1.0, "the box turned at {fastest} rad/s");
}

#[test]
fn bad_boxes_and_capsules_are_refused() {
    let mut world = World::new(WorldDef::default());
    for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1.0e-30, 1.0e30] {
        for def in [
            BodyDef::cuboid(dvec3(1.0, bad, 1.0)),
            BodyDef::capsule(bad, 1.0),
            BodyDef::capsule(1.0, bad),
            BodyDef { kind: BodyKind::Fixed, ..BodyDef::cuboid(dvec3(bad, 1.0, 1.0)) },
        ] {
            assert!(matches!(world.add_body(def), Err(DefError::Field { .. })), "{def:?}");
        }
    }
    assert_eq!(world.body_count(), 0);
}

#[test]
fn the_same_bits_again() {
    let build = || {
        let mut world = World::new(WorldDef::default());
        let material = surface(0.5, 0.2);
        world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
        for i in 0..20 {
            let position = dvec3(0.1 * f64::from(i % 3), 0.7 + 0.9 * f64::from(i), 0.1 * f64::from(i % 2));
            let def = if i % 2 == 0 { BodyDef::cuboid(dvec3(0.3, 0.4, 0.5)) } else { BodyDef::capsule(0.3, 0.2) };
            world.add_body(BodyDef { position, material, ..def }).unwrap();
        }
        world
    };
    let (mut one, mut two) = (build(), build());
    for step in 0..200 {
        one.step(DT);
        two.step(DT);
        assert_eq!(one.state_hash(), two.state_hash(), "step {step}");
        if step == 100 {
            two = one.clone();
        }
    }
}
