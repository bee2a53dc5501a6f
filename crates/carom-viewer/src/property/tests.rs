//! Properties through and through: every path that can be set, every kind of error, and noise.

use super::path::Place;
use super::row::{Property, Set};
use super::*;
use carom_core::Rng;
use carom_particles::Scene;
use carom_scenes::{About, BuildOptions, Camera, ParticleRun, SceneWorld, find};
use carom2d::prelude::*;

/// A floor, one body of each shape, a lift, and one body that turns about a point off its origin.
pub(crate) fn world() -> Run {
    let mut world = World::new(WorldDef::default());
    let mut add = |def: BodyDef, shapes: &[ShapeDef]| {
        let id = world.add_body(def).unwrap();
        for shape in shapes {
            world.add_shape(id, shape.clone()).unwrap();
        }
    };
    let at = |x: f32, y: f32| BodyDef { position: vec2(x, y), ..BodyDef::dynamic() };
    add(BodyDef::fixed(), &[ShapeDef::rectangle(40.0, 1.0), ShapeDef::segment(vec2(-20.0, 0.5), vec2(-20.0, 9.0))]);
    add(at(0.0, 3.0), &[ShapeDef::circle(0.5)]);
    add(at(3.0, 3.0), &[ShapeDef::rectangle(2.0, 1.0)]);
    add(at(6.0, 3.0), &[ShapeDef::capsule(vec2(-0.5, 0.0), vec2(0.5, 0.0), 0.25)]);
    add(at(9.0, 3.0), &[ShapeDef::convex(&[vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(1.0, 0.5), vec2(0.0, 1.0)])]);
    add(BodyDef { position: vec2(-5.0, 1.0), ..BodyDef::kinematic() }, &[ShapeDef::rectangle(2.0, 0.25)]);
    let off = ShapeDef { position: vec2(0.3, 0.1), angle: 0.4, rounding: 0.05, ..ShapeDef::rectangle(1.0, 0.5) };
    add(at(-2.0, 3.0), &[off, ShapeDef { sensor: true, ..ShapeDef::circle(0.7) }]);
    let camera = Camera { center: Vec2::ZERO, half_height: 5.0 };
    let about = About { name: "test".into(), summary: "".into(), steps: 100, dt: 1.0 / 60.0, camera };
    Run::Rigid(Box::new(SceneWorld::new(about, world)))
}

/// Three particles, a spring, an edge and a half-plane.
pub(crate) fn particles() -> Run {
    let text = br##"<scene>
        <duration time="3"/> <integrator type="symplectic-euler" dt="0.01"/> <collision type="simple" COR="0.5"/>
        <particle m="1" px="-3" py="0" vx="1" vy="0" fixed="0" radius="0.2"/>
        <particle m="2" px="0" py="0" vx="0" vy="0" fixed="0"/>
        <particle m="1" px="0.25" py="-1" vx="0" vy="0.5" fixed="1"/>
        <edge i="0" j="1" radius="0.1"/> <springforce edge="0" k="10" l0="3"/>
        <halfplane px="0" py="-5" nx="0" ny="1"/> <simplegravity fx="0" fy="-9.8"/>
    </scene>"##;
    let scene = Scene::from_xml("test", text).unwrap();
    Run::Particles(Box::new(ParticleRun::new("test", "", scene)))
}

fn rigid(run: &Run) -> &World {
    &run.as_rigid().unwrap().world
}

/// Every property of a run that is there, with its path.
fn every_property(run: &Run) -> Vec<(String, &'static Property)> {
    fn visit(run: &Run, place: Place, path: &str, found: &mut Vec<(String, &'static Property)>) {
        for row in place.rows().iter().filter(|row| (row.get)(run, place).is_some()) {
            found.push((joined(path, row.name), row));
        }
        let branches = place.branches(run).iter().map(|&name| name.to_owned());
        for name in branches.chain(place.indices(run).iter().flatten().map(usize::to_string)) {
            visit(run, place.enter(run, &name).unwrap(), &joined(path, &name), found);
        }
    }
    let mut found = Vec::new();
    visit(run, Place::Root, "", &mut found);
    found
}

fn settable(row: &Property) -> bool {
    !matches!(row.set, Set::Never)
}

/// Equal but for the rounding of angles, which are kept as sine and cosine, and of what is moved about.
fn near(a: &Value, b: &Value) -> bool {
    let close = |a: f64, b: f64| a == b || (a - b).abs() <= 2e-6 * (1.0 + a.abs());
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => close(*a, *b),
        (Value::Vector(ax, ay), Value::Vector(bx, by)) => close(*ax, *bx) && close(*ay, *by),
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b)),
        _ => a == b,
    }
}

