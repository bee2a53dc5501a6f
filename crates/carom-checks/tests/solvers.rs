//! What all solvers promise, and what each promises alone.

use carom_checks::solvers::{PROBLEMS, SOLVERS, run};
use carom_checks::validation::{DT, add, add_floor, add_moving, deepest_overlap, steps};
use carom2d::prelude::*;

fn world(solver: Solver) -> World {
    World::new(WorldDef { solver, sleeping: false, ..WorldDef::default() })
}

fn textbook(correction: Correction) -> Solver {
    Solver::Sequential(Sequential { correction, ..Sequential::default() })
}

/// A box that falls on a floor lies on it.
#[test]
fn every_solver_lets_a_box_rest() {
    for (name, solver) in SOLVERS {
        let mut world = world(solver);
        add_floor(&mut world, 0.6, 0.0);
        let body = add(&mut world, vec2(0.0, 3.0), ShapeDef::rectangle(1.0, 1.0));
        steps(&mut world, 240);
        let body = world.body(body);
        assert!((body.position().y - 0.5).abs() < 0.012, "{name}: {}", body.position());
        assert!(body.velocity().length() < 1.0e-3, "{name}: {}", body.velocity());
        assert!(body.angle().abs() < 1.0e-3, "{name}: {}", body.angle());
    }
}

/// Friction stops a sliding box where it should: v0 = 5 m/s, mu = 0.25: after 2 s and 5 m.
#[test]
fn every_solver_stops_a_sliding_box() {
    for (name, solver) in SOLVERS {
        let mut world = world(solver);
        add_floor(&mut world, 0.25, 0.0);
        let shape = ShapeDef { friction: 0.25, ..ShapeDef::rectangle(1.0, 1.0) };
        let body = add_moving(&mut world, vec2(0.0, 0.5), vec2(5.0, 0.0), shape);
        steps(&mut world, 180);
        let x = world.body(body).position().x;
        assert!((x - 5.0).abs() < 0.1, "{name}: stopped at {x}");
    }
}

/// Momentum of two boxes that collide in the air is what it was.
#[test]
fn every_solver_keeps_momentum() {
    for (name, solver) in SOLVERS {
        let mut world = world(solver);
        world.set_gravity(Vec2::ZERO).expect("gravity");
        let shape = || ShapeDef { restitution: 0.3, ..ShapeDef::rectangle(1.0, 1.0) };
        let a = add_moving(&mut world, vec2(-2.0, 0.0), vec2(3.0, 0.0), shape());
        let b = add_moving(&mut world, vec2(2.0, 0.4), vec2(-3.0, 0.0), ShapeDef { density: 2.0, ..shape() });
        steps(&mut world, 120);
        let total = world.body(a).velocity() + world.body(b).velocity() * 2.0;
        assert!(total.distance(vec2(-3.0, 0.0)) < 1.0e-4, "{name}: {total}");
        assert!(world.body(b).velocity().x > world.body(a).velocity().x, "{name}: they parted");
    }
}

/// A disc dropped from a metre with e = 0.5 rises to a quarter of it.
#[test]
fn every_solver_rebounds() {
    for (name, solver) in SOLVERS {
        let mut world = world(solver);
        add_floor(&mut world, 0.6, 0.5);
        let shape = ShapeDef { restitution: 0.5, ..ShapeDef::circle(0.25) };
        let body = add(&mut world, vec2(0.0, 1.25), shape);
        let mut top: f32 = 0.0;
        for step in 0..70 {
            world.step(DT);
            // The first impact is after 0.447 s.
            if step > 30 {
                top = if world.body(body).position().y > top { world.body(body).position().y } else { top };
            }
        }
        // The textbook sees the impact up to a step late, and the speed of then.
        let tolerance = if matches!(solver, Solver::Sequential(_)) { 0.05 } else { 0.005 };
        assert!((top - 0.5).abs() < tolerance, "{name}: rose to {}", top - 0.25);
    }
}

