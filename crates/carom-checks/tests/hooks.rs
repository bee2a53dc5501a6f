//! Hooks and one-way shapes: what a step asks, what the answers do, and what they leave alone.

use carom_checks::validation::{DT, add, add_floor, add_moving, plain_world, steps};
use carom_scenes::{BuildOptions, find};
use carom2d::prelude::*;
use carom2d::{ContactPhase, ContactView, Hooks, Pair, PairView, Response, Width};
use std::sync::Mutex;

/// A platform of 4 m by 0.2 m whose top is at y = 2, held up by nothing, open from below.
fn add_platform(world: &mut World) -> ShapeId {
    let body = world.add_body(BodyDef { position: vec2(0.0, 1.9), ..BodyDef::fixed() }).unwrap();
    world.add_shape(body, ShapeDef { one_way: Some(vec2(0.0, 1.0)), ..ShapeDef::rectangle(4.0, 0.2) }).unwrap()
}

fn character() -> ShapeDef {
    ShapeDef::rectangle(0.6, 1.0)
}

// ---- one-way shapes -----------------------------------------------------------------------------

/// A box jumps through the platform as if it were not there, lands on it, rests and sleeps.
#[test]
fn box_jumps_through_a_one_way_platform_and_lands_on_it() {
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.0);
    let platform = add_platform(&mut world);
    let jumper = add_moving(&mut world, vec2(0.0, 0.5), vec2(0.0, 8.5), character());
    let shape = world.body(jumper).shapes().next().unwrap();
    let mut free = World::new(WorldDef::default());
    let flyer = add_moving(&mut free, vec2(0.0, 0.5), vec2(0.0, 8.5), character());
    let (mut begun, mut ended) = (0, 0);
    for step in 0..240 {
        world.step(DT);
        free.step(DT);
        let about = |event: &&carom2d::ContactEvent| {
            [event.shape_a, event.shape_b].contains(&platform) && [event.shape_a, event.shape_b].contains(&shape)
        };
        begun += world.events().contact_begin.iter().filter(about).count();
        ended += world.events().contact_end.iter().filter(about).count();
        if begun == 0 && step > 0 {
            let (y, expected) = (world.body(jumper).position().y, free.body(flyer).position().y);
            assert!((y - expected).abs() < 2.0e-2, "step {step}: at {y}, free flight is at {expected}");
        }
    }
    assert_eq!((begun, ended), (1, 0), "the platform is touched once, from above");
    let y = world.body(jumper).position().y;
    assert!((y - 2.5).abs() < 0.01, "rests at {y}");
    assert!(world.body(jumper).is_sleeping());
    world.validate();
}

/// Too weak a jump ends halfway in the platform: the box falls back and is not thrown out on top.
#[test]
fn box_that_turns_round_in_a_one_way_platform_falls_back() {
    for speed in [4.3_f32, 5.0, 5.6, 6.2] {
        let mut world = plain_world();
        add_floor(&mut world, 0.6, 0.0);
        add_platform(&mut world);
        let jumper = add_moving(&mut world, vec2(0.0, 0.5), vec2(0.0, speed), character());
        let highest = 0.5 + speed * speed / 20.0;
        assert!(highest > 1.4 && highest < 2.5, "must end in the platform");
        let mut top = 0.0;
        for _ in 0..180 {
            world.step(DT);
            let y = world.body(jumper).position().y;
            top = if y > top { y } else { top };
        }
        assert!(top < highest + 0.01, "{speed} m/s: came up to {top} m instead of {highest}");
        assert!((world.body(jumper).position().y - 0.5).abs() < 0.01, "{speed} m/s: did not fall back");
    }
}

