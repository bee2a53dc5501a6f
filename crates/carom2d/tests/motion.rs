//! Taking a body apart into its definition and motion, and putting it together again to the bit.

use carom2d::Motion;
use carom2d::prelude::*;
use carom2d::shape::Polygon;

/// A body whose centre of mass is off its origin, and which turns.
fn lopsided(world: &mut World, def: BodyDef) -> BodyId {
    let id = world.add_body(def).unwrap();
    world.add_shape(id, ShapeDef { position: vec2(0.3, 0.1), ..ShapeDef::rectangle(1.1, 0.7) }).unwrap();
    world.add_shape(id, ShapeDef { position: vec2(-0.7, 0.4), density: 3.0, ..ShapeDef::circle(0.3) }).unwrap();
    id
}

fn bits(motion: Motion) -> [u32; 7] {
    let Motion { center, rotation, velocity, angular_velocity } = motion;
    [center.x, center.y, rotation.c, rotation.s, velocity.x, velocity.y, angular_velocity].map(f32::to_bits)
}

fn thrown() -> BodyDef {
    BodyDef {
        position: vec2(0.37, 8.1),
        angle: 0.7,
        velocity: vec2(3.1, 2.3),
        angular_velocity: 4.7,
        ..BodyDef::dynamic()
    }
}

#[test]
fn a_body_made_from_definition_and_motion_is_the_same() {
    let mut world = World::new(WorldDef::default());
    let id = lopsided(&mut world, BodyDef { mass: Some(7.0), user_data: 5, ..thrown() });
    for _ in 0..40 {
        world.step(1.0 / 60.0);
    }
    let mut copy = World::new(*world.def());
    let twin = copy.add_body(world.body(id).def()).unwrap();
    for shape in world.body(id).shapes() {
        copy.add_shape(twin, world.shape(shape).def()).unwrap();
    }
    copy.body_mut(twin).set_motion(world.body(id).motion()).unwrap();
    copy.validate();
    assert_eq!(world.body(id).def(), copy.body(twin).def());
    assert_eq!(bits(world.body(id).motion()), bits(copy.body(twin).motion()));
    assert_eq!(world.state_hash(), copy.state_hash());
    // It flies freely, so it goes on in the same way.
    world.step(1.0 / 60.0);
    copy.step(1.0 / 60.0);
    assert_eq!(world.state_hash(), copy.state_hash());
}

#[test]
fn a_body_that_starts_asleep_can_be_put_in_place_and_sleeps_on() {
    let mut world = World::new(WorldDef::default());
    let id = lopsided(&mut world, BodyDef { awake: false, ..thrown() });
    let motion = Motion { center: vec2(50.0, 1.0), ..world.body(id).motion() };
    world.body_mut(id).set_motion(motion).unwrap();
    world.validate();
    assert!(world.body(id).is_sleeping() && world.body(id).center() == vec2(50.0, 1.0));
    // The broad phase knows where it is now: what falls on it wakes it.
    let hits = world.shapes_at(vec2(50.0, 1.0), QueryFilter::default()).unwrap();
    assert!(!hits.is_empty());
    let ball = world.add_body(BodyDef { position: vec2(50.0, 2.5), ..BodyDef::dynamic() }).unwrap();
    world.add_shape(ball, ShapeDef::circle(0.5)).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    assert!(!world.body(id).is_sleeping());
    world.validate();
}

#[test]
fn a_known_body_wakes_when_it_is_moved() {
    let mut world = World::new(WorldDef::default());
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    world.add_shape(ground, ShapeDef::rectangle(20.0, 1.0)).unwrap();
    let boxes: Vec<BodyId> = (0..2)
        .map(|i| {
            let id = world.add_body(BodyDef { position: vec2(0.0, 1.0 + i as f32), ..BodyDef::dynamic() }).unwrap();
            world.add_shape(id, ShapeDef::rectangle(1.0, 1.0)).unwrap();
            id
        })
        .collect();
    for _ in 0..120 {
        world.step(1.0 / 60.0);
    }
    assert!(world.body(boxes[1]).is_sleeping());
    let motion = Motion { center: vec2(5.0, 1.0), ..world.body(boxes[0]).motion() };
    world.body_mut(boxes[0]).set_motion(motion).unwrap();
    assert!(world.body(boxes[1]).is_awake(), "its support has gone");
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    assert!(world.body(boxes[1]).position().y < 1.1);
    world.validate();
}