/// Texts to set a property to, and whether it then must be exactly what was asked for.
fn samples(name: &str, thing: &Run, path: &str) -> (&'static [&'static str], bool) {
    let on_polygon = path.starts_with("body.4") || path.starts_with("body.6");
    match name {
        "kind" => (&["kinematic", "dynamic", "fixed"], true),
        "position" | "center" if on_polygon || path.contains("shape") => (&["1, -2", "(0.1 0.2)"], false),
        "position" => (&["1, -2", "(-3e2 0.1)", "0.1,0.2"], true),
        "velocity" => (&["1 0", "(-0.1, -2e-5)", "0,0"], true),
        "angle" => (&["0.5", "-3.1", "0"], false),
        "angle_degrees" => (&["90", "-45.5", "179"], false),
        "angular_velocity" | "torque" => (&["-2.5", "1e-7", "0"], true),
        "mass" => (&["2.5", "1e20", "1e-12"], true),
        "inertia" => (&["0.1", "3", "inf"], true),
        "linear_damping" | "angular_damping" | "sleep_speed" => (&["0.5", "0", "1e5"], true),
        "gravity_scale" => (&["-1", "0", "0.1"], true),
        "locked.x" | "locked.y" | "locked.rotation" | "can_sleep" | "bullet" | "sensor" | "contact_events"
        | "aabb_events" => (&["yes", "off", "true"], true),
        "enabled" => (&["no", "on"], true),
        "awake" => (&["false", "true"], true),
        "sleeping" => (&["true", "false"], true),
        "force" => (&["10, -0.5", "0 0"], true),
        "color" | "background" => (&["#102030", "red"], true),
        "user_data" => (&["18446744073709551615", "0x10"], true),
        "outline" => (&["circle 0.5 at (1, 0)", "rectangle 2 1", "polygon (0, 0) (1, 0) (0, 1) radius 0.1"], true),
        "radius" => (&["0.3", "1e-5", "2"], true),
        "width" | "height" if on_polygon => (&["0.3", "5"], false),
        "width" | "height" => (&["0.3", "5", "1e-5"], true),
        "a" => (&["-1, 0.1", "-7 -7"], true),
        "b" => (&["1, -0.1", "7 7"], true),
        "vertices" => (&["(0, 0) (1, 0) (0, 1)", "(0,0),(1,0),(2,2),(0,1)"], true),
        "friction" | "rolling_resistance" => (&["0", "0.1", "1e6"], true),
        "restitution" => (&["0", "0.1", "1"], true),
        "surface_speed" => (&["-3", "1e6"], true),
        "density" => (&["0", "0.1", "1e9"], true),
        "filter.category" | "filter.mask" => (&["0xffffffffffffffff", "0", "0b101", "7"], true),
        "filter.group" => (&["-2147483648", "-1", "0", "5"], true),
        "gravity" => (&["0, -9.81", "-1e-3 2"], true),
        "substeps" => (&["1", "64"], true),
        "friction_mix" | "restitution_mix" => (&["product", "Geometric-Mean", "min"], true),
        "restitution_speed" | "hit_speed" | "push_out_speed" | "sleep_delay_s" => (&["0", "0.3"], true),
        "contact_hertz" | "contact_damping" | "max_speed" => (&["33.3", "10"], true),
        "continuous" => (&["no", "yes"], true),
        "solver" => (&["direct", "Sequential", "soft-step"], true),
        "sequential.iterations" => (&["1", "1000"], true),
        "sequential.slop" | "sequential.push" | "sequential.edge_weight" | "sequential.edge_handicap" => {
            (&["0", "0.3", "1"], true)
        }
        "sequential.correction" => (&["bias", "first_impact", "split"], true),
        "one_way" => (&["0, 1", "0.6 -0.8", "0 0"], true),
        "broad_phase" if matches!(thing, Run::Particles(_)) => (&["all_pairs", "grid"], true),
        "broad_phase" => (&["quadtree", "tree"], true),
        "fixed_step_s" => (&["0.01", "1"], true),
        "max_catch_up" => (&["1", "4294967295"], true),
        "quadtree.center" => (&["1, -2"], true),
        "quadtree.half_extents" => (&["100, 0.1"], true),
        "quadtree.capacity" => (&["1", "9"], true),
        "quadtree.max_depth" => (&["0", "24"], true),
        "integrator" => (&["explicit_euler", "runge-kutta-4", "implicit-euler"], true),
        "collisions" => (&["none", "penalty", "continuous", "simple"], true),
        "fixed_at_half_plane" => (&["reflect", "keep"], true),
        "stiffness" | "thickness" => (&["0.1", "1e3", "-2"], true),
        "fixed" => (&["true", "false"], true),
        _ => (&[], true),
    }
}