/// At speeds where only continuous collision sees the platform it is still open from below and closed from above.
#[test]
fn one_way_platforms_stop_fast_bodies_from_one_side_only() {
    for phase in 0..32 {
        let offset = 90.0 * DT * phase as f32 / 32.0;
        for thin in [false, true] {
            let mut world = plain_world();
            world.set_gravity(Vec2::ZERO).unwrap();
            let body = world.add_body(BodyDef::fixed()).unwrap();
            let outline =
                if thin { ShapeDef::segment(vec2(-5.0, 0.0), vec2(5.0, 0.0)) } else { ShapeDef::rectangle(10.0, 0.05) };
            world.add_shape(body, ShapeDef { one_way: Some(vec2(0.0, 3.0)), ..outline }).unwrap();
            let ball = ShapeDef::circle(0.1);
            let up = add_moving(&mut world, vec2(-2.0, -3.0 - offset), vec2(0.0, 90.0), ball.clone());
            let down = add_moving(&mut world, vec2(2.0, 3.0 + offset), vec2(0.0, -90.0), ball);
            steps(&mut world, 10);
            assert!(world.body(up).position().y > 3.0, "phase {phase}: held from below");
            assert_eq!(world.body(up).velocity(), vec2(0.0, 90.0));
            assert!(world.body(down).position().y > 0.0, "phase {phase}: fell through");
        }
    }
}

/// The direction turns with the body.
#[test]
fn one_way_direction_is_the_bodys() {
    let mut world = plain_world();
    let turned = BodyDef { angle: std::f32::consts::PI, ..BodyDef::fixed() };
    let body = world.add_body(turned).unwrap();
    world.add_shape(body, ShapeDef { one_way: Some(vec2(0.0, 1.0)), ..ShapeDef::rectangle(4.0, 0.2) }).unwrap();
    let ball = add(&mut world, vec2(0.0, 1.0), ShapeDef::circle(0.2));
    steps(&mut world, 60);
    assert!(world.body(ball).position().y < -1.0, "a platform upside down holds nothing");
}

/// Bad directions are refused.
#[test]
fn one_way_directions_are_checked() {
    let mut world = plain_world();
    let body = world.add_body(BodyDef::fixed()).unwrap();
    for bad in [Vec2::ZERO, vec2(f32::NAN, 1.0), vec2(0.0, f32::INFINITY), vec2(1.0e-9, 0.0)] {
        let def = ShapeDef { one_way: Some(bad), ..ShapeDef::circle(1.0) };
        let error = world.add_shape(body, def).unwrap_err().to_string();
        assert!(error.contains("one_way"), "{error}");
    }
    let shape = world.add_shape(body, ShapeDef::circle(1.0)).unwrap();
    assert!(world.shape_mut(shape).set_one_way(Some(Vec2::ZERO)).is_err());
    world.shape_mut(shape).set_one_way(Some(vec2(0.0, 2.0))).unwrap();
    assert_eq!(world.shape(shape).def().one_way, Some(vec2(0.0, 2.0)));
}

// ---- filters ------------------------------------------------------------------------------------

/// Bodies whose user data are equal take no notice of each other.
struct EqualsIgnore;

impl Hooks for EqualsIgnore {
    fn filter_pair(&self, pair: &PairView) -> Pair {
        if pair.a.body_data == pair.b.body_data { Pair::Ignore } else { Pair::Meet }
    }
}

/// Ignored pairs have no contact and no events, at any speed; others do.
#[test]
fn ignored_pairs_pass_through_each_other() {
    for speed in [3.0, 300.0] {
        let mut world = plain_world();
        world.set_gravity(Vec2::ZERO).unwrap();
        let wall = |world: &mut World, y: f32, user_data: u64| {
            let body = BodyDef { position: vec2(0.0, y), user_data, ..BodyDef::fixed() };
            let body = world.add_body(body).unwrap();
            world.add_shape(body, ShapeDef::rectangle(0.1, 2.0)).unwrap();
        };
        wall(&mut world, 0.0, 1);
        wall(&mut world, 10.0, 2);
        let ball = |world: &mut World, y: f32| {
            let def = BodyDef {
                position: vec2(-2.0, y),
                velocity: vec2(speed, 0.0),
                user_data: 1,
                bullet: true,
                ..BodyDef::dynamic()
            };
            let body = world.add_body(def).unwrap();
            world.add_shape(body, ShapeDef::circle(0.2)).unwrap();
            body
        };
        let (through, stopped) = (ball(&mut world, 0.0), ball(&mut world, 10.0));
        let mut begun = 0;
        for _ in 0..90 {
            world.step_with(DT, &EqualsIgnore);
            begun += world.events().contact_begin.len();
        }
        assert!((world.body(through).position().x - (-2.0 + 1.5 * speed)).abs() < 0.01 * speed);
        assert_eq!(world.body(through).velocity().x, speed);
        assert!(world.body(stopped).position().x < 0.0);
        assert_eq!(begun, 1);
        world.validate();
    }
}