#[test]
fn several_shapes_at_once_are_the_same_as_one_after_the_other() {
    let defs = [
        ShapeDef { position: vec2(0.3, 0.1), ..ShapeDef::rectangle(1.1, 0.7) },
        ShapeDef { position: vec2(-0.7, 0.4), density: 3.0, ..ShapeDef::circle(0.3) },
    ];
    let (mut one, mut many) = (World::new(WorldDef::default()), World::new(WorldDef::default()));
    let a = one.add_body(BodyDef::dynamic()).unwrap();
    let b = many.add_body(BodyDef::dynamic()).unwrap();
    let singly: Vec<ShapeId> = defs.iter().map(|def| one.add_shape(a, def.clone()).unwrap()).collect();
    assert_eq!(many.add_shapes(b, &defs).unwrap(), singly);
    let (single, joint) = (one.body(a), many.body(b));
    assert_eq!(
        (single.mass(), single.inertia(), single.local_center()),
        (joint.mass(), joint.inertia(), joint.local_center())
    );
    many.validate();
    let bad = [ShapeDef::circle(1.0), ShapeDef::circle(-1.0)];
    assert!(many.add_shapes(b, &bad).unwrap_err().to_string().contains("radius"));
    assert_eq!(many.shape_count(), 2, "nothing was added");
    assert!(many.add_shapes(b, &[]).unwrap().is_empty());
}

#[test]
fn bad_motions_are_refused() {
    let mut world = World::new(WorldDef::default());
    let id = lopsided(&mut world, thrown());
    let good = world.body(id).motion();
    let hash = world.state_hash();
    for (bad, field) in [
        (Motion { center: vec2(f32::NAN, 0.0), ..good }, "Motion.center"),
        (Motion { center: vec2(0.0, 3.0e7), ..good }, "Motion.center"),
        (Motion { rotation: Rot { c: 1.0, s: 0.1 }, ..good }, "Motion.rotation"),
        (Motion { rotation: Rot { c: f32::NAN, s: 0.0 }, ..good }, "Motion.rotation"),
        (Motion { velocity: vec2(f32::INFINITY, 0.0), ..good }, "Motion.velocity"),
        (Motion { angular_velocity: f32::NAN, ..good }, "Motion.angular_velocity"),
    ] {
        let error = world.body_mut(id).set_motion(bad).unwrap_err().to_string();
        assert!(error.starts_with(field), "{error}");
        assert_eq!(world.state_hash(), hash, "nothing was changed");
    }
}

/// A spinning body that may not move along y rose or sank for ever if a shape put its centre of mass off
/// its origin: the centre's share of the spin was added to the locked axis.
#[test]
fn shapes_off_the_origin_do_not_unlock_an_axis() {
    let mut world = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
    let locked = LockedAxes { y: true, ..LockedAxes::default() };
    let id = lopsided(&mut world, BodyDef { locked, ..thrown() });
    assert_eq!(world.body(id).velocity().y, 0.0);
    let start = world.body(id).center().y;
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    assert_eq!(world.body(id).center().y, start);
}

