//! Problems with known answers, and what must be conserved.
#![allow(clippy::disallowed_methods, reason = "tests may use the platform's functions")]

use carom_core::Rng;
use carom3d::prelude::*;
use std::f64::consts::PI;

const G: f64 = 10.0;

/// A world on a plane at y = 0 whose gravity is tilted by an angle: down the slope is +x.
fn slope(angle: f64, friction: f64) -> (World, Material) {
    let gravity = dvec3(angle.sin(), -angle.cos(), 0.0) * G;
    let mut world = World::new(WorldDef { gravity, sleeping: false, ..WorldDef::default() });
    let material = Material { friction, restitution: 0.0, ..Material::default() };
    world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
    (world, material)
}

fn on_plane(radius: f64, material: Material) -> BodyDef {
    BodyDef { position: dvec3(0.0, radius, 0.0), material, mass: 3.0, ..BodyDef::sphere(radius) }
}

#[test]
fn a_ball_rolls_down_a_slope_at_five_sevenths() {
    let (mut world, material) = slope(PI / 6.0, 1.0);
    let ball = world.add_body(on_plane(0.3, material)).unwrap();
    for _ in 0..120 {
        world.step(1.0 / 60.0);
        let state = world.body(ball).state();
        let slip = state.velocity_at(dvec3(0.0, -0.3, 0.0)).length();
        assert!(slip < 1.0e-12, "slips at {slip} m/s");
        assert!((state.position.y - 0.3).abs() < 1.0e-12);
    }
    let acceleration = world.body(ball).velocity().x / 2.0;
    assert!((acceleration - 5.0 / 7.0 * G * 0.5).abs() < 1.0e-10, "{acceleration}");
    let way = world.body(ball).position().x;
    assert!((way - 0.5 * acceleration * 4.0).abs() < 1.0e-10, "{way} m in 2 s");
}

#[test]
fn a_ball_slips_where_friction_is_less_than_two_sevenths_of_the_slope() {
    let angle = PI / 6.0;
    let critical = 2.0 / 7.0 * angle.tan();
    for (friction, slips) in [(0.95 * critical, true), (1.05 * critical, false)] {
        let (mut world, material) = slope(angle, friction);
        let ball = world.add_body(on_plane(0.3, material)).unwrap();
        for _ in 0..120 {
            world.step(1.0 / 60.0);
        }
        let state = world.body(ball).state();
        let slip = state.velocity_at(dvec3(0.0, -0.3, 0.0)).length();
        let expected = if slips { G * (angle.sin() - friction * angle.cos()) } else { 5.0 / 7.0 * G * angle.sin() };
        assert_eq!(slip > 1.0e-6, slips, "slip {slip} at friction {friction}");
        assert!((state.velocity.x / 2.0 - expected).abs() < 1.0e-10, "{} and not {expected}", state.velocity.x / 2.0);
    }
}

#[test]
fn a_sliding_ball_ends_rolling_at_five_sevenths_of_its_speed() {
    let (mut world, material) = slope(0.0, 0.2);
    let ball = world.add_body(BodyDef { velocity: dvec3(6.0, 0.0, 0.0), ..on_plane(0.3, material) }).unwrap();
    let mut rolls_at = None;
    for _ in 0..120 {
        world.step(1.0 / 60.0);
        let slip = world.body(ball).state().velocity_at(dvec3(0.0, -0.3, 0.0)).length();
        if slip < 1.0e-9 && rolls_at.is_none() {
            rolls_at = Some(world.time_s());
        }
    }
    assert!((world.body(ball).velocity().x - 6.0 * 5.0 / 7.0).abs() < 1.0e-9, "{}", world.body(ball).velocity());
    let expected = 2.0 * 6.0 / (7.0 * 0.2 * G);
    let rolls_at = rolls_at.expect("it ends up rolling");
    assert!((rolls_at - expected).abs() < 1.0 / 60.0 + 1.0e-9, "rolls after {rolls_at} s, not {expected}");
}