// ---- contacts -----------------------------------------------------------------------------------

/// Sets the friction of every contact.
struct Friction(f32);

impl Hooks for Friction {
    fn modify_contact(&self, contact: &mut ContactView) {
        contact.friction = self.0;
    }
}

/// An icy step is icy for that step alone.
#[test]
fn friction_changes_for_one_step() {
    let mut world = plain_world();
    add_floor(&mut world, 0.5, 0.0);
    let sled = add_moving(
        &mut world,
        vec2(0.0, 0.5),
        vec2(5.0, 0.0),
        ShapeDef { friction: 0.5, ..ShapeDef::rectangle(1.0, 1.0) },
    );
    steps(&mut world, 1);
    let before = world.body(sled).velocity().x;
    for _ in 0..30 {
        world.step_with(DT, &Friction(0.0));
    }
    assert!((world.body(sled).velocity().x - before).abs() < 1.0e-4, "ice slows nothing");
    let on_ice = world.body(sled).velocity().x;
    steps(&mut world, 30);
    let slowed = on_ice - world.body(sled).velocity().x;
    assert!((slowed - 2.5).abs() < 0.05, "0.5 s at mu g = 5 m/s^2 took {slowed} m/s");
    let material = world.contacts().find(|contact| contact.is_touching()).unwrap().material();
    assert_eq!(material.friction, 0.5);
}

/// A belt by a hook: what lies on the floor is carried, and does not fall asleep there.
#[test]
fn a_hook_can_be_a_conveyor_belt() {
    struct Belt;
    impl Hooks for Belt {
        fn modify_contact(&self, contact: &mut ContactView) {
            contact.surface_speed = 2.0;
        }
    }
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.0);
    let parcel = add(&mut world, vec2(0.0, 0.5), ShapeDef::rectangle(1.0, 1.0));
    for _ in 0..180 {
        world.step_with(DT, &Belt);
    }
    assert!((world.body(parcel).velocity().x - 2.0).abs() < 0.01, "{}", world.body(parcel).velocity());
    steps(&mut world, 180);
    assert!(world.body(parcel).is_sleeping(), "without the belt it comes to rest");
}

/// Numbers that make no sense do no harm.
#[test]
fn nonsense_from_a_hook_does_not_spread() {
    struct Nonsense(f32);
    impl Hooks for Nonsense {
        fn modify_contact(&self, contact: &mut ContactView) {
            contact.friction = self.0;
            contact.restitution = self.0;
            contact.rolling_resistance = self.0;
            contact.surface_speed = self.0;
        }
    }
    let build = || {
        let mut world = plain_world();
        add_floor(&mut world, 0.6, 0.1);
        for i in 0..5 {
            add(&mut world, vec2(0.05 * i as f32, 0.6 + 1.1 * i as f32), ShapeDef::rectangle(1.0, 1.0));
        }
        world
    };
    let mut plain = build();
    steps(&mut plain, 120);
    for value in [f32::NAN, -1.0e30, f32::INFINITY, f32::NEG_INFINITY, 1.0e30] {
        let mut world = build();
        for _ in 0..120 {
            world.step_with(DT, &Nonsense(value));
            for contact in world.contacts() {
                let material = contact.material();
                assert!((0.0..=1.0e6).contains(&material.friction) && (0.0..=1.0).contains(&material.restitution));
                assert!(material.surface_speed.abs() <= 1.0e6);
            }
        }
        assert!(world.events().body_frozen.is_empty());
        assert!(world.bodies().all(|id| world.body(id).position().is_finite()));
        if value.is_nan() {
            assert_eq!(world.state_hash(), plain.state_hash(), "NaN changes nothing");
        }
        world.validate();
    }
}

