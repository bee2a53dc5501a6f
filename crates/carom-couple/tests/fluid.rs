//! A fluid and rigid bodies push each other: Archimedes, momentum, and the same bits again.
#![allow(clippy::disallowed_methods)]

use carom_core::Rng;
use carom_couple::CoupledFluid;
use carom_particles::fluid::{Fluid, FluidDef};
use carom2d::prelude::*;
use glam::{DVec2, dvec2};

const DT: f32 = 1.0 / 60.0;
const SPACING: f64 = 0.05;

/// A basin 2.4 m wide, with water of density 2 in it, 1 m deep.
fn pool() -> (World, CoupledFluid) {
    let mut world = World::new(WorldDef::default());
    let wall = world.add_body(BodyDef::fixed()).unwrap();
    for (x, y, width, height) in [(0.0, -0.5, 4.4, 1.0), (-1.7, 1.0, 1.0, 4.0), (1.7, 1.0, 1.0, 4.0)] {
        world.add_shape(wall, ShapeDef { position: vec2(x, y), ..ShapeDef::rectangle(width, height) }).unwrap();
    }
    let mut water = Fluid::new(FluidDef { spacing: SPACING, density: 2.0, ..FluidDef::default() }).unwrap();
    water.fill(dvec2(-1.2, 0.0), dvec2(1.2, 1.0)).unwrap();
    (world, CoupledFluid::new(water))
}

fn run(world: &mut World, water: &mut CoupledFluid, steps: u32) {
    for _ in 0..steps {
        water.step(world, DT);
        world.step(DT);
    }
}

/// Height of the surface between the walls and a body that is less than 0.9 m wide, in the middle of the basin.
fn level(water: &Fluid) -> f64 {
    let height = |x: f64| {
        let mut y = 2.5;
        while y > 0.0 && water.density_at(dvec2(x, y)) < 0.5 {
            y -= 0.02 * SPACING;
        }
        y
    };
    let places = [-1.05, -0.95, -0.85, 0.85, 0.95, 1.05];
    places.iter().map(|&x| height(x)).sum::<f64>() / places.len() as f64
}

/// Share of a shape that lies below a level.
fn submerged(world: &World, body: BodyId, level: f64) -> f64 {
    let shape = world.shape(world.body(body).shapes().next().unwrap());
    let Aabb { min, max } = shape.aabb();
    let (mut all, mut below) = (0, 0);
    for i in 0..200 {
        for k in 0..200 {
            let part = vec2((i as f32 + 0.5) / 200.0, (k as f32 + 0.5) / 200.0);
            let point = min + (max - min) * part;
            if shape.contains(point) {
                all += 1;
                below += i32::from(f64::from(point.y) < level);
            }
        }
    }
    f64::from(below) / f64::from(all)
}

#[test]
fn bodies_float_as_deep_as_archimedes_says() {
    let mut rng = Rng::new(287);
    for instance in 0..4 {
        let (mut world, mut water) = pool();
        let share = if instance == 0 { 0.5 } else { rng.range(0.4, 0.8) };
        let size = rng.range(0.5, 0.8);
        let shape = match instance % 3 {
            0 => ShapeDef::rectangle(size, 0.8 * size),
            1 => ShapeDef::circle(0.5 * size),
            _ => ShapeDef::capsule(vec2(-0.2 * size, 0.0), vec2(0.2 * size, 0.0), 0.3 * size),
        };
        // Upright, or it might float on edge in the middle of rolling over.
        let locked = LockedAxes { rotation: true, ..LockedAxes::default() };
        let body = world.add_body(BodyDef { position: vec2(0.0, 1.3), locked, ..BodyDef::dynamic() }).unwrap();
        world.add_shape(body, ShapeDef { density: 2.0 * share, ..shape }).unwrap();
        run(&mut world, &mut water, 440);
        // It still bobs a little: the mean of the last second.
        let (mut found, mut level_sum) = (0.0, 0.0);
        for _ in 0..6 {
            run(&mut world, &mut water, 10);
            let level = level(&water.fluid);
            found += submerged(&world, body, level) / 6.0;
            level_sum += level / 6.0;
        }
        let (level, speed) = (level_sum, world.body(body).velocity().length());
        println!("{instance}: density {share:.3}, submerged {found:.3}, level {level:.4}, speed {speed:.4}");
        assert!((found / f64::from(share) - 1.0).abs() < 0.1, "{found} is below water, of a density of {share}");
        assert!(speed < 0.15, "{speed} m/s");
    }
}