#[test]
fn a_ball_rolls_over_the_seams_of_a_floor_as_if_there_were_none() {
    let roll = |tiles: i32| {
        let mut world = World::new(WorldDef { gravity: dvec3(1.0, -G, 0.3), sleeping: false, ..WorldDef::default() });
        let material = Material { friction: 0.8, restitution: 0.3, ..Material::default() };
        let size = 64.0 / f64::from(tiles);
        for (i, j) in (0..tiles * tiles).map(|tile| (tile % tiles, tile / tiles)) {
            let at = |u: i32, v: i32| dvec3(f64::from(i + u) * size - 2.0, 0.0, f64::from(j + v) * size - 8.0);
            for (a, b, c) in [(at(0, 0), at(1, 0), at(1, 1)), (at(0, 0), at(1, 1), at(0, 1))] {
                world.add_body(BodyDef { material, ..BodyDef::triangle(a, b, c) }).unwrap();
            }
        }
        let ball = world.add_body(BodyDef { velocity: dvec3(2.0, 0.0, 0.5), ..on_plane(0.3, material) }).unwrap();
        for _ in 0..240 {
            world.step(1.0 / 60.0);
            let y = world.body(ball).position().y;
            assert!((y - 0.3).abs() < 1.0e-7, "height {y} on {tiles} tiles");
        }
        world.body(ball).position()
    };
    let (few, many) = (roll(1), roll(61));
    assert!((few - many).length() < 1.0e-6, "{few} and {many}");
}

#[test]
fn an_oblique_impact_turns_the_ball() {
    // Enough friction to grip: the point of contact stops, and v and w r share in 5 : 2.
    let mut world = World::new(WorldDef { gravity: DVec3::ZERO, ..WorldDef::default() });
    let material = Material { friction: 10.0, restitution: 0.6, ..Material::default() };
    world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
    let def =
        BodyDef { position: dvec3(0.0, 1.0, 0.0), velocity: dvec3(7.0, -3.0, 0.0), material, ..BodyDef::sphere(0.5) };
    let ball = world.add_body(def).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    let state = world.body(ball).state();
    assert!((state.velocity - dvec3(5.0, 1.8, 0.0)).length() < 1.0e-12, "{}", state.velocity);
    assert!((state.angular_velocity - dvec3(0.0, 0.0, -10.0)).length() < 1.0e-12, "{}", state.angular_velocity);
}

#[test]
fn two_balls_share_what_they_have() {
    for (restitution, mass) in [(1.0, 1.0), (0.5, 3.0), (0.0, 0.2)] {
        let mut world = World::new(WorldDef { gravity: DVec3::ZERO, ..WorldDef::default() });
        let material = Material { friction: 0.3, restitution, ..Material::default() };
        let mut add = |x: f64, y: f64, v: f64, w: DVec3, mass: f64| {
            let (position, velocity) = (dvec3(x, y, 0.0), dvec3(v, 0.0, 0.0));
            let def = BodyDef { position, velocity, angular_velocity: w, mass, material, ..BodyDef::sphere(0.5) };
            world.add_body(def).unwrap()
        };
        let pair = [add(-2.0, 0.0, 4.0, dvec3(1.0, 2.0, 3.0), 2.0), add(2.0, 0.4, -1.0, DVec3::ZERO, mass)];
        let angular = |world: &World| {
            pair.iter().fold(DVec3::ZERO, |sum, &id| {
                let body = world.body(id);
                let state = body.state();
                sum + state.position.cross(state.velocity) * body.mass() + state.angular_velocity * body.inertia()
            })
        };
        let (momentum, spin, energy) = (world.momentum(), angular(&world), world.kinetic_energy());
        for _ in 0..120 {
            world.step(1.0 / 60.0);
        }
        assert!((world.momentum() - momentum).length() < 1.0e-13);
        assert!((angular(&world) - spin).length() < 1.0e-13, "{} and {spin}", angular(&world));
        assert!(world.kinetic_energy() < energy, "friction takes some");
    }
}