/// Lets every contact between dynamic bodies pass.
struct Ghosts;

impl Hooks for Ghosts {
    fn modify_contact(&self, contact: &mut ContactView) {
        if contact.a().kind == BodyKind::Dynamic && contact.b().kind == BodyKind::Dynamic {
            contact.response = Response::Pass;
        }
    }
}

/// Contacts that do not act do not touch, hold no island together, wake nobody, and end what had begun.
#[test]
fn passing_contacts_are_as_good_as_none() {
    let mut world = World::new(WorldDef::default());
    add_floor(&mut world, 0.6, 0.0);
    let lower = add(&mut world, vec2(0.0, 0.5), ShapeDef::rectangle(1.0, 1.0));
    let upper = add(&mut world, vec2(0.1, 1.5), ShapeDef::rectangle(1.0, 1.0));
    steps(&mut world, 5);
    assert_eq!(world.island_of(lower), world.island_of(upper));
    let mut ended = 0;
    for _ in 0..120 {
        world.step_with(DT, &Ghosts);
        ended += world.events().contact_end.len();
        world.validate();
    }
    assert_eq!(ended, 1, "the touch of the boxes has ended");
    assert!((world.body(upper).position().y - 0.5).abs() < 0.01, "the upper box came down through the lower");
    assert_ne!(world.island_of(lower), world.island_of(upper));
    assert!(world.body(lower).is_sleeping() && world.body(upper).is_sleeping());
    // One of them is woken; the other is none of its business.
    world.body_mut(upper).apply_impulse(vec2(0.5, 0.0)).unwrap();
    for _ in 0..30 {
        world.step_with(DT, &Ghosts);
        assert!(world.body(lower).is_sleeping());
    }
    let between = world.contacts().filter(|contact| {
        let dynamic = |shape: ShapeId| world.body(world.shape(shape).body()).kind() == BodyKind::Dynamic;
        dynamic(contact.shape_a()) && dynamic(contact.shape_b())
    });
    assert!(between.into_iter().all(|contact| !contact.is_touching() && contact.points().count() == 0));
}

/// What a hook is told of a contact.
#[test]
fn hooks_are_told_what_happens() {
    type Seen = Vec<(ShapeId, ShapeId, ContactPhase, f32, f32)>;
    #[derive(Default)]
    struct Spy(Mutex<Seen>);
    impl Hooks for Spy {
        fn modify_contact(&self, contact: &mut ContactView) {
            let point = contact.points()[0];
            assert!((contact.normal().length() - 1.0).abs() < 1.0e-5);
            let approach = point.velocity.dot(contact.normal());
            assert!((approach - point.approach_velocity).abs() < 1.0e-4);
            let seen = (contact.a().shape, contact.b().shape, contact.phase(), point.separation, approach);
            self.0.lock().unwrap().push(seen);
        }
    }
    let mut world = plain_world();
    add_floor(&mut world, 0.6, 0.0);
    for x in [3.0, -3.0, 0.0] {
        add(&mut world, vec2(x, 0.6), ShapeDef::circle(0.5));
    }
    let spy = Spy::default();
    let mut phases = Vec::new();
    for _ in 0..30 {
        world.step_with(DT, &spy);
        let seen = std::mem::take(&mut *spy.0.lock().unwrap());
        assert!(seen.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1)), "in the order of shapes");
        phases.extend(seen.first().map(|first| first.2));
        for (_, _, phase, separation, approach) in seen {
            if phase == ContactPhase::Begin {
                assert!(separation > -0.05 && approach < -1.0, "{separation} m, {approach} m/s");
            }
        }
    }
    assert_eq!(phases[0], ContactPhase::Begin);
    assert!(phases.len() > 10 && phases[1..].iter().all(|&phase| phase == ContactPhase::Persist));
}

