//! Properties of definitions: any that is accepted leads to a world whose numbers are finite; any that is refused names the
//! field and the value. Proptest makes the definitions, and finds a small one where a property fails.

use carom_particles::{Edge, HalfPlane, ParticleDef, ParticleSystem};
use carom2d::prelude::*;
use carom2d::{FluidDef, FluidRegion, LockedAxes, Outline};
use glam::dvec2;
use proptest::prelude::*;

/// How many definitions of each kind are tried.
const CASES: u32 = 400;

fn config() -> ProptestConfig {
    // The same cases every time, unless more are asked for (PROPTEST_CASES). Failures are printed with their input; there is
    // no file of them, since the corpus keeps what was found.
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let rng_seed = match asked {
        None => proptest::test_runner::RngSeed::Fixed(2026),
        Some(_) => proptest::test_runner::RngSeed::Random,
    };
    ProptestConfig { cases: asked.unwrap_or(CASES), failure_persistence: None, rng_seed, ..ProptestConfig::default() }
}

/// Numbers as they come, and those at which ranges end.
fn number() -> impl Strategy<Value = f64> {
    let awkward = prop_oneof![
        Just(0.0),
        Just(-1.0),
        Just(1.0e-30),
        Just(1.0e-6),
        Just(1.0e-5),
        Just(0.005),
        Just(1.0e4),
        Just(1.0e6),
        Just(1.0e7),
        Just(1.0e9),
        Just(1.0e12),
        Just(1.0e20),
        Just(f64::from(f32::MAX)),
        Just(f64::MAX),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
    ];
    prop_oneof![12 => -3.0..3.0_f64, 4 => 0.05..2.0_f64, 1 => awkward]
}

fn single() -> impl Strategy<Value = f32> {
    number().prop_map(|number| number as f32)
}

prop_compose! {
    fn vector()(x in single(), y in single()) -> Vec2 { vec2(x, y) }
}

prop_compose! {
    fn body()(
        kind in prop_oneof![3 => Just(BodyKind::Dynamic), 1 => Just(BodyKind::Kinematic), 1 => Just(BodyKind::Fixed)],
        position in vector(), velocity in vector(),
        (angle, angular_velocity, linear_damping, angular_damping, gravity_scale, sleep_speed)
            in (single(), single(), single(), single(), single(), single()),
        mass in proptest::option::weighted(0.2, single()), inertia in proptest::option::weighted(0.2, single()),
        (can_sleep, bullet, awake, enabled, x, y, rotation) in any::<(bool, bool, bool, bool, bool, bool, bool)>(),
    ) -> BodyDef {
        BodyDef {
            kind, position, angle, velocity, angular_velocity, mass, inertia,
            linear_damping: linear_damping.abs(), angular_damping: angular_damping.abs(), gravity_scale,
            locked: LockedAxes { x, y: x && y, rotation: y && rotation },
            sleep_speed: sleep_speed.abs(), can_sleep, bullet, awake, enabled, user_data: 7,
        }
    }
}

fn outline() -> impl Strategy<Value = Outline> {
    let length = || single().prop_map(f32::abs);
    let points = || proptest::collection::vec(vector(), 0..12);
    prop_oneof![
        (length(), length()).prop_map(|(width, height)| Outline::Rectangle(width, height)),
        length().prop_map(Outline::Circle),
        (vector(), vector(), length()).prop_map(|(a, b, radius)| Outline::Capsule(a, b, radius)),
        (vector(), vector()).prop_map(|(a, b)| Outline::Segment(a, b)),
        points().prop_map(Outline::Convex),
        (length(), length()).prop_map(|(width, height)| Outline::Ellipse(width, height)),
        points().prop_map(|points| Outline::Chain(points, carom2d::shape::ChainEnds::Loop)),
        points().prop_map(|points| Outline::Chain(points, carom2d::shape::ChainEnds::Open)),
        points().prop_map(|points| Outline::Concave(points, Vec::new())),
    ]
}

prop_compose! {
    fn shape()(
        outline in outline(), position in vector(),
        (rounding, angle, density, friction, restitution, rolling_resistance, surface_speed)
            in (single(), single(), single(), single(), 0.0..1.0_f32, single(), single()),
        sensor in proptest::bool::weighted(0.1), one_way in proptest::option::weighted(0.1, vector()),
    ) -> ShapeDef {
        ShapeDef {
            rounding: rounding.abs() * 0.1, position, angle, density: density.abs(), friction: friction.abs(), restitution,
            rolling_resistance: rolling_resistance.abs() * 0.1, surface_speed, sensor, one_way, ..ShapeDef::new(outline)
        }
    }
}

/// A refusal says what was wrong: a name, a value and what was expected.
fn names_what_was_wrong(error: &DefError) -> Result<(), TestCaseError> {
    match error {
        DefError::Field { field, value, expected } => {
            prop_assert!(!field.is_empty() && !value.is_empty() && !expected.is_empty(), "{error:?}");
            let message = error.to_string();
            prop_assert!(message.contains(field) && message.contains(value.as_str()), "{message}");
            Ok(())
        }
        other => Err(TestCaseError::fail(format!("no field: {other:?}"))),
    }
}

