//! Fluids: how deep things float, which way up, how fast they sink.

use carom2d::prelude::*;
use carom2d::shape::Polygon;

const STEP: f32 = 1.0 / 60.0;

fn sea(density: f32, linear_drag: f32) -> World {
    let mut world = World::new(WorldDef::default());
    world.add_fluid(FluidDef { density, linear_drag, ..FluidDef::default() }).unwrap();
    world
}

fn put(world: &mut World, def: BodyDef, shape: ShapeDef) -> BodyId {
    let id = world.add_body(def).unwrap();
    world.add_shape(id, shape).unwrap();
    id
}

fn run(world: &mut World, seconds: f32) {
    for _ in 0..(seconds / STEP).round() as usize {
        world.step(STEP);
    }
    world.validate();
}

/// Kinetic and potential energy of a body that floats in a sea of density 1 with its surface at 0, as long as it
/// is a box of size 1 with level edges.
fn box_energy(world: &World, id: BodyId, density: f32) -> f64 {
    let body = world.body(id);
    let y = f64::from(body.position().y);
    let depth = (0.5 - y).clamp(0.0, 1.0);
    let below = if y < -0.5 { -0.5 - y } else { 0.0 };
    // The work against buoyancy: 10 N/m times the depth, then a constant 10 N.
    f64::from(body.kinetic_energy()) + 10.0 * f64::from(density) * y + 5.0 * depth * depth + 10.0 * below
}

#[test]
fn a_box_floats_as_deep_as_archimedes_says() {
    for density in [0.1, 0.25, 0.5, 0.75, 0.9] {
        let mut world = sea(1.0, 3.0);
        // Wide, so that it is stable with its long side down.
        let shape = ShapeDef { density, ..ShapeDef::rectangle(3.0, 0.5) };
        let id = put(&mut world, BodyDef { position: vec2(0.0, 0.6), ..BodyDef::dynamic() }, shape);
        run(&mut world, 30.0);
        let depth = 0.25 - world.body(id).position().y;
        assert!((depth / (0.5 * density) - 1.0).abs() < 0.002, "density {density}: {depth}");
    }
}

#[test]
fn a_disc_floats_half_under_at_half_the_density() {
    for (density, depth_of_center) in [(0.5, 0.0), (0.2, -0.492), (0.804_5, 0.5)] {
        let mut world = sea(2.0, 4.0);
        let shape = ShapeDef { density: 2.0 * density, ..ShapeDef::circle(1.0) };
        let id = put(&mut world, BodyDef { position: vec2(3.0, 1.2), ..BodyDef::dynamic() }, shape);
        run(&mut world, 30.0);
        // Archimedes again: the circular segment below the surface has this share of the disc.
        let depth = -f64::from(world.body(id).position().y);
        let angle = 2.0 * std::f64::consts::PI - 2.0 * platform_acos(depth);
        let share = (angle - platform_sin(angle)) / (2.0 * std::f64::consts::PI);
        assert!((share / f64::from(density) - 1.0).abs() < 0.002, "{density}: {share}");
        assert!((depth - depth_of_center).abs() < 0.005, "{density}: {depth}");
    }
}

#[allow(clippy::disallowed_methods)]
fn platform_acos(x: f64) -> f64 {
    x.acos()
}

#[allow(clippy::disallowed_methods)]
fn platform_sin(x: f64) -> f64 {
    x.sin()
}

#[test]
fn lying_capsules_ellipses_and_rounded_boxes_float_half_under_at_half_the_density() {
    let rounded = Polygon::rectangle(2.0, 0.4).unwrap().with_radius(0.2).unwrap();
    let shapes = [
        ShapeDef::capsule(vec2(-1.0, 0.0), vec2(1.0, 0.0), 0.4),
        ShapeDef::ellipse(1.5, 0.4),
        ShapeDef::geometry(Geometry::Polygon(rounded)),
    ];
    for shape in shapes {
        let mut world = sea(1.0, 3.0);
        let def = BodyDef { position: vec2(-2.0, 0.3), angle: 0.2, ..BodyDef::dynamic() };
        let id = put(&mut world, def, ShapeDef { density: 0.5, ..shape.clone() });
        run(&mut world, 40.0);
        let body = world.body(id);
        assert!(body.position().y.abs() < 0.002, "{shape:?} at {}", body.position());
        assert!(body.angle().abs() < 0.005, "{shape:?} at {} rad", body.angle());
    }
}