#[test]
fn fast_balls_do_not_tunnel() {
    let mut world = World::new(WorldDef { gravity: DVec3::ZERO, ..WorldDef::default() });
    let wall = [dvec3(0.0, -5.0, -5.0), dvec3(0.0, 5.0, -5.0), dvec3(0.0, 0.0, 9.0)];
    world.add_body(BodyDef::triangle(wall[0], wall[1], wall[2])).unwrap();
    let def = BodyDef { position: dvec3(-3.0, 0.1, 0.2), velocity: dvec3(1.0e5, 0.0, 0.0), ..BodyDef::sphere(0.01) };
    let ball = world.add_body(def).unwrap();
    let still = world.add_body(BodyDef { position: dvec3(-600.0, 0.1, 0.2), ..BodyDef::sphere(0.01) }).unwrap();
    world.step(1.0 / 60.0);
    assert_eq!(world.events().impacts.len(), 2);
    assert!(world.body(still).velocity().x < -9.9e4, "the one at rest was hit: {}", world.body(still).velocity());
    assert!(world.body(ball).velocity().length() < 1.0e3 && world.body(ball).position().x < -599.0);
}

/// Random clouds without a box: energy, momentum and angular momentum to rounding.
#[test]
fn elastic_clouds_conserve_everything() {
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        let mut world = World::new(WorldDef { gravity: DVec3::ZERO, ..WorldDef::default() });
        let mut ids = Vec::new();
        for i in 0..27 {
            let cell = dvec3(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) - DVec3::ONE;
            let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
            let position = cell * 1.5 + random() * 0.4;
            let velocity = position * -4.0 + random() * 6.0;
            let (radius, mass) = (0.3 + 0.2 * (random().x + 0.5), 0.1 + 3.0 * (random().x + 0.5));
            ids.push(world.add_body(BodyDef { position, velocity, mass, ..BodyDef::sphere(radius) }).unwrap());
        }
        let orbit = |world: &World| {
            ids.iter().fold(DVec3::ZERO, |sum, &id| {
                let body = world.body(id);
                sum + body.position().cross(body.velocity()) * body.mass()
            })
        };
        let (energy, momentum, spin) = (world.kinetic_energy(), world.momentum(), orbit(&world));
        let mut impacts = 0;
        for _ in 0..60 {
            world.step(1.0 / 60.0);
            impacts += world.events().impacts.len();
        }
        assert!(impacts > 10, "seed {seed}: only {impacts} impacts");
        assert!((world.kinetic_energy() / energy - 1.0).abs() < 1.0e-13, "seed {seed}");
        assert!((world.momentum() - momentum).length() < 1.0e-11, "seed {seed}");
        assert!((orbit(&world) - spin).length() < 1.0e-11, "seed {seed}: {} and {spin}", orbit(&world));
    }
}

/// The six walls of a cube of half width `half` around the origin, two triangles each.
fn add_box(world: &mut World, half: f64) {
    for axis in 0..3 {
        for side in [-half, half] {
            let corner = |u: f64, v: f64| {
                let mut corner = [side; 3];
                corner[(axis + 1) % 3] = u * half;
                corner[(axis + 2) % 3] = v * half;
                DVec3::from_array(corner)
            };
            let (a, b, c, d) = (corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0));
            world.add_body(BodyDef::triangle(a, b, c)).unwrap();
            world.add_body(BodyDef::triangle(a, c, d)).unwrap();
        }
    }
}

/// Random clouds in a box: energy to rounding, no body leaves, with steps that let balls cross the box in one.
#[test]
fn elastic_clouds_stay_in_their_box() {
    for seed in 0..100 {
        let mut rng = Rng::new(1000 + seed);
        let gravity = if seed % 2 == 0 { DVec3::ZERO } else { dvec3(0.0, -9.8, 0.0) };
        let mut world = World::new(WorldDef { gravity, ..WorldDef::default() });
        add_box(&mut world, 2.0);
        let mut ids = Vec::new();
        for i in 0..27 {
            let cell = dvec3(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) - DVec3::ONE;
            let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
            let radius = 0.2 + 0.3 * (random().x + 0.5);
            let (position, velocity) = (cell * 1.2 + random() * 0.1, random() * 40.0);
            ids.push(world.add_body(BodyDef { position, velocity, ..BodyDef::sphere(radius) }).unwrap());
        }
        let energy = world.kinetic_energy() + world.potential_energy();
        for step in 0..60 {
            world.step(if seed % 5 == 0 { 0.1 } else { 1.0 / 60.0 });
            let now = world.kinetic_energy() + world.potential_energy();
            // Gravity can bring a ball to rest on the floor, which takes what little it had.
            let may_lose = if gravity == DVec3::ZERO { 1.0e-11 } else { 1.0e-4 };
            let gain = (now - energy) / world.kinetic_energy();
            assert!(gain < 1.0e-11 && gain > -may_lose, "seed {seed}, step {step}: energy grew by {gain}");
            for &id in &ids {
                let body = world.body(id);
                let out = body.position().abs().max_element() + body.radius().unwrap() - 2.0;
                assert!(out < 1.0e-9, "seed {seed}, step {step}: {out} m outside");
            }
        }
    }
}

