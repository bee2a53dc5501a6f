//! What is written is read back to the bit.

use super::random::random_run;
use super::read;
use super::texts::scene;
use carom_scenes::file;
use carom_scenes::{About, BuildOptions, Camera, SceneWorld, all};
use carom2d::SoftBody;
use carom2d::prelude::*;

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Fails unless everything is the same that a file keeps, to the bit.
fn assert_same(a: &SceneWorld, b: &SceneWorld) {
    let name = &a.about().name;
    assert_eq!(a.about(), b.about(), "{name}");
    assert_eq!(a.dt().to_bits(), b.dt().to_bits(), "{name}");
    assert_eq!(a.world.def(), b.world.def(), "{name}");
    assert_eq!(a.world.body_count(), b.world.body_count(), "{name}");
    assert_eq!(a.world.shape_count(), b.world.shape_count(), "{name}");
    for (id_a, id_b) in a.world.bodies().zip(b.world.bodies()) {
        let (body_a, body_b) = (a.world.body(id_a), b.world.body(id_b));
        let numbers = |body: carom2d::BodyRef<'_>| {
            let (motion, pose) = (body.motion(), body.pose());
            let mut numbers =
                vec![motion.center, motion.rotation.x_axis(), motion.velocity, pose.p, body.local_center()];
            numbers.push(vec2(motion.angular_velocity, body.mass()));
            numbers.push(vec2(body.inertia(), 0.0));
            bits(&numbers.iter().flat_map(|v| v.to_array()).collect::<Vec<f32>>())
        };
        assert_eq!(numbers(body_a), numbers(body_b), "{name}, {id_a:?}: {:?}, {:?}", body_a.motion(), body_b.motion());
        assert_eq!(body_a.def(), body_b.def(), "{name}, {id_a:?}");
        assert_eq!(body_a.is_sleeping(), body_b.is_sleeping(), "{name}, {id_a:?}");
        assert_eq!(a.color(id_a), b.color(id_b), "{name}, {id_a:?}");
        assert!(body_a.shapes().count() == body_b.shapes().count(), "{name}, {id_a:?}");
        for (shape_a, shape_b) in body_a.shapes().zip(body_b.shapes()) {
            assert_eq!(a.world.shape(shape_a).def(), b.world.shape(shape_b).def(), "{name}, {shape_a:?}");
        }
    }
    assert_eq!(a.world.joint_count(), b.world.joint_count(), "{name}");
    for (joint_a, joint_b) in joints(&a.world).iter().zip(joints(&b.world)) {
        assert_eq!(*joint_a, joint_b, "{name}");
    }
    let fluids = |run: &SceneWorld| -> Vec<FluidDef> {
        run.world.fluids().filter_map(|id| run.world.fluid(id).cloned()).collect()
    };
    assert_eq!(fluids(a), fluids(b), "{name}");
    assert_eq!(a.companions.fields, b.companions.fields, "{name}");
    let insides = |run: &SceneWorld| -> Vec<(Vec<usize>, usize, f32, f32)> {
        let place = |id: &BodyId| run.world.bodies().position(|other| other == *id).unwrap();
        let inside = |soft: &SoftBody| {
            (soft.parts().iter().map(place).collect(), soft.joints().len(), soft.radius(), soft.rest_area())
        };
        run.companions.soft_bodies.iter().map(inside).collect()
    };
    assert_eq!(insides(a), insides(b), "{name}");
    let fluid = |run: &SceneWorld| run.companions.fluid.as_ref().map(|water| (water.fluid.state_hash(), water.filter));
    assert_eq!(fluid(a), fluid(b), "{name}");
    assert_eq!(a.world.state_hash(), b.world.state_hash(), "{name}");
}

/// Everything about the joints that a file keeps, in its order: gears last, everybody by place.
fn joints(world: &World) -> Vec<String> {
    let is_gear = |id: &JointId| matches!(world.joint(*id).kind(), JointKind::Gear(_));
    let (gears, others): (Vec<JointId>, Vec<JointId>) = world.joints().partition(is_gear);
    let order: Vec<JointId> = others.into_iter().chain(gears).collect();
    let body = |id: BodyId| world.bodies().position(|other| other == id);
    let joint = |id: JointId| order.iter().position(|&other| other == id);
    let text = |&id: &JointId| {
        let (def, turns) = (world.joint(id).def(), world.joint(id).turns());
        let kind = match &def.kind {
            JointKind::Gear(gear) => format!("{:?} {:?} {}", joint(gear.joint_a), joint(gear.joint_b), gear.ratio),
            kind => format!("{kind:?}"),
        };
        let (bodies, frames) = ((body(def.body_a), body(def.body_b)), (def.frame_a, def.frame_b));
        let stiffness = (def.hertz, def.damping_ratio, def.break_force, def.break_torque);
        format!("{bodies:?} {kind} {frames:?} {turns} {stiffness:?} {} {}", def.collide_connected, def.user_data)
    };
    order.iter().map(text).collect()
}