/// No solver lets a problem blow up or fall apart.
#[test]
fn every_solver_copes_with_every_problem() {
    for problem in &PROBLEMS {
        for (name, solver) in SOLVERS {
            let outcome = run(problem, solver);
            let what = format!("{} by {name}: {outcome:?}", problem.name);
            assert!(outcome.residual.is_finite() && outcome.energy.is_finite() && outcome.error.is_finite(), "{what}");
            assert!(outcome.energy < 0.05, "energy from nowhere: {what}");
            // The textbook cannot hold a hundred times its links' weight.
            let hopeless = problem.name == "chain" && matches!(solver, Solver::Sequential(_));
            assert!(hopeless || outcome.error < 0.5, "torn apart: {what}");
        }
    }
}

/// The direct solver leaves nothing over where the textbook does.
#[test]
fn the_direct_solver_is_exact() {
    for problem in PROBLEMS.iter().filter(|problem| ["stack", "chain", "arch"].contains(&problem.name)) {
        let outcome = run(problem, Solver::Direct);
        assert!(outcome.error < 1.0e-4, "{}: {outcome:?}", problem.name);
        assert!(outcome.residual < 1.0e-3, "{}: {outcome:?}", problem.name);
    }
}

/// Nor does the default solver leave anything over of what it solves exactly: a stack that is built at rest, a chain with a
/// bob of a hundred of its links, an arch.
#[test]
fn the_default_solver_holds_stacks_chains_and_arches() {
    for problem in PROBLEMS.iter().filter(|problem| ["stack", "chain", "arch"].contains(&problem.name)) {
        let outcome = run(problem, Solver::SoftStep);
        assert!(outcome.error < 1.0e-4, "{}: {outcome:?}", problem.name);
        assert!(outcome.residual < 1.0e-3, "{}: {outcome:?}", problem.name);
    }
}

/// Two runs of the direct solver agree to the bit, and a far neighbour changes nothing.
#[test]
fn the_direct_solver_repeats_itself() {
    let build = |neighbour: bool| {
        let mut world = world(Solver::Direct);
        add_floor(&mut world, 0.6, 0.0);
        let mut bodies = Vec::new();
        for i in 0..6 {
            bodies.push(add(&mut world, vec2(0.1 * i as f32, 1.1 * i as f32 + 0.5), ShapeDef::rectangle(1.0, 1.0)));
        }
        if neighbour {
            add(&mut world, vec2(50.0, 4.0), ShapeDef::rectangle(1.0, 1.0));
        }
        steps(&mut world, 200);
        world.state_hash_of(&bodies).expect("bodies exist")
    };
    assert_eq!(build(false), build(false));
    assert_eq!(build(false), build(true));
}

/// Cut at first impacts, a brick at 50 m/s does not pass a wall of 5 cm, without continuous collision.
#[test]
fn first_impacts_stop_what_is_fast() {
    for phase in 0..16 {
        let def = WorldDef {
            solver: textbook(Correction::FirstImpact),
            continuous: Continuous::Off,
            gravity: Vec2::ZERO,
            sleeping: false,
            ..WorldDef::default()
        };
        let mut world = World::new(def);
        let wall = world.add_body(BodyDef { position: vec2(5.0, 0.0), ..BodyDef::fixed() }).expect("wall");
        world.add_shape(wall, ShapeDef::rectangle(0.05, 4.0)).expect("wall");
        let start = vec2(phase as f32 * 0.05, 0.0);
        let brick = add_moving(&mut world, start, vec2(50.0, 0.0), ShapeDef::rectangle(0.2, 0.1));
        steps(&mut world, 30);
        assert!(world.body(brick).position().x < 5.0, "phase {phase}: {}", world.body(brick).position());
    }
}

/// A bias acts on overlaps only: it does not carry a sliding box, which stops where friction says, nor hold
/// back a box that leaves the floor.
#[test]
fn a_bias_neither_lifts_nor_glues() {
    let mut world = world(textbook(Correction::Bias));
    add_floor(&mut world, 0.25, 0.0);
    let shape = || ShapeDef { friction: 0.25, ..ShapeDef::rectangle(1.0, 1.0) };
    let sliding = add_moving(&mut world, vec2(0.0, 0.5), vec2(5.0, 0.0), shape());
    let leaving = add_moving(&mut world, vec2(20.0, 0.495), vec2(0.0, 2.0), shape());
    world.step(DT);
    assert!(
        (world.body(leaving).velocity().y - (2.0 - 10.0 * DT)).abs() < 1.0e-5,
        "{}",
        world.body(leaving).velocity()
    );
    steps(&mut world, 179);
    let place = world.body(sliding).position();
    assert!((place.x - 5.0).abs() < 0.1 && (place.y - 0.5).abs() < 0.012, "{place}");
}