#[test]
fn a_row_of_balls_passes_momentum_through() {
    let mut world = World::new(WorldDef { gravity: DVec3::ZERO, ..WorldDef::default() });
    let mut ids = Vec::new();
    for i in 0..20 {
        ids.push(world.add_body(BodyDef { position: dvec3(f64::from(i), 0.0, 0.0), ..BodyDef::sphere(0.5) }).unwrap());
    }
    let def = BodyDef { position: dvec3(-5.0, 0.0, 0.0), velocity: dvec3(8.0, 0.0, 0.0), ..BodyDef::sphere(0.5) };
    ids.push(world.add_body(def).unwrap());
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    for (number, &id) in ids.iter().enumerate() {
        let expected = if number == 19 { 8.0 } else { 0.0 };
        assert!((world.body(id).velocity().x - expected).abs() < 1.0e-12, "ball {number}");
    }
}

#[test]
fn a_stack_stands_sleeps_and_wakes() {
    let mut world = World::new(WorldDef::default());
    let material = Material { friction: 0.5, restitution: 0.0, ..Material::default() };
    world.add_body(BodyDef { material, ..BodyDef::plane(DVec3::Y) }).unwrap();
    let mut ids = Vec::new();
    for (x, y, z) in [(-0.5, 0.5, 0.0), (0.5, 0.5, 0.0), (0.0, 0.5, 0.75_f64.sqrt())] {
        ids.push(world.add_body(BodyDef { position: dvec3(x, y, z), material, ..BodyDef::sphere(0.5) }).unwrap());
    }
    let top = dvec3(0.0, 0.5 + (2.0_f64 / 3.0).sqrt(), 0.75_f64.sqrt() / 3.0);
    ids.push(world.add_body(BodyDef { position: top, material, ..BodyDef::sphere(0.5) }).unwrap());
    for _ in 0..120 {
        world.step(1.0 / 60.0);
    }
    assert!((world.body(ids[3]).position() - top).length() < 1.0e-3, "{}", world.body(ids[3]).position());
    assert_eq!(world.awake_count(), 0);
    let weight: f64 = ids[..3].iter().map(|&id| world.body(id).contact_force().y).sum();
    assert!((weight - 3.0 * 9.8).abs() < 1.0e-3, "the three carry themselves: net {weight} N");

    world.remove_body(ids[0]).unwrap();
    for _ in 0..120 {
        world.step(1.0 / 60.0);
    }
    assert!(world.body(ids[3]).position().y < 1.0, "the top fell down");
}

#[test]
fn a_heap_in_a_box_of_triangles_comes_to_rest() {
    let mut rng = Rng::new(8);
    let mut world = World::new(WorldDef::default());
    add_box(&mut world, 1.0);
    let material = Material { friction: 0.4, restitution: 0.5, rolling_resistance: 0.02 };
    let mut ids = Vec::new();
    for i in 0..216 {
        let cell = dvec3(f64::from(i % 6), f64::from(i / 36), f64::from(i / 6 % 6)) - DVec3::splat(2.5);
        let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
        let (position, velocity) = (cell * 0.32 + random() * 0.05, random() * 4.0);
        ids.push(world.add_body(BodyDef { position, velocity, material, ..BodyDef::sphere(0.12) }).unwrap());
    }
    let triangles: Vec<BodyId> = world.bodies().filter(|&id| world.body(id).radius().is_none()).collect();
    for id in triangles {
        world.body_mut(id).set_material(material).unwrap();
    }
    let deepest = |world: &World| {
        let mut deepest = 0.0_f64;
        for (i, &a) in ids.iter().enumerate() {
            let p = world.body(a).position();
            deepest = deepest.max(p.abs().max_element() + 0.12 - 1.0);
            for &b in &ids[..i] {
                deepest = deepest.max(0.24 - (world.body(b).position() - p).length());
            }
        }
        deepest
    };
    for step in 0..600 {
        world.step(1.0 / 60.0);
        if step % 20 == 0 {
            assert!(deepest(&world) < 0.024, "{} m deep at step {step}", deepest(&world));
        }
    }
    assert!(deepest(&world) < 3.0e-3, "{} m deep at the end", deepest(&world));
    assert_eq!(world.awake_count(), 0, "all sleep");
}