/// A boat with a hollow: its floor is 2 by 0.5, its two walls are 0.25 wide and 0.5 high.
#[test]
fn a_concave_boat_displaces_its_weight() {
    let points = [
        vec2(-1.0, 0.0),
        vec2(1.0, 0.0),
        vec2(1.0, 1.0),
        vec2(0.75, 1.0),
        vec2(0.75, 0.5),
        vec2(-0.75, 0.5),
        vec2(-0.75, 1.0),
        vec2(-1.0, 1.0),
    ];
    let mut world = sea(1.0, 3.0);
    // 1.25 m^2 at 0.96: 1.2 m^2 must be under. 1 m^2 is the floor, so 0.4 m of the walls.
    let id = put(&mut world, BodyDef::dynamic(), ShapeDef { density: 0.96, ..ShapeDef::concave(&points) });
    run(&mut world, 30.0);
    let draught = -world.body(id).position().y;
    assert!((draught - 0.9).abs() < 0.009, "{draught}");
}

#[test]
fn a_plank_that_stands_falls_over_and_floats_flat() {
    let mut world = sea(1.0, 2.0);
    let standing = BodyDef { position: vec2(0.0, 0.0), angle: 1.5, ..BodyDef::dynamic() };
    let id = put(&mut world, standing, ShapeDef { density: 0.5, ..ShapeDef::rectangle(2.0, 0.4) });
    run(&mut world, 40.0);
    assert!(world.body(id).angle().abs() < 0.005, "{}", world.body(id).angle());
}

/// A square log at half the density floats corner down: with its faces level it is unstable.
#[test]
fn a_square_at_half_the_density_floats_on_its_corner() {
    let mut world = sea(1.0, 2.0);
    let def = BodyDef { angle: 0.05, ..BodyDef::dynamic() };
    let id = put(&mut world, def, ShapeDef { density: 0.5, ..ShapeDef::rectangle(1.0, 1.0) });
    run(&mut world, 40.0);
    let quarter = std::f32::consts::FRAC_PI_4;
    assert!((world.body(id).angle() - quarter).abs() < 0.02, "{}", world.body(id).angle());
}

#[test]
fn energy_is_kept_without_drag_and_never_rises_with_it() {
    for linear_drag in [0.0, 0.1, 1.0, 10.0, 1.0e6] {
        let mut world = sea(1.0, linear_drag);
        let locked = LockedAxes { rotation: true, ..LockedAxes::default() };
        let def = BodyDef { position: vec2(0.0, 0.3), locked, can_sleep: false, ..BodyDef::dynamic() };
        let id = put(&mut world, def, ShapeDef { density: 0.5, ..ShapeDef::rectangle(1.0, 1.0) });
        let start = box_energy(&world, id, 0.5);
        let floor = -0.625;
        let mut last = start;
        for _ in 0..1200 {
            world.step(STEP);
            let energy = box_energy(&world, id, 0.5);
            // The energy of a method that keeps it swings a little within each period.
            assert!(energy <= last + 0.01 * (start - floor), "drag {linear_drag}: {last} to {energy}");
            last = if linear_drag == 0.0 { start } else { energy };
        }
        if linear_drag == 0.0 {
            assert!((last - start).abs() < 0.01 * (start - floor), "{start} became {last}");
        }
    }
}