/// Split impulses push apart without leaving speed behind; a bias leaves some.
#[test]
fn split_impulses_leave_no_speed() {
    let rise = |correction: Correction| {
        let mut world = world(textbook(correction));
        add_floor(&mut world, 0.6, 0.0);
        // Pushed 20 cm into the floor.
        let body = add(&mut world, vec2(0.0, 0.3), ShapeDef::rectangle(1.0, 1.0));
        let mut top: f32 = 0.0;
        for _ in 0..120 {
            world.step(DT);
            top = if world.body(body).position().y > top { world.body(body).position().y } else { top };
        }
        assert!(deepest_overlap(&world) < 0.012);
        top - 0.5
    };
    assert!(rise(Correction::Split) < 1.0e-3, "{}", rise(Correction::Split));
    assert!(rise(Correction::Bias) > 1.0e-3, "{}", rise(Correction::Bias));
}

/// Forces act for the whole step, however often it is cut.
#[test]
fn forces_last_through_first_impacts() {
    let speed_after = |correction: Correction| {
        let mut world = world(textbook(correction));
        world.set_gravity(Vec2::ZERO).expect("gravity");
        // Two others collide meanwhile.
        add_moving(&mut world, vec2(-1.0, 10.0), vec2(30.0, 0.0), ShapeDef::circle(0.2));
        add(&mut world, vec2(0.0, 10.0), ShapeDef::circle(0.2));
        let body = add(&mut world, Vec2::ZERO, ShapeDef::rectangle(1.0, 1.0));
        for _ in 0..10 {
            world.body_mut(body).apply_force(vec2(6.0, 0.0)).expect("force");
            world.step(DT);
        }
        world.body(body).velocity().x
    };
    let (cut, whole) = (speed_after(Correction::FirstImpact), speed_after(Correction::Split));
    assert!((cut - whole).abs() < 1.0e-4 && (whole - 1.0).abs() < 1.0e-4, "{cut} {whole}");
}

/// A box in the corner of another, first less deep from the side, then from above by three fifths: whether the edge
/// changes depends on how much more the one in use counts, and on how thick the box is across the other.
#[test]
fn edges_stay_until_another_is_better_by_a_margin() {
    let normal_then = |edge_weight: f32, edge_handicap: f32| {
        let settings = Sequential { edge_weight, edge_handicap, ..Sequential::default() };
        let solver = Solver::Sequential(settings);
        let mut world = World::new(WorldDef { solver, gravity: Vec2::ZERO, ..WorldDef::default() });
        let fixed = world.add_body(BodyDef::fixed()).expect("body");
        world.add_shape(fixed, ShapeDef::rectangle(1.0, 1.0)).expect("shape");
        let body = add(&mut world, vec2(1.0 - 0.010, 1.0 - 0.011), ShapeDef::rectangle(1.0, 1.0));
        let normal = |world: &World| world.body(body).contacts().next().expect("contact").normal();
        world.step(DT);
        let before = normal(&world);
        assert!(before.x.abs() > 0.999, "{before}");
        world.body_mut(body).set_pose(Pose::at(vec2(1.0 - 0.020, 1.0 - 0.012))).expect("pose");
        world.body_mut(body).set_velocity(Vec2::ZERO).expect("velocity");
        world.step(DT);
        normal(&world)
    };
    // -0.012 against -0.020 times the weight, less the handicap times half a metre.
    for (weight, handicap, changes) in
        [(1.0, 0.0, true), (0.62, 0.0, true), (0.58, 0.0, false), (0.95, 0.013, true), (0.95, 0.015, false)]
    {
        let normal = normal_then(weight, handicap);
        assert_eq!(normal.y.abs() > 0.5, changes, "{normal} at {weight}, {handicap}");
    }
}