#[test]
fn rolling_resistance_stops_a_ball() {
    let (mut world, material) = slope(0.0, 0.5);
    let material = Material { rolling_resistance: 0.05, ..material };
    let spin = dvec3(0.0, 3.0, -2.0 / 0.3);
    let def = BodyDef { velocity: dvec3(2.0, 0.0, 0.0), angular_velocity: spin, ..on_plane(0.3, material) };
    let ball = world.add_body(def).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    // About the point of contact: 7/5 m r^2 w' = -rho m g, so v' = -5/7 * 0.05 g, less what is spent on the spin about
    // the normal while that lasts.
    let lost = 2.0 - world.body(ball).velocity().x;
    assert!(lost > 0.2 && lost < 5.0 / 7.0 * 0.05 * G + 1.0e-9, "lost {lost} m/s in a second");
    for _ in 0..600 {
        world.step(1.0 / 60.0);
    }
    let state = world.body(ball).state();
    assert!(state.velocity.length() < 1.0e-6 && state.angular_velocity.length() < 1.0e-5, "{state:?}");
}

#[test]
fn a_sleeper_wakes_when_hit() {
    let mut world = World::new(WorldDef::default());
    world.add_body(BodyDef::plane(DVec3::Y)).unwrap();
    let sleeper = world.add_body(BodyDef { position: dvec3(0.0, 0.5, 0.0), ..BodyDef::sphere(0.5) }).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    assert!(world.body(sleeper).is_sleeping());
    let def = BodyDef { position: dvec3(-2.0, 0.5, 0.0), velocity: dvec3(3.0, 0.0, 0.0), ..BodyDef::sphere(0.5) };
    let cue = world.add_body(def).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    assert!((world.body(sleeper).velocity().x - 3.0).abs() < 1.0e-9);
    assert!(world.body(cue).velocity().length() < 1.0e-9);
}

#[test]
fn drag_and_forces_at_an_offset() {
    let mut world = World::new(WorldDef { gravity: DVec3::ZERO, ..WorldDef::default() });
    let def = BodyDef { velocity: dvec3(2.0, 0.0, 0.0), linear_damping: 1.5, ..BodyDef::sphere(0.5) };
    let slowed = world.add_body(def).unwrap();
    let pushed = world.add_body(BodyDef { position: dvec3(0.0, 9.0, 0.0), mass: 2.0, ..BodyDef::sphere(0.5) }).unwrap();
    for _ in 0..60 {
        let point = world.body(pushed).position() + dvec3(0.0, 0.5, 0.0);
        world.body_mut(pushed).apply_force_at(dvec3(4.0, 0.0, 0.0), point).unwrap();
        world.step(1.0 / 60.0);
    }
    assert!((world.body(slowed).velocity().x - 2.0 * (-1.5_f64).exp()).abs() < 1.0e-8);
    let state = world.body(pushed).state();
    assert!((state.velocity.x - 2.0).abs() < 1.0e-12, "all of the force accelerates the centre");
    // Torque -2 N m about z on 2/5 m r^2 = 0.2 kg m^2.
    assert!((state.angular_velocity - dvec3(0.0, 0.0, -10.0)).length() < 1.0e-11, "{}", state.angular_velocity);
}