/// Sets every property that can be set to every sample, from a fresh run each.
fn round_trip(fresh: &Run) -> usize {
    let mut count = 0;
    for (path, row) in every_property(fresh).into_iter().filter(|(_, row)| settable(row)) {
        // What it has, again.
        let mut run = fresh.clone();
        let before = get(&run, &path).unwrap();
        let again = set(&mut run, &path, &before.to_string()).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(near(&before, &again), "{path}: {before} became {again}");

        let (texts, exact) = samples(row.name, fresh, &path);
        let mut texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        if row.name.is_empty() {
            // A little outwards, a corner leaves any polygon convex.
            let [x, y] = before.as_vector().unwrap().map(|part| 1.01 * part as f32);
            texts.push(Value::from(vec2(x, y)).to_string());
        }
        assert!(!texts.is_empty(), "no samples for {path}");
        for text in &texts {
            let mut run = fresh.clone();
            let asked = before.parse_like(text).unwrap();
            match set(&mut run, &path, text) {
                Ok(value) => {
                    assert_eq!(get(&run, &path), Ok(value.clone()), "{path}");
                    assert_eq!(before.parse_like(&value.to_string()), Ok(value.clone()), "{path}: {value}");
                    let same = if exact { value == asked } else { near(&value, &asked) };
                    assert!(same || keeps_its_own(fresh, &path, row.name), "{path}: asked for {text}, got {value}");
                }
                Err(error) => panic!("{path} = {text}: {error}"),
            }
            if let Run::Rigid(run) = &mut run {
                run.world.validate();
                run.step();
                run.world.validate();
            } else {
                run.step();
            }
            count += 1;
        }
    }
    count
}

/// Does the engine take the value and keep another, as fixed bodies do with velocities?
fn keeps_its_own(run: &Run, path: &str, name: &str) -> bool {
    let body: Vec<&str> = path.split('.').take(2).collect();
    let kind = get(run, &format!("{}.kind", body.join("."))).map(|kind| kind.to_string()).unwrap_or_default();
    match name {
        "velocity" | "angular_velocity" | "awake" | "sleeping" => kind == "fixed",
        "mass" | "inertia" | "force" | "torque" => kind == "fixed" || kind == "kinematic",
        _ => false,
    }
}

#[test]
fn every_settable_property_of_a_world_round_trips() {
    let mut run = world();
    assert!(round_trip(&run) > 300);
    // With a quadtree and the textbook solver, while things move and touch.
    set(&mut run, "world.broad_phase", "quadtree").unwrap();
    set(&mut run, "world.solver", "sequential").unwrap();
    set(&mut run, "body.1.angular_velocity", "2").unwrap();
    for _ in 0..90 {
        run.step();
    }
    assert!(round_trip(&run) > 300);
}

#[test]
fn every_settable_property_of_a_particle_system_round_trips() {
    for collisions in ["none", "simple", "penalty", "continuous"] {
        let mut run = particles();
        set(&mut run, "system.collisions", collisions).unwrap();
        for _ in 0..20 {
            run.step();
        }
        assert!(round_trip(&run) > 30);
    }
}

#[test]
fn every_property_is_told_of() {
    for run in [world(), particles()] {
        for (path, row) in every_property(&run) {
            let description = describe(&run, &path).unwrap();
            assert!(!row.about.is_empty() && !row.about.ends_with('.'), "{path}");
            assert_eq!(description.expected.is_some(), settable(row), "{path}");
            let (parent, _) = path.rsplit_once('.').unwrap();
            assert!(list(&run, parent).is_ok(), "{parent}");
            assert!(complete(&run, &path).contains(&path), "{path}");
        }
    }
}

#[test]
fn infinity_and_negatives() {
    let mut run = world();
    assert_eq!(get(&run, "body.0.mass").unwrap().to_string(), "inf");
    assert_eq!(set(&mut run, "body.1.mass", "infinity").unwrap().to_string(), "inf");
    assert_eq!(get(&run, "body.1.kind").unwrap().to_string(), "fixed");
    assert_eq!(set(&mut run, "body.1.kind", "dynamic").unwrap().to_string(), "dynamic");
    assert!(set(&mut run, "body.1.mass", "auto").unwrap().as_number().unwrap() < 1.0);
    assert_eq!(set(&mut run, "body.2.velocity", "-1 -2.5").unwrap().to_string(), "(-1, -2.5)");
    assert_eq!(set(&mut run, "body.2.velocity.x", "-0.125").unwrap().to_string(), "-0.125");
    assert_eq!(get(&run, "body.2.velocity").unwrap().to_string(), "(-0.125, -2.5)");
    assert_eq!(set(&mut run, "body.2.shape.0.filter.group", "-7").unwrap(), Value::Whole(-7));
    for path in ["body.1.mass", "body.1.velocity.y", "world.gravity.x", "body.3.shape.0.radius"] {
        let error = set(&mut run, path, "-inf").unwrap_err();
        assert!(matches!(error, PropertyError::Refused { .. }), "{error}");
    }
}