#[test]
fn polygons_come_back_from_their_parts() {
    let turned = ShapeDef { position: vec2(3.3, -0.7), angle: 1.1, rounding: 0.05, ..ShapeDef::rectangle(0.3, 0.2) };
    let regular = ShapeDef::geometry(Polygon::regular(7, 0.4).unwrap().into());
    let far = ShapeDef { position: vec2(9.0e3, 4.0e3), angle: 0.3, ..ShapeDef::rectangle(0.05, 0.02) };
    for def in [turned, regular, far, ShapeDef::convex(&[vec2(0.0, 0.0), vec2(1.0, 0.2), vec2(0.1, 0.8)])] {
        let Geometry::Polygon(polygon) = def.build().unwrap() else { panic!("a polygon") };
        let again =
            Polygon::from_parts(polygon.vertices(), polygon.normals(), polygon.centroid(), polygon.radius()).unwrap();
        assert_eq!(again, polygon);
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let polygon = Polygon::regular(5, 1.0).unwrap();
    let (vertices, normals) = (polygon.vertices(), polygon.normals());
    let reversed: Vec<Vec2> = vertices.iter().rev().copied().collect();
    let turned: Vec<Vec2> = normals.iter().map(|&n| Rot::from_angle(0.1).rotate(n)).collect();
    let inward: Vec<Vec2> = normals.iter().map(|&n| -n).collect();
    let parts = |v: &[Vec2], n: &[Vec2], c, r| Polygon::from_parts(v, n, c, r).map(|_| ()).unwrap_err().to_string();
    assert!(parts(&reversed, normals, Vec2::ZERO, 0.0).starts_with("Polygon."));
    for bad in [&turned[..], &normals[..4], &[vec2(f32::NAN, 0.0); 5], &[Vec2::ZERO; 5]] {
        assert!(parts(vertices, bad, Vec2::ZERO, 0.0).starts_with("Polygon.normals"), "{bad:?}");
    }
    assert!(parts(vertices, &inward, Vec2::ZERO, 0.0).starts_with("Polygon."));
    assert!(parts(vertices, normals, vec2(3.0, 0.0), 0.0).starts_with("Polygon.centroid"));
    assert!(parts(vertices, normals, vec2(f32::NAN, 0.0), 0.0).starts_with("Polygon.centroid"));
    assert!(parts(vertices, normals, Vec2::ZERO, -1.0).starts_with("Polygon.radius"));
    assert!(parts(&vertices[..2], &normals[..2], Vec2::ZERO, 0.0).starts_with("Polygon.points"));
    assert!(parts(&[vec2(f32::NAN, 0.0); 3], &normals[..3], Vec2::ZERO, 0.0).starts_with("Polygon.points"));
}

/// Whatever is done, what `moved_bodies` leaves out is where it was, and what it names, it names once.
#[test]
fn what_moved_is_named_once_and_the_rest_stood_still() {
    let mut rng = carom_core::Rng::new(77);
    let mut world = World::new(WorldDef::default());
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    world.add_shape(ground, ShapeDef::rectangle(200.0, 1.0)).unwrap();
    let lift = world.add_body(BodyDef { position: vec2(60.0, 5.0), ..BodyDef::kinematic() }).unwrap();
    world.add_shape(lift, ShapeDef::rectangle(2.0, 0.2)).unwrap();
    let mut balls: Vec<BodyId> = Vec::new();
    let mut fell_asleep = 0;
    for step in 0..900 {
        if step % 40 == 0 && step < 400 {
            let position = vec2(rng.range(-40.0, 40.0), rng.range(1.0, 4.0));
            let ball = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
            world.add_shape(ball, ShapeDef { rolling_resistance: 0.1, ..ShapeDef::circle(0.4) }).unwrap();
            balls.push(ball);
        }
        if step % 130 == 0 && balls.len() > 2 {
            world.remove_body(balls.swap_remove(rng.below(balls.len() as u32) as usize)).unwrap();
        }
        if step == 700 {
            world.body_mut(lift).set_velocity(vec2(0.0, 1.0)).unwrap();
            world.body_mut(balls[0]).wake();
        }
        let before: Vec<(BodyId, [u32; 7])> = world.bodies().map(|id| (id, bits(world.body(id).motion()))).collect();
        world.advance([1.0 / 60.0, 0.05, 0.004][step % 3]).unwrap();
        let moved: Vec<_> = world.moved_bodies().collect();
        let mut names: Vec<u32> = moved.iter().map(|moved| moved.body.index()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), moved.len(), "step {step}: a body is named twice");
        for moved in &moved {
            let body = world.body(moved.body);
            assert_eq!(moved.pose, body.pose());
            assert_eq!(moved.fell_asleep, body.is_sleeping(), "step {step}");
            fell_asleep += u32::from(moved.fell_asleep);
        }
        for (id, motion) in before {
            let named = names.binary_search(&id.index()).is_ok();
            let now = bits(world.body(id).motion());
            assert!(named || now[..4] == motion[..4], "step {step}: {id:?} moved and is not named");
        }
        assert_eq!(world.awake_bodies().count(), world.awake_body_count());
    }
    assert!(fell_asleep > 5 && world.awake_body_count() <= 2, "{fell_asleep} fell asleep");
}