#[test]
fn springs_keep_momentum_and_their_period() {
    let mut world = World::new(WorldDef { gravity: DVec3::ZERO, sleeping: false, ..WorldDef::default() });
    let add = |world: &mut World, x: f64, mass: f64| {
        world.add_body(BodyDef { position: dvec3(x, 0.0, 0.0), mass, ..BodyDef::sphere(0.1) }).unwrap()
    };
    let (a, b) = (add(&mut world, 0.0, 1.0), add(&mut world, 1.5, 3.0));
    let spring = SpringDef { stiffness: 30.0, rest_length: 1.0, ..SpringDef::between(a, b) };
    world.add_spring(spring).unwrap();
    // Reduced mass 3/4, w = sqrt(40).
    let period = 2.0 * PI / 40.0_f64.sqrt();
    let steps = 200;
    for _ in 0..3 * steps {
        world.step(period / f64::from(steps));
    }
    let length = (world.body(b).position() - world.body(a).position()).length();
    assert!((length - 1.5).abs() < 1.0e-6, "{length} after three periods");
    assert!(world.momentum().length() < 1.0e-14);
    assert!((world.kinetic_energy() + world.potential_energy() - 0.5 * 30.0 * 0.25).abs() < 1.0e-6);
}

#[test]
fn a_spring_net_swings_as_one_and_hits_the_floor() {
    // A chain of ten balls hung from a plane's point, coupled through every spring, over a floor.
    let mut world = World::new(WorldDef::default());
    let floor = world.add_body(BodyDef { position: dvec3(0.0, -3.0, 0.0), ..BodyDef::plane(DVec3::Y) }).unwrap();
    let mut last = floor;
    for i in 0..10 {
        let position = dvec3(0.5 * f64::from(i) + 0.5, 2.0, 0.0);
        let ball = world.add_body(BodyDef { position, ..BodyDef::sphere(0.1) }).unwrap();
        let offsets = if i == 0 { [dvec3(0.0, 5.0, 0.0), DVec3::ZERO] } else { [DVec3::ZERO; 2] };
        let spring =
            SpringDef { offsets, stiffness: 2000.0, rest_length: 0.5, damping: 1.0, ..SpringDef::between(last, ball) };
        world.add_spring(spring).unwrap();
        last = ball;
    }
    let mut energy = world.kinetic_energy() + world.potential_energy();
    for _ in 0..1800 {
        world.step(1.0 / 600.0);
        let now = world.kinetic_energy() + world.potential_energy();
        assert!(now < energy + 1.0e-6, "energy rose from {energy} to {now}");
        energy = now;
        for id in world.bodies() {
            assert!(world.body(id).radius().is_none() || world.body(id).position().y > -2.9 - 1.0e-6);
        }
    }
}

#[test]
fn the_same_bits_again_and_from_a_clone() {
    let build = || {
        let mut rng = Rng::new(5);
        let mut world = World::new(WorldDef::default());
        add_box(&mut world, 3.0);
        for _ in 0..60 {
            let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
            let material = Material { friction: 0.3, restitution: 0.6, ..Material::default() };
            let def = BodyDef { position: random() * 5.0, velocity: random() * 9.0, material, ..BodyDef::sphere(0.2) };
            world.add_body(def).unwrap();
        }
        world
    };
    let (mut one, mut two) = (build(), build());
    for step in 0..120 {
        one.step(1.0 / 60.0);
        two.step(1.0 / 60.0);
        assert_eq!(one.state_hash(), two.state_hash(), "step {step}");
        if step == 60 {
            two = one.clone();
        }
    }
}

/// A spring between two fixed bodies is there, can be read, and does nothing.
#[test]
fn a_spring_between_fixed_bodies_does_nothing() {
    let make = |with_spring: bool| {
        let mut world = World::new(WorldDef::default());
        let floor = world.add_body(BodyDef::plane(DVec3::Y)).unwrap();
        let post = BodyDef { kind: BodyKind::Fixed, position: dvec3(3.0, 1.0, 0.0), ..BodyDef::sphere(0.5) };
        let post = world.add_body(post).unwrap();
        world.add_body(BodyDef { position: dvec3(0.0, 2.0, 0.0), ..BodyDef::sphere(0.5) }).unwrap();
        if with_spring {
            let spring = world.add_spring(SpringDef::between(floor, post)).unwrap();
            assert_eq!(world.spring_ends(spring), Some([DVec3::ZERO, dvec3(3.0, 1.0, 0.0)]));
        }
        for _ in 0..200 {
            world.step(1.0 / 100.0);
        }
        world.validate();
        (world.state_hash(), world.spring_count())
    };
    let ((with, one), (without, none)) = (make(true), make(false));
    assert_eq!((with, one, none), (without, 1, 0));
}