#[test]
fn sinking_ends_at_the_terminal_speed() {
    // Linear: (rho_body - rho) A g = k A v.
    let mut world = sea(1.0, 5.0);
    let id = put(&mut world, BodyDef::dynamic(), ShapeDef { density: 3.0, ..ShapeDef::circle(0.5) });
    run(&mut world, 10.0);
    assert!((world.body(id).velocity().y + 4.0).abs() < 0.004, "{}", world.body(id).velocity());

    // Quadratic: (rho_body - rho) A g = rho / 2 c w v^2.
    for (shape, area, width) in
        [(ShapeDef::rectangle(2.0, 0.5), 1.0, 2.0), (ShapeDef::circle(0.5), std::f32::consts::FRAC_PI_4, 1.0)]
    {
        let mut world = World::new(WorldDef::default());
        let water = FluidDef { density: 1.0, linear_drag: 0.0, quadratic_drag: 1.2, ..FluidDef::default() };
        world.add_fluid(water).unwrap();
        let id = put(&mut world, BodyDef::dynamic(), ShapeDef { density: 3.0, ..shape });
        run(&mut world, 20.0);
        let expected = (2.0 * area * 10.0 / (0.5 * 1.2 * width)).sqrt();
        let speed = -world.body(id).velocity().y;
        assert!((speed / expected - 1.0).abs() < 0.002, "{speed}, expected {expected}");
    }
}

#[test]
fn a_river_carries_and_a_pool_ends_at_its_edge() {
    let mut world = World::new(WorldDef::default());
    let pool = Aabb::new(vec2(-10.0, -5.0), vec2(10.0, 0.0));
    let river =
        FluidDef { region: FluidRegion::Box(pool), flow: vec2(1.5, 0.0), linear_drag: 4.0, ..FluidDef::default() };
    let id = world.add_fluid(river.clone()).unwrap();
    let shape = ShapeDef { density: 0.5, ..ShapeDef::rectangle(2.0, 0.4) };
    let raft = put(&mut world, BodyDef { position: vec2(-8.0, 0.0), ..BodyDef::dynamic() }, shape.clone());
    let beside = put(&mut world, BodyDef { position: vec2(14.0, 0.0), ..BodyDef::dynamic() }, shape.clone());
    run(&mut world, 6.0);
    assert!((world.body(raft).velocity().x - 1.5).abs() < 0.01);
    assert!((world.body(raft).position().y).abs() < 0.01);
    assert!((world.body(beside).velocity().y + 60.0).abs() < 0.1);

    // The same pool as a polygon with a corner that looks inwards.
    let mut other = World::new(WorldDef::default());
    let points = [vec2(-10.0, 0.0), vec2(-10.0, -5.0), vec2(0.0, -4.0), vec2(10.0, -5.0), vec2(10.0, 0.0)];
    other.add_fluid(FluidDef { region: FluidRegion::Polygon(points.to_vec()), ..river.clone() }).unwrap();
    let twin = put(&mut other, BodyDef { position: vec2(-8.0, 0.0), ..BodyDef::dynamic() }, shape);
    run(&mut other, 6.0);
    assert!((other.body(twin).position() - world.body(raft).position()).length() < 1.0e-3);

    // A river that dries up wakes what sleeps in it and lets it fall.
    world.set_fluid(id, FluidDef { flow: Vec2::ZERO, ..river }).unwrap();
    run(&mut world, 20.0);
    assert!(world.body(raft).is_sleeping());
    world.remove_fluid(id).unwrap();
    assert!(world.fluid(id).is_none() && world.remove_fluid(id).is_err());
    run(&mut world, 1.0);
    assert!(world.body(raft).position().y < -4.0);
}