/// Filters by number, ice, trampolines and belts by number, and ghosts of what comes fast.
struct ByNumber;

impl Hooks for ByNumber {
    fn filter_pair(&self, pair: &PairView) -> Pair {
        if pair.a.shape_data != 0 && (pair.a.shape_data + pair.b.shape_data).is_multiple_of(11) {
            Pair::Ignore
        } else {
            Pair::Meet
        }
    }

    fn modify_contact(&self, contact: &mut ContactView) {
        match (contact.a().shape_data + contact.b().shape_data) % 5 {
            0 => contact.friction = 0.0,
            1 => contact.restitution = 0.9,
            2 => contact.surface_speed = 1.5,
            3 if contact.points()[0].approach_velocity < -4.0 => contact.response = Response::Pass,
            _ => {}
        }
    }
}

/// What hooks answer depends on what they are shown, and not on who asks: a heap in which they filter, change and let
/// pass comes out the same on any number of threads, with any width and with either broad phase.
#[test]
fn hooks_give_the_same_bits_however_a_step_is_shared_out() {
    let run = |def: WorldDef, width: Option<Width>, hooks: Option<&dyn Hooks>| {
        let mut world = World::new(def);
        width.inspect(|&width| world.set_width(width));
        add_floor(&mut world, 0.6, 0.0);
        for i in 0..400_u16 {
            let (column, row) = (f32::from(i % 40), f32::from(i / 40));
            let shape = match i % 3 {
                0 => ShapeDef::circle(0.3),
                1 => ShapeDef::capsule(vec2(-0.2, 0.0), vec2(0.2, 0.0), 0.2),
                _ => ShapeDef::rectangle(0.6, 0.5),
            };
            let position = vec2(0.7 * column + 0.1 * row - 14.0, 1.0 + 0.8 * row);
            add_moving(&mut world, position, vec2(0.0, -3.0), ShapeDef { user_data: u64::from(i) + 1, ..shape });
        }
        let mut hashes = Vec::new();
        for _ in 0..240 {
            match hooks {
                Some(hooks) => world.step_with(DT, hooks),
                None => world.step(DT),
            }
            hashes.push(world.state_hash());
        }
        world.validate();
        hashes
    };
    let def = WorldDef::default();
    let alone = run(def, None, Some(&ByNumber));
    assert_ne!(alone.last(), run(def, None, None).last(), "the hooks have something to say");
    for threads in [2, 5] {
        assert_eq!(run(WorldDef { threads, ..def }, None, Some(&ByNumber)), alone, "{threads} threads");
    }
    for width in Width::all() {
        assert_eq!(run(def, Some(width), Some(&ByNumber)), alone, "{width}");
    }
    let broad_phase = BroadPhaseKind::Quadtree(QuadtreeDef::default());
    assert_eq!(run(WorldDef { broad_phase, ..def }, None, Some(&ByNumber)), alone, "quadtree");
}

/// Hooks that say nothing change no bit, by steps and by frames.
#[test]
fn silent_hooks_change_nothing() {
    struct Silent;
    impl Hooks for Silent {}
    for name in ["falling_bricks", "conveyor", "bouncing_balls"] {
        let build = || find(name).unwrap().build(&BuildOptions::default()).unwrap().world;
        let (mut plain, mut asked, mut framed) = (build(), build(), build());
        for _ in 0..100 {
            plain.step(plain.def().fixed_step_s);
            asked.step_with(asked.def().fixed_step_s, &Silent);
            let frame = framed.def().fixed_step_s;
            framed.advance_with(frame, &Silent).unwrap();
        }
        assert_eq!(plain.state_hash(), asked.state_hash(), "{name}");
        assert_eq!(plain.state_hash(), framed.state_hash(), "{name} by frames");
    }
}