/// Writes and reads it; returns what was read, and the text.
pub(super) fn round_trip(run: &SceneWorld) -> (SceneWorld, String) {
    let text = file::write(run);
    let again = file::read("again.json", text.as_bytes());
    let again = again.unwrap_or_else(|error| panic!("{}: {error}", run.about().name));
    again.world.validate();
    assert_same(run, &again);
    assert_eq!(file::write(&again), text, "{}: the text is the same again", run.about().name);
    (again, text)
}

#[test]
fn every_scene_comes_back_as_it_was() {
    for scene in all() {
        let mut run = scene.build(&BuildOptions::default()).unwrap();
        if run.world.body_count() < 1000 {
            round_trip(&run);
        }
        for _ in 0..30 {
            run.step();
        }
        let mut again = round_trip(&run).0;
        // What was read is alive.
        for _ in 0..3 {
            again.step();
        }
        again.check_invariant().unwrap_or_else(|unmet| panic!("{}: {unmet}", scene.name));
    }
}

#[test]
fn whatever_can_be_made_comes_back_as_it_was() {
    let (mut normals, mut centers, mut asleep, mut gears) = (0, 0, 0, 0);
    for seed in 0..60 {
        let mut run = random_run(seed);
        round_trip(&run);
        for _ in 0..20 {
            run.step();
        }
        let (again, text) = round_trip(&run);
        normals += text.matches("\"normals\"").count();
        centers += text.matches("\"center_velocity\"").count();
        gears += text.matches("\"gear\"").count();
        asleep += again.world.bodies().filter(|&id| again.world.body(id).is_sleeping()).count();
    }
    assert!(normals > 0 && centers > 0 && asleep > 0, "the exact forms were needed: {normals} {centers} {asleep}");
    assert!(gears > 30, "there were gears: {gears}");
}

#[test]
fn what_acts_from_outside_comes_back() {
    use carom_scenes::SceneField;
    use carom2d::{PointGravity, Radial, Uniform, Vortex, Wind};
    let mut run = random_run(11);
    let l = [vec2(0.0, 0.0), vec2(3.0, 0.0), vec2(3.0, 1.0), vec2(1.0, 1.0), vec2(1.0, 4.0), vec2(0.0, 4.0)];
    for region in [
        FluidRegion::Below(-1.25),
        FluidRegion::Box(Aabb::new(vec2(-7.0, 0.1), vec2(2.0, 3.3))),
        FluidRegion::Polygon(l.to_vec()),
    ] {
        run.world.add_fluid(FluidDef { region: region.clone(), ..FluidDef::default() }).unwrap();
        let flow = vec2(0.3, -0.1);
        let def = FluidDef { region, density: 0.7, linear_drag: 0.0, quadratic_drag: 0.4, flow };
        run.world.add_fluid(def).unwrap();
    }
    let center = vec2(1.5, -2.0);
    run.companions.fields = vec![
        SceneField::Uniform(Uniform { acceleration: vec2(0.1, 0.2) }),
        SceneField::PointGravity(PointGravity { center, strength: -7.0, softening: 0.3 }),
        SceneField::Radial(Radial { center, radius: 4.0, acceleration: 2.0 }),
        SceneField::Vortex(Vortex { center: Vec2::ZERO, radius: 3.0, acceleration: -1.0 }),
        SceneField::Wind(Wind { velocity: vec2(5.0, 0.0), density: 0.2, drag: 1.1 }),
        SceneField::Wind(Wind { velocity: Vec2::ZERO, density: 1.0, drag: 1.0 }),
    ];
    let def = carom2d::SoftBodyDef::disc(vec2(30.0, 5.0), 1.0, 12);
    run.companions.soft_bodies.push(run.world.add_soft_body(&def).unwrap());
    let (mut again, text) = round_trip(&run);
    assert_eq!(text.matches("\"kind\": \"wind\"").count(), 2);
    // They act alike, too: neither has stepped, so contacts remember nothing.
    let mut run = file::read("first.json", text.as_bytes()).unwrap();
    for _ in 0..5 {
        run.step();
        again.step();
    }
    assert_eq!(run.world.state_hash(), again.world.state_hash());
}