#[test]
fn heavy_bodies_sink_and_light_ones_come_up() {
    let (mut world, mut water) = pool();
    let mut add = |x: f32, y: f32, density: f32| {
        let body = world.add_body(BodyDef { position: vec2(x, y), ..BodyDef::dynamic() }).unwrap();
        world.add_shape(body, ShapeDef { density, ..ShapeDef::rectangle(0.4, 0.4) }).unwrap();
        body
    };
    let (heavy, light) = (add(-0.5, 1.4, 4.0), add(0.5, 0.3, 0.5));
    // What is where the light one begins was put there by the caller: it is pushed out.
    run(&mut world, &mut water, 400);
    let (heavy, light) = (world.body(heavy).position().y, world.body(light).position().y);
    // A layer of particles may lie below it.
    assert!(heavy < 0.2 + 1.5 * SPACING as f32, "the heavy one lies on the ground: {heavy}");
    assert!(light > 1.0, "the light one floats: {light}");
    let inside = |p: &&DVec2| p.x.abs() < 1.2 && p.y > 0.0;
    let count = water.fluid.particle_count();
    assert_eq!(water.fluid.positions().iter().filter(inside).count(), count, "no drop left the basin");
}

/// Linear momentum along x and y, and angular momentum about the origin, of all that moves.
fn momentum(world: &World, fluid: &Fluid) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let mut add = |mass: f64, at: DVec2, velocity: DVec2, spin: f64| {
        sum[0] += mass * velocity.x;
        sum[1] += mass * velocity.y;
        sum[2] += mass * at.perp_dot(velocity) + spin;
    };
    for (p, v) in fluid.positions().iter().zip(fluid.velocities()) {
        add(fluid.particle_mass(), *p, *v, 0.0);
    }
    for body in world.bodies().map(|id| world.body(id)) {
        let spin = f64::from(body.inertia()) * f64::from(body.angular_velocity());
        add(body.mass().into(), body.center().as_dvec2(), body.velocity().as_dvec2(), spin);
    }
    sum
}

#[test]
fn momentum_is_conserved() {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, sleeping: false, ..WorldDef::default() });
    let shapes = [
        ShapeDef::rectangle(0.6, 0.4),
        ShapeDef::circle(0.25),
        ShapeDef::concave(&[vec2(0.0, 0.0), vec2(0.6, 0.0), vec2(0.6, 0.6), vec2(0.4, 0.2), vec2(0.0, 0.2)]),
        ShapeDef::ellipse(0.4, 0.2),
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        let def = BodyDef {
            position: vec2(-1.6 + 0.2 * i as f32, 1.2 * i as f32 - 1.8),
            velocity: vec2(2.0, 0.3 - 0.2 * i as f32),
            angular_velocity: 2.0 - i as f32,
            ..BodyDef::dynamic()
        };
        let body = world.add_body(def).unwrap();
        world.add_shape(body, ShapeDef { filter: Filter { group: -1, ..Filter::ALL }, ..shape }).unwrap();
    }
    let mut water = Fluid::new(FluidDef { spacing: SPACING, ..FluidDef::default() }).unwrap();
    water.fill(dvec2(-0.6, -2.2), dvec2(0.2, 2.4)).unwrap();
    let mut water = CoupledFluid::new(water);
    let before = momentum(&world, &water.fluid);
    let speeds: Vec<Vec2> = world.bodies().map(|id| world.body(id).velocity()).collect();
    run(&mut world, &mut water, 60);
    let after = momentum(&world, &water.fluid);
    println!("{before:?} {after:?}");
    for (id, speed) in world.bodies().zip(&speeds) {
        assert!((world.body(id).velocity() - *speed).length() > 0.1, "every body was slowed down");
    }
    // Bodies are kept in single precision: 60 steps of four bodies, each rounded to 1e-7 of about 1 N s, with arms of
    // up to 3 m.
    for (i, tolerance) in [(0, 2.0e-5), (1, 2.0e-5), (2, 6.0e-5)] {
        assert!((after[i] - before[i]).abs() < tolerance, "{i}: {} became {}", before[i], after[i]);
    }
}