#[test]
fn nonsense_is_refused() {
    let mut world = World::new(WorldDef::default());
    let good = FluidDef::default();
    let bad = [
        FluidDef { density: -1.0, ..good.clone() },
        FluidDef { density: f32::NAN, ..good.clone() },
        FluidDef { linear_drag: f32::INFINITY, ..good.clone() },
        FluidDef { quadratic_drag: -0.1, ..good.clone() },
        FluidDef { flow: vec2(f32::NAN, 0.0), ..good.clone() },
        FluidDef { region: FluidRegion::Below(f32::NAN), ..good.clone() },
        FluidDef { region: FluidRegion::Box(Aabb::new(vec2(1.0, 0.0), vec2(0.0, 1.0))), ..good.clone() },
        FluidDef { region: FluidRegion::Polygon(vec![vec2(0.0, 0.0), vec2(1.0, 1.0)]), ..good.clone() },
    ];
    for def in bad {
        let error = world.add_fluid(def.clone()).unwrap_err();
        assert!(matches!(error, DefError::Field { .. }), "{def:?}: {error}");
    }
    assert_eq!(world.fluids().count(), 0);

    // Extremes that are allowed break nothing.
    world.add_fluid(FluidDef { density: 1.0e9, linear_drag: 1.0e30, quadratic_drag: 1.0e30, ..good }).unwrap();
    let id = put(&mut world, BodyDef { angular_velocity: 200.0, ..BodyDef::dynamic() }, ShapeDef::ellipse(1.0, 0.1));
    put(&mut world, BodyDef { position: vec2(9.0e6, -9.0e6), ..BodyDef::dynamic() }, ShapeDef::circle(1.0e-5));
    run(&mut world, 2.0);
    assert!(world.body(id).position().is_finite());
}

/// Boxes, discs and hollow things of all densities fall into a pool, collide and settle: nothing breaks, a clone
/// goes on to the bit, and in the end what is lighter than water is up and what is heavier is down.
#[test]
fn a_pool_sorts_what_falls_into_it() {
    let mut rng = carom_core::Rng::new(11);
    let mut world = World::new(WorldDef::default());
    let basin = world.add_body(BodyDef::fixed()).unwrap();
    let walls = [vec2(-8.0, 6.0), vec2(-8.0, -6.0), vec2(8.0, -6.0), vec2(8.0, 6.0)];
    for pair in walls.windows(2) {
        world.add_shape(basin, ShapeDef::capsule(pair[0], pair[1], 0.3)).unwrap();
    }
    let pool = Aabb::new(vec2(-8.0, -6.0), vec2(8.0, 0.0));
    let water =
        FluidDef { region: FluidRegion::Box(pool), linear_drag: 2.0, quadratic_drag: 1.0, ..FluidDef::default() };
    world.add_fluid(water).unwrap();
    let cup = [vec2(-0.5, 0.0), vec2(0.5, 0.0), vec2(0.5, 0.6), vec2(0.3, 0.2), vec2(-0.3, 0.2), vec2(-0.5, 0.6)];
    let mut ids = Vec::new();
    for i in 0..24 {
        let density = if i % 2 == 0 { rng.range(0.2, 0.6) } else { rng.range(1.5, 3.0) };
        let shape = match i % 5 {
            0 => ShapeDef::rectangle(rng.range(0.4, 1.0), rng.range(0.3, 0.6)),
            1 => ShapeDef::circle(rng.range(0.2, 0.5)),
            2 => ShapeDef::capsule(vec2(-0.3, 0.0), vec2(0.3, 0.0), 0.2),
            3 => ShapeDef::ellipse(0.5, 0.25),
            _ => ShapeDef::concave(&cup),
        };
        let position = vec2(-6.0 + 2.0 * (i % 7) as f32, 1.0 + (i / 7) as f32);
        let def = BodyDef { position, angle: rng.range(-3.0, 3.0), ..BodyDef::dynamic() };
        ids.push((put(&mut world, def, ShapeDef { density, ..shape }), density));
    }
    run(&mut world, 5.0);
    let mut twin = world.clone();
    run(&mut world, 20.0);
    run(&mut twin, 20.0);
    assert_eq!(world.state_hash(), twin.state_hash());
    for (id, density) in ids {
        let y = world.body(id).center().y;
        assert!(if density < 1.0 { y > -1.5 } else { y < -2.5 }, "{density} at {y}");
        assert!(world.body(id).velocity().length() < 0.5);
    }
}