#[test]
fn far_and_frozen_bodies_come_back() {
    let mut run = read(&scene("", r#"{"kind": "dynamic", "position": [9.9e6, 0], "velocity": [4e5, 0]}"#));
    let def = WorldDef { gravity: Vec2::ZERO, max_speed: 1.0e6, ..*run.world.def() };
    run.world.set_def(def).unwrap();
    for _ in 0..60 {
        run.step();
    }
    let body = |run: &SceneWorld| run.world.bodies().next().unwrap();
    assert!(run.world.body(body(&run)).position().x > 1.0e7, "beyond where a body may be put");
    round_trip(&run);
    for _ in 0..6000 {
        run.step();
    }
    assert!(run.world.body(body(&run)).is_frozen());
    let again = round_trip(&run).0;
    assert!(!again.world.body(body(&again)).is_enabled());
}

#[test]
fn what_is_unfit_for_a_file_is_made_fit() {
    let about = About {
        name: "two\nlines\u{1b}[31m".into(),
        summary: "x".repeat(10_000).into(),
        steps: 1,
        dt: f64::NAN,
        camera: Camera { center: vec2(f32::NAN, 0.0), half_height: -1.0 },
    };
    let text = file::write(&SceneWorld::new(about, World::new(WorldDef::default())));
    let run = read(&text);
    assert_eq!(run.about().name, "two lines [31m");
    assert_eq!(run.about().summary.len(), 500);
    assert!(run.about().camera.half_height > 0.0);
}

/// Water goes on from a file as it was: what was read moves bit for bit like a world that starts with the same bodies
/// and the same water.
#[test]
fn water_comes_back_and_goes_on() {
    for name in ["dam_break", "floating_bodies"] {
        let mut run = carom_scenes::find(name).unwrap().build(&BuildOptions::default()).unwrap();
        for _ in 0..40 {
            run.step();
        }
        let (mut again, _) = round_trip(&run);
        let (before, after) = (run.companions.fluid.as_ref().unwrap(), again.companions.fluid.as_ref().unwrap());
        let count = before.fluid.particle_count();
        assert!(count > 1000 && after.fluid.particle_count() == count, "{name}: {count}");
        assert_eq!(before.fluid.def(), after.fluid.def(), "{name}");
        assert!(before.fluid.pressures().iter().any(|&pressure| pressure > 0.0), "{name}: it was under pressure");
        // Before the first contact between bodies nothing that a file leaves out matters.
        let fluid = before.fluid.state_hash();
        run.step();
        again.step();
        let hash = |run: &SceneWorld| run.companions.fluid.as_ref().unwrap().fluid.state_hash();
        assert_eq!(hash(&run), hash(&again), "{name}: the next step is the same");
        assert_ne!(hash(&run), fluid, "{name}: it flows");
    }
}

#[test]
fn water_is_described_by_boxes_and_rows() {
    let water = r#""particle_fluid": {"spacing": 0.5, "density": 2, "viscosity": 0.125, "iterations": 3,
        "filter": {"category": 4, "mask": 6}, "boxes": [{"min": [0, 0], "max": [1, 1.5]}],
        "particles": [[3, 4], [5, 6, 7, 8], [-1, 0.1, 0, -0.0, 2.5]]}"#;
    let run = read(&format!(r#"{{"format": "carom-scene", "version": 1, "bodies": [], {water}}}"#));
    let fluid = &run.companions.fluid.as_ref().unwrap().fluid;
    let places: Vec<[f64; 2]> = fluid.positions().iter().map(|p| p.to_array()).collect();
    assert_eq!(places[..3], [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75]]);
    assert_eq!(places[6..], [[3.0, 4.0], [5.0, 6.0], [-1.0, 0.1]]);
    assert_eq!(fluid.velocities()[7].to_array(), [7.0, 8.0]);
    assert_eq!(fluid.pressures()[7..], [0.0, 2.5]);
    assert_eq!((fluid.def().spacing, fluid.def().density, fluid.def().iterations), (0.5, 2.0, 3));
    round_trip(&run);

    // A particle that is nowhere is not written; the others are.
    let mut run = run;
    let lost = &mut run.companions.fluid.as_mut().unwrap().fluid;
    lost.set_particle(7, glam::DVec2::NAN, glam::DVec2::ZERO);
    let again = read(&file::write(&run));
    assert_eq!(again.companions.fluid.as_ref().unwrap().fluid.particle_count(), 8);
}