#[test]
fn the_same_again_and_seams_of_tiles_do_not_show() {
    let hashes = |world: &World, water: &CoupledFluid| (world.state_hash(), water.fluid.state_hash());
    let course = || {
        let (mut world, mut water) = pool();
        let body = world.add_body(BodyDef { position: vec2(0.2, 1.5), ..BodyDef::dynamic() }).unwrap();
        world.add_shape(body, ShapeDef::circle(0.3)).unwrap();
        run(&mut world, &mut water, 20);
        let (mut other, mut copy) = (world.clone(), water.clone());
        run(&mut world, &mut water, 20);
        run(&mut other, &mut copy, 20);
        assert_eq!(hashes(&world, &water), hashes(&other, &copy), "a clone goes on like the original");
        hashes(&world, &water)
    };
    assert_eq!(course(), course());

    // A floor of tiles and one of a single piece: water at rest stays at rest on both.
    for tiles in [1, 12] {
        let mut world = World::new(WorldDef::default());
        let wall = world.add_body(BodyDef::fixed()).unwrap();
        let width = 2.4 / tiles as f32;
        for k in 0..tiles {
            let position = vec2(-1.2 + (k as f32 + 0.5) * width, -0.5);
            world.add_shape(wall, ShapeDef { position, ..ShapeDef::rectangle(width, 1.0) }).unwrap();
        }
        for x in [-1.7, 1.7] {
            world.add_shape(wall, ShapeDef { position: vec2(x, 0.5), ..ShapeDef::rectangle(1.0, 3.0) }).unwrap();
        }
        let mut water = Fluid::new(FluidDef { spacing: SPACING, ..FluidDef::default() }).unwrap();
        water.fill(dvec2(-1.2, 0.0), dvec2(1.2, 0.5)).unwrap();
        let mut water = CoupledFluid::new(water);
        run(&mut world, &mut water, 240);
        let speed = water.fluid.velocities().iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(speed < 0.1, "{tiles} tiles: {speed} m/s");
    }
}

#[test]
fn nothing_panics() {
    let (mut world, mut water) = pool();
    // Thin, light, heavy, fast, a sensor, fixed in the middle, and removed on the way.
    let shapes = [
        (ShapeDef::segment(vec2(-0.5, 0.0), vec2(0.5, 0.0)), BodyDef::fixed()),
        (ShapeDef { density: 1.0e-4, ..ShapeDef::circle(0.1) }, BodyDef::dynamic()),
        (ShapeDef { density: 1.0e6, ..ShapeDef::circle(0.1) }, BodyDef::dynamic()),
        (ShapeDef::rectangle(0.2, 0.2), BodyDef { velocity: vec2(0.0, -500.0), ..BodyDef::dynamic() }),
        (ShapeDef { sensor: true, ..ShapeDef::circle(0.5) }, BodyDef::fixed()),
        (ShapeDef::circle(0.2), BodyDef { velocity: vec2(0.0, 1.0), ..BodyDef::kinematic() }),
    ];
    let mut last = None;
    for (i, (shape, body)) in shapes.into_iter().enumerate() {
        let body = world.add_body(BodyDef { position: vec2(0.3 * i as f32 - 0.8, 0.6), ..body }).unwrap();
        world.add_shape(body, shape).unwrap();
        last = Some(body);
    }
    let lost = water.fluid.add_particle(DVec2::ZERO, DVec2::ZERO).unwrap();
    water.fluid.set_particle(lost, DVec2::NAN, DVec2::NAN);
    for dt in [DT, f32::NAN, -1.0, 0.0, f32::INFINITY, DT] {
        water.step(&mut world, dt);
        world.step(dt);
    }
    world.remove_body(last.unwrap()).unwrap();
    run(&mut world, &mut water, 60);
    world.validate();
    for id in world.bodies() {
        assert!(world.body(id).position().is_finite());
    }
    let finite = water.fluid.positions().iter().filter(|p| p.is_finite()).count();
    assert_eq!(finite, water.fluid.particle_count() - 1);
}