/// The rule may change while shapes touch.
#[test]
fn solvers_change_while_shapes_touch() {
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.0);
    for i in 0..5 {
        add(&mut world, vec2(0.01 * i as f32, 0.55 + 1.1 * i as f32), ShapeDef::rectangle(1.0, 1.0));
    }
    let solvers = [Solver::SoftStep, textbook(Correction::Split), Solver::Direct, textbook(Correction::FirstImpact)];
    for round in 0..20 {
        let mut solver = solvers[round % solvers.len()];
        if let Solver::Sequential(settings) = &mut solver {
            settings.edge_weight = 0.1 * (round % 11) as f32;
        }
        let def = WorldDef { solver, ..*world.def() };
        world.set_def(def).expect("settings");
        for _ in 0..15 {
            world.step(DT);
            world.validate();
        }
    }
    assert!(deepest_overlap(&world) < 0.02, "{}", deepest_overlap(&world));
}

/// Settings out of range are refused.
#[test]
fn wrong_settings_are_refused() {
    for (settings, field) in [
        (Sequential { iterations: 0, ..Sequential::default() }, "Sequential.iterations"),
        (Sequential { slop: f32::NAN, ..Sequential::default() }, "Sequential.slop"),
        (Sequential { push: 2.0, ..Sequential::default() }, "Sequential.push"),
        (Sequential { edge_weight: 1.01, ..Sequential::default() }, "Sequential.edge_weight"),
        (Sequential { edge_handicap: -0.1, ..Sequential::default() }, "Sequential.edge_handicap"),
    ] {
        let def = WorldDef { solver: Solver::Sequential(settings), ..WorldDef::default() };
        let error = World::try_new(def).expect_err(field).to_string();
        assert!(error.contains(field), "{error}");
    }
}

/// Of what stands still, the fastest; in m/s.
fn fastest(world: &World, bodies: &[BodyId]) -> f32 {
    bodies.iter().map(|&body| world.body(body).velocity().length()).fold(0.0, carom_core::math::max)
}

/// What stands on rigid contacts has no speed at all: with the whole load on it, neither a normal nor friction gives way.
#[test]
fn a_tower_of_the_direct_solver_stands_still() {
    let mut world = world(Solver::Direct);
    add_floor(&mut world, 0.6, 0.0);
    let boxes: Vec<BodyId> =
        (0..10).map(|i| add(&mut world, vec2(0.0, i as f32 + 0.5), ShapeDef::rectangle(1.0, 1.0))).collect();
    steps(&mut world, 120);
    let speed = fastest(&world, &boxes);
    assert!(speed < 1.0e-5, "{speed} m/s");
}

/// Cards that lean against each other at 25 degrees, with friction 0.7, stick where they stand: no card of a house of four
/// floors creeps away from under the others.
#[test]
fn a_card_house_of_the_direct_solver_does_not_creep() {
    let mut world = world(Solver::Direct);
    add_floor(&mut world, 0.7, 0.0);
    let lean = 25.0_f32.to_radians();
    let mut cards = Vec::new();
    let mut add_card = |x: f32, y: f32, angle: f32| {
        let card = world.add_body(BodyDef { position: vec2(x, y), angle, ..BodyDef::dynamic() }).unwrap();
        world.add_shape(card, ShapeDef { friction: 0.7, ..ShapeDef::rectangle(0.002, 0.4) }).unwrap();
        cards.push(card);
    };
    for floor in 0..4 {
        let middle = 0.18 + 0.37 * floor as f32;
        for tent in 0..4 - floor {
            let x = 0.175 * floor as f32 + 0.35 * tent as f32;
            add_card(x, middle, -lean);
            add_card(x + 0.175, middle, lean);
            if tent < 3 - floor {
                add_card(x + 0.25, middle + 0.185, 0.5 * std::f32::consts::PI);
            }
        }
    }
    steps(&mut world, 240);
    let speed = fastest(&world, &cards);
    assert!(speed < 1.0e-5, "{speed} m/s");
}