#[test]
fn nan_is_always_refused() {
    for mut run in [world(), particles()] {
        for (path, row) in every_property(&run).into_iter().filter(|(_, row)| settable(row)) {
            let before = run.state_hash();
            for text in ["nan", "NaN, 0", "0 -nan", "(nan, nan)", "circle nan"] {
                let error = set(&mut run, &path, text).unwrap_err();
                assert!(matches!(error, PropertyError::Value { .. }), "{path} = {text}: {error}");
            }
            assert_eq!(run.state_hash(), before, "{path}");
            assert!(!row.name.contains(' '));
        }
    }
}

#[test]
fn errors_say_what_to_do() {
    let mut run = world();
    let message = |result: Result<Value, PropertyError>| result.unwrap_err().to_string();
    assert_eq!(message(get(&run, "body.3.velocty")), r#"body.3 has no "velocty"; did you mean "velocity"?"#);
    assert_eq!(message(get(&run, "bdy.3")), r#"there is no "bdy"; did you mean "body"?"#);
    assert_eq!(message(get(&run, "body.3.locked.z")), r#"body.3 has no "locked.z"; did you mean "locked.x"?"#);
    assert_eq!(message(get(&run, "body.3.velocity.z")), r#"body.3 has no "velocity.z"; did you mean "velocity.x"?"#);
    assert_eq!(message(get(&run, "body.3.mass.x")), r#"body.3 has no "mass.x"; did you mean "mass"?"#);
    assert_eq!(message(get(&run, "body.3..mass")), r#"body.3 has no ".mass"; did you mean "mass"?"#);
    assert_eq!(message(get(&run, "body.99.mass")), "there is no body.99; there is body 0 to 6");
    assert_eq!(message(get(&run, "body.x.mass")), "there is no body.x; there is body 0 to 6");
    assert_eq!(message(get(&run, "body.-1")), "there is no body.-1; there is body 0 to 6");
    assert_eq!(message(get(&run, "body.1.shape.1.friction")), "there is no body.1.shape.1; there is body.1.shape 0");
    assert_eq!(
        message(get(&run, "body.1.shape.0.width")),
        "there is no body.1.shape.0.width here; only rectangles have it"
    );
    assert_eq!(message(get(&run, "body.1.locked")), "body.1.locked has no value of its own, but x, y, rotation");
    assert_eq!(message(get(&run, "")), "expected a property; there is world, body");
    assert_eq!(message(set(&mut run, "world.time", "3")), "world.time can be read, but not set");
    assert_eq!(
        message(set(&mut run, "body.1.velocity", "fast")),
        r#"body.1.velocity cannot be "fast"; expected two numbers such as 1, 2.5"#
    );
    assert_eq!(
        message(set(&mut run, "world.friction_mix", "often")),
        r#"world.friction_mix cannot be "often"; expected one of geometric_mean, product, mean, min, max"#
    );
    assert_eq!(
        message(set(&mut run, "body.1.shape.0.friction", "-1")),
        "body.1.shape.0.friction: ShapeDef.friction is -1.0; expected a number from 0 to 1e6"
    );
    assert_eq!(
        message(set(&mut run, "world.substeps", "0")),
        r#"world.substeps cannot be "0"; expected a whole number from 1 to 64"#
    );
    assert!(message(get(&run, "world.qqqqqqqq")).starts_with(r#"world has no "qqqqqqqq"; there is gravity, substeps"#));
    assert!(message(get(&run, &"é".repeat(100_000))).len() < 300);
    assert_eq!(remove(&mut run, "body.1.mass").unwrap_err(), PropertyError::Permanent { path: "body.1.mass".into() });
    assert_eq!(remove(&mut run, "world").unwrap_err(), PropertyError::Permanent { path: "world".into() });
    assert!(get(&particles(), "body.0.mass").unwrap_err().to_string().starts_with(r#"there is no "body""#));
    assert_eq!(Edit::spawn("circle 1").unwrap().apply(&mut particles()), Err(PropertyError::NoBodies));
    assert!(add_shape(&mut particles(), 0, "circle 1").is_err());
}

#[test]
fn values_that_are_sums_over_the_world() {
    let mut run = world();
    set(&mut run, "body.1.velocity", "3 4").unwrap();
    let number = |run: &Run, path: &str| get(run, path).unwrap().as_number().unwrap();
    let mass = number(&run, "body.1.mass");
    assert!((number(&run, "world.energy.kinetic") - 12.5 * mass).abs() < 1e-5);
    assert!((number(&run, "body.1.kinetic_energy") - 12.5 * mass).abs() < 1e-5);
    let weights: f64 =
        (1..7).filter(|&body| body != 5).map(|body| number(&run, &format!("body.{body}.mass")) * 10.0).sum();
    let height = |run: &Run| number(run, "world.energy.potential");
    let before = height(&run);
    for body in [1, 2, 3, 4, 6] {
        let y = number(&run, &format!("body.{body}.position.y"));
        set(&mut run, &format!("body.{body}.position.y"), &(y + 2.0).to_string()).unwrap();
    }
    assert!((height(&run) - before - 2.0 * weights).abs() < 1e-3);
    assert_eq!(number(&run, "world.bodies"), 7.0);
    assert_eq!(number(&run, "world.shapes"), 9.0);
    assert_eq!(number(&run, "world.time"), 0.0);
    run.step();
    assert_eq!(number(&run, "world.step"), 1.0);
    assert_eq!(number(&run, "world.time"), 1.0 / 60.0);
    assert_eq!(get(&run, "world.hash").unwrap(), Value::Bits(run.state_hash()));
}

#[test]
fn geometry_is_edited_while_the_world_runs() {
    let mut run = world();
    for _ in 0..120 {
        run.step();
    }
    let number = |run: &Run, path: &str| get(run, path).unwrap().as_number().unwrap();
    set(&mut run, "body.1.shape.0.radius", "1").unwrap();
    assert!((number(&run, "body.1.mass") - std::f64::consts::PI).abs() < 1e-6);
    set(&mut run, "body.2.shape.0.width", "4").unwrap();
    assert!((number(&run, "body.2.mass") - 4.0).abs() < 1e-6);
    assert_eq!(get(&run, "body.2.shape.0.outline").unwrap().to_string(), "rectangle 4 1");
    set(&mut run, "body.3.shape.0.b", "1.5 0").unwrap();
    assert_eq!(get(&run, "body.3.shape.0.a").unwrap().to_string(), "(-0.5, 0)");
    // The rectangle that is turned, off the middle and rounded keeps all that.
    set(&mut run, "body.6.shape.0.height", "0.75").unwrap();
    assert!((number(&run, "body.6.shape.0.width") - 1.0).abs() < 1e-6);
    assert!((number(&run, "body.6.shape.0.angle") - 0.4).abs() < 1e-6);
    assert!((number(&run, "body.6.shape.0.radius") - 0.05).abs() < 1e-7);
    assert_eq!(get(&run, "body.6.shape.0.kind").unwrap().to_string(), "rectangle");
    set(&mut run, "body.1.shape.0.outline", "regular 6 0.5").unwrap();
    assert_eq!(get(&run, "body.1.shape.0.kind").unwrap().to_string(), "polygon");
    rigid(&run).validate();
    for _ in 0..120 {
        run.step();
    }
    rigid(&run).validate();
    assert!(number(&run, "body.1.position.y") > 0.8, "it rests on the floor");
}

#[test]
fn a_dragged_corner_keeps_its_number_and_the_polygon_stays_convex() {
    let mut run = world();
    let path = "body.4.shape.0.vertices";
    let corner = |index: usize| format!("body.4.shape.0.vertex.{index}");
    let before = get(&run, path).unwrap();
    assert_eq!(before.to_string(), "(-1, -1) (1, -1) (1, 0.5) (0, 1)");
    // Far to the left of the corner that was leftmost.
    assert_eq!(set(&mut run, &corner(3), "-3 2").unwrap().to_string(), "(-3, 2)");
    assert_eq!(get(&run, path).unwrap().to_string(), "(-1, -1) (1, -1) (1, 0.5) (-3, 2)");
    assert_eq!(set(&mut run, &format!("{}.y", corner(3)), "1").unwrap().to_string(), "1");
    assert_eq!(get(&run, &corner(3)).unwrap().to_string(), "(-3, 1)");
    for inside in ["0 -0.5", "1 -1", "5 -1", "0 -2"] {
        let error = set(&mut run, &corner(3), inside).unwrap_err();
        assert!(error.to_string().contains("convex"), "{inside}: {error}");
    }
    assert_eq!(get(&run, path).unwrap().to_string(), "(-1, -1) (1, -1) (1, 0.5) (-3, 1)");
    // A whole set of points becomes its hull.
    set(&mut run, path, "(0,0) (2,0) (1,0.5) (2,2) (0,2)").unwrap();
    assert_eq!(get(&run, path).unwrap().to_string(), "(0, 0) (2, 0) (2, 2) (0, 2)");
    assert_eq!(get(&run, "body.4.shape.0.kind").unwrap().to_string(), "rectangle");
    assert_eq!(set(&mut run, path, "0 0 1 0 2 2 0 1").unwrap().to_string(), "(0, 0) (1, 0) (2, 2) (0, 1)");
    assert!(set(&mut run, path, "(0,0) (1,1) (2,2)").is_err());
    assert!(set(&mut run, path, "(0,0) (1,1) 2").is_err());
    assert!(get(&run, &corner(4)).is_err());
    rigid(&run).validate();
}

#[test]
fn outlines_in_words_come_back_the_same() {
    for text in [
        "circle 0.5",
        "circle 0.1 at (0.25, -3)",
        "rectangle 2 0.1",
        "rectangle 2 1 at (1, -1)",
        "rectangle 2 1 radius 0.125",
        "rectangle 1.3 0.2 at (0.3, -7.1) angle -0.4 radius 0.01",
        "capsule (0, 0) (1, -0.1) 0.3",
        "segment (-1e-3, 0) (1e5, 0)",
        "polygon (-1, 0) (1, 0) (0, 2)",
        "polygon (-1, 0) (1, 0) (0, 2) radius 0.25",
    ] {
        let geometry = outline::geometry(text).unwrap();
        let told = outline::describe(&geometry);
        assert_eq!(outline::geometry(&told).unwrap(), geometry, "{text} became {told}");
    }
    assert_eq!(outline::describe(&outline::geometry("box 2 1").unwrap()), "rectangle 2 1");
    let turned = outline::geometry("rectangle 2 1 at (1, 2) angle 0.5").unwrap();
    let rectangle = outline::Rectangle::of(&turned).unwrap();
    let center = vec2(1.0, 2.0);
    assert_eq!(rectangle, outline::Rectangle { width: 2.0, height: 1.0, center, angle: 0.5, radius: 0.0 });
    for bad in [
        "",
        "circle",
        "circle x",
        "circle 1 2",
        "circle -1",
        "circle inf",
        "rectangle 1",
        "rectangle 1 2 3",
        "box 0 1",
        "polygon (0,0) (1,0)",
        "polygon (0,0) (1,0) 3",
        "polygon (0,0) (1,1) (2,2)",
        "regular 2 1",
        "regular 2.5 1",
        "regular 17 1",
        "capsule (0,0) 1",
        "capsule (0,0) (0,0) 1",
        "segment 1 2 3",
        "triangle 1",
        "circle 1 at",
        "circle 1 at 5",
        "circle 1 radius 2",
        "circle 1 mood good",
        "circle 1 friction -1 at",
        "(1,2)",
        "circle (1",
        "circle 1 (2, 3) (4, 5)",
        "rectangle 1 1 friction 0.5",
    ] {
        assert!(outline::geometry(bad).is_err(), "{bad}");
    }
}

#[test]
fn shapes_and_bodies_come_and_go() {
    let mut run = world();
    assert_eq!(add_shape(&mut run, 1, "rectangle 2 1 at (0, 1) density 3 sensor yes").unwrap(), "body.1.shape.1");
    assert_eq!(get(&run, "body.1.shape.1.density").unwrap().to_string(), "3");
    assert_eq!(get(&run, "body.1.shape.1.sensor").unwrap(), Value::Flag(true));
    assert_eq!(get(&run, "body.1.shape.1.center").unwrap().to_string(), "(0, 1)");
    assert!(add_shape(&mut run, 1, "circle 0").is_err());
    assert!(add_shape(&mut run, 99, "circle 1").is_err());
    remove(&mut run, "body.1.shape.0").unwrap();
    assert_eq!(get(&run, "body.1.shape.0.kind").unwrap().to_string(), "rectangle");
    assert!(get(&run, "body.1.shape.1.kind").is_err());
    remove(&mut run, " body.1 ").unwrap();
    let error = get(&run, "body.1.mass").unwrap_err();
    assert_eq!(error.to_string(), "there is no body.1; there is body 0, 2 to 6");
    for _ in 0..30 {
        run.step();
    }
    rigid(&run).validate();
    let edit = Edit::spawn("box 1 0.5 at (0, 5) velocity 1 0 friction 0.9 kind dynamic color red locked.y on").unwrap();
    assert_eq!(edit.apply(&mut run).unwrap(), "body.1 added");
    assert_eq!(get(&run, "body.1.position").unwrap().to_string(), "(0, 5)");
    assert_eq!(get(&run, "body.1.velocity").unwrap().to_string(), "(1, 0)");
    assert_eq!(get(&run, "body.1.color").unwrap().to_string(), "#d94841");
    assert_eq!(get(&run, "body.1.shape.0.friction").unwrap().to_string(), "0.9");
    assert_eq!(get(&run, "body.1.locked.y").unwrap(), Value::Flag(true));
    rigid(&run).validate();
}

#[test]
fn a_body_that_cannot_be_made_leaves_nothing_behind() {
    let mut run = world();
    let mut untouched = run.clone();
    for text in [
        "circle 0.5 at (0, 1e9)",
        "circle 0.5 velocty 1 0",
        "circle 0.5 velocity fast",
        "circle 0.5 restitution 2",
        "circle 0.5 time 3",
        "circle 0.5 shape.1.friction 1",
    ] {
        let error = Edit::spawn(text).and_then(|edit| edit.apply(&mut run)).unwrap_err();
        assert!(error.to_string().contains("spawn"), "{text}: {error}");
    }
    assert!(Edit::spawn("ball 3").is_err());
    let edit = Edit::spawn("circle 0.5 at 0 9").unwrap();
    assert_eq!(edit.apply(&mut run), edit.apply(&mut untouched));
    let ids = |run: &Run| rigid(run).bodies().collect::<Vec<_>>();
    assert_eq!(ids(&run), ids(&untouched));
}

#[test]
fn edits_made_again_make_the_same_bits() {
    fn serialisable<T: serde::Serialize + serde::de::DeserializeOwned>(_: &T) {}
    let edits = [
        Edit::set("world.gravity", "0.1 -9.81"),
        Edit::set("body.1.velocity.x", 3.3),
        Edit::Add { body: 2, shape: "regular 5 0.4 at (0, 1)".to_owned() },
        Edit::spawn("polygon (0,0) (1,0) (0.3,1) at (1, 6) angle 0.7 angular_velocity -3").unwrap(),
        Edit::set("body.4.shape.0.vertex.3", "-1.5, 1"),
        Edit::Remove { path: "body.3".to_owned() },
        Edit::set("world.broad_phase", "quadtree"),
        Edit::set("body.1.mass", "inf"),
        Edit::spawn("circle 0.3 at (1, 9)").unwrap(),
    ];
    let play = || {
        let mut run = world();
        let mut hashes = Vec::new();
        for edit in &edits {
            serialisable(edit);
            assert!(!edit.apply(&mut run).unwrap().is_empty());
            for _ in 0..20 {
                run.step();
            }
            hashes.push(run.state_hash());
        }
        hashes
    };
    let hashes = play();
    assert_eq!(hashes, play());
    assert!(hashes.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(edits[0].label(), "world.gravity");
    assert!(edits[2].label().starts_with("add") && edits[5].label().starts_with("remove"));
}

#[test]
fn lists_and_completions() {
    let run = world();
    let names = |path: &str| list(&run, path).unwrap().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(""), ["world", "body"]);
    assert_eq!(names("body"), ["0", "1", "2", "3", "4", "5", "6"]);
    assert_eq!(names("body.1.locked"), ["x", "y", "rotation"]);
    assert_eq!(names("body.1.velocity"), ["x", "y"]);
    assert_eq!(names("body.1.mass"), [""; 0]);
    assert_eq!(names("body.4.shape.0.vertex"), ["0", "1", "2", "3"]);
    assert!(names("body.6").contains(&"shape.1".to_owned()) && names("body.6").contains(&"velocity".to_owned()));
    assert!(!names("body.1.shape.0").contains(&"width".to_owned()));
    assert!(names("body.2.shape.0").contains(&"width".to_owned()));
    assert!(list(&run, "body.9").is_err() && list(&run, "nothing").is_err());
    let (_, summary) = list(&run, "body").unwrap().swap_remove(6);
    assert_eq!(summary.to_string(), "dynamic with 2 shapes");

    assert_eq!(complete(&run, ""), ["world.", "body."]);
    assert_eq!(complete(&run, "bo"), ["body."]);
    assert_eq!(complete(&run, "body.3.vel"), ["body.3.velocity"]);
    assert_eq!(complete(&run, "body.3.velocity."), ["body.3.velocity.x", "body.3.velocity.y"]);
    assert_eq!(complete(&run, "body.3.lo"), ["body.3.locked.", "body.3.local_center"]);
    assert_eq!(complete(&run, "body.3.locked."), ["body.3.locked.x", "body.3.locked.y", "body.3.locked.rotation"]);
    assert_eq!(complete(&run, "body.3.sh"), ["body.3.shapes", "body.3.shape."]);
    assert_eq!(complete(&run, "body.4.shape.0.vertex.1."), ["body.4.shape.0.vertex.1.x", "body.4.shape.0.vertex.1.y"]);
    assert_eq!(complete(&run, "body.").len(), 7);
    assert_eq!(complete(&run, "world.energy.k"), ["world.energy.kinetic"]);
    assert_eq!(complete(&run, "body.99."), [""; 0]);
    assert_eq!(complete(&run, "zzz"), [""; 0]);
    let scene = find("large_pyramid").unwrap().build(&BuildOptions::default()).unwrap();
    let run = Run::Rigid(Box::new(scene));
    assert_eq!(complete(&run, "body.").len(), MOST_COMPLETIONS);
    assert!(get(&run, "body").unwrap_err().to_string().len() < 400);
}

/// Words that mean something to the console, and some that mean nothing to anybody.
const FRAGMENTS: [&str; 64] = [
    "world",
    "body",
    "system",
    "particle",
    "shape",
    "vertex",
    "edge",
    ".",
    ".",
    ".",
    "0",
    "1",
    "3",
    "4",
    "6",
    "-",
    "-1",
    "9999999999999999999999",
    " ",
    " ",
    " ",
    ",",
    "(",
    ")",
    "=",
    "inf",
    "-inf",
    "nan",
    "1e39",
    "1e-39",
    "0.5",
    "2.5e3",
    "1e7",
    "velocity",
    "position",
    "mass",
    "kind",
    "x",
    "y",
    "fixed",
    "dynamic",
    "circle",
    "rectangle",
    "polygon",
    "capsule",
    "regular",
    "at",
    "angle",
    "true",
    "auto",
    "#fff",
    "set",
    "get",
    "add",
    "remove",
    "spawn",
    "step",
    "vertices",
    "outline",
    "enabled",
    "é",
    "\u{0}",
    "\t",
    "∞",
];

pub(crate) fn noise(rng: &mut Rng) -> String {
    (0..rng.below(12)).map(|_| FRAGMENTS[rng.below(FRAGMENTS.len() as u32) as usize]).collect()
}

#[test]
fn noise_breaks_nothing() {
    let mut rng = Rng::new(3);
    for start in [world(), particles()] {
        let mut run = start.clone();
        for round in 0..20_000 {
            let (path, text) = (noise(&mut rng), noise(&mut rng));
            let _ = (get(&run, &path), list(&run, &path), describe(&run, &path), complete(&run, &path));
            let _ = set(&mut run, &path, &text);
            let _ = add_shape(&mut run, rng.below(8), &text);
            let _ = Edit::spawn(&text).map(|edit| edit.apply(&mut run));
            if rng.below(50) == 0 {
                let _ = remove(&mut run, &path);
            }
            if round % 500 == 0 {
                run = start.clone();
            }
        }
    }
}

#[test]
fn noise_in_every_property_leaves_a_sound_world() {
    let mut rng = Rng::new(4);
    let mut changed = 0;
    for round in 0..60 {
        let mut run = world();
        for _ in 0..60 {
            let properties = every_property(&run);
            let (path, row) = &properties[rng.below(properties.len() as u32) as usize];
            let (texts, _) = samples(row.name, &run, path);
            let text = match rng.below(3) {
                0 => noise(&mut rng),
                1 => format!("{} {}", rng.range(-10.0, 10.0), rng.range(-10.0, 10.0)),
                _ if texts.is_empty() => "1".to_owned(),
                _ => texts[rng.below(texts.len() as u32) as usize].to_owned(),
            };
            changed += usize::from(set(&mut run, path, &text).is_ok());
            if rng.below(20) == 0 {
                let index = rng.below(7);
                let _ = remove(&mut run, &format!("body.{index}"));
            }
            if rng.below(4) == 0 {
                run.step();
            }
            rigid(&run).validate();
        }
        for id in rigid(&run).bodies() {
            assert!(rigid(&run).body(id).position().is_finite(), "round {round}");
        }
    }
    assert!(changed > 500, "{changed}");
}

#[test]
fn joints_are_read_driven_and_removed() {
    let mut run = Run::Rigid(Box::new(find("slider_crank").unwrap().build(&BuildOptions::default()).unwrap()));
    assert_eq!(list(&run, "joint").unwrap().len(), 4);
    assert_eq!(get(&run, "joint.0.kind").unwrap(), Value::Text("revolute".to_owned()));
    assert_eq!(get(&run, "joint.0.motor_speed").unwrap(), Value::Number(4.0));
    assert_eq!(set(&mut run, "joint.0.motor_speed", "-2").unwrap(), Value::Number(-2.0));
    for _ in 0..60 {
        run.step();
    }
    let angle = get(&run, "joint.0.angle").unwrap().as_number().unwrap();
    assert!((angle + 2.0).abs() < 0.1, "backwards for a second: {angle}");
    assert!(matches!(set(&mut run, "joint.1.motor_speed", "1"), Err(PropertyError::Absent { .. })), "it has no motor");
    assert!(matches!(set(&mut run, "joint.0.force", "1 1"), Err(PropertyError::ReadOnly { .. })));
    assert!(set(&mut run, "joint.0.hertz", "0").is_err(), "the engine refuses it");
    remove(&mut run, "joint.0").unwrap();
    assert!(get(&run, "joint.0.kind").is_err());
    // The rod goes with its two pins; the slide of the piston stays.
    remove(&mut run, "body.2").unwrap();
    assert_eq!(rigid(&run).joint_count(), 1);
    run.step();
}