/// A chain of balls on springs, at an end of which it hangs: how far its last ball is from where a fine solution has it
/// after a time, with steps of a length.
fn chain_error(seed: u64, integrator: Integrator, steps: u32) -> f64 {
    let run = |integrator: Integrator, steps: u32| {
        let mut rng = Rng::new(seed);
        let mut between = |from: f64, to: f64| from + (to - from) * rng.f64();
        let mut world = World::new(WorldDef { integrator, sleeping: false, ..WorldDef::default() });
        let mut last = world.add_body(BodyDef { kind: BodyKind::Fixed, ..BodyDef::sphere(0.1) }).unwrap();
        for i in 1..=3 {
            let position = dvec3(f64::from(i), 0.3 * between(-1.0, 1.0), 0.3 * between(-1.0, 1.0));
            let velocity = dvec3(between(-1.0, 1.0), between(-1.0, 1.0), between(-1.0, 1.0));
            let angular_velocity = dvec3(between(-3.0, 3.0), between(-3.0, 3.0), between(-3.0, 3.0));
            let def = BodyDef { position, velocity, angular_velocity, mass: between(0.5, 2.0), ..BodyDef::sphere(0.1) };
            let body = world.add_body(def).unwrap();
            let offsets = [DVec3::ZERO, dvec3(0.0, 0.1, 0.0)];
            let stiffness = between(20.0, 60.0);
            let def = SpringDef { offsets, stiffness, damping: between(0.0, 1.0), ..SpringDef::between(last, body) };
            world.add_spring(def).unwrap();
            last = body;
        }
        for _ in 0..steps {
            world.step(0.5 / f64::from(steps));
        }
        world.body(last).position()
    };
    (run(integrator, steps) - run(Integrator::RungeKutta4, 4096)).length()
}

/// Halving the step divides the error by 2 to the order.
#[test]
fn integrators_have_their_orders() {
    for (integrator, order, steps) in [
        (Integrator::ExplicitEuler, 1, 1024),
        (Integrator::SymplecticEuler, 1, 1024),
        (Integrator::ImplicitEuler, 1, 1024),
        (Integrator::VelocityVerlet, 2, 256),
        (Integrator::RungeKutta4, 4, 128),
    ] {
        for seed in 0..8 {
            let [coarse, fine] = [steps, 2 * steps].map(|steps| chain_error(seed, integrator, steps));
            let found = (coarse / fine).log2();
            let is_near = (found - f64::from(order)).abs() < 0.15;
            assert!(is_near, "{} seed {seed}: order {found}, errors {coarse} and {fine}", integrator.name());
        }
    }
}

/// Springs too stiff for the step by a factor of a hundred and more: backward Euler brings them to rest where the forces
/// balance, Verlet breaks.
#[test]
fn backward_euler_is_stable_for_any_stiffness() {
    let off = |seed: u64, integrator: Integrator| {
        let mut rng = Rng::new(seed);
        let stiffness = 10.0_f64.powf(6.0 + 3.0 * rng.f64());
        let mut world = World::new(WorldDef { integrator, ..WorldDef::default() });
        let top = world.add_body(BodyDef { kind: BodyKind::Fixed, ..BodyDef::sphere(0.1) }).unwrap();
        let angle = 2.0 * (rng.f64() - 0.5);
        let position = dvec3(angle.cos(), 0.0, angle.sin()) * (1.0 + 1.0e-3 * rng.f64());
        let ball = world.add_body(BodyDef { position, ..BodyDef::sphere(0.1) }).unwrap();
        world.add_spring(SpringDef { stiffness, ..SpringDef::between(top, ball) }).unwrap();
        for _ in 0..3000 {
            world.step(1.0 / 60.0);
        }
        (world.body(ball).position() + DVec3::Y).length()
    };
    for seed in 0..8 {
        let (implicit, verlet) = (off(seed, Integrator::ImplicitEuler), off(seed, Integrator::VelocityVerlet));
        assert!(implicit < 2.0e-2, "seed {seed}: {implicit} m from where it hangs");
        assert!(verlet > 0.5, "seed {seed}: Verlet is {verlet} m from there");
    }
}