/// A world on which a definition is tried: a floor, and a heap to fall upon.
fn world() -> World {
    let mut world = World::new(WorldDef::default());
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    world.add_shape(ground, ShapeDef::rectangle(30.0, 1.0)).unwrap();
    for i in 0..4_u8 {
        let body = BodyDef { position: vec2(0.3 * f32::from(i), 1.0 + f32::from(i)), ..BodyDef::dynamic() };
        let body = world.add_body(body).unwrap();
        world.add_shape(body, ShapeDef::rectangle(1.0, 0.8)).unwrap();
    }
    world
}

/// Steps a world, in which every number stays finite.
fn stays_finite(world: &mut World) -> Result<(), TestCaseError> {
    for step in 0..20 {
        world.step(1.0 / 60.0);
        world.validate();
        for id in world.bodies() {
            let body = world.body(id);
            let (at, velocity) = (body.position(), body.velocity());
            let is_finite = at.is_finite() && velocity.is_finite() && body.angular_velocity().is_finite();
            prop_assert!(is_finite, "{id:?} in step {step}: {at} {velocity} {}", body.angular_velocity());
        }
        for hit in &world.events().contact_hit {
            prop_assert!(hit.impulse.is_finite() && hit.approach_speed.is_finite() && hit.point.is_finite(), "{hit:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn bodies_and_shapes(body in body(), shapes in proptest::collection::vec(shape(), 1..4)) {
        let mut world = world();
        match world.add_body(body) {
            Err(error) => names_what_was_wrong(&error)?,
            Ok(id) => {
                for shape in shapes {
                    let before = world.shape_count();
                    if let Err(error) = world.add_shape(id, shape) {
                        names_what_was_wrong(&error)?;
                        prop_assert_eq!(world.shape_count(), before, "what is refused changes nothing");
                    }
                }
                stays_finite(&mut world)?;
            }
        }
    }

    #[test]
    fn joints(
        which in 0..6_u8, points in (vector(), vector()), angles in (single(), single()),
        numbers in (single(), single(), single(), single()),
        stiffness in (single(), single()), breaks in (single(), single()),
    ) {
        let mut world = world();
        let bodies: Vec<BodyId> = world.bodies().collect();
        let (a, b) = (bodies[1], bodies[2]);
        let (lower, upper) = if numbers.0 < numbers.1 { (numbers.0, numbers.1) } else { (numbers.1, numbers.0) };
        let limits = Some(Limits::new(lower, upper));
        let motor = Some(Motor::new(numbers.2, numbers.3.abs()));
        let spring = Spring::new(numbers.2.abs(), numbers.3.abs());
        let kind = match which {
            0 => JointKind::Revolute(Revolute { limits, motor, ..Revolute::default() }),
            1 => JointKind::Distance(Distance { min: lower.abs(), max: upper.abs(), spring: Some((spring, 1.0)), motor }),
            2 => JointKind::Prismatic(carom2d::Prismatic { limits, motor, ..Default::default() }),
            3 => JointKind::Weld(carom2d::Weld { linear: Some(spring), angular: Some(spring) }),
            4 => JointKind::Wheel(carom2d::Wheel { limits, motor, ..Default::default() }),
            _ => JointKind::Mouse(carom2d::Mouse { target: points.0, spring, max_force: numbers.1.abs() }),
        };
        let def = JointDef {
            frame_a: Pose::new(points.0, angles.0),
            frame_b: Pose::new(points.1, angles.1),
            hertz: stiffness.0.abs() * 20.0,
            damping_ratio: stiffness.1.abs(),
            break_force: breaks.0.abs() * 1000.0,
            break_torque: breaks.1.abs() * 1000.0,
            ..JointDef::new(a, b, kind)
        };
        match world.add_joint(def) {
            Err(error) => names_what_was_wrong(&error)?,
            Ok(_) => stays_finite(&mut world)?,
        }
    }

    #[test]
    fn worlds_and_fluids(
        gravity in vector(), substeps in 0..8_u32, numbers in (single(), single(), single(), single(), single()),
        fluid in (single(), single(), single(), single()), flow in vector(),
    ) {
        let mut world = world();
        let def = WorldDef {
            gravity: 5.0 * gravity, substeps,
            restitution_speed: numbers.0.abs(), contact_hertz: 20.0 * numbers.1.abs(), contact_damping: 5.0 * numbers.2.abs(),
            push_out_speed: numbers.3.abs(), max_speed: 100.0 * numbers.4.abs(), ..WorldDef::default()
        };
        if let Err(error) = world.set_def(def) {
            names_what_was_wrong(&error)?;
        }
        let fluid = FluidDef {
            region: FluidRegion::Below(fluid.0), density: fluid.1.abs(), linear_drag: fluid.2.abs(),
            quadratic_drag: fluid.3.abs(), flow,
        };
        if let Err(error) = world.add_fluid(fluid) {
            names_what_was_wrong(&error)?;
        }
        stays_finite(&mut world)?;
    }

    #[test]
    fn bodies_in_3d(
        which in 0..5_u8, position in [number(), number(), number()], velocity in [number(), number(), number()],
        spin in [number(), number(), number()], sizes in [number(), number(), number()], turn in [number(), number()],
        (mass, friction, restitution, damping) in (number(), number(), 0.0..1.0_f64, number()),
    ) {
        use carom3d::prelude::*;
        let mut world = World::new(WorldDef::default());
        world.add_body(BodyDef::plane(DVec3::Y)).unwrap();
        let ball = world.add_body(BodyDef { position: dvec3(0.0, 1.0, 0.0), ..BodyDef::sphere(1.0) }).unwrap();
        let sizes = DVec3::from_array(sizes.map(f64::abs));
        let shape = match which {
            0 | 1 => BodyDef::sphere(sizes.x),
            2 => BodyDef::cuboid(sizes),
            3 => BodyDef::capsule(sizes.x, sizes.y),
            _ => BodyDef::triangle(DVec3::ZERO, sizes, DVec3::from_array(spin)),
        };
        let def = BodyDef {
            position: DVec3::from_array(position), velocity: 5.0 * DVec3::from_array(velocity),
            angular_velocity: 5.0 * DVec3::from_array(spin), mass: mass.abs(),
            orientation: Quat { w: 1.0, x: turn[0], y: turn[1], z: 0.5 },
            material: Material { friction: friction.abs(), restitution, rolling_resistance: 0.0 },
            linear_damping: damping.abs(), ..shape
        };
        match world.add_body(def) {
            Err(carom3d::DefError::Field { field, value, expected }) => {
                prop_assert!(!field.is_empty() && !value.is_empty() && !expected.is_empty());
            }
            Err(other) => return Err(TestCaseError::fail(format!("no field: {other:?}"))),
            Ok(id) => {
                let spring = SpringDef { stiffness: 50.0 * damping.abs(), ..SpringDef::between(id, ball) };
                if let Err(error) = world.add_spring(spring) {
                    prop_assert!(error.to_string().contains("SpringDef."), "{}", error);
                }
            }
        }
        for _ in 0..15 {
            world.step(1.0 / 60.0);
            world.validate();
            for id in world.bodies() {
                let state = world.body(id).state();
                let is_finite = state.position.is_finite() && state.velocity.is_finite() && state.angular_velocity.is_finite();
                prop_assert!(is_finite, "{:?}", state);
            }
        }
    }

    #[test]
    fn particles(
        positions in proptest::collection::vec([number(), number()], 1..8), velocity in [number(), number()],
        (mass, radius, stiffness, thickness, damping) in (number(), number(), number(), number(), number()),
        normal in [number(), number()], handling in 0..4_u8, integrator in 0..6_usize,
    ) {
        use carom_particles::forces::{Penalty, Spring, UniformGravity};
        use carom_particles::{CollisionHandling, ContinuousCollisions, Integrator, SimpleCollisions};
        let mut system = ParticleSystem::new();
        let names = |error: carom_particles::DefError| match error {
            carom_particles::DefError::Field { field, value, expected } => {
                prop_assert!(!field.is_empty() && !value.is_empty() && !expected.is_empty());
                Ok(())
            }
            other => Err(TestCaseError::fail(format!("no field: {other:?}"))),
        };
        let [x, y] = normal;
        system.add_half_plane(HalfPlane { point: dvec2(0.0, -1.0), normal: dvec2(x, y) }).map_or_else(names, |_| Ok(()))?;
        system.add_uniform_gravity(UniformGravity { acceleration: dvec2(0.0, -9.8) }).map_err(|_| ()).unwrap();
        for [x, y] in positions {
            let velocity = dvec2(velocity[0], velocity[1]);
            let def = ParticleDef { position: dvec2(x, y), velocity, mass, radius, ..ParticleDef::default() };
            system.add_particle(def).map_or_else(names, |_| Ok(()))?;
        }
        if system.particle_count() > 1 {
            let spring = Spring { particles: [0, 1], stiffness, rest_length: thickness.abs(), damping };
            system.add_spring(spring).map_or_else(names, |()| Ok(()))?;
            system.add_edge(Edge { ends: [0, 1], radius }).map_or_else(names, |_| Ok(()))?;
        }
        system.set_collisions(match handling {
            0 => CollisionHandling::None,
            1 => CollisionHandling::Simple(SimpleCollisions::default()),
            2 => CollisionHandling::Penalty(Penalty { stiffness, thickness }),
            _ => CollisionHandling::Continuous(ContinuousCollisions::default()),
        });
        system.set_integrator([
            Integrator::ExplicitEuler, Integrator::SymplecticEuler, Integrator::ImplicitEuler,
            Integrator::LinearizedImplicitEuler, Integrator::VelocityVerlet, Integrator::RungeKutta4,
        ][integrator]);
        for _ in 0..15 {
            system.step(0.01);
            prop_assert!(system.is_finite());
        }
    }
}
